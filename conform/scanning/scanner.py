"""The scanner: bytes of one side of a connection to rows of events, in compiled code.

It finds the same as `ackproof.conform.decoding`, which says what is an event.  Of the methods that
there are most of it knows what is in them; it stops at a frame that it does not know, or in which
something is not plain, and Python decodes that (`ackproof.conform.scanning.decoder`).  So it need
not know of most errors: only of frames that are none, and of those that come where no such frame
may.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ackproof.conform.judging import stream
from ackproof.conform.judging.compiled import compiled, lent
from ackproof.conform.scanning import blake, sheet
from ackproof.conform.scanning.books import (
    BITS,
    BODY_DUE,
    CLEAR,
    CONSUMER,
    EVENTS,
    EXCHANGE,
    HEADER_DUE,
    KEY,
    KIND,
    LATE,
    MESSAGE_SIZE,
    MISSING,
    MOST_MESSAGE,
    NOTHING,
    RESUMED,
    SINCE_GAP,
    STAGE,
    TAG,
    TAKEN,
    place_of,
)
from ackproof.conform.scanning.methods import NO_METHOD, read_method
from ackproof.conform.scanning.reading import NOT_PLAIN, big, read_properties
from ackproof.impl.wire.frames import BODY, HEADER, HEARTBEAT, METHOD

__all__ = [
    "AT",
    "CHANNELS",
    "DONE",
    "FRAME",
    "FROM",
    "LATE_ROOM",
    "PLACE",
    "SHEET",
    "STOP",
    "TO",
    "WITHIN",
    "WRONG",
    "Means",
    "Source",
    "header_read",
    "lent_means",
    "scan",
    "write_row",
]

#: Why it stops: there are no more bytes; there is no room on the sheet, for channels, for bytes of
#: a frame; a frame is to be decoded; this is no AMQP 0-9-1.
DONE, SHEET, CHANNELS, LATE_ROOM, FRAME, WRONG = range(6)

#: Where it stops: the next byte; where the frame to be decoded begins and ends, and whether that is
#: among the bytes that came late; and the place of its channel.
AT, FROM, TO, WITHIN, PLACE = range(5)
STOP = 5

_PREFIX, _OVERHEAD, _END_MARK = 7, 8, 0xCE
_LENGTH_AT = 3
_FRAME_MOST = 1 << 30
_LEAST_METHOD, _LEAST_HEADER = 4, 12
_SIZE_AT = 4


class Means(NamedTuple):
    """What all connections have in common.

    Attributes:
        seeds: of the numbers that stand for texts.
        names: a table of the numbers of queues and consumers whose texts are known.
        words: what a digest begins with.
        taken: and how many bytes that is.
        empty: the digest of nothing.
    """

    seeds: Any
    names: Any
    words: Any
    taken: Any
    empty: Any


@compiled
def lent_means(means: Any) -> Any:
    """Return means whose arrays are lent."""
    return Means(
        lent(means.seeds),
        lent(means.names),
        lent(means.words),
        lent(means.taken),
        lent(means.empty),
    )


class Source(NamedTuple):
    """What bytes are of: the side, the number of the connection and of the packet, and the time."""

    side: int
    connection: int
    packet: int
    time: int


@compiled
def scan(books: Any, page: Any, means: Any, stop: Any, source: Any, data: Any, end: int) -> int:
    """Scan bytes; return why it stops.

    Args:
        books: of the connection.
        page: the sheet.
        means: what all connections have in common.
        stop: where to go on, and where it stopped.
        source: what the bytes are of.
        data: what the bytes are in.
        end: where they end.
    """
    code = _next_late(books, page, means, stop, source, data, end)
    if code == DONE and books.known[LATE + source.side] == 0:
        code = _next_here(books, page, means, stop, source, data, end)
    return code


@compiled
def _missing(data: Any, at: int, have: int) -> int:
    """Return how many bytes a frame needs of which so many have come in; -1 if too many."""
    if have < _PREFIX:
        return _PREFIX
    length = big(data, at + _LENGTH_AT, 4)
    return -1 if length > _FRAME_MOST else length + _OVERHEAD


@compiled
def _next_late(
    books: Any, page: Any, means: Any, stop: Any, source: Any, data: Any, end: int
) -> int:
    """Go on with the frame of which some bytes came before, if there is one."""
    late = books.broker if source.side else books.client
    have = books.known[LATE + source.side]
    if have == 0:
        return DONE
    needed = _missing(late, 0, have)
    while have < needed:
        step = min(needed - have, end - stop[AT])
        if step == 0:
            return DONE
        if have + step > len(late):
            return LATE_ROOM
        for place in range(step):
            late[have + place] = data[stop[AT] + place]
        have += step
        stop[AT] += step
        books.known[LATE + source.side] = have
        needed = _missing(late, 0, have)
    if needed < 0:
        return WRONG
    code = _frame(books, page, means, stop, source, late, 0, have)
    if code in (DONE, FRAME):
        books.known[LATE + source.side] = 0
        stop[WITHIN] = 1
    return code


@compiled
def _next_here(
    books: Any, page: Any, means: Any, stop: Any, source: Any, data: Any, end: int
) -> int:
    """Take the frames that begin here; what is left of the bytes is late."""
    while stop[AT] < end:
        have = end - stop[AT]
        needed = _missing(data, stop[AT], have)
        if needed < 0:
            return WRONG
        if have < needed:
            return _keep(books, stop, source, data, have)
        code = _frame(books, page, means, stop, source, data, stop[AT], stop[AT] + needed)
        if code in (DONE, FRAME):
            stop[AT] += needed
            stop[WITHIN] = 0
        if code != DONE:
            return code
    return DONE


@compiled
def _keep(books: Any, stop: Any, source: Any, data: Any, have: int) -> int:
    late = books.broker if source.side else books.client
    if have > len(late):
        return LATE_ROOM
    for place in range(have):
        late[place] = data[stop[AT] + place]
    books.known[LATE + source.side] = have
    stop[AT] += have
    return DONE


@compiled
def _frame(
    books: Any, page: Any, means: Any, stop: Any, source: Any, data: Any, start: int, end: int
) -> int:
    """Take one frame, which has come in entirely; all or nothing of it is done."""
    kind, length = data[start], end - start - _OVERHEAD
    if data[end - 1] != _END_MARK or not _can_be(kind, length):
        return WRONG
    channel = big(data, start + 1, 2)
    if channel == 0:
        return DONE
    if page.used[sheet.ROWS] == len(page.ends):
        return SHEET
    if page.used[sheet.TEXT] + MOST_MESSAGE > len(page.text):
        return SHEET
    place = place_of(books, channel)
    if place < 0:
        return CHANNELS
    stop[FROM], stop[TO], stop[PLACE] = start, end, place
    at, end = start + _PREFIX, end - 1
    due = books.contents[place, source.side, STAGE]
    if due == HEADER_DUE:
        if kind != HEADER:
            return WRONG
        return _header(books, page, means, source, data, at, end, place)
    if due == BODY_DUE:
        if kind != BODY or length > books.contents[place, source.side, MISSING]:
            return WRONG
        _body(books, page, means, source, data, at, end, place)
        return DONE
    return _method(books, page, means, source, data, at, end, place, kind)


@compiled
def _can_be(kind: int, length: int) -> bool:
    if kind == METHOD:
        return length >= _LEAST_METHOD
    if kind == HEADER:
        return length >= _LEAST_HEADER
    return kind == BODY or (kind == HEARTBEAT and length == 0)


@compiled
def _method(
    books: Any,
    page: Any,
    means: Any,
    source: Any,
    data: Any,
    at: int,
    end: int,
    place: int,
    kind: int,
) -> int:
    resumed = books.known[RESUMED + source.side]
    if kind != METHOD:
        return DONE if resumed and not books.channels[place, CLEAR + source.side] else WRONG
    if resumed:
        books.channels[place, CLEAR + source.side] = 1
    what, has_content, bits, tag, consumer, queue, exchange, key = read_method(
        data, at, end, source.side, means.names, means.seeds
    )
    if what == NO_METHOD:
        return FRAME
    if has_content:
        content = books.contents[place, source.side]
        content[STAGE] = HEADER_DUE
        content[KIND], content[BITS], content[TAG] = what, bits, tag
        content[CONSUMER], content[EXCHANGE], content[KEY] = consumer, exchange, key
    else:
        row = write_row(books, page, source, place, what)
        said = page.numbers[row]
        said[stream.BITS], said[stream.TAG], said[stream.QUEUE] = bits, tag, queue
    return DONE


@compiled
def _header(
    books: Any, page: Any, means: Any, source: Any, data: Any, at: int, end: int, place: int
) -> int:
    size = big(data, at + _SIZE_AT, 8)
    message = read_properties(data, at + _LEAST_HEADER, end)
    if size < 0 or message == NOT_PLAIN:
        return FRAME
    length = 0
    if message:
        length = big(data, message, 1)
        kept = books.messages[place, source.side]
        for letter in range(length):
            kept[letter] = data[message + 1 + letter]
    header_read(books, page, means, source, place, size, length)
    return DONE


@compiled
def header_read(
    books: Any, page: Any, means: Any, source: Any, place: int, size: int, length: int
) -> None:
    """A content header was read: of a body of some size, with a message-id of some length."""
    content = books.contents[place, source.side]
    content[STAGE], content[MISSING], content[MESSAGE_SIZE] = BODY_DUE, size, length
    content[TAKEN] = means.taken[0]
    books.words[place, source.side, :] = means.words
    if size == 0:
        page.digests[_content_row(books, page, source, place), :] = means.empty


@compiled
def _body(
    books: Any, page: Any, means: Any, source: Any, data: Any, at: int, end: int, place: int
) -> None:
    content = books.contents[place, source.side]
    if at == end:
        return
    words, block = books.words[place, source.side], books.blocks[place, source.side]
    waits = books.block_words[place, source.side]
    content[TAKEN] = blake.take(words, block, waits, content[TAKEN], data, at, end)
    content[MISSING] -= end - at
    if content[MISSING] == 0:
        blake.finish(words, block, waits, content[TAKEN])
        row = _content_row(books, page, source, place)
        blake.write_hex(words, page.digests[row])


@compiled
def _content_row(books: Any, page: Any, source: Any, place: int) -> Any:
    """Write the row of an event whose content is complete."""
    content = books.contents[place, source.side]
    content[STAGE] = NOTHING
    text, start = page.text, page.used[sheet.TEXT]
    for letter in range(content[MESSAGE_SIZE]):
        text[start + letter] = books.messages[place, source.side, letter]
    page.used[sheet.TEXT] += content[MESSAGE_SIZE]
    row = write_row(books, page, source, place, content[KIND])
    said = page.numbers[row]
    said[stream.BITS], said[stream.TAG] = content[BITS], content[TAG]
    said[stream.CONSUMER] = content[CONSUMER]
    said[sheet.EXCHANGE], said[sheet.KEY] = content[EXCHANGE], content[KEY]
    return row


@compiled
def write_row(books: Any, page: Any, source: Any, place: int, kind: int) -> Any:
    """Begin a row, whose message-id is written already; return which it is."""
    channel = books.channels[place]
    channel[EVENTS] += 1
    channel[SINCE_GAP] = 1
    row = page.used[sheet.ROWS]
    page.used[sheet.ROWS] = row + 1
    page.ends[row] = page.used[sheet.TEXT]
    page.connections[row], page.packets[row] = source.connection, source.packet
    page.channels[row] = channel[0]
    said = page.numbers[row]
    said[stream.KIND], said[stream.NUMBER] = kind, channel[EVENTS]
    said[stream.TIME] = source.time
    return row
