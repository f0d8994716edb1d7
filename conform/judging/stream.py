"""A stream: the events of one channel as rows of columns, followed and judged in one pass.

Events of a channel are numbered.  A number that is missing is a gap, and so nothing that is not
there is a violation; an event that comes again, because it was recorded twice, is left out.  The
pass ends where a shelf has no room, which Python makes, and where an event is refused, which Python
says in words; then it goes on from there.
"""

from __future__ import annotations

from typing import Any

from ackproof.conform.judging import facts as e
from ackproof.conform.judging.books import lacking
from ackproof.conform.judging.channel import judge
from ackproof.conform.judging.compiled import compiled, kept
from ackproof.conform.judging.following import follow, lacking_notes
from ackproof.conform.judging.shelves import Array

__all__ = [
    "AGAIN",
    "BITS",
    "COLUMNS",
    "CONSUMER",
    "EVENTS",
    "EXPECTED",
    "FOLLOWS_GAP",
    "FOUND",
    "GAPS",
    "HIGH",
    "IDENTITY",
    "KIND",
    "KNOWN",
    "LOW",
    "NUMBER",
    "PLACE",
    "POSITION",
    "PREFETCH",
    "QUEUE",
    "ROOM",
    "TAG",
    "TIME",
    "expect",
    "run",
]

#: The columns of events, as judged: one row of an array for each.  A tag has 64 bits, and no sign.
(KIND, BITS, TAG, PREFETCH, NUMBER, TIME, CONSUMER, QUEUE, IDENTITY, LOW, HIGH) = range(11)
COLUMNS = 11

#: What is known of a stream: its next number, how many events and gaps there were, how many events
#: the judge was asked of, and how far the pass has come: in rows, and in facts.
(EXPECTED, EVENTS, GAPS, POSITION, PLACE, FOUND) = range(6)
KNOWN = 6

#: A pass ends since there is no room; it ends with a code above zero where an event is refused.
ROOM = -1
#: What is to be done with an event: it was there before, it follows, it follows a gap.
AGAIN, FOLLOWS, FOLLOWS_GAP = range(3)


@kept
def expect(known: Array, number: int, kind: int) -> int:
    """Return what is to be done with the next event of a channel."""
    if known[EXPECTED] == 0:
        known[EXPECTED] = number
        known[GAPS] += kind != e.OPEN and kind != e.GAP
    if number < known[EXPECTED]:
        return AGAIN
    missing = number > known[EXPECTED]
    known[EXPECTED] = number + 1
    known[EVENTS] += 1
    known[GAPS] += missing + (kind == e.GAP)
    known[POSITION] += missing + 1
    return FOLLOWS_GAP if missing else FOLLOWS


@kept
def run(known: Array, books: Array, notes: Array, columns: Any, rows: Any, facts: Any) -> int:
    """Go on with the rows of one channel; return 0 at the end, `ROOM`, or why a row is refused.

    Args:
        known: of the stream; `PLACE` says with which row to go on, and with which one it ended.
        books: of the judge.
        notes: of who follows.
        columns: numbers by column and row.
        rows: which rows are of the channel, in its order.
        facts: what is found out; `FOUND` says how many there are.
    """
    while known[PLACE] < len(rows):
        if lacking(books) or lacking_notes(notes):
            return ROOM
        row = rows[known[PLACE]]
        kind = columns[KIND, row]
        follows = expect(known, columns[NUMBER, row], kind)
        if follows == FOLLOWS_GAP:
            judge(books, e.GAP, 0, 0, 0, 0, 0)
            follow(notes, e.GAP, 0, 0, 0, 0, 0, 0, 0, facts, 0)
        if follows != AGAIN:
            known[FOUND] = _follow(notes, columns, row, facts, known[FOUND])
            wrong = _judge(books, columns, row)
            if wrong:
                return wrong
        known[PLACE] += 1
    return 0


@compiled
def _tag(columns: Any, row: int) -> int:
    tag: int = columns[TAG, row]
    return tag if tag >= 0 else e.MOST


@compiled
def _follow(notes: Array, columns: Any, row: int, facts: Any, found: int) -> int:
    return follow(
        notes,
        columns[KIND, row],
        columns[BITS, row],
        _tag(columns, row),
        columns[CONSUMER, row],
        columns[QUEUE, row],
        columns[LOW, row],
        columns[HIGH, row],
        columns[TIME, row],
        facts,
        found,
    )


@compiled
def _judge(books: Array, columns: Any, row: int) -> int:
    return judge(
        books,
        columns[KIND, row],
        columns[BITS, row],
        _tag(columns, row),
        columns[PREFETCH, row],
        columns[CONSUMER, row],
        columns[IDENTITY, row],
    )
