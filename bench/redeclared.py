"""A queue declared again on real RabbitMQs, beside the model's counterexample.

    python bench/redeclared.py build/rabbitmq/trixie build/rabbitmq/sid
    python bench/redeclared.py --json build/rabbitmq/sid

The installed RabbitMQ is asked first, then those in the root directories that are given, which
`bench/rabbitmq/make-root` makes.  Each gets one node on the loopback interface, in a directory that
is removed at the end.  Each experiment is shown beside what the era of that version says: to the
left the shortest run to a false ack, or that there is none, to the right what was done to RabbitMQ
and what was seen.

- G-E1: a queue is deleted and declared again, and refuses what is published to it then.  From 4.0
  on that is acked (A9.5).

The control is the same without the first queue.  Exit code 0: everything came out as the model
says; 1: something did not, or could not be found out; 2: wrong arguments.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

# A script finds modules beside itself; these are found from the project's root, as in the tests.
if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench.process import Failed, Missing
from bench.rabbitmq.agreement import Agreement
from bench.rabbitmq.model import ModelTrace
from bench.rabbitmq.node import Node
from bench.rabbitmq.observation import Step
from bench.rabbitmq.redeclaring import (
    REDECLARING,
    Redeclared,
    Redeclaring,
    agreement,
    model_of,
    perform,
)
from bench.rabbitmq.site import site, version
from bench.reproduce import WIDTH, ended_in_order, left


def on_release(root: Path | None, console: Console | None) -> list[dict[str, Any]]:
    """Do all experiments on one release, and print each if there is a console.

    Raises:
        Missing: RabbitMQ is not there.
        Failed: RabbitMQ or the model did not come through.
    """
    number = version(root)
    models = {one.name: model_of(one, number) for one in REDECLARING}
    documents = []
    with site(root) as here, Node(here, "r1") as node:
        node.start()
        node.ready()
        if console is not None:
            console.print(f"RabbitMQ {number}, one node\n", markup=False, highlight=False)
        for experiment in REDECLARING:
            seen, model = perform(experiment, node), models[experiment.name]
            agreed = agreement(seen, model)
            documents.append(as_json(experiment, number, seen, model, agreed))
            if console is not None:
                show(experiment, seen, model, agreed, console)
    return documents


def right(steps: Sequence[Step]) -> list[str]:
    """Return RabbitMQ's side, a line for each thing that was done or seen."""
    return [f"{'' if step.done else '→ '}{step.text}" for step in steps]


def show(
    experiment: Redeclaring,
    seen: Redeclared,
    model: ModelTrace,
    agreed: Agreement,
    console: Console,
) -> None:
    """Print one experiment, side by side, and whether the sides agree."""
    table = Table(
        title=f"G-E1, {experiment.title}  ({experiment.name})",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        expand=True,
    )
    table.add_column(f"the model, as {model.question.era}", ratio=5)
    table.add_column("RabbitMQ  (→ seen)", ratio=6)
    for one, other in zip_longest(left(model), right(seen.steps), fillvalue=""):
        table.add_row(one, other)
    console.print(table, markup=False)
    console.print(f"{agreed}\n", markup=False, highlight=False)


def as_json(
    experiment: Redeclaring, number: str, seen: Redeclared, model: ModelTrace, agreed: Agreement
) -> dict[str, Any]:
    """Return one experiment for programs."""
    return {
        "experiment": experiment.name,
        "rabbitmq": number,
        "agrees": agreed.agrees,
        "points": [asdict(point) for point in agreed.points],
        "observation": asdict(seen),
        "model": {**asdict(model.question), "violated": model.violated, "steps": left(model)},
    }


def main(
    roots: Annotated[
        list[Path] | None, typer.Argument(help="Root directories that make-root has made.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="One document for programs.")] = False,
) -> None:
    """Show a false ack of RabbitMQ beside the model's."""
    console = Console()
    if console.width < WIDTH:
        console = Console(width=WIDTH)
    progress = Console(stderr=True)
    documents: list[dict[str, Any]] = []
    try:
        with ended_in_order(), progress.status("asking RabbitMQ and the model"):
            for root in [None, *(roots or [])]:
                documents += on_release(root, None if json_ else console)
    except (Failed, Missing) as error:
        progress.print(f"error: {error}", markup=False)
        raise typer.Exit(1) from error
    agree = [document["agrees"] for document in documents]
    if json_:
        print(json.dumps({"agrees": all(agree), "experiments": documents}, indent=2))
    else:
        console.print(f"{sum(agree)} of {len(agree)} experiments agree with the model")
    raise typer.Exit(0 if all(agree) else 1)


if __name__ == "__main__":
    typer.run(main)
