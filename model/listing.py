"""A counterexample as a message-sequence listing: one column for each process, one row for a step.

             channel   queues[q1]   wire
                │          │         │
     1  publish(msg=1, targets={q1})
                ●──────────○         │
                   channel.unconfirmed[1]  +q1
     2  flush()
                ●──────────┼────────▶│  Ack(tag=1, multiple=False)

`●` marks the process that the step belongs to (`✗` if it is a fault), `○` another whose state it
changed; an arrow to the wire is something a client sees.  Below, only what the step changed.  Where
there is room, actions and changes stand beside the columns instead of between them.

Where a run may begin in several states, the first line says what was chosen.  A run that breaks a
property of runs goes on for ever: below its steps stands that it stays where it
is, or what happens over and over.

The result is lines of styled pieces, so that a terminal can colour what a file shows plainly.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from ackproof.lang import ir
from ackproof.model.changes import Change
from ackproof.model.lanes import Lane, Lanes, short_titles
from ackproof.model.trace import Trace, TraceStep

__all__ = ["Line", "Piece", "ending", "legend", "listing", "opening", "plain", "single"]


@dataclass(frozen=True)
class Piece:
    """A piece of text and what it is: "", "head", "action", "fault", "change", "ghost", "event"."""

    text: str
    style: str = ""


Line = tuple[Piece, ...]

#: Columns left of the lanes: the number of the step.
_MARGIN = 5

#: Columns that actions and changes need to stand beside the lanes.
_BESIDE = 46


def plain(lines: list[Line]) -> list[str]:
    """Return lines without their styles."""
    return ["".join(p.text for p in line).rstrip() for line in lines]


def listing(trace: Trace, width: int) -> list[Line]:
    """Return the steps of a trace as lines of at most `width` columns (80 or more)."""
    chart = _Chart(trace, width)
    lines = [*_beginning(trace, width), *chart.header()]
    for number, step in enumerate(trace.steps, start=1):
        lines += chart.step(number, step)
    if trace.cycle is not None:
        lines.append((Piece(f"     {ending(trace)}", "head"),))
    for number, step in enumerate(trace.cycle or (), start=len(trace.steps) + 1):
        lines += chart.step(number, step)
    return [_trimmed(line) for line in lines]


def single(trace: Trace, number: int, width: int) -> list[Line]:
    """Return one step of a trace, counted from 1, under the columns of the whole trace."""
    chart = _Chart(trace, width)
    return [
        _trimmed(line) for line in [*chart.header(), *chart.step(number, trace.steps[number - 1])]
    ]


def _beginning(trace: Trace, width: int) -> Iterator[Line]:
    """Yield what was chosen to begin with, where there is a choice."""
    text = opening(trace)
    if text:
        for part in _wrap(text, width - _MARGIN, "    "):
            yield (Piece(" " * _MARGIN), Piece(part, "change"))
        yield (Piece(""),)


def opening(trace: Trace) -> str:
    """Return with what a run begins, in words; empty if there is no choice."""
    chosen = ", ".join(map(str, trace.beginning))
    return f"at first {chosen}" if chosen else ""


def ending(trace: Trace) -> str:
    """Return how a run that breaks a property of runs goes on for ever, in words."""
    assert trace.cycle is not None
    if trace.cycle:
        return "and from there for ever:" if trace.steps else "for ever:"
    return "and there it stays: nothing is enabled that must happen"


def legend(lines: list[Line]) -> str:
    """Return what the marks in a listing mean, those that occur in it."""
    text = "\n".join(plain(lines))
    marks = {
        "●": "● the process that acts",
        "✗": "✗ the one that fails",
        "○": "○ another that changes",
        "▶": "▶ what a client sees",
    }
    found = [meaning for mark, meaning in marks.items() if mark in text]
    element = re.search(r"  [+−](\S+)( [+−]\S+)*$", text, re.MULTILINE)
    if element:
        found.append(
            f"+{element[1]} a set gets the element {element[1]}, −{element[1]} it loses it"
        )
    return "; ".join(found)


def _trimmed(line: Line) -> Line:
    *before, last = line
    return (*before, Piece(last.text.rstrip(), last.style))


class _Chart:
    """The columns of one listing, and the rows drawn in them."""

    def __init__(self, trace: Trace, width: int) -> None:
        lanes = Lanes(trace.bound)
        self.width = width
        self.lanes = _shown(lanes, trace)
        titles = [lane.title(lanes.root) for lane in self.lanes]
        if _total(titles) > width:
            titles = short_titles(self.lanes, lanes.root)
        if _total(titles) > width:
            room = max(3, (width - _MARGIN - 8) // len(titles) - 2)
            titles = [t if len(t) <= room else t[: room - 1] + "…" for t in titles]
        self.titles = [*titles, "wire"] if _emits(trace) else titles
        self.centres = _centres(self.titles)
        self.wire = self.centres[-1]
        self.end = self.wire + 4
        self.beside = width - self.end >= _BESIDE

    def header(self) -> list[Line]:
        """Return the titles and the beginnings of the columns."""
        row = [" "] * (self.end + 1)
        for title, centre in zip(self.titles, self.centres, strict=True):
            start = centre - (len(title) - 1) // 2
            row[start : start + len(title)] = title
        return [(Piece("".join(row), "head"),), (Piece(self.bars()),)]

    def bars(self) -> str:
        """Return the columns with nothing happening."""
        row = [" "] * (self.end + 1)
        for centre in self.centres:
            row[centre] = "│"
        return "".join(row)

    def step(self, number: int, step: TraceStep) -> list[Line]:
        """Return the rows of one step."""
        fault = step.instance.action.kind == "fault"
        action = Piece(step.text, "fault" if fault else "action")
        failing = " and fails" if step.after is None else ""
        acts = self.act(step)
        head = f"{number:>3}"
        if self.beside:
            first: Line = (Piece(head, "head"), Piece(acts[len(head) :]))
            return self._aside(first, step, action, failing)
        lines: list[Line] = []
        for part in _wrap(action.text + failing, self.width - _MARGIN, "    "):
            lines.append((Piece(f"{head}  ", "head"), Piece(part, action.style)))
            head = " " * len(head)
        return [*lines, (Piece(acts),), *self.events(step), *self._below(step)]

    def act(self, step: TraceStep) -> str:
        """Return the row that marks who acts and whose state changes."""
        row = list(self.bars())
        touched = {self.at(step.home), *(self.at(c.lane) for c in step.changes)}
        for at in range(min(touched), max(touched) + 1):
            row[at] = "┼" if row[at] == "│" else "─"
        for at in touched:
            row[at] = "○"
        row[self.at(step.home)] = "✗" if step.instance.action.kind == "fault" else "●"
        return "".join(row)

    def at(self, lane: Lane) -> int:
        """Return the column of a lane."""
        return self.centres[self.lanes.index(lane)]

    def events(self, step: TraceStep) -> list[Line]:
        """Return an arrow to the wire for each event."""
        row = list(self.bars())
        for at in range(self.at(step.home), self.wire):
            row[at] = "┼" if row[at] == "│" else "─"
        row[self.at(step.home)] = "├"
        row[self.wire - 1] = "▶"
        arrow = "".join(row) if self.beside else "".join(row).rstrip()
        lines: list[Line] = []
        for event in map(str, step.events):
            if len(arrow) + 2 + len(event) <= self.width:
                lines.append((Piece(arrow), Piece(f"  {event}", "event")))
            else:
                lines.append((Piece(arrow),))
                lines += [
                    (Piece(" " * 9), Piece(part, "event"))
                    for part in _wrap(event, self.width - 9, "    ")
                ]
        return lines

    def _below(self, step: TraceStep) -> Iterator[Line]:
        for change in step.changes:
            for text, style in _texts(change):
                for part in _wrap(text, self.width - 9, "    "):
                    yield Piece(" " * 9), Piece(part, style)

    def _aside(self, first: Line, step: TraceStep, action: Piece, failing: str) -> list[Line]:
        room = self.width - self.end - 1
        texts = [Piece(t, action.style) for t in _wrap(action.text + failing, room, "    ")]
        lines: list[Line] = [(*first, texts[0])]
        lines += [(Piece(self.bars()), t) for t in texts[1:]]
        lines += self.events(step)
        for change in step.changes:
            for text, style in _texts(change):
                lines += [
                    (Piece(self.bars() + "  "), Piece(part, style))
                    for part in _wrap(text, room - 2, "    ")
                ]
        return lines


def _texts(change: Change) -> Iterator[tuple[str, str]]:
    for line in change.lines:
        yield (line, "ghost") if change.ghost else (line, "change")


def _wrap(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _emits(trace: Trace) -> bool:
    """Tell whether a client of this system can see anything at all."""
    return any(
        isinstance(node, ir.Emit)
        for action in trace.bound.program.actions
        for statement in action.body
        for node in ir.walk(statement)
    )


def _shown(lanes: Lanes, trace: Trace) -> list[Lane]:
    """Return the lanes to draw: those in which something happens in this run."""
    steps = (*trace.steps, *(trace.cycle or ()))
    touched = {s.home for s in steps} | {c.lane for s in steps for c in s.changes}
    kept = [lane for lane in lanes.all if lane in touched]
    return kept or list(lanes.all)


def _centres(titles: list[str]) -> list[int]:
    centres, left = [], _MARGIN
    for title in titles:
        centres.append(left + (len(title) - 1) // 2)
        left += len(title) + 2
    return centres


def _total(titles: list[str]) -> int:
    return _MARGIN + sum(len(t) + 2 for t in [*titles, "wire"])
