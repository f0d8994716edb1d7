"""Tables for a terminal of what searches on Spark cost, and how a cost grows with the size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

__all__ = ["growth", "show", "totals"]

#: The tables do not fit into less.
_WIDTH = 132

_HEADS = (
    "states generated levels local_s us/state Spark_s us/state times start cand shuf_B disk_B MB"
)


def growth(cases: Sequence[dict[str, Any]]) -> list[tuple[str, str, float, float]]:
    """Return how the cost of a state on Spark grows from each size of a model to the next.

    Args:
        cases: as `Pair.document` returns them.

    Returns:
        The names of the two cases, how many times the states, and how many times the cost of one.
    """
    found = []
    for smaller, larger in pairwise(cases):
        if smaller["model"] == larger["model"]:
            more = larger["states"] / smaller["states"]
            cost = _each(larger, "spark") / _each(smaller, "spark")
            found.append((smaller["name"], larger["name"], more, cost))
    return found


def _each(case: dict[str, Any], engine: str) -> float:
    """Return microseconds by distinct states."""
    return float(case[engine]["search"] / case["states"] * 1e6)


def cells(case: dict[str, Any]) -> list[str]:
    """Return the row of a case in the table."""
    states, local, spark = case["states"], case["local"], case["spark"]
    kept = spark["kept"]
    return [
        f"{states:,}",
        f"{case['generated']:,}",
        str(case["levels"]),
        f"{local['search']:.2f}",
        f"{_each(case, 'local'):.2f}",
        f"{spark['search']:.2f}",
        f"{_each(case, 'spark'):.2f}",
        f"{spark['search'] / local['search']:.1f}",
        f"{spark['start']:.1f}",
        f"{kept['candidates'] / states:.2f}",
        f"{kept['shuffled'] / states:.0f}",
        f"{kept['stored'] / states:.0f}",
        f"{spark['peak'] / 1e6:.0f} ({spark['java'] / 1e6:.0f})",
    ]


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for i, head in enumerate(heads):
        table.add_column(head, justify="right" if i else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def show(document: dict[str, Any], console: Console) -> None:
    """Print a measurement."""
    console.width = max(console.width, _WIDTH)
    cases = document["cases"]
    heads = ["", *(head.replace("_", " ") for head in _HEADS.split())]
    console.print(_table("Spark and the kernel", heads, [[c["name"], *cells(c)] for c in cases]))
    for smaller, larger, more, cost in growth(cases):
        console.print(
            f"from {smaller} to {larger}: {more:.1f} times the states, and a state costs "
            f"{cost:.2f} times as much"
        )
    largest = max(cases, key=lambda c: c["states"])
    rows = [
        [str(level), f"{states:,}", f"{seconds:.2f}", _per(seconds, states)]
        for level, (states, seconds) in enumerate(largest["table"], start=1)
    ]
    console.print()
    heads = ["level", "states", "s", "us/state"]
    console.print(_table(f"the levels of {largest['name']}", heads, rows))
    _show_seen(document["seen"], console)


def _per(seconds: float, states: int) -> str:
    return f"{seconds / states * 1e6:.1f}" if states else "-"


def _show_seen(measured: dict[str, Any], console: Console) -> None:
    rows = [
        [str(r["level"]), f"{r['candidates']:,}", f"{r['new']:,}", f"{r['seen']:,}", *_ways(r)]
        for r in measured["levels"]
    ]
    rows.append(["all", "", "", "", *_ways(totals(measured["levels"]))])
    heads = ["level", "candidates", "new", "seen", *(f"{w} s/MB" for w in WAYS)]
    console.print()
    console.print(_table(f"which states of {measured['case']} are new", heads, rows))


WAYS = ("runs", "scan", "filter")


def totals(levels: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return what each way costs on all levels together."""
    return {
        way: {key: sum(row[way][key] for row in levels) for key in ("seconds", "read")}
        for way in WAYS
    }


def _ways(row: dict[str, Any]) -> list[str]:
    return [f"{row[way]['seconds']:.3f} {row[way]['read'] / 1e6:7.1f}" for way in WAYS]
