"""Sequence charts, which Graphviz draws when the page is written.

A lane is a column of points under its name, a row of the chart is a rank of them, and an arrow goes
from point to point within its rank.  Arrows that nobody sees keep the lanes in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sphinx.ext.graphviz import graphviz

from specdoc.calls import WIRE, Row

__all__ = ["chart_code", "sequence_chart"]

_STYLE = """\
graph [bgcolor=white, splines=line, nodesep=0.6, ranksep=0.2]
node [fontname=monospace, fontsize=11]
edge [fontname=monospace, fontsize=11, arrowsize=0.7]"""

#: Colours of what a client sees, and of everything else.
_SEEN, _INSIDE = "#2962a8", "#555555"


def sequence_chart(home: str, rows: Sequence[Row], title: str) -> graphviz:
    """Return a chart whose first lane is `home`.

    Args:
        home: the process that the step belongs to.
        rows: the arrows, from top to bottom.
        title: what is said to those who cannot see it.
    """
    return graphviz("", code=chart_code(home, rows), options={}, alt=title, classes=["spec-chart"])


def chart_code(home: str, rows: Sequence[Row]) -> str:
    """Return a chart in the DOT language."""
    lanes = _lanes(home, rows)
    lines = [_STYLE]
    for rank in range(-1, len(rows)):
        points = [_point(lane, rank) for lane in range(len(lanes))]
        lines.append(f"{{rank=same; {' -> '.join(points)} [style=invis]}}")
    for number, name in enumerate(lanes):
        lines += _lane(number, name, len(rows))
    lines += [
        _arrow(rank, row, lanes.index(row.source), lanes.index(row.target))
        for rank, row in enumerate(rows)
    ]
    return "\n".join(["digraph {", *lines, "}"])


def _lanes(home: str, rows: Sequence[Row]) -> list[str]:
    found = {home: None}
    for row in rows:
        found.setdefault(row.source)
        found.setdefault(row.target)
    return [name for name in found if name != WIRE] + [WIRE] * (WIRE in found)


def _point(lane: int, rank: int) -> str:
    return f"p{lane}_{rank + 1}"


def _lane(number: int, name: str, ranks: int) -> Iterator[str]:
    points = [_point(number, rank) for rank in range(-1, ranks)]
    group = f"group={number}"
    yield f'{points[0]} [label="{name}", shape=box, height=0.3, {group}]'
    for point in points[1:]:
        yield f'{point} [label="", shape=point, width=0.01, {group}]'
    for above, below in pairwise(points):
        yield f'{above} -> {below} [style=dotted, arrowhead=none, weight=100, color="#999999"]'


def _arrow(rank: int, row: Row, source: int, target: int) -> str:
    colour = _INSIDE if row.kind == "call" else _SEEN
    style = "dashed" if row.maybe else "solid"
    return (
        f"{_point(source, rank)} -> {_point(target, rank)} "
        f'[label="{_label(row)}", style={style}, color="{colour}", constraint=false]'
    )


def _label(row: Row) -> str:
    prefix = f"each {row.each}: " if row.each else ""
    return f"{prefix}{row.label}{' ?' if row.maybe else ''}"
