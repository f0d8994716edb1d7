"""Formulas are written as every solver reads them, and mean the same there."""

from __future__ import annotations

import pytest
import z3
from ackproof.proofs.smt.script import script, shadowed
from ackproof.proofs.smt.unbounded import Untranslatable


def test_names_that_a_translation_makes_up_are_numbered_anew() -> None:
    p = z3.Function("p", z3.IntSort(), z3.BoolSort())
    texts = {script([p(z3.Int(f"min!{n}")), z3.Not(p(z3.Int(f"min!{n + 1}")))]) for n in (3, 17)}
    assert len(texts) == 1
    assert "(declare-fun min!2 () Int)" in texts.pop()


def test_a_name_that_is_bound_twice_would_change_what_a_file_means() -> None:
    x, y, p = z3.Int("x"), z3.Int("y"), z3.Function("p", z3.IntSort(), z3.IntSort(), z3.BoolSort())
    inner = z3.Exists([y], p(x, y))
    assert shadowed(script([z3.ForAll([x], inner)])) == []
    # The variable that stands for the outer x keeps its name where another x is bound.
    captured = z3.ForAll([x], z3.substitute(z3.Exists([z3.Int("z")], p(x, z3.Int("z")))))
    assert script([captured])
    with pytest.raises(Untranslatable, match="x is bound inside of what it is bound in"):
        script([z3.ForAll([x], z3.Exists([x], p(x, x)))])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("(forall ((x Int)) (exists ((y Int)) (p x y)))", []),
        ("(and (forall ((x Int)) (p x)) (forall ((x Int)) (q x)))", []),
        ("(forall ((x Int) (y (Array Int Int))) (or (p x) (exists ((y Int)) (p y))))", ["y"]),
        ("(let ((a (forall ((x Int)) (p x)))) (forall ((x Int)) (and a (q x))))", []),
    ],
)
def test_names_that_are_bound_twice_are_found(text: str, names: list[str]) -> None:
    assert shadowed(text) == names
