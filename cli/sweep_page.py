"""What a sweep found, for people: first what breaks, then the table of what was looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ackproof.cli.output import Result, show_result
from ackproof.cli.page import STYLES, Page, can_draw, print_table
from ackproof.cli.targets import Target
from ackproof.model.sweep.looking import Fate
from ackproof.model.sweep.plan import Entry, Row, Sweep
from ackproof.model.sweep.text import as_python, differences

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["show_sweep"]

_TOGETHER = 2

_LEGEND = (
    "growth: steps from where it begins; faults: how many may happen in one run; same: as one "
    "before, or as the base; cut: it has more than {share:,} states; larger: than one that was cut "
    "or is broken, and not begun; left: not begun, as the states were spent, or more"
)


def show_sweep(
    out: Console, target: Target, sweep: Sweep, results: Sequence[Result], *, verbose: bool
) -> None:
    """Write what breaks, each with the instance that shows it, and the table."""
    page = Page(out)
    for result in results:
        show_result(out, result, verbose=verbose)
        page.line()
        page.line("the instance:")
        for line in as_python(sweep.growth, result.job.instance).splitlines():
            page.line(f"  {line}")
        page.line()
    named = f"{target.model.name}, {target.name}" if target.design else target.model.name
    page.line((f"{named}, a sweep of {sweep.budget:,} states", STYLES["title"]))
    _table(out, sweep)
    _bounds(page, sweep, verbose=verbose)
    constraints = [p.name for p in target.model.properties if p.kind == "constraint"]
    if constraints:
        within = f"{' and '.join(constraints)}; what lies beyond was not looked at"
        page.hanging("  within           ", within)
    _list(page, sweep, Fate.BROKEN, "broken")
    if verbose:
        _list(page, sweep, Fate.FINISHED, "finished")
        _list(page, sweep, Fate.CUT, "cut")
    _list(page, sweep, Fate.REFUSED, "refused")
    page.line()
    _verdict(page, sweep)


def _table(out: Console, sweep: Sweep) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD if can_draw() else box.ASCII, pad_edge=False)
    columns = ["growth", "faults", "finished", "same", "cut", "broken", "larger", "left"]
    for name in (*columns, "states"):
        table.add_column(name, justify="right", no_wrap=True)
    faults = len(sweep.growth.faults)
    for row in sweep.rows:
        table.add_row(*_cells(row, faults))
    print_table(out, table)
    out.print()


def _cells(row: Row, faults: int) -> list[str]:
    counts = [row.finished, row.same + row.as_base, row.cut + row.refused, row.broken]
    counts += [row.skipped, row.not_begun, row.states]
    together = "all" if row.faults == faults and faults > _TOGETHER else str(row.faults)
    return [str(row.growth), together, *(f"{n:,}" if n else "" for n in counts)]


def _bounds(page: Page, sweep: Sweep, *, verbose: bool) -> None:
    growth = sweep.growth
    page.wrapped(_LEGEND.format(share=sweep.share), "  ")
    page.line()
    begins = ", ".join(f"{n} {sort}" for sort, n in sweep.start.sizes) or "what there is"
    page.hanging("  it begins with   ", begins)
    for title, names in (
        ("sorts", growth.sorts),
        ("constants", growth.constants),
        ("faults", growth.faults),
    ):
        page.hanging(f"  {title:<16} ", ", ".join(names) if verbose else str(len(names)))
    page.hanging("  looked at whole  ", f"{sweep.whole} growths, from the first on")
    if growth.fixed:
        page.hanging("  left as it is    ", ", ".join(growth.fixed))
    if sweep.senseless:
        page.hanging("  mean nothing     ", f"{sweep.senseless:,} shapes, by the assumptions")
    if sweep.never:
        page.hanging("  never came up    ", ", ".join(sweep.never))


def _list(page: Page, sweep: Sweep, fate: Fate, title: str) -> None:
    entries = sweep.of(fate)
    if entries:
        page.line()
        page.line(f"  {title}:")
    for entry in entries:
        page.hanging(f"    {entry.candidate.name}  ", _said(sweep, entry))


def _said(sweep: Sweep, entry: Entry) -> str:
    found = entry.found
    what = differences(entry.candidate, sweep.growth.faults)
    if found.problem:
        return f"{what}: {found.problem}"
    if found.broken:
        return f"{what}: " + ", ".join(f"{b.property} after {b.steps}" for b in found.broken)
    return f"{what}: {found.states:,} states"


def _verdict(page: Page, sweep: Sweep) -> None:
    finished, broken = len(sweep.of(Fate.FINISHED)), sweep.of(Fate.BROKEN)
    whole = f"{finished:,} instances, {sweep.states:,} states"
    if broken:
        names = dict.fromkeys(b.property for e in broken for b in e.found.broken)
        page.line(("violated", STYLES["wrong"]), f"  {', '.join(names)}")
    elif sweep.interrupted:
        page.line(("interrupted", "bold yellow"), f"  nothing breaks in what was finished: {whole}")
    elif not finished:
        same = " that is not the same as the base" if sweep.of(Fate.AS_BASE) else ""
        page.line(("unreached", "bold yellow"), f"  no instance was finished{same}")
    else:
        page.line(("swept", "bold green"), f"  nothing breaks in what was finished: {whole}")
