"""Reading a capture: its packets by connection, and what is said there as events.

A connection is two addresses, from one SYN to the next.  Who of them is the client is known from
the SYN, if it was seen; else from the port, or from a side that begins as a client of AMQP 0-9-1
does.  What speaks anything else is passed over, unless it is at the port of the broker: then it is
something that was not understood.

A capture may be in several files, see `ackproof.conform.capture.rotation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from ackproof.conform.capture.conversation import Conversation, Lost, Piece
from ackproof.conform.capture.files import packets
from ackproof.conform.capture.listening import Listening
from ackproof.conform.capture.overhearing import Decoder, Overheard
from ackproof.conform.capture.rotation import Clock, in_order
from ackproof.conform.capture.segments import Address, Segment, named, segment_of
from ackproof.conform.decoding import ConnectionDecoder
from ackproof.conform.events import Event
from ackproof.conform.sources import Source
from ackproof.impl.wire.frames import PROTOCOL_HEADER

__all__ = ["Connection", "read_capture"]

#: An event, or what stands for one.
E = TypeVar("E")
DecoderOf = Callable[[str], Decoder[E]]


def read_capture(pieces: Sequence[Source], how: Listening) -> Iterator[Event]:
    """Yield the events of a capture; those of a channel are in order.

    Args:
        pieces: the files that it is in.
        how: how it is read.

    Raises:
        RecordingError: a file is no capture, or damaged.
    """
    connections, clock = _Connections(how), Clock()
    for piece in in_order(pieces):
        begun = False
        for packet in packets(piece):
            if not begun and not clock.goes_on(packet.time):
                yield from connections.part()
            begun = True
            clock.pass_to(packet.time)
            segment = segment_of(packet)
            if segment is not None:
                yield from connections.take(segment)
    yield from connections.part()


class Connection(Generic[E]):
    """One connection, from its segments to its events.

    Args:
        first: its first segment.
        how: how the capture is read.
        decoder_of: makes events of its bytes.
        earlier: how many had the same addresses before.

    Attributes:
        conversation: its bytes.
        heard: makes events of them; None as long as nobody knows who is who.
        ignored: it is not AMQP 0-9-1.
    """

    def __init__(
        self, first: Segment, how: Listening, decoder_of: DecoderOf[E], earlier: int
    ) -> None:
        self.conversation = Conversation(first)
        self._how = how
        self._decoder_of = decoder_of
        self._earlier = earlier
        self._lost: list[Lost] = []  # before it was known who is who
        self.heard: Overheard[E] | None = None
        self.ignored = False

    def take(self, segment: Segment) -> list[E]:
        """Return the events that are complete with a segment."""
        if self.ignored:
            return []
        return self._hear(self.conversation.take(segment))

    def finish(self) -> list[E]:
        """Return the events that are left at the end."""
        if not self.ignored:
            events = self._hear(self.conversation.finish())
            return events + (self.heard.finish() if self.heard is not None else [])
        return self.heard.finish() if self.heard is not None else []

    def _hear(self, items: Iterator[Piece | Lost]) -> list[E]:
        events: list[E] = []
        for item in items:
            if self.ignored:
                break
            if self.heard is None and isinstance(item, Lost):
                self._lost.append(item)
                continue
            if self.heard is None and isinstance(item, Piece):
                self.heard = self._recognised(item)
                if self.heard is None:
                    self.ignored = True
                    break
                events += [event for lost in self._lost for event in self.heard.take(lost)]
            assert self.heard is not None
            events += self.heard.take(item)
            self.ignored = self.heard.foreign
        return events

    def _recognised(self, first: Piece) -> Overheard[E] | None:
        """Return who makes events of this; None if it is not known to be AMQP 0-9-1."""
        addresses, client = self.conversation.addresses, self.conversation.client
        at_port = [side for side, (_, port) in enumerate(addresses) if port == self._how.port]
        greets = first.data.startswith(PROTOCOL_HEADER)
        if client is None and greets:
            client = first.side
        elif client is None and len(at_port) == 1:
            client = 1 - at_port[0]
        if client is None:
            return None
        name = f"{named(addresses[client])}-{named(addresses[1 - client])}"
        name += f"#{self._earlier + 1}" if self._earlier else ""
        return Overheard(self._decoder_of(name), client, greets or 1 - client in at_port)


class _Connections:
    """All connections of a capture."""

    def __init__(self, how: Listening) -> None:
        self._how = how
        self._open: dict[tuple[Address, Address], Connection[Event] | None] = {}
        self._earlier: dict[tuple[Address, Address], int] = {}

    def take(self, segment: Segment) -> list[Event]:
        """Return the events that are complete with a segment."""
        ends = segment.source, segment.target
        pair = min(ends), max(ends)
        connection, events = self._open.get(pair), list[Event]()
        if connection is not None and not connection.conversation.continues(segment):
            events = self._end(pair)
            connection = None
        if connection is None:
            earlier = self._earlier.get(pair, 0)
            connection = Connection(segment, self._how, self._decoder, earlier)
            self._open[pair] = connection
        return events + connection.take(segment)

    def part(self) -> Iterator[Event]:
        """No connection goes on: yield the events that are left."""
        for pair in self._open:
            yield from self._end(pair)

    def _end(self, pair: tuple[Address, Address]) -> list[Event]:
        connection, self._open[pair] = self._open[pair], None
        if connection is None:
            return []
        self._earlier[pair] = self._earlier.get(pair, 0) + 1
        return connection.finish()

    def _decoder(self, name: str) -> ConnectionDecoder:
        return ConnectionDecoder(name, self._how.key)
