"""What becomes of a mutant: whether a property notices it, and where.

A mutant is looked at on the instances where a step comes to what it changes, and the code that a
search would run is not that of the base.  They are taken smallest first, up to the first on which
something is noticed, and as long as there are states to spend on them.  There, all properties are
decided, so that it is known which of them notice.

A property may be violated.  Or, where all hold, a situation that must be reachable is not, or an
action is never enabled, and the base has it there: then the mutant has lost a part of the
behaviour, and that is noticed, too.  The base is asked, and not the instance, as what a mutant
makes impossible looks like what the instance switches off.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path

from ackproof.lang.binding import bind
from ackproof.lang.errors import BindError, SpecError
from ackproof.lang.frontend import compile_model
from ackproof.lang.model import Design, Instance, Model
from ackproof.lang.program import Program
from ackproof.model.cache import COMPILED, Cache
from ackproof.model.check import asked, check, check_bound
from ackproof.model.difference import Affected
from ackproof.model.lower.reach import Reach
from ackproof.model.mutation.mutants import Mutant, loaded
from ackproof.model.outcome import Outcome
from ackproof.model.report import Report
from ackproof.model.results import Question

__all__ = ["Fate", "Judge", "Verdict"]

#: Bytes that the search of a mutant may take: some have far more states than the base.
_MEMORY = 1 << 30


class Fate(Enum):
    """What may become of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    UNCHANGED = "unchanged"
    UNREACHED = "unreached"
    REJECTED = "rejected"

    @property
    def meaning(self) -> str:
        """What that says."""
        return _MEANINGS[self]


_MEANINGS = {
    Fate.KILLED: "a property is violated, or something that must happen never does",
    Fate.SURVIVED: "it does something else than the base, and nothing notices",
    Fate.UNCHANGED: "it comes to the base's states by the base's steps wherever it was looked at",
    Fate.UNREACHED: "no instance that was looked at has the code",
    Fate.REJECTED: "the front end does not take it",
}


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant.

    Args:
        fate: that.
        instance: the one on which it was noticed.
        killers: what noticed it there, with the steps that it takes; 0 for what is never reached.
        searched: the instances on which it was searched and nothing noticed it.
        other: those of them on which it came to other states or steps than the base.
        problem: why the front end does not take it.
    """

    fate: Fate
    instance: str = ""
    killers: tuple[tuple[str, int], ...] = ()
    searched: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    problem: str = ""

    @property
    def first(self) -> tuple[str, int]:
        """The property that notices it in the fewest steps."""
        return min(self.killers, key=lambda k: (k[1] or 1 << 30, k[0]))


class Judge:
    """Decides what becomes of the mutants of a model.

    Args:
        model: the model.
        instances: where to look, the smallest first.
        folder: where mutants are written for the time that they are looked at.
        cache: where outcomes are kept.
        budget: how many states of the base may be spent on a mutant; those of all instances if not
            given.
    """

    def __init__(
        self,
        model: Model,
        instances: Sequence[Instance],
        folder: Path,
        cache: Cache | None = None,
        budget: int | None = None,
    ) -> None:
        self._model = model
        self._instances = instances
        self._budget = sum(i.states or 0 for i in instances) if budget is None else budget
        self._folder = folder
        self._cache = cache
        # Machine code would fill the cache, and is quickly made.
        self._outcomes = cache.without(*COMPILED) if cache else None
        self._keys: dict[str, str | None] = {}
        self._reaches: dict[str, Reach] = {}
        self._base: dict[str, Outcome] = {}

    def judge(self, mutant: Mutant) -> Verdict:
        """Return what becomes of a mutant."""
        with loaded(mutant, self._folder) as design:
            try:
                program = compile_model(self._model, design)
            except SpecError as error:
                # Its place is in a file that is gone in a moment; the mutant's is known.
                return Verdict(Fate.REJECTED, problem=error.problem)
            except BindError as error:
                return Verdict(Fate.REJECTED, problem=str(error).partition("\n")[0])
            return self._searched(design, program)

    def _searched(self, design: Design, program: Program) -> Verdict:
        searched: list[str] = []
        other: list[str] = []
        for instance, report in self._reports(design, program):
            base = self._known(instance)
            killers = tuple(_killers(report.outcome, base))
            if killers:
                return Verdict(Fate.KILLED, instance.name, killers, tuple(searched), tuple(other))
            name = instance.name
            if report.outcome.limit is not None:
                name += f" (in part: {report.outcome.levels} levels)"
            searched.append(name)
            if not _is_same(report.outcome, base):
                other.append(name)
        fate = Fate.SURVIVED if other else Fate.UNCHANGED if searched else Fate.UNREACHED
        return Verdict(fate, searched=tuple(searched), other=tuple(other))

    def _reports(self, design: Design, program: Program) -> Iterator[tuple[Instance, Report]]:
        """Yield what is found on each instance whose code is not the base's."""
        questions: dict[str, Question] = {}

        def differs(instance: Instance) -> bool:
            bound = bind(self._model, instance, design, None, program)
            if self._reach(instance).is_same(bound):
                return False
            question = asked(bound, "kernel", survey=True, cache=self._outcomes)
            questions[instance.name] = question
            return question.key != self._key(instance)

        for instance in Affected(self._instances, self._budget, differs):
            question, now = questions[instance.name], time.perf_counter()
            yield (
                instance,
                check_bound(
                    question.bound, None, "kernel", 1, _MEMORY, None, None, now, True, question
                ),
            )

    @cached_property
    def _program(self) -> Program:
        return compile_model(self._model)

    def _reach(self, instance: Instance) -> Reach:
        """Return what the base comes to."""
        if instance.name not in self._reaches:
            bound = bind(self._model, instance, None, None, self._program)
            self._reaches[instance.name] = Reach(bound)
        return self._reaches[instance.name]

    def _key(self, instance: Instance) -> str | None:
        if instance.name not in self._keys:
            bound = bind(self._model, instance, None, None, self._program)
            question = asked(bound, "kernel", survey=True, cache=self._cache)
            self._keys[instance.name] = question.key
        return self._keys[instance.name]

    def _known(self, instance: Instance) -> Outcome:
        """Return what is found of the base."""
        if instance.name not in self._base:
            found = check(self._model, instance, workers=1, survey=True, cache=self._cache)
            self._base[instance.name] = found.outcome
        return self._base[instance.name]


def _killers(found: Outcome, base: Outcome) -> Iterator[tuple[str, int]]:
    """Yield what notices a mutant on an instance, and after how many steps."""
    for name, path in found.violations.items():
        yield name, len(path)
    if not found.violations and found.limit is None:
        for name in sorted(base.witnessed - found.witnessed):
            yield name, 0
        for name, count in base.per_action.items():
            if count and not found.per_action.get(name):
                yield name, 0


def _is_same(one: Outcome, other: Outcome) -> bool:
    """Tell whether two searches came to the same states by the same steps, as far as counts go."""
    return (one.states, one.generated, one.level_sizes, one.per_action) == (
        other.states,
        other.generated,
        other.level_sizes,
        other.per_action,
    )
