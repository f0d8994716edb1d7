"""Texts as numbers: two for each text, the same for the same text, and for others hardly ever.

Nobody who chooses texts knows the seed, which is drawn when the process starts, so nobody can
choose two with the same numbers.  Both together have 128 bits.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
from ackproof.conform.judging.compiled import compiled, kept

__all__ = ["joined", "mixed", "number_of", "numbers_of"]

_SEEDS = np.frombuffer(secrets.token_bytes(16), np.uint64)
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_WORD, _BYTE = 8, np.uint64(8)


def number_of(*texts: str) -> int:
    """Return a number that stands for texts in this process; 0 if they are empty."""
    return hash(texts) if any(texts) else 0


def joined(texts: Sequence[str]) -> tuple[Any, Any]:
    """Return where each text ends among the bytes of all, behind a 0, and these bytes."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, encoded), np.int32, len(encoded)), out=ends[1:])
    return ends, np.frombuffer(b"".join(encoded), np.uint8)


def numbers_of(ends: Any, data: Any, before: Any = None) -> Any:
    """Return two rows of numbers for texts, which depend on those of other texts, if given."""
    found = np.empty((2, len(ends) - 1), np.uint64)
    found[:] = _SEEDS[:, None] if before is None else before
    _hash(ends, data, found)
    return found


def mixed(*columns: Any) -> Any:
    """Return a number for each row of columns."""
    found = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        found = (found ^ column.view(np.uint64)) * _FIRST
        found ^= found >> _HALF
    return found.view(np.int64)


@compiled
def _stir(number: Any, word: Any, factor: Any) -> Any:
    number = (number ^ word) * factor
    return number ^ (number >> _HALF)


@kept
def _hash(ends: Any, data: Any, found: Any) -> None:
    for text in range(len(ends) - 1):
        start, end = ends[text], ends[text + 1]
        a, b = found[0, text], found[1, text]
        while start < end:
            word = np.uint64(0)
            for place in range(start, min(start + _WORD, end)):
                word = word << _BYTE | np.uint64(data[place])
            a, b = _stir(a, word, _FIRST), _stir(b, word, _SECOND)
            start += _WORD
        size = np.uint64(end - ends[text])
        found[0, text], found[1, text] = _stir(a, size, _FIRST), _stir(b, size, _SECOND)
