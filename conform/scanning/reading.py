"""Reading: numbers, texts, tables and properties of AMQP 0-9-1 among bytes, in compiled code.

What is read here is what is plain: texts of ASCII, and whatever cannot be wrong.  Of all else it is
only told that it is not plain, and `ackproof.impl.wire.decoding` says what it means.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ackproof.conform.judging.compiled import compiled
from ackproof.conform.judging.texts import stirred
from ackproof.impl.wire.encoded_fields import PROPERTIES
from ackproof.impl.wire.values import SIZES

__all__ = [
    "NOT_PLAIN",
    "big",
    "number_of",
    "read_properties",
    "short_end",
]

NOT_PLAIN = -1

#: The number of a byte, with a sign: compiled code makes a float of one with and one without.
_int: Any = np.int64

_KINDS = ("shortstr", "table", "octet", "timestamp")
_SHORT, _TABLE, _OCTET, _MOMENT = range(4)
_FLAGS = np.array([flag for _, flag, _ in PROPERTIES], np.int64)
_TYPES = np.array([_KINDS.index(kind) for _, _, kind in PROPERTIES], np.int64)
_MESSAGE = [name for name, _, _ in PROPERTIES].index("message_id")
#: Bits that stand for no property.
_OTHERS = 0xFFFF & ~sum(flag for _, flag, _ in PROPERTIES)

#: Bytes of a value in a table by the letter of its type; those that begin with their length, and
#: those that are not plain.
_LONG, _INNER, _NOT_PLAIN = -2, -3, -1
_SIZES = np.full(256, _NOT_PLAIN, np.int64)
for _letter, _size in SIZES.items():
    _SIZES[_letter[0]] = _size
_SIZES[ord("S")] = _LONG
_SIZES[ord("F")] = _SIZES[ord("A")] = _INNER
_TABLE_LETTER = ord("F")
#: Levels of tables in one another that are plain.
_DEPTH = 8


@compiled
def big(data: Any, at: int, size: int) -> Any:
    """Return a number of so many bytes; one of eight may come out negative."""
    found = 0
    for place in range(at, at + size):
        found = found << 8 | _int(data[place])
    return found


@compiled
def _short_limit(data: Any, at: int, limit: int) -> Any:
    """Return where a short text ends, whatever is in it."""
    if at >= limit:
        return NOT_PLAIN
    end = at + 1 + _int(data[at])
    return end if end <= limit else NOT_PLAIN


@compiled
def short_end(data: Any, at: int, limit: int) -> Any:
    """Return where a short text ends, if it is plain."""
    end = _short_limit(data, at, limit)
    for place in range(at + 1, end):
        if data[place] > 127:
            return NOT_PLAIN
    return end


@compiled
def number_of(seeds: Any, data: Any, at: int, end: int) -> Any:
    """Return the number that stands for a short text, as `Numbering` does."""
    if at + 1 == end:
        return 0
    return _int(stirred(data, at + 1, end, seeds[0], seeds[1])[0])


@compiled
def _table_end(data: Any, at: int, limit: int) -> Any:
    """Return where a table ends, if it is plain."""
    if at + 4 > limit:
        return NOT_PLAIN
    ends = np.empty(_DEPTH, np.int64)
    named = np.empty(_DEPTH, np.bool_)
    ends[0], named[0] = at + 4 + big(data, at, 4), True
    if ends[0] > limit:
        return NOT_PLAIN
    whole, at, level = ends[0], at + 4, 0
    while level >= 0:
        end = ends[level]
        if at == end:
            level -= 1
            continue
        if named[level]:
            at += 1 + _int(data[at])
        if at >= end:
            return NOT_PLAIN
        letter = data[at]
        size = _SIZES[letter]
        at += 1
        if size in (_LONG, _INNER):
            if at + 4 > end:
                return NOT_PLAIN
            begin, size = size, 4 + big(data, at, 4)
            if begin == _INNER:
                if level + 1 == _DEPTH or at + size > end:
                    return NOT_PLAIN
                level += 1
                ends[level], named[level] = at + size, letter == _TABLE_LETTER
                size = 4
        if size < 0 or at + size > end:
            return NOT_PLAIN
        at += size
    return whole


@compiled
def read_properties(data: Any, at: int, end: int) -> int:
    """Read flags and properties, if they are plain.

    Returns:
        `NOT_PLAIN`, or where the message-id begins; 0 if there is none.
    """
    message = 0
    if at + 2 > end:
        return NOT_PLAIN
    flags = big(data, at, 2)
    if flags & _OTHERS:
        return NOT_PLAIN
    at += 2
    for place in range(len(_FLAGS)):
        if not flags & _FLAGS[place]:
            continue
        kind = _TYPES[place]
        if kind == _SHORT:
            if place == _MESSAGE:
                message, at = at, short_end(data, at, end)
            else:
                at = _short_limit(data, at, end)
        elif kind == _TABLE:
            at = _table_end(data, at, end)
        elif kind == _OCTET:
            at += 1
        else:
            at += 8
        if at == NOT_PLAIN or at > end:
            return NOT_PLAIN
    return message if at == end else NOT_PLAIN
