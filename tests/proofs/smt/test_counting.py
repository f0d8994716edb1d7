"""What is known of numbers of members is true of the real ones, and enough to count one by one."""

from __future__ import annotations

from itertools import combinations, product

import pytest
import z3
from ackproof.lang.types import SortT
from ackproof.proofs.smt.counting import Comparisons
from ackproof.proofs.smt.logic import Term, disjunction
from ackproof.proofs.smt.unbounded import Unbounded
from ackproof.proofs.smt.values import SetValue

TAG = SortT("Tag", ordered=True)
SUBSETS = [set(c) for size in range(4) for c in combinations(range(3), size)]


def among(members: set[int]) -> SetValue:
    """Return a set that is given by its members."""
    return SetValue(TAG, lambda x: disjunction(x[0] == n for n in sorted(members)))


def counted(*sets: SetValue) -> tuple[Unbounded, list[Term], z3.Solver]:
    """Return a domain, the numbers of members of sets, and what is known of these."""
    domain, solver = Unbounded(), z3.Solver()
    numbers = [domain.count(one) for one in sets]
    solver.add(*(axiom for axioms in domain.axioms.values() for axiom in axioms))
    solver.add(*Comparisons().of([n for n in domain.named.values() if n.kind == "count"]))
    return domain, numbers, solver


@pytest.mark.parametrize(("one", "other"), [*product(SUBSETS, repeat=2)], ids=str)
def test_the_real_numbers_of_members_are_possible(one: set[int], other: set[int]) -> None:
    _, (here, there), solver = counted(among(one), among(other))
    solver.add(here == len(one), there == len(other))
    assert solver.check() == z3.sat


@pytest.mark.parametrize("size", range(3))
def test_one_element_more_counts_one(size: int) -> None:
    _, (here, there), solver = counted(among({*range(size)}), among({*range(size + 1)}))
    solver.add(here == size, there != size + 1)
    assert solver.check() == z3.unsat


def test_a_set_of_two_more_is_not_known_to_have_one_more() -> None:
    _, (here, there), solver = counted(among({0}), among({0, 1, 2}))
    solver.add(here == 1, there == 3)
    assert solver.check() == z3.sat


def test_sets_that_depend_on_something_are_held_against_each_other() -> None:
    """The number of what is below x is no larger than that of what is below a larger one."""
    domain = Unbounded()
    x, y = (domain._variable(TAG) for _ in range(2))
    here, there = (
        domain.count(SetValue(TAG, lambda e, m=m: z3.And(e[0] >= 0, e[0] < m))) for m in (x, y)
    )
    assert here.decl().eq(there.decl())
    solver = z3.Solver()
    solver.set("rlimit", 5_000_000)
    solver.add(*Comparisons().of([*domain.named.values()]), x <= y)
    assert solver.check(here > there) == z3.unsat
