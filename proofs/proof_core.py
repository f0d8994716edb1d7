"""The proof core: which lemmas and hypotheses a proof needs.

Two questions are put to a proof that is complete.  *Leave one out*: without this lemma, are the
others and the requested properties still inductive?  A lemma without which they are not is in the
core, and the obligation that then fails says what it is for.  Each of the others may then use all
that is left as hypotheses, and not only what it was proved with.  *Which hypotheses are needed*: an
obligation is discharged by a contradiction, and a hypothesis that is in no unsatisfiable core of it
need not be named.

Both rely on proofs that are found.  That none was found in the time is no reason to call a
hypothesis unused, so whatever is in doubt stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import z3
from ackproof.proofs.discharge import PROVED, discharged, solve
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.smt.logic import Term, implies
from ackproof.proofs.smt.unbounded import Untranslatable

__all__ = ["LemmaUse", "hypothesis_core", "leave_one_out", "unused_hypotheses"]

#: How much work looking for fewer hypotheses may be: so many ways of asking, and for a core so many
#: of Z3's own units.  Seconds would find another answer on a busy machine.
_WAYS = 13
_WORK = 2_000_000


@dataclass(frozen=True)
class LemmaUse:
    """Whether a proof needs one of its lemmas.

    Attributes:
        lemma: which was left out.
        failing: the first obligation that is not met then; None if the rest is a proof by itself.
        status: the status of that obligation: refuted or unknown; proved if there is none.
    """

    lemma: str
    failing: Obligation | None
    status: str

    @property
    def in_core(self) -> bool:
        """Whether the proof fails without the lemma."""
        return self.failing is not None


def leave_one_out(
    obligations: Obligations, requested: Sequence[str], limit: float
) -> Iterator[LemmaUse]:
    """Yield for each lemma of a proof, and for each requested property, whether the rest needs it.

    A requested property is left out as a hypothesis of others, too, where it is one: the
    nine invariants of a published proof are all alike.

    Args:
        obligations: translates the proof, which is complete.
        requested: the names of what is proved.
        limit: seconds for each obligation.
    """
    library = obligations.library
    names = [n for n in library.closure(requested) if n not in library.assumptions]
    todo = [o for name in names for o in obligations.of_one(name)]
    used = {h for o in todo for h in o.hypotheses if h != o.goal}
    for name in names:
        if name in used:
            yield _without(obligations, name, names, todo, limit)


def _without(
    obligations: Obligations,
    left_out: str,
    names: Sequence[str],
    todo: Sequence[Obligation],
    limit: float,
) -> LemmaUse:
    library = obligations.library
    rest = [n for n in names if n != left_out and obligations.properties[n].kind == "invariant"]
    for one in todo:
        if one.goal == left_out or left_out not in one.hypotheses:
            continue
        less = tuple(h for h in one.hypotheses if h != left_out)
        # What follows from other goals is no hypothesis of these, for they might go in a circle.
        more = () if one.goal in library.follows else (n for n in rest if n not in library.follows)
        widest = tuple(dict.fromkeys((*less, *more)))
        tries = (replace(one, hypotheses=h) for h in dict.fromkeys((less, widest)))
        outcomes = []
        for attempt in tries:
            outcomes.append(discharged(obligations, attempt, limit))
            if outcomes[-1].status == PROVED:
                break
        else:
            return LemmaUse(left_out, one, outcomes[-1].status)
    return LemmaUse(left_out, None, PROVED)


def hypothesis_core(
    obligations: Obligations, obligation: Obligation, limit: float
) -> tuple[str, ...] | None:
    """Return names of hypotheses that are enough, none of which can be spared.

    Args:
        obligations: translates the obligation.
        obligation: which; its hypotheses are what is chosen from.
        limit: seconds for each query.

    Returns:
        The names, or None if the obligation is not met in that time with all of them.
    """
    names = obligation.hypotheses
    try:
        core = _core(obligations, obligation, limit)
        if core is None:
            query = obligations.query(obligation)
            if solve(query, limit).status != PROVED:
                return None
            core = names
    except Untranslatable:
        return None
    for name in reversed(names):
        fewer = tuple(n for n in core if n != name)
        if len(fewer) < len(core) and _enough(obligations, obligation, fewer, limit):
            core = fewer
    return core


def _enough(
    obligations: Obligations, obligation: Obligation, names: tuple[str, ...], limit: float
) -> bool:
    query = obligations.query(replace(obligation, hypotheses=names))
    return solve(query, limit, _WAYS).status == PROVED


def _core(obligations: Obligations, obligation: Obligation, limit: float) -> tuple[str, ...] | None:
    """Return the names of the hypotheses that a contradiction was found with, if one was."""
    if limit <= 0:
        return None
    names = obligation.hypotheses
    bare = obligations.query(replace(obligation, hypotheses=())).assertions
    marks: dict[str, Term] = {n: z3.Bool(f"hypothesis.{n}") for n in names}
    said = [implies(marks[n], obligations.known(n)) for n in names]
    query = obligations.about([*said, *bare])
    solver = z3.SimpleSolver()
    solver.set("timeout", max(1, int(1000 * limit)))
    solver.set("rlimit", _WORK)
    solver.add(*query.axioms, *query.assertions)
    if solver.check(*marks.values()) != z3.unsat:
        return None
    found = {str(mark) for mark in solver.unsat_core()}
    return tuple(n for n in names if str(marks[n]) in found)


def unused_hypotheses(
    obligations: Obligations, names: Iterable[str], limit: float
) -> dict[str, tuple[str, ...]]:
    """Return, for goals that name hypotheses which they are proved without, those.

    Args:
        obligations: translates the goals.
        names: which goals.
        limit: seconds for each query.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        if name in obligations.library.assumptions:
            continue
        used: set[str] = {name}
        for one in obligations.of_one(name):
            enough = hypothesis_core(obligations, one, limit)
            used |= set(one.hypotheses if enough is None else enough)
        spare = tuple(h for h in obligations.library.by(name) if h not in used)
        if spare:
            found[name] = spare
    return found
