"""Books: what a scanner keeps of one connection, as arrays that compiled code reads and writes.

Of each channel it is how many events there were, and for each side the content that is coming in,
if one is: the event that it belongs to, how many bytes are missing, and what its digest knows.  Of
each side it is the bytes of a frame that has not come in entirely.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from ackproof.conform.judging.compiled import compiled, lent
from ackproof.conform.scanning.blake import BLOCK, WORDS

__all__ = [
    "BITS",
    "BODY_DUE",
    "BROKER",
    "CLEAR",
    "CLIENT",
    "CONSUMER",
    "EVENTS",
    "EXCHANGE",
    "HEADER_DUE",
    "KEY",
    "KIND",
    "LATE",
    "MESSAGE_SIZE",
    "MISSING",
    "MOST_MESSAGE",
    "NOTHING",
    "RESUMED",
    "SINCE_GAP",
    "STAGE",
    "TAG",
    "TAKEN",
    "USED",
    "Books",
    "lent_books",
    "place_of",
]

#: The sides.
CLIENT, BROKER = 0, 1

#: What is known of a connection: how many channels there are; of each side, how many bytes of a
#: frame have come in, and whether bytes before were missing.
USED, LATE, RESUMED = 0, 1, 3
_KNOWN = 5

#: What is known of a channel: its number, how many events there were, whether one was since the
#: last gap, and of each side, whether it has begun a method since bytes were missing.
_NUMBER, EVENTS, SINCE_GAP, CLEAR = 0, 1, 2, 3
_CHANNEL = 5
#: What is known of a content: what is due next, how many bytes of it are missing, the event, how
#: many bytes were taken in by its digest, and how long the message-id is.
(STAGE, MISSING, KIND, BITS, TAG, CONSUMER, EXCHANGE, KEY, TAKEN, MESSAGE_SIZE) = range(10)
_CONTENT = 10
NOTHING, HEADER_DUE, BODY_DUE = range(3)
#: Bytes of a message-id: 255, each of which may be written as four.
MOST_MESSAGE = 4 * 255

_FEW = 2


class Books(NamedTuple):
    """The arrays; a channel has the same place in each, by its number as in a hash table.

    Attributes:
        known: of the connection.
        channels: by place: what is known of a channel.
        contents: by place and side: what is known of a content.
        messages: by place and side: its message-id.
        words: by place and side: what its digest keeps.
        blocks: by place and side: what waits for the digest.
        block_words: the same as words.
        client: bytes of a frame of the client.
        broker: bytes of a frame of the broker.
    """

    known: Any
    channels: Any
    contents: Any
    messages: Any
    words: Any
    blocks: Any
    block_words: Any
    client: Any
    broker: Any

    @classmethod
    def new(cls) -> Books:
        """Return books in which nothing is."""
        late = np.empty(0, np.uint8)
        return _with_room(np.zeros(_KNOWN, np.int64), _FEW, late, late)

    def with_more_channels(self) -> Books:
        """Return the same with room for twice as many channels."""
        found = _with_room(self.known, 2 * len(self.channels), self.client, self.broker)
        for old in np.flatnonzero(self.channels[:, _NUMBER]):
            new = int(self.channels[old, _NUMBER]) % len(found.channels)
            while found.channels[new, _NUMBER]:
                new = (new + 1) % len(found.channels)
            for before, after in zip(self[1:6], found[1:6], strict=True):
                after[new] = before[old]
        return found

    def with_late_room(self, side: int, size: int) -> Books:
        """Return the same with room for so many bytes of a frame at least."""
        before = self.broker if side else self.client
        after = np.empty(max(size, 2 * len(before)), np.uint8)
        after[: len(before)] = before
        return self._replace(broker=after) if side else self._replace(client=after)

    def since_gap(self) -> list[int]:
        """Return the places of channels that had events since the last gap, by their numbers."""
        places = np.flatnonzero(self.channels[:, SINCE_GAP])
        found: list[int] = places[np.argsort(self.channels[places, _NUMBER])].tolist()
        return found

    def begin_gap(self) -> None:
        """No channel had events since here."""
        self.channels[:, SINCE_GAP] = 0

    def begin_content(self, place: int, side: int, event: tuple[int, ...]) -> None:
        """A method was read whose content comes next; the event is as `KIND` to `KEY` have it."""
        self.contents[place, side, STAGE] = HEADER_DUE
        self.contents[place, side, KIND : KEY + 1] = event

    def resume(self, side: int) -> None:
        """The next byte of a side is the first of a frame, and some before it are missing."""
        self.known[LATE + side] = 0
        self.known[RESUMED + side] = 1
        self.contents[:, side, STAGE] = NOTHING
        self.channels[:, CLEAR + side] = 0


def _with_room(known: Any, channels: int, client: Any, broker: Any) -> Books:
    blocks = np.zeros((channels, 2, BLOCK), np.uint8)
    return Books(
        known,
        np.zeros((channels, _CHANNEL), np.int64),
        np.zeros((channels, 2, _CONTENT), np.int64),
        np.zeros((channels, 2, MOST_MESSAGE), np.uint8),
        np.zeros((channels, 2, WORDS), np.uint64),
        blocks,
        blocks.view(np.uint64),
        client,
        broker,
    )


@compiled
def lent_books(books: Any) -> Any:
    """Return books whose arrays are lent."""
    return Books(
        lent(books.known),
        lent(books.channels),
        lent(books.contents),
        lent(books.messages),
        lent(books.words),
        lent(books.blocks),
        lent(books.block_words),
        lent(books.client),
        lent(books.broker),
    )


@compiled
def place_of(books: Any, channel: int) -> int:
    """Return the place of a channel, which has one afterwards; -1 if there is no room for it."""
    channels = books.channels
    count = len(channels)
    place = channel % count
    while channels[place, _NUMBER] != channel:
        if channels[place, _NUMBER] == 0:
            if 2 * books.known[USED] >= count:
                return -1
            books.known[USED] += 1
            channels[place, _NUMBER] = channel
            return place
        place = (place + 1) % count
    return place
