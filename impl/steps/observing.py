"""Being told of every step that the broker takes.

An observer hears of each step twice: before, when the machines are as they were, and after, when
they have changed; or, if it turns out not to be possible, that it was not taken.  Steps happen
inside one another where one causes the other at once; then they are heard of as brackets are
written.

What is told is a step's name, as in `ackproof.spec.system`, and what it was called with.  An
observer may look at everything and must change nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from ackproof.impl.storage.journal import Batch

__all__ = ["Observable", "Observer", "observed"]


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


class Observable(Protocol):
    """What takes steps: a part of the broker that takes some (`ackproof.impl.steps.context.Part`).

    Attributes:
        observers: told of each step.
    """

    observers: list[Observer]


P = ParamSpec("P")
S = TypeVar("S", bound=Observable)


def observed(step: Callable[Concatenate[S, P], None]) -> Callable[Concatenate[S, P], None]:
    """Let the observers hear of a step."""
    name = step.__name__

    @wraps(step)
    def take(steps: S, /, *args: P.args, **kwargs: P.kwargs) -> None:
        if not steps.observers:
            step(steps, *args, **kwargs)
            return
        for observer in steps.observers:
            observer.before(name, args)
        try:
            step(steps, *args, **kwargs)
        except BaseException:
            for observer in steps.observers:
                observer.not_taken(name, args)
            raise
        for observer in steps.observers:
            observer.after(name, args)

    return take
