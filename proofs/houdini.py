"""Houdini: the largest part of some candidates that is an induction.

All candidates are assumed of the state before a step; those that some step breaks are taken away,
and with fewer to assume others may fall.  What is left in the end is preserved by each step, and
there is only one such set of most candidates.

It is done at the sizes of an instance, where a solver for bits always has an answer, and each
answer is a step that breaks several candidates at once.  What holds there need not hold for any
sizes; that is checked afterwards, for the few that are needed, which an unsatisfiable core names.
The invariants that are to be proved are candidates among the others.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence

import z3
from ackproof.lang.binding import Bound
from ackproof.lang.program import PropertyDecl
from ackproof.proofs.encoding import Candidate, Encoding, of_steps
from ackproof.proofs.smt.finite import FiniteStep
from ackproof.proofs.smt.logic import FALSE, Term, disjunction, implies, negation
from ackproof.proofs.templates import Clause

__all__ = ["Houdini", "weight"]


class Houdini:
    """Candidates and the steps of an instance, put to a solver for bits.

    Args:
        bound: the instance; constants may have any values.
        assumed: what is known of the state before a step.
        until: when to give up, by `time.perf_counter`.

    Attributes:
        complete: whether every query was decided in time.
    """

    def __init__(self, bound: Bound, assumed: Iterable[PropertyDecl], until: float) -> None:
        self.until = until
        self.complete = True
        self.encoding = Encoding(bound)
        self.steps: Sequence[FiniteStep] = self.encoding.steps
        self.solver = z3.SolverFor("QF_FD")
        self.solver.add(*self.encoding.finite.typing)
        self.candidates: list[Candidate] = []
        self.marks: list[Term] = []
        self.left: list[int] = []
        self._numbers: dict[Candidate, int] = {}
        self._queries = 0
        self._last = FALSE
        self._assumed: frozenset[int] = frozenset()
        self.offer(assumed)
        self._assumed = frozenset(self.left)

    def offer(self, candidates: Iterable[Candidate]) -> None:
        """Take candidates; those that are left from before, and not among them, are forgotten."""
        self.left = sorted(self._assumed)
        for candidate in candidates:
            if candidate not in self._numbers:
                self._numbers[candidate] = len(self.candidates)
                self.candidates.append(candidate)
                self.marks.append(z3.Bool(f"!candidate{len(self.candidates)}"))
                true = self.encoding.true(candidate, self.encoding.before)
                self.solver.add(implies(self.marks[-1], true))
            self.left.append(self._numbers[candidate])

    @property
    def remaining(self) -> list[Candidate]:
        """The candidates that are left, in order."""
        return [self.candidates[i] for i in self.left if i not in self._assumed]

    # -- what is left ---------------------------------------------------------------------------

    def run(self) -> list[Candidate]:
        """Take away what is not preserved, until all is; return what is left."""
        encoding = self.encoding
        first = {
            i: negation(encoding.true(self.candidates[i], encoding.initial)) for i in self.left
        }
        self._drop([encoding.beginning], first, ())  # of the first state nothing else is assumed
        before = None
        while self.complete and self.left != before:
            before = list(self.left)
            for step in self.steps:
                wrong = {i: encoding.broken(self.candidates[i], step) for i in self.left}
                self._drop([encoding.bit(step.proper)], wrong)
        return self.remaining

    def _drop(
        self, said: list[Term], wrong: dict[int, Term], known: Collection[int] | None = None
    ) -> None:
        """Take away what may be false: for each candidate it is said when that is."""
        wrong = {
            i: term for i, term in wrong.items() if i not in self._assumed and not z3.is_false(term)
        }
        while wrong and self._check([*said, disjunction(wrong.values())], known) == z3.sat:
            model = self.solver.model()
            gone = {i for i, x in wrong.items() if z3.is_true(model.eval(x, model_completion=True))}
            assert gone, "a model of a disjunction makes one of it true"
            self.left = [i for i in self.left if i not in gone]
            wrong = {i: x for i, x in wrong.items() if i not in gone}

    def _check(self, said: Sequence[Term], known: Iterable[int] | None = None) -> z3.CheckSatResult:
        """Look for a state in which some candidates are true, all that are left if not said."""
        seconds = self.until - time.perf_counter()
        if seconds <= 0:
            self.complete = False
            return z3.unknown
        self.solver.add(negation(self._last))  # the query before is of no interest
        self._queries += 1
        now = z3.Bool(f"!query{self._queries}")
        self.solver.add(*(implies(now, x) for x in said))
        self.solver.set("timeout", max(1, int(1000 * seconds)))
        chosen = self.left if known is None else known
        answer = self.solver.check(now, *(self.marks[i] for i in chosen))
        if answer == z3.unknown:
            self.complete = False
        self._last = now
        return answer

    # -- what is needed -------------------------------------------------------------------------

    def core(self, goal: Candidate, chosen: Collection[Candidate] = ()) -> set[Candidate] | None:
        """Return candidates with which a candidate is preserved by each step, or true of each.

        The candidate itself is assumed of the state before a step, if it is about states.

        Args:
            goal: the candidate.
            chosen: candidates that are needed anyway, so that they are taken first.

        Returns:
            The candidates, and what was assumed; None if there are none, or it took too long.
        """
        found: set[int] = set()
        numbers = [i for i in self.left if self.candidates[i] != goal]
        for step in self.steps:
            wrong = self.encoding.broken(goal, step)
            if z3.is_false(wrong):
                continue
            known = [] if of_steps(goal) else [self.encoding.true(goal, self.encoding.before)]
            said = [self.encoding.bit(step.proper), *known, wrong]
            taken = {i for i in numbers if i in found or self.candidates[i] in chosen}
            order = sorted(numbers, key=lambda i: (i not in taken, weight(self.candidates[i]), i))
            enough = self._enough(said, order)
            if enough is None:
                return None
            found |= enough
        return {self.candidates[i] for i in found}

    def _enough(self, said: Sequence[Term], order: Sequence[int]) -> set[int] | None:
        """Return the candidates that come first with which what is said is impossible.

        None of them can be spared.  A core tells only how far to look: which one the solver finds
        depends on all queries before, while the shortest beginning of the order that is
        enough is what it is, and so is the last of it, without which the others need more.
        """
        needed: list[int] = []
        last = self._last_in_core(said, needed, order)
        if last is None:
            return None
        while last >= 0:
            before = self._last_in_core(said, needed, order[:last])
            if before is None:
                needed.append(order[last])
                before = self._last_in_core(said, needed, order[:last])
                if before is None:  # only if there was no time
                    return None
            last = before
        return set(needed)

    def _last_in_core(
        self, said: Sequence[Term], needed: Sequence[int], order: Sequence[int]
    ) -> int | None:
        """Return the place of the last that a contradiction needs, −1 if of these it needs none.

        Returns:
            None if there is no contradiction.
        """
        if self._check(said, [*needed, *order]) != z3.unsat:
            return None
        names = {str(x) for x in self.solver.unsat_core()}
        return max((n for n, i in enumerate(order) if str(self.marks[i]) in names), default=-1)


def weight(candidate: Candidate) -> int:
    """Return how complicated a candidate is; a property that is to be proved counts for nothing."""
    return len(candidate.literals) if isinstance(candidate, Clause) else 0
