"""Shelves: what the judge keeps of a channel, in one array of 64-bit integers.

The array begins with single numbers; behind them is a part for each *shelf*, which says where its
rows are.  There are two kinds.  A *queue* has rows in the order in which they came, and uses its
room in turn.  A *map* has rows by a key and in the order in which they were added, so that the
first one, and the one before another, are at hand: a hash table whose chains and order are linked
through the rows, each of which is a line of the processor's cache.

A row is known by the position of its first number in the array, so its columns are at `row + A` and
so on; 0 is no row.  Every operation takes constant time, and there is room for what is kept.  No
function here makes room: whoever adds something has asked before whether there is some (`free`),
and Python makes more (`larger`): a shelf that is full moves to the end of a longer array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from ackproof.conform.judging.compiled import compiled, kept

__all__ = [
    "HEAD",
    "KEY",
    "A",
    "Array",
    "B",
    "C",
    "add",
    "add_recent",
    "after",
    "at",
    "before",
    "clear_map",
    "clear_queue",
    "clear_shelves",
    "count",
    "drop",
    "find",
    "first",
    "free",
    "larger",
    "pop",
    "pop_last",
    "push",
    "size",
    "with_shelves",
]


class Array(Protocol):
    """One dimension of 64-bit integers."""

    def __len__(self) -> int:
        """Return how many there are."""

    def __getitem__(self, place: int) -> int:
        """Return one of them."""

    def __setitem__(self, place: int | slice, number: int) -> None:
        """Change one of them, or some."""


#: What is said of a shelf: where its rows begin, how many there are, and how wide they are.
HEAD = 3
_BASE, _ROWS, _WIDTH = range(HEAD)
_QUEUE, _MAP = 4, 8

#: The columns of a map: key, rest of the chain, first of a chain, order, and three for the user.
KEY, _CHAIN, _BUCKET, _NEXT, _BEFORE, A, B, C = range(_MAP)
#: In row 0 of a map: how many there are, a row that is free again, and how many were ever used.
_COUNT, _FREE, _USED = KEY, _CHAIN, A
#: In row 0 of a queue: where it begins, and how many there are.
_START, _LENGTH = 0, 1
#: Rows of a new shelf, a power of two.
_FEWEST = 8
#: What is remembered only to say more precisely what is wrong is so much at most.
_RECENT = 4096


def with_shelves(numbers: int, maps: Sequence[int], queues: Sequence[int]) -> Array:
    """Return an array of zeros, so many, with shelves behind them that are empty."""
    made: Any = np.zeros(numbers, np.int64)
    for shelf in maps:
        made = _put_map(made, shelf, _FEWEST)
    for shelf in queues:
        made = _put_queue(made, shelf, _FEWEST)
    found: Array = made
    return found


def _put_queue(s: Array, shelf: int, rows: int) -> Array:
    return _put(s, shelf, rows, _QUEUE)


def _put_map(s: Array, shelf: int, rows: int) -> Array:
    made = _put(s, shelf, rows, _MAP)
    base = made[shelf + _BASE]
    made[base + _NEXT] = made[base + _BEFORE] = base
    return made


def _put(s: Any, shelf: int, rows: int, width: int) -> Array:
    made: Any = np.concatenate([s, np.zeros(rows * width, np.int64)])
    made[shelf : shelf + HEAD] = len(s), rows, width
    found: Array = made
    return found


def larger(s: Any, shelf: int) -> Array:
    """Return an array in which a shelf has the same content and twice the room."""
    base, rows, width = s[shelf : shelf + HEAD]
    if width == _QUEUE:
        made = _put_queue(s, shelf, 2 * rows)
        _move_queue(made, shelf, base, rows)
    else:
        made = _put_map(s, shelf, 2 * rows)
        _move_map(made, shelf, base)
    return made


@kept
def size(s: Array, shelf: int) -> int:
    """Return how many rows a map has."""
    return s[s[shelf + _BASE] + _COUNT]


@compiled
def count(s: Array, shelf: int) -> int:
    """Return how many rows a queue has."""
    return s[s[shelf + _BASE] + _LENGTH]


@compiled
def free(s: Array, shelf: int) -> int:
    """Return how many rows can be added."""
    has = count(s, shelf) if s[shelf + _WIDTH] == _QUEUE else size(s, shelf)
    return s[shelf + _ROWS] - 1 - has


# -- queues -------------------------------------------------------------------------------------


@compiled
def at(s: Array, shelf: int, place: int) -> int:
    """Return the row of a place, from 0 for the first one."""
    base, most = s[shelf + _BASE], s[shelf + _ROWS] - 1
    found = s[base + _START] + place
    return base + _QUEUE * (1 + (found if found < most else found - most))


@compiled
def push(s: Array, shelf: int, a: int, b: int, c: int, d: int) -> None:
    """Add a row at the end."""
    row = at(s, shelf, count(s, shelf))
    s[row], s[row + 1], s[row + 2], s[row + 3] = a, b, c, d
    s[s[shelf + _BASE] + _LENGTH] += 1


@compiled
def pop(s: Array, shelf: int) -> None:
    """Take the first row away."""
    base, start = s[shelf + _BASE], s[s[shelf + _BASE] + _START] + 1
    s[base + _START] = start if start < s[shelf + _ROWS] - 1 else 0
    s[base + _LENGTH] -= 1


@compiled
def pop_last(s: Array, shelf: int) -> None:
    """Take the last row away."""
    s[s[shelf + _BASE] + _LENGTH] -= 1


@compiled
def clear_queue(s: Array, shelf: int) -> None:
    """Take all rows away."""
    base = s[shelf + _BASE]
    s[base + _START] = s[base + _LENGTH] = 0


@kept
def _move_queue(s: Array, shelf: int, base: int, rows: int) -> None:
    for place in range(s[base + _LENGTH]):
        row = base + _QUEUE * (1 + (s[base + _START] + place) % (rows - 1))
        push(s, shelf, s[row], s[row + 1], s[row + 2], s[row + 3])


# -- maps ---------------------------------------------------------------------------------------


@compiled
def _bucket(s: Array, shelf: int, key: int) -> int:
    """Return where it says which row is the first that a key can be in."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    place: Any = np.int64(mixed & np.uint64(s[shelf + _ROWS] - 1))
    found: int = s[shelf + _BASE] + _MAP * place + _BUCKET
    return found


@compiled
def find(s: Array, shelf: int, key: int) -> int:
    """Return the row of a key, 0 if it is not there."""
    row = s[_bucket(s, shelf, key)]
    while row and s[row + KEY] != key:
        row = s[row + _CHAIN]
    return row


@compiled
def first(s: Array, shelf: int) -> int:
    """Return the first row, 0 if there is none."""
    return after(s, shelf, s[shelf + _BASE])


@compiled
def after(s: Array, shelf: int, row: int) -> int:
    """Return the row behind another, 0 if that is the last."""
    found = s[row + _NEXT]
    return 0 if found == s[shelf + _BASE] else found


@compiled
def before(s: Array, shelf: int, row: int) -> int:
    """Return the row before another, 0 if that is the first."""
    found = s[row + _BEFORE]
    return 0 if found == s[shelf + _BASE] else found


@compiled
def add(s: Array, shelf: int, key: int) -> int:
    """Add a key that is not there, behind all others; return its row."""
    base = s[shelf + _BASE]
    row = s[base + _FREE]
    if row:
        s[base + _FREE] = s[row + _CHAIN]
    else:
        s[base + _USED] += 1
        row = base + _MAP * s[base + _USED]
    bucket = _bucket(s, shelf, key)
    s[row + KEY] = key
    s[row + _CHAIN] = s[bucket]
    s[bucket] = row
    last = s[base + _BEFORE]
    s[last + _NEXT] = s[base + _BEFORE] = row
    s[row + _BEFORE] = last
    s[row + _NEXT] = base
    s[row + A] = s[row + B] = s[row + C] = 0
    s[base + _COUNT] += 1
    return row


@compiled
def drop(s: Array, shelf: int, row: int) -> None:
    """Take a row out."""
    base, link = s[shelf + _BASE], _bucket(s, shelf, s[row + KEY])
    while s[link] != row:
        link = s[link] + _CHAIN
    s[link] = s[row + _CHAIN]
    earlier, later = s[row + _BEFORE], s[row + _NEXT]
    s[earlier + _NEXT] = later
    s[later + _BEFORE] = earlier
    s[row + _CHAIN] = s[base + _FREE]
    s[base + _FREE] = row
    s[base + _COUNT] -= 1


@compiled
def clear_map(s: Array, shelf: int) -> None:
    """Take all rows out."""
    row = first(s, shelf)
    while row:
        drop(s, shelf, row)
        row = first(s, shelf)


@compiled
def clear_shelves(s: Array, start: int, end: int) -> None:
    """Take all rows out of the shelves whose heads are between two places."""
    for shelf in range(start, end, HEAD):
        if s[shelf + _WIDTH] == _QUEUE:
            clear_queue(s, shelf)
        else:
            clear_map(s, shelf)


@compiled
def add_recent(s: Array, shelf: int, key: int, value: int) -> bool:
    """Remember a key as the latest, with its value in `A`; tell whether another was forgotten."""
    row = find(s, shelf, key)
    if row:
        drop(s, shelf, row)
    row = add(s, shelf, key)
    s[row + A] = value
    if size(s, shelf) > _RECENT:
        drop(s, shelf, first(s, shelf))
        return True
    return False


@kept
def _move_map(s: Array, shelf: int, base: int) -> None:
    row = s[base + _NEXT]
    while row != base:
        made = add(s, shelf, s[row + KEY])
        s[made + A], s[made + B], s[made + C] = s[row + A], s[row + B], s[row + C]
        row = s[row + _NEXT]
