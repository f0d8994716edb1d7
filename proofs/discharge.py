"""Discharging: obligations given to Z3, several at a time, each with a limit.

An obligation is *proved* when its formulas have no model, *refuted* when they have one, and
*unknown* when the limit was reached or Z3 gave up; unknown is never proved.  Where there are
quantifiers it is a matter of luck which instances Z3 thinks of first, and what takes a minute one
way takes a moment another way.  So it is called briefly in several ways before it is called at
length: with fewer conditions of the step, without types, with quantifiers out of each other, by
matching only, with other seeds; and in between cvc5 is called.

The answer must not hang on what else the machine does, nor on what the process did before.  So the
limit is one of work, which is said in the seconds that it takes where nothing else runs; and each
time an obligation is given to Z3 in a context of its own, which knows of no other.

Workers are forked from a process that has translated the specification, so none does it again.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import z3
from ackproof.proofs import cvc5_solver
from ackproof.proofs.obligation import Obligation, Query
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.smt.unbounded import Untranslatable

__all__ = [
    "PROVED",
    "REFUTED",
    "UNKNOWN",
    "Outcome",
    "SolverAnswer",
    "discharge",
    "ignore_interrupts",
    "limited",
    "solve",
]

PROVED = "proved"
REFUTED = "refuted"
UNKNOWN = "unknown"

_MATCHING = {"auto_config": False, "smt.mbqi": False, "smt.relevancy": 0}

#: A quantifier inside of another one comes to the front.  Steps with a loop inside of a loop are
#: full of those, and Z3 finds few instances of what it does not see.
_FLAT = {"smt.pull_nested_quantifiers": True}

#: What Z3 is given: all, all but the types, or the short part of the query, if it has one.
_Part = Literal["all", "untyped", "short"]

#: Z3's own units of work that it does in a second, roughly.
WORK = 2_000_000

#: How many times as long as it should take work may take by the clock, before it is given up.
_PATIENCE = 20.0

#: How Z3 is called, in turn: with what, with which options, and with how much work at most, in
#: millions of its units.
_WAYS: tuple[tuple[_Part, dict[str, Any], float], ...] = (
    # Nine in ten are decided here, and nearly all by the third way.  One that is not decided by so
    # little work in one way is seldom decided by ten times as much.
    ("short", _MATCHING, 0.05),
    ("untyped", {}, 0.15),
    ("all", _FLAT, 0.6),
    ("short", {}, 0.5),
    ("short", _FLAT, 0.5),
    ("short", {"smt.ematching": False}, 1.5),
    ("all", {}, 0.5),
    ("untyped", {}, 0.5),
    ("untyped", _FLAT, 0.5),
    ("all", {**_FLAT, "smt.random_seed": 1}, 3.0),
    ("untyped", {**_FLAT, "smt.random_seed": 2}, 1.0),
    ("untyped", {**_FLAT, "smt.random_seed": 4}, 1.0),
    ("all", {"smt.random_seed": 1}, 1.0),
    ("all", {"unsat_core": True}, 2.0),
    ("all", {"smt.ematching": False}, 3.0),
    ("all", _MATCHING, 1.0),
    ("untyped", {"smt.random_seed": 2}, 2.0),
    ("all", {**_FLAT, "smt.random_seed": 2}, 2.0),
    ("all", {"smt.random_seed": 3}, 2.0),
    ("untyped", _MATCHING, 2.0),
    ("untyped", {"smt.random_seed": 4}, 4.0),
    ("all", {"smt.random_seed": 5}, 4.0),
    ("all", {**_MATCHING, "smt.random_seed": 6}, 8.0),
    ("all", {"smt.random_seed": 7}, 16.0),
)

#: Before which of these ways cvc5 is called, and for how many seconds.
_SECOND = {3: 1.5, 12: 4.0, 16: 10.0}


@dataclass(frozen=True)
class Outcome:
    """What became of an obligation.

    Attributes:
        obligation: which.
        status: `PROVED`, `REFUTED` or `UNKNOWN`.
        seconds: how long it took, translation included.
        reason: why it is unknown.
        solver: who has decided it, "z3" or "cvc5".
        kept: whether that was in another run, and is from the cache.
    """

    obligation: Obligation
    status: str
    seconds: float
    reason: str = ""
    solver: str = "z3"
    kept: bool = False


@dataclass(frozen=True)
class SolverAnswer:
    """What the solvers say of formulas: status, why unknown, and who it was."""

    status: str
    reason: str = ""
    solver: str = "z3"


def solve(query: Query, limit: float, ways: int | None = None) -> SolverAnswer:
    """Ask Z3 whether formulas have no model, and where it does not know, cvc5.

    Args:
        query: what to ask about.
        limit: seconds, as they are where nothing else runs.
        ways: in how many ways at most, if not in all that are known.
    """
    began, worked = time.perf_counter(), time.process_time()
    answer, done = SolverAnswer(UNKNOWN, "no time was given"), 0.0
    for number, way in enumerate(_WAYS[:ways]):
        left = limit - done / WORK
        seconds = min(left, _SECOND.get(number, 0.0))
        if seconds > 0 and cvc5_solver.available():
            limit, left = limit - seconds, left - seconds
            # cvc5 has no measure of work that is worth the name; so the clock is slowed down.
            slow = (time.perf_counter() - began) / max(1e-3, time.process_time() - worked)
            if cvc5_solver.refutes(query.all, seconds * min(max(slow, 1.0), _PATIENCE)):
                return SolverAnswer(PROVED, solver="cvc5")
        if left <= 0:
            break
        if way[0] == "short" and query.short is None:
            continue
        chosen = query.short if way[0] == "short" else replace(query, short=None)
        assert chosen is not None
        # What was tried before leaves its traces in a context, and leads the next try astray.
        alone = chosen.alone()
        answer = _ask(alone, way, left)
        done += _done(z3.SimpleSolver(ctx=alone.context))
        if answer.status != UNKNOWN:
            return answer
    return answer


def _ask(query: Query, way: tuple[_Part, dict[str, Any], float], left: float) -> SolverAnswer:
    """Ask Z3 in one way about that part of a query which it is for."""
    part, options, work = way
    solver = limited(min(left, 1e6 * work / WORK), query.context)
    for option, value in options.items():
        solver.set(option, value)
    formulas = [*query.axioms, *query.assertions, *(query.typing if part != "untyped" else ())]
    if "unsat_core" in options:  # Z3 takes another way where it has to tell which it needed
        for number, formula in enumerate(formulas):
            solver.assert_and_track(formula, f"needed.{number}")
    else:
        solver.add(*formulas)
    answer = solver.check()
    if answer == z3.unsat:
        return SolverAnswer(PROVED)
    if answer == z3.sat and part == "all":
        return SolverAnswer(REFUTED)
    return SolverAnswer(UNKNOWN, solver.reason_unknown())


def limited(seconds: float, context: z3.Context) -> z3.Solver:
    """Return a solver that does as much work as it would in some seconds if nothing else ran."""
    solver = z3.SimpleSolver(ctx=context)
    solver.set("rlimit", max(1, int(seconds * WORK)))
    solver.set("timeout", max(1, int(1000 * _PATIENCE * max(seconds, 1.0))))
    return solver


def _done(solver: z3.Solver) -> float:
    """Return the units of work that were done so far in the context of a solver."""
    return float(dict(iter(solver.statistics())).get("rlimit count", 0))


def discharged(obligations: Obligations, obligation: Obligation, limit: float) -> Outcome:
    """Return what becomes of one obligation."""
    start = time.perf_counter()
    try:
        answer = solve(obligations.query(obligation), limit)
    except Untranslatable as missing:
        answer = SolverAnswer(UNKNOWN, str(missing))
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
        limit: seconds for each, as they are where nothing else runs.
    """
    todo = list(chosen)
    if workers < 2 or len(todo) < 2:
        for one in todo:
            yield discharged(obligations, one, limit)
        return
    global _TASK
    _TASK = (obligations, todo, limit)
    context = multiprocessing.get_context("fork")
    with context.Pool(workers, initializer=ignore_interrupts) as pool:
        yield from pool.imap_unordered(_work, range(len(todo)))


def ignore_interrupts() -> None:
    """Leave interruptions to the process that waits for this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


_TASK: tuple[Obligations, list[Obligation], float] | None = None


def _work(number: int) -> Outcome:
    assert _TASK is not None
    obligations, todo, limit = _TASK
    return discharged(obligations, todo[number], limit)
