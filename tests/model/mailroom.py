"""A mail room with two boxes: a small model that has one of everything reports must show.

Letters are handed to a clerk, put into a box, and stored; the sender is told.  There are parts, a
family of parts with a part of its own, ghosts, a constant, a record, an option, a bounded counter,
a fault, events, and properties that break in every way that explanations know.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ackproof.lang import (
    Const,
    Each,
    Event,
    Ghost,
    Instance,
    Map,
    Model,
    Option,
    OrderedSort,
    Process,
    Range,
    Record,
    Set,
    Sort,
    System,
    action,
    fault,
    handler,
    helper,
    invariant,
    on,
    properties_in,
    reachable,
    require,
    step_property,
)


class Letter(OrderedSort):
    """A letter."""


class Box(Sort, prefix="box"):
    """A box for letters."""


class Ink(Enum):
    """What a letter is written with."""

    BLUE = "blue"
    RED = "red"


class Stamp(Record):
    """What is stuck on a letter."""

    ink: Ink
    express: bool


class Receipt(Event):
    """The sender is told that a letter is in a box."""

    letter: Letter
    safe: bool


class Shelf(Process):
    """Where a box keeps its letters."""

    stored: Set[Letter]

    @handler
    def store(self, letter: Letter) -> None:
        """Keep a letter."""
        self.stored.add(letter)


class Mailbox(Process):
    """A box with a shelf."""

    lockable: Const[bool] = True
    held: Set[Letter]
    shelf: Shelf

    @handler
    def accept(self, letter: Letter) -> None:
        """Take a letter in."""
        self.held.add(letter)

    @action
    def shelve(self, letter: Letter) -> None:
        """Put a letter on the shelf."""
        require(letter in self.held)
        self.held.discard(letter)
        self.shelf.store(letter)

    @helper
    def has(self, letter: Letter) -> bool:
        """Tell whether a letter is here."""
        return letter in self.held or letter in self.shelf.stored


class Clerk(Process):
    """Takes letters from senders."""

    following: Option[Letter] = Letter.first()
    stamps: Map[Letter, Stamp]
    boxes: Map[Letter, Set[Box]]
    handled: Annotated[int, Range(0, 2)]

    @handler
    def take(self, letter: Letter, targets: Set[Box]) -> None:
        """Take the next letter."""
        self.following = Letter.succ(letter)
        self.stamps[letter] = Stamp(Ink.RED, express=True)
        self.boxes[letter] = set(targets)
        self.handled += 1


class MailRoom(System):
    """A clerk, and boxes."""

    clerk: Clerk
    boxes: Each[Box, Mailbox]
    told: Ghost[Set[Letter]]

    @action
    def hand_in(self, letter: Letter, targets: Set[Box]) -> None:
        """A letter is handed in, for some boxes."""
        require(self.clerk.following == letter)
        self.clerk.take(letter, targets)
        for box in targets:
            self.boxes[box].accept(letter)

    @action
    def confirm(self, letter: Letter, box: Box) -> None:
        """The sender is told of a letter that is in a box."""
        require(self.boxes[box].has(letter))
        self.emit(Receipt(letter, safe=letter in self.boxes[box].shelf.stored))

    @on(Receipt)
    def sees(self, receipt: Receipt) -> None:
        """The sender reads a receipt."""
        self.told.add(receipt.letter)

    @fault
    def burn(self, box: Box) -> None:
        """What a box holds is lost; the shelf is made of steel."""
        require(bool(self.boxes[box].held))
        self.boxes[box].held.clear()

    @fault
    def flood(self) -> None:
        """After two letters the room is under water."""
        require(self.clerk.handled == 2)
        self.clerk.following = None

    @fault
    def strike(self) -> None:
        """Nobody works; no instance allows it."""
        self.clerk.following = None


@invariant
def ToldIsKept(s: MailRoom) -> bool:
    """Every letter that the sender was told of is in one of its boxes.

    A sender throws the draft away then.
    """
    return all(any(s.boxes[b].has(m) for b in s.clerk.boxes[m]) for m in s.told)


@invariant
def AllStored(s: MailRoom) -> bool:
    """Whatever was told is stored in all boxes of the letter."""
    return all(m in s.boxes[b].shelf.stored for m in s.told for b in Box if b in s.clerk.boxes[m])


@step_property
def ReceiptsAreSafe(before: MailRoom, after: MailRoom, receipt: Receipt) -> bool:
    """A receipt is given for what is on a shelf."""
    return receipt.safe or receipt.letter in before.told


@invariant
def NeverTwoHeld(s: MailRoom) -> bool:
    """No box ever holds two letters."""
    return not any(len(s.boxes[b].held) > 1 for b in Box)


@invariant
def FirstComesLast(s: MailRoom) -> bool:
    """A second letter is handed in only when the first one has left."""
    waiting = {b for b in Box if Letter.first() in s.boxes[b].held}
    busy = s.clerk.handled == 2
    return not busy or not waiting


@invariant
def OneStampOnly(s: MailRoom) -> bool:
    """Express letters are blue."""
    for_all = all(s.clerk.stamps[m].ink == Ink.BLUE for m in Letter if s.clerk.stamps[m].express)
    return for_all if s.clerk.following is None else True


@step_property
def NothingIsLost(before: MailRoom, after: MailRoom) -> bool:
    """What a box held, it still has after a step."""
    return all(
        before.boxes[b].held <= after.boxes[b].held | after.boxes[b].shelf.stored for b in Box
    )


@reachable
def BothStored(s: MailRoom) -> bool:
    """Both boxes have the first letter on the shelf."""
    return all(Letter.first() in s.boxes[b].shelf.stored for b in Box)


@reachable
def Impossible(s: MailRoom) -> bool:
    """The clerk has handled nothing, and yet somebody was told."""
    return bool(s.told) and s.clerk.handled == 0


SMALL = Instance("small", "one box, one letter", {Letter: 1, Box: 1})
PAIR = Instance("pair", "two boxes, two letters, one fire", {Letter: 2, Box: 2}, {"burn": 1})
LARGE = Instance("three", "more letters than the clerk can count", {Letter: 3, Box: 1})

MODEL = Model(
    "mail room",
    MailRoom,
    properties_in(
        ToldIsKept,
        AllStored,
        ReceiptsAreSafe,
        NeverTwoHeld,
        FirstComesLast,
        OneStampOnly,
        NothingIsLost,
        BothStored,
        Impossible,
    ),
    (PAIR, SMALL, LARGE),
)
