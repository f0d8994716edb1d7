"""Being told of every step that the broker takes.

An observer hears of each step twice: before, when the machines are as they were, and after, when
they have changed; or, if it turns out not to be possible, that it was not taken.  Steps happen
inside one another where one causes the other at once; then they are heard of as brackets are
written.

What is told is a step's name, as in `ackproof.spec.system`, and what it was called with.  An
observer may look at everything and must change nothing.

A broker that nobody observes pays nothing for it: its steps are told of only once somebody is there
to be told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar

from ackproof.impl.storage.journal import Batch

__all__ = ["Observer", "let_observe", "observed"]


class Observer(Protocol):
    """What is told of steps, see above."""

    def before(self, step: str, arguments: tuple[Any, ...]) -> None:
        """A step is about to be taken, if it is possible."""

    def after(self, step: str, arguments: tuple[Any, ...]) -> None:
        """A step was taken."""

    def not_taken(self, step: str, arguments: tuple[Any, ...]) -> None:
        """A step was not possible, or has failed."""

    def committed(self, batch: Batch) -> None:
        """A commit has returned, and no queue has noticed yet."""


P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., None])


def observed(step: F) -> F:
    """Mark a step of which observers are to hear."""
    vars(step)["observed"] = True
    return step


def let_observe(part: object, observers: Sequence[Observer]) -> None:
    """Tell observers of the steps that a part of the broker takes from now on.

    Args:
        part: takes steps; nobody has observed it yet.
        observers: told of each step, also those that come later.
    """
    for name in dir(type(part)):
        if getattr(getattr(type(part), name), "observed", False):
            setattr(part, name, _told(getattr(part, name), observers))


def _told(step: Callable[P, None], observers: Sequence[Observer]) -> Callable[P, None]:
    name = step.__name__

    @wraps(step)
    def take(*args: P.args, **kwargs: P.kwargs) -> None:
        for observer in observers:
            observer.before(name, args)
        try:
            step(*args, **kwargs)
        except BaseException:
            for observer in observers:
                observer.not_taken(name, args)
            raise
        for observer in observers:
            observer.after(name, args)

    return take
