"""Members of families: the key of a member, and what must happen of each element by itself."""

from __future__ import annotations

import sys

from ackproof.lang import (
    Each,
    Key,
    Model,
    Option,
    OrderedSort,
    Process,
    Set,
    Sort,
    System,
    action,
    eventually,
    handler,
    helper,
    invariant,
    properties_in,
    require,
)


class Box(OrderedSort, prefix="b"):
    """An ordered sort."""


class Place(Sort):
    """An unordered sort."""


class Slip(Process):
    """A part of a member: it lies in the member of the same element."""

    box: Key[Box]
    copied: Option[Box]

    @handler
    def copy(self) -> None:
        """The key of the member that a part lies in."""
        self.copied = self.box


class Slot(Process):
    """A process of a family inside a family: it has a key of each."""

    box: Key[Box]
    place: Key[Place]
    sent: Set[Place]

    @action
    def send(self, place: Place, place_: Place) -> None:
        """Both keys, and parameters that have to be named apart from them."""
        require(place != self.place and place_ == self.place and self.box != Box.first())
        self.sent.add(place)


class Crate(Process):
    """A member of a family."""

    name: Key[Box]
    slip: Slip
    slots: Each[Place, Slot]
    seen: Set[Box]

    @action(fair="weak")
    def look(self) -> None:
        """An action of a member."""
        require(self.name not in self.seen)
        self.see(self.name)
        self.slip.copy()

    @handler
    def see(self, box: Box) -> None:
        """A handler of a member."""
        self.seen.add(box)

    @helper
    def follows(self, box: Box) -> bool:
        """A helper that reads the key."""
        return box < self.name


class Root(System):
    """The system."""

    crates: Each[Box, Crate]
    wanted: Option[Place]

    @action
    def swap(self, box: Box) -> None:
        """A key that is read from outside."""
        crate = self.crates[box]
        for other in Box:
            if crate.follows(other):
                self.crates[other].see(crate.name)


@invariant
def KeysAreNames(s: Root) -> bool:
    """A member's key is the element that it is the member of."""
    return all(s.crates[b].name == b and s.crates[b].slip.box == b for b in Box)


@eventually
def SeesItself(s: Root, box: Box) -> bool:
    """What must happen of one element."""
    return s.crates[box].slip.copied == box


@eventually
def Sends(s: Root, box: Box, place: Place) -> bool:
    """What must happen of two elements."""
    return box == Box.first() or place in s.crates[box].slots[place].sent or s.wanted == place


MODEL = Model("members", Root, properties_in(sys.modules[__name__]), ())
