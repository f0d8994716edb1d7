"""The results of several checks as a table, one line for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ackproof.cli.output import Result, finding
from ackproof.cli.page import VERDICT_STYLES, can_draw, print_table
from ackproof.model.museum import Judgement
from ackproof.model.verdict import Verdict

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["show_table"]


def show_table(out: Console, results: Sequence[Result]) -> None:
    """Write one line for each check."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD if can_draw() else box.ASCII, pad_edge=False)
    judged = any(r.judgement for r in results)
    table.add_column("design")
    table.add_column("instance")
    table.add_column("verdict", no_wrap=True)
    table.add_column("states", justify="right", no_wrap=True)
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("finding", overflow="fold")
    if judged:
        table.add_column("as expected", no_wrap=True)
    for result in results:
        table.add_row(*_row(result, judged=judged))
    print_table(out, table)


def _row(result: Result, *, judged: bool) -> list[str | Text]:
    from rich.text import Text

    report = result.report
    verdict = Text(report.verdict.value, VERDICT_STYLES.get(report.verdict, "bold yellow"))
    short = "" if report.verdict is Verdict.VERIFIED else finding(report)
    row: list[str | Text] = [
        result.job.target.label,
        result.job.instance.name,
        verdict,
        f"{report.outcome.states:,}",
        f"{report.seconds:.1f} s",
        short,
    ]
    if judged:
        row.append(_mark(result.judgement))
    return row


def _mark(judgement: Judgement | None) -> Text:
    from rich.text import Text

    if judgement is None:
        return Text("")
    if judgement.came_true:
        return Text("yes", "green")
    return Text("no", "bold red")
