"""The results of several checks, one line for each.

Checks that were to find something are grouped by design, and each line says what was expected, and
whether that came true; other checks make a plain table, with what was found below it.

Where the instances were looked for, those on which a design changes nothing come in one line.  A
line at the end says what all of them come to.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ackproof.cli.exit_codes import counting
from ackproof.cli.output import Result, finding
from ackproof.cli.page import VERDICT_STYLES, Page, can_draw, print_table
from ackproof.model.museum import claimed
from ackproof.model.report import Report
from ackproof.model.verdict import Verdict

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

__all__ = ["show_cached", "show_expectations", "show_sum", "show_table"]

#: Which verdict is that of all, the first that is there.
_RANKS = (Verdict.VIOLATED, *(v for v in Verdict if v.exit_code == 3), Verdict.VERIFIED)


def show_table(out: Console, results: Sequence[Result], *, verbose: bool = False) -> None:
    """Write one line for each check, or for each that says something; and below what it found."""
    shown = [r for r in results if verbose or not _is_silent(r)]
    if shown:
        print_table(out, _table(shown))
    page = Page(out)
    for result in shown:
        if result.report.verdict is not Verdict.VERIFIED:
            page.hanging("", f"{_where(result)}: {finding(result.report)}")
    for label, same in groupby(filter(_is_silent, results), key=lambda r: r.job.target.label):
        names = [r.job.instance.name for r in same]
        if not verbose:
            page.hanging("", f"{label} is unchanged on {_counted(names)}{', '.join(names)}")
    page.line()


def _counted(names: Sequence[str]) -> str:
    return f"{len(names)} instances: " if len(names) > 1 else ""


def _where(result: Result) -> str:
    return f"{result.job.target.label} on {result.job.instance.name}"


def _is_silent(result: Result) -> bool:
    """Tell whether a design changes nothing on an instance that nobody has named."""
    return bool(result.job.budget) and result.report.verdict is Verdict.UNCHANGED


def _table(results: Sequence[Result]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD if can_draw() else box.ASCII, pad_edge=False)
    for name in ("design", "instance", "verdict"):
        table.add_column(name, no_wrap=True)
    for name in ("states", "time"):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        table.add_row(*_row(result))
    return table


def _row(result: Result) -> list[str | Text]:
    from rich.text import Text

    report = result.report
    verdict = Text(report.verdict.value, VERDICT_STYLES.get(report.verdict, "bold yellow"))
    return [
        result.job.target.label,
        result.job.instance.name,
        verdict,
        f"{report.outcome.states:,}",
        _time(report),
    ]


def _time(report: Report) -> str:
    """Return how long a check took, in parentheses if that was an earlier one."""
    shown = f"{report.seconds:.1f} s"
    return f"({shown})" if report.searched else f"{shown} "


def show_expectations(out: Console, results: Sequence[Result]) -> None:
    """Write what was expected of each design, and whether it came true."""
    page = Page(out)
    wide = max((len(_expected(r)) for r in results), default=0)
    for name, group in groupby(results, key=lambda r: r.job.target.label):
        page.line((name, "bold"))
        for result in group:
            _show_expectation(page, result, wide)
    page.line()


def _expected(result: Result) -> str:
    judgement = result.judgement
    what = result.report.verdict.value if judgement is None else claimed(judgement.expectation)
    return f"{result.job.instance.name:<8} {what}"


def _show_expectation(page: Page, result: Result, wide: int) -> None:
    report, judgement = result.report, result.judgement
    if judgement is None:
        mark = (" ", "")
    else:
        mark = ("✓", "bold green") if judgement.came_true else ("✗", "bold red")
    counts = f"{report.outcome.states:>11,} states {_time(report):>9}"
    page.line("  ", mark, f" {_expected(result):<{wide}}", (counts, "dim"))
    if judgement is not None and not judgement.came_true:
        page.hanging("      ", f"but {judgement.found}", "bold red")


def show_sum(out: Console, results: Sequence[Result]) -> None:
    """Write which instances were left out, and how many expectations came true."""
    page = Page(out)
    for label, note in dict.fromkeys((r.job.target.label, r.job.note) for r in results):
        if note:
            page.wrapped(f"{label}: {note}", "")
    show_cached(page, [r.report for r in results])
    _verdicts(page, results)
    judged = [r.judgement for r in results if r.judgement]
    if judged:
        true = sum(j.came_true for j in judged)
        page.line(f"{true} of {len(judged)} expectations came true")


def _verdicts(page: Page, results: Sequence[Result]) -> None:
    """Write for each design what the instances that were looked for come to."""
    looked = [r for r in results if r.job.budget and not r.judgement]
    for label, group in groupby(looked, key=lambda r: r.job.target.label):
        counted = counting(list(group))
        verdict = min((r.report.verdict for r in counted), key=_RANKS.index)
        names = [r.job.instance.name for r in counted if r.report.verdict is verdict]
        where = names[0] if len(names) == 1 else f"{len(names)} instances"
        style = VERDICT_STYLES.get(verdict, "bold yellow")
        page.line((verdict.value, style), f"  {label} on {where}")


def show_cached(page: Page, reports: Sequence[Report]) -> None:
    """Write how many of several reports were taken from the cache, and of when they are."""
    dates = sorted(r.searched[:10] for r in reports if r.searched)
    if not dates:
        return
    when = dates[0] if dates[0] == dates[-1] else f"between {dates[0]} and {dates[-1]}"
    page.line(
        f"{len(dates)} of {len(reports)} are from the cache, searched on {when}; "
        "times in parentheses are of those searches"
    )
