"""Values in Promela: each is a number, and a sequence a row of numbers.

A truth value is 0 or 1, an integer itself, an element of a sort and a member of an enum its
position, counted from 0.  An option is what it holds, and where it holds nothing the number beyond.
A record is one number, a digit for each field; macros make it and give its fields.  A set has a bit
for each possible element: the one that its *code* says, which is its value, but that an integer's
is counted from the least one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ackproof.export.names import Names
from ackproof.export.promela.terms import (
    MACROS,
    Named,
    Term,
    add,
    all_of,
    choose,
    divide,
    equal,
    rest_of,
    show,
    sub,
    times,
)
from ackproof.lang.data import Elements
from ackproof.lang.errors import BindError
from ackproof.lang.types import (
    BoolT,
    EnumT,
    IntT,
    OptionT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)

__all__ = ["BITS", "Codes", "Line", "Value", "numbers", "some"]

#: Bits of an integer of SPIN, but for its sign.
BITS = 31


@dataclass(frozen=True)
class Line:
    """A sequence: its length, and the codes of its slots, those behind its end being 0."""

    length: Term
    slots: tuple[Term, ...]


Value = Any  # a Term, a Line, or a part of the state that is a map; by type


class Codes:
    """Numbers for the values of an instance.

    Args:
        elements: those of each sort.
        names: those of the model.
        where: what an instance is called in messages.
    """

    def __init__(self, elements: Elements, names: Names, where: str) -> None:
        self.elements, self.names, self.where = elements, names, where
        self.macros: dict[str, str] = dict(MACROS)
        self._constants: dict[tuple[str, int], Named] = {}
        self._records: dict[str, tuple[str, dict[str, str]]] = {}

    # -- how many ------------------------------------------------------------------------------

    def size(self, t: Type) -> int:
        """Return how many values a scalar type has."""
        match t:
            case BoolT():
                return 2
            case EnumT(members=members):
                return len(members)
            case IntT(lo, hi):
                return hi - lo + 1
            case SortT(name=name):
                return len(self.elements[name])
            case OptionT(inner):
                return self.size(inner) + 1
            case RecordT(fields=fields):
                return math.prod(self.size(f) for _, f in fields)
        raise AssertionError(f"{t!r} is no scalar type")

    def offset(self, t: Type) -> int:
        """Return by how much values are greater than their codes."""
        match t:
            case IntT(lo=lo):
                return lo
            case OptionT(inner):
                return self.offset(inner)
        return 0

    def range(self, t: Type, what: str) -> tuple[int, int]:
        """Return the least and the greatest number that stands for a value.

        Raises:
            BindError: SPIN has no numbers that are large enough.
        """
        if isinstance(t, SetT):
            return 0, self.universe(t.elem, what)
        lo, size = self.offset(t), self.size(t)
        if lo < -(2**BITS) or lo + size > 2**BITS:
            raise BindError(
                f"{self.where}: {what} may have {size:,} values, and integers of SPIN have "
                f"{BITS} bits\n  instead: choose smaller sizes, or less in one record"
            )
        return lo, max(lo, lo + size - 1)

    def universe(self, t: Type, what: str = "a set") -> int:
        """Return the set of all values of a type.

        Raises:
            BindError: there are more than an integer has bits.
        """
        size = self.size(t)
        if size > BITS:
            raise BindError(
                f"{self.where}: {what} may have {size:,} elements, and a set is an integer of SPIN,"
                f" which has {BITS} bits\n  instead: choose smaller sizes, or use a map to bool"
            )
        return (1 << size) - 1

    def each(self, t: Type) -> int:
        """Return how many elements of an owned sort each owner has."""
        assert isinstance(t, SortT)
        assert t.owner is not None
        return max(1, self.size(t) // max(1, self.size(t.owner)))

    # -- codes ---------------------------------------------------------------------------------

    def code(self, t: Type, value: Term) -> Term:
        """Return the code of a value."""
        return int(value) if isinstance(value, bool) else sub(value, self.offset(t))

    def value(self, t: Type, code: Term) -> Term:
        """Return the value that a code stands for."""
        if isinstance(code, str):
            return add(code, self.offset(t))
        match t:
            case BoolT():
                return bool(code)
            case EnumT(name=name, members=members):
                return self.named(f"{name}_{members[code]}", code)
            case OptionT(inner) if code == self.size(inner):
                return self.none(t)
            case OptionT(inner):
                return some(self.value(inner, code))
        return int(code) + self.offset(t)

    def named(self, wanted: str, value: int) -> Named:
        """Return a constant with a name, which the model defines."""
        key = (wanted, value)
        if key not in self._constants:
            own = self.names.new(wanted)
            self.macros[own] = f"#define {own} {value if value >= 0 else f'({value})'}"
            self._constants[key] = Named(value, own)
        return self._constants[key]

    def none(self, t: OptionT) -> Term:
        """Return what stands for None."""
        inner = t.inner
        wanted = f"{inner.lo}_{inner.hi}" if isinstance(inner, IntT) else repr(inner)
        return self.named(f"None_{wanted}", self.offset(t) + self.size(inner))

    # -- data ----------------------------------------------------------------------------------

    def data(self, t: Type, data: Any) -> Value:
        """Return a value that is given as data."""
        match t:
            case BoolT() | IntT():
                return data
            case EnumT(members=members):
                return self.value(t, members.index(data))
            case SortT(name=name):
                return self.elements[name].index(data)
            case OptionT(inner):
                return self.none(t) if data is None else some(self.data(inner, data))
            case RecordT(fields=fields):
                parts = (self.data(f, x) for (_, f), x in zip(fields, data, strict=True))
                return self.record(t, tuple(parts))
            case SetT(elem):
                return sum(1 << self.known(elem, x) for x in data)
            case SeqT(elem=elem, cap=cap):
                codes = [self.known(elem, x) for x in data]
                return Line(len(codes), (*codes, *[0] * (cap - len(codes))))
        raise AssertionError(f"{t!r} is no type of a place")

    def known(self, t: Type, data: Any) -> int:
        """Return the code of a scalar that is given as data."""
        return int(self.code(t, self.data(t, data)))

    # -- records -------------------------------------------------------------------------------

    def record(self, t: RecordT, parts: tuple[Term, ...]) -> Term:
        """Return a record with its fields."""
        codes = [self.code(f, part) for (_, f), part in zip(t.fields, parts, strict=True)]
        if any(isinstance(code, str) for code in codes):
            return f"{self._record(t)[0]}({', '.join(map(show, parts))})"
        total = 0
        for (_, f), code in zip(t.fields, codes, strict=True):
            total = total * self.size(f) + int(code)
        return total

    def field(self, t: RecordT, record: Term, name: str) -> Term:
        """Return a field of a record."""
        if isinstance(record, str):
            return f"{self._record(t)[1][name]}({record})"
        found = t.field(name)
        assert found is not None
        return self.value(found, self._digit(t, record, name))

    def _digit(self, t: RecordT, record: Term, name: str) -> Term:
        """Return the code of a field of a record."""
        names = [n for n, _ in t.fields]
        at = names.index(name)
        below = math.prod(self.size(f) for _, f in t.fields[at + 1 :])
        quotient = divide(record, max(below, 1))
        return rest_of(quotient, max(self.size(t.fields[at][1]), 1)) if at else quotient

    def _record(self, t: RecordT) -> tuple[str, dict[str, str]]:
        """Return the names of the macros that make a record and give its fields."""
        if t.name not in self._records:
            own = self.names.new(t.name)
            params = [f"f{i}" for i in range(len(t.fields))]
            total: Term = 0
            for (_, f), param in zip(t.fields, params, strict=True):
                total = add(times(total, self.size(f)), self.code(f, f"({param})"))
            self.macros[own] = f"#define {own}({', '.join(params)}) {total}"
            fields = {name: self.names.new(f"{t.name}_{name}") for name, _ in t.fields}
            for name, f in t.fields:
                said = show(add(self._digit(t, "(r)", name), self.offset(f)))
                self.macros[fields[name]] = f"#define {fields[name]}(r) {said}"
            self._records[t.name] = own, fields
        return self._records[t.name]

    # -- comparing -----------------------------------------------------------------------------

    def default(self, t: Type) -> Value:
        """Return what a place of this type starts with if nothing is said."""
        if isinstance(t, SeqT):
            return Line(0, (0,) * t.cap)
        if isinstance(t, SetT):
            return 0
        if isinstance(t, OptionT):
            return self.none(t)
        if isinstance(t, RecordT):
            return self.record(t, tuple(self.default(f) for _, f in t.fields))
        return self.value(t, 0)

    def equal(self, a: Value, b: Value) -> Term:
        """Return whether two values of one type are equal, which are no maps."""
        if isinstance(a, Line):
            pairs = zip(a.slots, b.slots, strict=True)
            return all_of(equal(a.length, b.length), *(equal(x, y) for x, y in pairs))
        return equal(a, b)

    def choose(self, cond: Term, a: Value, b: Value) -> Value:
        """Return one of two values of one type, which are no maps."""
        if isinstance(a, Line):
            pairs = zip(a.slots, b.slots, strict=True)
            slots = tuple(choose(cond, x, y) for x, y in pairs)
            return Line(choose(cond, a.length, b.length), slots)
        return choose(cond, a, b)


def some(value: Term) -> Term:
    """Return a value seen as an option."""
    return int(value) if isinstance(value, bool) else value


def numbers(value: Value) -> tuple[Term, ...]:
    """Return the numbers that a value is."""
    return (value.length, *value.slots) if isinstance(value, Line) else (value,)
