"""Captures as columns: what `ackproof.conform.capture` reads, most of it by compiled code.

A capture is read in pieces.  Of each piece the packets are found, then what they say of TCP
connections; then each connection goes on by itself (`ackproof.conform.scanning.following`), and
Python follows it where it is not in order.  What both find out is written on one sheet.

What a packet means depends on those of its own connection, and on when files begin and end.  So a
reader may be given the packets of some pairs of addresses only, if it is told of all files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from ackproof.conform.capture.conversation import Piece
from ackproof.conform.capture.listening import Listening
from ackproof.conform.capture.reading import Connection
from ackproof.conform.capture.rotation import Clock, in_order
from ackproof.conform.capture.segments import Segment
from ackproof.conform.columns import Columns
from ackproof.conform.judging.texts import HERE, Numbering
from ackproof.conform.scanning import following as f
from ackproof.conform.scanning import packets, scanner
from ackproof.conform.scanning import segments as s
from ackproof.conform.scanning.books import BROKER, CLIENT, EVENTS, Books
from ackproof.conform.scanning.decoder import ColumnDecoder, Common
from ackproof.conform.scanning.segments import Pairs, Rows
from ackproof.conform.schema import RecordingError
from ackproof.conform.sources import Source

__all__ = ["CaptureReader", "read_capture_columns"]

#: Rows that are made columns of at a time, at least.
_TOGETHER = 1 << 14
_NOWHERE = -(1 << 62)
#: What is found out because a capture ends comes after all that a packet says.
_AFTER_ALL = 1 << 62
_BEGUN_NUMBERS = (f.NEXT, f.RECEIVED)


def read_capture_columns(
    pieces: Sequence[Source],
    how: Listening,
    numbering: Numbering = HERE,
    damaged: Callable[[Source, RecordingError | OSError], None] | None = None,
) -> Iterator[Columns]:
    """Yield the events of a capture as columns; those of a channel are in order.

    Args:
        pieces: the files that it is in.
        how: how it is read.
        numbering: the numbers that stand for texts.
        damaged: told of a file that is no capture, is damaged, or cannot be read; the others are
            read all the same.

    Raises:
        RecordingError: a file is no capture, or damaged, and nobody is to be told.
        OSError: it cannot be read, and nobody is to be told.
    """
    reader = CaptureReader(how, numbering)
    for file in in_order(pieces):
        try:
            yield from _columns_of(file, reader)
        except (RecordingError, OSError) as error:
            yield from reader.rest()
            if damaged is None:
                raise
            damaged(file, error)
    yield from reader.part()


def _columns_of(file: Source, reader: CaptureReader) -> Iterator[Columns]:
    begun = False
    for piece in packets.pieces_of(file):
        if not len(piece.packets):
            continue
        first, last = piece.between()
        if not begun:
            yield from reader.begin(first)
        begun = True
        reader.ended(last)
        yield from reader.take(piece)


class CaptureReader:
    """A capture, as its files come: of each when it begins, packets, and when they were seen.

    Args:
        how: how it is read.
        numbering: the numbers that stand for texts.
    """

    def __init__(self, how: Listening, numbering: Numbering) -> None:
        self._how = how
        self._common, self._pairs = Common(how.key, numbering), Pairs()
        self._open: dict[int, _Pair] = {}
        self._clock = Clock()

    def begin(self, first: float) -> Iterator[Columns]:
        """Begin a file whose first packet has this time: yield what does not go on there."""
        if not self._clock.goes_on(first):
            yield from self.part()

    def ended(self, last: float) -> None:
        """A file goes up to a packet of this time, as far as it was read."""
        self._clock.pass_to(last)

    def take(self, piece: packets.Piece) -> Iterator[Columns]:
        """Take packets of a file, in their order; yield what there is, if it is much."""
        rows = self._pairs.rows(piece)
        for number, which in _by_pair(rows.numbers):
            if number not in self._open:
                self._open[number] = _Pair(self._pairs, self._how, self._common)
            self._open[number].take(rows, which)
        if self._common.rows >= _TOGETHER:
            yield self._common.columns()

    def part(self) -> Iterator[Columns]:
        """No connection goes on: yield what is left."""
        self._common.packet = _AFTER_ALL
        for pair in self._open.values():
            pair.part()
        yield from self.rest()

    def rest(self) -> Iterator[Columns]:
        """Yield what there is so far."""
        if self._common.rows:
            yield self._common.columns()


def _by_pair(numbers: Any) -> Iterator[tuple[int, Any]]:
    """Yield each pair with its rows, in order."""
    if not len(numbers):
        return
    order = np.argsort(numbers[:, s.PAIR], kind="stable")
    ordered = numbers[order, s.PAIR]
    ends = np.flatnonzero(np.diff(ordered)) + 1
    for which in np.split(order, ends):
        yield int(numbers[which[0], s.PAIR]), which


class _Pair:
    """The connections between two addresses, one after the other."""

    _nothing = Books.new()

    def __init__(self, pairs: Pairs, how: Listening, common: Common) -> None:
        self._pairs = pairs
        self._how = how
        self._common = common
        self._earlier = 0
        self._connection: Connection[int] | None = None
        self._decoder: ColumnDecoder | None = None
        self._client = 0
        self._turned = False  # the first side of the conversation is the higher address
        self._state = f.new_state()
        self._stop = np.zeros(scanner.STOP, np.int64)

    def take(self, rows: Rows, which: Any) -> None:
        """Go on with some segments."""
        state, count = self._state, len(which)
        state[f.ROW] = 0
        while state[f.ROW] < count:
            code = f.ASIDE
            if state[f.WAY] != f.PYTHON:
                code = self._follow(rows, which)
            if code == f.ASIDE:
                self._aside(rows, int(which[state[f.ROW]]))
                state[f.ROW] += 1
            elif code != scanner.DONE:
                self._stopped(code, rows, int(which[state[f.ROW]]))

    def part(self) -> None:
        """The connection does not go on."""
        if self._connection is not None:
            self._tell()
            self._connection.finish()
            self._earlier += 1
            self._connection = self._decoder = None
            self._state[f.WAY] = f.PYTHON

    def _follow(self, rows: Rows, which: Any) -> int:
        decoder, common = self._decoder, self._common
        books, number = (decoder.books, decoder.connection) if decoder else (self._nothing, 0)
        how = self._stop, self._client, number
        found: int = f.follow(
            self._state, books, common.page, common.means, *how, rows.numbers, which, rows.data
        )
        return found

    # -- where Python goes on -------------------------------------------------------------------

    def _aside(self, rows: Rows, row: int) -> None:
        """Take a segment as `ackproof.conform.capture.reading` does."""
        segment = self._pairs.segment(rows, row)
        self._common.packet = int(rows.numbers[row, s.PACKET])
        self._tell()
        connection = self._connection
        if connection is not None and not connection.conversation.continues(segment):
            connection.finish()
            self._earlier += 1
            connection = None
        if connection is None:
            connection = self._opened(segment, int(rows.numbers[row, s.SIDE]))
        connection.take(segment)
        self._ask()

    def _opened(self, first: Segment, side: int) -> Connection[int]:
        self._decoder = None
        self._turned = side == 1
        self._state[f.SEEN] = self._state[f.INSIDE] = 0
        self._connection = Connection(first, self._how, self._decoded, self._earlier)
        return self._connection

    def _decoded(self, name: str) -> ColumnDecoder:
        self._decoder = ColumnDecoder(self._common, name)
        return self._decoder

    def _stopped(self, code: int, rows: Rows, row: int) -> None:
        """Do what the scanner has stopped for."""
        said, state, decoder = rows.numbers[row].tolist(), self._state, self._decoder
        assert decoder is not None
        assert self._connection is not None
        self._common.packet = said[s.PACKET]
        side = CLIENT if said[s.SIDE] == self._client else BROKER
        where = said[s.TIME], rows.data, said[s.UNTIL]
        if decoder.stopped(code, self._stop, side, *where):
            return
        # The segment is not understood, and is over.
        piece = self._piece(rows, row)
        state[f.NEXT + said[s.SIDE]] += len(piece.data)
        state[f.INSIDE] = 0
        state[f.ROW] += 1
        self._tell()
        assert self._connection.heard is not None
        self._connection.heard.misunderstood(piece)
        self._ask()

    def _piece(self, rows: Rows, row: int) -> Piece:
        """Return what a segment has that is new, which is in order."""
        segment, side = self._pairs.segment(rows, row), int(rows.numbers[row, s.SIDE])
        ahead, there = (int(self._state[f.NEXT + number]) for number in (side, 1 - side))
        assert segment.ack is not None
        passed = f.beyond(segment.seq, ahead)
        data = segment.data[ahead - passed :]
        received = f.beyond(segment.ack, there)
        return Piece(side ^ self._turned, ahead, received, segment.time, data)

    # -- what both know -------------------------------------------------------------------------

    def _tell(self) -> None:
        """Tell Python how far compiled code has come."""
        state, connection, decoder = self._state, self._connection, self._decoder
        if state[f.WAY] != f.ORDER or connection is None or decoder is None:
            return
        after, received = (self._of_sides(at) for at in _BEGUN_NUMBERS)
        connection.conversation.go_on(after, received)
        if state[f.SEEN] and connection.heard is not None:
            seen = bool(decoder.books.channels[:, EVENTS].any())
            connection.heard.go_on(float(state[f.SEEN].view(np.float64)), seen)

    def _ask(self) -> None:
        """Ask Python whether compiled code can go on."""
        state, connection = self._state, self._connection
        assert connection is not None
        state[f.WAY], state[f.SEEN] = f.PYTHON, 0
        conversation, heard = connection.conversation, connection.heard
        after = conversation.next_bytes() if connection.ignored else conversation.in_order()
        if after is None:
            return
        if connection.ignored:
            state[f.WAY] = f.FOREIGN
        else:
            missed = None if heard is None else heard.in_order(after)
            if heard is None or missed is None:
                return
            state[f.WAY] = f.ORDER
            self._client = heard.client ^ self._turned
            self._fill(f.MISSED, [int(max(number, _NOWHERE)) for number in missed])
            self._fill(f.RECEIVED, [_NOWHERE, _NOWHERE])
        self._fill(f.NEXT, after)

    def _of_sides(self, at: int) -> list[int]:
        found: list[int] = self._state[at : at + 2].tolist()
        return found[::-1] if self._turned else found

    def _fill(self, at: int, of_sides: list[int]) -> None:
        self._state[at : at + 2] = of_sides[::-1] if self._turned else of_sides
