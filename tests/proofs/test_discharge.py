"""A query may have a short part, which is tried first and decides only what it can."""

from __future__ import annotations

import pytest
import z3
from ackproof.proofs import cvc5_solver, discharge
from ackproof.proofs.discharge import PROVED, REFUTED, UNKNOWN, solve
from ackproof.proofs.obligation import Query

P = z3.Function("p", z3.IntSort(), z3.BoolSort())
X = z3.Int("x")
YES = P(z3.IntVal(3))
NO = z3.Not(P(z3.IntVal(3)))


def test_the_short_part_is_enough_for_a_proof() -> None:
    query = Query([z3.ForAll([X], P(X)), NO], [], [], Query([YES, NO], [], []))
    assert solve(query, 5, ways=1).status == PROVED


def test_a_model_of_the_short_part_refutes_nothing() -> None:
    query = Query([YES, NO], [], [], Query([YES], [], []))
    assert solve(query, 5, ways=1).status == UNKNOWN
    assert solve(query, 5).status == PROVED


def test_a_model_of_the_whole_refutes() -> None:
    assert solve(Query([YES], [], [], Query([YES], [], [])), 5).status == REFUTED


def test_a_query_without_a_short_part_is_decided_as_a_whole() -> None:
    assert discharge._WAYS[0][0] == "short"
    assert solve(Query([YES, NO], [], []), 5).status == PROVED


# -- what an answer may hang on -----------------------------------------------------------------


def chased() -> Query:
    """Return a query that nobody decides: each number has another one beyond it."""
    q = z3.Function("q", z3.IntSort(), z3.IntSort(), z3.BoolSort())
    y, z = z3.Ints("y z")
    beyond = z3.ForAll([X], z3.Exists([y], z3.And(q(X, y), y * y > X * X + 1)))
    apart = z3.ForAll([X, y, z], z3.Implies(z3.And(q(X, y), q(y, z)), z3.Not(q(X, z))))
    return Query([beyond, apart, YES], [], [])


def work(monkeypatch: pytest.MonkeyPatch, query: Query, limit: float) -> tuple[str, float]:
    """Return what becomes of a query, and how much work Z3 did."""
    spent = [0.0]
    done = discharge._done

    def noted(solver: z3.Solver) -> float:
        here = done(solver)
        spent[0] += here
        return here

    monkeypatch.setattr(discharge, "_done", noted)
    monkeypatch.setattr(cvc5_solver, "available", lambda: False)
    found = solve(query, limit).status
    monkeypatch.undo()
    return found, spent[0]


def test_a_limit_is_one_of_work_whatever_the_clock_says(monkeypatch: pytest.MonkeyPatch) -> None:
    first = work(monkeypatch, chased(), 0.1)
    monkeypatch.setattr(discharge.time, "perf_counter", iter(range(0, 10**6, 100)).__next__)
    assert work(monkeypatch, chased(), 0.1) == first
    assert first[0] == UNKNOWN
    assert 0.1 * discharge.WORK <= first[1] < 0.2 * discharge.WORK


def test_what_was_asked_before_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = work(monkeypatch, chased(), 0.1)
    kept = [z3.ForAll([X], P(X + number) == P(X)) for number in range(100)]
    assert solve(Query([*kept, YES, NO], [], []), 5).status == PROVED
    assert work(monkeypatch, chased(), 0.1) == first
