"""A certificate is shown when for each obligation a solver says so, and none says otherwise."""

from __future__ import annotations

from ackproof.cli.recheck import Answers


def answers(cvc5: str, z3: str) -> Answers:
    """Return what is made of one obligation that the solvers say this of."""
    found = Answers()
    found.take({"name": "A/b", "file": "a.smt2", "cvc5": cvc5, "z3": z3})
    return found


def test_what_both_solvers_decide_is_shown() -> None:
    found = answers("unsat", "unsat")
    assert (found.exit_code, found.single) == (0, [])


def test_what_only_one_can_decide_is_shown_and_named() -> None:
    found = answers("unknown", "unsat")
    assert found.exit_code == 0
    assert found.single == [("A/b (a.smt2)", "cvc5 cannot decide it")]


def test_what_neither_decides_is_open() -> None:
    found = answers("unknown", "unknown")
    assert found.exit_code == 3
    assert found.open == [("A/b (a.smt2)", "cvc5 and z3 cannot decide it")]


def test_what_one_has_a_model_of_is_wrong_whatever_the_other_says() -> None:
    assert answers("unsat", "sat").exit_code == 1
    assert answers("sat", "unknown").exit_code == 1
