"""What is found in formulas by calling Z3's library directly is what its interface finds."""

from __future__ import annotations

import z3
from ackproof.proofs.smt.direct import Address, address
from ackproof.proofs.smt.walking import (
    BoundIn,
    constants,
    has_quantifier,
    operator,
    scope_of,
    symbols,
)

x, y = z3.Ints("x y")
p = z3.Bool("p")
f = z3.Function("f", z3.IntSort(), z3.IntSort(), z3.BoolSort())
inner = z3.Exists([y], f(x, y))
outer = z3.ForAll([x], z3.Implies(p, inner))


def test_constants_are_those_that_are_free() -> None:
    assert {str(c) for c in constants(z3.And(f(x, y + 1), p)).values()} == {"x", "y", "p"}
    assert {str(c) for c in constants(outer).values()} == {"p"}
    found = constants(z3.And(p, x == 1))
    assert all(address(c) == at for at, c in found.items())


def test_symbols_come_in_order_and_once() -> None:
    assert symbols([z3.And(f(y, x), f(x, y)), outer]) == ("f", "y", "x", "p")
    assert symbols([z3.BoolVal(True), x + 1 > 2]) == ("x",)


def test_quantifiers_are_counted_by_how_deep_they_are() -> None:
    assert not has_quantifier(f(x, y))
    assert has_quantifier(z3.Or(p, z3.Not(inner)))
    known: dict[Address, BoundIn] = {}
    both = z3.And(p, outer)
    assert [scope_of(t, known)[0] for t in (p, inner, outer, both)] == [0, 1, 2, 2]


def test_the_constants_of_each_part_are_known_besides() -> None:
    known: dict[Address, BoundIn] = {}
    for term in (p, inner, outer, z3.And(p, outer), z3.If(p, x + y, 3) == x, z3.BoolVal(True)):
        assert scope_of(term, known)[1] == set(constants(term))


def test_operations_are_told_apart() -> None:
    assert operator(z3.And(p, p)) == z3.Z3_OP_AND
    assert operator(z3.Not(p)) == z3.Z3_OP_NOT
    assert operator(z3.BoolVal(False)) == z3.Z3_OP_FALSE
    assert operator(outer) == operator(z3.IntVal(3)) == -1
