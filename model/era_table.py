"""The table of eras as data: a row for each property, a column for each era, and what is expected.

A cell sums up an era's runs on all instances.  A claim *breaks* where any run violates it, and the
cell names the instance where that takes the fewest steps; it *holds* if some run decided that, and
none left it open; it is *vacuous* if no instance has what it takes to break it.  A situation is
*reached*, *never* reached, or vacuous if no instance has what it takes to come there.  `open` says
that a search stopped early, or did not start.

The table is as expected if each expectation of an era came true, and nothing is broken that the era
does not say is.  `document` is the table as JSON, in the versioned format that
`ackproof.model.era_document` describes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
from ackproof.lang.properties import BUILT_IN, CLAIMS, heading_of, stated_by
from ackproof.model.document import Expectation
from ackproof.model.era_document import (
    SCHEMA,
    BrokenOn,
    EraCell,
    EraColumn,
    EraDocument,
    EraRow,
    EraRun,
    Steps,
)
from ackproof.model.eras import Era, Run
from ackproof.model.museum import Judgement, steps
from ackproof.model.trace import Trace, TraceStep

__all__ = ["KINDS", "SCHEMA", "Cell", "EraTable", "Row"]

#: The kinds of properties in the order of the table, each with its heading.
KINDS: dict[str, str] = {kind: heading_of(kind) for kind in CLAIMS} | {"built-in": "built in"}

#: What a cell says if one of the runs says so; what stands first counts more.
_FROM_RUNS = {
    "violated": "breaks",
    "witnessed": "reached",
    "open": "open",
    "holds": "holds",
    "unwitnessed": "never",
}


@dataclass(frozen=True)
class Row:
    """A property: its name, its kind, one of `KINDS`, and what it claims."""

    name: str
    kind: str
    doc: str


@dataclass(frozen=True)
class Cell:
    """What is known of a property in an era.

    Args:
        result: "holds", "breaks", "reached", "never", "vacuous" or "open".
        broken: where it breaks: instances with the least number of steps, the fewest first.
        trace: the shortest counterexample of all.
    """

    result: str
    broken: tuple[tuple[str, int], ...] = ()
    trace: Trace | None = None

    def __str__(self) -> str:
        if not self.broken:
            return "–" if self.result == "vacuous" else self.result
        instance, count = self.broken[0]
        return f"breaks {count} @{instance}"


@dataclass(frozen=True)
class EraTable:
    """The runs of some eras, and what became of their expectations, by era."""

    eras: tuple[Era, ...]
    runs: tuple[Run, ...]
    judgements: Mapping[str, Sequence[Judgement]]

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The properties: those of a kind together, in order of definition."""
        found: dict[str, Row] = {}
        for run in self.runs:
            declared = {p.name: p for p in run.report.bound.properties}
            for name in run.report.results():
                decl = declared.get(name)
                new = Row(decl.function, decl.kind, decl.doc) if decl else None
                found.setdefault(stated_by(name), new or Row(name, "built-in", BUILT_IN[name]))
        kinds = list(KINDS)
        return tuple(sorted(found.values(), key=lambda r: kinds.index(r.kind)))

    def cell(self, name: str, era: Era) -> Cell:
        """Return what is known of the property `name` in an era."""
        return self._cells[era.name, name]

    @cached_property
    def _cells(self) -> dict[tuple[str, str], Cell]:
        results = {(r.era, r.instance): r.report.results() for r in self.runs}
        return {
            (era.name, row.name): self._cell(row.name, era, results)
            for era in self.eras
            for row in self.rows
        }

    def _cell(self, name: str, era: Era, results: Mapping[tuple[str, str], Any]) -> Cell:
        known = any(p.name == name for p in era.model.properties) or name in BUILT_IN
        absent = {name: "open"} if known else {}
        said = {
            word
            for i in era.instances
            for one, word in results.get((era.name, i.name), absent).items()
            if stated_by(one) == name
        }
        result = next((cell for word, cell in _FROM_RUNS.items() if word in said), "vacuous")
        if result != "breaks":
            return Cell(result)
        broken = [r for r in self.runs if r.era == era.name and name in r.violations]
        # Of runs of the same length, the one on the smallest instance shows the least else.
        broken.sort(key=lambda r: (r.violations[name], r.report.outcome.states))
        traces = [t for t in broken[0].report.traces if stated_by(t.property) == name]
        trace = min(traces, key=lambda t: len(t.steps))
        return Cell(result, tuple((r.instance, r.violations[name]) for r in broken), trace)

    def surprises(self, era: Era) -> tuple[str, ...]:
        """Return a sentence for each property that is not as the era says, without saying so."""
        found = []
        for row in self.rows:
            cell = self.cell(row.name, era)
            if cell.broken and row.name not in era.expected_to_break:
                instance, count = cell.broken[0]
                found.append(
                    f"{row.name} breaks on {instance} after {steps(count)}, "
                    "and no expectation says so"
                )
            if cell.result == "never" and era.design is None:
                found.append(f"{row.name} is never reached, and nothing says so")
        return tuple(found)

    @property
    def complete(self) -> bool:
        """Whether every search was made and came to its end, and everything expected was judged."""
        pairs = {(era.name, i.name) for era in self.eras for i in era.instances}
        asked = {era.name: len(era.design.expect) if era.design else 0 for era in self.eras}
        judged = {name: len(self.judgements.get(name, ())) for name in asked}
        return (
            pairs == {(r.era, r.instance) for r in self.runs}
            and all(r.report.outcome.limit is None for r in self.runs)
            and asked == judged
        )

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 as expected, 1 something is not, 3 incomplete."""
        wrong = [j for js in self.judgements.values() for j in js if not j.came_true]
        if any(j.report.outcome.limit is None for j in wrong):
            return 1
        if any(self.surprises(era) for era in self.eras):
            return 1
        return 0 if self.complete and not wrong else 3

    def document(self) -> dict[str, Any]:
        """Return the table as JSON; nothing in it depends on how fast the machine is."""
        found = EraDocument(
            SCHEMA,
            self.exit_code,
            [self._era(era) for era in self.eras],
            [EraRow(r.name, r.kind, r.doc, self._row(r.name)) for r in self.rows],
            [_run(run) for run in self.runs],
        )
        plain: dict[str, Any] = msgspec.to_builtins(found)
        return plain

    def _era(self, era: Era) -> EraColumn:
        return EraColumn(
            era.name,
            era.model.name,
            era.design.claim if era.design else None,
            era.design.source if era.design else None,
            [Expectation(**j.to_json()) for j in self.judgements.get(era.name, ())],
            list(self.surprises(era)),
        )

    def _row(self, name: str) -> list[EraCell]:
        return [_cell(era.name, self.cell(name, era)) for era in self.eras]


def _cell(era: str, cell: Cell) -> EraCell:
    if cell.trace is None:
        return EraCell(era, cell.result)
    run = _steps(cell.trace.steps)
    return EraCell(
        era,
        cell.result,
        broken=[BrokenOn(instance, steps) for instance, steps in cell.broken],
        path=run.path,
        trace=run.trace,
        cycle=None if cell.trace.cycle is None else _steps(cell.trace.cycle),
    )


def _steps(taken: Sequence[TraceStep]) -> Steps:
    return Steps([step.number for step in taken], [step.text for step in taken])


def _run(run: Run) -> EraRun:
    outcome = run.report.outcome
    return EraRun(
        run.era,
        run.instance,
        run.digest,
        outcome.states,
        outcome.levels,
        outcome.limit,
        run.same_as,
        run.report.searched,
    )
