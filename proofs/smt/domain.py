"""What quantifiers range over: a domain gives meaning to sorts and to "for all".

The same translation serves two domains.  In the unbounded one a sort has any number of elements,
none included, and a quantifier is one of the solver's.  In a finite one (`finite.py`) a sort has
as many as an instance says, and a quantifier is written out.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import z3
from ackproof.proofs.smt.logic import FALSE, TRUE, Term, both, either, equal, implies, negation
from ackproof.proofs.smt.values import MapValue, Scalar, SetValue, Value
from ackproof.spec.lang.types import (
    UNBOUNDED,
    BoolT,
    EnumT,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)

__all__ = ["Domain", "Untranslatable"]

#: One way to name all values of some shape: leaves, and the constants in them that vary.
Shape = tuple[Scalar, tuple[Term, ...]]


class Untranslatable(Exception):
    """Something of the specification has no counterpart in this domain.

    The message names it, and says what to do instead.
    """


#: Enums made so far: Z3 has one sort of a name, for as long as the process lives.
_ENUMS: dict[tuple[str, tuple[str, ...]], tuple[z3.SortRef, dict[str, Term]]] = {}


def _enum(t: EnumT) -> tuple[z3.SortRef, dict[str, Term]]:
    """Return the sort of an enum and its members; another enum of its name gets a number."""
    key = (t.name, t.members)
    if key not in _ENUMS:
        others = sum(name == t.name for name, _ in _ENUMS)
        end = f"!{others}" if others else ""
        names = [f"{t.name}.{m}{end}" for m in t.members]
        sort, members = z3.EnumSort(f"{t.name}{end}", names)
        _ENUMS[key] = (sort, dict(zip(t.members, members, strict=True)))
    return _ENUMS[key]


class Domain(ABC):
    """The meaning of sorts, and of what is said of all elements.

    Attributes:
        enums: the members of each enum, by its name, as terms.
    """

    def __init__(self) -> None:
        self.enums: dict[str, dict[str, Term]] = {}
        self._enum_sorts: dict[str, z3.SortRef] = {}

    # -- leaves ---------------------------------------------------------------------------------

    def enum(self, t: EnumT) -> z3.SortRef:
        """Return the sort of an enum, made when it is first asked for."""
        if t.name not in self._enum_sorts:
            self._enum_sorts[t.name], self.enums[t.name] = _enum(t)
        return self._enum_sorts[t.name]

    @abstractmethod
    def sort(self, t: Type) -> z3.SortRef:
        """Return the sort of a type with one leaf."""

    def sorts(self, t: Type) -> tuple[z3.SortRef, ...]:
        """Return the sorts of the leaves of a scalar type."""
        if isinstance(t, OptionT):
            return (z3.BoolSort(), *self.sorts(t.inner))
        if isinstance(t, RecordT):
            return tuple(s for _, inner in t.fields for s in self.sorts(inner))
        return (self.sort(t),)

    # -- elements -------------------------------------------------------------------------------

    @abstractmethod
    def first(self, t: SortT) -> Term:
        """Return the first element of a sort."""

    @abstractmethod
    def successor(self, t: SortT, x: Term) -> Scalar:
        """Return the next element of an ordered sort, as an option."""

    @abstractmethod
    def element(self, t: SortT, number: int) -> Term:
        """Return the element of a sort that has a number, counted from 0."""

    @abstractmethod
    def there(self, t: Type, x: Scalar) -> Term:
        """Return the formula that says that leaves are those of a value of the type."""

    @abstractmethod
    def typing(self, t: Type, apply: z3.FuncDeclRef, dims: Sequence[Type], leaf: int) -> list[Term]:
        """Return what is known of a symbol of a state."""

    @abstractmethod
    def less(self, t: Type, a: Term, b: Term, strict: bool) -> Term:
        """Return the formula that says that one comes before the other."""

    def defined(self, members: SetValue) -> SetValue:
        """Return a set that the specification has named, as it is best spoken of: here as it is."""
        return members

    def integer(self, value: int) -> Term:
        """Return a number."""
        return z3.IntVal(value)

    # -- what is said of all --------------------------------------------------------------------

    @abstractmethod
    def shapes(self, t: Type) -> list[Shape]:
        """Return ways to name the values of a scalar type that together name each."""

    @abstractmethod
    def quantify(self, everywhere: bool, bound: tuple[Term, ...], body: Term) -> Term:
        """Return the formula that says something of all values of constants, or of one."""

    def every(self, members: SetValue, body: Callable[[Scalar], Term]) -> Term:
        """Return the formula that says something of each member of a set."""
        return both(
            self.quantify(True, bound, implies(members(x), body(x)))
            for x, bound in self.shapes(members.elem)
        )

    def some(self, members: SetValue, body: Callable[[Scalar], Term]) -> Term:
        """Return the formula that says something of one member of a set."""
        return either(
            self.quantify(False, bound, both((members(x), body(x))))
            for x, bound in self.shapes(members.elem)
        )

    def universe(self, t: Type) -> SetValue:
        """Return the set of all values of a scalar type."""
        return SetValue(t, lambda x: self.there(t, x))

    @abstractmethod
    def extreme(self, op: str, members: SetValue) -> Scalar:
        """Return the least or greatest member of a set, as an option."""

    @abstractmethod
    def count(self, members: SetValue) -> Term:
        """Return the number of members of a set."""

    def at_least(self, members: SetValue, number: int) -> Term:
        """Return the formula that says that a set has that many members, or more."""

        def further(chosen: list[Scalar]) -> Term:
            if len(chosen) == number:
                return TRUE
            return self.some(members, lambda x: both((*_apart(x, chosen), further([*chosen, x]))))

        return further([])

    # -- values ---------------------------------------------------------------------------------

    def default(self, t: Type) -> Value:
        """Return the value that a variable of a type starts with when none is given."""
        if isinstance(t, SetT):
            return SetValue(t.elem, lambda _: FALSE)
        if isinstance(t, MapT):
            value = self.default(t.value)
            return MapValue(t.key, t.value, lambda _: value)
        if isinstance(t, OptionT):
            return (FALSE, *self.scalar_default(t.inner))
        if isinstance(t, SeqT | FamilyT):
            raise Untranslatable(f"a value of type {t!r} is no set and no function")
        return self.scalar_default(t)

    def scalar_default(self, t: Type) -> Scalar:
        """Return the leaves of the default of a scalar type."""
        if isinstance(t, OptionT):
            return (FALSE, *self.scalar_default(t.inner))
        if isinstance(t, RecordT):
            return tuple(x for _, inner in t.fields for x in self.scalar_default(inner))
        if isinstance(t, BoolT):
            return (FALSE,)
        if isinstance(t, EnumT):
            self.enum(t)
            return (self.enums[t.name][t.members[0]],)
        if isinstance(t, IntT):
            return (self.integer(0 if t.lo == -UNBOUNDED else t.lo),)
        assert isinstance(t, SortT)
        return (self.first(t),)

    def combined(self, t: RecordT) -> list[Shape]:
        """Return the shapes of a record: each combination of shapes of its fields."""
        return [
            (
                tuple(leaf for leaves, _ in parts for leaf in leaves),
                tuple(x for _, bound in parts for x in bound),
            )
            for parts in itertools.product(*(self.shapes(inner) for _, inner in t.fields))
        ]


def _apart(x: Scalar, others: list[Scalar]) -> list[Term]:
    return [negation(both(equal(a, b) for a, b in zip(x, o, strict=True))) for o in others]
