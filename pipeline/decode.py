"""Packed states as columns: the bits of one variable, in many states at once, as an Arrow array.

Of a variable few values occur, however many states there are.  So the bits of its leaves are cut
out of the words for all states together, each pattern that occurs is decoded once, by the same code
that unpacks a state for a trace, and Arrow copies the result to where the pattern occurs.  Maps are
put together from that without looking at their values: each has all of its keys, so all are of the
same length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from ackproof.lang.data import Elements, domain
from ackproof.lang.types import Type
from ackproof.model.lower.codec import Codec
from ackproof.model.lower.ops import WORD_BITS, Emitter
from ackproof.pipeline.columns import arrow_type, column_value, has_null
from ackproof.pipeline.schema import StateVariable
from numpy.typing import NDArray

__all__ = ["decode", "words_of"]

#: Patterns of up to this many bits are found by a table, wider ones by sorting.
_NARROW = 16


def words_of(variable: StateVariable) -> tuple[int, ...]:
    """Return the numbers of the words that a variable lies in, ascending; none if it is fixed."""
    pieces = (piece for x in variable.leaves if not isinstance(x, int) for piece in x)
    return tuple(sorted({piece.word for piece in pieces}))


def decode(
    variable: StateVariable, elements: Elements, words: Sequence[NDArray[np.int64]], states: int
) -> pa.Array:
    """Return the values of a variable in many states.

    Args:
        variable: which one.
        elements: the elements of each sort.
        words: for each of `words_of(variable)`, that word of each state.
        states: how many there are.

    Returns:
        An array of `arrow_type(variable.type, elements)`, with one entry for each state.
    """
    bits = _bits(variable, dict(zip(words_of(variable), words, strict=True)), states)
    leaves = _leaves(bits.ravel(), variable.leaf, elements)
    keys = [(key, domain(key, elements)) for key in variable.keys]
    return _in_maps(leaves, keys, states, elements)


def _bits(
    variable: StateVariable, words: dict[int, NDArray[np.int64]], states: int
) -> NDArray[Any]:
    """Return the bits of each leaf in each state: a row for each state, a column for each leaf.

    Where they do not fit a word, they are integers of Python.
    """
    wide = any(x >> WORD_BITS if isinstance(x, int) else len(x) > 1 for x in variable.leaves)
    found = np.empty((states, len(variable.leaves)), dtype=object if wide else np.uint64)
    for i, place in enumerate(variable.leaves):
        if isinstance(place, int):
            found[:, i] = place
            continue
        first, *more = (_piece(words[p.word].view(np.uint64), p.shift, p.width) for p in place)
        found[:, i] = first
        for number, piece in enumerate(more, 1):
            found[:, i] |= piece.astype(object) << number * WORD_BITS
    return found


def _piece(word: NDArray[np.uint64], shift: int, width: int) -> NDArray[np.uint64]:
    return word >> np.uint64(shift) & np.uint64(2**width - 1)


def _leaves(bits: NDArray[Any], t: Type, elements: Elements) -> pa.Array:
    """Return the value that each pattern of bits stands for."""
    codec = Codec(elements, Emitter())
    patterns, places = _distinct(bits)
    values = [_value(pattern, t, codec) for pattern in patterns.tolist()]
    return pa.array(values, type=arrow_type(t, elements)).take(pa.array(places))


def _value(pattern: int, t: Type, codec: Codec) -> Any:
    try:
        return column_value(codec.to_data(t, codec.load(t, pattern)), t)
    except IndexError:
        raise ValueError(f"the bits {pattern:#x} stand for nothing of type {t!r}") from None


def _distinct(bits: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the patterns that occur, ascending, and for each entry which of them it is."""
    if not bits.size or int(bits.max()) >> _NARROW:
        patterns, places = np.unique(bits, return_inverse=True)
        return patterns, places.astype(np.int64)
    occurs = np.zeros(int(bits.max()) + 1, dtype=bool)
    occurs[bits] = True
    return np.flatnonzero(occurs).astype(np.uint64), (np.cumsum(occurs) - 1)[bits]


def _in_maps(
    values: pa.Array, keys: list[tuple[Type, list[Any]]], states: int, elements: Elements
) -> pa.Array:
    """Put leaves into the maps that they belong to, the innermost first."""
    owners = [states]
    for _, found in keys:
        owners.append(owners[-1] * len(found))
    for (t, found), maps in zip(reversed(keys), reversed(owners[:-1]), strict=True):
        offsets = pa.array(np.arange(maps + 1, dtype=np.int32) * np.int32(len(found)))
        listed = pa.array([column_value(k, t) for k in found], type=arrow_type(t, elements))
        repeated = listed.take(pa.array(np.tile(np.arange(len(found)), maps)))
        if has_null(t):
            pairs = pa.StructArray.from_arrays([repeated, values], names=["key", "value"])
            values = pa.ListArray.from_arrays(offsets, pairs)
        else:
            values = pa.MapArray.from_arrays(offsets, repeated, values)
    return values
