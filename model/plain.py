"""The plain engine: the specification's own classes, run by CPython.

This is the meaning of a specification, and the other engines are compared with it.  A state is
shown to live objects, the method of an action is called on them, and what they then hold is the
successor.  `NotEnabled` means that the step does not exist; an `AssertionError`, the `min` of
an empty set or a bounded integer out of range mean that it breaks a built-in property.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, get_type_hints

from ackproof.lang.binding import ActionInstance, Bound, Location
from ackproof.lang.data import decoder, in_range
from ackproof.lang.process import NotEnabled
from ackproof.lang.program import PropertyDecl
from ackproof.lang.properties import ASSERTION, DEFINED
from ackproof.lang.sorts import bound as sorts_bound
from ackproof.lang.types import IntT
from ackproof.lang.values import Event
from ackproof.model.live import Live, State

__all__ = ["PlainMachine", "State", "Step"]

#: The method of an action; its arguments as data, and how to make them Python values.
_Call = tuple[Callable[..., None], dict[str, tuple[Any, Callable[[Any], Any]]]]

#: Where a step leads that fails an assertion, or is not defined; no state is empty.
FAILED: State = ()


@dataclass(frozen=True)
class Step:
    """One enabled step: its successor and events, or the built-in property it breaks, and why."""

    number: int
    instance: ActionInstance
    after: State | None
    events: tuple[Event, ...]
    broken: str | None = None
    why: str = ""
    outside: bool = False

    def leads_from(self, state: State) -> State | None:
        """Return where it leads from a state, if elsewhere; what fails leads to `FAILED`."""
        if self.after is None:
            return FAILED
        return None if self.after == state else self.after

    def arguments(self) -> dict[str, Any]:
        """Return what the action was asked for with, as data, by name."""
        names = (p.name for p in self.instance.action.params)
        return dict(zip(names, self.instance.args, strict=True))

    def heard_by(self, prop: PropertyDecl) -> tuple[Event | None, ...]:
        """Return the events that a property is asked of; None stands for the step itself."""
        if prop.event is None:
            return (None,)
        kind = repr(prop.event.type)
        return tuple(e for e in self.events if type(e).__name__ == kind)


class PlainMachine:
    """A bound program as a transition system over states as data.

    Use it inside `with machine:`, which gives the sorts their sizes.
    """

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self._before = Live(bound)
        self._after = Live(bound)
        self._budget_names = list(bound.budgets)
        self._types = [loc.variable.type for loc in bound.locations]
        # A search takes all of them, and a replay a few.
        self._calls: dict[int, _Call] = {}
        functions = {p.name: p.function for p in bound.model.properties}
        stated = (*bound.properties, *bound.constraints, *bound.initially)
        # A property that somebody else has added has no function, and is not asked here.
        self._functions = {p.name: functions[p.function] for p in stated if p.function in functions}
        self._elements = {p.name: self._elements_of(p) for p in stated}
        self._judged: tuple[State, bool] | None = None

    @cached_property
    def instances(self) -> tuple[ActionInstance, ...]:
        """All action instances, by number; there may be very many."""
        return self.bound.instances()

    def __enter__(self) -> PlainMachine:
        self._sorts = sorts_bound(self.bound.sizes)
        self._sorts.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._sorts.__exit__(None, None, None)

    def _call(self, number: int) -> _Call:
        """Return the bound method and the arguments of an action instance, from now on at hand."""
        instance = self.instances[number]
        action = instance.action
        named = dict(zip((p.name for p in action.params), instance.args, strict=True))
        values = iter(instance.args)
        process = self._after.process_at(action.path, values)
        method = getattr(process, action.method)
        hints = get_type_hints(method, include_extras=True)
        own = list(inspect.signature(method).parameters)
        mine = list(named.values())[len(named) - len(own) :]
        call = method, {n: (v, decoder(hints[n])) for n, v in zip(own, mine, strict=True)}
        self._calls[number] = call
        return call

    def initial(self) -> State:
        """Return the initial state of a system that has only one."""
        return self.bound.initial()

    def step(self, state: State, number: int) -> Step | None:
        """Take one action instance, or return None if it is not enabled, or the state is cut."""
        if self.bound.constraints and self.cut(state):
            return None
        instance = self.instances[number]
        budgets = list(state[len(self._types) :])
        if instance.action.name in self._budget_names:
            left = self._budget_names.index(instance.action.name)
            if budgets[left] == 0:
                return None
            budgets[left] -= 1
        self._after.change(state)
        method, args = self._calls.get(number) or self._call(number)
        try:
            method(**{n: decode(v) for n, (v, decode) in args.items()})
        except NotEnabled:
            return None
        except AssertionError as error:
            return Step(number, instance, None, (), ASSERTION, _where(error))
        except (ValueError, IndexError) as error:
            return Step(number, instance, None, (), DEFINED, _where(error))
        after = (*self._after.read(), *budgets)
        self._after.shows(after)
        for loc, t, old, value in zip(
            self.bound.locations, self._types, state, after, strict=False
        ):
            if value is not old and not in_range(value, t):
                return Step(number, instance, None, (), DEFINED, _outside(loc, value), outside=True)
        return Step(number, instance, after, tuple(self._after.events))

    def steps(self, state: State) -> Iterator[Step]:
        """Yield every enabled step of a state, in the order of action instances.

        Of a state that is cut there is none.
        """
        for number in range(len(self.instances)):
            found = self.step(state, number)
            if found is not None:
                yield found

    def changes(self, state: State) -> Iterator[tuple[int, State]]:
        """Yield the steps that change a state: the action instance, and the successor.

        One that fails leads to `FAILED`, which is no state: a run cannot go on from there.
        """
        for step in self.steps(state):
            elsewhere = step.leads_from(state)
            if elsewhere is not None:
                yield step.number, elsewhere

    def cut(self, state: State) -> bool:
        """Tell whether a constraint is false in a state, so that no step is taken from it."""
        if self._judged is None or self._judged[0] is not state:
            within = all(self.holds(p, state) for p in self.bound.constraints)
            self._judged = state, not within
        return self._judged[1]

    def beyond(self, state: State) -> list[str]:
        """Return the names of the constraints that are false in a state."""
        return [p.name for p in self.bound.constraints if not self.holds(p, state)]

    def stuck(self, state: State) -> bool:
        """Tell whether no action is enabled in a state, which is not cut."""
        return not self.cut(state) and not any(True for _ in self.steps(state))

    def holds(self, prop: PropertyDecl, state: State) -> bool:
        """Evaluate a property of states; of what leads to something, whether that is true."""
        return self._answers(prop, state)[-1]

    def is_due(self, prop: PropertyDecl, state: State) -> bool:
        """Tell whether what a property of runs wants is missing in a state, and asked for there."""
        answers = self._answers(prop, state)
        return not answers[-1] and (prop.trigger is None or answers[0])

    def _answers(self, prop: PropertyDecl, state: State) -> tuple[bool, ...]:
        self._after.show(state)
        found = self._functions[prop.name](self._after.root, *self._elements[prop.name])
        return tuple(map(bool, found)) if prop.trigger is not None else (bool(found),)

    def false_in(self, state: State) -> list[str]:
        """Return the names of the claims about states that are false in one."""
        return [
            p.name
            for p in self.bound.properties
            if p.kind == "invariant" and not self.holds(p, state)
        ]

    def false_by(self, before: State, step: Step) -> list[str]:
        """Return the names of the claims about steps that are false of one."""
        return [
            p.name
            for p in self.bound.properties
            if p.kind == "step" and not all(self.holds_on_step(p, before, step))
        ]

    def _elements_of(self, prop: PropertyDecl) -> tuple[Any, ...]:
        """Return the elements that a property is about, as its function takes them."""
        if not prop.args:
            return ()
        function = self._functions[prop.name]
        hints = _hints_of(function)
        names = list(inspect.signature(function).parameters)[len(prop.roots) :]
        return tuple(decoder(hints[n])(arg) for n, arg in zip(names, prop.args, strict=True))

    def holds_on_step(self, prop: PropertyDecl, before: State, step: Step) -> list[bool]:
        """Evaluate a property of steps: once for each event that it asks about, or once.

        It says nothing of a step of another action than those that it is about.
        """
        if prop.of and step.instance.action.name not in prop.of:
            return []
        events = [() if prop.event is None else (e,) for e in step.heard_by(prop)]
        if not events:
            return []
        assert step.after is not None
        self._before.show(before)
        self._after.show(step.after)
        function = self._functions[prop.name]
        asked = self._asked_for(prop, step) if prop.asked else []
        return [bool(function(self._before.root, self._after.root, *e, *asked)) for e in events]

    def _asked_for(self, prop: PropertyDecl, step: Step) -> list[Any]:
        """Return the arguments of a step that a property of its action takes."""
        hints, arguments = _hints_of(self._functions[prop.name]), step.arguments()
        return [decoder(hints[p.name])(arguments[p.name]) for p in prop.asked]


@cache
def _hints_of(function: Any) -> dict[str, Any]:
    return get_type_hints(function, include_extras=True)


def _outside(loc: Location, value: object) -> str:
    """Say that a value is outside the range of its variable."""
    t = loc.variable.type
    allowed = f"{t.lo}..{t.hi}" if isinstance(t, IntT) else repr(t)
    return f"{loc.name} would be {value}, outside {allowed}"


def _where(error: Exception) -> str:
    """Return the line of the specification at which a step failed."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}: {last.line}"
