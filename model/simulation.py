"""A simulation: random walks through a model at some size, and what is to be said of them.

For what no search can finish.  Nothing that is found here is a proof: what walks do not come to
they do not see.  What they find is real: each run is made shorter, and replayed in plain Python
before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackproof.lang.binding import Bound
from ackproof.lang.model import Design, Instance, Model
from ackproof.model.beginnings import initial_states
from ackproof.model.cache import Cache
from ackproof.model.check import asked, chosen
from ackproof.model.limits import refuse_large_sorts, refuse_too_many_choices
from ackproof.model.results import Idle
from ackproof.model.walks import Walked, walk

if TYPE_CHECKING:
    from ackproof.model.trace import Trace

__all__ = ["Simulation", "simulate"]


@dataclass(frozen=True)
class Simulation:
    """What random walks through a model have found.

    Args:
        design: the name of the design, if there was one.
        walked: what the walks counted.
        traces: a replayed counterexample for each property that was found false, the shortest
            first; no step of it can be left out, and still there may be a shorter one.
        idle: what has no part in the instance.
        length: how many steps a walk had at most.
    """

    bound: Bound
    design: str | None
    walked: Walked
    traces: tuple[Trace, ...]
    idle: Idle
    length: int

    @property
    def actions(self) -> dict[str, list[str]]:
        """The names of actions: those that were taken, that were not, and that are off."""
        there = {a.name for a in self.bound.actions} - self.idle.dead
        taken = self.walked.taken
        found: dict[str, list[str]] = {"taken": [], "never taken": [], "off": []}
        for action in self.bound.program.actions:
            name = action.name
            said = "taken" if taken.get(name) else "never taken" if name in there else "off"
            found[said].append(name)
        return {said: names for said, names in found.items() if names}

    @property
    def situations(self) -> dict[str, list[str]]:
        """The names of `@reachable` situations: that came up, that did not, and that are off."""
        found: dict[str, list[str]] = {"reached": [], "not reached": [], "off": []}
        for prop in self._of("reachable"):
            reached = prop in self.walked.witnessed
            said = "reached" if reached else "off" if prop in self.idle.off else "not reached"
            found[said].append(prop)
        return {said: names for said, names in found.items() if names}

    @property
    def unjudged(self) -> list[str]:
        """The names of the properties of runs, which no walk can break: it ends."""
        return [
            p.name for p in self.bound.properties if p.of_runs and p.name not in self.idle.vacuous
        ]

    @property
    def exit_code(self) -> int:
        """The exit code: 1 if a property is false, else 3, for the rest was not looked at."""
        return 1 if self.traces else 3

    def _of(self, kind: str) -> list[str]:
        return [p.name for p in self.bound.properties if p.kind == kind]


def simulate(
    model: Model,
    instance: Instance,
    design: Design | None = None,
    *,
    name: str | None = None,
    properties: Iterable[str] | None = None,
    seed: int,
    walks: int,
    length: int,
    progress: Callable[[Walked], None] | None = None,
    cache: Cache | None = None,
) -> Simulation:
    """Walk through a model at random, until something false is met.

    Args:
        model: the system and its properties.
        instance: the sizes to walk at.
        design: the change to try, if any.
        name: what the design is called.
        properties: names of those to look at, all of them when left out.
        seed: what is drawn comes from it.
        walks: how many walks there are.
        length: how many steps each of them has at most.
        progress: called now and then.
        cache: where programs are kept.

    Raises:
        SpecError: the specification or the design is outside the language.
        BindError: the instance or the choice of properties does not fit the model.
        ReplayError: a walk claims what plain Python does not confirm.
    """
    refuse_large_sorts(instance)
    bound = chosen(model, instance, design, properties, cache=cache)
    refuse_too_many_choices(bound)
    question = asked(bound, "kernel", cache=cache)
    walked = walk(question.kernel(), seed=seed, walks=walks, length=length, progress=progress)
    traces = _traces(bound, walked)
    return Simulation(bound, name, walked, traces, question.idle, length)


def _traces(bound: Bound, walked: Walked) -> tuple[Trace, ...]:
    if not walked.violations:
        return ()
    from ackproof.model.shorten import shorten
    from ackproof.model.trace import replay

    found = []
    for name, path in walked.violations.items():
        start = initial_states(bound)[walked.starts[name]]
        found.append(replay(bound, name, shorten(bound, name, path, start), start=start))
    return tuple(sorted(found, key=lambda trace: len(trace.path)))
