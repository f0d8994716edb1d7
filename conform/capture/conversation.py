"""A conversation: the segments of one TCP connection, as the bytes of both sides, in causal order.

Segments may be seen late, again, in part again, or never.  The bytes of a side are handed on in
their order, once.  Between the sides, TCP itself says what comes first: a segment tells how much
its sender had received by then.  So what a side has sent follows all that it had received, in
whatever order the packets were captured.

What is missing is waited for.  It never comes if the capture has lost it.  A conversation gives up
after it has waited for so many packets or bytes, or when the capture ends: then it says that
something is `Lost`, and goes on behind it.  If the beginning of the connection was not seen, the
first that was seen takes its place, and what was before it is lost.

Numbers of bytes are not reduced modulo 2^32 here.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from ackproof.conform.capture.segments import Address, Segment

__all__ = ["Conversation", "Lost", "Piece"]

#: Packets, and bytes, that are waited for what is missing.
_PACKETS, _BYTES = 1024, 16 << 20
#: Packets in which the beginning may come late.
_BEGINNING = 64
#: The end of a side counts as a byte, though it is none.
_END = 1
#: What is so far behind is no late segment: another connection has the same addresses.
_FAR = 1 << 24
_NUMBERS = 1 << 32


class Piece(NamedTuple):
    """Bytes of a side, which follow those before: where they begin, and what it had received."""

    side: int
    start: int
    received: int
    time: float
    data: bytes


class Lost(NamedTuple):
    """Bytes of a side are missing here, up to the one of this number."""

    side: int
    until: int


class _Waiting(NamedTuple):
    start: int
    arrived: int
    received: int
    time: float
    data: bytes


class _Side:
    """One side: what is next, and what waits for its turn."""

    def __init__(self) -> None:
        self.next: int | None = None
        self.first: int | None = None
        self.late = False  # the beginning is not known
        self.near: int | None = None  # any number of this side
        self.end: int | None = None
        self.received = 0  # by the other side, as far as that was seen
        self.waiting: list[_Waiting] = []

    def number(self, low: int) -> int:
        """Return the number of which the low bits were sent."""
        if self.near is None:
            self.near = low
        near, half = self.near if self.next is None else self.next, _NUMBERS // 2
        return near + (low - near + half) % _NUMBERS - half

    def pass_end(self) -> None:
        """The end of a side has a number, too."""
        if self.next is not None and self.next == self.end:
            self.next += _END


class Conversation:
    """One TCP connection.

    Attributes:
        addresses: of its sides, by which they are numbered.
        client: the side that has opened it, if that was seen.
    """

    def __init__(self, first: Segment) -> None:
        self.addresses: tuple[Address, Address] = (first.source, first.target)
        self.client: int | None = None
        self._sides = (_Side(), _Side())
        self._arrived = self._waited = self._size = 0
        self._begun = False

    def continues(self, segment: Segment) -> bool:
        """Tell whether a segment with these addresses is of this connection, and of no next one."""
        side = self._sides[self._of(segment)]
        if side.near is None:
            return True
        start = side.number(segment.seq)
        if segment.begins and side.first is None:
            # A late one is near what has come before it; the next connection begins anywhere.
            return not self._begun and side.near - _FAR < start < side.near
        if segment.begins:
            return start + 1 == side.first
        return side.next is None or start > side.next - _FAR

    def in_order(self) -> list[int] | None:
        """Return the next bytes of both sides by number; None if anything is awaited or over."""
        sides = self._sides
        if not self._begun or any(side.late or side.end is not None for side in sides):
            return None
        return self.next_bytes() if self._size == 0 else None

    def next_bytes(self) -> list[int] | None:
        """Return the numbers of the next bytes of both sides, if they are known."""
        found = [side.next for side in self._sides if side.next is not None]
        return found if len(found) == len(self._sides) else None

    def go_on(self, next_bytes: list[int], received: list[int]) -> None:
        """Something else has followed segments in order, up to some bytes of both sides.

        Args:
            next_bytes: the number of the next byte of each side.
            received: up to where the other side has received each.
        """
        for side, after, until in zip(self._sides, next_bytes, received, strict=True):
            side.next = after
            side.received = max(side.received, until)

    def _of(self, segment: Segment) -> int:
        return 0 if segment.source == self.addresses[0] else 1

    def take(self, segment: Segment) -> Iterator[Piece | Lost]:
        """Take a segment; yield what follows from it."""
        number = self._of(segment)
        side, other = self._sides[number], self._sides[1 - number]
        self._arrived += 1
        start = side.number(segment.seq)
        received = 0
        if segment.ack is not None:
            received = other.number(segment.ack)
            other.received = max(other.received, received)
        if segment.begins:
            self._begins(number, segment.ack is not None, start + 1)
            start += 1
        if segment.ends:
            side.end = start + len(segment.data)
            side.pass_end()
        known = side.next is None or start + len(segment.data) > side.next
        if segment.data and known:
            waiting = _Waiting(start, self._arrived, received, segment.time, segment.data)
            heappush(side.waiting, waiting)
            self._size += len(segment.data)
        if not self._begun and not self._begin():
            return
        waited = self._waited + 1
        for item in self._ready():
            waited = 0
            yield item
        self._waited = waited if self._size else 0
        while self._waited > _PACKETS or self._size > _BYTES:
            yield from self._give_up()
            yield from self._ready()
            self._waited = 0

    def finish(self) -> Iterator[Piece | Lost]:
        """The capture has ended: yield what is left."""
        if not self._begun:
            self._begin(now=True)
        yield from self._ready()
        while any(side.waiting for side in self._sides):
            yield from self._give_up()
            yield from self._ready()
        for number, side in enumerate(self._sides):
            if side.next is not None and side.received > side.next + _END:
                yield Lost(number, side.received)

    # -- the beginning --------------------------------------------------------------------------

    def _begins(self, number: int, answers: bool, first: int) -> None:
        self.client = 1 - number if answers else number
        side = self._sides[number]
        side.first = first
        if side.next is None:
            side.next = first

    def _begin(self, now: bool = False) -> bool:
        """Tell whether it is known where both sides begin; after some packets, decide it."""
        if not now and self._arrived < _BEGINNING and any(s.next is None for s in self._sides):
            return False
        self._begun = True
        for side in self._sides:
            if side.next is None:
                side.late = True
                side.next = side.waiting[0].start if side.waiting else side.received
        return True

    # -- in order -------------------------------------------------------------------------------

    def _ready(self) -> Iterator[Piece | Lost]:
        """Yield all that nothing is missing for."""
        for number, side in enumerate(self._sides):
            if side.late:
                side.late = False
                yield Lost(number, side.next or 0)
        progress = True
        while progress:
            progress = False
            for number, side in enumerate(self._sides):
                for piece in self._of_side(number, side):
                    progress = True
                    yield piece

    def _of_side(self, number: int, side: _Side) -> Iterator[Piece]:
        other = self._sides[1 - number]
        while side.waiting and side.next is not None:
            first = side.waiting[0]
            if first.start > side.next or first.received > (other.next or 0):
                return
            yield from self._hand_on(number, side)

    def _hand_on(self, number: int, side: _Side) -> Iterator[Piece]:
        first = heappop(side.waiting)
        self._size -= len(first.data)
        assert side.next is not None
        data = first.data[side.next - first.start :]
        if data:
            yield Piece(number, side.next, first.received, first.time, data)
            side.next += len(data)
        side.pass_end()

    # -- giving up ------------------------------------------------------------------------------

    def _give_up(self) -> Iterator[Piece | Lost]:
        """Go on behind what is missing for longest; yield that it is lost."""
        heads = [(s.waiting[0].arrived, n) for n, s in enumerate(self._sides) if s.waiting]
        if not heads:
            return
        for _, number in sorted(heads):
            side = self._sides[number]
            if side.next is None or side.waiting[0].start > side.next:
                side.next = side.waiting[0].start
                yield Lost(number, side.next)
                return
        # Nothing is missing but what the other side had received by then; what it says later that
        # comes before would come too late.
        number = min(heads)[1]
        received = self._sides[number].waiting[0].received
        self._sides[1 - number].next = received
        yield Lost(1 - number, received)
