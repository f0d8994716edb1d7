"""An office with one desk, in which people wait: small enough to know every invariant of it."""

from __future__ import annotations

import sys

from ackproof.lang import (
    Const,
    Design,
    Instance,
    Model,
    Option,
    Set,
    Sort,
    System,
    action,
    fault,
    invariant,
    properties_in,
    reachable,
    require,
    step_property,
)


class Person(Sort, prefix="p"):
    """Somebody who wants to be served."""


class Office(System):
    """A waiting room, a desk, and whoever has been there."""

    waiting: Set[Person]
    desk: Option[Person]
    done: Set[Person]
    seats: Const[int] = 2

    @action
    def enter(self, person: Person) -> None:
        """Somebody who has not been here before takes a seat."""
        require(person not in self.waiting | self.done and self.desk != person)
        require(len(self.waiting) < self.seats)
        self.waiting.add(person)

    @action
    def call(self, person: Person) -> None:
        """Somebody is called to the desk."""
        require(person in self.waiting and self.desk is None)
        self.waiting.discard(person)
        self.desk = person

    @action
    def leave(self) -> None:
        """Whoever is at the desk has been served."""
        served = self.desk
        require(served is not None)
        self.desk = None
        if served is not None:
            self.done.add(served)

    @fault
    def alarm(self) -> None:
        """Everybody has to leave."""
        self.waiting = set()
        self.desk = None


@invariant
def NobodyComesBack(s: Office) -> bool:
    """Who has been served does not wait."""
    return not s.waiting & s.done


@invariant
def ServedIsNotWaiting(s: Office) -> bool:
    """Who is at the desk does not wait."""
    return s.desk is None or s.desk not in s.waiting


@invariant
def SeatsAreEnough(s: Office) -> bool:
    """Nobody stands."""
    return len(s.waiting) <= s.seats


@invariant
def NobodyElseIsThere(s: Office) -> bool:
    """There is only one who waits; it is false where there are two."""
    return len(s.waiting) <= 1


@invariant
def DoneIsFew(s: Office) -> bool:
    """No more are done than there are seats; it is false where there are few."""
    return len(s.done) <= s.seats


@invariant
def NobodyIsServed(s: Office) -> bool:
    """Nobody is ever done; this is false."""
    return not s.done


@invariant
def DeskStandsAlone(s: Office) -> bool:
    """Somebody is at the desk from the beginning; this is false at once."""
    return s.desk is not None


@step_property
def OneAtATime(before: Office, after: Office) -> bool:
    """At most one person is done in a step."""
    return len(after.done - before.done) <= 1


@step_property
def DeskIsNeverLeft(before: Office, after: Office) -> bool:
    """Who is at the desk stays there; this is false."""
    return before.desk is None or after.desk == before.desk


@reachable
def EverybodyIsDone(s: Office) -> bool:
    """All are served at last."""
    return s.done == set(Person)


MODEL = Model(
    "office",
    Office,
    properties_in(sys.modules[__name__]),
    (Instance("three", "three people", sizes={Person: 3}, faults={"alarm": 1}),),
)


class Rude(Office):
    """Somebody is called, and keeps the seat."""

    @action
    def call(self, person: Person) -> None:
        """Somebody is called to the desk."""
        require(person in self.waiting and self.desk is None)
        self.desk = person


RUDE = Design(claim="Who is called keeps the seat.", replace=(Rude,))
