"""Piers that sell tickets, each numbering its own: a small system about an owned sort.

That tickets of a pier are sold in order, and none is left out, holds by what is known of the first
element of an owner and of the next one.
"""

from __future__ import annotations

import sys

from ackproof.lang import (
    Design,
    Each,
    Instance,
    Model,
    Option,
    OwnedSort,
    Process,
    Set,
    Sort,
    System,
    action,
    handler,
    invariant,
    lemma,
    properties_in,
    require,
)
from ackproof.lang.lemmas import Library


class Pier(Sort, prefix="p"):
    """Where tickets are sold."""


class Ticket(OwnedSort[Pier]):
    """A ticket; each pier numbers its own."""


class Booth(Process):
    """What a pier has sold."""

    following: Option[Ticket] = Ticket.first()
    sold: Set[Ticket]

    @handler
    def sell(self, ticket: Ticket) -> None:
        """Sell the next ticket."""
        require(self.following == ticket)
        self.sold.add(ticket)
        self.following = Ticket.succ(ticket)


class Ferry(System):
    """All piers, and who is on board."""

    booths: Each[Pier, Booth]
    aboard: Set[Ticket]

    @action
    def sell(self, ticket: Ticket) -> None:
        """A ticket is sold at its pier."""
        self.booths[Ticket.owner(ticket)].sell(ticket)

    @action
    def board(self, ticket: Ticket) -> None:
        """Somebody with a ticket goes on board."""
        require(ticket in self.booths[Ticket.owner(ticket)].sold)
        self.aboard.add(ticket)

    @action
    def close(self, pier: Pier) -> None:
        """Those of a pier go ashore."""
        self.aboard -= Ticket.of(pier)


@lemma()
def AllBeforeAreSold(s: Ferry) -> bool:
    """Whatever comes before the next ticket of a pier has been sold there."""
    return all(
        t is None or all(u in s.booths[p].sold for u in Ticket.of(p) if u < t)
        for p in Pier
        for t in {s.booths[p].following}
    )


@invariant
def SoldWhereTheyBelong(s: Ferry) -> bool:
    """A pier sells its own tickets."""
    return all(Ticket.owner(t) == p for p in Pier for t in s.booths[p].sold)


@invariant
def SoldInOrder(s: Ferry) -> bool:
    """What has been sold comes before what is sold next."""
    return all(
        t is None or u < t for p in Pier for t in {s.booths[p].following} for u in s.booths[p].sold
    )


@invariant
def NoneIsLeftOut(s: Ferry) -> bool:
    """With a ticket, all earlier ones of its pier have been sold."""
    return all(
        u in s.booths[p].sold for p in Pier for t in s.booths[p].sold for u in Ticket.of(p) if u < t
    )


@invariant
def TheFirstIsSold(s: Ferry) -> bool:
    """Where something has been sold, the first ticket of the pier has."""
    return all(not s.booths[p].sold or Ticket.first(p) in s.booths[p].sold for p in Pier)


@invariant
def NobodyIsWithoutTicket(s: Ferry) -> bool:
    """Who is on board has a ticket."""
    return all(t in s.booths[Ticket.owner(t)].sold for t in s.aboard)


PROOFS = {
    "SoldWhereTheyBelong": (),
    "SoldInOrder": (),
    "NoneIsLeftOut": ("AllBeforeAreSold",),
    "NobodyIsWithoutTicket": (),
}
FOLLOWS = {"TheFirstIsSold": ("NoneIsLeftOut", "SoldWhereTheyBelong")}

MODEL = Model(
    "ferry",
    Ferry,
    properties_in(
        SoldWhereTheyBelong, SoldInOrder, NoneIsLeftOut, TheFirstIsSold, NobodyIsWithoutTicket
    ),
    (Instance("two", "two piers", {Pier: 2, Ticket: 3}),),
)

LIBRARY = Library.of(sys.modules[__name__])


class Hasty(Booth):
    """A pier that leaves every other ticket out."""

    @handler
    def sell(self, ticket: Ticket) -> None:
        """The ticket after the next one is next."""
        require(self.following == ticket)
        self.sold.add(ticket)
        self.following = Ticket.succ(ticket)
        if self.following is not None:
            self.following = Ticket.succ(self.following)


hasty = Design(claim="tickets are left out", source="a test", replace=(Hasty,))
