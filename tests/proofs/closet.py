"""A closet with one key: a small system with one of everything that proofs must deal with.

Whoever takes the key is inside, alone.  That holds by induction, with a lemma and with something
that has to be assumed of a constant; that nobody is lonely while two are inside follows from it.
"""

from __future__ import annotations

import sys

from ackproof.lang import (
    Const,
    Design,
    Event,
    Instance,
    Model,
    Set,
    Sort,
    System,
    action,
    assumption,
    eventually,
    invariant,
    lemma,
    properties_in,
    require,
    step_property,
)
from ackproof.lang.lemmas import Library


class Guest(Sort, prefix="g"):
    """Somebody who wants to be alone."""


class Entered(Event):
    """The door says who came in."""

    guest: Guest


class Closet(System):
    """A closet, and the key to it."""

    locked: Const[bool] = True
    free: bool = True
    inside: Set[Guest]

    @action
    def enter(self, guest: Guest) -> None:
        """Somebody takes the key; where there is no lock, none is needed."""
        require(self.free or not self.locked)
        self.free = False
        self.inside.add(guest)
        self.emit(Entered(guest))

    @action(fair="weak")
    def leave(self, guest: Guest) -> None:
        """Whoever is inside leaves, and hangs up the key."""
        require(guest in self.inside)
        self.inside.discard(guest)
        self.free = True


@assumption
def TheDoorIsLocked(s: Closet) -> bool:
    """There is a lock."""
    return s.locked


@lemma("AloneInside", "TheDoorIsLocked")
def FreeIsEmpty(s: Closet) -> bool:
    """Where the key hangs, nobody is inside.

    Otherwise somebody could take it and come in.
    """
    return not s.free or not s.inside


@invariant
def AloneInside(s: Closet) -> bool:
    """Of those inside there is one."""
    return all(a == b for a in s.inside for b in s.inside)


@invariant
def NoPair(s: Closet) -> bool:
    """No two guests are inside."""
    return not any(a != b for a in s.inside for b in s.inside)


@step_property
def EntersAnEmptyCloset(before: Closet, after: Closet, entered: Entered) -> bool:
    """Who comes in finds nobody."""
    return not before.inside


@step_property(of="leave")
def WhoLeavesIsOutside(before: Closet, after: Closet, guest: Guest) -> bool:
    """Whoever leaves is not inside any more."""
    return guest not in after.inside


@eventually
def EverybodyLeaves(s: Closet) -> bool:
    """The closet is empty again and again."""
    return not s.inside


PROOFS = {
    "AloneInside": ("FreeIsEmpty", "TheDoorIsLocked"),
    "EntersAnEmptyCloset": ("FreeIsEmpty", "TheDoorIsLocked"),
    "WhoLeavesIsOutside": (),
}
FOLLOWS = {"NoPair": ("AloneInside",)}

MODEL = Model(
    "closet",
    Closet,
    properties_in(AloneInside, NoPair, EntersAnEmptyCloset, WhoLeavesIsOutside, EverybodyLeaves),
    (Instance("pair", "two guests", {Guest: 2}),),
    lemmas=__name__,
)

LIBRARY = Library.of(sys.modules[__name__])


class Forgetful(Closet):
    """Somebody goes in and leaves the key where it is."""

    @action
    def enter(self, guest: Guest) -> None:
        """The key is not taken."""
        require(self.free)
        self.inside.add(guest)
        self.emit(Entered(guest))


class Bricked(Closet):
    """Nobody ever comes in."""

    @action
    def enter(self, guest: Guest) -> None:
        """There is a wall before the door."""
        require(self.free and not self.free)
        self.inside.add(guest)


forgetful = Design(claim="The key may stay where it is.", replace=(Forgetful,))
bricked = Design(claim="A wall is safer than a lock.", replace=(Bricked,))
