"""What was made is kept: what a design does not touch is not made again.

A design changes a step or two of a system, and all else of it means what it did.  So what was made
of a method, a property or an action is kept for the next design.  It hangs on three things:

* what it is made of: functions, and the directory that places are told relative to; by these it is
  found;
* answers to questions: which class has the helper that is called here, how is this variable
  declared.  They are asked of one object, an `Answering`, and kept beside the result; where each
  would be answered in the same way again, the result is the same;
* the classes that it speaks of, of which no two may have one name.

What fails is not kept, and fails again.  Where too much is kept, what was not asked for the longest
goes first.

What is kept is the process's own.  What was read of a specification can be `recorded` and taken to
another process, which then `keeps` it as if it had made it.  Of other tables, it can be noted what
is `used` for something, and another process can be `given` that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ackproof.lang.classes import note, noting

__all__ = [
    "Answering",
    "Asked",
    "ById",
    "Latest",
    "Recorded",
    "Store",
    "Use",
    "anew",
    "given",
    "keep",
    "kept",
    "made_before",
    "once",
    "recorded",
    "used",
]

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

#: Questions, each with what it is about, and their answers.
Asked = dict[tuple[Callable[..., Any], tuple[Any, ...]], object]


class Answering:
    """A base of what is asked while something is made; it remembers what was asked."""

    def __init__(self) -> None:
        self._asked: list[Asked] = []

    def ask(self, question: Callable[..., T], *about: Any) -> T:
        """Return the answer to a question, which is a function of this object and of `about`."""
        answer = question(self, *about)
        for asked in self._asked:
            asked[question, about] = answer
        return answer

    @contextmanager
    def listening(self) -> Iterator[Asked]:
        """Take note of what is asked, for the length of a `with` block."""
        asked: Asked = {}
        self._asked.append(asked)
        try:
            yield asked
        finally:
            self._asked.pop()

    def asked_before(self, asked: Asked) -> None:
        """Take note of what was asked for something that is used now, where it has been made."""
        for listening in self._asked:
            listening.update(asked)

    def agrees(self, asked: Asked) -> bool:
        """Tell whether each of these questions has the same answer here."""
        same = self.same
        for (ask, about), answer in asked.items():
            now = ask(self, *about)
            if now is not answer and not same(answer, now):
                return False
        return True

    def same(self, one: object, other: object) -> bool:
        """Tell whether two answers are the same."""
        return one is other or one == other


@dataclass(frozen=True, eq=False)
class ById:
    """An object in a key that goes by its identity, though others may be equal to it."""

    of: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ById) and self.of is other.of

    def __hash__(self) -> int:
        return id(self.of)


#: The tables of this process.
_TABLES: list[Latest[Any, Any]] = []


class Latest(Generic[K, T]):
    """A table that forgets what was not asked for the longest.

    Args:
        most: how much it holds.
        weight: how much an entry counts; each counts as one if not given.
    """

    def __init__(self, most: int, weight: Callable[[T], int] | None = None) -> None:
        self._entries: dict[K, T] = {}
        self._most, self._weight, self._held = most, weight or (lambda _: 1), 0
        _TABLES.append(self)

    def get(self, key: K) -> T | None:
        """Return an entry, which thereby is the latest; None if there is none."""
        found = self._entries.pop(key, None)
        if found is not None:
            self._entries[key] = found
        return found

    def items(self) -> tuple[tuple[K, T], ...]:
        """Return all entries with their keys, the latest as the last."""
        return tuple(self._entries.items())

    def add(self, entries: Iterable[tuple[K, T]]) -> None:
        """Enter what has no entry yet."""
        for key, entry in entries:
            if key not in self._entries:
                self.put(key, entry)

    def put(self, key: K, entry: T) -> None:
        """Enter something, in the place of what the key had."""
        before = self._entries.pop(key, None)
        if before is not None:
            self._held -= self._weight(before)
        self._entries[key] = entry
        self._held += self._weight(entry)
        while self._held > self._most and len(self._entries) > 1:
            oldest = next(iter(self._entries))
            self._held -= self._weight(self._entries.pop(oldest))


@contextmanager
def anew() -> Iterator[None]:
    """Have everything made anew in a `with` block, for which nothing is kept that was made before.

    Afterwards what was kept is there again, and no more.
    """
    before = [(table, table._entries, table._held) for table in _TABLES]
    for table in _TABLES:
        table._entries, table._held = {}, 0
    try:
        yield
    finally:
        for table, entries, held in before:
            table._entries, table._held = entries, held


@dataclass(frozen=True)
class _Made:
    """What was made, what was asked for it, and which classes it speaks of."""

    result: Any
    asked: Asked
    noted: tuple[type, ...]


#: How many different answers something is kept for.
_ANSWERS = 16

#: What was made of something, for some answers each; the latest is the first.
Store = Latest[Any, tuple[_Made, ...]]

_READ: Store = Latest(4_000)
_ONCE: Latest[Any, tuple[Any]] = Latest(30_000)

#: What was read of a specification, as both tables have it.
Recorded = tuple[tuple[tuple[Any, tuple[_Made, ...]], ...], tuple[tuple[Any, tuple[Any]], ...]]


def recorded(read: Callable[[], T]) -> tuple[T, Recorded]:
    """Return what `read` returns, with nothing known before, and all that is kept of it."""
    with anew():
        result = read()
        record = _READ.items(), _ONCE.items()
    keep(record)
    return result, record


def keep(record: Recorded) -> None:
    """Keep what was recorded, here or in another process, where nothing else is kept for it."""
    read, made_once = record
    _READ.add(read)
    _ONCE.add(made_once)


#: What was used of a table: the key, and what was made.
Use = tuple[Any, _Made]

_NOTING: list[tuple[Store, list[Use]]] = []


@contextmanager
def used(store: Store) -> Iterator[list[Use]]:
    """Return a list that gets all that is used of a table in a `with` block, or made for it."""
    uses: list[Use] = []
    _NOTING.append((store, uses))
    try:
        yield uses
    finally:
        _NOTING[:] = [other for other in _NOTING if other[1] is not uses]


def given(uses: Iterable[Use], store: Store) -> None:
    """Enter what was used, here or in another process, where nothing else is kept for it."""
    store.add((key, (made,)) for key, made in uses)


def kept(
    of: Answering, key: tuple[Any, ...], make: Callable[[], T], store: Store | None = None
) -> T:
    """Return what `make` makes, which may have been made for another design.

    Args:
        of: whatever `make` asks about the design.
        key: what else it is made of; functions and classes go by their identity.
        make: makes it.
        store: where it is kept; with what is read of specifications if not given.
    """
    where, those = (*key, os.getcwd()), _READ if store is None else store
    one = _found(of, where, those)
    if one is None:
        with of.listening() as asked, noting() as noted:
            result = make()
        one = _Made(result, asked, tuple(noted))
        _first(one, where, those)
    again: T = _used(of, one, where, those)
    return again


def made_before(of: Answering, key: tuple[Any, ...], store: Store) -> Any:
    """Return what `kept` returns, with the same arguments, if that was made before; else None."""
    where = (*key, os.getcwd())
    one = _found(of, where, store)
    return None if one is None else _used(of, one, where, store)


def _found(of: Answering, where: Any, store: Store) -> _Made | None:
    """Return what was made under this key where all that was asked had the answers of now."""
    those = store.get(where) or ()
    one = next((one for one in those if of.agrees(one.asked)), None)
    if one is not None and one is not those[0]:
        _first(one, where, store)
    return one


def _first(one: _Made, where: Any, store: Store) -> None:
    """Make this the latest of what is kept under a key."""
    others = (other for other in store.get(where) or () if other is not one)
    store.put(where, (one, *others)[:_ANSWERS])


def _used(of: Answering, one: _Made, where: Any, store: Store) -> Any:
    """Return what was made, and note for whoever listens what was asked while it was made."""
    of.asked_before(one.asked)
    for cls in one.noted:
        note(cls)
    for noted_store, uses in _NOTING:
        if noted_store is store:
            uses.append((where, one))
    return one.result


def once(work: Callable[..., T], thing: object, *more: Hashable) -> T:
    """Return what `work` makes of an object that never changes; it is asked once for each."""
    where = (work, ById(thing), *more)
    known = _ONCE.get(where)
    if known is None:
        known = (work(thing, *more),)
        _ONCE.put(where, known)
    result: T = known[0]
    return result
