"""Houdini: the largest part of some candidates that is an induction.

All candidates are supposed of the state before a step; those that some step breaks are taken away,
and with fewer to suppose others may fall.  What is left in the end is preserved by each step, and
there is only one such set of most candidates.

It is done at the sizes of an instance, where a solver for bits always has an answer, and each
answer is a step that breaks several candidates at once.  What holds there need not hold for any
sizes; that is asked afterwards, of the few that are needed.  An unsatisfiable core says which those
are.  The invariants that are to be proved are candidates among the others.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import z3
from ackproof.model.lower.evaluate import Evaluator
from ackproof.model.lower.ops import Bit
from ackproof.proofs.relevance import paths_in
from ackproof.proofs.sampling import choices
from ackproof.proofs.smt.finite import Finite, FiniteState, FiniteStep
from ackproof.proofs.smt.logic import FALSE, Term, either, implies, negation
from ackproof.proofs.templates import Clause, Literal
from ackproof.proofs.vocabulary import Atom
from ackproof.spec.lang.binding import Bound
from ackproof.spec.lang.program import PropertyDecl

__all__ = ["Claim", "Houdini", "weight"]

#: What may be a candidate.
Claim = Clause | PropertyDecl


class Houdini:
    """Candidates and the steps of an instance, put to a solver for bits.

    Args:
        bound: the instance; constants may have any values.
        supposed: what is known of the state before a step.
        until: when to give up, by `time.perf_counter`.

    Attributes:
        complete: whether there was always time to come to an end.
    """

    def __init__(self, bound: Bound, supposed: Iterable[PropertyDecl], until: float) -> None:
        self.bound = bound
        self.until = until
        self.complete = True
        self.finite = Finite(bound, open_constants=True)
        self.before = self.finite.state("s")
        self.initial = self.finite.initial()
        self.steps = [
            self.finite.step(a, self.before, self.finite.arguments(a))
            for a in bound.actions
            if self.finite.inhabited(a)
        ]
        self.solver = z3.SolverFor("QF_FD")
        self.solver.add(*self.finite.typing)
        self.claims: list[Claim] = []
        self.marks: list[Term] = []
        self.left: list[int] = []
        self._numbers: dict[Claim, int] = {}
        self._known_reads: dict[Claim, frozenset[tuple[str, ...]]] = {}
        self._asked = 0
        self._last = FALSE
        self._bits: dict[tuple[int, Atom, tuple[Any, ...]], Bit] = {}
        self._falls: dict[tuple[int, int], Term] = {}
        self.supposed: frozenset[int] = frozenset()
        self.offer(supposed)
        self.supposed = frozenset(self.left)

    def offer(self, claims: Iterable[Claim]) -> None:
        """Take candidates; those that are left from before, and not among them, are forgotten."""
        self.left = sorted(self.supposed)
        for claim in claims:
            if claim not in self._numbers:
                self._numbers[claim] = len(self.claims)
                self.claims.append(claim)
                self.marks.append(z3.Bool(f"!candidate{len(self.claims)}"))
                self.solver.add(implies(self.marks[-1], self._true(claim, self.before)))
            self.left.append(self._numbers[claim])

    def ban(self, claim: Claim) -> None:
        """Take a candidate away that is no lemma for another reason."""
        self.left = [i for i in self.left if self.claims[i] != claim]

    @property
    def remaining(self) -> list[Claim]:
        """The candidates that are left, in order."""
        return [self.claims[i] for i in self.left if i not in self.supposed]

    # -- formulas -------------------------------------------------------------------------------

    def _bit(self, bit: Bit) -> Term:
        return self.finite.ops.bit(bit)

    def _true(self, claim: Claim, state: FiniteState) -> Term:
        """Return the formula that says that a claim about states is true in one."""
        if isinstance(claim, PropertyDecl):
            return self._bit(self.finite.holds(claim, state))
        ops = self.finite.ops
        said = []
        for chosen in choices(self.bound, claim.sorts):
            at = ((x, tuple(chosen[i] for i in x.at)) for x in claim.ordered)
            said.append(ops.any(*(self._literal(x, of, state) for x, of in at)))
        return self._bit(ops.all(*said))

    def _false(self, number: int, state: FiniteState) -> Term:
        """Return the formula that says that a candidate was true, and is false in a state."""
        key = (number, id(state))
        if key not in self._falls:
            true = self._true(self.claims[number], state)
            same = z3.eq(true, self._true(self.claims[number], self.before))
            self._falls[key] = FALSE if same else negation(true)
        return self._falls[key]

    def _literal(self, one: Literal, of: tuple[Any, ...], state: FiniteState) -> Bit:
        key = (id(state), one.atom, of)  # all these states are kept as long as this is
        if key not in self._bits:
            names = tuple(f"x{i}" for i in range(len(of)))
            values: Mapping[str, Any] = {
                n: self.finite.codec.from_data(t, value)
                for n, t, value in zip(names, one.atom.sorts, of, strict=True)
            }
            said = one.atom.expression(names, self.bound.program)
            reader = Evaluator(self.finite.access, {"s": state}, dict(values))
            self._bits[key] = reader.bit(said)
        bit = self._bits[key]
        return bit if one.holds else self.finite.ops.no(bit)

    # -- questions ------------------------------------------------------------------------------

    def _check(self, said: Sequence[Term], known: Iterable[int] | None = None) -> z3.CheckSatResult:
        """Ask for a state in which some candidates are true, all that are left if not said."""
        seconds = self.until - time.perf_counter()
        if seconds <= 0:
            self.complete = False
            return z3.unknown
        self.solver.add(negation(self._last))  # what was asked before is of no interest
        self._asked += 1
        now = z3.Bool(f"!question{self._asked}")
        self.solver.add(*(implies(now, x) for x in said))
        self.solver.set("timeout", max(1, int(1000 * seconds)))
        chosen = self.left if known is None else known
        answer = self.solver.check(now, *(self.marks[i] for i in chosen))
        if answer == z3.unknown:
            self.complete = False
        self._last = now
        return answer

    def run(self) -> list[Claim]:
        """Take away what is not preserved, until all is; return what is left."""
        self._drop_at(self.initial, [])
        before = None
        while self.complete and self.left != before:
            before = list(self.left)
            for step in self.steps:
                self._drop_at(step.after, [self._bit(step.proper)], self._written(step))
        return self.remaining

    def _written(self, step: FiniteStep) -> set[tuple[str, ...]]:
        """Return the variables that a step writes."""
        places = self.bound.locations
        return {
            places[leaf.location].variable.path
            for leaf in step.after.written
            if leaf.location < len(places)
        }

    def _drop_at(
        self,
        state: FiniteState,
        said: list[Term],
        written: set[tuple[str, ...]] | None = None,
    ) -> None:
        """Take away what may be false in a state."""
        concerned = {
            i: self._false(i, state)
            for i in self.left
            if i not in self.supposed and (written is None or self._reads(self.claims[i]) & written)
        }
        concerned = {i: term for i, term in concerned.items() if not z3.is_false(term)}
        while concerned and self._check([*said, either(concerned.values())]) == z3.sat:
            model = self.solver.model()
            gone = {
                i for i, x in concerned.items() if z3.is_true(model.eval(x, model_completion=True))
            }
            assert gone, "a model of a disjunction makes one of it true"
            self.left = [i for i in self.left if i not in gone]
            concerned = {i: x for i, x in concerned.items() if i not in gone}

    def _reads(self, claim: Claim) -> frozenset[tuple[str, ...]]:
        """Return the variables that a claim speaks of."""
        if claim not in self._known_reads:
            self._known_reads[claim] = (
                paths_in(claim.body, {})
                if isinstance(claim, PropertyDecl)
                else frozenset(x.atom.variable.path for x in claim.literals if x.atom.variable)
            )
        return self._known_reads[claim]

    # -- what is needed -------------------------------------------------------------------------

    def core(self, goal: Claim, chosen: Collection[Claim] = ()) -> set[Claim] | None:
        """Return candidates with which a claim is preserved by each step, or true of each.

        The claim itself is supposed of the state before a step, if it is about states.

        Args:
            goal: the claim.
            chosen: candidates that are needed anyway, so that they are taken first.

        Returns:
            The candidates, and what was supposed; None if there are none, or it took too long.
        """
        found: set[int] = set()
        numbers = [i for i in self.left if self.claims[i] != goal]
        for step in self.steps:
            wrong = self._wrong(goal, step)
            if z3.is_false(wrong):
                continue
            known = [] if _of_steps(goal) else [self._true(goal, self.before)]
            said = [self._bit(step.proper), *known, wrong]
            taken = [i for i in numbers if i in found or self.claims[i] in chosen]
            enough = self._enough(said, taken)
            if enough is None:
                enough = self._enough(said, numbers)
            if enough is None:
                return None
            found |= self._fewer(said, enough, set(taken))
        return {self.claims[i] for i in found}

    def _enough(self, said: Sequence[Term], known: Iterable[int]) -> set[int] | None:
        """Return some of the candidates with which what is said is impossible."""
        known = list(known)
        if self._check(said, known) != z3.unsat:
            return None
        names = {str(x) for x in self.solver.unsat_core()}
        return {i for i in known if str(self.marks[i]) in names}

    def _fewer(self, said: Sequence[Term], enough: set[int], free: set[int]) -> set[int]:
        """Return as few of the candidates as are enough, of those that are not free."""
        for i in sorted(enough - free, key=lambda i: -weight(self.claims[i])):
            fewer = self._enough(said, sorted(enough - {i}))
            if fewer is not None and i in enough:
                enough = fewer
        return enough

    def _wrong(self, goal: Claim, step: FiniteStep) -> Term:
        """Return the formula that says that a claim is false after a step, or of it."""
        if isinstance(goal, PropertyDecl) and goal.of_steps:
            return self._bit(self.finite.broken(goal, step))
        if not self._reads(goal) & self._written(step):
            return z3.BoolVal(False)
        return negation(self._true(goal, step.after))


def _of_steps(goal: Claim) -> bool:
    return isinstance(goal, PropertyDecl) and goal.of_steps


def weight(claim: Claim) -> int:
    """Return how complicated a claim is; what is asked for anyway counts for nothing."""
    return len(claim.literals) if isinstance(claim, Clause) else 0
