"""Variables in Promela: a place of the state is a number, or an entry of an array of numbers.

A variable of a family has an entry for each member, a map one for each key, and both together one
for each pair: the index counts them, the last one fastest.  Where there is only one, it is no
array.  A sequence has its slots in one array, so many for each place, and its lengths in another.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ackproof.export.names import Names
from ackproof.export.places import VarPath
from ackproof.export.promela.codes import Codes, Line, Value
from ackproof.export.promela.terms import Term, add, all_of, bare, equal, show, times
from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.data import default_data, domain
from ackproof.lang.places import path_of
from ackproof.lang.program import Variable
from ackproof.lang.types import BoolT, IntT, MapT, SeqT, Type

__all__ = ["Kept", "Ref", "State", "Store", "Variables", "Written", "holding"]

#: What an integer of SPIN holds.
_INT = 2**31 - 1


@dataclass(frozen=True)
class Kept:
    """A variable of the model.

    Args:
        variable: that of the program.
        name: of its numbers, or of its slots.
        length: the name of its lengths, if it holds sequences.
        type: that of a place.
        keys: what it is indexed by: sorts of families, and types of keys.
        sizes: how many there are of each.
    """

    variable: Variable
    name: str
    length: str
    type: Type
    keys: tuple[Type, ...]
    sizes: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many places it has."""
        return math.prod(self.sizes)

    def index(self, codes: tuple[Term, ...]) -> Term:
        """Return which place it is."""
        total: Term = 0
        for code, size in zip(codes, self.sizes, strict=True):
            total = add(times(total, size), code if size > 1 else 0)
        return total


@dataclass(frozen=True)
class Ref:
    """A place, or what is still a map: whose state, which variable, and the keys so far."""

    root: str
    kept: Kept
    codes: tuple[Term, ...]

    @property
    def type(self) -> Type:
        """What is there."""
        t = self.kept.variable.type
        for _ in self.codes[len(self.kept.variable.families) :]:
            assert isinstance(t, MapT)
            t = t.value
        return t

    def at(self, code: Term) -> Ref:
        """Return the entry at a key."""
        return Ref(self.root, self.kept, (*self.codes, code))


class State(Protocol):
    """What says what is in a place."""

    def read(self, kept: Kept, index: Term) -> Value:
        """Return what is there."""


class Store:
    """A state as the variables hold it.

    Args:
        prefix: what the names of its variables begin with.
    """

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.asked: dict[VarPath, Kept] = {}

    def read(self, kept: Kept, index: Term) -> Value:
        """Return what is in a place."""
        self.asked[kept.variable.path] = kept
        if isinstance(kept.type, SeqT):
            slots = (self.slot(kept, index, i) for i in range(kept.type.cap))
            return Line(self.length(kept, index), tuple(slots))
        return self.cell(kept, index)

    def cell(self, kept: Kept, index: Term) -> str:
        """Return the number that is in a place."""
        return _entry(self.prefix + kept.name, kept.count, index)

    def length(self, kept: Kept, index: Term) -> str:
        """Return the number that is the length of a sequence."""
        return _entry(self.prefix + kept.length, kept.count, index)

    def slot(self, kept: Kept, index: Term, number: Term) -> str:
        """Return the number that is in a slot of a sequence."""
        assert isinstance(kept.type, SeqT)
        at = add(times(index, kept.type.cap), number)
        return _entry(self.prefix + kept.name, kept.count * kept.type.cap, at)


class Written:
    """A state after writes, each under a condition, in terms of what was before.

    Args:
        before: the state before.
        codes: chooses among values.
    """

    def __init__(self, before: State, codes: Codes) -> None:
        self.before, self.codes = before, codes
        self._writes: list[tuple[Kept, Term, Term, Value]] = []

    def read(self, kept: Kept, index: Term) -> Value:
        """Return what is in a place now."""
        found = self.before.read(kept, index)
        for other, at, cond, value in self._writes:
            if other.variable.path == kept.variable.path:
                found = self.codes.choose(all_of(equal(at, index), cond), value, found)
        return found

    def write(self, kept: Kept, index: Term, cond: Term, value: Value) -> None:
        """Write a place where a condition holds."""
        if cond is not False:
            self._writes.append((kept, index, cond, value))


def _entry(name: str, count: int, index: Term) -> str:
    return f"{name}[{bare(index)}]" if count > 1 else name


class Variables:
    """The variables and constants of a bound program.

    Args:
        bound: the program.
        codes: says what stands for a value.
        names: those of the model.

    Raises:
        BindError: what is in a variable does not fit into an integer of SPIN.
    """

    def __init__(self, bound: Bound, codes: Codes, names: Names) -> None:
        self.bound, self.codes = bound, codes
        self.kept: dict[VarPath, Kept] = {}
        for v in bound.program.variables:
            own = "" if v.const else names.new("_".join(v.path))
            self.kept[v.path] = self._kept(v, own, names)
        for k in self.kept.values():
            if not k.variable.const:
                codes.range(k.type.elem if isinstance(k.type, SeqT) else k.type, k.variable.name)
        self._between = _between(bound)
        self.state = [k for k in self.kept.values() if not k.variable.const and k.count]

    def _kept(self, v: Variable, own: str, names: Names) -> Kept:
        keys: list[Type] = list(v.families)
        t = v.type
        while isinstance(t, MapT):
            keys.append(t.key)
            t = t.value
        length = names.new(f"{own}_len") if isinstance(t, SeqT) and own else ""
        return Kept(v, own, length, t, tuple(keys), tuple(map(self.codes.size, keys)))

    # -- reading -------------------------------------------------------------------------------

    def load(self, ref: Ref, roots: Mapping[str, State]) -> Value:
        """Return what is in a place; a map stays what it is."""
        if isinstance(ref.type, MapT):
            return ref
        if ref.kept.variable.const:
            return self._constant(ref.kept, ref.codes, ())
        if not ref.kept.count:
            return self.codes.default(ref.kept.type)  # nobody comes here: there is no such key
        return roots[ref.root].read(ref.kept, ref.kept.index(ref.codes))

    def _constant(self, kept: Kept, left: tuple[Term, ...], chosen: tuple[int, ...]) -> Value:
        """Return a constant, which depends on keys that are not known."""
        if not left:
            return self._known_constant(kept, chosen)
        code, size = left[0], kept.sizes[len(chosen)]
        if isinstance(code, int):
            return self._constant(kept, left[1:], (*chosen, int(code)))
        if not size:
            return self.codes.default(kept.type)
        found = self._constant(kept, left[1:], (*chosen, size - 1))
        for i in reversed(range(size - 1)):
            other = self._constant(kept, left[1:], (*chosen, i))
            found = self.codes.choose(equal(code, i), other, found)
        return found

    def _known_constant(self, kept: Kept, chosen: tuple[int, ...]) -> Value:
        v = kept.variable
        own = chosen[: len(v.families)]
        members = tuple(
            self.bound.elements[s.name][i] for s, i in zip(v.families, own, strict=True)
        )
        data = self._entry(v.type, self.bound.constants[v.name, members], chosen[len(own) :])
        return self.codes.data(kept.type, data)

    def _entry(self, t: Type, data: Any, keys: tuple[int, ...]) -> Any:
        """Return the entry of a map, given as data, at some keys."""
        for key in keys:
            assert isinstance(t, MapT)
            wanted = domain(t.key, self.bound.elements)
            default = default_data(t.value, self.bound.elements)
            at = next(x for x in wanted if self.codes.known(t.key, x) == key)
            data, t = dict(data).get(at, default), t.value
        return data

    def is_default(self, t: Type, value: Value, roots: Mapping[str, State]) -> Term:
        """Return whether a value is what a place of its type starts with if nothing is said."""
        if isinstance(value, Ref):
            assert isinstance(t, MapT)
            each = (self.load(value.at(i), roots) for i in range(self.codes.size(t.key)))
            return all_of(*(self.is_default(t.value, x, roots) for x in each))
        if isinstance(value, Line):
            return equal(value.length, 0)
        return self.codes.equal(value, self.codes.default(t))

    # -- where runs begin ----------------------------------------------------------------------

    def begin(self, kept: Kept) -> list[Value]:
        """Return what the places of a variable hold at first, in order."""
        first = self.bound.first()
        found: list[Value] = []
        for number, location in enumerate(self.bound.locations):
            if location.variable.path == kept.variable.path:
                found += self._flat(location.variable.type, first[number])
        return found

    def _flat(self, t: Type, data: Any) -> Iterator[Value]:
        if not isinstance(t, MapT):
            yield self.codes.data(t, data)
            return
        for i in range(self.codes.size(t.key)):
            yield from self._flat(t.value, self._entry(t, data, (i,)))

    def declared(self, kept: Kept, prefix: str = "", *, begin: bool = True) -> Iterator[str]:
        """Yield the declarations of a variable, with what it holds at first."""
        what = kept.variable.name
        values = self.begin(kept) if begin else [self.codes.default(kept.type)] * kept.count
        if isinstance(kept.type, SeqT):
            slots = [slot for line in values for slot in line.slots]
            hi = max(0, self.codes.size(kept.type.elem) - 1)
            yield _declared((0, hi), prefix + kept.name, slots if begin else [0] * len(slots))
            lengths = [line.length for line in values] if begin else [0] * len(values)
            yield _declared((0, kept.type.cap), prefix + kept.length, lengths)
            return
        values = values if begin else [0] * len(values)
        if isinstance(kept.type, BoolT):
            yield f"bool {prefix}{kept.name}{_initial(values)};"
        else:
            lo, hi = self.codes.range(kept.type, what)
            least, greatest = self._between.get(kept.variable.path[-1], (lo, hi))
            bounds = min(lo, least), max(hi, greatest)
            yield _declared(bounds, prefix + kept.name, values)


def _declared(bounds: tuple[int, int], name: str, values: list[Term]) -> str:
    return f"{holding(*bounds)} {name}{_initial(values)};"


def _between(bound: Bound) -> dict[str, tuple[int, int]]:
    """Return what integers may be within a step, by the names of variables that are written."""
    found: dict[str, tuple[int, int]] = {}
    for stmt in (s for action in bound.actions for s in action.body):
        for node in ir.walk(stmt):
            if isinstance(node, ir.Assign) and isinstance(node.value.type, IntT):
                name, t = path_of(node.place).rpartition(".")[2], node.value.type
                lo, hi = found.get(name, (t.lo, t.hi))
                found[name] = max(-_INT, min(lo, t.lo)), min(_INT, max(hi, t.hi))
    return found


def holding(lo: int, hi: int) -> str:
    """Return the type of SPIN that holds the numbers of a range."""
    if lo >= 0 and hi < 2**8:
        return "byte"
    return "short" if lo >= -(2**15) and hi < 2**15 else "int"


def _initial(values: list[Term]) -> str:
    """Return how long an array is, and what it holds at first."""
    texts = [show(v) for v in values]
    size = f"[{len(values)}]" if len(values) > 1 else ""
    if len(set(texts)) > 1:
        return f"{size} = {{{', '.join(texts)}}}"
    return f"{size} = {texts[0]}" if values[0] else size
