"""Constants that are left open: whether they have this value or that is for the solver to choose.

A proof is about every choice of constants that meets the assumptions, so a counterexample to one
comes with constants of its own.  An instance gives a constant to each member of a family, or to all
processes of a class alike; the symbols follow that, so that what the solver chooses can be given.
What a design gives is not open.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from ackproof.lang.binding import Bound
from ackproof.lang.program import Variable
from ackproof.lang.types import Type
from ackproof.model.lower.access import Access, Place
from ackproof.model.lower.codec import Codec, Value
from ackproof.model.lower.sizes import Sizes
from ackproof.model.lower.state import SymbolicState

__all__ = ["OpenAccess", "OpenConstants", "constant_name"]

#: The elements of the families that a process lies in.
_Keys = tuple[Any, ...]


def constant_name(v: Variable) -> str:
    """Return the name under which an instance gives a constant, for example `Server.capacity`."""
    return f"{v.owner}.{v.path[-1]}"


class OpenConstants:
    """The constants of a bound program as values that may be any.

    Args:
        bound: the program.
        codec: says how values are held.
        symbol: makes a value of a type that may be any of it.
    """

    def __init__(self, bound: Bound, codec: Codec, symbol: Callable[[str, Type], Value]) -> None:
        self.bound = bound
        self.codec = codec
        self._alone = {
            constant_name(v) for v in bound.program.variables if v.const and not v.families
        }
        self.values: dict[tuple[str, _Keys], Value] = {}
        made: dict[tuple[str, _Keys], Value] = {}
        for v, keys in self._places():
            own = self._given_at(v, keys)
            if own not in made:
                made[own] = symbol(f"const.{own[0]}{list(own[1]) or ''}", v.type)
            self.values[v.name, keys] = made[own]

    def _places(self) -> Iterator[tuple[Variable, _Keys]]:
        """Yield each open constant of each process."""
        closed = self.bound.design.constants if self.bound.design else {}
        for v in self.bound.program.variables:
            if v.const and constant_name(v) not in closed:
                elements = (self.bound.elements[f.name] for f in v.families)
                yield from ((v, keys) for keys in itertools.product(*elements))

    def _given_at(self, v: Variable, keys: _Keys) -> tuple[str, _Keys]:
        """Return how an instance gives a constant.

        A class that is also played outside of a family has one value for all.
        """
        name = constant_name(v)
        return name, () if name in self._alone else keys

    def usual(self) -> Iterator[Any]:
        """Yield the bit of each constant that says that it has the value of the instance."""
        for v, keys in self._places():
            usual = self.codec.from_data(v.type, self.bound.constants[v.name, keys])
            yield self.codec.equal(v.type, self.values[v.name, keys], usual)

    def data(self, value: Callable[[Value], Value]) -> dict[str, Any]:
        """Return the constants as an instance gives them, but for those that are as usual.

        Args:
            value: gives what a value is in a model.
        """
        found: dict[str, Any] = {}
        unusual = set()
        for v, keys in self._places():
            name, own = self._given_at(v, keys)
            data = self.codec.to_data(v.type, value(self.values[v.name, keys]))
            if data != self.bound.constants[v.name, keys]:
                unusual.add(name)
            if own:
                members = found.setdefault(name, {})
                members[own[0] if len(own) == 1 else own] = data
            else:
                found[name] = data
        return {name: data for name, data in found.items() if name in unusual}


class OpenAccess(Access):
    """Reads open constants as what they are: symbols."""

    def __init__(self, bound: Bound, codec: Codec, open_constants: OpenConstants) -> None:
        super().__init__(Sizes(bound), codec)
        self._open = open_constants.values

    def _leaf(
        self,
        place: Place,
        states: dict[str, SymbolicState],
        members: tuple[int, ...],
        keys: tuple[int, ...],
        t: Type,
    ) -> Value:
        if place.variable.const:
            at = (place.variable.name, self._elements(place.variable, members))
            if at in self._open:
                return self._open[at]
        return super()._leaf(place, states, members, keys, t)
