"""Counterexamples: a path that an engine found, replayed step by step in plain Python.

An engine hands over numbers of action instances, the number of the initial state among several, and
nothing else.  They mean something only once
plain Python has taken the same steps from an initial state, each of them enabled, and has found
the property false where the engine says that it is.  If it does not, the engine is wrong; then
there is no counterexample to show, and `ReplayError` says so.

The counterexample to a property of runs goes on for ever: after the path comes a *cycle*, which
leads back to the state in which it began, or nothing, where the run stays.  Plain Python takes it
once, finds the property false all along, and finds that nothing is put off that must happen.
"""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ackproof.lang.binding import ActionInstance, Bound, Location
from ackproof.lang.data import to_data
from ackproof.lang.declare import type_of_class
from ackproof.lang.program import PropertyDecl
from ackproof.lang.properties import BUILT_IN, DEADLOCK
from ackproof.lang.types import RecordT
from ackproof.lang.values import Event
from ackproof.model.beginnings import initial_states, left_open
from ackproof.model.changes import Change, changes
from ackproof.model.evaluate import Environment
from ackproof.model.explain import Explanation, explain
from ackproof.model.fairness import fairness_of
from ackproof.model.lanes import Lane, Lanes
from ackproof.model.outcome import Outcome
from ackproof.model.plain import PlainMachine, State, Step
from ackproof.model.plain_liveness import Graph
from ackproof.model.show import show_arguments, show_step, show_value

__all__ = [
    "Began",
    "ReplayError",
    "ShownEvent",
    "Trace",
    "TraceStep",
    "beginning",
    "replay",
    "replay_found",
    "shown_step",
]


class ReplayError(RuntimeError):
    """An engine's counterexample that plain Python does not reproduce: a defect of the engine."""


@dataclass(frozen=True)
class ShownEvent:
    """An event on the wire, as data."""

    type: RecordT
    values: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{self.type.name}({show_arguments(self.type.fields, self.values)})"


@dataclass(frozen=True)
class Began:
    """What a place had at first that may start with anything."""

    location: Location
    name: str
    value: Any

    def __str__(self) -> str:
        return f"{self.name} = {show_value(self.value, self.location.variable.type)}"


@dataclass(frozen=True)
class TraceStep:
    """One step: who did what, what the wire saw, what is different now.

    `after` is None for a step that fails (an assertion, a range): it has no successor.
    """

    number: int
    instance: ActionInstance
    home: Lane
    after: State | None
    events: tuple[ShownEvent, ...]
    changes: tuple[Change, ...]

    @property
    def text(self) -> str:
        """The action with its arguments by name."""
        return show_step(self.instance)


@dataclass(frozen=True)
class Trace:
    """A counterexample to a property, shortest of its kind.

    Args:
        property: its name; `decl` is its declaration unless it is built in.
        doc: what it claims, in words.
        reason: for a built-in property, what failed; of what leads to something, since when it is
            asked for.  For others see `explanation`.
        cycle: for a property of runs, what happens over and over after the steps; empty where
            the run stays for ever in the last state.  None for all other properties.
        outside: whether all that is wrong with the last step is that an integer leaves its range.
    """

    bound: Bound
    property: str
    decl: PropertyDecl | None
    doc: str
    initial: State
    steps: tuple[TraceStep, ...]
    reason: str
    explanation: Explanation | None
    cycle: tuple[TraceStep, ...] | None = None
    outside: bool = False

    @builtins.property
    def path(self) -> tuple[int, ...]:
        """The numbers of its action instances; with the program, they say it all."""
        return tuple(s.number for s in self.steps)

    @builtins.property
    def run(self) -> tuple[State, tuple[int, ...], tuple[int, ...] | None]:
        """Where it begins, the numbers of its action instances, and those of its cycle."""
        again = None if self.cycle is None else tuple(s.number for s in self.cycle)
        return self.initial, self.path, again

    @builtins.property
    def beginning(self) -> tuple[Began, ...]:
        """What was chosen to begin with, of what may start with anything."""
        return beginning(Lanes(self.bound), self.initial)

    @builtins.property
    def states(self) -> tuple[State, ...]:
        """The states it goes through; a failing step at the end adds none."""
        return (self.initial, *(s.after for s in self.steps if s.after is not None))


def beginning(lanes: Lanes, initial: State) -> tuple[Began, ...]:
    """Return what is chosen in an initial state, of what may start with anything."""
    bound = lanes.bound
    places = ((bound.locations[n], initial[n]) for n in left_open(bound))
    return tuple(Began(loc, lanes.name(loc), value) for loc, value in places)


def replay_found(bound: Bound, outcome: Outcome) -> tuple[Trace, ...]:
    """Return the traces of all counterexamples that an engine has found.

    Raises:
        ReplayError: plain Python does not reproduce one of them.
    """
    beginnings = initial_states(bound)
    with PlainMachine(bound) as machine:
        return tuple(
            _replayed(
                machine,
                name,
                path,
                outcome.cycles.get(name, ()),
                beginnings[outcome.starts.get(name, 0)],
            )
            for name, path in outcome.violations.items()
        )


def replay(
    bound: Bound,
    name: str,
    path: Sequence[int],
    cycle: Sequence[int] = (),
    start: State | None = None,
) -> Trace:
    """Return the trace of a path at whose end a property is false.

    Of a property of runs, it is false in all states of a cycle that begins there; without a cycle,
    the run stays there.  The path begins at `start`, or else at the first initial state.

    Raises:
        ReplayError: plain Python does not take this path, or the property holds at its end.
    """
    with PlainMachine(bound) as machine:
        return _replayed(machine, name, path, cycle, start)


def _replayed(
    machine: PlainMachine,
    name: str,
    path: Sequence[int],
    cycle: Sequence[int],
    start: State | None,
) -> Trace:
    bound = machine.bound
    decl = next((p for p in bound.properties if p.name == name), None)
    lanes = Lanes(bound)
    explanation, reason, again = None, "", None
    states, steps = _walk(machine, name, path, start)
    if decl is None:
        reason = _built_in(machine, name, states, steps)
    else:
        explanation = explain(bound, decl, _falsified(machine, decl, states, steps))
        if decl.of_runs:
            reason = _asked(machine, decl, states)
            again = _shown(lanes, *_round(machine, decl, states[-1], cycle))
    return Trace(
        bound=bound,
        property=name,
        decl=decl,
        doc=decl.doc if decl else BUILT_IN[name],
        initial=states[0],
        steps=_shown(lanes, states, steps),
        reason=reason,
        explanation=explanation,
        cycle=again,
        outside=bool(steps) and steps[-1].outside,
    )


def _refuse(name: str, where: str, problem: str) -> ReplayError:
    return ReplayError(
        f"the counterexample to {name} is not reproduced by plain Python: {where}, {problem}"
    )


def _walk(
    machine: PlainMachine, name: str, path: Sequence[int], start: State | None = None
) -> tuple[list[State], list[Step]]:
    states: list[State] = [initial_states(machine.bound)[0] if start is None else start]
    steps: list[Step] = []
    for at, number in enumerate(path, start=1):
        step = machine.step(states[-1], number) if len(states) == at else None
        where = f"at step {at} of {len(path)}"
        if step is None:
            raise _refuse(name, where, f"{machine.instances[number]} is not enabled")
        steps.append(step)
        if step.after is not None:
            states.append(step.after)
        elif at < len(path):
            raise _refuse(name, where, f"{machine.instances[number]} breaks {step.broken}")
    return states, steps


def _asked(machine: PlainMachine, decl: PropertyDecl, states: Sequence[State]) -> str:
    """Return since when something is asked for that is missing up to the end, in words.

    Raises:
        ReplayError: it is not, or it is answered.
    """
    if decl.trigger is None:
        return ""
    for at in reversed(range(len(states))):
        if machine.holds(decl, states[at]):
            break
        if machine.is_due(decl, states[at]):
            since = f"after {at} step{'s' if at > 1 else ''}" if at else "from the beginning"
            return f"the trigger is true {since}, and the answer never comes"
    raise _refuse(decl.name, "on the way", "it is not asked for, or it is answered")


def _round(
    machine: PlainMachine, decl: PropertyDecl, start: State, cycle: Sequence[int]
) -> tuple[list[State], list[Step]]:
    """Go round a cycle once, and check that a run may go round for ever with the property false."""
    states, steps = _walk(machine, decl.name, cycle, start)
    if any(machine.holds(decl, state) for state in states):
        raise _refuse(decl.name, "on the cycle", "it holds")
    if any(machine.cut(state) for state in states):
        raise _refuse(decl.name, "on the cycle", "a constraint is false")
    if len(states) <= len(cycle) or states[-1] != start:
        raise _refuse(decl.name, "on the cycle", "it does not lead back to where it began")
    graph = Graph(states, machine.changes, fairness_of(machine.bound))
    unfair = graph.put_off(states, set(cycle))
    if unfair:
        instance = machine.instances[min(unfair)]
        raise _refuse(decl.name, "on the cycle", f"{instance} must happen and never does")
    return states, steps


def _built_in(machine: PlainMachine, name: str, states: list[State], steps: list[Step]) -> str:
    """Check that a built-in property is false at the end; return what failed."""
    if name == DEADLOCK:
        if not machine.stuck(states[-1]):
            raise _refuse(name, "in the last state", "some action is enabled, or it is cut")
        return "no action is enabled in the last state"
    last = steps[-1] if steps else None
    if last is None or last.broken != name:
        raise _refuse(name, "at the last step", "nothing fails")
    return last.why


def _falsified(
    machine: PlainMachine, decl: PropertyDecl, states: list[State], steps: list[Step]
) -> Environment:
    """Check that a property is false at the end; return what its parameters stand for there."""
    if not decl.of_steps:
        if machine.holds(decl, states[-1]):
            raise _refuse(decl.name, "in the last state", "it holds")
        return {decl.roots[0]: states[-1]}
    if not steps or steps[-1].after is None:
        raise _refuse(decl.name, "at the end", "there is no step that it could be asked of")
    last = steps[-1]
    results = machine.holds_on_step(decl, states[-2], last)
    if all(results):
        raise _refuse(decl.name, "at the last step", "it holds")
    env: dict[str, Any] = dict(zip(decl.roots, states[-2:], strict=True))
    env |= {p.name: last.arguments()[p.name] for p in decl.asked}
    if decl.event is not None:
        env[decl.event.name] = to_data(last.heard_by(decl)[results.index(False)])
    return env


def _shown(lanes: Lanes, states: list[State], steps: list[Step]) -> tuple[TraceStep, ...]:
    return tuple(
        shown_step(lanes, before, step) for before, step in zip(states, steps, strict=False)
    )


def shown_step(lanes: Lanes, before: State, step: Step) -> TraceStep:
    """Return a step as it is shown: who did what, and what is different."""
    return TraceStep(
        number=step.number,
        instance=step.instance,
        home=lanes.home(step.instance),
        after=step.after,
        events=tuple(map(_event, step.events)),
        changes=changes(lanes, before, step.after) if step.after is not None else (),
    )


def _event(event: Event) -> ShownEvent:
    t = type_of_class(type(event))
    assert isinstance(t, RecordT)
    fields = dataclasses.fields(event)
    return ShownEvent(t, tuple(to_data(getattr(event, f.name)) for f in fields))
