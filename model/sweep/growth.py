"""How an instance grows: what a model's declarations allow to be larger, or otherwise.

A model says which sorts and which constants it has, and an instance says how many and which.  So
the instances that there could be are known without asking anybody.  The smallest *shape* has one
element of each sort, and of each constant the value that its declaration gives, or the first there
is.  A shape grows by one step:

* a sort has one element more, and at most one constant of a process that comes with it is another;
* a constant of one process is another: a number by one, a set by one element, all else by any value
  instead of the usual one.

Every shape is so many steps from the smallest, and those of few steps are few.  Two shapes that
differ by the names of elements of an unordered sort are one.

Faults are no part of a shape.  With more of them a system does all that it does with fewer, so they
are best looked at together (`ackproof.model.sweep.plan`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.constants import constants_of
from ackproof.lang.data import Elements, default_data, domain, to_data
from ackproof.lang.errors import BindError
from ackproof.lang.model import Design, Instance, Model
from ackproof.lang.program import Program, Variable
from ackproof.lang.sorts import Sort, elements_of
from ackproof.lang.types import IntT, OptionT, RecordT, SetT, SortT, Type

__all__ = ["Growth", "Place", "Shape"]

#: A constant by "Class.name", and the elements of the process that has it; none if all have the
#: same, as one name stands for variables of several families.
Place = tuple[str, tuple[Any, ...]]

#: Ways to name the elements of unordered sorts that are tried to tell whether shapes are one.
_NAMINGS = 720


@dataclass(frozen=True)
class Shape:
    """Sizes of sorts by name, and the constants that are not as usual, as data."""

    sizes: tuple[tuple[str, int], ...]
    values: tuple[tuple[Place, Any], ...] = ()

    def resized(self, sort: str, size: int) -> Shape:
        """Return the shape with another size of a sort."""
        return replace(self, sizes=tuple((s, size if s == sort else n) for s, n in self.sizes))

    def changed(self, place: Place, value: Any) -> Shape:
        """Return the shape with another value of a constant."""
        values = {**dict(self.values), place: value}
        return replace(self, values=tuple(sorted(values.items(), key=repr)))


class Growth:
    """What grows in a model, and how.

    Args:
        model: the model; its first instance says which sorts there are.
        program: the model, compiled, with the design.
        design: a change, which may have constants of its own.
    """

    def __init__(self, model: Model, program: Program, design: Design | None = None) -> None:
        self.model = model
        self.program = program
        self.design = design
        self._sorts: dict[str, type[Sort]] = {s.__name__: s for s in model.instances[0].sizes}
        self._constants: dict[str, list[Variable]] = {}
        for v in program.variables:
            if v.const:
                self._constants.setdefault(f"{v.owner}.{v.path[-1]}", []).append(v)

    @property
    def faults(self) -> tuple[str, ...]:
        """The names of all faults."""
        return tuple(a.name for a in self.program.actions if a.kind == "fault")

    @property
    def sorts(self) -> tuple[str, ...]:
        """The names of all sorts."""
        return tuple(self._sorts)

    @property
    def constants(self) -> tuple[str, ...]:
        """The names of all constants that are changed."""
        return tuple(name for name in self._constants if name not in self.fixed)

    @cached_property
    def fixed(self) -> tuple[str, ...]:
        """The names of constants that are left as they are: records."""
        return tuple(n for n, [v, *_] in self._constants.items() if isinstance(v.type, RecordT))

    def smallest(self) -> Shape:
        """Return the shape that all others grow from."""
        return Shape(tuple((name, 1) for name in self._sorts))

    def shape_of(self, instance: Instance) -> Shape:
        """Return the shape of an instance, which others may grow from, too.

        Raises:
            BindError: the instance does not fit the model.
        """
        given = self._bound(instance)
        plain = Shape(tuple((s.__name__, instance.sizes[s]) for s in instance.sizes))
        usual = self._bound(self._instance(plain, given.elements, "", ()))
        found = plain
        for place, [v, *_] in self._places(given):
            value = self._value(given, place, v)
            if value != self._value(usual, place, v):
                found = found.changed(place, value)
        return found

    # -- instances ------------------------------------------------------------------------------

    def instance(self, shape: Shape, name: str = "", faults: tuple[str, ...] = ()) -> Instance:
        """Return the instance of a shape on which some faults may happen, each once."""
        sizes = {self._sorts[name]: size for name, size in shape.sizes}
        return self._instance(shape, _elements(sizes), name, faults)

    def bound(self, shape: Shape) -> Bound | None:
        """Return a shape with its elements and constants alone; None if there is no such thing."""
        try:
            return self._bound(self.instance(shape))
        except (BindError, LookupError):
            return None

    def _bound(self, instance: Instance) -> Bound:
        """Return an instance bound, without anything that happens on it."""
        elements = _elements(instance.sizes)
        constants = constants_of(self.program, instance, self.design, elements)
        sizes = dict(instance.sizes)
        return Bound(
            *(self.program, self.model, instance, self.design),
            elements=elements,
            sizes=sizes,
            locations=(),
            constants=constants,
            budgets={},
            actions=(),
            properties=(),
        )

    def _instance(
        self, shape: Shape, elements: Elements, name: str, faults: tuple[str, ...]
    ) -> Instance:
        sizes = {self._sorts[sort]: size for sort, size in shape.sizes}
        needed = {n: elements[t.name][0] for n, t in self._needed() if elements[t.name]}
        plain = Instance(name, "grown by a sweep", sizes, dict.fromkeys(faults, 1), needed)
        if not shape.values:
            return plain
        usual = self._bound(plain)
        constants: dict[str, Any] = dict(needed)
        for (constant, keys), value in shape.values:
            if not keys:
                constants[constant] = value
            else:
                [v, *_] = self._constants[constant]
                if not isinstance(constants.get(constant), Mapping):
                    constants[constant] = {
                        _key(k): usual.constants[v.name, k] for k in _members(v, usual.elements)
                    }
                constants[constant][_key(keys)] = value
        return replace(plain, constants=constants)

    def _needed(self) -> Iterator[tuple[str, SortT]]:
        """Yield the constants that have no value of their own, with their sorts."""
        given = self.design.constants if self.design else {}
        for name, [v, *_] in self._constants.items():
            if name in given or not isinstance(v.initial, ir.Default):
                continue
            if isinstance(v.type, SortT):
                yield name, v.type

    # -- growing --------------------------------------------------------------------------------

    def grown(self, shape: Shape, among: Set[str] | None = None) -> Iterator[Shape]:
        """Yield what a shape becomes in one step.

        Args:
            shape: where it begins.
            among: the names of the sorts and constants that may be otherwise, if not all of them.
        """
        bound = self.bound(shape)
        if bound is None:
            return
        yield from self._changed(shape, bound, {place for place, _ in self._places(bound)}, among)
        for sort, size in shape.sizes:
            if among is not None and sort not in among:
                continue
            larger = self._renamed(shape, bound, sort).resized(sort, size + 1)
            new = self.bound(larger)
            yield larger
            if new is not None:
                before = set(bound.elements[sort])
                places = {p for p, _ in self._places(new) if _is_new(p, self._constants, sort)}
                places = {p for p in places if not set(p[1]) <= before | self._others(new, sort)}
                yield from self._changed(larger, new, places, among)

    def _others(self, bound: Bound, sort: str) -> set[Any]:
        """Return the elements of all sorts but one."""
        return {e for name, several in bound.elements.items() if name != sort for e in several}

    def _changed(
        self, shape: Shape, bound: Bound, places: set[Place], among: Set[str] | None
    ) -> Iterator[Shape]:
        usual = self.bound(replace(shape, values=()))
        for place, [v, *_] in self._places(bound):
            if among is not None and v.path[-1] not in among:
                continue
            if place in places and usual is not None:
                now, at_first = self._value(bound, place, v), self._value(usual, place, v)
                for value in _next(v.type, now, at_first, bound.elements):
                    yield shape.changed(place, value)

    def _places(self, bound: Bound) -> Iterator[tuple[Place, list[Variable]]]:
        """Yield where constants may be changed; there are none where nobody has them."""
        for name in self.constants:
            several = self._constants[name]
            members = list(_members(several[0], bound.elements))
            if len(several) > 1 or not several[0].families:
                members = [()] if members else []
            for keys in members:
                yield (name, keys), several

    def _value(self, bound: Bound, place: Place, v: Variable) -> Any:
        keys = place[1] or next(_members(v, bound.elements))
        return bound.constants[v.name, keys]

    def _renamed(self, shape: Shape, bound: Bound, sort: str) -> Shape:
        """Return a shape with its elements called as they are when a sort has one element more.

        What belongs to the only owner is called by its number, until there is a second owner.
        """
        larger = self.bound(replace(shape.resized(sort, dict(shape.sizes)[sort] + 1), values=()))
        if larger is None:
            return shape
        names = {s: self._renaming(s, bound, larger) for s in self._sorts}
        values = []
        for (name, keys), value in shape.values:
            v = self._constants[name][0]
            new = tuple(names[f.name][k] for f, k in zip(v.families, keys, strict=False))
            values.append(((name, new), _translated(v.type, value, names)))
        return replace(shape, values=tuple(sorted(values, key=repr)))

    def _renaming(self, sort: str, old: Bound, new: Bound) -> dict[Any, Any]:
        owner = getattr(self._sorts[sort], "owned_by", None)
        before, after = old.elements[sort], new.elements[sort]
        if owner is None:
            return dict(zip(before, after, strict=False))
        each = old.sizes[self._sorts[sort]], new.sizes[self._sorts[sort]]
        return {e: after[k // each[0] * each[1] + k % each[0]] for k, e in enumerate(before)}

    # -- what is one and the same ---------------------------------------------------------------

    def sameness(self, bound: Bound) -> tuple[Any, ...]:
        """Return what shapes have in common that differ by names of unordered elements only."""
        unordered = [
            name
            for name, sort in self._sorts.items()
            if not hasattr(sort, "first") and len(bound.elements[name]) > 1
        ]
        every = [list(itertools.permutations(bound.elements[name])) for name in unordered]
        if math.prod(map(len, every)) > _NAMINGS:
            every = [several[:1] for several in every]
        same = {name: {e: e for e in elements} for name, elements in bound.elements.items()}
        called = []
        for choice in itertools.product(*every):
            names = dict(same)
            for name, others in zip(unordered, choice, strict=True):
                names[name] = dict(zip(bound.elements[name], others, strict=True))
            called.append(self._called(bound, names))
        return (tuple(sorted((s.__name__, n) for s, n in bound.sizes.items())), min(called))

    def _called(self, bound: Bound, names: dict[str, dict[Any, Any]]) -> tuple[str, ...]:
        """Return all constants, with the elements called by other names."""
        said = []
        for v in (v for several in self._constants.values() for v in several):
            for keys in _members(v, bound.elements):
                new = tuple(names[f.name][k] for f, k in zip(v.families, keys, strict=True))
                value = _translated(v.type, bound.constants[v.name, keys], names)
                said.append(repr((v.name, new, _in_order(value))))
        return tuple(sorted(said))


def _elements(sizes: Mapping[type[Sort], int]) -> dict[str, tuple[Any, ...]]:
    return {s.__name__: tuple(map(to_data, e)) for s, e in elements_of(sizes).items()}


def _key(keys: tuple[Any, ...]) -> Any:
    return keys if len(keys) > 1 else keys[0]


def _members(v: Variable, elements: Elements) -> Iterator[tuple[Any, ...]]:
    return itertools.product(*(elements[f.name] for f in v.families))


def _is_new(place: Place, constants: Mapping[str, list[Variable]], sort: str) -> bool:
    return bool(place[1]) and any(f.name == sort for f in constants[place[0]][0].families)


def _next(t: Type, now: Any, usual: Any, elements: Elements) -> Iterator[Any]:
    """Yield the values that are one step further from the usual one, as data."""
    match t:
        case IntT(lo, hi):
            yield from (n for n in (now + 1,) if n <= hi and now >= usual)
            yield from (n for n in (now - 1,) if n >= lo and now <= usual)
        case OptionT(IntT() as inner) if now is None:
            yield default_data(inner, elements)
        case OptionT(IntT() as inner):
            yield from _next(inner, now, now if usual is None else usual, elements)
        case SetT(IntT()) | RecordT():
            return
        case SetT(elem):
            for e in domain(elem, elements):
                if (e in now) == (e in usual):
                    yield now ^ {e}
        case _ if now == usual:
            yield from (value for value in domain(t, elements) if value != usual)


def _translated(t: Type, value: Any, names: dict[str, dict[Any, Any]]) -> Any:
    """Return a value with elements of sorts called by other names."""
    match t:
        case SortT(name=name):
            return names[name].get(value, value)
        case OptionT(inner):
            return None if value is None else _translated(inner, value, names)
        case SetT(elem):
            return frozenset(_translated(elem, v, names) for v in value)
    return value


def _in_order(value: Any) -> Any:
    return sorted(map(repr, value)) if isinstance(value, frozenset) else value
