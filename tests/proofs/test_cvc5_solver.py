"""What Z3 does not decide, a second solver may."""

from __future__ import annotations

import pytest
import z3
from ackproof.proofs import cvc5_solver, solving
from ackproof.proofs.obligation import Query
from ackproof.proofs.solving import PROVED, REFUTED, UNKNOWN, solve

P = z3.Function("p", z3.IntSort(), z3.BoolSort())
X = z3.Int("x")


def query(*said: z3.BoolRef) -> Query:
    return Query(list(said), [], [])


def gives_up(*_: object) -> tuple[solving.SolverAnswer, float]:
    return solving.SolverAnswer(UNKNOWN, "tired"), 0.0


def test_formulas_without_a_model_are_refuted_by_the_second_solver() -> None:
    assert cvc5_solver.refutes([z3.ForAll([X], P(X)), z3.Not(P(z3.IntVal(3)))], 5, {})[0]


def test_formulas_with_a_model_are_not() -> None:
    assert not cvc5_solver.refutes([P(z3.IntVal(3))], 5, {})[0]


def test_its_limit_is_one_of_its_own_work() -> None:
    q = z3.Function("q", z3.IntSort(), z3.IntSort(), z3.BoolSort())
    y = z3.Int("y")
    beyond = z3.ForAll([X], z3.Exists([y], z3.And(q(X, y), y * y > X * X + 1)))
    first = cvc5_solver.refutes([beyond, P(X)], 0.05, {"enum-inst": "true"})
    assert first == cvc5_solver.refutes([beyond, P(X)], 0.05, {"enum-inst": "true"})
    assert not first[0]
    assert 0.04 < first[1] < 0.1


def test_the_second_solver_is_called_when_the_first_gives_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(solving, "_by_z3", gives_up)
    answer = solve(query(z3.ForAll([X], P(X)), z3.Not(P(z3.IntVal(3)))), 30)
    assert (answer.status, answer.solver) == (PROVED, "cvc5")


def test_what_neither_knows_is_unknown_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "_by_z3", gives_up)
    answer = solve(query(P(z3.IntVal(3))), 30)
    assert (answer.status, answer.reason) == (UNKNOWN, "tired")


def test_without_a_second_solver_the_first_is_called_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cvc5_solver, "available", lambda: False)
    assert solve(query(P(z3.IntVal(3)), z3.Not(P(z3.IntVal(3)))), 5).status == PROVED
    assert solve(query(P(z3.IntVal(3))), 5).status == REFUTED


def test_without_time_nothing_is_known() -> None:
    assert solve(query(P(z3.IntVal(3))), 0).status == UNKNOWN
