"""The plain engine: the specification's own classes, run by CPython.

This is the meaning of a specification, and the other engines are compared with it.  A state is
loaded into live objects, the method of an action is called on them, and what they then hold is
the successor.  `NotEnabled` means that the step does not exist; an `AssertionError`, the `min` of
an empty set or a bounded integer out of range mean that it breaks a built-in property.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from ackproof.spec.lang.binding import ActionInstance, Bound, Location
from ackproof.spec.lang.data import from_data, in_range, to_data
from ackproof.spec.lang.process import NotEnabled, Process, hints_of, mark_of, split_marks
from ackproof.spec.lang.program import PropertyDecl
from ackproof.spec.lang.properties import ASSERTION, DEFINED
from ackproof.spec.lang.sorts import bound as sorts_bound
from ackproof.spec.lang.types import IntT
from ackproof.spec.lang.values import Each, Event, Map

__all__ = ["PlainMachine", "State", "Step"]

State = tuple[Any, ...]

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


class _Live:
    """One system of live objects that states are loaded into and read from."""

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.events: list[Event] = []
        self.root = self._build(bound.program.root, (), ())
        self.slots = [self._slot(loc) for loc in bound.locations]
        self.observers = [
            (mark.event, getattr(self.root, name))
            for name in dir(type(self.root))
            if (mark := mark_of(getattr(type(self.root), name))) and mark.event is not None
        ]

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        for kind, observe in self.observers:
            if isinstance(event, kind):
                observe(event)

    def _build(self, name: str, path: tuple[str, ...], keys: tuple[Any, ...]) -> Process:
        cls = self.bound.program.players[name]
        process: Process = cls(emit=self._emit, ghosts=True)
        hints = hints_of(cls)
        for v in self.bound.program.variables:
            if v.const and v.path[:-1] == path:
                value = self.bound.constants[v.name, keys]
                setattr(process, v.path[-1], from_data(value, hints[v.path[-1]]))
        for part, hint in hints.items():
            inner, _ = split_marks(hint)
            if isinstance(inner, type) and issubclass(inner, Process):
                setattr(process, part, self._build(inner.__name__, (*path, part), keys))
            elif get_origin(inner) is Each:
                sort, member = get_args(inner)
                family = {
                    e: self._build(member.__name__, (*path, part), (*keys, e))
                    for e in self.bound.elements[sort.__name__]
                }
                setattr(process, part, Each(family))
        return process

    def process_at(self, path: tuple[str, ...], keys: Iterator[Any]) -> Any:
        """Return the process that a path leads to, taking family members from `keys`."""
        found: Any = self.root
        for name in path:
            found = getattr(found, name)
            if isinstance(found, Each):
                found = found[next(keys)]
        return found

    def _slot(self, loc: Location) -> tuple[Any, str, Any]:
        process: Any = self.process_at(loc.variable.path[:-1], iter(loc.elements))
        name = loc.variable.path[-1]
        return process, name, hints_of(process.__class__)[name]

    def load(self, state: State) -> None:
        """Make the objects hold a state."""
        for (process, name, hint), value in zip(self.slots, state, strict=False):
            if get_origin(split_marks(hint)[0]) is Map:
                entries: Any = getattr(process, name)
                entries.clear()
                for key, item in from_data(value, hint).items():
                    entries[key] = item
            else:
                setattr(process, name, from_data(value, hint))
        self.events.clear()

    def read(self) -> State:
        """Return what the objects hold."""
        return tuple(to_data(getattr(process, name)) for process, name, _ in self.slots)


class PlainMachine:
    """A bound program as a transition system over states as data.

    Use it inside `with machine:`, which gives the sorts their sizes.
    """

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.instances = bound.instances()
        self._before = _Live(bound)
        self._after = _Live(bound)
        self._budget_names = list(bound.budgets)
        self._types = [loc.variable.type for loc in bound.locations]
        self._calls = [self._call(i) for i in self.instances]
        self._functions = {p.name: p.function for p in bound.model.properties}

    def __enter__(self) -> PlainMachine:
        self._sorts = sorts_bound(self.bound.sizes)
        self._sorts.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._sorts.__exit__(None, None, None)

    def _call(self, instance: ActionInstance) -> tuple[Callable[..., None], dict[str, Any]]:
        """Return the bound method and the arguments of an action instance."""
        action = instance.action
        named = dict(zip((p.name for p in action.params), instance.args, strict=True))
        values = iter(instance.args)
        process = self._after.process_at(action.path, values)
        method = getattr(process, action.method)
        hints = get_type_hints(method, include_extras=True)
        own = list(inspect.signature(method).parameters)
        mine = list(named.values())[len(named) - len(own) :]
        return method, {n: (v, hints[n]) for n, v in zip(own, mine, strict=True)}

    def initial(self) -> State:
        """Return the initial state."""
        return self.bound.initial()

    def step(self, state: State, number: int) -> Step | None:
        """Take one action instance, or return None if it is not enabled."""
        instance = self.instances[number]
        budgets = list(state[len(self._types) :])
        if instance.action.name in self._budget_names:
            left = self._budget_names.index(instance.action.name)
            if budgets[left] == 0:
                return None
            budgets[left] -= 1
        self._after.load(state)
        method, args = self._calls[number]
        try:
            method(**{n: from_data(v, hint) for n, (v, hint) in args.items()})
        except NotEnabled:
            return None
        except AssertionError as error:
            return Step(number, instance, None, (), ASSERTION, _where(error))
        except (ValueError, IndexError) as error:
            return Step(number, instance, None, (), DEFINED, _where(error))
        after = self._after.read()
        for loc, value in zip(self.bound.locations, after, strict=True):
            if not in_range(value, loc.variable.type):
                return Step(number, instance, None, (), DEFINED, _outside(loc, value))
        return Step(number, instance, (*after, *budgets), tuple(self._after.events))

    def steps(self, state: State) -> Iterator[Step]:
        """Yield every enabled step of a state, in the order of action instances."""
        for number in range(len(self.instances)):
            found = self.step(state, number)
            if found is not None:
                yield found

    def changes(self, state: State) -> Iterator[tuple[int, State]]:
        """Yield the steps that change a state: the action instance, and the successor.

        One that fails leads to `FAILED`, which is no state: a run cannot go on from there.
        """
        for step in self.steps(state):
            if step.after is None:
                yield step.number, FAILED
            elif step.after != state:
                yield step.number, step.after

    def holds(self, prop: PropertyDecl, state: State) -> bool:
        """Evaluate a property of states."""
        self._after.load(state)
        return bool(self._functions[prop.name](self._after.root))

    def holds_on_step(
        self, prop: PropertyDecl, before: State, after: State, events: tuple[Event, ...]
    ) -> list[bool]:
        """Evaluate a property of steps: once for each event it asks about, or once."""
        self._before.load(before)
        self._after.load(after)
        function = self._functions[prop.name]
        if prop.event is None:
            return [bool(function(self._before.root, self._after.root))]
        wanted = prop.event.type
        return [
            bool(function(self._before.root, self._after.root, e))
            for e in events
            if type(e).__name__ == repr(wanted)
        ]


def _outside(loc: Location, value: object) -> str:
    """Say that a value is outside the range of its variable."""
    t = loc.variable.type
    allowed = f"{t.lo}..{t.hi}" if isinstance(t, IntT) else repr(t)
    return f"{loc.name} would be {value}, outside {allowed}"


def _where(error: Exception) -> str:
    """Return the line of the specification at which a step failed."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}: {last.line}"
