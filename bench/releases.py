"""Two bugs of real RabbitMQs of several releases, beside the model's counterexamples.

    python bench/releases.py build/rabbitmq/trixie build/rabbitmq/sid
    python bench/releases.py --json build/rabbitmq/sid

The installed RabbitMQ is asked first, then those in the root directories that are given, which
`bench/rabbitmq/make-root` makes.  Each gets one node on the loopback interface, in a directory that
is removed at the end.  Each experiment is shown beside what the era of that version says: to the
left the shortest run to a violation, or that there is none, to the right what was done to RabbitMQ
and what was seen.

- G-E1: a queue is deleted and declared again, and refuses what is published to it then.  From 4.0
  on that is acked (A9.5).
- G-E2: a queue that refuses what is too much begins again while it has more than its limit, and
  drops what was acked (B5.8).

The controls are the same without the first queue, and without anything that fails.  Exit code 0:
everything came out as the model says; 1: something did not, or could not be found out; 2: wrong
arguments.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Generic, Protocol, TypeVar

import typer
from rich import box
from rich.console import Console
from rich.table import Table

# A script finds modules beside itself; these are found from the project's root, as in the tests.
if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench.rabbitmq import redeclaring, restarting
from bench.rabbitmq.agreement import Agreement
from bench.rabbitmq.model import ModelTrace
from bench.rabbitmq.node import Node
from bench.rabbitmq.observation import Step
from bench.rabbitmq.site import site, version
from bench.reproduce import ended_in_order, left, run


class Named(Protocol):
    """An experiment: its name on the command line, and what it is, for a reader."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...


class Witnessed(Protocol):
    """What came of an experiment: what was done and seen, and the rest, a dataclass."""

    @property
    def steps(self) -> tuple[Step, ...]: ...


E = TypeVar("E", bound=Named)
S = TypeVar("S", bound=Witnessed)


@dataclass(frozen=True)
class Outcome:
    """An experiment on a release: what the model says, what was seen, and how the two compare."""

    bug: str
    experiment: Named
    model: ModelTrace
    seen: Witnessed
    agreement: Agreement


@dataclass(frozen=True)
class Bug(Generic[E, S]):
    """A bug: its experiments, and how they are asked about, done and compared."""

    number: str
    experiments: Sequence[E]
    model_of: Callable[[E, str], ModelTrace]
    perform: Callable[[E, Node], S]
    agreement: Callable[[S, ModelTrace], Agreement]

    def outcomes(self, release: str, node: Node) -> Iterator[Outcome]:
        """Yield what comes of each experiment on a node of a release.

        Raises:
            Failed: RabbitMQ or the model did not come through.
        """
        for experiment in self.experiments:
            model = self.model_of(experiment, release)
            seen = self.perform(experiment, node)
            yield Outcome(self.number, experiment, model, seen, self.agreement(seen, model))


BUGS: tuple[Bug[Any, Any], ...] = (
    Bug(
        "G-E1",
        redeclaring.REDECLARING,
        redeclaring.model_of,
        redeclaring.perform,
        redeclaring.agreement,
    ),
    Bug(
        "G-E2",
        restarting.RESTARTING,
        restarting.model_of,
        restarting.perform,
        restarting.agreement,
    ),
)


def on_release(root: Path | None, console: Console | None) -> list[dict[str, Any]]:
    """Do all experiments on one release, and print each if there is a console.

    Raises:
        Missing: RabbitMQ is not there.
        Failed: RabbitMQ or the model did not come through.
    """
    number = version(root)
    documents = []
    with site(root) as here, Node(here, "r1") as node:
        node.start()
        node.ready()
        if console is not None:
            console.print(f"RabbitMQ {number}, one node\n", markup=False, highlight=False)
        for bug in BUGS:
            for outcome in bug.outcomes(number, node):
                documents.append(as_json(outcome, number))
                if console is not None:
                    show(outcome, console)
    return documents


def right(steps: Sequence[Step]) -> list[str]:
    """Return RabbitMQ's side, a line for each thing that was done or seen."""
    return [f"{'' if step.done else '→ '}{step.text}" for step in steps]


def show(outcome: Outcome, console: Console) -> None:
    """Print one experiment, side by side, and whether the sides agree."""
    table = Table(
        title=f"{outcome.bug}, {outcome.experiment.title}  ({outcome.experiment.name})",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        expand=True,
    )
    table.add_column(f"the model, as {outcome.model.question.era}", ratio=5)
    table.add_column("RabbitMQ  (→ seen)", ratio=6)
    for one, other in zip_longest(left(outcome.model), right(outcome.seen.steps), fillvalue=""):
        table.add_row(one, other)
    console.print(table, markup=False)
    console.print(f"{outcome.agreement}\n", markup=False, highlight=False)


def as_json(outcome: Outcome, number: str) -> dict[str, Any]:
    """Return one experiment for programs."""
    seen: Any = outcome.seen
    model = outcome.model
    return {
        "experiment": outcome.experiment.name,
        "rabbitmq": number,
        "agrees": outcome.agreement.agrees,
        "points": [asdict(point) for point in outcome.agreement.points],
        "observation": asdict(seen),
        "model": {**asdict(model.question), "violated": model.violated, "steps": left(model)},
    }


def main(
    roots: Annotated[
        list[Path] | None, typer.Argument(help="Root directories that make-root has made.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="One document for programs.")] = False,
) -> None:
    """Show two bugs of RabbitMQ, release by release, beside the model's."""

    def work(console: Console | None, progress: Console) -> list[dict[str, Any]]:
        with ended_in_order(), progress.status("asking RabbitMQ and the model"):
            return [d for root in [None, *(roots or [])] for d in on_release(root, console)]

    run(work, as_json=json_)


if __name__ == "__main__":
    typer.run(main)
