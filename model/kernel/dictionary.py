"""Dictionaries: each 64-bit value that is put in one gets a number, from 1 on, and keeps it.

The values are in an array, by their numbers.  An index finds the number of a value: a hash table of
numbers of 32 bits, of which 0 is an empty place, so that a value costs little more than itself.  An
index that gets full is made anew of the values, half as large again; it has no end to wrap around
at, for there is reserved memory behind it.

A dictionary is a few words of its worker's control block, and functions are given their address.
"""

from ackproof.model.kernel.control import CAPACITY, NUMBERS, SIZE, VALUES
from ackproof.model.kernel.intrinsics import (
    finish,
    load,
    load_half,
    mix,
    native,
    prefetch,
    scale,
    store,
    store_half,
)

__all__ = [
    "ask",
    "grow",
    "held_bytes",
    "number_of",
    "room_for",
    "value_of",
]

_SEED = 0x2545F4914F6CDD1D


@native
def _place(dictionary: int, value: int) -> int:
    """Where in the index to begin to look for a value."""
    return scale(finish(mix(_SEED, value)), load(dictionary, CAPACITY))


@native
def ask(dictionary: int, value: int) -> None:
    """Ask the memory for the place of a value in the index."""
    prefetch(load(dictionary, NUMBERS) + 4 * _place(dictionary, value))


@native
def number_of(dictionary: int, value: int, adding: bool) -> int:
    """Number of a value; if it has none, 0, or with `adding` the next one."""
    numbers, values = load(dictionary, NUMBERS), load(dictionary, VALUES)
    place = _place(dictionary, value)
    number = load_half(numbers, place)
    while number != 0 and load(values, number) != value:
        place += 1
        number = load_half(numbers, place)
    if number == 0 and adding:
        number = load(dictionary, SIZE) + 1
        store(dictionary, SIZE, number)
        store(values, number, value)
        store_half(numbers, place, number)
    return number


@native
def value_of(dictionary: int, number: int) -> int:
    """The value that has a number."""
    return load(load(dictionary, VALUES), number)


@native
def held_bytes(dictionary: int) -> int:
    """What a dictionary occupies."""
    return 8 * load(dictionary, SIZE) + 4 * load(dictionary, CAPACITY)


@native
def room_for(dictionary: int, count: int) -> int:
    """For how many numbers the index has to be made, so that so many more values have room."""
    capacity = load(dictionary, CAPACITY)
    while (load(dictionary, SIZE) + count) * 10 > capacity * 7:
        capacity += capacity // 2
    return capacity


@native
def grow(dictionary: int, capacity: int) -> None:
    """Make the index anew, for more numbers."""
    numbers, values = load(dictionary, NUMBERS), load(dictionary, VALUES)
    place, old = 0, load(dictionary, CAPACITY)
    while place < old or load_half(numbers, place) != 0:
        store_half(numbers, place, 0)
        place += 1
    store(dictionary, CAPACITY, capacity)
    for number in range(1, load(dictionary, SIZE) + 1):
        place = _place(dictionary, load(values, number))
        while load_half(numbers, place) != 0:
            place += 1
        store_half(numbers, place, number)
