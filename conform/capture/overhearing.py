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
from typing import Generic, Protocol, TypeVar

from ackproof.conform.capture.boundaries import Boundary
from ackproof.conform.capture.conversation import Lost, Piece

__all__ = ["Decoder", "Overheard"]

#: An event, or what stands for one.
E = TypeVar("E")

#: Bytes that are held back at most until a boundary is known.
_HELD = 16 << 20
_NOWHERE = math.inf


class Decoder(Protocol[E]):
    """What makes events of the bytes of a connection, as `ConnectionDecoder` does.

    Attributes:
        begun: the client has said that it speaks AMQP 0-9-1, or bytes were resumed.
        problem: why nothing is decoded any more, if so.
    """

    begun: bool
    problem: str | None

    def from_client(self, data: bytes, time: float) -> list[E]:
        """Return the events that are complete with these bytes of the client."""

    def from_broker(self, data: bytes, time: float) -> list[E]:
        """Return the events that are complete with these bytes of the broker."""

    def gap(self, time: float) -> list[E]:
        """Return that something is missing, for each channel that was seen since the last gap."""

    def nothing(self, time: float) -> list[E]:
        """Return that something is missing, of which not even a channel is known."""

    def resume(self, client: bool) -> None:
        """The next byte of a side is the first one of a frame; some before it are missing."""


class Overheard(Generic[E]):
    """Makes events of the pieces of one connection.

    Args:
        decoder: makes events of bytes.
        client: which side is the client.
        expected: it should be AMQP 0-9-1; if not, that it is not understood is an event.

    Attributes:
        client: which side that is.
        foreign: this is not AMQP 0-9-1, and nothing becomes an event.
    """

    def __init__(self, decoder: Decoder[E], client: int, expected: bool) -> None:
        self.foreign = False
        self._expected = expected
        self._decoder = decoder
        self.client = client
        self._joined: list[float] = [-_NOWHERE, -_NOWHERE]  # from where on each side is understood
        self._missed: list[float] = [-_NOWHERE, -_NOWHERE]  # up to where something is missing
        self._joins = [False, False]  # it is, but nothing from there was decoded yet
        self._searches: dict[int, Boundary | None] = {}
        self._held: list[Piece] = []
        self._size = 0
        self._seen = self._missing = False
        self._time = 0.0

    def take(self, item: Piece | Lost) -> list[E]:
        """Return the events that are complete with a piece, or that something is lost."""
        if self.foreign:
            return []
        events = self._lose(item) if isinstance(item, Lost) else self._hear(item)
        self._seen = self._seen or bool(events)
        return events

    def finish(self) -> list[E]:
        """Return the events that are left at the end."""
        events = self._release()
        unknown = self._expected if self.foreign else self._missing
        if unknown and not events and not self._seen:
            # Nothing is known of any channel: it is the connection's own that has the gap.
            return self._decoder.nothing(self._time)
        return events

    def in_order(self, next_bytes: list[int]) -> list[float] | None:
        """Return up to where something of each side is missing, if all that follows is understood.

        Args:
            next_bytes: the number of the next byte of each side.
        """
        decoder = self._decoder
        if self.foreign or self._searches or any(self._joins) or not decoder.begun:
            return None
        joined = all(at >= join for at, join in zip(next_bytes, self._joined, strict=True))
        return list(self._missed) if joined and decoder.problem is None else None

    def go_on(self, time: float, seen: bool) -> None:
        """Something else has listened, up to some time; tell whether it has seen events."""
        self._time = time
        self._seen = self._seen or seen

    def misunderstood(self, piece: Piece) -> list[E]:
        """Something else has listened, and could not understand the last piece of a side."""
        self._time = piece.time
        return self._misunderstood(piece)

    # -- holding back ---------------------------------------------------------------------------

    def _lose(self, lost: Lost) -> list[E]:
        if not self._decoder.begun and not self._expected:
            self.foreign = True
            return []
        events = self._release()
        return events + self._part(lost.side, lost.until)

    def _part(self, side: int, until: int) -> list[E]:
        """A side is not understood until it is joined again; bytes up to a number are missing."""
        self._missing = True
        self._missed[side] = until
        self._joined[side] = _NOWHERE
        self._joins[side] = False
        self._searches[side] = None
        return self._decoder.gap(self._time)

    def _hear(self, piece: Piece) -> list[E]:
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

    def _release(self) -> list[E]:
        """Decode what was held back; where no boundary is certain, take the best one."""
        for side, search in list(self._searches.items()):
            self._join(side, search.best() if search is not None else None)
        for side in self._searches:
            self._searches[side] = None
        held, self._held, self._size = self._held, [], 0
        return [event for piece in held for event in self._decode(piece)]

    # -- decoding -------------------------------------------------------------------------------

    def _decode(self, piece: Piece) -> list[E]:
        side, joined = piece.side, self._joined[piece.side]
        decoder, client, data = self._decoder, piece.side == self.client, piece.data
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

    def _misunderstood(self, piece: Piece) -> list[E]:
        if not self._decoder.begun:
            self.foreign = True
            return []
        ends = {piece.side: piece.start + len(piece.data), 1 - piece.side: piece.received}
        return [event for side, end in ends.items() for event in self._part(side, end)]
