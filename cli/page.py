"""The page that results are written on: lines of styled pieces, and tables.

A terminal shows the styles, a file or a pipe gets the same text without them, and an output that
has no box characters gets ASCII for them.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ackproof.model.verdict import Verdict

if TYPE_CHECKING:
    from ackproof.model.listing import Line
    from rich.console import Console
    from rich.table import Table

__all__ = ["STYLES", "VERDICT_STYLES", "Page", "can_draw", "console", "print_table"]

STYLES = {
    "head": "dim",
    "action": "bold",
    "fault": "bold red",
    "change": "",
    "ghost": "dim",
    "event": "cyan",
    "wrong": "bold red",
    "title": "bold",
}
VERDICT_STYLES = {Verdict.VERIFIED: "bold green", Verdict.VIOLATED: "bold red"}

#: What stands for box characters where the output cannot show them.
_ASCII = str.maketrans(
    {
        "│": "|",
        "×": "x",
        "─": "-",
        "┼": "+",
        "├": "+",
        "●": "@",
        "○": "o",
        "✗": "X",
        "▶": ">",
        "→": ">",
        "−": "-",
        "…": ".",
        "·": "-",
        "—": "-",
        "✓": "+",
    }
)


def console() -> Console:
    """Return where results go."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


class Page:
    """Writes lines of text to a console."""

    def __init__(self, out: Console) -> None:
        self.out = out
        self.plain = not can_draw()
        #: Whether the marks of a listing have been explained on this page.
        self.explained = False

    def line(self, *parts: tuple[str, str] | str) -> None:
        """Write a line of pieces, each with a style."""
        from rich.text import Text

        text = Text()
        for part in parts:
            piece, style = (part, "") if isinstance(part, str) else part
            text.append(piece.translate(_ASCII) if self.plain else piece, style or None)
        self.out.print(text)

    def wrapped(self, text: str, indent: str, style: str = "") -> None:
        """Write text in as many lines as it needs."""
        width = max(self.out.width, 40)
        for line in textwrap.wrap(
            text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        ):
            self.line((line, style))

    def hanging(self, first: str, text: str, style: str = "", end: str = "") -> None:
        """Write text behind `first`; further lines stand below it, a little further in."""
        indent = " " * (len(first) + 2)
        room = max(self.out.width, 60)
        lines = textwrap.wrap(
            text + end,
            room,
            initial_indent=" " * len(first),
            subsequent_indent=indent,
            break_on_hyphens=False,
            break_long_words=False,
        )
        for number, line in enumerate(lines):
            shown = line[len(first) :] if number == 0 else line.strip()
            tail = end if number == len(lines) - 1 and shown.endswith(end) else ""
            body = shown[: len(shown) - len(tail)]
            self.line(first if number == 0 else indent, (body, style), tail)

    def drawn(self, lines: Iterable[Line]) -> None:
        """Write the lines of a listing."""
        for line in lines:
            self.line(*((p.text, STYLES.get(p.style, "")) for p in line))


def can_draw() -> bool:
    """Tell whether the output has characters to draw with."""
    try:
        "│●▶→−✓".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def print_table(out: Console, table: Table) -> None:
    """Print a table without the blanks that fill its last column."""
    with out.capture() as capture:
        out.print(table)
    lines = capture.get().splitlines()
    out.file.write("\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n")
