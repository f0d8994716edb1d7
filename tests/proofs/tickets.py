"""A counter of tickets: steps of it may fail in each way in which a step can, and none does.

A clerk calls the least ticket that was drawn; who was called is asserted not to wait any more.  How
many were called is a number that nothing bounds in a proof.
"""

from __future__ import annotations

import sys
from typing import Annotated

from ackproof.lang import (
    Instance,
    Model,
    Option,
    OrderedSort,
    Range,
    Set,
    System,
    action,
    invariant,
    lemma,
    properties_in,
    require,
)
from ackproof.lang.lemmas import Library


class Ticket(OrderedSort, prefix="t"):
    """A number on a slip of paper."""


class Office(System):
    """Those who wait, and whom the clerk has called last."""

    waiting: Set[Ticket]
    busy: bool
    called: Option[Ticket]
    count: Annotated[int, Range(0, 3)] = 0

    @action
    def draw(self, ticket: Ticket) -> None:
        """Somebody takes a ticket."""
        require(ticket not in self.waiting and ticket != self.called)
        self.waiting.add(ticket)
        self.busy = True

    @action
    def call(self) -> None:
        """The clerk calls the next."""
        require(self.busy)
        ticket = min(self.waiting)
        self.called = ticket
        self.waiting.discard(ticket)
        self.busy = bool(self.waiting)
        self.count += 1

    @action
    def serve(self) -> None:
        """Whom the clerk serves does not wait."""
        require(self.called is not None)
        assert self.called is None or self.called not in self.waiting
        self.called = None


@lemma()
def BusyMeansWaiting(s: Office) -> bool:
    """While the clerk is busy somebody waits."""
    return not s.busy or bool(s.waiting)


@lemma()
def CalledDoNotWait(s: Office) -> bool:
    """Whom the clerk has called does not wait."""
    return s.called is None or s.called not in s.waiting


@invariant
def CountsUp(s: Office) -> bool:
    """Nobody is called less than never."""
    return s.count >= 0


PROOFS = {
    "CountsUp": (),
    "NoAssertionFails": ("CalledDoNotWait",),
    "StepsAreDefined": ("BusyMeansWaiting",),
}

MODEL = Model(
    "tickets",
    Office,
    properties_in(CountsUp),
    (Instance("three", "three tickets", {Ticket: 3}),),
    lemmas=__name__,
)

LIBRARY = Library.of(sys.modules[__name__])


class Idle(Office):
    """The clerk calls without looking who waits."""

    @action
    def call(self) -> None:
        """Call the next, if there is one or not."""
        ticket = min(self.waiting)
        self.called = ticket
        self.waiting.discard(ticket)
        self.busy = bool(self.waiting)
        self.count += 1


class Remarking(Idle):
    """The clerk does the same, and remarks on it."""

    @action
    def call(self) -> None:
        """Call the next, if there is one or not."""
        ticket = min(self.waiting)  # of nobody the least would be outside
        self.called = ticket
        self.waiting.discard(ticket)
        self.busy = bool(self.waiting)


class Careful(Idle):
    """The clerk makes sure that the next has waited."""

    @action
    def call(self) -> None:
        """Call the next, if there is one or not."""
        ticket = min(self.waiting)
        assert ticket in self.waiting
        self.called = ticket
        self.waiting.discard(ticket)
        self.busy = bool(self.waiting)


class Forgetful(Office):
    """The clerk leaves whom he has called on the list."""

    @action
    def call(self) -> None:
        """Call the next, and do not strike it out."""
        require(self.busy)
        self.called = min(self.waiting)
        self.count += 1
