"""What Z3 does not decide, a second solver may."""

from __future__ import annotations

import pytest
import z3
from ackproof.proofs import cvc5_solver, discharge
from ackproof.proofs.discharge import PROVED, REFUTED, UNKNOWN, solve
from ackproof.proofs.obligation import Query

P = z3.Function("p", z3.IntSort(), z3.BoolSort())
X = z3.Int("x")


def query(*said: z3.BoolRef) -> Query:
    return Query(list(said), [], [])


def test_formulas_without_a_model_are_refuted_by_the_second_solver() -> None:
    assert cvc5_solver.refutes([z3.ForAll([X], P(X)), z3.Not(P(z3.IntVal(3)))], 5)


def test_formulas_with_a_model_are_not() -> None:
    assert not cvc5_solver.refutes([P(z3.IntVal(3))], 5)


def test_the_second_solver_is_called_when_the_first_gives_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gives_up = discharge.SolverAnswer(UNKNOWN, "tired")
    monkeypatch.setattr(discharge, "_ask", lambda *_: gives_up)
    answer = solve(query(z3.ForAll([X], P(X)), z3.Not(P(z3.IntVal(3)))), 30)
    assert (answer.status, answer.solver) == (PROVED, "cvc5")


def test_what_neither_knows_is_unknown_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discharge, "_ask", lambda *_: discharge.SolverAnswer(UNKNOWN, "tired"))
    answer = solve(query(P(z3.IntVal(3))), 30)
    assert (answer.status, answer.reason) == (UNKNOWN, "tired")


def test_without_a_second_solver_the_first_is_called_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cvc5_solver, "available", lambda: False)
    assert solve(query(P(z3.IntVal(3)), z3.Not(P(z3.IntVal(3)))), 5).status == PROVED
    assert solve(query(P(z3.IntVal(3))), 5).status == REFUTED


def test_without_time_nothing_is_known() -> None:
    assert solve(query(P(z3.IntVal(3))), 0).status == UNKNOWN
