"""Random walks: a look at systems that no search can finish.

A walk begins in an initial state, drawn if there are several, and takes one step after the other.
Which step is drawn: first an action among those that are enabled, then one of its choices of
arguments, so that an action with many arguments does not crowd out the others.  Were all actions
alike, then each walk would have its faults at once, and end before anything was going on.  So each
walk has a mood of its own: a rate for each action, which may be thousands of times as large for one
as for another.  Moods change now and then, for what needs a bit of everything.  Steps that change
nothing are looked at and never taken.  A walk ends when it is as long as walks may be, or when
nothing would change any more.

Many walks go on side by side, in the compiled functions of a search.  In each state that a walk
comes to, every property of states is looked at, and on *every* step that is enabled there, taken
or not, every property of steps.  So a walk sees more than the run that it takes.

All that is drawn comes from a seed: the same walks are walked again with it, as long as the
specification is the same.  Walks end after the first step at which any of them has met something
false.  Who walks at random has come by a long way; `ackproof.model.shorten` finds a shorter one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from ackproof.model.kernel.search import DEADLOCK
from ackproof.model.kernel.stepping import Numbers, States, Stepper, Steps, bits_of
from ackproof.model.lower.compile import Kernel

__all__ = ["LONGEST", "Walked", "walk"]

#: How long walks may be at most, for each step of each walk is written down.
LONGEST = 10_000

#: The rates of actions are between one and two to the minus this.
_MOODS = 16.0

#: Steps for which a mood lasts.
_LASTING = 32

#: Walks that go on side by side, at most.
_TOGETHER = 1024

_Rates = npt.NDArray[np.float64]
_Choices = npt.NDArray[np.int32]


@dataclass
class Walked:
    """What some walks have found.

    Args:
        seed: what was drawn comes from it.
        walks: how many were begun.
        ended: those that came to where nothing changes any more.
        steps: what they took, all together.
        looked_at: steps whose properties were looked at, also those that were not taken.
        taken: steps by action name, 0 included.
        witnessed: names of the `@reachable` situations that came up.
        violations: for each property that was found false the numbers of the action instances that
            lead there; the first of one of the walks, and no more than that.
        starts: and the number of the initial state from which they do.
        seconds: time that the walks took.
        interrupted: whether somebody ended them.
    """

    seed: int
    walks: int = 0
    ended: int = 0
    steps: int = 0
    looked_at: int = 0
    taken: dict[str, int] = field(default_factory=dict)
    witnessed: frozenset[str] = frozenset()
    violations: dict[str, tuple[int, ...]] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    interrupted: bool = False


def walk(
    kernel: Kernel,
    *,
    seed: int,
    walks: int,
    length: int,
    progress: Callable[[Walked], None] | None = None,
) -> Walked:
    """Walk through a system at random, until something false is met.

    Args:
        kernel: the system, compiled.
        seed: what is drawn comes from it.
        walks: how many walks there are.
        length: how many steps each of them has at most.
        progress: called now and then.
    """
    found = _Walking(kernel, seed, length, progress or (lambda _: None))
    started = time.perf_counter()
    together = min(_TOGETHER, found.stepper.slice)
    try:
        for number, first in enumerate(range(0, walks, together)):
            found.group(number, min(together, walks - first))
            if found.walked.violations:
                break
    except KeyboardInterrupt:
        found.walked.interrupted = True
    found.walked.seconds = time.perf_counter() - started
    return found.result()


class _Walking:
    """Walks that are walked, and what is known of them so far."""

    def __init__(
        self, kernel: Kernel, seed: int, length: int, progress: Callable[[Walked], None]
    ) -> None:
        actions = {action.name: number for number, action in enumerate(kernel.bound.actions)}
        instances = kernel.bound.instances()
        self.kernel = kernel
        self.length = length
        self.progress = progress
        self.stepper = Stepper(
            kernel.engine,
            kernel.words,
            kernel.fanout,
            max(1, kernel.n_counts),
            kernel.tables.seen_words,
            of_runs=False,
        )
        self.walked = Walked(seed)
        self._initials = np.array(kernel.initials, np.uint64)
        self._action = np.array([actions[i.action.name] for i in instances], np.int64)
        self._taken = np.zeros(len(actions), np.int64)
        self._seen = 0

    def result(self) -> Walked:
        """Return what is known."""
        tables = self.kernel.tables
        names = (action.name for action in self.kernel.bound.actions)
        self.walked.taken = dict(zip(names, map(int, self._taken), strict=True))
        self.walked.witnessed = frozenset(
            name for bit, name in tables.seen_bits.items() if self._seen >> bit & 1
        )
        return self.walked

    def group(self, number: int, count: int) -> None:
        """Walk some walks side by side, up to the first step at which something is false."""
        draw = np.random.default_rng([self.walked.seed, number])
        starts = self._starts(count, draw)
        states: States = self._initials[starts]
        chosen: _Choices = np.full((count, self.length), -1, np.int32)
        alive = np.arange(count)
        self.walked.walks += count
        for at in range(self.length + 1):
            if at % _LASTING == 0:
                rates = 2.0 ** -draw.uniform(0, _MOODS, size=(count, len(self._taken)))
            self._look(states, starts[alive], chosen[alive, :at])
            if self.walked.violations or at == self.length:
                return
            steps = self.stepper.steps(states)
            self.walked.looked_at += len(steps.instances)
            self._seen |= steps.seen
            self._broken(steps, starts[alive], chosen[alive, :at])
            if self.walked.violations:
                return
            rows = self._drawn(steps, states, rates[alive], draw)
            sources, instances = steps.sources[rows], steps.instances[rows]
            self.walked.ended += len(alive) - len(rows)
            alive, states = alive[sources], steps.states[rows]
            chosen[alive, at] = instances
            self._taken += np.bincount(self._action[instances], minlength=len(self._taken))
            self.walked.steps += len(rows)
            self.progress(self.walked)
            if not len(rows):
                return

    def _starts(self, count: int, draw: np.random.Generator) -> Numbers:
        """Return the number of the initial state for each of some walks."""
        if len(self._initials) == 1:
            return np.zeros(count, np.int64)
        return draw.integers(len(self._initials), size=count)

    def _look(self, states: States, starts: Numbers, paths: _Choices) -> None:
        """Look at the properties of the states that walks have come to."""
        seen, false = self.stepper.inspect(states)
        self._seen |= seen
        names = self.kernel.tables.state_bits
        for row in np.flatnonzero(false.any(axis=1)):
            path = tuple(map(int, paths[row]))
            self._violate(names, bits_of(false[row]), int(starts[row]), path)

    def _broken(self, steps: Steps, starts: Numbers, paths: _Choices) -> None:
        """Write down what is broken by steps that are enabled."""
        names = self.kernel.tables.step_bits
        for row, instance, *masks in steps.records.tolist():
            path = tuple(map(int, paths[row]))
            taken = path if instance == DEADLOCK else (*path, instance)
            self._violate(names, bits_of(masks), int(starts[row]), taken)

    def _violate(self, names: dict[int, str], bits: int, start: int, path: tuple[int, ...]) -> None:
        for bit, name in names.items():
            if bits >> bit & 1 and name not in self.walked.violations:
                self.walked.violations[name] = path
                self.walked.starts[name] = start

    def _drawn(
        self, steps: Steps, states: States, rates: _Rates, draw: np.random.Generator
    ) -> Numbers:
        """Return the row of a step for each state that has one which changes it."""
        moving = np.flatnonzero((steps.states != states[steps.sources]).any(axis=1))
        sources, actions = steps.sources[moving], self._action[steps.instances[moving]]
        _, group, sizes = np.unique(
            sources * len(self._taken) + actions, return_inverse=True, return_counts=True
        )
        # The least of several exponential variates is each of them by its rate: here, that of an
        # action, shared by its choices of arguments.
        lots = draw.exponential(size=len(moving)) * sizes[group] / rates[sources, actions]
        order = np.lexsort((lots, sources))
        _, firsts = np.unique(sources[order], return_index=True)
        return moving[order[firsts]]
