"""The kill matrix for people: totals, who notices how much, and what nothing notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackproof.cli.page import STYLES, Page
from ackproof.model.mutation.judging import Fate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackproof.model.mutation.matrix import Entry, Matrix
    from rich.console import Console

__all__ = ["show_matrix"]


def show_matrix(out: Console, matrix: Matrix) -> None:
    """Write what became of mutants; what asks for something to be done is at the end."""
    page = Page(out)
    page.line((f"{matrix.model.name}: {_looked_at(matrix)}", STYLES["title"]))
    page.wrapped(
        "each where it makes a difference, the smallest instance first, and more while they "
        f"have no more than {matrix.states:,} states together",
        "  ",
    )
    page.line()
    _totals(page, matrix)
    _noticed(page, matrix)
    _instances(page, matrix)
    for entry in matrix.open:
        _entry(page, entry, "nothing notices it")
    for entry in matrix.false:
        _entry(page, entry, f"explained, but {entry.verdict.first[0]} notices it")
    for name in matrix.stale:
        page.hanging("  ", f"explained, but there is no such mutant: {name}", STYLES["wrong"])
    _sum(page, matrix)


def _looked_at(matrix: Matrix) -> str:
    found, all_ = len(matrix.entries), len(matrix.mutants)
    return f"{all_:,} mutants" if found == all_ else f"{found:,} of {all_:,} mutants"


def _table(page: Page, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a table that is as narrow as it can be."""
    wide = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    for number, row in enumerate((head, *rows)):
        cells = [row[0].ljust(wide[0]), *(row[k].rjust(wide[k]) for k in range(1, len(row)))]
        page.line(("  ".join(cells), "dim" if number == 0 else ""))
    page.line()


def _totals(page: Page, matrix: Matrix) -> None:
    fates = [fate.value for fate in Fate]
    totals = matrix.totals()
    columns = [*fates, "explained"]
    rows = [
        [place, *(f"{n:,}" for n in (sum(counts[f] for f in fates), *(counts[c] for c in columns)))]
        for place, counts in totals.items()
    ]
    _table(page, ["class", "mutants", *columns], rows)


def _noticed(page: Page, matrix: Matrix) -> None:
    noticed = sorted(
        (n for n in matrix.by_property() if n.at_all), key=lambda n: (-n.at_all, n.name)
    )
    rows = [[n.name, *(f"{k:,}" for k in (n.first, n.at_all, n.alone))] for n in noticed]
    if rows:
        _table(page, ["who notices", "first", "at all", "alone"], rows)


def _instances(page: Page, matrix: Matrix) -> None:
    where = [f"{name} {count}" for name, count in matrix.by_instance() if count]
    if where:
        page.wrapped(f"noticed on {', '.join(where)}", "")
        page.line()


def _entry(page: Page, entry: Entry, said: str) -> None:
    verdict, mutant = entry.verdict, entry.mutant
    page.line((mutant.where, "dim"), f"  {mutant.place.name}")
    page.hanging("    ", mutant.what)
    page.hanging("    ", said, STYLES["wrong"])
    if verdict.other:
        page.hanging("    ", f"other states or steps on {', '.join(verdict.other)}")
    elif verdict.searched:
        page.hanging("    ", f"the base's states on {', '.join(verdict.searched)}")
    page.line()


def _sum(page: Page, matrix: Matrix) -> None:
    fates = [e.verdict.fate for e in matrix.entries]
    counts = ", ".join(f"{fates.count(f):,} {f.value}" for f in Fate if f in fates)
    page.line(counts)
    explained = sum(bool(e.explanation) and not e.is_false for e in matrix.entries)
    page.line(
        f"{explained:,} of those that nothing notices are explained; {len(matrix.open):,} not"
    )
    if matrix.unfinished:
        page.line(f"interrupted: {matrix.unfinished:,} were not looked at")
