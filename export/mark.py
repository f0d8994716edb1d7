"""What a file that was written here says of itself, so that it may be written anew."""

from __future__ import annotations

from pathlib import Path

__all__ = ["TRANSLATED", "WRITTEN", "is_export", "is_translation"]

#: A sentence of the docstring of an exported program or pytest.
WRITTEN = "Written by `ackproof check --export`."

#: What a translation says of itself in a comment.
TRANSLATED = "Written by `ackproof translate`."


def is_export(file: Path) -> bool:
    """Tell whether a file was exported, or is empty: nobody loses anything if it is written."""
    text = _text(file)
    return text is not None and (not text or WRITTEN in text.partition('\n"""\n')[0])


def is_translation(file: Path) -> bool:
    """Tell whether a file was translated, or is empty: nobody loses anything if it is written."""
    text = _text(file)
    return text is not None and (not text or TRANSLATED in text)


def _text(file: Path) -> str | None:
    """Return what is in a file, None if that is no text or the file is not there."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
