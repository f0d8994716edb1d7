"""Dividing: the packets of a capture, shared out by the pairs of addresses that they are of.

What packets of one pair mean does not depend on those of another one.  So a file is looked at by
whoever has it, as far as whose packets are in it, and each pair is followed elsewhere, by one who
gets all packets of it.  A pair belongs to the same part in every file.  What is of no TCP
connection goes nowhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from ackproof.conform.judging.compiled import kept
from ackproof.conform.scanning import packets
from ackproof.conform.scanning import segments as s
from ackproof.conform.scanning.packets import Piece
from ackproof.conform.scanning.segments import Pairs

__all__ = ["Dividing", "part_of"]


def part_of(what: object, parts: int) -> int:
    """Return to which of so many parts something belongs, on all machines the same.

    What differs in few bits is spread as well as anything: ports, and numbers of channels, are
    consecutive, and a CRC would put many of them into one part.
    """
    digest = hashlib.blake2b(repr(what).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") % parts


class Dividing:
    """Divides packets, piece after piece.

    Args:
        parts: into how many parts.
    """

    def __init__(self, parts: int) -> None:
        self._parts = parts
        self._pairs = Pairs()
        self._of_pairs = np.empty(0, np.int64)
        self._before = 0

    def divided(self, piece: Piece) -> Iterator[tuple[int, Piece]]:
        """Yield the packets of each part that has any, in their order."""
        numbers = self._pairs.rows(piece).numbers
        rows, self._before = numbers[:, s.PACKET] - self._before, self._before + len(piece.packets)
        parts = self._parts_of(numbers[:, s.PAIR])
        for part in np.unique(parts).tolist():
            yield part, _with(piece, rows[parts == part])

    def _parts_of(self, pairs: Any) -> Any:
        new = self._pairs.addresses[len(self._of_pairs) :]
        parts = [part_of(pair, self._parts) for pair in new]
        self._of_pairs = np.concatenate([self._of_pairs, np.array(parts, np.int64)])
        return self._of_pairs[pairs]


def _with(piece: Piece, rows: Any) -> Piece:
    """Return the packets of some rows, behind one another."""
    found = piece.packets[rows]
    sizes = found[:, packets.END] - found[:, packets.START]
    ends = np.cumsum(sizes)
    data = np.empty(int(ends[-1]), np.uint8)
    _copy(piece.data, found[:, packets.START].copy(), sizes, data)
    found[:, packets.START], found[:, packets.END] = ends - sizes, ends
    return Piece(data, found)


@kept
def _copy(data: Any, starts: Any, sizes: Any, found: Any) -> None:
    at = 0
    for row in range(len(starts)):
        for place in range(starts[row], starts[row] + sizes[row]):
            found[at] = data[place]
            at += 1
