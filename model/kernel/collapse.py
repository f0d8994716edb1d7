"""Collapsed states: a state of several words as one word, its *key*.

States are many, and what they are made of is not: 11.7 million states of two words are made of
426,451 first words and 89,058 second ones.  So each word gets a number in a dictionary, two numbers
next to each other make a pair, which gets a number in another, and so on up to the last two, which
are the key.  The idea is that of SPIN's COLLAPSE, and the tree is LTSmin's (Laarman, van de Pol,
Weber, "Parallel recursive state compression for free", 2011).
Nothing is lost: two states have the same key only if all their bits are the same.

Each worker has dictionaries of its own, so a key means something to its worker alone.  No key is 0:
the top bit of each is set.  A batch is done level by level of the tree, so that the memory can be
asked for all of a level before the first of it is needed.  Of an odd number of words the first one
has no neighbour: the last one is not full, and so has fewer values.

Whether the tables of a search hold keys is in the shape that its functions are compiled for.  Where
they hold states, nothing here does anything but copy.
"""

from ackproof.model.kernel.control import (
    CAPACITY,
    LEAVES,
    MOST_NUMBERS,
    PAIRS,
    SIZE,
    UNNUMBERED,
)
from ackproof.model.kernel.dictionary import (
    ask,
    grow,
    held_bytes,
    number_of,
    room_for,
    value_of,
)
from ackproof.model.kernel.intrinsics import Shape, load, native, store

__all__ = ["is_collapsed", "key_of", "make_keys", "number_parts", "parts_bytes", "state_of"]

_TOP = -1 << 63
_HALF = 32
_LOW = (1 << _HALF) - 1


@native
def is_collapsed(shape: Shape) -> bool:
    """Whether what tables hold of a state is its key."""
    return len(shape.slot) < len(shape.words)


@native
def make_keys(shape: Shape, block: int, count: int, states: int, keys: int, room: int) -> None:
    """Make the keys of a batch, of which all parts have numbers from now on.

    There is room for a state at `keys` for each one of the batch.  Where what is to be noted takes
    more than `room` bytes, or there are no more numbers, that is said, and no key is made.
    """
    leaves, pairs, most = block + 8 * LEAVES, block + 8 * PAIRS, count * len(shape.words)
    larger = _missing(leaves, most) + _missing(pairs, most)
    if 4 * larger + 16 * most > room or _size(leaves, pairs) + most > MOST_NUMBERS:
        store(block, UNNUMBERED, 1)
        return
    _make_room(leaves, most)
    _make_room(pairs, most)
    number_parts(shape, block, count, states, keys, True)


@native
def _missing(dictionary: int, count: int) -> int:
    """How many numbers more the index has to be made for, so that so many more values fit."""
    return room_for(dictionary, count) - load(dictionary, CAPACITY)


@native
def _size(leaves: int, pairs: int) -> int:
    """How many values the larger dictionary has."""
    return max(load(leaves, SIZE), load(pairs, SIZE))


@native
def _make_room(dictionary: int, count: int) -> None:
    if _missing(dictionary, count) > 0:
        grow(dictionary, room_for(dictionary, count))


@native
def key_of(shape: Shape, block: int, state: int, space: int) -> int:
    """Key of a state; 0 if it is not known, since something that it is made of is not."""
    number_parts(shape, block, 1, state, space, False)
    return load(space, 0)


@native
def number_parts(
    shape: Shape, block: int, count: int, states: int, keys: int, adding: bool
) -> None:
    """Find the numbers of all parts of some states, or give them some, and so make the keys."""
    words = len(shape.words)
    leaves, pairs = block + 8 * LEAVES, block + 8 * PAIRS
    for at in range(count * words):
        ask(leaves, load(states, at))
    for at in range(count * words):
        store(keys, at, number_of(leaves, load(states, at), adding))
    width = words
    while width > 2:
        alone = width & 1
        for i in range(count):
            for pair in range(width // 2):
                ask(pairs, _pair(keys, words * i + alone + 2 * pair))
        for i in range(count):
            for pair in range(width // 2):
                value = _pair(keys, words * i + alone + 2 * pair)
                store(keys, words * i + alone + pair, number_of(pairs, value, adding))
        width = alone + width // 2
    for i in range(count):
        value = _pair(keys, words * i)
        store(keys, i, _TOP | value if value != 0 else 0)


@native
def _pair(numbers: int, at: int) -> int:
    """Two numbers as one value; 0 if one of them is none."""
    first, second = load(numbers, at), load(numbers, at + 1)
    return first << _HALF | second if first != 0 and second != 0 else 0


@native
def parts_bytes(block: int) -> int:
    """What the dictionaries of a worker occupy."""
    return held_bytes(block + 8 * LEAVES) + held_bytes(block + 8 * PAIRS)


@native
def state_of(shape: Shape, block: int, slot: int, target: int) -> None:
    """Write the state that the slot at an address holds."""
    if not is_collapsed(shape):
        for word in range(len(shape.words)):
            store(target, word, load(slot, word))
        return
    key = load(slot, 0)
    store(target, 0, (key & ~_TOP) >> _HALF)
    store(target, 1, key & _LOW)
    height, width = 0, len(shape.words)
    while width > 2:
        width = (width + 1) // 2
        height += 1
    while height > 0:
        height -= 1
        _open_pairs(block, target, _width(shape, height))
    for word in range(len(shape.words)):
        store(target, word, value_of(block + 8 * LEAVES, load(target, word)))


@native
def _width(shape: Shape, height: int) -> int:
    """How many numbers there are at a height of the tree."""
    width = len(shape.words)
    for _ in range(height):
        width = (width + 1) // 2
    return width


@native
def _open_pairs(block: int, target: int, width: int) -> None:
    """Put the numbers that pairs are made of in their place, from the last one to the first."""
    alone = width & 1
    pair = width // 2 - 1
    while pair >= 0:
        value = value_of(block + 8 * PAIRS, load(target, alone + pair))
        store(target, alone + 2 * pair, value >> _HALF)
        store(target, alone + 2 * pair + 1, value & _LOW)
        pair -= 1
