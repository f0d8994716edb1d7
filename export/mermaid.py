"""A counterexample as a Mermaid sequence diagram, which many wikis and forges draw.

A step is an arrow from the process that acts to each that it changes besides, or to itself if that
is all; a fault has a cross for a head.  What the client sees comes as a dotted arrow.  What is
different afterwards stands in a note over its process.

Mermaid reads `;` and `#` as its own, and ends a text at the line, so these are written as entities.
"""

from __future__ import annotations

from collections.abc import Iterator

from ackproof.export.sequence import Diagram, Row

__all__ = ["mermaid"]

_ENTITIES = {"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;"}
_ESCAPED = str.maketrans(_ENTITIES)


def mermaid(diagram: Diagram) -> str:
    """Return a diagram as the text of a file."""
    return "\n".join(_lines(diagram)) + "\n"


def _lines(diagram: Diagram) -> Iterator[str]:
    yield "sequenceDiagram"
    yield f"  %% {' '.join(diagram.title.split())}"
    for number, name in enumerate(diagram.columns):
        kind = "actor" if number == diagram.client else "participant"
        yield f"  {kind} {_column(number)} as {_text(name)}"
    last = len(diagram.columns) - 1
    over = _column(0) if not last else f"{_column(0)},{_column(last)}"
    if diagram.opening:
        yield f"  Note over {over}: {_text(diagram.opening)}"
    for row in diagram.rows:
        yield from _row(row, diagram.client)
    if diagram.again:
        yield "  loop for ever"
        for row in diagram.again:
            yield from _row(row, diagram.client)
        yield "  end"
    elif diagram.ending:
        yield f"  Note over {over}: {_text(diagram.ending)}"


def _row(row: Row, client: int | None) -> Iterator[str]:
    arrow = "-x" if row.fault else "->>"
    text = f"{row.number}. {_text(row.text)}{' and fails' if row.fails else ''}"
    home = _column(row.home)
    for other in row.others or (row.home,):
        yield f"  {home}{arrow}{_column(other)}: {text}"
        text = f"{row.number}."
    for event in row.events:
        assert client is not None
        yield f"  {home}-->>{_column(client)}: {_text(event)}"
    for column in dict.fromkeys(at for at, _ in row.changes):
        lines = "<br/>".join(_text(line) for at, line in row.changes if at == column)
        yield f"  Note over {_column(column)}: {lines}"


def _column(number: int) -> str:
    return f"p{number}"


def _text(text: str) -> str:
    return text.translate(_ESCAPED)
