"""Diagnostics: what the front end says about source that is outside the language.

A diagnostic has a place (file, line, column, the line itself), says what is wrong, and says what to
write instead.  Tests compare the text letter by letter.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ackproof.lang.ir import Span


__all__ = ["BindError", "SpecError", "close_to"]


class SpecError(Exception):
    """A specification that the front end rejects.

    Args:
        span: where.
        problem: what is wrong, in one sentence without a final stop.
        instead: what to write instead.
    """

    def __init__(self, span: Span, problem: str, instead: str) -> None:
        # All of them: processes send it to each other.
        super().__init__(span, problem, instead)
        self.span = span
        self.problem = problem
        self.instead = instead

    def __str__(self) -> str:
        s = self.span
        number = str(s.line)
        gutter = " " * len(number)
        width = max(1, s.end_column - s.column)
        return (
            f"{s.file}:{s.line}:{s.column}: {self.problem}\n"
            f"  {number} | {s.text}\n"
            f"  {gutter} | {' ' * (s.column - 1)}{'^' * width}\n"
            f"  instead: {self.instead}"
        )


class BindError(Exception):
    """An instance or design that does not fit its model; the text says where and what to do."""


def close_to(name: str, known: Iterable[str]) -> str | None:
    """Return the name that was probably meant, if one is close enough."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.7)
    return close[0] if close else None
