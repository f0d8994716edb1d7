"""Layout: where every leaf of the state lies in a packed state.

A *leaf* is what is read and written as a whole: a scalar, a set (a mask), a sequence; a map has
one leaf for each key, a variable of a family one for each member.  Leaves are put into words of
64 bits, widest first, each into the first word with room, so that none lies across two words.
The top bit of the last word is always 1: a packed state is never 0, and 0 is an empty slot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ackproof.model.lower.codec import Codec
from ackproof.model.lower.ops import Emitter
from ackproof.spec.lang.binding import Bound
from ackproof.spec.lang.data import domain
from ackproof.spec.lang.errors import BindError
from ackproof.spec.lang.types import IntT, MapT, Type

__all__ = ["Layout", "Leaf", "Slot"]

#: More than this and an exploration would not end; a typing error in a size is more likely.
MAX_WORDS = 16
WORD_BITS = 64
OCCUPIED = 1 << 63


@dataclass(frozen=True)
class Leaf:
    """One leaf: the location it belongs to (its number) and the codes of map keys, outermost first.

    A location beyond the program's is the budget of a fault.
    """

    location: int
    keys: tuple[int, ...]


@dataclass(frozen=True)
class Slot:
    """Where a leaf lies: word, distance from its lowest bit, and width in bits."""

    type: Type
    word: int
    shift: int
    width: int


class Layout:
    """The packed form of the states of a bound program.

    Raises:
        BindError: a set has more than 64 possible elements, or the state does not fit.
    """

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.codec = Codec(bound.elements, Emitter())
        self._types = [loc.variable.type for loc in bound.locations]
        types = dict(self._leaves())
        widths = {leaf: self.codec.bits(t) for leaf, t in types.items()}
        self._refuse_wide(widths)
        self.bits = sum(widths.values())
        self.slots, self.words = _place(types, widths)
        if self.words > MAX_WORDS:
            raise BindError(self._too_large(widths))

    def _leaves(self) -> Iterator[tuple[Leaf, Type]]:
        for number, t in enumerate(self._types):
            yield from self._split(number, (), t)
        for offset, budget in enumerate(self.bound.budgets.values()):
            yield Leaf(len(self._types) + offset, ()), IntT(0, budget)

    def _split(self, number: int, keys: tuple[int, ...], t: Type) -> Iterator[tuple[Leaf, Type]]:
        if isinstance(t, MapT):
            for key in range(self.codec.cardinality(t.key)):
                yield from self._split(number, (*keys, key), t.value)
        else:
            yield Leaf(number, keys), t

    # -- refusals -------------------------------------------------------------------------------

    def _refuse_wide(self, widths: dict[Leaf, int]) -> None:
        for leaf, width in widths.items():
            if width > WORD_BITS:
                raise BindError(
                    f"instance {self.bound.instance.name}: {self._name(leaf)} takes {width} bits, "
                    f"and a set or sequence may take {WORD_BITS}; make its sizes smaller"
                )

    def _name(self, leaf: Leaf) -> str:
        if leaf.location >= len(self._types):
            return list(self.bound.budgets)[leaf.location - len(self._types)]
        return self.bound.locations[leaf.location].name

    def _too_large(self, widths: dict[Leaf, int]) -> str:
        total: dict[str, int] = {}
        for leaf, width in widths.items():
            total[self._name(leaf)] = total.get(self._name(leaf), 0) + width
        widest = sorted(total.items(), key=lambda item: -item[1])[:3]
        listed = ", ".join(f"{name} with {bits}" for name, bits in widest)
        return (
            f"instance {self.bound.instance.name}: a state takes {self.bits} bits, and "
            f"{MAX_WORDS * WORD_BITS - 1} fit; the widest are {listed}: make its sizes smaller"
        )

    # -- packing --------------------------------------------------------------------------------

    def pack(self, state: tuple[Any, ...]) -> list[int]:
        """Return a state, given as data, as words."""
        words = [0] * self.words
        words[-1] = OCCUPIED
        for leaf, slot in self.slots.items():
            value = self.codec.from_data(slot.type, self._data_of(state, leaf))
            words[slot.word] |= int(self.codec.store(slot.type, value)) << slot.shift
        return words

    def _data_of(self, state: tuple[Any, ...], leaf: Leaf) -> Any:
        data = state[leaf.location]
        t = self._types[leaf.location] if leaf.keys else None
        for key in leaf.keys:
            assert isinstance(t, MapT)
            wanted = domain(t.key, self.bound.elements)[key]
            t = t.value
            data = next((v for k, v in data if k == wanted), self._default(t))
        return data

    def _default(self, t: Type) -> Any:
        if isinstance(t, MapT):
            return frozenset()
        return self.codec.to_data(t, self.codec.default(t))

    def unpack(self, words: list[int]) -> tuple[Any, ...]:
        """Return packed words as a state of data."""
        values = {}
        for leaf, slot in self.slots.items():
            raw = words[slot.word] >> slot.shift & (2**slot.width - 1)
            values[leaf] = self.codec.to_data(slot.type, self.codec.load(slot.type, raw))
        whole = [self._join(values, n, (), t) for n, t in enumerate(self._types)]
        budgets = range(len(whole), len(whole) + len(self.bound.budgets))
        return (*whole, *(values[Leaf(n, ())] for n in budgets))

    def _join(self, values: dict[Leaf, Any], number: int, keys: tuple[int, ...], t: Type) -> Any:
        if not isinstance(t, MapT):
            return values[Leaf(number, keys)]
        default = self._default(t.value)
        entries = (
            (name, self._join(values, number, (*keys, i), t.value))
            for i, name in enumerate(domain(t.key, self.bound.elements))
        )
        return frozenset((k, v) for k, v in entries if v != default)


def _place(types: dict[Leaf, Type], widths: dict[Leaf, int]) -> tuple[dict[Leaf, Slot], int]:
    """Put leaves into words; return their slots and the number of words."""
    used: list[int] = []
    slots: dict[Leaf, Slot] = {}
    for leaf in sorted(types, key=lambda x: -widths[x]):
        fits = (i for i, u in enumerate(used) if u + widths[leaf] <= WORD_BITS)
        word = next(fits, len(used))
        if word == len(used):
            used.append(0)
        slots[leaf] = Slot(types[leaf], word, used[word], widths[leaf])
        used[word] += widths[leaf]
    roomy = next((i for i, u in enumerate(used) if u < WORD_BITS), None)
    if roomy is None:
        return slots, len(used) + 1
    swap = {roomy: len(used) - 1, len(used) - 1: roomy}
    moved = {leaf: replace(s, word=swap.get(s.word, s.word)) for leaf, s in slots.items()}
    return moved, len(used)
