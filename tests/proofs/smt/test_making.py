"""Terms made by direct calls are those that Z3's interface makes of the same parts."""

from __future__ import annotations

import gc

import pytest
import z3
from ackproof.proofs.smt import making
from ackproof.proofs.smt.direct import address
from ackproof.proofs.smt.logic import alike

p, q = z3.Bools("p q")
x, y = z3.Ints("x y")
thing = z3.DeclareSort("thing")
a, b = z3.Consts("a b", thing)
colour, (red, blue) = z3.EnumSort("colour", ["red", "blue"])
f = z3.Function("f", z3.IntSort(), thing, z3.BoolSort())
g = z3.Function("g", thing, colour)

SAME = {
    "and": (making.all_of([p, q, p]), z3.And(p, q, p)),
    "or": (making.any_of([p, f(x, a)]), z3.Or(p, f(x, a))),
    "not": (making.negated(p), z3.Not(p)),
    "implies": (making.when(p, q), z3.Implies(p, q)),
    "equal numbers": (making.equals(x, y), x == y),
    "equal things": (making.equals(g(a), red), g(a) == red),
    "one of two numbers": (making.chosen(p, x, y), z3.If(p, x, y)),
    "one of two things": (making.chosen(p, a, b), z3.If(p, a, b)),
    "application": (making.applied(f, [x, a]), f(x, a)),
    "constant": (making.applied(x.decl(), []), x),
    "all": (making.quantified(True, [x], f(x, a)), z3.ForAll([x], f(x, a))),
    "some": (making.quantified(False, [x, y], x < y), z3.Exists([x, y], x < y)),
    "substitution": (making.substituted(f(x, a), [x, a], [y, b]), f(y, b)),
    "substitution by a number": (making.substituted(x, [x], [z3.IntVal(3)]), z3.IntVal(3)),
}


@pytest.mark.parametrize("name", SAME)
def test_a_term_is_the_same_and_of_the_same_class(name: str) -> None:
    made, expected = SAME[name]
    assert made.eq(expected)
    assert alike(made, expected)
    assert type(made) is type(expected)
    assert made.sexpr() == expected.sexpr()


def test_a_term_in_another_context_says_the_same() -> None:
    other = z3.Context()
    terms = [z3.ForAll([x], f(x, a)), g(a) == red, x]
    moved = making.moved(terms, other)
    assert [t.sexpr() for t in moved] == [t.sexpr() for t in terms]
    assert all(t.ctx is other for t in moved)


def test_a_term_lives_for_as_long_as_somebody_has_it() -> None:
    made = making.all_of([making.negated(z3.Bool("only here")), making.when(p, q)])
    said = made.sexpr()
    gc.collect()
    others = [making.when(p, making.negated(z3.Bool(f"b{i}"))) for i in range(1000)]
    assert made.sexpr() == said
    assert len({address(t) for t in others}) == 1000


def test_parts_that_do_not_fit_are_an_error_in_the_words_of_z3() -> None:
    with pytest.raises(z3.Z3Exception, match="Sort mismatch"):
        making.applied(f, [a, x])
    with pytest.raises(z3.Z3Exception):
        making.all_of([x, p])
    assert making.all_of([p, q]).eq(z3.And(p, q))
