"""Classes: what a class of the specification may look like, so that its text is all there is to it.

Python lets a class change what `==`, `in`, `for` or a name mean.  A specification that did so would
mean something else than its text says to a reader, and to the front end.  So a sort, an enum, a
record, an event and a process are plain: no special methods, no bases but those of the language,
no decorators.  And since values and types are told apart by the names of their classes, no two
classes of one system share a name.
"""

from __future__ import annotations

import ast
import enum
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ackproof.lang.errors import SpecError
from ackproof.lang.ir import Span
from ackproof.lang.process import Process, System
from ackproof.lang.sorts import OrderedSort, OwnedSort, Sort
from ackproof.lang.source import annotation_span, class_ast, class_span, span_at
from ackproof.lang.values import Event, Record

__all__ = ["check_class", "distinct_names", "note", "noting"]

_KNOWN: ContextVar[dict[str, type] | None] = ContextVar("known classes", default=None)
_NOTED: ContextVar[dict[type, None] | None] = ContextVar("classes noted", default=None)
_DESCRIPTORS = (property, staticmethod, classmethod)
_HARMLESS = {"__str__", "__repr__", "__format__"}


@contextmanager
def distinct_names() -> Iterator[None]:
    """Have `note` reject a second class of a name, for the length of a `with` block."""
    token = _KNOWN.set({})
    try:
        yield
    finally:
        _KNOWN.reset(token)


@contextmanager
def noting() -> Iterator[dict[type, None]]:
    """Collect the classes that are noted, for the length of a `with` block."""
    found: dict[type, None] = {}
    token = _NOTED.set(found)
    try:
        yield found
    finally:
        _NOTED.reset(token)


def note(cls: type) -> None:
    """Take note of a class that a system speaks of.

    Raises:
        SpecError: another class has its name, or it is not a plain class.
    """
    noted = _NOTED.get()
    if noted is not None:
        noted[cls] = None
    known = _KNOWN.get()
    if known is None or known.get(cls.__name__) is cls:
        return
    if cls.__name__ in known:
        other = class_span(known[cls.__name__])
        raise SpecError(
            class_span(cls),
            f"two classes are called `{cls.__name__}`: the other one stands at {other.file}, "
            f"line {other.line}",
            "give one of them another name",
        )
    known[cls.__name__] = cls
    check_class(cls)


def check_class(cls: type) -> None:
    """Reject a class that is not plain.

    Raises:
        SpecError: at the part that makes it something else.
    """
    if issubclass(cls, Process):
        _check_process(cls)
    elif issubclass(cls, enum.Enum):
        _check_enum(cls)
    elif issubclass(cls, Record):
        _check_bases(cls, (Record, Event), "a record")
    else:
        _check_bases(cls, (Sort, OrderedSort, OwnedSort), "a sort")
        if issubclass(cls, OwnedSort):
            _check_owned(cls)
    _check_text(cls)


def _check_text(cls: type) -> None:
    file, node = class_ast(cls)
    if node is None:
        return
    if node.decorator_list and not issubclass(cls, enum.Enum):
        raise SpecError(
            span_at(file, node.decorator_list[0]),
            "a decorator on a class is outside the language",
            "leave it out",
        )
    for item in node.body:
        if (
            isinstance(item, ast.FunctionDef)
            and item.name.startswith("__")
            and item.name not in _HARMLESS
        ):
            raise SpecError(
                span_at(file, item),
                f"the special method `{item.name}` would change what {cls.__name__} means",
                "leave it out; write a @helper and call it by its name",
            )


def _check_bases(cls: type, allowed: tuple[type, ...], what: str) -> None:
    names = " or ".join(c.__name__ for c in allowed)
    base = next(c for c in reversed(allowed) if issubclass(cls, c))
    if len(cls.__bases__) != 1 or cls.__bases__[0] not in allowed:
        raise SpecError(
            class_span(cls),
            f"{what} extends {names} and nothing else",
            f"declare class {cls.__name__}({base.__name__}) and repeat what it shares",
        )


def _check_owned(cls: type[OwnedSort[Sort]]) -> None:
    name, owner = cls.__name__, cls.owned_by
    if owner is None or owner in (Sort, OrderedSort, OwnedSort):
        raise SpecError(
            class_span(cls),
            f"nothing says to which sort the owners of {name} belong",
            f"name a sort: class {name}(OwnedSort[SomeSort])",
        )
    if issubclass(owner, OwnedSort):
        raise SpecError(
            class_span(cls),
            f"{name} is owned by {owner.__name__}, which is owned itself",
            f"let {name} be owned by a Sort or an OrderedSort",
        )
    if not cls.numbered:
        raise SpecError(
            class_span(cls),
            f"the elements of {name} are named after their owners, and it has a prefix",
            "leave the prefix out, or give it to the sort of the owners",
        )


def _check_enum(cls: type[enum.Enum]) -> None:
    if issubclass(cls, enum.Flag):
        raise SpecError(
            class_span(cls),
            "a Flag is a set, not one of several members",
            f"declare class {cls.__name__}(Enum), and a Set[{cls.__name__}]",
        )
    distinct = [m.name for m in cls]
    for name in cls.__members__:
        if name not in distinct:
            raise SpecError(
                annotation_span(cls, name),
                f"`{name}` is the same member as `{cls.__members__[name].name}`",
                "give each member a value of its own",
            )


def _check_process(cls: type[Process]) -> None:
    seen: dict[str, type] = {}
    for base in cls.__mro__:
        if base in (Process, System, object):
            continue
        if not issubclass(base, Process):
            raise SpecError(
                class_span(cls),
                f"`{cls.__name__}` inherits from {base.__name__}, which is no process",
                f"declare class {base.__name__}(Process), or use @helper functions of a module",
            )
        if base.__name__ in seen:
            raise SpecError(
                class_span(cls),
                f"`{base.__name__}` extends a class of the same name",
                "give it a name of its own",
            )
        seen[base.__name__] = base
        _check_attributes(base)
        _check_text(base)


def _check_attributes(cls: type[Process]) -> None:
    file, node = class_ast(cls)
    functions = {f.name: f for f in (node.body if node else ()) if isinstance(f, ast.FunctionDef)}
    for name, value in vars(cls).items():
        decorators = functions[name].decorator_list if name in functions else []
        if decorators and not inspect.isfunction(value) and not isinstance(value, _DESCRIPTORS):
            raise SpecError(
                span_at(file, decorators[0]),
                f"the decorator `{ast.unparse(decorators[0])}` is not known to the language",
                "use @action, @fault, @handler, @helper or @on(Event)",
            )
        if isinstance(value, (*_DESCRIPTORS, type)):
            raise SpecError(
                _defined_at(cls, name),
                f"`{name}` is {_kind(value)}, and a process has variables and steps",
                "declare a variable, or a method decorated @helper",
            )


def _kind(value: object) -> str:
    return "a class" if isinstance(value, type) else f"a {type(value).__name__}"


def _defined_at(cls: type, name: str) -> Span:
    """Return where a class defines a name: a method, a class, or else an assignment."""
    file, node = class_ast(cls)
    for item in node.body if node is not None else []:
        if isinstance(item, ast.FunctionDef | ast.ClassDef) and item.name == name:
            return span_at(file, item)
    return annotation_span(cls, name)
