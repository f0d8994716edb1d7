"""What an exported program or pytest says of itself, so that it may be written anew."""

from __future__ import annotations

from pathlib import Path

__all__ = ["WRITTEN", "is_export"]

#: A sentence of the docstring of each.
WRITTEN = "Written by `ackproof check --export`."


def is_export(file: Path) -> bool:
    """Tell whether a file was exported, or is empty: nobody loses anything if it is written."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return not text or WRITTEN in text.partition('\n"""\n')[0]
