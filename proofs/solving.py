"""Solving: a query given to Z3 and cvc5, in one way after the other, within a limit.

A query is *proved* when its formulas have no model, *refuted* when they have one, and *unknown*
when the limit was reached or the solvers gave up; unknown is never proved.  Where there are
quantifiers it is a matter of luck which instances a solver thinks of first, and what takes a
minute one way takes a moment another way.  So each is called briefly in several ways before it is
called at length: with fewer conditions of the step, without types, with quantifiers out of each
other, by matching only, with other seeds.

The answer must not hang on what else the machine does, nor on what the process did before.  So the
limit is one of work, which both solvers count in units of their own, and which is said in the
seconds that it takes where nothing else runs; and each time a query is given to Z3 in a context of
its own, which knows of no other.

A step that leaves a goal as it was, to the letter, is asked of nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_char_p, c_uint
from dataclasses import dataclass, field, replace
from typing import Literal

import z3
from ackproof.proofs import cvc5_solver
from ackproof.proofs.obligation import Part, Query
from ackproof.proofs.smt.direct import call
from ackproof.proofs.smt.logic import Term
from ackproof.proofs.smt.making import moved, tell

__all__ = [
    "PROVED",
    "REFUTED",
    "UNKNOWN",
    "WAYS",
    "WORK",
    "SolverAnswer",
    "Way",
    "limited",
    "solve",
]

PROVED = "proved"
REFUTED = "refuted"
UNKNOWN = "unknown"

#: Z3's own units of work that it does in a second, roughly.
WORK = 2_000_000

#: How many times as long as it should take work may take by the clock, before it is given up.
PATIENCE = 20.0

_key_of = call("Z3_stats_get_key", None, None, c_uint, result=c_char_p)
_number_of = call("Z3_stats_get_uint_value", None, None, c_uint)

Option = bool | int | str


@dataclass(frozen=True)
class Way:
    """One way to call a solver.

    Attributes:
        seconds: how much work it may be at most.
        part: what of the query it is given.
        options: of the solver.
        solver: "z3" or "cvc5".
    """

    seconds: float
    part: Part
    options: dict[str, Option] = field(default_factory=dict)
    solver: Literal["z3", "cvc5"] = "z3"


#: Only such instances of quantifiers as the formulas suggest; and of those that matter little, too.
_MATCHING: dict[str, Option] = {"auto_config": False, "smt.mbqi": False}
_EAGER: dict[str, Option] = {**_MATCHING, "smt.relevancy": 0}

#: A quantifier inside of another one comes to the front.  Steps with a loop inside of a loop are
#: full of those, and Z3 finds few instances of what it does not see.
_FLAT: dict[str, Option] = {"smt.pull_nested_quantifiers": True}

#: A name that was made for a set is not kept, but what it stands for takes its place.  Where a loop
#: in a step has made several, each of which is said of the others, instances of what they stand for
#: lead to new instances without end.
_UNFOLDED: dict[str, Option] = {"smt.macro_finder": True}

#: cvc5 may try what is there, in turn, besides what matches; and bring quantifiers inside.
_TRYING: dict[str, Option] = {"enum-inst": "true"}
_INSIDE: dict[str, Option] = {**_TRYING, "miniscope-quant": "agg"}


def _seeded(number: int, options: dict[str, Option] | None = None) -> dict[str, Option]:
    """Return options of Z3 with a seed."""
    return {**(options or {}), "smt.random_seed": number}


#: How solvers are called, in turn.
WAYS: tuple[Way, ...] = (
    # Nineteen in twenty are decided by the first, and most of what it does is to read the query; so
    # nothing is gained by asking about a part of it before.  Of the others two thirds are decided
    # by the next three, which come to their ends soon, and nearly all that are left by cvc5.  For
    # what is hard there is some way that needs little, and nobody knows which: so each gets as much
    # work as most of these need, and none gets more before all have had that.
    Way(0.05, "all"),
    Way(0.08, "all", {**_MATCHING, **_UNFOLDED}),
    Way(0.03, "short", _EAGER),
    Way(0.12, "all", {**_FLAT, **_UNFOLDED}),
    Way(0.5, "all", {}, "cvc5"),
    Way(0.06, "short", _FLAT),
    Way(0.2, "all"),
    Way(0.2, "untyped", _MATCHING),
    Way(0.5, "all", {**_MATCHING, **_UNFOLDED}),
    Way(0.5, "short", {**_FLAT, **_UNFOLDED}),
    Way(0.7, "all"),
    Way(0.4, "all", {**_FLAT, **_UNFOLDED}),
    Way(0.4, "short"),
    Way(0.25, "untyped", _FLAT),
    Way(0.06, "untyped", {**_MATCHING, **_UNFOLDED}),
    Way(0.4, "all", _FLAT),
    Way(0.7, "all", {"seed": 1}, "cvc5"),
    Way(0.3, "short", _FLAT),
    Way(0.8, "short", _INSIDE, "cvc5"),
    Way(0.8, "all", _TRYING, "cvc5"),
    Way(2.0, "short"),
    Way(4.0, "all", _FLAT),
    Way(4.0, "all", {"seed": 2}, "cvc5"),
    Way(0.75, "short", {"smt.ematching": False}),
    Way(0.25, "all"),
    Way(0.25, "untyped"),
    Way(1.5, "all", _seeded(1, _FLAT)),
    Way(0.5, "untyped", _seeded(2, _FLAT)),
    Way(0.5, "untyped", _seeded(4, _FLAT)),
    Way(0.5, "all", _seeded(1)),
    Way(3.0, "all", _INSIDE, "cvc5"),
    Way(1.0, "all", {"unsat_core": True}),
    Way(1.5, "all", {"smt.ematching": False}),
    Way(0.5, "all", _EAGER),
    Way(1.0, "untyped", _seeded(2)),
    Way(1.0, "all", _seeded(2, _FLAT)),
    Way(1.0, "all", _seeded(3)),
    Way(6.0, "all", {"seed": 3}, "cvc5"),
    Way(1.0, "untyped", _EAGER),
    Way(2.0, "untyped", _seeded(4)),
    Way(2.0, "all", _seeded(5)),
    Way(4.0, "all", _seeded(6, _EAGER)),
    Way(8.0, "all", _TRYING, "cvc5"),
    Way(8.0, "all", _seeded(7)),
)


@dataclass(frozen=True)
class SolverAnswer:
    """An answer.

    Attributes:
        status: `PROVED`, `REFUTED` or `UNKNOWN`.
        reason: why it is unknown.
        solver: who has given it, "z3" or "cvc5".
        work: what all ways together took, in seconds of a machine where nothing else runs.
    """

    status: str
    reason: str = ""
    solver: str = "z3"
    work: float = 0.0


def solve(query: Query, limit: float, ways: int | None = None, seed: int = 0) -> SolverAnswer:
    """Ask solvers whether formulas have no model.

    Args:
        query: what to ask about.
        limit: seconds, as they are where nothing else runs.
        ways: in how many ways at most, if not in all that are known.
        seed: makes other choices where a solver makes them at random.
    """
    if query.assumed:
        return SolverAnswer(PROVED)
    answer, left = SolverAnswer(UNKNOWN, "no time was given"), limit
    for way in WAYS[:ways]:
        formulas = query.formulas(way.part)
        if left <= 0 or formulas is None:
            continue
        if way.solver == "z3":
            answer, spent = _by_z3(formulas, way, min(left, way.seconds), seed)
        elif cvc5_solver.available():
            refuted, spent = _by_cvc5(formulas, way, min(left, way.seconds), seed)
            answer = SolverAnswer(PROVED, solver="cvc5") if refuted else answer
        else:
            continue
        left -= spent
        if answer.status != UNKNOWN:
            break
    return replace(answer, work=limit - left)


def _by_z3(
    formulas: Sequence[Term], way: Way, seconds: float, seed: int
) -> tuple[SolverAnswer, float]:
    """Ask Z3 in one way; return its answer, and how many seconds of work that was."""
    # What was tried before leaves its traces in a context, and leads the next try astray.
    context = z3.Context()
    solver = limited(seconds, context)
    options = dict(way.options)
    if seed:
        number = int(options.get("smt.random_seed", 0))
        options["smt.random_seed"] = number + len(WAYS) * seed
    for option, value in options.items():
        solver.set(option, value)
    if "unsat_core" in way.options:  # Z3 takes another way where it has to tell which it needed
        for number, formula in enumerate(moved(formulas, context)):
            solver.assert_and_track(formula, f"needed.{number}")
    else:
        tell(solver, formulas)
    found = solver.check()
    if found == z3.unsat:
        answer = SolverAnswer(PROVED)
    elif found == z3.sat and way.part == "all":
        answer = SolverAnswer(REFUTED)
    else:
        answer = SolverAnswer(UNKNOWN, solver.reason_unknown())
    return answer, work_done(solver) / WORK


def _by_cvc5(formulas: Sequence[Term], way: Way, seconds: float, seed: int) -> tuple[bool, float]:
    """Ask cvc5 in one way: whether it refutes formulas, and how many seconds of work that was."""
    options = {option: str(value) for option, value in way.options.items()}
    if seed:
        options["seed"] = str(int(way.options.get("seed", 0)) + len(WAYS) * seed)
    return cvc5_solver.refutes(formulas, seconds, options, patience=PATIENCE)


def limited(seconds: float, context: z3.Context) -> z3.Solver:
    """Return a solver that does as much work as it would in some seconds if nothing else ran."""
    solver = z3.SimpleSolver(ctx=context)
    solver.set("rlimit", max(1, int(seconds * WORK)))
    solver.set("timeout", max(1, int(1000 * PATIENCE * max(seconds, 1.0))))
    return solver


def work_done(solver: z3.Solver) -> float:
    """Return the units of work that were done so far in the context of a solver."""
    found = solver.statistics()
    context, at = found.ctx.ref().value, found.stats.value
    # Of a hundred numbers one is wanted, and it is among the last.
    for i in range(len(found) - 1, -1, -1):
        if _key_of(context, at, i) == b"rlimit count":
            return float(_number_of(context, at, i))
    return 0.0
