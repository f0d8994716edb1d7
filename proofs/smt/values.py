"""Values of the specification as terms.

A scalar is a tuple of terms, its *leaves*: an option is a truth value and the leaves of what may be
there, a record the leaves of its fields, anything else is one term.  A set is the formula that says
what is in it, and a map the value that it has at a key, both as functions of leaves; nothing is an
array, so a state is made of functions and predicates, and an expression of applications.

What stands behind a None is arbitrary, and no formula depends on it: two options that are None are
equal, and a set is applied to None under one name.

Functions cache their results, since a formula applies them to the same arguments again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ackproof.lang.types import OptionT, RecordT, Type, is_scalar
from ackproof.proofs.smt.direct import address
from ackproof.proofs.smt.logic import (
    Term,
    conjunction,
    equal,
    iff,
    implies,
    is_true,
    ite,
    replaced,
)

__all__ = [
    "MapValue",
    "Scalar",
    "SetValue",
    "Value",
    "choose",
    "parts_of",
    "same",
    "substituted",
    "width",
]

Scalar = tuple[Term, ...]


def _key(at: Scalar) -> tuple[int, ...]:
    return tuple([address(term) for term in at])


@dataclass(frozen=True, eq=False)
class SetValue:
    """A set: `holds` says of the leaves of an element whether it is in."""

    elem: Type
    holds: Callable[[Scalar], Term]
    _known: dict[tuple[int, ...], tuple[Scalar, Term]] = field(default_factory=dict, repr=False)

    def __call__(self, elem: Scalar) -> Term:
        """Return the formula that says that an element is in the set."""
        key = _key(elem)
        if key not in self._known:
            self._known[key] = (elem, self.holds(elem))
        return self._known[key][1]


@dataclass(frozen=True, eq=False)
class MapValue:
    """A map (or a family of processes): `at` says what is at the leaves of a key."""

    key: Type
    value: Type
    at: Callable[[Scalar], Value]
    _known: dict[tuple[int, ...], tuple[Scalar, Value]] = field(default_factory=dict, repr=False)

    def __call__(self, key: Scalar) -> Value:
        """Return the value at a key."""
        number = _key(key)
        if number not in self._known:
            self._known[number] = (key, self.at(key))
        return self._known[number][1]


Value = Scalar | SetValue | MapValue


def width(t: Type) -> int:
    """Return the number of leaves of a scalar type."""
    assert is_scalar(t)
    if isinstance(t, OptionT):
        return 1 + width(t.inner)
    if isinstance(t, RecordT):
        return sum(width(inner) for _, inner in t.fields)
    return 1


def parts_of(types: Iterable[Type], leaves: Scalar) -> Iterator[tuple[Type, Scalar]]:
    """Yield each of some scalar types with its part of the leaves of all."""
    start = 0
    for t in types:
        end = start + width(t)
        yield t, leaves[start:end]
        start = end


def same(t: Type, a: Scalar, b: Scalar) -> Term:
    """Return the formula that says that two scalars of a type are equal."""
    if isinstance(t, OptionT):
        inner = same(t.inner, a[1:], b[1:])
        if is_true(a[0]) or is_true(b[0]):
            return conjunction((a[0], b[0], inner))
        return conjunction((iff(a[0], b[0]), implies(a[0], inner)))
    if isinstance(t, RecordT):
        fields = [inner for _, inner in t.fields]
        pairs = zip(parts_of(fields, a), parts_of(fields, b), strict=True)
        return conjunction(same(inner, x, y) for (inner, x), (_, y) in pairs)
    return equal(a[0], b[0])


def choose(cond: Term, then: Value, orelse: Value) -> Value:
    """Return the value that is the one or the other."""
    if then is orelse:
        return then
    if isinstance(then, SetValue):
        assert isinstance(orelse, SetValue)
        yes, no = then, orelse
        return SetValue(then.elem, lambda x: ite(cond, yes(x), no(x)))
    if isinstance(then, MapValue):
        assert isinstance(orelse, MapValue)
        one, other = then, orelse
        return MapValue(then.key, then.value, lambda k: choose(cond, one(k), other(k)))
    assert isinstance(orelse, tuple)
    return tuple(ite(cond, a, b) for a, b in zip(then, orelse, strict=True))


def substituted(value: Value, old: Sequence[Term], new: Sequence[Term]) -> Value:
    """Return a value with constants replaced by terms."""
    if isinstance(value, SetValue):
        members = value
        return SetValue(members.elem, lambda x: replaced(members(x), old, new))
    if isinstance(value, MapValue):
        entries = value
        return MapValue(entries.key, entries.value, lambda k: substituted(entries(k), old, new))
    return tuple(replaced(term, old, new) for term in value)
