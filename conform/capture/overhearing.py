"""Overhearing: the bytes of both sides of a connection, as the events that a proxy would record.

As long as nothing is missing there is nothing to do but to decode.  Where bytes of a side are lost,
it is joined again at the next boundary between frames.  Until that is known, what both sides say is
held back, so that it stays in causal order.

What was lost may have opened channels, closed them, asked, or answered.  So each channel gets an
event of kind `GAP` where bytes are lost, where some were captured and are not understood, and
around all that the other side has said before it had received the first byte behind the loss.  What
it says later can be about requests that were lost, but on channels that are not known to begin.
"""

from __future__ import annotations

import math

from ackproof.conform.capture.boundaries import Boundary
from ackproof.conform.capture.conversation import Lost, Piece
from ackproof.conform.decoding import ConnectionDecoder
from ackproof.conform.events import Event, Kind

__all__ = ["Overheard"]

#: Bytes that are held back at most until a boundary is known.
_HELD = 16 << 20
_NOWHERE = math.inf


class Overheard:
    """Makes events of the pieces of one connection.

    Args:
        name: what the connection is called.
        key: key of the digests.
        client: which side is the client.
        expected: it should be AMQP 0-9-1; if not, that it is not understood is an event.

    Attributes:
        foreign: this is not AMQP 0-9-1, and nothing becomes an event.
    """

    def __init__(self, name: str, key: bytes, client: int, expected: bool) -> None:
        self.foreign = False
        self._expected = expected
        self._name = name
        self._decoder = ConnectionDecoder(name, key)
        self._client = client
        self._joined: list[float] = [-_NOWHERE, -_NOWHERE]  # from where on each side is understood
        self._missed: list[float] = [-_NOWHERE, -_NOWHERE]  # up to where something is missing
        self._joins = [False, False]  # it is, but nothing from there was decoded yet
        self._searches: dict[int, Boundary | None] = {}
        self._held: list[Piece] = []
        self._size = 0
        self._seen = self._missing = False
        self._time = 0.0

    def take(self, item: Piece | Lost) -> list[Event]:
        """Return the events that are complete with a piece, or that something is lost."""
        if self.foreign:
            return []
        events = self._lose(item) if isinstance(item, Lost) else self._hear(item)
        self._seen = self._seen or bool(events)
        return events

    def finish(self) -> list[Event]:
        """Return the events that are left at the end."""
        events = self._release()
        unknown = self._expected if self.foreign else self._missing
        if unknown and not events and not self._seen:
            # Nothing is known of any channel: it is the connection's own that has the gap.
            return [Event(Kind.GAP, connection=self._name, number=1, time=self._time)]
        return events

    # -- holding back ---------------------------------------------------------------------------

    def _lose(self, lost: Lost) -> list[Event]:
        if not self._decoder.begun and not self._expected:
            self.foreign = True
            return []
        events = self._release()
        return events + self._part(lost.side, lost.until)

    def _part(self, side: int, until: int) -> list[Event]:
        """A side is not understood until it is joined again; bytes up to a number are missing."""
        self._missing = True
        self._missed[side] = until
        self._joined[side] = _NOWHERE
        self._joins[side] = False
        self._searches[side] = None
        return self._decoder.gap(self._time)

    def _hear(self, piece: Piece) -> list[Event]:
        self._time = piece.time
        if not self._searches:
            return self._decode(piece)
        self._held.append(piece)
        self._size += len(piece.data)
        if piece.side in self._searches:
            self._search(piece)
        return self._release() if not self._searches or self._size > _HELD else []

    def _search(self, piece: Piece) -> None:
        search = self._searches[piece.side]
        if search is None:
            search = self._searches[piece.side] = Boundary(piece.start)
        self._join(piece.side, search.feed(piece.data))

    def _join(self, side: int, boundary: int | None) -> None:
        if boundary is not None:
            self._joined[side] = boundary
            self._joins[side] = True
            del self._searches[side]

    def _release(self) -> list[Event]:
        """Decode what was held back; where no boundary is certain, take the best one."""
        for side, search in list(self._searches.items()):
            self._join(side, search.best() if search is not None else None)
        for side in self._searches:
            self._searches[side] = None
        held, self._held, self._size = self._held, [], 0
        return [event for piece in held for event in self._decode(piece)]

    # -- decoding -------------------------------------------------------------------------------

    def _decode(self, piece: Piece) -> list[Event]:
        side, joined = piece.side, self._joined[piece.side]
        decoder, client, data = self._decoder, piece.side == self._client, piece.data
        events = decoder.gap(piece.time) if piece.start < joined else []
        if piece.start + len(data) <= joined:
            return events
        if self._joins[side]:
            self._joins[side] = False
            decoder.resume(client)
            data = data[int(joined) - piece.start :]
        if not client and not decoder.begun:
            self.foreign = True
            return []
        vague = piece.received < self._missed[1 - side]
        if vague:
            events += decoder.gap(piece.time)
        decode = decoder.from_client if client else decoder.from_broker
        events += decode(data, piece.time)
        if vague:
            events += decoder.gap(piece.time)
        if decoder.problem is not None:
            events += self._misunderstood(piece)
        return events

    def _misunderstood(self, piece: Piece) -> list[Event]:
        if not self._decoder.begun:
            self.foreign = True
            return []
        ends = {piece.side: piece.start + len(piece.data), 1 - piece.side: piece.received}
        return [event for side, end in ends.items() for event in self._part(side, end)]
