"""The table of eras, for people: the table, the counterexamples in a line each, and what is wrong.

A line of a counterexample has the steps by name only; the last line says which command shows one
in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ackproof.cli.page import Page, can_draw, print_table
from ackproof.model.era_table import KINDS, Cell, EraTable, Row
from ackproof.model.eras import Era
from ackproof.model.museum import describe, steps
from ackproof.model.trace import Trace, TraceStep

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

__all__ = ["show_eras"]

_STYLES = {
    "holds": "green",
    "reached": "green",
    "breaks": "bold red",
    "never": "bold yellow",
    "open": "bold yellow",
    "vacuous": "dim",
}


def show_eras(out: Console, table: EraTable) -> None:
    """Write the table and what belongs to it."""
    drawn = _drawn(table)
    # Where nobody sees the edge of a window, no cell has to be cut.
    natural = out.measure(drawn, options=out.options.update(max_width=1000)).maximum
    width = out.width
    out.width = width if out.is_terminal else max(width, natural)
    print_table(out, drawn)
    out.width = width
    page = Page(out)
    page.line()
    _counterexamples(page, table)
    _unexpected(page, table)
    _sum(page, table)


def _drawn(table: EraTable) -> Table:
    from rich import box
    from rich.table import Table

    drawn = Table(box=box.SIMPLE_HEAD if can_draw() else box.ASCII, pad_edge=False)
    drawn.add_column("property", no_wrap=True)
    for era in table.eras:
        drawn.add_column(_folded(era.name), overflow="fold")
    for kind, heading in KINDS.items():
        rows = [row for row in table.rows if row.kind == kind]
        if rows:
            drawn.add_row(_styled(heading, "dim"))
        for row in rows:
            drawn.add_row(
                f"  {row.name}", *(_shown(table.cell(row.name, era)) for era in table.eras)
            )
    return drawn


def _folded(name: str) -> str:
    """Return a name on two lines where that makes its column narrower: `rabbitmq_` and `3_9`."""
    first, bar, rest = name.partition("_")
    return f"{first}{bar}\n{rest}" if bar else name


def _shown(cell: Cell) -> Text:
    return _styled(str(cell).replace(" @", "\n@"), _STYLES[cell.result])


def _styled(text: str, style: str) -> Text:
    from rich.text import Text

    # An output that has no dashes gets a hyphen; nothing else in a cell is out of ASCII.
    return Text(text if can_draw() else text.replace("–", "-"), style)


def _broken(table: EraTable) -> Iterator[tuple[Era, Row, Cell]]:
    for era in table.eras:
        for row in table.rows:
            cell = table.cell(row.name, era)
            if cell.broken:
                yield era, row, cell


def _counterexamples(page: Page, table: EraTable) -> None:
    """Write a line for each broken cell, and how to see more of it."""
    example = ""
    for era, row, cell in _broken(table):
        instance, count = cell.broken[0]
        assert cell.trace is not None
        said = f"{era.name}: {row.name} breaks on {instance} after {steps(count)}: "
        page.hanging("", said + _path(cell.trace))
        if era.design is not None:
            example = f"ackproof check {era.name} --property {row.name} --instance {instance}"
    if example:
        page.line()
        page.line("to see one in full: ", (example, "bold"))
    page.line()


def _path(trace: Trace) -> str:
    """Return the steps of a counterexample by name, and what happens for ever after them."""
    path = _names(trace.steps) or "from the start"
    if trace.cycle is None:
        return path
    return path + (f"; then for ever {_names(trace.cycle)}" if trace.cycle else "; there it stays")


def _names(taken: Sequence[TraceStep]) -> str:
    return ", ".join(step.instance.action.name for step in taken)


def _unexpected(page: Page, table: EraTable) -> None:
    found = [
        (era.name, f"{describe(j.expectation)}, but {j.found}")
        for era in table.eras
        for j in table.judgements.get(era.name, ())
        if not j.came_true
    ]
    found += [(era.name, text) for era in table.eras for text in table.surprises(era)]
    for name, text in found:
        page.hanging("✗ ", f"{name}: {text}", "bold red")
    if found:
        page.line()


def _sum(page: Page, table: EraTable) -> None:
    judged = [j for js in table.judgements.values() for j in js]
    shared = sum(run.same_as is not None for run in table.runs)
    states = sum(run.report.outcome.states for run in table.runs if run.same_as is None)
    page.line(
        f"{len(table.runs)} runs, {shared} of them the same search as another's; "
        f"{states:,} states were searched"
    )
    kept = sum(run.report.searched is not None for run in table.runs)
    if kept:
        page.line(f"{kept} runs are from the cache; --no-cache searches anew")
    page.line(f"{sum(j.came_true for j in judged)} of {len(judged)} expectations came true")
    if not table.complete:
        page.line(("incomplete", "bold yellow"), "  a search stopped early, or was not made")
