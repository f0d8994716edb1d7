"""Walking through the state of a system: which messages it speaks of, and how to forget them.

A type says where elements of a sort are: in `Map[Queue, Set[Msg]]` the elements of the sets are
messages, and the keys are queues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, get_args, get_type_hints

from ackproof.lang import Each, Map, Process, Record
from ackproof.lang.process import hints_of, split_marks
from ackproof.lang.values import CONST, GHOST, KEY
from ackproof.model.native.families import GrowingFamily, growing

__all__ = ["families", "forget", "variables", "within"]


def variables(process: Process, *, ghosts: bool = False) -> Iterator[tuple[Process, str, Any]]:
    """Yield the variables of a process and its parts: whose each is, its name, and its type.

    Args:
        process: the one to walk through.
        ghosts: with those that only properties read.
    """
    cls: Any = type(process)
    for name, declared in hints_of(cls).items():
        hint, marks = split_marks(declared)
        part = getattr(process, name)
        if isinstance(part, Process):
            yield from variables(part, ghosts=ghosts)
        elif isinstance(part, Each):
            for member in list(part.values()):
                yield from variables(member, ghosts=ghosts)
        elif not marks & {CONST, KEY} and (ghosts or GHOST not in marks):
            yield process, name, hint


def families(process: Process) -> Iterator[tuple[GrowingFamily[Any, Any], Any]]:
    """Yield the families of a process and its parts, each with the sort of its elements."""
    cls: Any = type(process)
    for name, declared in hints_of(cls).items():
        part = getattr(process, name)
        if isinstance(part, Process):
            yield from families(part)
        elif isinstance(part, Each):
            yield growing(part), get_args(split_marks(declared)[0])[0]
            for member in list(part.values()):
                yield from families(member)


def within(value: Any, hint: Any, sort: Any) -> Iterator[Any]:
    """Yield the elements of a sort in a value of a type."""
    if hint is sort:
        if value is not None:
            yield value
    elif isinstance(value, Mapping):
        key, item = get_args(hint)
        for k, v in value.items():
            yield from within(k, key, sort)
            yield from within(v, item, sort)
    elif isinstance(value, set | list | frozenset):
        (item,) = get_args(hint)
        for one in value:
            yield from within(one, item, sort)
    elif isinstance(value, Record):
        cls: Any = type(value)
        for field in fields(cls):
            of = _record_hints(cls)[field.name]
            yield from within(getattr(value, field.name), of, sort)
    elif value is not None:
        for option in get_args(hint):
            yield from within(value, option, sort)


def forget(value: Any, hint: Any, gone: Callable[[Any, Any], bool]) -> None:
    """Take elements out of the sets and maps in a value of a type.

    Args:
        value: is changed.
        hint: its type.
        gone: tells of an element and its sort whether it goes.
    """
    if isinstance(value, Map):
        key, item = get_args(hint)
        for k, v in list(value.items()):
            if gone(key, k):
                dict.pop(value, k)
            else:
                forget(v, item, gone)
    elif isinstance(value, set):
        (item,) = get_args(hint)
        value -= {one for one in value if gone(item, one)}


@cache
def _record_hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)
