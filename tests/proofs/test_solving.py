"""A query may have a short part, which is tried first and decides only what it can."""

from __future__ import annotations

import time

import pytest
import z3
from ackproof.proofs import cvc5_solver, solving
from ackproof.proofs.obligation import Query
from ackproof.proofs.solving import PROVED, REFUTED, UNKNOWN, solve

P = z3.Function("p", z3.IntSort(), z3.BoolSort())
X = z3.Int("x")
YES = P(z3.IntVal(3))
NO = z3.Not(P(z3.IntVal(3)))
ALL = z3.ForAll([X], P(X))


@pytest.fixture
def only_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have solvers called with the short part only."""
    ways = tuple(way for way in solving.WAYS if way.part == "short")
    assert {way.solver for way in ways} == {"z3", "cvc5"}
    monkeypatch.setattr(solving, "WAYS", ways)


@pytest.mark.usefixtures("only_short")
def test_the_short_part_is_enough_for_a_proof() -> None:
    query = Query([z3.Exists([X], P(X)), NO], [], [], lambda: Query([ALL, NO], [], []))
    assert solve(query, 5).status == PROVED


@pytest.mark.usefixtures("only_short")
def test_a_model_of_the_short_part_refutes_nothing() -> None:
    query = Query([ALL, NO], [], [], lambda: Query([YES], [], []))
    assert solve(query, 5).status == UNKNOWN


@pytest.mark.usefixtures("only_short")
def test_a_query_without_a_short_part_is_not_asked_about_one() -> None:
    assert solve(Query([ALL, NO], [], []), 5).status == UNKNOWN


def test_a_query_is_decided_as_a_whole_whatever_its_short_part_says() -> None:
    assert solve(Query([ALL, NO], [], [], lambda: Query([YES], [], [])), 5).status == PROVED
    assert solve(Query([ALL, NO], [], []), 5).status == PROVED


def test_what_is_assumed_to_the_letter_is_asked_of_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "WAYS", ())
    for query in (Query([ALL, YES, NO], [], []), Query([NO, YES], [], [])):
        assert solve(query, 5).status == PROVED
    for query in (Query([YES], [], []), Query([NO], [], []), Query([NO, ALL, NO], [], [])):
        assert solve(query, 5).status == UNKNOWN


def test_a_model_of_the_whole_refutes() -> None:
    assert solve(Query([YES], [], [], lambda: Query([YES], [], [])), 5).status == REFUTED


def test_a_seed_reaches_both_solvers_and_changes_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[str] = []
    refutes = cvc5_solver.refutes

    def noted(formulas, seconds, options, patience):  # type: ignore[no-untyped-def]
        given.append(options.get("seed", "none"))
        return refutes(formulas, seconds, options, patience)

    def set_seeds(seed: int) -> list[str]:
        found: list[str] = []
        limited = solving.limited

        def watched(seconds: float, context: z3.Context) -> z3.Solver:
            solver = limited(seconds, context)
            change = solver.set
            monkeypatch.setattr(
                solver,
                "set",
                lambda key, value: (found.append(f"{key} {value}"), change(key, value)),
            )
            return solver

        monkeypatch.setattr(solving, "limited", watched)
        monkeypatch.setattr(cvc5_solver, "refutes", noted)
        given.clear()
        assert solve(chased(), 0.3, seed=seed).status == UNKNOWN
        monkeypatch.undo()
        return [one for one in found if one.startswith("smt.random_seed")] + list(given)

    first, second = set_seeds(0), set_seeds(3)
    assert "none" in first
    assert "none" not in second
    assert any(one.startswith("smt.random_seed") for one in second)
    assert solve(Query([ALL, NO], [], []), 5, seed=3).status == PROVED


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
    done = solving.work_done

    def noted(solver: z3.Solver) -> float:
        here = done(solver)
        spent[0] += here
        return here

    monkeypatch.setattr(solving, "work_done", noted)
    monkeypatch.setattr(cvc5_solver, "available", lambda: False)
    found = solve(query, limit).status
    monkeypatch.undo()
    return found, spent[0]


def test_a_limit_is_one_of_work_whatever_the_clock_says(monkeypatch: pytest.MonkeyPatch) -> None:
    first = work(monkeypatch, chased(), 0.1)
    monkeypatch.setattr(time, "perf_counter", iter(range(0, 10**6, 100)).__next__)
    assert work(monkeypatch, chased(), 0.1) == first
    assert first[0] == UNKNOWN
    assert 0.1 * solving.WORK <= first[1] < 0.2 * solving.WORK


def test_what_was_asked_before_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = work(monkeypatch, chased(), 0.1)
    kept = [z3.ForAll([X], P(X + number) == P(X)) for number in range(100)]
    assert solve(Query([*kept, ALL, NO], [], []), 5).status == PROVED
    assert work(monkeypatch, chased(), 0.1) == first
