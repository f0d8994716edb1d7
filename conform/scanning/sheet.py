"""A sheet: rows of events that a scanner writes, of any number of connections.

Rows are written in the order in which they are found out.  A row says which packet has made its
event complete, so that rows of several connections can be put in the order of their packets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from ackproof.conform.columns import Columns, filled
from ackproof.conform.events import Event, Kind
from ackproof.conform.judging import stream
from ackproof.conform.judging.compiled import compiled, kept, lent
from ackproof.conform.judging.texts import Numbering, Texts
from ackproof.conform.scanning.blake import DIGEST
from ackproof.conform.scanning.books import MOST_MESSAGE

__all__ = ["EXCHANGE", "KEY", "ROWS", "TEXT", "Sheet", "lent_sheet"]

#: How much of a sheet is used: rows, and bytes of texts.
ROWS, TEXT = range(2)
#: The columns where the numbers of exchange and routing key are until an identity is made of them.
EXCHANGE, KEY = stream.IDENTITY, stream.LOW

_FEW = 1 << 14
_KINDS = list(Kind)
_TAGS = 1 << 64


class Sheet(NamedTuple):
    """The arrays.

    Attributes:
        used: how much is.
        numbers: by row and column, as `stream` has them.
        connections: by row: which connection.
        channels: by row: which channel.
        packets: by row: which packet.
        digests: by row: the digest of a body, or zeros.
        ends: by row: where the message-id ends in `text`.
        text: message-ids, one behind the other.
    """

    used: Any
    numbers: Any
    connections: Any
    channels: Any
    packets: Any
    digests: Any
    ends: Any
    text: Any

    @classmethod
    def new(cls, rows: int = _FEW) -> Sheet:
        """Return a sheet on which nothing is, with room for so many rows."""
        return cls(
            np.zeros(2, np.int64),
            np.zeros((rows, stream.COLUMNS), np.int64),
            np.zeros(rows, np.int64),
            np.zeros(rows, np.int64),
            np.zeros(rows, np.int64),
            np.zeros((rows, 2 * DIGEST), np.uint8),
            np.zeros(rows, np.int64),
            np.zeros(max(16 * rows, 2 * MOST_MESSAGE), np.uint8),
        )

    def with_room(self) -> Sheet:
        """Return the same with room for twice as much."""
        grown = (np.concatenate([part, np.zeros_like(part)]) for part in self[1:])
        return Sheet._make((self.used, *grown))

    def columns(
        self, connections: Sequence[str], names: Mapping[int, str], numbering: Numbering
    ) -> Columns:
        """Return what is on the sheet as columns, by the order of packets; and clear it.

        Args:
            connections: what each is called.
            names: texts of numbers that stand for queues and consumers.
            numbering: of texts.
        """
        rows, text = self.used.tolist()
        order = np.argsort(self.packets[:rows], kind="stable")
        numbers = np.ascontiguousarray(self.numbers[:rows][order].T)
        exchange, key = numbers[EXCHANGE].copy(), numbers[KEY].copy()
        message = _reordered(self.ends[:rows], self.text[:text], order)
        digest = _digests(self.digests[:rows][order])
        filled(numbers, exchange, key, message, digest, numbering)
        places, channels = self.connections[:rows][order], self.channels[:rows][order]

        def connection(row: int) -> str:
            return connections[int(places[row])]

        def event(row: int) -> Event:
            said = numbers[:, row].tolist()
            return Event(
                _KINDS[said[stream.KIND]],
                connection(row),
                int(channels[row]),
                said[stream.NUMBER],
                float(numbers[stream.TIME, row].view(np.float64)),
                tag=said[stream.TAG] % _TAGS,
                consumer=names.get(said[stream.CONSUMER], ""),
            )

        self.used[:] = 0
        self.numbers[:rows] = 0
        self.digests[:rows] = 0
        return Columns(numbers, places, channels, connection, event, message, digest, names)


@compiled
def lent_sheet(page: Any) -> Any:
    """Return a sheet whose arrays are lent."""
    return Sheet(
        lent(page.used),
        lent(page.numbers),
        lent(page.connections),
        lent(page.channels),
        lent(page.packets),
        lent(page.digests),
        lent(page.ends),
        lent(page.text),
    )


def _digests(digests: Any) -> Texts:
    """Return digests as texts; one of zeros is none."""
    there = digests[:, 0] != 0
    ends = np.zeros(len(digests) + 1, np.int32)
    np.cumsum(there * np.int32(2 * DIGEST), out=ends[1:])
    return ends, digests[there].reshape(-1)


def _reordered(ends: Any, text: Any, order: Any) -> Texts:
    """Return texts in an order."""
    found, data = np.zeros(len(order) + 1, np.int32), np.empty_like(text)
    _copy(ends, text, order, found, data)
    return found, data


@kept
def _copy(ends: Any, text: Any, order: Any, found: Any, data: Any) -> None:
    at = 0
    for row in range(len(order)):
        old = order[row]
        for place in range(ends[old - 1] if old else 0, ends[old]):
            data[at] = text[place]
            at += 1
        found[row + 1] = at
