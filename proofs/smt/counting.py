"""Counting in the unbounded domain: what is known of the numbers of members of some sets.

How many members a set has no first-order formula says.  But every set of an instance is finite.
Of one finite set it is true that

* one that has not two different members has at most one;

of two that

* one that has nothing but what the other has, has no more members;
* one that has nothing but that and a single element more, has at most one member more;
* one that has all that the other has, and something else, has at least one member more;

and of three that

* one that is made of two others, which have no member in common, has as many members as both.

With a set that is empty before it is filled, those of two say what it takes for a limit: a step
that adds one element to what is below the limit does not go beyond it.  The last says what it takes
for an account, which a step may change by any number at once.  Sums over all elements of a sort
are beyond that.

An axiom is stated of numbers that are in one query, and where the conclusion speaks of one only: to
whatever else is proved it would be a burden.  So it would be of sets that have nothing to do with
each other.  So sets are held against each other if one depends on all that the others depend on, as
it does after a step that made it of them, and any two where one is of the step's own arguments, as
a guard's is.  Numbers that depend on elements of one sort, such as a channel, are compared for the
same element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations

import z3
from ackproof.proofs.smt.logic import Term, conjunction, equal, negation, replaced
from ackproof.proofs.smt.unbounded import Named
from ackproof.proofs.smt.walking import symbols

__all__ = ["Comparisons"]


class Comparisons:
    """What is known of numbers of members, made once for each, as they are in many queries."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, ...], list[Term]] = {}
        self._read: dict[str, frozenset[str]] = {}

    def of(self, counts: Sequence[Named]) -> list[Term]:
        """Return what is known of numbers of members, each held against each other."""
        pairs = permutations(counts, 2)
        sums = (
            (whole, *parts)
            for whole in counts
            for parts in combinations([n for n in counts if n is not whole], 2)
        )
        # A set that reads nothing is one that the step lists.
        listed = ((one,) for one in counts if not self._reads(one))
        every = (*listed, *pairs, *sums)
        return [
            axiom
            for some in every
            if len({one.type for one in some}) == 1 and self._alike(some)
            for axiom in self._of(some)
        ]

    def _alike(self, some: Sequence[Named]) -> bool:
        """Tell whether one set may be made of the others, or one of two is of the step's own."""
        if len(some) == 2 and not all(one.given for one in some):
            return True
        read = [self._reads(one) for one in some]
        return frozenset().union(*read) in read

    def _reads(self, named: Named) -> frozenset[str]:
        """Return the variables on which it depends what is in a set."""
        name = named.function.name()
        if name not in self._read:
            self._read[name] = frozenset(s for s in symbols([named.formula]) if s.startswith("s."))
        return self._read[name]

    def _of(self, some: tuple[Named, ...]) -> list[Term]:
        key = tuple(one.function.name() for one in some)
        if key not in self._made:
            self._made[key] = [*_known(*_together(some))]
        return self._made[key]


class _Count:
    """A number of members, for some bound constants."""

    def __init__(self, named: Named, given: Sequence[Term]) -> None:
        self.given = given
        self.number = named.function(*given)
        self._named = named

    def has(self, elem: Sequence[Term]) -> Term:
        """Return that something is a member."""
        named = self._named
        return replaced(named.formula, (*named.element, *named.given), (*elem, *self.given))

    def elements(self, name: str) -> list[Term]:
        """Return constants that stand for a member."""
        return [z3.Const(f"{name}.{i}", leaf.sort()) for i, leaf in enumerate(self._named.element)]


def _together(some: Sequence[Named]) -> list[_Count]:
    """Return numbers that depend on the same element, where they depend on one of the same sort."""
    alike = all(len({_sort(x) for x in one.given}) == len(one.given) for one in some)
    return [
        _Count(one, [z3.Const(_sort(x) if alike else f"{x}.{i}", x.sort()) for x in one.given])
        for i, one in enumerate(some)
    ]


def _sort(given: Term) -> str:
    """Return the name of a bound constant's sort, of which its own is made."""
    return str(given).partition("!")[0]


def _known(one: _Count, *others: _Count) -> Iterable[Term]:
    match others:
        case ():
            return [_few(one)]
        case (other,):
            return _compared(one, other)
        case (part, other):
            return [_summed(one, part, other)]
        case _:
            raise AssertionError("nothing is known of four numbers")


def _few(one: _Count) -> Term:
    """Return that a set has at most one member, or two different ones."""
    x, y = one.elements("one"), one.elements("two")
    two = z3.Exists([*x, *y], conjunction((one.has(x), one.has(y), _differ(x, y))))
    return _closed(z3.Or(one.number <= 1, two), one)


def _differ(x: Sequence[Term], y: Sequence[Term]) -> Term:
    return negation(conjunction(equal(a, b) for a, b in zip(x, y, strict=True)))


def _compared(one: _Count, other: _Count) -> Iterator[Term]:
    """Yield what is known of the number of one set's members from that of another one's."""
    x, y = one.elements("one"), one.elements("two")
    here, there = one.number, other.number

    def only(elem: Sequence[Term], *, reverse: bool = False) -> Term:
        mine, its = one.has(elem), other.has(elem)
        return conjunction((its, negation(mine)) if reverse else (mine, negation(its)))

    two = z3.Exists([*x, *y], conjunction((only(x), only(y), _differ(x, y))))
    more = z3.And(z3.Exists(x, only(x)), z3.Not(z3.Exists(x, only(x, reverse=True))))
    yield _closed(z3.Or(here <= there, z3.Exists(x, only(x))), one, other)
    yield _closed(z3.Or(here <= there + 1, two), one, other)
    yield _closed(z3.Implies(more, here >= there + 1), one, other)


def _summed(whole: _Count, one: _Count, other: _Count) -> Term:
    """Return that a set has as many members as two others, if it is made of these two."""
    x = whole.elements("one")
    here, mine, its = whole.has(x), one.has(x), other.has(x)
    made = z3.And(here == z3.Or(mine, its), z3.Not(z3.And(mine, its)))
    equals = whole.number == one.number + other.number
    return _closed(z3.Or(equals, z3.Exists(x, z3.Not(made))), whole, one, other)


def _closed(axiom: Term, *counts: _Count) -> Term:
    bound = {x.get_id(): x for one in counts for x in one.given}
    if not bound:
        return axiom
    # One number that depends on all of them says which, and else it takes several.
    whole = [one.number for one in counts if len(one.given) == len(bound)]
    several = z3.MultiPattern(*(one.number for one in counts if one.given))
    return z3.ForAll([*bound.values()], axiom, patterns=whole or [several])
