"""Processes: classes whose annotations are the state and whose methods are the steps.

    class Channel(Process):
        next_seq: Option[Msg] = Msg.first()
        confirmed: Set[Msg]

        @handler
        def settle(self, msg: Msg) -> None:
            require(msg in self.unconfirmed)
            ...

An *action* is a step that may happen by itself; a *fault* is an action that an instance has to
allow, and allows a stated number of times; a *handler* is a step that somebody else causes: it
runs inside the action that calls it.  An *observer* (`@on(Ack)`) runs when an event is emitted.
A *helper* is a pure function.  All of them are ordinary methods, and the decorators only leave a
mark, so running a specification natively costs what its Python costs.

A variable starts with the value given in its declaration, and otherwise empty, False, the lowest
integer, the first member or element, or None.  With `= anything()` each of its values is one to
start with, and an `@initially` function says which of them together; a program that makes a process
gets the first.  A constant is set by the class, by a design, by an
instance, or by the program that creates the process: `Queue(durable=False)`.
"""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints, overload

from ackproof.lang.sorts import OrderedSort, Sort
from ackproof.lang.values import (
    ANYTHING,
    CONST,
    GHOST,
    KEY,
    Each,
    Event,
    Map,
    NullMap,
    NullSet,
    Range,
    Record,
    Seq,
)

__all__ = [
    "Mark",
    "NotEnabled",
    "Process",
    "System",
    "action",
    "fault",
    "handler",
    "helper",
    "keys_of",
    "mark_of",
    "observers_of",
    "on",
    "require",
]

F = TypeVar("F", bound=Callable[..., Any])


class NotEnabled(Exception):
    """A step was asked for in a state where its `require` does not hold."""


def require(condition: object) -> None:
    """State when a step is enabled.

    Raises:
        NotEnabled: the condition does not hold; nothing has been changed.
    """
    if not condition:
        raise NotEnabled


@dataclass(frozen=True)
class Mark:
    """What a method is to the specification."""

    kind: str
    fair: str | None = None
    event: type[Event] | None = None


def mark_of(function: Any) -> Mark | None:
    """Return the mark that a decorator left, or None."""
    found: Mark | None = getattr(function, "__ackproof__", None)
    return found


def _marked(function: F, mark: Mark) -> F:
    function.__ackproof__ = mark  # type: ignore[attr-defined]
    return function


@overload
def action(function: F) -> F: ...
@overload
def action(*, fair: str) -> Callable[[F], F]: ...
def action(function: F | None = None, *, fair: str | None = None) -> F | Callable[[F], F]:
    """Mark a step that may happen by itself; `fair` is "weak" or "strong"."""
    if fair not in (None, "weak", "strong"):
        raise ValueError(f'fair={fair!r} is not a fairness; write fair="weak" or fair="strong"')
    if function is not None:
        return _marked(function, Mark("action"))
    return lambda f: _marked(f, Mark("action", fair=fair))


def fault(function: F) -> F:
    """Mark a step that happens at most as often as the instance allows."""
    return _marked(function, Mark("fault"))


def handler(function: F) -> F:
    """Mark a step that another process causes."""
    return _marked(function, Mark("handler"))


def helper(function: F) -> F:
    """Mark a pure function, inlined where it is called."""
    return _marked(function, Mark("helper"))


def on(event: type[Event]) -> Callable[[F], F]:
    """Mark a step that runs whenever an event of this class is emitted."""
    return lambda f: _marked(f, Mark("observer", event=event))


def observers_of(process: Any) -> list[tuple[type[Event], Callable[[Any], None]]]:
    """Return the observers of a process: the class of events, and what is called with one."""
    return [
        (mark.event, getattr(process, name))
        for name in dir(type(process))
        if (mark := mark_of(getattr(type(process), name))) and mark.event is not None
    ]


class Process:
    """A machine: state declared by annotations, steps by decorated methods.

    Args:
        emit: called with every event; by default events go nowhere.
        ghosts: keep ghost state; off, ghost sets and maps stay empty and cost nothing.
        constants: values for variables declared `Const[...]`, and elements for those declared
            `Key[...]`, which reach the parts of the process too.

    Raises:
        TypeError: a constant is given that is not declared.
    """

    def __init_subclass__(cls) -> None:
        """Let a method that overrides a step without a decorator be that step."""
        for name, function in vars(cls).items():
            if inspect.isfunction(function) and mark_of(function) is None:
                overridden = getattr(super(cls, cls), name, None)
                mark = mark_of(overridden)
                if mark is not None:
                    _marked(function, mark)

    def __init__(
        self,
        *,
        emit: Callable[[Event], None] | None = None,
        ghosts: bool = False,
        **constants: Any,
    ) -> None:
        if emit is not None:
            self.emit = emit  # type: ignore[method-assign, assignment]
        for name, build in _builders(type(self)).items():
            setattr(self, name, build(emit, ghosts))
        cls: type = type(self)
        for name, value in constants.items():
            if name not in constants_of(cls):
                raise TypeError(f"{type(self).__name__} declares no constant {name!r}")
            setattr(self, name, value)
            if name in keys_of(cls):
                _give_parts_key(self, keys_of(cls)[name], value)

    def emit(self, event: Event) -> None:
        """Show an event on the wire."""


class System(Process):
    """The process that holds all others: what an instance is an instance of."""


def _give_parts_key(process: Process, sort: Any, element: Any) -> None:
    """Give the parts of a member of a family, and theirs, the element that it is the member of."""
    for part in vars(process).values():
        if isinstance(part, Process):
            cls: Any = type(part)
            for name, of in keys_of(cls).items():
                if of is sort:
                    setattr(part, name, element)
            _give_parts_key(part, sort, element)


_Build = Callable[[Any, bool], Any]
_BUILDERS: dict[type, dict[str, _Build]] = {}


@cache
def hints_of(cls: Any) -> Mapping[str, Any]:
    """Return the declared variables of a process class, bases first."""
    hints: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, Process):
            resolved = get_type_hints(base, include_extras=True)
            hints.update({name: resolved[name] for name in inspect.get_annotations(base)})
    return MappingProxyType(hints)


def split_marks(hint: Any) -> tuple[Any, set[Any]]:
    """Separate `Ghost`, `Const` and bounds from the type they decorate."""
    if get_origin(hint) is not Annotated:
        return hint, set()
    inner, *marks = get_args(hint)
    return inner, set(marks)


@cache
def constants_of(cls: type) -> frozenset[str]:
    """Return the names declared `Const[...]` or `Key[...]`."""
    fixed = {CONST, KEY}
    return frozenset(n for n, hint in hints_of(cls).items() if fixed & split_marks(hint)[1])


@cache
def keys_of(cls: Any) -> Mapping[str, Any]:
    """Return the sorts of what is declared `Key[...]`, by name."""
    found = {name: split_marks(hint) for name, hint in hints_of(cls).items()}
    return MappingProxyType({name: sort for name, (sort, marks) in found.items() if KEY in marks})


def _builders(cls: type) -> dict[str, _Build]:
    if cls not in _BUILDERS:
        _BUILDERS[cls] = {
            name: _builder(cls, name, *split_marks(hint))
            for name, hint in hints_of(cls).items()
            if not (CONST in split_marks(hint)[1] and hasattr(cls, name))
        }
    return _BUILDERS[cls]


def _builder(cls: type, name: str, hint: Any, marks: set[Any]) -> _Build:
    if isinstance(hint, type) and issubclass(hint, Process):
        return lambda emit, ghosts: hint(emit=emit, ghosts=ghosts)
    origin, args = get_origin(hint), get_args(hint)
    if origin is Each:
        return lambda emit, ghosts: Each()
    ghost = GHOST in marks
    if origin is set:
        return lambda _, ghosts: set() if ghosts or not ghost else NullSet()
    if origin is Map:
        if _is_named(args[1]):  # the size of its sort says what the first one is called
            return lambda _, ghosts: _map(default_of(args[1], set()), ghosts or not ghost)
        default = default_of(args[1], set())
        return lambda _, ghosts: _map(default, ghosts or not ghost)
    if origin is Seq:
        return lambda _, __: Seq()
    if getattr(cls, name, ANYTHING) is not ANYTHING:
        value = getattr(cls, name)
    elif {CONST, KEY} & marks and isinstance(hint, type) and issubclass(hint, Sort):
        value = None  # an instance, or the program, has to say which element
    elif hasattr(cls, name) and isinstance(hint, type) and issubclass(hint, Sort | Record):
        value = _first_if_any(hint)
    else:
        value = default_of(hint, marks)
    return lambda _, __: value


def _map(default: Any, kept: bool) -> Map[Any, Any]:
    return Map(default) if kept else NullMap(default)


def _is_named(hint: Any) -> bool:
    """Tell whether elements are in values of a type that an instance gives names."""
    hint, _ = split_marks(hint)
    if not isinstance(hint, type):
        return any(_is_named(inner) for inner in get_args(hint) if inner is not type(None))
    if issubclass(hint, Record):
        return any(map(_is_named, get_type_hints(hint, include_extras=True).values()))
    return issubclass(hint, OrderedSort) and not hint.numbered


def _first_if_any(hint: Any) -> Any:
    """Return the first value of what may start with anything; None where nothing comes first."""
    try:
        return default_of(hint, set())
    except TypeError:
        return None


def default_of(hint: Any, marks: set[Any]) -> Any:
    """Return what a variable of this type starts with; for sets and maps, how to build it."""
    hint, more = split_marks(hint)
    origin = get_origin(hint)
    if origin is set:
        return set
    if origin is Map:
        inner = default_of(get_args(hint)[1], set())
        return lambda: Map(inner)
    if hint is bool:
        return False
    if hint is int:
        bounds = [m for m in marks | more if isinstance(m, Range)]
        return bounds[0].lo if bounds else 0
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return next(iter(hint))
    if isinstance(hint, type) and issubclass(hint, OrderedSort):
        return hint.first()
    if isinstance(hint, type) and issubclass(hint, Sort):
        raise TypeError(f"a variable of sort {hint.__name__} needs a first value, or Option[…]")
    if isinstance(hint, type) and issubclass(hint, Record):
        fields = get_type_hints(hint, include_extras=True)
        return hint(**{name: default_of(inner, set()) for name, inner in fields.items()})
    return None
