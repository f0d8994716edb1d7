"""Owned sorts in the unbounded domain: three functions, and what is known of them.

Elements of an owned sort are integers, as those of any ordered sort, and there are as many as the
sort has elements in all.  To whom one belongs, which is the next of the same owner, and which is
the first that an owner has are functions of which first-order formulas say this much:

* the owner of an element that is there is there;
* the next element is a later one of the same owner, and none of that owner lies between them;
* the first element of an owner is its own, and none of its elements comes before it.

The next of the last element that an owner has is not there.  All of it is true in each instance:
integers from the number of elements on may be taken to belong to each owner in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import z3
from ackproof.lang.types import SortT
from ackproof.proofs.smt.logic import Term, conjunction, implies

__all__ = ["Owning", "axioms_of", "owning"]


@dataclass(frozen=True)
class Owning:
    """The functions of an owned sort.

    Attributes:
        owner: from an element to its owner.
        succ: from an element to the next one of its owner.
        first: from an owner to its first element.
    """

    owner: z3.FuncDeclRef
    succ: z3.FuncDeclRef
    first: z3.FuncDeclRef


def owning(t: SortT, owners: z3.SortRef) -> Owning:
    """Return the functions of a sort; `owners` is the sort of what owns its elements."""
    return Owning(
        z3.Function(f"owner.{t.name}", z3.IntSort(), owners),
        z3.Function(f"succ.{t.name}", z3.IntSort(), z3.IntSort()),
        z3.Function(f"first.{t.name}", owners, z3.IntSort()),
    )


def axioms_of(
    of: Owning, there: Callable[[Term], Term], owner_there: Callable[[Term], Term]
) -> dict[str, list[Term]]:
    """Return what is known of each function, by its name.

    Each axiom is used where its function is applied to something, and nowhere else.

    Args:
        of: the functions.
        there: says that an element exists.
        owner_there: says that an owner exists.
    """
    m, n = z3.Ints("element other")
    c = z3.Const("owner", of.owner.range())
    owner, succ, first = of.owner, of.succ, of.first
    later = conjunction((succ(m) > m, owner(succ(m)) == owner(m)))
    between = implies(conjunction((owner(n) == owner(m), m < n)), succ(m) <= n)
    own = conjunction((first(c) >= 0, implies(owner_there(c), owner(first(c)) == c)))
    return {
        owner.name(): [
            z3.ForAll([m], implies(there(m), owner_there(owner(m))), patterns=[owner(m)])
        ],
        succ.name(): [
            z3.ForAll([m], later, patterns=[succ(m)]),
            z3.ForAll([m, n], between, patterns=[z3.MultiPattern(succ(m), owner(n))]),
        ],
        first.name(): [
            z3.ForAll([c], own, patterns=[first(c)]),
            z3.ForAll([n], implies(n >= 0, first(owner(n)) <= n), patterns=[owner(n)]),
        ],
    }
