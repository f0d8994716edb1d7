"""The answer to a query, and the tables of a search, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ackproof.cli.page import STYLES, Page, can_draw, console, print_table

if TYPE_CHECKING:
    from ackproof.pipeline.tables import Tables

__all__ = ["show_answer", "show_views"]

#: Characters between two columns of a table.
_GAP = 2


def show_views(tables: Tables) -> int:
    """Write which tables there are, with their columns; return the exit code."""
    page, search = Page(console()), tables.search
    design = f", {search.design}" if search.design else ""
    page.line((f"{search.model}{design} on {search.instance}", STYLES["title"]))
    fixed, members = tables.fixed, tables.members()
    for view, columns in tables.columns().items():
        page.line()
        page.line((view, STYLES["action"]))
        shown = {name: of for name, of in columns.items() if view != "states" or name not in fixed}
        width = max(map(len, shown))
        for name, of in shown.items():
            listed = f"  {', '.join(members[name])}" if view == "states" and name in members else ""
            page.line(f"  {name:<{width}}  ", (of, STYLES["head"]), listed)
    if fixed:
        page.line()
        page.wrapped(f"and, the same in all states of this instance: {', '.join(fixed)}", "  ")
    return 0


def show_answer(
    columns: Sequence[Mapping[str, str]], rows: Sequence[Sequence[Any]], *, complete: bool
) -> int:
    """Write rows as a table, or each by itself where a line has no room; return the exit code."""
    out = console()
    page, names = Page(out), [column["name"] for column in columns]
    texts = [[_text(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(names, *texts, strict=True)]
    if sum(widths) + _GAP * len(widths) <= max(out.width, 100) or not rows:
        _table(columns, texts)
    else:
        width = max(map(len, names))
        for number, row in enumerate(texts, start=1):
            page.line((f"row {number}", STYLES["head"]))
            for name, text in zip(names, row, strict=True):
                page.line(f"  {name:<{width}}  ", text)
    if not complete:
        page.line(f"and more: these are the first {len(rows):,}; --limit N shows others")
    return 0


def _table(columns: Sequence[Mapping[str, str]], texts: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD if can_draw() else box.ASCII, pad_edge=False)
    for column in columns:
        right = column["type"] in ("int", "bigint", "double") or column["type"].startswith("dec")
        table.add_column(Text(column["name"]), justify="right" if right else "left", no_wrap=True)
    for row in texts:
        table.add_row(*map(Text, row))
    out = console()
    print_table(Console(highlight=False, width=max(out.width, 120)), table)


def _text(value: Any) -> str:
    """Return a value of a row as text."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k}: {_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)
