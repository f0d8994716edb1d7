"""One instance of a sweep, searched; made to run in a process of its own.

What an instance has is sent as plain data, so that a process that has loaded the model by itself
can make it.  A search is given up when it has found more states than the instance may take.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from enum import Enum

from ackproof.lang.binding import Bound
from ackproof.lang.errors import BindError
from ackproof.lang.model import Design, Instance, Model
from ackproof.model.cache import Cache
from ackproof.model.check import Engine, asked, check_bound, chosen
from ackproof.model.outcome import Limit, Outcome, Progress
from ackproof.model.programs import program_of
from ackproof.model.sweep.growth import Growth, Shape

__all__ = ["Broken", "Candidate", "Fate", "Found", "Looking"]


class Fate(Enum):
    """What may become of an instance."""

    FINISHED = "finished"
    AS_BASE = "as the base"
    CUT = "cut"
    BROKEN = "broken"
    REFUSED = "refused"

    @property
    def whole(self) -> bool:
        """Whether everything that can happen there is known to be all right."""
        return self in (Fate.FINISHED, Fate.AS_BASE)


@dataclass(frozen=True)
class Candidate:
    """An instance to look at: its shape, and the faults that may happen, each once.

    Args:
        name: what it is called in the sweep.
        growth: how many steps its shape is away from the smallest.
    """

    name: str
    growth: int
    shape: Shape
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Broken:
    """A property that is violated: after how many steps, and with which faults on the way."""

    property: str
    steps: int
    faults: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Found:
    """What a search found.

    Args:
        fate: what became of the instance.
        code: a digest of what was searched; instances that have it in common are one.
        states: distinct states, no more than allowed.
        levels: how many were searched.
        broken: what is violated, the shortest run first.
        met: actions that were taken, and situations that were reached.
        missing: those that the instance does not switch off, and that never came up there.
        problem: why the instance is refused.
    """

    fate: Fate
    code: str = ""
    states: int = 0
    levels: int = 0
    broken: tuple[Broken, ...] = ()
    met: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    problem: str = ""


class Looking:
    """Searches instances of a model.

    Args:
        model: the model.
        design: a change to it.
        properties: those that are checked; all of them if it is None.
        engine: what searches.
        share: how many states an instance may have.
        memory: bytes that a search may take.
        cache: where outcomes are kept.
    """

    def __init__(
        self,
        model: Model,
        design: Design | None,
        properties: tuple[str, ...] | None,
        engine: Engine,
        share: int,
        memory: int,
        cache: Cache | None,
    ) -> None:
        self._model = model
        self._design = design
        self._properties = properties
        self._engine = engine
        self._share = share
        self._memory = memory
        self._cache = cache
        self._growth = Growth(model, program_of(model, design, cache), design)
        self._gave_up = False

    def look(self, candidate: Candidate) -> Found:
        """Search an instance."""
        instance = self._growth.instance(candidate.shape, candidate.name, candidate.faults)
        try:
            return self._searched(instance)
        except BindError as error:
            return Found(Fate.REFUSED, problem=str(error).partition("\n")[0])

    def _searched(self, instance: Instance) -> Found:
        bound = self._bound(instance, self._design)
        question = asked(bound, self._engine, cache=self._cache)
        code = question.key or ""
        if self._design is not None and self._engine != "plain":
            base = asked(self._bound(instance, None), self._engine, cache=self._cache)
            if code and base.key == code:
                return Found(Fate.AS_BASE, code)
        started, self._gave_up = time.perf_counter(), False
        report = check_bound(
            bound,
            None,
            self._engine,
            1,
            self._memory,
            None,
            self._enough,
            started,
            question=question,
        )
        outcome, states = report.outcome, min(report.outcome.states, self._share)
        if outcome.limit is Limit.INTERRUPTED and not self._gave_up:
            raise KeyboardInterrupt  # somebody else's
        met = {name for name, count in outcome.per_action.items() if count} | outcome.witnessed
        levels = outcome.levels
        if outcome.violations:
            broken = _broken(bound, outcome)
            return Found(Fate.BROKEN, code, states, levels, broken, frozenset(met))
        whole = outcome.limit is None and outcome.states <= self._share
        missing = {*report.unwitnessed, *report.dead} if whole else set()
        fate = Fate.FINISHED if whole else Fate.CUT
        return Found(fate, code, states, levels, (), frozenset(met), frozenset(missing))

    def _bound(self, instance: Instance, design: Design | None) -> Bound:
        program = program_of(self._model, design, self._cache)
        return chosen(self._model, instance, design, self._properties, program)

    def _enough(self, progress: Progress) -> None:
        """Give a search up that has found too much; the engines know an interruption as that."""
        if progress.states > self._share:
            self._gave_up = True
            raise KeyboardInterrupt


def _broken(bound: Bound, outcome: Outcome) -> tuple[Broken, ...]:
    taken = bound.instances()
    found = []
    for name, path in outcome.violations.items():
        run = [taken[k].action for k in (*path, *outcome.cycles.get(name, ()))]
        faults = Counter(action.name for action in run if action.kind == "fault")
        found.append(Broken(name, len(path), tuple(sorted(faults.items()))))
    return tuple(sorted(found, key=lambda b: (b.steps, b.property)))
