"""Marks of keys: whether the digests of two recordings can be compared.

A body is recorded as a keyed digest.  With another key the same message has another digest, and is
another message.  So a recording says which key it was made with, by a mark from which nobody can
tell the key, unless it can be guessed.  Recordings that others have made need not say it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

__all__ = ["DRAWN", "FIELD", "differing", "key_mark"]

#: What a recording in Parquet calls it, in the metadata of its schema.
FIELD = "key_mark"
#: What stands for a key that was drawn for captures, which nothing else has.
DRAWN = "drawn"

_BYTES = 8


def key_mark(key: bytes) -> str:
    """Return the mark of a key."""
    said = b"the key of a recording"
    return hashlib.blake2b(said, key=key, digest_size=_BYTES).hexdigest()


def differing(marks: Iterable[tuple[str, str]]) -> str:
    """Return what stands against calling messages lost, if keys of recordings differ.

    Args:
        marks: what recordings are called, each with the mark of its key, empty if it has none.

    Returns:
        a message for a user; empty if all keys that are known are the same.
    """
    known = [(name, mark) for name, mark in marks if mark]
    for name, mark in known:
        if mark != known[0][1]:
            return (
                f"--drained: {known[0][0]} and {name} were recorded with different keys, so what "
                "is published in one and delivered in the other would be called lost\n"
                "  instead: record both with the same --key, and give it for captures, too; or "
                "audit each by itself; or leave out --drained"
            )
    return ""
