"""Access: from an expression that names state to the leaves that it means.

Which member of a family, or which entry of a map, may depend on the state.  A read then chooses
among all candidates, and a write goes to each of them under the condition that it is the one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ackproof.lang.program import Variable
from ackproof.lang.types import MapT, SeqT, Type
from ackproof.model.lower.codec import Codec, Value
from ackproof.model.lower.leaves import Leaf
from ackproof.model.lower.ops import Bit, Word
from ackproof.model.lower.sizes import Sizes
from ackproof.model.lower.state import SymbolicState

__all__ = ["Access", "Place", "Process"]


class Process(NamedTuple):
    """A process of the system: its path and the codes of the family members on the way."""

    root: str
    path: tuple[str, ...]
    members: tuple[Word, ...]


class Place(NamedTuple):
    """A variable, or an entry of one that is a map: codes of family members and of map keys."""

    root: str
    variable: Variable
    members: tuple[Word, ...]
    keys: tuple[Word, ...]
    type: Type


class Access:
    """Reads places of symbolic states and finds the leaves of writes.

    Args:
        sizes: what is asked about variables and constants.
        codec: says how values are held.
    """

    def __init__(self, sizes: Sizes, codec: Codec) -> None:
        self.sizes = sizes
        self.elements = sizes.bound.elements
        self.codec = codec
        self.ops = codec.ops

    def variable(self, process: Process, name: str) -> Place:
        """Return the place of a process's variable."""
        variable = self.sizes.variable((*process.path, name))
        return Place(process.root, variable, process.members, (), variable.type)

    def entry(self, place: Place, key: Word) -> Place:
        """Return the place of an entry of a map."""
        assert isinstance(place.type, MapT)
        keys = (*place.keys, key)
        return Place(place.root, place.variable, place.members, keys, place.type.value)

    # -- reading --------------------------------------------------------------------------------

    def read(self, place: Place, states: dict[str, SymbolicState]) -> Value:
        """Return the value of a place; a map is the tuple of its entries."""
        return self._member(place, states, place.members, ())

    def _member(
        self,
        place: Place,
        states: dict[str, SymbolicState],
        left: tuple[Word, ...],
        chosen: tuple[int, ...],
    ) -> Value:
        if not left:
            return self._entry(place, states, chosen, place.keys, ())
        size = self._member_sizes(place.variable)[len(chosen)]
        return self._select(
            place.type, left[0], size, lambda i: self._member(place, states, left[1:], (*chosen, i))
        )

    def _entry(
        self,
        place: Place,
        states: dict[str, SymbolicState],
        members: tuple[int, ...],
        left: tuple[Word, ...],
        chosen: tuple[int, ...],
    ) -> Value:
        if not left:
            return self._leaf(place, states, members, chosen, place.type)
        size = self._key_sizes(place.variable.type)[len(chosen)]
        return self._select(
            place.type,
            left[0],
            size,
            lambda i: self._entry(place, states, members, left[1:], (*chosen, i)),
        )

    def _leaf(
        self,
        place: Place,
        states: dict[str, SymbolicState],
        members: tuple[int, ...],
        keys: tuple[int, ...],
        t: Type,
    ) -> Value:
        elements = self._elements(place.variable, members)
        if place.variable.const:
            data = self.sizes.constant(place.variable.name, elements)
            return self.codec.from_data(t, data)
        if isinstance(t, MapT):
            size = self.codec.cardinality(t.key)
            return tuple(
                self._leaf(place, states, members, (*keys, i), t.value) for i in range(size)
            )
        number = self.sizes.number(place.variable.path, elements)
        return states[place.root].get(Leaf(number, keys))

    def _elements(self, variable: Variable, members: tuple[int, ...]) -> tuple[object, ...]:
        return tuple(
            self.elements[sort.name][i] for sort, i in zip(variable.families, members, strict=True)
        )

    def _select(self, t: Type, key: Word, size: int, at: Callable[[int], Value]) -> Value:
        if isinstance(key, int):
            return at(key) if 0 <= key < size else self.codec.default(t)
        if size == 0:
            return self.codec.default(t)  # nobody comes here, for there is no such key
        result = at(size - 1)
        for i in reversed(range(size - 1)):
            result = self.codec.choose(t, self.ops.equal(key, i), at(i), result)
        return result

    def _member_sizes(self, variable: Variable) -> list[int]:
        return [len(self.elements[sort.name]) for sort in variable.families]

    def _key_sizes(self, t: Type) -> list[int]:
        sizes = []
        while isinstance(t, MapT):
            sizes.append(self.codec.cardinality(t.key))
            t = t.value
        return sizes

    # -- writing --------------------------------------------------------------------------------

    def leaves(self, place: Place) -> Iterator[tuple[Bit, Leaf, Type]]:
        """Yield the leaves that a write to a place may change, each with when it does."""
        for cond, members in self._matches(place.members, self._member_sizes(place.variable)):
            elements = self._elements(place.variable, members)
            number = self.sizes.number(place.variable.path, elements)
            for inner, keys in self._matches(place.keys, self._key_sizes(place.variable.type)):
                for below, t in self._below(keys, place.type):
                    yield self.ops.all(cond, inner), Leaf(number, below), t

    def _matches(
        self, keys: tuple[Word, ...], sizes: list[int]
    ) -> Iterator[tuple[Bit, tuple[int, ...]]]:
        if not keys:
            yield True, ()
            return
        for cond, rest in self._matches(keys[1:], sizes[1:]):
            for i in range(sizes[0]):
                here = self.ops.all(self.ops.equal(keys[0], i), cond)
                if here is not False:
                    yield here, (i, *rest)

    def _below(self, keys: tuple[int, ...], t: Type) -> Iterator[tuple[tuple[int, ...], Type]]:
        if not isinstance(t, MapT):
            yield keys, t
            return
        for i in range(self.codec.cardinality(t.key)):
            yield from self._below((*keys, i), t.value)

    # -- what differs from the default ----------------------------------------------------------

    def is_default(self, t: Type, value: Value) -> Bit:
        """Return whether a value is the default of its type."""
        if isinstance(t, MapT):
            return self.ops.all(*(self.is_default(t.value, v) for v in value))
        if isinstance(t, SeqT):
            return self.ops.equal(value.length, 0)
        return self.codec.equal(t, value, self.codec.default(t))
