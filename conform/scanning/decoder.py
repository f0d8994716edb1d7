"""The decoder of columns: the bytes of one connection, in both directions, to rows of a sheet.

It is to `ackproof.conform.decoding` what `ackproof.conform.columns` is to events, and finds the
same.  The scanner goes through the bytes.  Where it stops at a frame, that frame is decoded as
there, and written down; where it has no room, there is some made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ackproof.conform.columns import Columns
from ackproof.conform.decoding import event_of, header_of
from ackproof.conform.events import Event, Kind
from ackproof.conform.judging import stream
from ackproof.conform.judging.compiled import kept, lent
from ackproof.conform.judging.facts import NUMBER, bits_of
from ackproof.conform.judging.texts import Numbering
from ackproof.conform.scanning import scanner
from ackproof.conform.scanning.blake import Beginning
from ackproof.conform.scanning.books import (
    BROKER,
    CLIENT,
    HEADER_DUE,
    LATE,
    STAGE,
    Books,
    lent_books,
)
from ackproof.conform.scanning.scanner import Means, Source, lent_means
from ackproof.conform.scanning.sheet import EXCHANGE, KEY, ROWS, Sheet, lent_sheet
from ackproof.impl.errors import HardError
from ackproof.impl.wire.frames import PROTOCOL_HEADER, Received

__all__ = ["ColumnDecoder", "Common"]

_SIGN, _NUMBERS, _MOST = 1 << 63, 1 << 64, (1 << 63) - 1
_FEW = 64


@kept
def _scan(
    books: Any,
    page: Any,
    means: Any,
    stop: Any,
    side: int,
    connection: int,
    packet: int,
    time: int,
    data: Any,
    end: int,
) -> int:
    books, page, means = lent_books(books), lent_sheet(page), lent_means(means)
    source = Source(side, connection, packet, time)
    return scanner.scan(books, page, means, lent(stop), source, lent(data), end)


@kept
def _header(
    books: Any,
    page: Any,
    means: Any,
    place: int,
    side: int,
    connection: int,
    packet: int,
    time: int,
    size: int,
    length: int,
) -> None:
    books, page, means = lent_books(books), lent_sheet(page), lent_means(means)
    source = Source(side, connection, packet, time)
    scanner.header_read(books, page, means, source, place, size, length)


@kept
def _row(
    books: Any,
    page: Any,
    place: int,
    side: int,
    connection: int,
    packet: int,
    time: int,
    kind: int,
) -> Any:
    source = Source(side, connection, packet, time)
    return scanner.write_row(lent_books(books), lent_sheet(page), source, place, kind)


class Common:
    """What the decoders of all connections of a capture share: the sheet, and names.

    Args:
        key: of the digests of bodies, up to 64 bytes.
        numbering: of texts.

    Attributes:
        page: where events are written.
        means: what the scanner has to know.
        packet: the number of the packet that is looked at.
    """

    def __init__(self, key: bytes, numbering: Numbering) -> None:
        begin = Beginning(key)
        taken = np.array([begin.taken], np.int64)
        names = np.zeros(_FEW, np.int64)
        self.page = Sheet.new()
        self.means = Means(numbering.seeds, names, begin.words, taken, begin.empty)
        self.packet = 0
        self._numbering = numbering
        self._texts: dict[int, str] = {}
        self._connections: list[str] = []

    @property
    def rows(self) -> int:
        """Return how many rows are on the sheet."""
        return int(self.page.used[ROWS])

    def columns(self) -> Columns:
        """Return what is on the sheet, and clear it."""
        return self.page.columns(self._connections, dict(self._texts), self._numbering)

    def connection(self, name: str) -> int:
        """Return a number for a connection."""
        self._connections.append(name)
        return len(self._connections) - 1

    def make_room(self) -> None:
        """Make the sheet larger."""
        self.page = self.page.with_room()

    def number(self, text: str) -> int:
        """Return the number of a text."""
        return self._numbering.of((text,))[text]

    def named(self, text: str) -> int:
        """Return the number of the name of a queue or a consumer, whose text is known then."""
        number = self.number(text)
        if number and number not in self._texts:
            self._texts[number] = text
            names = self.means.names
            if 2 * len(self._texts) >= len(names):
                names = np.zeros(2 * len(names), np.int64)
                for before in self._texts:
                    _put(names, before)
                self.means = self.means._replace(names=names)
            else:
                _put(names, number)
        return number


def _put(names: Any, number: int) -> None:
    place = number % len(names)
    while names[place]:
        place = (place + 1) % len(names)
    names[place] = number


class ColumnDecoder:
    """Makes rows of the bytes of one connection; a row stands for an event.

    Args:
        common: what it shares with others.
        name: what the connection is called.

    Attributes:
        begun: the client has said that it speaks AMQP 0-9-1, or bytes were resumed.
        problem: why nothing is decoded any more, if so.
        books: what is kept of the connection.
        connection: its number.
    """

    def __init__(self, common: Common, name: str) -> None:
        self.begun = False
        self.problem: str | None = None
        self.books = Books.new()
        self.connection = common.connection(name)
        self._common = common
        self._greeting = b""
        self._stop = np.zeros(scanner.STOP, np.int64)

    def from_client(self, data: bytes, time: float = 0.0) -> list[int]:
        """Return the rows of events that are complete with these bytes of the client."""
        return self._take(CLIENT, data, time)

    def from_broker(self, data: bytes, time: float = 0.0) -> list[int]:
        """Return the rows of events that are complete with these bytes of the broker."""
        return self._take(BROKER, data, time)

    def gap(self, time: float) -> list[int]:
        """Return that something is missing, for each channel that was seen since the last gap."""
        first = self._common.rows
        for place in self.books.since_gap():
            self._write(place, Event(Kind.GAP), CLIENT, _bits(time))
        self.books.begin_gap()
        return self._rows(first)

    def nothing(self, time: float) -> list[int]:
        """Return that something is missing, of which not even a channel is known."""
        lost = Books.new()
        first = self._common.rows
        self._write(0, Event(Kind.GAP), CLIENT, _bits(time), lost)
        return self._rows(first)

    def resume(self, client: bool) -> None:
        """The next byte of a side is the first one of a frame; some before it are missing."""
        self.books.resume(CLIENT if client else BROKER)
        if client:
            self._greeting = b""
        self.begun = True
        self.problem = None

    def stopped(self, code: int, stop: Any, side: int, time: int, data: Any, end: int) -> bool:
        """Do what the scanner has stopped for; tell whether it can go on.

        Args:
            code: why it has stopped.
            stop: where it has.
            side: whose bytes they are.
            time: of the packet, as the bits of a number.
            data: what the bytes are in.
            end: where they end.
        """
        if code == scanner.SHEET:
            self._common.make_room()
        elif code == scanner.CHANNELS:
            self.books = self.books.with_more_channels()
        elif code == scanner.LATE_ROOM:
            needed = int(self.books.known[LATE + side]) + end - int(stop[scanner.AT])
            self.books = self.books.with_late_room(side, needed)
        elif code == scanner.FRAME:
            return self._decode(stop, side, time, data)
        else:
            self._wrong(time, "this is no AMQP 0-9-1")
        return self.problem is None

    # -- bytes ----------------------------------------------------------------------------------

    def _take(self, side: int, data: bytes, time: float) -> list[int]:
        first = self._common.rows
        if self.problem is not None:
            return []
        if side == CLIENT:
            data, self._greeting = self._greeting + data, b""
            if not self.begun:
                data = self._greeted(data)
        self._scan(side, np.frombuffer(data, np.uint8), _bits(time))
        return self._rows(first)

    def _greeted(self, data: bytes) -> bytes:
        """Return what comes behind the first bytes, if they are those of AMQP 0-9-1."""
        size = len(PROTOCOL_HEADER)
        if not PROTOCOL_HEADER.startswith(data[:size]):
            self.problem = "the client does not begin as AMQP 0-9-1 does"
            return b""
        if len(data) < size:
            self._greeting = data
            return b""
        self.begun = True
        return data[size:]

    def _scan(self, side: int, data: Any, time: int) -> None:
        common, stop = self._common, self._stop
        stop[scanner.AT] = 0
        of = side, self.connection, common.packet, time
        while code := _scan(self.books, common.page, common.means, stop, *of, data, len(data)):
            if not self.stopped(code, stop, side, time, data, len(data)):
                return

    def _rows(self, first: int) -> list[int]:
        return list(range(first, self._common.rows))

    # -- frames that Python decodes -------------------------------------------------------------

    def _decode(self, stop: Any, side: int, time: int, data: Any) -> bool:
        """Decode a frame and write it down; tell whether it could be read."""
        if stop[scanner.WITHIN]:
            data = self.books.broker if side else self.books.client
        raw = bytes(data[stop[scanner.FROM] : stop[scanner.TO]])
        received = Received(raw[0], int.from_bytes(raw[1:3], "big"), raw)
        place = int(stop[scanner.PLACE])
        try:
            if self.books.contents[place, side, STAGE] == HEADER_DUE:
                self._write_header(place, side, time, *header_of(received)[:2])
            else:
                self._write_method(place, side, time, *event_of(received, side == CLIENT))
        except HardError as error:
            self._wrong(time, error.text)
        return self.problem is None

    def _wrong(self, time: int, why: str) -> None:
        self.problem = why
        self.gap(float(np.int64(time).view(np.float64)))

    def _write_header(self, place: int, side: int, time: int, size: int, message: str) -> None:
        text = message.encode("utf-8", "surrogatepass")
        self.books.messages[place, side, : len(text)] = np.frombuffer(text, np.uint8)
        common = self._common
        of = side, self.connection, common.packet, time
        where = self.books, common.page, common.means, place
        _header(*where, *of, min(size, _MOST), len(text))

    def _write_method(
        self, place: int, side: int, time: int, event: Event, has_content: bool
    ) -> None:
        if not has_content:
            self._write(place, event, side, time)
            return
        common = self._common
        self.books.begin_content(
            place,
            side,
            (
                NUMBER[event.kind],
                bits_of(event),
                _signed(event.tag),
                common.named(event.consumer),
                common.number(event.exchange),
                common.number(event.key),
            ),
        )

    def _write(
        self, place: int, event: Event, side: int, time: int, books: Books | None = None
    ) -> None:
        common = self._common
        if common.rows == len(common.page.ends):
            common.make_room()
        of = side, self.connection, common.packet, time
        row = _row(books or self.books, common.page, place, *of, NUMBER[event.kind])
        said = common.page.numbers[row]
        said[stream.BITS], said[stream.TAG] = bits_of(event), _signed(event.tag)
        said[stream.PREFETCH] = event.prefetch
        said[stream.CONSUMER] = common.named(event.consumer)
        said[stream.QUEUE] = common.named(event.queue)
        said[EXCHANGE], said[KEY] = common.number(event.exchange), common.number(event.key)


def _bits(time: float) -> int:
    return int(np.float64(time).view(np.int64))


def _signed(tag: int) -> int:
    return tag if tag < _SIGN else tag - _NUMBERS
