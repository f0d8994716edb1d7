"""What was read is kept: what a design does not touch is not read again.

A design changes a step or two of a system, and all else of it means what it did.  So what was made
of a method, a property or an action is kept for the next design.  It hangs on three things:

* the function itself, and the directory that places are told relative to; by these it is found;
* answers to questions: which class has the helper that is called here, how is this variable
  declared.  They are asked of one object, an `Answering`, and kept beside the result; where each
  would be answered in the same way again, the result is the same;
* the classes that it speaks of, of which no two may have one name.

What fails is not kept, and fails again.  Where too much is kept, what was not asked for the longest
goes first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from ackproof.lang.classes import note, noting

__all__ = ["Answering", "ById", "kept", "once"]

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

    def agrees(self, asked: Asked) -> bool:
        """Tell whether each of these questions has the same answer here."""
        return all(self.same(answer, ask(self, *about)) for (ask, about), answer in asked.items())

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


@dataclass(frozen=True)
class _Made:
    """What was made, what was asked for it, and which classes it speaks of."""

    result: Any
    asked: Asked
    noted: tuple[type, ...]


#: What was made, by what it was made of; the latest is the last.
_KEPT: dict[Hashable, tuple[_Made, ...]] = {}

#: What was made of an object alone.
_ONCE: dict[Hashable, Any] = {}

#: How many are kept, and how many with different answers for each.
_MOST = 4_000
_ANSWERS = 4


def kept(of: Answering, key: tuple[Any, ...], make: Callable[[], T]) -> T:
    """Return what `make` makes, which may have been made for another design.

    Args:
        of: whatever `make` asks about the design.
        key: what else it is made of; functions and classes go by their identity.
        make: makes it.
    """
    where = (*key, os.getcwd())
    known = _KEPT.pop(where, ())
    for one in known:
        if of.agrees(one.asked):
            break
    else:
        with of.listening() as asked, noting() as noted:
            one = _Made(make(), asked, ())
        one = _Made(one.result, asked, tuple(noted))
    _KEPT[where] = (one, *(other for other in known if other is not one))[:_ANSWERS]
    _forget(_KEPT)
    for cls in one.noted:
        note(cls)
    result: T = one.result
    return result


def once(work: Callable[..., T], thing: object, *more: Hashable) -> T:
    """Return what `work` makes of an object that never changes; it is asked once for each."""
    where = (work, ById(thing), *more)
    if where in _ONCE:
        result: T = _ONCE.pop(where)
    else:
        result = work(thing, *more)
    _ONCE[where] = result
    _forget(_ONCE)
    return result


def _forget(those: dict[Hashable, Any]) -> None:
    while len(those) > _MOST:
        del those[next(iter(those))]
