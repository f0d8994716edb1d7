"""Discharging: obligations given to Z3, several at a time, each with a time limit.

An obligation is *proved* when its formulas have no model, *refuted* when they have one, and
*unknown* when the time was up or Z3 gave up; unknown is never proved.  Where there are quantifiers
it is a matter of luck which instances Z3 thinks of first, and what takes a minute one way takes a
moment another way.  So it is asked for a moment in several ways before it is asked at length:
with fewer hypotheses, by matching only, with other seeds; and in between cvc5 is.

Workers are forked from a process that has translated the specification, so none does it again.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import z3
from ackproof.proofs import second
from ackproof.proofs.obligations import Obligation, Obligations, Query
from ackproof.proofs.smt.domain import Untranslatable

__all__ = ["PROVED", "REFUTED", "UNKNOWN", "Answer", "Outcome", "discharge", "solve", "undisturbed"]

PROVED = "proved"
REFUTED = "refuted"
UNKNOWN = "unknown"

_MATCHING = {"auto_config": False, "smt.mbqi": False, "smt.relevancy": 0}

#: How Z3 is asked, in turn: whether it is told the types, with which options, and with how much
#: work at most, in millions of its own units, of which it does some two in a second.  Time would
#: not do: on a busy machine the same question would get another answer.
_WAYS: tuple[tuple[bool, dict[str, Any], float], ...] = (
    (True, {}, 0.5),
    (False, {}, 0.5),
    (True, {"smt.random_seed": 1}, 1.0),
    (True, {"unsat_core": True}, 2.0),
    (True, {"smt.ematching": False}, 3.0),
    (True, _MATCHING, 1.0),
    (False, {"smt.random_seed": 2}, 2.0),
    (True, {"smt.random_seed": 3}, 2.0),
    (False, _MATCHING, 2.0),
    (False, {"smt.random_seed": 4}, 4.0),
    (True, {"smt.random_seed": 5}, 4.0),
    (True, {**_MATCHING, "smt.random_seed": 6}, 8.0),
    (True, {"smt.random_seed": 7}, 16.0),
)

#: Before which of these ways cvc5 is asked, and for how many seconds.
_SECOND = 5
_SECOND_SECONDS = 10.0


@dataclass(frozen=True)
class Outcome:
    """What became of an obligation.

    Attributes:
        obligation: which.
        status: `PROVED`, `REFUTED` or `UNKNOWN`.
        seconds: how long it took, translation included.
        reason: why it is unknown.
        solver: who has decided it, "z3" or "cvc5".
    """

    obligation: Obligation
    status: str
    seconds: float
    reason: str = ""
    solver: str = "z3"


@dataclass(frozen=True)
class Answer:
    """What the solvers say of formulas: status, why unknown, a model, and who it was."""

    status: str
    reason: str = ""
    model: z3.ModelRef | None = None
    solver: str = "z3"


def solve(query: Query, limit: float, ways: int | None = None) -> Answer:
    """Ask Z3 whether formulas have no model, and where it does not know, cvc5.

    Args:
        query: what to ask about.
        limit: seconds.
        ways: in how many ways at most, if not in all that are known.
    """
    end = time.perf_counter() + limit
    for number, way in enumerate(_WAYS[:ways]):
        left = end - time.perf_counter()
        if left <= 0:
            break
        others = number == _SECOND and second.available()
        if others and second.refutes(query.all, min(left, _SECOND_SECONDS)):
            return Answer(PROVED, solver="cvc5")
        answer = _asked(query, way, left)
        if answer.status != UNKNOWN:
            return answer
    return Answer(UNKNOWN, answer.reason if limit > 0 else "no time was given")


def _asked(query: Query, way: tuple[bool, dict[str, Any], float], left: float) -> Answer:
    """Ask Z3 in one way."""
    typed, options, work = way
    solver = z3.SimpleSolver()
    solver.set("timeout", max(1, int(1000 * left)))
    solver.set("rlimit", int(1e6 * work))
    for option, value in options.items():
        solver.set(option, value)
    formulas = [*query.axioms, *query.said, *(query.typing if typed else ())]
    if "unsat_core" in options:  # Z3 takes another way where it has to tell which it needed
        for number, formula in enumerate(formulas):
            solver.assert_and_track(formula, f"needed.{number}")
    else:
        solver.add(*formulas)
    answer = solver.check()
    if answer == z3.unsat:
        return Answer(PROVED)
    if answer == z3.sat and typed:
        return Answer(REFUTED, model=solver.model())
    return Answer(UNKNOWN, solver.reason_unknown())


def discharged(obligations: Obligations, obligation: Obligation, limit: float) -> Outcome:
    """Return what becomes of one obligation."""
    start = time.perf_counter()
    try:
        answer = solve(obligations.query(obligation), limit)
    except Untranslatable as missing:
        answer = Answer(UNKNOWN, str(missing))
    spent = time.perf_counter() - start
    return Outcome(obligation, answer.status, spent, answer.reason, answer.solver)


def discharge(
    obligations: Obligations, chosen: Iterable[Obligation], workers: int, limit: float
) -> Iterator[Outcome]:
    """Yield what becomes of obligations, as they are decided.

    Args:
        obligations: translates them.
        chosen: which.
        workers: how many processes work on them.
        limit: seconds for each.
    """
    todo = list(chosen)
    if workers < 2 or len(todo) < 2:
        for one in todo:
            yield discharged(obligations, one, limit)
        return
    global _TASK
    _TASK = (obligations, todo, limit)
    context = multiprocessing.get_context("fork")
    with context.Pool(workers, initializer=undisturbed) as pool:
        yield from pool.imap_unordered(_work, range(len(todo)))


def undisturbed() -> None:
    """Leave interruptions to the process that waits for this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


_TASK: tuple[Obligations, list[Obligation], float] | None = None


def _work(number: int) -> Outcome:
    assert _TASK is not None
    obligations, todo, limit = _TASK
    return discharged(obligations, todo[number], limit)
