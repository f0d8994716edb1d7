"""A counterexample as a sequence diagram, before it is drawn in one language or another.

A *column* is a process, as in the listing on a terminal; the last column is the client, if it sees
anything.  A *row* is a step: who acts, whom else it changes, what the client sees of it, and what
is different afterwards.  A run that goes on for ever has the rows of its cycle apart.
"""

from __future__ import annotations

from dataclasses import dataclass

from ackproof.model.lanes import Lane, Lanes
from ackproof.model.listing import ending, opening
from ackproof.model.trace import Trace, TraceStep

__all__ = ["Diagram", "Row", "diagram"]

#: What the column of the client is called.
CLIENT = "client"


@dataclass(frozen=True)
class Row:
    """A step of a diagram.

    Args:
        home: the column of the process that acts.
        others: the columns of those that it changes besides.
        fault: whether something goes wrong in it.
        fails: whether it fails, and so has no end.
        events: what the client sees, in order.
        changes: what is different then, a line each, with the column it belongs to.
    """

    number: int
    text: str
    home: int
    others: tuple[int, ...]
    fault: bool
    fails: bool
    events: tuple[str, ...]
    changes: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Diagram:
    """A sequence diagram.

    Args:
        title: what it shows, in a line.
        columns: the names of the processes, and of the client if `client` is not None.
        opening: with what a run begins, in words; empty if there is no choice.
        again: the steps that go on for ever after `rows`.
        ending: how a run goes on for ever, in words; empty if it ends.
    """

    title: str
    columns: tuple[str, ...]
    client: int | None
    opening: str
    rows: tuple[Row, ...]
    again: tuple[Row, ...]
    ending: str


def diagram(trace: Trace, name: str) -> Diagram:
    """Return a counterexample as a diagram; `name` is what the design or the model is called."""
    lanes = Lanes(trace.bound)
    steps = (*trace.steps, *(trace.cycle or ()))
    touched = {s.home for s in steps} | {c.lane for s in steps for c in s.changes}
    shown = [lane for lane in lanes.all if lane in touched] or list(lanes.all)
    names = [lane.title(lanes.root) for lane in shown]
    client = len(names) if any(step.events for step in steps) else None
    rows = tuple(_row(number, step, shown) for number, step in enumerate(steps, start=1))
    cut = len(trace.steps)
    return Diagram(
        title=f"{trace.property}, {name} on {trace.bound.instance.name}",
        columns=(*names, *([CLIENT] if client is not None else [])),
        client=client,
        opening=opening(trace),
        rows=rows[:cut],
        again=rows[cut:],
        ending="" if trace.cycle is None else ending(trace),
    )


def _row(number: int, step: TraceStep, shown: list[Lane]) -> Row:
    home = shown.index(step.home)
    touched = {shown.index(change.lane) for change in step.changes}
    return Row(
        number=number,
        text=step.text,
        home=home,
        others=tuple(sorted(touched - {home})),
        fault=step.instance.action.kind == "fault",
        fails=step.after is None,
        events=tuple(map(str, step.events)),
        changes=tuple((shown.index(c.lane), line) for c in step.changes for line in c.lines),
    )
