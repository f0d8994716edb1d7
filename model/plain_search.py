"""Breadth-first search over the plain engine: the definition of what every engine must count.

Where states are folded, one that is known under other names is not looked at again: each set of
states that differ in names only is represented by whichever was found first.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import assert_never

from ackproof.lang.binding import Bound
from ackproof.lang.errors import BindError
from ackproof.lang.program import PropertyDecl
from ackproof.lang.properties import DEADLOCK
from ackproof.model.beginnings import initial_states
from ackproof.model.fairness import eventualities, fairness_of
from ackproof.model.limits import MOST_RENAMINGS
from ackproof.model.outcome import Limit, Outcome, Progress, unjudged
from ackproof.model.plain import PlainMachine, State, Step
from ackproof.model.plain_liveness import Graph, nearest_lasso
from ackproof.model.renaming import OfStates, count_renamings, renamings

__all__ = ["explore"]

#: Seconds between two reports of progress.
_REPORT_EVERY = 0.2


@dataclass
class _Search:
    """One search: the known states with the step that first led to each."""

    bound: Bound
    machine: PlainMachine
    survey: bool
    known: dict[State, tuple[State, int] | None] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    generated: int = 0
    cut: int = 0
    level_sizes: list[int] = field(default_factory=list)
    per_action: dict[str, int] = field(default_factory=dict)
    violations: dict[str, tuple[int, ...]] = field(default_factory=dict)
    witnessed: set[str] = field(default_factory=set)
    cycles: dict[str, tuple[int, ...]] = field(default_factory=dict)
    #: What is still to be asked of states, and of steps.
    of_states: list[PropertyDecl] = field(init=False)
    of_steps: list[PropertyDecl] = field(init=False)
    #: The properties of runs, and for these the steps that change a state.
    of_runs: tuple[PropertyDecl, ...] = field(init=False)
    changes: dict[State, list[tuple[int, State]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.of_runs = eventualities(self.bound)
        asked = [p for p in self.bound.properties if not p.of_runs]
        self.of_states = [p for p in asked if not p.of_steps]
        self.of_steps = [p for p in asked if p.of_steps]

    @cached_property
    def renamed(self) -> tuple[OfStates, ...]:
        """What gives the elements of folded sorts other names, in every way."""
        bound = self.bound
        others = islice(renamings(bound.elements, bound.folded), 1, None)
        return tuple(OfStates(bound, renaming) for renaming in others)

    def is_known(self, state: State) -> bool:
        """Tell whether a state is known, by whatever names of folded elements."""
        return state in self.known or any(rename(state) in self.known for rename in self.renamed)

    @cached_property
    def initial(self) -> tuple[State, ...]:
        """The states that the search begins in."""
        return initial_states(self.bound)

    def run_to(self, state: State) -> tuple[State, tuple[int, ...]]:
        """Return where the steps begin that first led to a known state, and their numbers."""
        numbers: list[int] = []
        origin = self.known[state]
        while origin is not None:
            state, number = origin
            numbers.append(number)
            origin = self.known[state]
        return state, tuple(reversed(numbers))

    def violate(self, name: str, state: State, *last: int) -> None:
        """Note the first violation of a property, in a known state or by a step from there."""
        if name not in self.violations:
            start, path = self.run_to(state)
            self.violations[name] = (*path, *last)
            self.starts[name] = self.initial.index(start)
            self._ask_no_more(name)

    def witness(self, name: str) -> None:
        """Note that a `@reachable` situation has come up."""
        self.witnessed.add(name)
        self._ask_no_more(name)

    def _ask_no_more(self, name: str) -> None:
        """What is decided is asked no more; whoever goes through the others goes on."""
        self.of_states = [p for p in self.of_states if p.name != name]
        self.of_steps = [p for p in self.of_steps if p.name != name]

    def enter(self, state: State, origin: tuple[State, int] | None) -> bool:
        """Make a state known; tell whether it is new, and check the properties of states on it."""
        if self.is_known(state):
            return False
        self.known[state] = origin
        for prop in self.of_states:
            holds = self.machine.holds(prop, state)
            match prop.claim:
                case "invariant":
                    if not holds:
                        self.violate(prop.name, state)
                case "reachable":
                    if holds:
                        self.witness(prop.name)
                case "step" | "eventually" | "leads_to":
                    raise AssertionError(f"{prop.name} is not of states")
                case _:
                    assert_never(prop.claim)
        return True

    def expand(self, state: State) -> list[State]:
        """Take every step of a state, unless it is cut; return the new states."""
        if self.machine.cut(state):
            self.cut += 1
            return []
        new = []
        changes: list[tuple[int, State]] = []
        enabled = False
        for step in self.machine.steps(state):
            enabled = True
            elsewhere = step.leads_from(state)
            if elsewhere is not None:
                changes.append((step.number, elsewhere))
            if step.after is None:
                assert step.broken is not None
                self.violate(step.broken, state, step.number)
                continue
            self.generated += 1
            self.per_action[step.instance.action.name] += 1
            self.check_step(state, step)
            if self.enter(step.after, (state, step.number)):
                new.append(step.after)
        if self.of_runs:
            self.changes[state] = changes
        if not enabled and self.bound.program.deadlock_free:
            self.violate(DEADLOCK, state)
        return new

    def check_step(self, state: State, step: Step) -> None:
        """Check the properties of steps on one step."""
        assert step.after is not None
        for prop in self.of_steps:
            results = self.machine.holds_on_step(prop, state, step)
            match prop.claim:
                case "step":
                    if not all(results):
                        self.violate(prop.name, state, step.number)
                case "reachable":
                    if any(results):
                        self.witness(prop.name)
                case "invariant" | "eventually" | "leads_to":
                    raise AssertionError(f"{prop.name} is not of steps")
                case _:
                    assert_never(prop.claim)

    def check_runs(self) -> None:
        """Check the properties of runs, when all states are known."""
        for prop in self.of_runs:
            false = [
                state
                for state in self.known
                if not self.machine.holds(prop, state) and not self.machine.cut(state)
            ]
            graph = Graph(false, self.changes.__getitem__, fairness_of(self.bound))
            due = {
                state: len(self.run_to(state)[1])
                for state in false
                if self.machine.is_due(prop, state)
            }
            lasso = nearest_lasso(graph, due)
            if lasso is not None:
                self.cycles[prop.name] = lasso.cycle
                self.violate(prop.name, lasso.start, *lasso.way)


def _refuse_many_names(bound: Bound) -> None:
    """Refuse to try every name of each state, where there are too many of them."""
    if count_renamings(bound.elements, bound.folded) > MOST_RENAMINGS:
        raise BindError(
            f"instance {bound.instance.name}: plain Python tries each state under all its names, "
            f"and there are more than {MOST_RENAMINGS:,}; use the kernel, or make "
            f"{' or '.join(bound.folded)} smaller"
        )


def explore(
    bound: Bound,
    *,
    workers: int = 1,
    memory: int | None = None,
    max_depth: int | None = None,
    survey: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Explore a bound program with the plain engine, breadth first, on one thread.

    Args:
        bound: the program at the sizes of an instance.
        workers: there is always one; the parameter is what engines have in common.
        memory: bytes of resident memory at which to stop.
        max_depth: number of levels after which to stop.
        survey: whether to go on after a violation, and so to decide every property.
        progress: called a few times a second.

    Raises:
        BindError: folded states have more names than can be tried.
    """
    _refuse_many_names(bound)
    started = time.perf_counter()
    with PlainMachine(bound) as machine:
        search = _Search(bound, machine, survey)
        search.per_action = {a.name: 0 for a in bound.actions}
        limit = _run(search, memory, max_depth, progress, started)
        exhausted = limit is None and (survey or not search.violations)
        if exhausted and bound.folded:
            limit = unjudged(bound, exhausted)
        elif exhausted:
            try:
                search.check_runs()
            except KeyboardInterrupt:
                limit = Limit.INTERRUPTED
    return Outcome(
        engine="plain",
        workers=1,
        states=len(search.known),
        generated=search.generated,
        level_sizes=tuple(search.level_sizes),
        per_action=search.per_action,
        violations=search.violations,
        witnessed=frozenset(search.witnessed),
        limit=limit,
        seconds=time.perf_counter() - started,
        compile_seconds=0.0,
        memory=_resident(),
        exhausted=exhausted,
        cycles=search.cycles,
        cut=search.cut,
        starts={name: at for name, at in search.starts.items() if at},
    )


def _run(
    search: _Search,
    memory: int | None,
    max_depth: int | None,
    progress: Callable[[Progress], None] | None,
    started: float,
) -> Limit | None:
    frontier = [state for state in search.initial if search.enter(state, None)]
    search.generated = len(frontier)
    reported = started
    new: list[State] = []
    try:
        while frontier:
            search.level_sizes.append(len(frontier))
            if search.violations and not search.survey:
                return None
            if max_depth is not None and len(search.level_sizes) >= max_depth:
                return Limit.DEPTH
            new = []
            for position, state in enumerate(frontier):
                new += search.expand(state)
                now = time.perf_counter()
                if now - reported < _REPORT_EVERY:
                    continue
                reported = now
                if memory is not None and _resident() > memory:
                    search.level_sizes.append(len(new))
                    return Limit.MEMORY
                if progress is not None:
                    left = len(frontier) - position - 1 + len(new)
                    progress(
                        Progress(
                            len(search.known),
                            search.generated,
                            left,
                            len(search.level_sizes),
                            _resident(),
                            now - started,
                        )
                    )
            frontier = new
    except KeyboardInterrupt:
        search.level_sizes.append(len(search.known) - sum(search.level_sizes))
        return Limit.INTERRUPTED
    return None


def _resident() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
