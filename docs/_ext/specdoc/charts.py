"""Sequence charts as SVG, without any program but this one.

Lanes are columns, rows are arrows from top to bottom.  Colours come from the page's own variables
and lines from its text colour, so charts follow a dark theme; text is real text, so it is found
by a search and read aloud.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from specdoc.calls import WIRE, Row

__all__ = ["sequence_chart"]

_CHAR = 7.3  # width of a character in pixels, at the font size below
_ROW = 30
_HEAD = 34
_PAD = 14


def sequence_chart(home: str, rows: Sequence[Row], title: str) -> str:
    """Return a chart whose first lane is `home`; empty if nothing is called.

    Args:
        home: the process that the step belongs to.
        rows: the arrows, from top to bottom.
        title: what is said to those who cannot see it.
    """
    if not rows:
        return ""
    lanes = _lanes(home, rows)
    centres = _centres(lanes, rows)
    width = centres[-1] + _half(lanes[-1]) + _overhang(lanes, rows) + _PAD
    height = _HEAD + _ROW * len(rows) + _PAD
    parts = [
        f'<svg class="spec-chart" role="img" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}" xmlns="http://www.w3.org/2000/svg">',
        f"<title>{escape(title)}</title>",
    ]
    for name, x in zip(lanes, centres, strict=True):
        parts += _lane(name, x, height)
    for number, row in enumerate(rows):
        y = _HEAD + _ROW * number + _ROW - 8
        parts += _arrow(row, centres[lanes.index(row.source)], centres[lanes.index(row.target)], y)
    return "\n".join([*parts, "</svg>"])


def _lanes(home: str, rows: Sequence[Row]) -> list[str]:
    found = {home: None}
    for row in rows:
        found.setdefault(row.source)
        found.setdefault(row.target)
    return [name for name in found if name != WIRE] + [WIRE] * (WIRE in found)


def _half(name: str) -> float:
    return len(name) * _CHAR / 2 + 10


def _label(row: Row) -> str:
    prefix = f"each {row.each}: " if row.each else ""
    return f"{prefix}{row.label}{' ?' if row.maybe else ''}"


def _centres(lanes: Sequence[str], rows: Sequence[Row]) -> list[float]:
    """Place the lanes so that every label fits between the lanes its arrow joins."""
    centres = [_PAD + _half(lanes[0])]
    for right in range(1, len(lanes)):
        x = centres[-1] + _half(lanes[right - 1]) + _half(lanes[right]) + 8
        for row in rows:
            ends = sorted((lanes.index(row.source), lanes.index(row.target)))
            need = len(_label(row)) * _CHAR + 24
            if ends[1] == right and ends[0] < right:
                x = max(x, centres[ends[0]] + need)
            elif ends == [right - 1, right - 1]:
                x = max(x, centres[right - 1] + need + 30)
        centres.append(x)
    return centres


def _overhang(lanes: Sequence[str], rows: Sequence[Row]) -> float:
    """Return the room that a loop on the last lane needs to its right."""
    own = [
        len(_label(r)) * _CHAR + 40 - _half(lanes[-1])
        for r in rows
        if r.source == r.target == lanes[-1]
    ]
    return max([0.0, *own])


def _lane(name: str, x: float, height: int) -> list[str]:
    half = _half(name)
    kind = "wire" if name == WIRE else "lane"
    return [
        f'<line class="spec-life" x1="{x:.1f}" y1="26" x2="{x:.1f}" y2="{height - 4}"/>',
        f'<rect class="spec-{kind}" x="{x - half:.1f}" y="2" width="{2 * half:.1f}" height="24" '
        'rx="4"/>',
        f'<text class="spec-name" x="{x:.1f}" y="18" text-anchor="middle">{escape(name)}</text>',
    ]


def _arrow(row: Row, x1: float, x2: float, y: float) -> list[str]:
    style = f"spec-arrow spec-{row.kind}{' spec-maybe' if row.maybe else ''}"
    label = escape(_label(row))
    if x1 == x2:
        path = f"M {x1:.1f} {y - 12} h 22 v 12 h -18"
        return [
            f'<path class="{style}" d="{path}"/>',
            _tip(x1 + 2, y, left=True, kind=row.kind),
            f'<text class="spec-label-text" x="{x1 + 28:.1f}" y="{y - 2}">{label}</text>',
        ]
    left = x2 < x1
    end = x2 + (6 if left else -6)
    return [
        f'<line class="{style}" x1="{x1:.1f}" y1="{y}" x2="{end:.1f}" y2="{y}"/>',
        _tip(x2, y, left=left, kind=row.kind),
        f'<text class="spec-label-text" x="{(x1 + x2) / 2:.1f}" y="{y - 5}" '
        f'text-anchor="middle">{label}</text>',
    ]


def _tip(x: float, y: float, *, left: bool, kind: str) -> str:
    back = x + (8 if left else -8)
    return (
        f'<path class="spec-tip spec-{kind}" '
        f'd="M {x:.1f} {y} L {back:.1f} {y - 4} L {back:.1f} {y + 4} Z"/>'
    )
