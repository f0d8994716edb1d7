"""A depot with parts that an instance may leave out, and the same depot written without them."""

from __future__ import annotations

import sys
from enum import Enum

from ackproof.lang import (
    Const,
    Each,
    Event,
    Instance,
    Model,
    OrderedSort,
    Process,
    Set,
    Sort,
    System,
    action,
    fault,
    handler,
    invariant,
    properties_in,
    reachable,
    require,
    step_property,
)


class Parcel(OrderedSort):
    """What is stored."""


class Van(Sort, prefix="v"):
    """What drives it about."""


class Door(Enum):
    """Whether anybody can come in."""

    OPEN = "open"
    SHUT = "shut"


class Paid(Event):
    """An insurance pays."""

    parcel: Parcel


class Tour(Process):
    """The tour of a van."""

    large: Const[bool] = True
    loaded: Set[Parcel]
    double: Set[Parcel]

    @handler
    def load(self, parcel: Parcel) -> None:
        """Take a parcel; a large van has a second place for it."""
        self.loaded.add(parcel)
        if self.large:
            self.double.add(parcel)


class Depot(System):
    """Parcels come and go; the rest are parts."""

    insuring: Const[bool] = False
    stored: Set[Parcel]
    door: Door
    insured: Set[Parcel]
    claimed: Set[Parcel]
    burnt: Set[Parcel]
    tours: Each[Van, Tour]
    ringing: bool
    answering: bool

    @action
    def store(self, parcel: Parcel) -> None:
        """A parcel comes; the door is open, as ever."""
        require(parcel not in self.stored and self.door == Door.OPEN)
        self.stored.add(parcel)
        self.door = Door.OPEN

    @action
    def fetch(self, parcel: Parcel) -> None:
        """It goes."""
        require(parcel in self.stored)
        self.stored.discard(parcel)

    @action
    def insure(self, parcel: Parcel) -> None:
        """A part behind a constant."""
        require(self.insuring and parcel in self.stored)
        self.insured.add(parcel)

    @action
    def claim(self, parcel: Parcel) -> None:
        """A part that another part enables."""
        require(parcel in self.insured)
        self.claimed.add(parcel)
        self.emit(Paid(parcel))

    @action
    def load(self, van: Van, parcel: Parcel) -> None:
        """A part behind a sort."""
        require(parcel in self.stored)
        self.tours[van].load(parcel)

    @fault
    def fire(self) -> None:
        """A part behind a fault."""
        require(bool(self.stored))
        self.burnt |= self.stored
        self.stored.clear()

    @fault
    def fraud(self, parcel: Parcel) -> None:
        """A fault that needs the part behind the constant."""
        require(parcel in self.insured)
        self.stored.discard(parcel)

    @action
    def ring(self) -> None:
        """Somebody rings when somebody answers."""
        require(self.answering)
        self.ringing = True

    @action
    def answer(self) -> None:
        """And the other way round."""
        require(self.ringing)
        self.answering = True

    @action
    def break_in(self, parcel: Parcel) -> None:
        """Somebody takes what is here and is not."""
        require(parcel in self.stored)
        require(bool(self.stored) and parcel not in self.stored)
        self.claimed.add(parcel)

    @action
    def count(self) -> None:
        """Somebody counts, twice."""
        require(len(self.stored) == 1 and len(self.stored) == 2)
        self.claimed.clear()


@invariant
def ClaimedIsInsured(s: Depot) -> bool:
    """Who claims is insured."""
    return s.claimed <= s.insured


@invariant
def StoredCameIn(s: Depot) -> bool:
    """What is stored came through an open door."""
    return not s.stored or s.door == Door.OPEN


@step_property
def PaidOnce(before: Depot, after: Depot, paid: Paid) -> bool:
    """The insurance pays once."""
    return paid.parcel not in before.claimed


@reachable
def Burnt(s: Depot) -> bool:
    """Something burnt."""
    return bool(s.burnt)


@reachable
def PaidSomething(before: Depot, after: Depot, paid: Paid) -> bool:
    """The insurance pays."""
    return paid.parcel in before.insured


@reachable
def Full(s: Depot) -> bool:
    """All parcels are here."""
    return s.stored == set(Parcel)


class Bare(System):
    """The depot without its parts."""

    stored: Set[Parcel]

    @action
    def store(self, parcel: Parcel) -> None:
        """A parcel comes."""
        require(parcel not in self.stored)
        self.stored.add(parcel)

    @action
    def fetch(self, parcel: Parcel) -> None:
        """It goes."""
        require(parcel in self.stored)
        self.stored.discard(parcel)


OFF = Instance("off", "no parts", {Parcel: 2, Van: 0})
MODEL = Model("depot", Depot, properties_in(sys.modules[__name__]), (OFF,))
BARE = Model("bare depot", Bare, (), (Instance("bare", "", {Parcel: 2}),))
