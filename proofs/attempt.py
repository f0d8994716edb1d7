"""An attempt at a proof: properties of a model with the lemmas of a library, for any sizes.

The names that are requested are looked up first, with all that they are proved with, so that a slip
in a name costs nothing.  Then the obligations are discharged, and the hypotheses are checked for
being consistent; the result is a `Proof`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from ackproof.lang.binding import bind
from ackproof.lang.errors import BindError
from ackproof.lang.lemmas import Library
from ackproof.lang.model import Design, Model
from ackproof.lang.program import Variable
from ackproof.lang.properties import FAILURES, Kind
from ackproof.lang.types import IntT, MapT, OptionT
from ackproof.model.cache import Cache
from ackproof.model.plain import PlainMachine
from ackproof.proofs.content import content
from ackproof.proofs.discharge import Outcome, discharge
from ackproof.proofs.failures import relied_on, unsure
from ackproof.proofs.kept import Kept
from ackproof.proofs.library import (
    LibraryError,
    check_assumptions,
    check_circles,
    check_names,
    check_rankings,
)
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.report import Goal, Proof
from ackproof.proofs.solving import UNKNOWN
from ackproof.proofs.vacuity import Vacuity, vacuities

__all__ = ["Attempt", "Progress", "differences", "digest", "prepare", "provable"]

#: Seconds for each check of whether hypotheses are consistent.
_MOMENT = 0.25


@dataclass(frozen=True)
class Progress:
    """How far a proof is.

    Attributes:
        done: obligations that were looked at.
        total: obligations that there are.
        proved: those of them that are proved.
        what: the last that was looked at.
    """

    done: int
    total: int
    proved: int
    what: str


def provable(model: Model) -> tuple[str, ...]:
    """Return the names of the properties of states, of steps and of runs, and that none fails."""
    return (*(p.name for p in model.properties if _is_provable(p.kind)), *FAILURES)


def _counts(v: Variable) -> bool:
    """Tell whether a variable holds an integer, or some, that steps change."""
    t = v.type
    while isinstance(t, MapT | OptionT):
        t = t.value if isinstance(t, MapT) else t.inner
    return isinstance(t, IntT) and not v.const


def _is_provable(kind: Kind) -> bool:
    match kind:
        case "invariant" | "step" | "eventually":
            return True
        case "reachable":
            return False  # a run that comes there is what shows it
        case "leads_to":
            return False  # no rule is known here for what is asked for and not answered at once
        case "constraint" | "initially" | "measure" | "helpful":
            return False
        case _:
            assert_never(kind)


@dataclass(frozen=True)
class Attempt:
    """An attempt at a proof: what is to be shown, and with what.

    Attributes:
        obligations: translates it.
        model: the model, without its lemmas.
        requested: the names of the properties.
        name: the name of the design, if there is one.
        design: the design.
    """

    obligations: Obligations
    model: Model
    requested: tuple[str, ...]
    name: str | None = None
    design: Design | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The goals that are proved together: what was requested, and what that depends on."""
        return self.obligations.library.closure(self.requested)

    @property
    def goal_names(self) -> tuple[str, ...]:
        """Those of them that are shown, and not assumed."""
        return tuple(n for n in self.names if n not in self.obligations.library.assumptions)

    @property
    def todo(self) -> tuple[Obligation, ...]:
        """All that has to be shown, in order."""
        return tuple(self.obligations.of(self.requested))

    def digest(self) -> str:
        """Return a hash of all that the obligations depend on."""
        return digest(self.obligations, self.names)

    def goals(self) -> dict[str, Goal]:
        """Return what is proved, by name."""
        return {name: self._goal(name) for name in self.goal_names}

    def _goal(self, name: str) -> Goal:
        library, decl = self.obligations.library, self.obligations.properties[name]
        lemma = library.lemmas.get(name)
        return Goal(
            name,
            decl.kind,
            decl.doc,
            tuple(n for n in library.by(name) if n != name),
            name in library.follows,
            lemma is not None,
            library.waits_for(name),
        )

    def assumptions(self) -> tuple[tuple[str, str], ...]:
        """Return names and docstrings of what is assumed of the constants."""
        library, properties = self.obligations.library, self.obligations.properties
        return tuple((n, properties[n].doc) for n in self.names if n in library.assumptions)

    def relies_on(self) -> tuple[str, ...]:
        """Return the built-in properties that it relies on, if all that is to be shown is shown."""
        library = self.obligations.library
        restricted = self.unmet() | library.restrictions

        def restrictions(name: str) -> frozenset[str]:
            return restricted.intersection(library.closure([name]))

        return relied_on(self.unsure(), self.goal_names, self.requested, restrictions)

    def unsure(self) -> tuple[str, ...]:
        """Return which built-in properties steps may break, as far as their texts tell."""
        return unsure(self.obligations.program.actions)

    def unmet(self) -> frozenset[str]:
        """Return the names of assumptions that some instance does not meet: a proof with them is
        restricted, whether they are marked as restrictions or not.

        An instance that cannot be bound is none of anybody's runs.
        """
        every = (self.unmet_on(one.name) or () for one in self.model.instances)
        return frozenset(name for names in every for name in names)

    def unmet_on(self, instance: str) -> frozenset[str] | None:
        """Return the names of assumptions that an instance does not meet.

        None if the model has no such sizes.
        """
        obligations = self.obligations
        assumed = [n for n in self.names if n in obligations.library.assumptions]
        found = obligations.model.instance(instance)
        assert found is not None
        if not assumed:
            return frozenset()
        try:
            bound = bind(obligations.model, found, self.design, program=obligations.program)
        except BindError:
            return None
        said, constants = obligations.properties, bound.first()
        with PlainMachine(bound) as machine:
            return frozenset(n for n in assumed if not machine.holds(said[n], constants))

    def run(
        self,
        *,
        workers: int = 1,
        limit: float = 20.0,
        seed: int = 0,
        progress: Callable[[Progress], None] = lambda _: None,
        cache: Cache | None = None,
    ) -> Proof:
        """Make the proof.

        Args:
            workers: how many processes discharge obligations.
            limit: seconds for each obligation.
            seed: makes other choices where solvers make them at random.
            progress: is called now and then with how far it is.
            cache: where it is kept what is proved; what was proved before is not proved again.

        An interruption ends it; what was not decided by then is unknown.
        """
        start = time.perf_counter()
        todo = self.todo
        kept = None if cache is None else Kept(self.obligations, cache)
        found = {} if kept is None else dict(kept.known(todo))
        found_vacuities: list[Vacuity] = []
        interrupted = False
        try:
            proved = len(found)
            left = [obligation for obligation in todo if obligation not in found]
            for outcome in discharge(self.obligations, left, workers, limit, seed):
                found[outcome.obligation] = outcome
                if kept is not None:
                    kept.keep(outcome)
                proved += outcome.status == "proved"
                progress(Progress(len(found), len(todo), proved, outcome.obligation.name))

            def report(what: str) -> None:
                progress(Progress(len(found), len(todo), proved, f"whether {what} is consistent"))

            moment = min(limit, _MOMENT)
            if kept is None or not kept.consistent(self.digest()):
                found_vacuities = [
                    *vacuities(self.obligations, self.names, moment, workers, report)
                ]
                if kept is not None and not found_vacuities:
                    kept.keep_consistent(self.digest())
        except KeyboardInterrupt:
            interrupted = True
        library = self.obligations.library
        return Proof(
            self.obligations.program.name,
            self.name,
            self.design.claim if self.design else None,
            self.digest(),
            self.requested,
            self.goals(),
            {name: library.closure([name]) for name in self.goal_names},
            tuple(sort.name for sort in self.obligations.program.sorts),
            self.assumptions(),
            self.unmet() | library.restrictions,
            tuple(found.get(o) or Outcome(o, UNKNOWN, 0.0, "it was interrupted") for o in todo),
            tuple(found_vacuities),
            limit,
            workers,
            time.perf_counter() - start,
            interrupted,
            tuple(p.name for p in self.obligations.program.constraints),
            self.unsure(),
            tuple(v.name for v in self.obligations.program.variables if _counts(v)),
        )


def prepare(
    model: Model,
    library: Library,
    requested: Sequence[str] = (),
    design: Design | None = None,
    name: str | None = None,
) -> Attempt:
    """Return the attempt to prove some properties.

    Args:
        model: the model, without its lemmas.
        library: the lemmas, and what is proved with which.
        requested: names of properties, or of lemmas; if there are none, all properties that the
            library says how to prove.
        design: a change to the model.
        name: what the design is called.

    Raises:
        LibraryError: there is nothing to prove, or it cannot be done as the library says.
        SpecError: the model, the design or a lemma is outside the language.
    """
    there = provable(model)
    known = {**library.proofs, **library.follows, **library.rankings}
    names = tuple(dict.fromkeys(requested)) or tuple(n for n in there if n in known)
    if not names:
        raise LibraryError(
            f"there is nothing to prove of {model.name}: nothing says what its properties are "
            "proved with\n  instead: name a property, or write lemmas beside the model"
        )
    check_names(model, library, names)
    check_circles(library)
    attempt = Attempt(Obligations(model, library, design), model, names, name, design)
    check_assumptions(attempt.obligations.program, library)
    check_rankings(attempt.obligations.program, library)
    return attempt


def digest(obligations: Obligations, names: Iterable[str]) -> str:
    """Return a hash of all that the proof of some goals depends on."""
    program, library = obligations.program, obligations.library
    text = content(
        (
            program.sorts,
            program.variables,
            program.actions,
            program.initially,
            [
                (
                    obligations.properties[name],
                    library.by(name),
                    name in library.follows,
                    name in library.assumptions,
                    obligations.rule.made_of(name),
                )
                for name in sorted(names)
            ],
        )
    )
    return hashlib.sha256(text.encode()).hexdigest()


def differences(kept: Mapping[str, Any], model: Model, library: Library) -> list[str]:
    """Return a sentence for each way in which a kept document is not of a model and its lemmas.

    Nothing is proved: what a proof depends on is in its digest.

    Raises:
        LibraryError, SpecError: the lemmas cannot be used.
    """
    attempt = prepare(model, library)
    [proof] = kept["results"]
    listed = [p["name"] for p in proof["properties"]]
    found = [f"{name} is not in it" for name in attempt.requested if name not in listed]
    found += [
        f"{name} is in it, and is not proved" for name in listed if name not in attempt.requested
    ]
    if not found and proof["digest"] != attempt.digest():
        found.append("the specification or its lemmas have changed since")
    return found
