"""Formulas are kept small, and products are made of what solvers can add."""

from __future__ import annotations

import itertools

import z3
from ackproof.proofs.smt.logic import ite, product
from ackproof.proofs.smt.walking import operator, parts_of

GROWS, X, Y = z3.Bool("grows"), z3.Int("x"), z3.Int("y")


def number(term: z3.ArithRef, grows: bool, x: int, y: int) -> int:
    """Return what a term comes to."""
    values = ((GROWS, z3.BoolVal(grows)), (X, z3.IntVal(x)), (Y, z3.IntVal(y)))
    found = z3.simplify(z3.substitute(term, *values))
    assert isinstance(found, z3.IntNumRef)
    return found.as_long()


def test_a_product_of_choices_and_sums_is_what_it_was() -> None:
    one, other = ite(GROWS, X + 1, X) + Y, ite(GROWS, Y, X - 2)
    for grows, x, y in itertools.product((False, True), (-2, 0, 3), (-1, 0, 5)):
        assert number(product(one, other), grows, x, y) == number(one * other, grows, x, y)


def test_no_choice_and_no_sum_is_multiplied() -> None:
    multiplied, left = [], [product(ite(GROWS, X + 1, X) + Y, Y)]
    while left:
        term = left.pop()
        multiplied += parts_of(term) if operator(term) == z3.Z3_OP_MUL else []
        left += parts_of(term)
    assert multiplied
    assert not {operator(part) for part in multiplied} & {z3.Z3_OP_ITE, z3.Z3_OP_ADD}
