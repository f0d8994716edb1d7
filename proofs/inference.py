"""Inference: lemmas for properties that are not inductive by themselves, found by a search.

Candidates are clauses of the vocabulary of the specification, about the variables that matter to
the properties first.  Those that are false of a reachable state are put aside, then those that
steps do not preserve (at small sizes, where that is always decided).  If the properties are among
what is left, unsatisfiable cores say what of it they need; that little is proved for sorts of any
size.  What is not is put aside as well, and the rest is looked at again.  At last, each lemma
without which the proof stands goes, too.

The order of everything is fixed, so the same is found each time, if there is time enough.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ackproof.lang.binding import bind
from ackproof.lang.lemmas import Library
from ackproof.lang.model import Design, Instance, Model
from ackproof.lang.program import Program, PropertyDecl, Variable
from ackproof.proofs.assembly import Assembly
from ackproof.proofs.encoding import Candidate, of_steps, small
from ackproof.proofs.houdini import Houdini, weight
from ackproof.proofs.inference_result import InferenceResult
from ackproof.proofs.relevance import rings
from ackproof.proofs.sampling import Samples, reachable_states
from ackproof.proofs.templates import Clause, clauses_of, strongest
from ackproof.proofs.vocabulary import atoms_of

__all__ = ["infer"]

#: Why a property is not proved where it never came to a proof.
NO_CANDIDATES = "no candidates make it inductive"
OUT_OF_TIME = "there was not time enough to find lemmas for it"

#: How often weaker candidates are tried in place of those that have fallen.
_ROUNDS = 6


def infer(
    model: Model,
    properties: Sequence[str],
    *,
    instances: Sequence[Instance] = (),
    design: Design | None = None,
    library: Library | None = None,
    using: Sequence[str] = (),
    variables: Sequence[str] = (),
    width: int = 3,
    states: int = 3000,
    limit: float = 60.0,
    each: float = 5.0,
    report: Callable[[str], None] = lambda _: None,
) -> InferenceResult:
    """Look for lemmas with which properties are proved, for sorts of any size.

    Args:
        model: the model.
        properties: names of invariants or step properties.
        instances: where reachable states are looked for; the model's first if there are none.
        design: a change to the model.
        library: lemmas and assumptions that are there already.
        using: the names of those of them that may be assumed.
        variables: which variables lemmas may speak of; those that matter to the properties, more
            and more of them, if it is left out.
        width: how many atoms a lemma has at most.
        states: how many reachable states of each instance candidates are held against.
        limit: seconds for all of it.
        each: seconds for each obligation.
        report: is called with what is done next.

    Raises:
        BindError: the instance does not fit the model.
        SpecError: the model or the design is outside the language.
        ValueError: there is no property or variable of some name, or nothing to prove of it.
    """
    search = _Search(model, tuple(properties), design, library or Library(), tuple(using), each)
    search.begin(instances or model.instances[:1], states, limit, report)
    for chosen in search.vocabularies(variables):
        for atoms in range(2, width + 1):
            if search.attempt(chosen, atoms):
                return search.result()
    return search.result()


@dataclass
class _Search:
    """One search: what is requested, what is known, and what was found so far."""

    model: Model
    requested: tuple[str, ...]
    design: Design | None
    library: Library
    using: tuple[str, ...]
    each: float
    candidates: int = 0
    possible: int = 0
    inductive: int = 0

    def begin(
        self,
        instances: Sequence[Instance],
        states: int,
        limit: float,
        report: Callable[[str], None],
    ) -> None:
        """Translate the model, and look for reachable states."""
        self.started = time.perf_counter()
        self.until = self.started + limit
        self.report = report
        self.proof = Assembly(
            self.model, self.design, self.library, self.requested, self.using, self.each, self.until
        )
        self.program: Program = self.proof.obligations.program
        self.properties = self.proof.obligations.properties
        for name in (*self.requested, *self.using):
            if name not in self.properties:
                raise ValueError(f"{self.model.name} has no property or lemma {name!r}")
            if self.properties[name].kind not in ("invariant", "step"):
                raise ValueError(f"{name} is true of neither states nor steps")
        report("looking for reachable states")
        self.samples = []
        for instance in instances:
            bound = bind(self.model, instance, self.design, program=self.program)
            self.samples.append(Samples(bound, reachable_states(bound, states, self.until)))
        assumed = [self.properties[n] for n in self.using]
        bound = small(self.model, self.program, self.design, instances[0])
        self.houdini = Houdini(bound, assumed, self.until)

    def vocabularies(self, names: Sequence[str]) -> Iterator[list[Variable]]:
        """Yield the variables that lemmas may speak of, more each time."""
        known = {v.name: v for v in self.program.variables}
        for name in names:
            if name not in known:
                raise ValueError(f"{self.model.name} has no variable {name!r}")
        if names:
            yield [known[n] for n in names]
            return
        properties = [self.properties[n] for n in self.requested]
        yield from rings(self.program, properties)

    # -- one attempt ----------------------------------------------------------------------------

    def attempt(self, variables: Sequence[Variable], width: int) -> bool:
        """Try lemmas of some variables; tell whether there is nothing left to do."""
        if time.perf_counter() > self.until:
            return True
        self.report(f"lemmas of {len(variables)} variables, {width} atoms each")
        clauses = list(clauses_of(atoms_of(variables), width))
        true = [c for c in clauses if not any(s.false_somewhere(c) for s in self.samples)]
        self.candidates = max(self.candidates, len(clauses))
        self.possible = max(self.possible, len(true))
        left: list[Clause] = []
        tried: dict[Clause, None] = {}
        for attempt in range(_ROUNDS):
            # A strong candidate hides weaker ones; where it has fallen, these are tried, too.
            more = strongest([c for c in true if c not in tried], left)
            if (attempt and not more) or time.perf_counter() > self.until:
                break
            tried |= dict.fromkeys(more)
            left = self._inductive(list(tried))
            if self._prove(left):
                return True
        return False

    def _inductive(self, clauses: Iterable[Clause]) -> list[Clause]:
        """Return those of some clauses that steps preserve together, with the properties."""
        goals = [self.properties[n] for n in self.requested]
        candidates: list[Candidate] = [*(p for p in goals if not p.of_steps), *clauses]
        self.report(f"{len(candidates)} candidates are held against steps")
        self.houdini.offer(candidates)
        self.houdini.run()
        left = [c for c in self.houdini.remaining if isinstance(c, Clause)]
        self.inductive = max(self.inductive, len(left))
        return left

    def _prove(self, left: Sequence[Clause]) -> bool:
        """Prove the properties with what is left; tell whether all of them are proved."""
        while goals := self._goals():
            needs = self._needs(goals)
            self.report(f"{len(needs)} candidates are to be proved for any sizes")
            fallen = self.proof.take(needs)
            if fallen is None:
                return len(self.proof.best.proofs) == len(self.requested)
            left = [c for c in left if c != fallen]
            kept = [g for g in goals if g != fallen and not g.of_steps]
            self.houdini.offer([*kept, *left])
            self.houdini.run()
        return False

    def _goals(self) -> list[PropertyDecl]:
        """Return the properties that what is left makes inductive, or true of each step."""
        left = self.houdini.remaining
        goals = [self.properties[n] for n in self.requested]
        return [g for g in goals if (self.houdini.core(g) is not None if g.of_steps else g in left)]

    def _needs(self, goals: Sequence[PropertyDecl]) -> dict[Candidate, set[Candidate]]:
        """Return what properties need, and what each of that needs; nothing can be left out."""
        needs = self._cores(goals)
        for spare in sorted((c for c in needs if isinstance(c, Clause)), key=weight, reverse=True):
            if spare not in needs:
                continue
            before = self.houdini.remaining
            self.houdini.offer(c for c in needs if c != spare and not of_steps(c))
            self.houdini.run()
            if all(g in self._goals() for g in goals):
                needs = self._cores(goals)
            else:
                self.houdini.offer(before)
        return needs

    def _cores(self, goals: Sequence[PropertyDecl]) -> dict[Candidate, set[Candidate]]:
        """Return the properties, what they need, and what each of that needs."""
        left = self.houdini.remaining
        waiting: list[Candidate] = list(goals)
        needs: dict[Candidate, set[Candidate]] = {}
        while waiting:
            candidate = waiting.pop(0)
            if candidate not in needs:
                needs[candidate] = self.houdini.core(candidate, [*needs, *goals]) or set()
                waiting += [c for c in left if c in needs[candidate]]
        return needs

    def result(self) -> InferenceResult:
        """Return the best that was found."""
        best, missing = self.proof.best, self.proof.missing
        self.proof.obligations.library = best.library
        nothing = OUT_OF_TIME if time.perf_counter() > self.until else NO_CANDIDATES
        return InferenceResult(
            self.program,
            best.lemmas,
            best.proofs,
            {n: missing.get(n, nothing) for n in self.requested if n not in best.proofs},
            self.proof.obligations,
            sum(len(s.states) for s in self.samples),
            self.candidates,
            self.possible,
            self.inductive,
            time.perf_counter() - self.started,
        )
