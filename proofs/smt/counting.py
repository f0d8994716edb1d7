"""Counting in the unbounded domain: what is known of the numbers of members of two sets.

How many members a set has no first-order formula says.  But every set of an instance is finite, and
of two finite sets it is true that

* one that has nothing but what the other has, has no more members;
* one that has nothing but that and a single element more, has at most one member more;
* one that has all that the other has, and something else, has at least one member more.

With a set that is empty before it is filled, that says what it takes for a limit: a step that adds
one element to what is below the limit does not go beyond it.  It does not say how many members the
union of two sets has, so nothing is proved of sums.

An axiom is stated of each two numbers in a query, and where the conclusion speaks of one only: to
whatever else is proved it would be a burden.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import z3
from ackproof.proofs.smt.logic import Term, conjunction, equal, negation, replaced
from ackproof.proofs.smt.unbounded import Named

__all__ = ["Comparisons"]


class Comparisons:
    """What is known of numbers of members: of each two made once, for it is in many queries."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], list[Term]] = {}

    def of(self, counts: Sequence[Named]) -> list[Term]:
        """Return what is known of numbers of members, each held against each other."""
        return [
            axiom
            for one in counts
            for other in counts
            if one.type == other.type and (one is not other or one.given)
            for axiom in self._of_two(one, other)
        ]

    def _of_two(self, one: Named, other: Named) -> list[Term]:
        key = one.function.name(), other.function.name()
        if key not in self._made:
            self._made[key] = [*_compared(one, other)]
        return self._made[key]


def _compared(one: Named, other: Named) -> Iterator[Term]:
    """Yield what is known of the number of one set's members from that of another one's."""
    # Both may be the same function, of other things.
    theirs = [z3.Const(f"{x}.other", x.sort()) for x in other.given]
    here, there = one.function(*one.given), other.function(*theirs)
    x, y = _elements(one, "one"), _elements(one, "two")

    def only(elem: Sequence[Term], *, reverse: bool = False) -> Term:
        mine = replaced(one.formula, one.element, elem)
        its = replaced(other.formula, (*other.element, *other.given), (*elem, *theirs))
        return conjunction((its, negation(mine)) if reverse else (mine, negation(its)))

    apart = negation(conjunction(equal(a, b) for a, b in zip(x, y, strict=True)))
    two = z3.Exists([*x, *y], conjunction((only(x), only(y), apart)))
    bound = [*one.given, *theirs]
    yield _closed(bound, z3.Or(here <= there, z3.Exists(x, only(x))), here, there)
    yield _closed(bound, z3.Or(here <= there + 1, two), here, there)
    more = z3.And(z3.Exists(x, only(x)), z3.Not(z3.Exists(x, only(x, reverse=True))))
    yield _closed(bound, z3.Implies(more, here >= there + 1), here, there)


def _elements(of: Named, name: str) -> list[Term]:
    return [z3.Const(f"{name}.{i}", leaf.sort()) for i, leaf in enumerate(of.element)]


def _closed(bound: Sequence[Term], axiom: Term, here: Term, there: Term) -> Term:
    if not bound:
        return axiom
    both = [term for term in (here, there) if term.num_args()]
    return z3.ForAll([*bound], axiom, patterns=[z3.MultiPattern(*both)])
