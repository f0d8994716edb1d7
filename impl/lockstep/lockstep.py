"""Lockstep: every step of the broker, taken by the specification's own system as well.

The broker composes the specification's machines by itself (see `ackproof.impl.steps.core`).  That
composition is the one place where what the broker does is written outside of `spec/`.  `Lockstep`
watches it: each step is taken again by the shadow model of every publishing channel that it
concerns, if that confirms or is transactional, and then both sides must be the same.  This is a
refinement check.

A step that the broker takes inside another one is a step of its own for a shadow.  Both sides are
compared when the outer one is over.

Mirrors are followed with their queue.  After a partition nothing is followed any more: a shadow
does not know of nodes.

It costs a millisecond a step and more with every message, and is for tests.
"""

from __future__ import annotations

from typing import Any

from ackproof.impl.lockstep.process_steps import RetakenEnds
from ackproof.impl.lockstep.shadow import Deviation
from ackproof.impl.steps.core import Steps
from ackproof.impl.storage.journal import Batch

__all__ = ["Lockstep"]


class Lockstep(RetakenEnds):
    """An observer that takes each step again, by the specification.

        lockstep = Lockstep(broker.steps)
        ...
        lockstep.check()

    What is found first is kept, and is raised out of whatever caused the step; after that nothing
    is compared any more.
    """

    def __init__(self, steps: Steps) -> None:
        super().__init__()
        self._begun: list[tuple[tuple[Any, ...], Any]] = []
        self._found: Deviation | None = None
        steps.observers.append(self)

    def check(self) -> None:
        """Look whether the broker has done what the specification does.

        Raises:
            Deviation: it has not.
        """
        if self._found is not None:
            raise self._found

    # -- observing ------------------------------------------------------------------------------

    def before(self, step: str, arguments: tuple[Any, ...]) -> None:
        """A step is about to be taken: look at what it will have changed."""
        asking = getattr(self, f"_before_{step}", None)
        known = None if asking is None else asking(*arguments)
        self._begun.append((arguments, known))

    def after(self, step: str, arguments: tuple[Any, ...]) -> None:
        """A step was taken: take it again."""
        known = self._end(arguments)
        if self._found is not None:
            return
        try:
            taking = getattr(self, f"_{step}", None)
            if taking is not None:
                taking(known, *arguments)
            if not self._begun:
                self._compare()
        except Deviation as deviation:
            self._found = deviation
            raise

    def not_taken(self, step: str, arguments: tuple[Any, ...]) -> None:
        """A step was not possible, or has failed: so much for that."""
        self._end(arguments)

    def _end(self, arguments: tuple[Any, ...]) -> Any:
        """Return what was known before a step that has ended."""
        known = None
        while self._begun:
            begun, known = self._begun.pop()
            if begun is arguments:
                break
        return known

    def committed(self, batch: Batch) -> None:
        """A commit has returned; the queues notice by their step `sync`."""
