"""A lottery whose steps are all defined, if one supposes that it is fair."""

from __future__ import annotations

import sys

from ackproof.lang import (
    Const,
    Instance,
    Model,
    Option,
    Set,
    System,
    action,
    invariant,
    properties_in,
    require,
    restriction,
    step_property,
)
from ackproof.lang.lemmas import Library

from tests.proofs.tickets import Ticket


class Lottery(System):
    """The least ticket wins."""

    fair: Const[bool] = True
    tickets: Set[Ticket]
    winner: Option[Ticket]

    @action
    def enter(self, ticket: Ticket) -> None:
        """Somebody takes part."""
        self.tickets.add(ticket)

    @action
    def draw(self) -> None:
        """A ticket wins; one that is fair waits for somebody to take part."""
        require(bool(self.tickets) or not self.fair)
        self.winner = min(self.tickets)


@restriction
def IsFair(s: Lottery) -> bool:
    """The lottery is fair."""
    return s.fair


@invariant
def WinnerTookPart(s: Lottery) -> bool:
    """Who has won had taken part."""
    return s.winner is None or s.winner in s.tickets


@step_property
def NobodyLeaves(before: Lottery, after: Lottery) -> bool:
    """Who takes part does so for ever."""
    return before.tickets <= after.tickets


PROOFS = {"WinnerTookPart": ("IsFair",), "NobodyLeaves": (), "StepsAreDefined": ("IsFair",)}

MODEL = Model(
    "lottery",
    Lottery,
    properties_in(WinnerTookPart, NobodyLeaves),
    (
        Instance("fair", "two tickets", {Ticket: 2}),
        Instance("unfair", "nobody waits", {Ticket: 2}, constants={"Lottery.fair": False}),
    ),
    lemmas=__name__,
)

LIBRARY = Library.of(sys.modules[__name__])
