"""Live objects: the specification's own classes, holding one state of a bound program at a time.

A search shows them hundreds of thousands of states, and each differs from the last one shown in a
few variables only.  So a slot, which is one variable of one process, remembers what it was given:
the data, and the Python value made of it.  A value is made once for each data that a variable
ever has; it is put in place only where the object holds another one; and what nobody changed is
not turned back into data.  That is what lets plain Python follow the kernel to instances of some
thousand states.

Sets and sequences change in place, so the object gets a copy; a map belongs to its process and is
filled anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, get_args, get_origin

from ackproof.lang.binding import Bound, Location
from ackproof.lang.data import decoder, from_data, to_data
from ackproof.lang.process import Process, hints_of, keys_of, observers_of, split_marks
from ackproof.lang.sorts import bound as sorts_bound
from ackproof.lang.values import Each, Event, Map, Seq

__all__ = ["Live", "State"]

State = tuple[Any, ...]


class _Slot:
    """One variable of one process: where its value is, and the last one that was put there."""

    __slots__ = ("_decode", "_place", "_values", "data", "home", "name", "process", "value")

    def __init__(self, process: Any, name: str, hint: Any) -> None:
        self.process = process
        self.home: dict[str, Any] = vars(process)
        self.name = name
        self.data: Any = self  # nothing is shown yet
        self.value: Any = self
        self._decode = decoder(hint)
        self._values: dict[Any, Any] = {}
        self._place = _placing(get_origin(split_marks(hint)[0]))

    def put(self, data: Any) -> None:
        """Make the variable have a value, given as data."""
        if data not in self._values:
            self._values[data] = self._decode(data)
        self.data, self.value = data, self._values[data]
        if self.home[self.name] != self.value:
            self._place(self.process, self.name, self.value)

    def get(self) -> Any:
        """Return the value that the variable has, as data."""
        held = self.home[self.name]
        if held is self.value or held == self.value:
            return self.data
        return to_data(held)


def _placing(origin: Any) -> Callable[[Any, str, Any], None]:
    """Return how a value gets to its place, by what kind of value it is."""
    if origin is Map:
        return _fill
    if origin in (set, Seq):
        return lambda process, name, value: setattr(process, name, copy(value))
    return setattr


def _fill(process: Any, name: str, value: dict[Any, Any]) -> None:
    entries: Any = getattr(process, name)
    entries.clear()
    for key, item in value.items():
        entries[key] = item


class Live:
    """One system of live objects that states are shown to, and read from."""

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.events: list[Event] = []
        with sorts_bound(bound.sizes):
            self.root = self._build(bound.model.system, (), ())
        self._shown: State | None = None
        self._slots = [self._slot(loc) for loc in bound.locations]
        self._observers = observers_of(self.root)

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        for kind, observe in self._observers:
            if isinstance(event, kind):
                observe(event)

    def _build(
        self, declared: type[Process], path: tuple[str, ...], members: tuple[tuple[Any, Any], ...]
    ) -> Process:
        cls = self.bound.program.players.get(declared.__name__, declared)
        process: Process = cls(emit=self._emit, ghosts=True)
        hints = hints_of(cls)
        keys = tuple(e for _, e in members)
        for key, sort in keys_of(cls).items():
            setattr(process, key, next(from_data(e, s) for s, e in reversed(members) if s is sort))
        for v in self.bound.program.variables:
            if v.const and v.path[:-1] == path:
                value = self.bound.constants[v.name, keys]
                setattr(process, v.path[-1], from_data(value, hints[v.path[-1]]))
        for part, hint in hints.items():
            inner, _ = split_marks(hint)
            if isinstance(inner, type) and issubclass(inner, Process):
                setattr(process, part, self._build(inner, (*path, part), members))
            elif get_origin(inner) is Each:
                sort, member = get_args(inner)
                family = {
                    from_data(e, sort): self._build(member, (*path, part), (*members, (sort, e)))
                    for e in self.bound.elements[sort.__name__]
                }
                setattr(process, part, Each(family))
        return process

    def process_at(self, path: tuple[str, ...], keys: Iterator[Any]) -> Any:
        """Return the process that a path leads to, taking family members from `keys`."""
        found: Any = self.root
        for name in path:
            hint = hints_of(found.__class__)[name]
            found = getattr(found, name)
            if isinstance(found, Each):
                sort, _ = get_args(split_marks(hint)[0])
                found = found[from_data(next(keys), sort)]
        return found

    def _slot(self, loc: Location) -> _Slot:
        process: Any = self.process_at(loc.variable.path[:-1], iter(loc.elements))
        name = loc.variable.path[-1]
        return _Slot(process, name, hints_of(process.__class__)[name])

    def show(self, state: State) -> None:
        """Make the objects hold a state.  Until `change` is called they must not be changed."""
        if self._shown is not state:
            for slot, data in zip(self._slots, state, strict=False):
                held = slot.home[slot.name]
                if data is not slot.data or (held is not slot.value and held != slot.value):
                    slot.put(data)
            self._shown = state

    def change(self, state: State) -> None:
        """Make the objects hold a state, ready for a step."""
        self.show(state)
        self._shown = None
        self.events.clear()

    def read(self) -> State:
        """Return what the objects hold."""
        return tuple([slot.get() for slot in self._slots])

    def shows(self, state: State) -> None:
        """Be told which state they hold now: what `read` returned, perhaps with budgets."""
        self._shown = state
