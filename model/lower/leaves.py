"""Leaves: the pieces that a state is made of.

A *leaf* is what is read and written as a whole: a scalar, a set (a mask), a sequence; a map has
one leaf for each key, a variable of a family one for each member, and what is left of the budget
of a fault is a leaf too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ackproof.lang.binding import Bound
from ackproof.lang.data import domain
from ackproof.lang.types import IntT, MapT, Type
from ackproof.model.lower.codec import Codec, Value

__all__ = ["Leaf", "Leaves"]


class Leaf(NamedTuple):
    """One leaf: the location it belongs to (its number) and the codes of map keys, outermost first.

    A negative one counts from the end of the state, where what is left of the budgets of faults is.
    """

    location: int
    keys: tuple[int, ...]


class Leaves:
    """The leaves of the states of a bound program, with their types, and states taken apart.

    Args:
        bound: the program.
        codec: says how values are held.
    """

    def __init__(self, bound: Bound, codec: Codec) -> None:
        self.bound = bound
        self.codec = codec
        self._locations = [loc.variable.type for loc in bound.locations]
        self.types: dict[Leaf, Type] = dict(self._listed())

    def _listed(self) -> Iterator[tuple[Leaf, Type]]:
        for number, t in enumerate(self._locations):
            yield from self._split(number, (), t)
        for name, budget in self.bound.budgets.items():
            yield self.budget(name), IntT(0, budget)

    def _split(self, number: int, keys: tuple[int, ...], t: Type) -> Iterator[tuple[Leaf, Type]]:
        if isinstance(t, MapT):
            for key in range(self.codec.cardinality(t.key)):
                yield from self._split(number, (*keys, key), t.value)
        else:
            yield Leaf(number, keys), t

    def budget(self, fault: str) -> Leaf:
        """Return the leaf that holds what is left of the budget of a fault."""
        budgets = list(self.bound.budgets)
        return Leaf(budgets.index(fault) - len(budgets), ())

    def name(self, leaf: Leaf) -> str:
        """Return the name of the variable, with family members, or of the fault."""
        if leaf.location < 0:
            return list(self.bound.budgets)[leaf.location]
        return self.bound.locations[leaf.location].name

    def values(self, state: tuple[Any, ...]) -> dict[Leaf, Value]:
        """Return the value of every leaf in a state that is given as data."""
        return {
            leaf: self.codec.from_data(t, self._data_of(state, leaf))
            for leaf, t in self.types.items()
        }

    def _data_of(self, state: tuple[Any, ...], leaf: Leaf) -> Any:
        data = state[leaf.location]
        t = self._locations[leaf.location] if leaf.keys else None
        for key in leaf.keys:
            assert isinstance(t, MapT)
            wanted = domain(t.key, self.bound.elements)[key]
            t = t.value
            data = next((v for k, v in data if k == wanted), self.default(t))
        return data

    def default(self, t: Type) -> Any:
        """Return, as data, what an entry of a map has when nobody gave it a value."""
        if isinstance(t, MapT):
            return frozenset()
        return self.codec.to_data(t, self.codec.default(t))

    def state(self, values: dict[Leaf, Value]) -> tuple[Any, ...]:
        """Return, as data, the state in which every leaf has the given value."""
        data = {leaf: self.codec.to_data(t, values[leaf]) for leaf, t in self.types.items()}
        whole = [self._join(data, n, (), t) for n, t in enumerate(self._locations)]
        return (*whole, *(data[self.budget(name)] for name in self.bound.budgets))

    def _join(self, data: dict[Leaf, Any], number: int, keys: tuple[int, ...], t: Type) -> Any:
        if not isinstance(t, MapT):
            return data[Leaf(number, keys)]
        default = self.default(t.value)
        entries = (
            (name, self._join(data, number, (*keys, i), t.value))
            for i, name in enumerate(domain(t.key, self.bound.elements))
        )
        return frozenset((k, v) for k, v in entries if v != default)
