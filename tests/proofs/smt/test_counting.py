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


SOME = [set(), {0}, {1, 2}, {0, 1, 2}]


@pytest.mark.parametrize("sets", [*product(SOME, repeat=3)], ids=str)
def test_the_real_numbers_of_three_sets_are_possible(sets: tuple[set[int], ...]) -> None:
    _, numbers, solver = counted(*map(among, sets))
    solver.add(*(number == len(one) for number, one in zip(numbers, sets, strict=True)))
    assert solver.check() == z3.sat


@pytest.mark.parametrize(("one", "other"), [({0}, {1, 2}), ({1}, {0, 2}), ({0, 2}, {1})], ids=str)
def test_a_set_that_is_made_of_two_others_has_as_many_members_as_both(
    one: set[int], other: set[int]
) -> None:
    _, (whole, here, there), solver = counted(among({0, 1, 2}), among(one), among(other))
    assert solver.check(whole != here + there) == z3.unsat


def test_two_sets_that_have_a_member_in_common_are_not_added_up() -> None:
    _, (whole, here, there), solver = counted(among({0, 1, 2}), among({0, 1}), among({1, 2}))
    assert solver.check(whole == 3, here == 2, there == 2) == z3.sat


def test_what_a_step_lists_has_no_more_members_than_there_are() -> None:
    _, (number,), solver = counted(among({2}))
    assert solver.check(number != 1) == z3.unsat


def below(domain: Unbounded, more: int) -> Term:
    """Return how many are below some bound constant, or just above, and not below 0."""
    x = domain._variable(TAG)
    return domain.count(SetValue(TAG, lambda e: z3.And(e[0] >= 0, e[0] < x + more)))


def test_sets_that_depend_on_one_element_are_held_against_each_other() -> None:
    """Below the next one there is at most one more; of other elements that is not said."""
    domain, solver = Unbounded(), z3.Solver()
    solver.set("rlimit", 5_000_000)
    here, there = below(domain, 0).decl(), below(domain, 1).decl()
    solver.add(*Comparisons().of([*domain.named.values()]))
    assert solver.check(there(3) > here(3) + 1) == z3.unsat
    assert solver.check(there(4) > here(3) + 1) != z3.unsat
