"""Rankings: why what must happen in the end does happen.

A property that must come true again and again (`@eventually`) is proved by something that gets
smaller as long as it is false, and cannot get smaller for ever: its *measure*.  It is a list of
sets, the most important first, and each is said by a predicate of their elements:

    @measure()
    def OnItsWay(s: Ferry, guest: Guest) -> bool:
        '''Guests who wait for the ferry.'''
        return guest in s.waiting

The elements of the set are the choices of parameters, beside the state, for which the predicate is
true.  A parameter that the property has, too, is not chosen: it is the one that the property is
about.

Fairness makes some steps happen.  `@helpful` names an action, and says in which states, and for
which arguments, a step of it is waited for:

    @helpful("board")
    def MayBoard(s: Ferry, guest: Guest) -> bool:
        '''A guest waits, and there is room.'''
        return guest in s.waiting and not s.full

Its parameters have the names of those of the action, and there may be others.  A module of lemmas
puts it together, as `RANKINGS = {"EverybodyCrosses": Ranking(("OnItsWay",), ("MayBoard",))}`.  What
has to be shown of it, and why that is enough, is said in `ackproof.proofs.ranking`.

Both name lemmas that they are shown with, as lemmas do: first those that all steps need, then by
action what else that one takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ackproof.lang.properties import Lemma, Property, helped_by

__all__ = ["Helpful", "Ranking", "helpful", "measure"]

F = TypeVar("F", bound=Callable[..., bool])


@dataclass(frozen=True)
class Helpful(Lemma):
    """Where a step of a fair action is waited for.

    Attributes:
        action: the name of the action.
    """

    action: str = ""


@dataclass(frozen=True)
class Ranking:
    """What a property of runs is proved with.

    Args:
        measure: the names of the predicates of its sets, the most important first.
        helpful: the names of the predicates that say which step is waited for.
        by: the names of the lemmas that it takes to show that one of these is always true.
    """

    measure: tuple[str, ...]
    helpful: tuple[str, ...]
    by: tuple[str, ...] = ()


def measure(*by: str, **steps: tuple[str, ...]) -> Callable[[F], F]:
    """Mark the predicate of a set that gets no larger, unless one more important gets smaller.

    Args:
        by: the names of the lemmas and properties that it is shown with.
        steps: by action, the names of what else it takes for that one.
    """

    def marked(function: F) -> F:
        known = Lemma(Property("measure", function), helped_by(by, steps), steps, by)
        function.__ackproof_ranked__ = known  # type: ignore[attr-defined]
        return function

    return marked


def helpful(action: str, *by: str, **steps: tuple[str, ...]) -> Callable[[F], F]:
    """Mark what says in which states, and with which arguments, a step is waited for.

    Args:
        action: the name of the action.
        by: the names of the lemmas and properties that it is shown with.
        steps: by action, the names of what else it takes for that one.
    """

    def marked(function: F) -> F:
        named = helped_by(by, steps)
        known = Helpful(Property("helpful", function), named, steps, by, action)
        function.__ackproof_ranked__ = known  # type: ignore[attr-defined]
        return function

    return marked
