"""Reports of proofs: what is proved, for which sizes, under which assumptions, and what is not.

A property is *proved* when every obligation is: its own, and those of all lemmas that it is proved
with, since these are hypotheses of each other.  It is *refuted* when one of them has a
counterexample, which is a state that the lemmas allow, and need not be reachable; *unknown* when
one was not decided in time; *vacuous* when hypotheses are inconsistent, for one of the reasons
that `vacuity` gives; and *contradicted* when a search has found a run that breaks it all the same
(`contradiction`), so that it is the prover that is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from ackproof.lang.properties import ASSERTION, DEFINED
from ackproof.model.verdict import worst
from ackproof.proofs.discharge import Outcome
from ackproof.proofs.failures import relied_on
from ackproof.proofs.solving import PROVED, REFUTED
from ackproof.proofs.vacuity import Vacuity

__all__ = [
    "ABSTRACTIONS",
    "RELIES_ON",
    "Contradiction",
    "Goal",
    "Proof",
    "ProofVerdict",
    "Searched",
]

#: What a proof relies on where that is not shown together with it.
RELIES_ON = {
    ASSERTION: f"no assertion in a step fails ({ASSERTION})",
    DEFINED: f"all steps are defined ({DEFINED})",
}

#: What is known less of in a proof than it is in an instance; so what is proved holds there too.
ABSTRACTIONS = (
    "of the number of members of a set it is known only whether it is zero, and whether another "
    "set has one more, or no fewer, or two others have as many together",
    "of the first element of a sort without order it is known only that it is one",
    "the number of faults is not limited",
    "an integer may be any, and how much room an instance has for it is a matter of the checker",
)


class ProofVerdict(Enum):
    """The verdict on a goal."""

    PROVED = "proved"
    RESTRICTED = "restricted"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    VACUOUS = "vacuous"
    CONTRADICTED = "contradicted"

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 proved as far as requested, 1 refuted, 3 neither.

        4 is that of a defect of the prover.
        """
        return _EXIT_CODES.get(self, 3)

    @property
    def meaning(self) -> str:
        """The verdict in a phrase."""
        return _MEANING[self]


_EXIT_CODES = {
    ProofVerdict.PROVED: 0,
    ProofVerdict.RESTRICTED: 0,
    ProofVerdict.REFUTED: 1,
    ProofVerdict.CONTRADICTED: 4,
}

_MEANING = {
    ProofVerdict.PROVED: "for all sizes",
    ProofVerdict.RESTRICTED: "for all sizes, with constants that not every instance has",
    ProofVerdict.REFUTED: "a step breaks it in a state that all that it is proved with allows",
    ProofVerdict.UNKNOWN: "an obligation was not decided; that is no proof",
    ProofVerdict.VACUOUS: "what was shown says nothing",
    ProofVerdict.CONTRADICTED: "every obligation is proved, and a run breaks it: a defect of the "
    "prover, please report it",
}


@dataclass(frozen=True)
class Goal:
    """A property or a lemma, and what it is proved with.

    Attributes:
        name: how it is called.
        kind: "invariant", "step" or "eventually".
        doc: its docstring, the reason included.
        by: the names of what it is proved with, itself aside.
        follows: whether it holds wherever those do, rather than is preserved by each step.
        lemma: whether it is a lemma, and no property of the model.
        fair: of a property of runs, the names of the actions on whose fairness it rests.
    """

    name: str
    kind: str
    doc: str
    by: tuple[str, ...] = ()
    follows: bool = False
    lemma: bool = False
    fair: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        """Whether it is a "property", or a lemma: "written"."""
        return "written" if self.lemma else "property"


@dataclass(frozen=True)
class Searched:
    """What a search of an instance has found, to be held against what is proved.

    Attributes:
        instance: its name.
        states: how many states were seen.
        complete: whether these are all.
        runs: for each property that is false there, the steps of a shortest run that breaks it.
        why: why there was no search, if there was none.
        outside: which integer leaves its range, if one does; what comes then was not seen.
    """

    instance: str
    states: int
    complete: bool
    runs: Mapping[str, tuple[str, ...]]
    why: str = ""
    outside: str = ""


@dataclass(frozen=True)
class Contradiction:
    """A run that breaks what is proved.

    Attributes:
        name: the property.
        instance: the name of the instance, which meets all that the proof assumes.
        run: the steps.
    """

    name: str
    instance: str
    run: tuple[str, ...]


@dataclass(frozen=True)
class Proof:
    """The result of one attempt to prove some properties.

    Attributes:
        model: the name of the model.
        design: the name of the design, if one was given.
        claim: what the design claims.
        digest: a hash of all that the obligations depend on.
        requested: the names of the properties to prove.
        goals: these and all that they are proved with, by name.
        needs: for each of them the names of all that it depends on, itself and what is assumed
            included.
        sorts: the names of the sorts, of which there may be any number of elements.
        assumptions: names and docstrings of what is assumed of the constants.
        restrictions: the names of those of them that not every instance meets.
        outcomes: what became of the obligations, in order.
        vacuities: why something of this says nothing.
        limit: seconds that each obligation had.
        workers: how many processes worked on them.
        seconds: how long it took.
        interrupted: whether it was stopped before the end.
        constraints: the names of the model's constraints: they bound a search, and are not assumed.
        unsure: the built-in properties that steps may break, as far as their texts tell.
        integers: the names of the integers that steps change.
        searched: the searches that it was held against.
        contradictions: where one of them has found a run that breaks what is proved.
        failing: the runs in which a step fails, where the proof relies on it that none does.
        held: whether it was held against all that it is to be held against.
    """

    model: str
    design: str | None
    claim: str | None
    digest: str
    requested: tuple[str, ...]
    goals: dict[str, Goal]
    needs: dict[str, tuple[str, ...]]
    sorts: tuple[str, ...]
    assumptions: tuple[tuple[str, str], ...]
    restrictions: frozenset[str]
    outcomes: tuple[Outcome, ...]
    vacuities: tuple[Vacuity, ...]
    limit: float
    workers: int
    seconds: float
    interrupted: bool = False
    constraints: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    integers: tuple[str, ...] = ()
    searched: tuple[Searched, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    failing: tuple[Contradiction, ...] = ()
    held: bool = False

    @property
    def relies_on(self) -> tuple[str, ...]:
        """The names of the properties that it relies on, and does not show itself."""
        shown = [n for n in self.unsure if n in self.goals and self._judged(n).exit_code == 0]
        return relied_on(self.unsure, shown, self.requested, self.restricted)

    @property
    def sizes(self) -> str:
        """What sizes the proof is about."""
        elements = [f"any number of {', '.join(self.sorts)}"] if self.sorts else []
        return ", ".join([*elements, "any constants, any number of faults"])

    @cached_property
    def by_goal(self) -> dict[str, tuple[Outcome, ...]]:
        """The outcomes of each goal's own obligations."""
        found: dict[str, list[Outcome]] = {name: [] for name in self.goals}
        for outcome in self.outcomes:
            found[outcome.obligation.goal].append(outcome)
        return {name: tuple(outcomes) for name, outcomes in found.items()}

    def of(self, name: str) -> tuple[Outcome, ...]:
        """Return the outcomes that a goal depends on."""
        return tuple(o for n in self.needs[name] for o in self.by_goal.get(n, ()))

    def refuting(self, names: Collection[str]) -> Proof:
        """Return the proof with it noted that some obligations have a counterexample after all."""
        known = {o: replace(o, status=REFUTED) for o in self.outcomes if o.obligation.name in names}
        return replace(self, outcomes=tuple(known.get(o, o) for o in self.outcomes))

    def failed(self, name: str) -> tuple[Outcome, ...]:
        """Return those of them that are not proved."""
        return tuple(o for o in self.of(name) if o.status != PROVED)

    @property
    def unproved(self) -> tuple[Outcome, ...]:
        """All outcomes that are not proofs, what is refuted first, what was requested before it."""
        failed = dict.fromkeys(o for name in self.requested for o in self.failed(name))
        return tuple(sorted(failed, key=lambda o: (o.status != REFUTED, o.seconds == 0)))

    def emptied(self, name: str) -> tuple[Vacuity, ...]:
        """Return why what was shown of a goal says nothing."""
        return tuple(v for v in self.vacuities if v.concerns(self.needs[name]))

    @cached_property
    def shown(self) -> frozenset[str]:
        """What was requested, and is proved as far as the prover can tell."""
        return frozenset(n for n in self.requested if self._judged(n).exit_code == 0)

    def verdict(self, name: str) -> ProofVerdict:
        """Return the verdict on a goal: what stands on something false is no better than that."""
        if {one.name for one in self.contradictions} & set(self.needs[name]):
            return ProofVerdict.CONTRADICTED
        return self._judged(name)

    def _judged(self, name: str) -> ProofVerdict:
        """Return the verdict of the prover."""
        if self.emptied(name):
            return ProofVerdict.VACUOUS
        statuses = {o.status for o in self.of(name)}
        if REFUTED in statuses:
            return ProofVerdict.REFUTED
        # A goal that no step is about has no obligation, unless the list was cut short.
        if statuses - {PROVED} or self.interrupted:
            return ProofVerdict.UNKNOWN
        return ProofVerdict.RESTRICTED if self.restricted(name) else ProofVerdict.PROVED

    def restricted(self, name: str) -> tuple[str, ...]:
        """Return the names of the restrictions under which a goal is shown."""
        return tuple(n for n in self.needs[name] if n in self.restrictions)

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 all is proved, 1 something is refuted, 3 neither.

        It is 4 where a search contradicts what is proved.

        A step that can never be taken is nothing that was proved, but nothing that is well, either;
        nor is one that fails in a run.
        """
        codes = [self.verdict(name).exit_code for name in self.requested]
        return worst([*codes, *([3] if self.vacuities else []), *([1] if self.failing else [])])
