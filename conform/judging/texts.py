"""Texts as numbers: two for each text, the same for the same text, and for others hardly ever.

Whoever chooses texts does not know the seed, so nobody can choose two with the same numbers.  Both
numbers together have 128 bits.  A process draws a seed when it starts; those that are to have the
same numbers for the same texts are given one (`Numbering`).
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from ackproof.conform.judging.compiled import compiled, kept

__all__ = ["HERE", "Numbering", "Texts", "joined", "mixed", "number_of", "stirred"]

#: Texts, one behind the other: where each begins and the last one ends, and their bytes.
Texts = tuple[Any, Any]

_SEED_BYTES = 16
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_WORD, _BYTE = 8, np.uint64(8)


def number_of(*texts: str) -> int:
    """Return a number that stands for texts in this process; 0 if they are empty."""
    return hash(texts) if any(texts) else 0


def joined(texts: Sequence[str]) -> Texts:
    """Return texts behind each other."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, encoded), np.int32, len(encoded)), out=ends[1:])
    return ends, np.frombuffer(b"".join(encoded), np.uint8)


class Numbering:
    """Which numbers texts have; those with the same seed give the same.

    Args:
        seed: what `drawn` has returned.

    Attributes:
        seeds: the two numbers that a text begins with.
    """

    def __init__(self, seed: bytes) -> None:
        self.seeds = np.frombuffer(seed, np.uint64)

    @staticmethod
    def drawn() -> bytes:
        """Draw a seed."""
        return secrets.token_bytes(_SEED_BYTES)

    def of(self, texts: Iterable[str]) -> dict[str, int]:
        """Return a number for each text; 0 for the one that is empty."""
        different = list(dict.fromkeys(texts))
        numbers = self._numbers(joined(different), self.seeds[:, None])[0].view(np.int64)
        found = dict(zip(different, numbers.tolist(), strict=True))
        if "" in found:
            found[""] = 0
        return found

    def pairs(self, message: Texts, digest: Texts) -> Any:
        """Return two rows of numbers, for a pair of texts each."""
        return self._numbers(digest, self._numbers(message, self.seeds[:, None])).view(np.int64)

    def _numbers(self, texts: Texts, before: Any) -> Any:
        ends, data = texts
        found = np.empty((2, len(ends) - 1), np.uint64)
        found[:] = before
        _hash(ends, data, found)
        return found


#: The numbers that texts have in this process.
HERE = Numbering(Numbering.drawn())


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


@compiled
def stirred(data: Any, start: int, end: int, a: Any, b: Any) -> Any:
    """Return the two numbers of the text between two places, from those that were before it."""
    size = np.uint64(end - start)
    while start < end:
        word = np.uint64(0)
        for place in range(start, min(start + _WORD, end)):
            word = word << _BYTE | np.uint64(data[place])
        a, b = _stir(a, word, _FIRST), _stir(b, word, _SECOND)
        start += _WORD
    return _stir(a, size, _FIRST), _stir(b, size, _SECOND)


@kept
def _hash(ends: Any, data: Any, found: Any) -> None:
    for text in range(len(ends) - 1):
        start, end = ends[text], ends[text + 1]
        found[:, text] = stirred(data, start, end, found[0, text], found[1, text])
