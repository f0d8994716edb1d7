"""Following: a connection whose segments come in order, followed by compiled code.

Most of the time nothing is missing, late or lost.  Then a segment of a side begins where the last
one has ended, and acknowledges no more than was seen.  As long as that is so, compiled code goes
from segment to segment and scans what is in them.  At any other segment it stops, and
`ackproof.conform.capture` follows the connection until it is in order again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ackproof.conform.judging.compiled import kept, lent
from ackproof.conform.scanning import scanner
from ackproof.conform.scanning import segments as s
from ackproof.conform.scanning.books import lent_books
from ackproof.conform.scanning.scanner import AT, DONE, Source, lent_means
from ackproof.conform.scanning.sheet import lent_sheet

__all__ = [
    "ASIDE",
    "FAR",
    "FOREIGN",
    "INSIDE",
    "MISSED",
    "NEXT",
    "ORDER",
    "PYTHON",
    "RECEIVED",
    "ROW",
    "SEEN",
    "STATE",
    "WAY",
    "beyond",
    "follow",
    "new_state",
]

#: How a connection is followed: by Python, in order, or not at all, since it is not AMQP 0-9-1.
PYTHON, ORDER, FOREIGN = range(3)
#: What is known of a connection: how it is followed, which row is next, whether that was begun and
#: when anything was seen; of each side, the number of the next byte, up to where the other one has
#: received it, and up to where something is missing.
WAY, ROW, INSIDE, SEEN, NEXT, RECEIVED, MISSED = 0, 1, 2, 3, 4, 6, 8
STATE = 10

#: A segment that Python has to look at.
ASIDE = -1
#: What is so far behind is no late segment: another connection has the same addresses.
FAR = 1 << 24
_NUMBERS, _HALF = 1 << 32, 1 << 31


@kept
def beyond(low: int, near: int) -> int:
    """Return the number near another one of which the low bits were sent."""
    return near + (low - near + _HALF) % _NUMBERS - _HALF


@kept
def follow(
    state: Any,
    books: Any,
    page: Any,
    means: Any,
    stop: Any,
    client: int,
    connection: int,
    numbers: Any,
    rows: Any,
    data: Any,
) -> int:
    """Go on with the segments of a connection; return `DONE`, `ASIDE`, or why the scanner stops.

    Args:
        state: what is known of it.
        books: what the scanner keeps of it.
        page: the sheet.
        means: what all scanners have in common.
        stop: where the scanner goes on, and where it has stopped.
        client: the side of the client.
        connection: its number.
        numbers: segments.
        rows: which of them are of the connection, in their order.
        data: what their bytes are in.
    """
    books, page, means = lent_books(books), lent_sheet(page), lent_means(means)
    state, stop, numbers = lent(state), lent(stop), lent(numbers)
    rows, data = lent(rows), lent(data)
    while state[ROW] < len(rows):
        said = numbers[rows[state[ROW]]]
        side, flags, size = said[s.SIDE], said[s.FLAGS], said[s.UNTIL] - said[s.DATA]
        ahead = state[NEXT + side]
        start = beyond(said[s.SEQ], ahead)
        if flags & s.BEGINS or start <= ahead - FAR or state[WAY] == PYTHON:
            return ASIDE
        if state[WAY] == FOREIGN:
            state[ROW] += 1
            continue
        if flags & s.ENDS or not flags & s.HAS_ACK:
            return ASIDE
        other = 1 - side
        ahead_there = state[NEXT + other]
        received = beyond(said[s.ACK], ahead_there)
        if size > 0 and start + size > ahead:
            if start > ahead or received > ahead_there or received < state[MISSED + other]:
                return ASIDE
            if not state[INSIDE]:
                stop[AT] = said[s.DATA] + ahead - start
                state[INSIDE] = 1
                state[SEEN] = said[s.TIME]
            source = Source(int(side != client), connection, said[s.PACKET], said[s.TIME])
            code = scanner.scan(books, page, means, stop, source, data, said[s.UNTIL])
            if code != DONE:
                return code
            state[INSIDE] = 0
            state[NEXT + side] = start + size
        state[RECEIVED + other] = max(state[RECEIVED + other], received)
        state[ROW] += 1
    return DONE


def new_state() -> Any:
    """Return the state of a connection of which nothing is known."""
    return np.zeros(STATE, np.int64)
