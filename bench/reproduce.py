"""Two bugs of a real RabbitMQ, beside the model's counterexamples.

    python bench/reproduce.py                 all experiments
    python bench/reproduce.py --only gd1      those whose name begins so

Two nodes are started on the loopback interface, in a directory that is removed at the end; nothing
else on this machine is touched.  Each experiment is shown beside what the model says of the same
situation: to the left the shortest run to a violation, to the right what was done to RabbitMQ and
what was seen.  Then it is said whether the two agree.

- G-D1: the master's node dies after its mirror got a message from the master and before it got it
  from the channel.  The mirror is promoted, has the message, and never confirms it (D6.2).
- G-D5: the same where the queue is full and rejects publishes.  An assertion fails in the promoted
  process, and it crashes (D6.4).

The controls are the same without the accident.  Exit code 0: everything came out as the model says;
1: something did not, or could not be found out; 2: wrong arguments.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich import box
from rich.console import Console
from rich.table import Table

# A script finds modules beside itself; these are found from the project's root, as in the tests.
if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench.process import Failed, Missing
from bench.rabbitmq.agreement import Agreement, compare
from bench.rabbitmq.cluster import cluster
from bench.rabbitmq.experiments import (
    EXPERIMENTS,
    Experiment,
    perform,
)
from bench.rabbitmq.model import ModelTrace, model_trace
from bench.rabbitmq.observation import Observation
from bench.rabbitmq.site import version

#: Columns of a terminal that a side-by-side listing needs; a pipe has none of its own.
WIDTH = 104


def chosen(only: str | None) -> list[Experiment]:
    """Return the experiments whose names begin with a text, all without one.

    Raises:
        typer.BadParameter: none does.
    """
    found = [e for e in EXPERIMENTS.values() if e.name.startswith(only or "")]
    if not found:
        names = ", ".join(EXPERIMENTS)
        raise typer.BadParameter(f"no experiment begins with {only!r}; there are: {names}")
    return found


def left(model: ModelTrace) -> list[str]:
    """Return the model's side, a line for each step."""
    asked = f"{model.question.claim} on {model.question.instance}"
    if not model.violated:
        without = "" if model.accidents else " without accidents"
        return [f"{asked}{without}:", f"holds in all {model.states:,} states"]
    lines = []
    for number, step in enumerate(model.steps, 1):
        if model.lasting == number - 1:
            lines.append("    and from there on, again and again:")
        lines.append(f"{number:>2}  {'✗ ' if step.fault or step.fails else ''}{step}")
        lines += [f"      → {frame}" for frame in step.frames]
    if model.fails:
        lines.append(f"    {model.reason or 'an assertion fails'}")
    elif model.lasting == len(model.steps):
        lines.append("    and there it stays: nothing is enabled that must happen")
    return [f"{asked} is false:", *lines]


def right(seen: Observation) -> list[str]:
    """Return RabbitMQ's side, a line for each thing that was done or seen."""
    return [f"{s.seconds:6.2f} s  {'' if s.done else '→ '}{s.text}" for s in seen.steps]


def show(
    experiment: Experiment,
    seen: Observation,
    model: ModelTrace,
    agreement: Agreement,
    console: Console,
) -> None:
    """Print one experiment, side by side, and whether the sides agree."""
    title = f"{experiment.bug}, {experiment.title}  ({experiment.name})"
    table = Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, expand=True
    )
    table.add_column(f"the model, as {model.question.era}", ratio=5)
    table.add_column("RabbitMQ  (→ seen)", ratio=6)
    for one, other in zip_longest(left(model), right(seen), fillvalue=""):
        table.add_row(one, other)
    console.print(table, markup=False)
    console.print(f"{agreement}\n", markup=False, highlight=False)


def as_json(seen: Observation, model: ModelTrace, agreement: Agreement) -> dict[str, Any]:
    """Return one experiment for programs."""
    return {
        "experiment": seen.experiment,
        "agrees": agreement.agrees,
        "points": [asdict(point) for point in agreement.points],
        "observation": asdict(seen),
        "model": {**asdict(model.question), "violated": model.violated, "steps": left(model)},
    }


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Let a request to terminate end the nodes too: as an exception, it passes every `with`."""

    def leave(*_: object) -> None:
        raise SystemExit(1)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def reproduce(
    experiments: Sequence[Experiment], console: Console | None, progress: Console
) -> list[dict[str, Any]]:
    """Do experiments, one after the other, and print each if there is a console.

    Raises:
        Missing: RabbitMQ is not installed.
        Failed: RabbitMQ or the model did not come through.
    """
    documents = []
    with ended_in_order(), progress.status("asking the model") as status:
        models = {e.name: model_trace(e.bug, accidents=e.kill) for e in experiments}
        status.update("starting two nodes")
        with cluster() as nodes:
            if console is not None:
                console.print(f"RabbitMQ {version()}, two nodes\n", markup=False, highlight=False)
            for experiment in experiments:
                status.update(f"{experiment.name}: {experiment.title}")
                seen, model = perform(experiment, nodes), models[experiment.name]
                agreement = compare(seen, model)
                documents.append(as_json(seen, model, agreement))
                if console is not None:
                    show(experiment, seen, model, agreement, console)
    return documents


Work = Callable[[Console | None, Console], list[dict[str, Any]]]


def run(work: Work, *, as_json: bool) -> NoReturn:
    """Do experiments, and say in the end how many agree with the model.

    Args:
        work: does them; it is given where to print each, if anywhere, and where to tell progress.
        as_json: whether to print one document for programs, and nothing else.

    Raises:
        typer.Exit: always; the code is 0 if all agree.
    """
    console, progress = Console(), Console(stderr=True)
    if console.width < WIDTH:
        console = Console(width=WIDTH)
    try:
        documents = work(None if as_json else console, progress)
    except (Failed, Missing) as error:
        progress.print(f"error: {error}", markup=False)
        raise typer.Exit(1) from error
    agree = [document["agrees"] for document in documents]
    if as_json:
        print(json.dumps({"agrees": all(agree), "experiments": documents}, indent=2))
    else:
        console.print(f"{sum(agree)} of {len(agree)} experiments agree with the model")
    raise typer.Exit(0 if all(agree) else 1)


def main(
    only: Annotated[
        str | None, typer.Option(help=f"What to do, by the beginning: {', '.join(EXPERIMENTS)}.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="One document for programs.")] = False,
) -> None:
    """Show two bugs of RabbitMQ beside the model's.  Example: bench/reproduce.py --only gd1"""
    run(partial(reproduce, chosen(only)), as_json=json_)


if __name__ == "__main__":
    typer.run(main)
