"""A cupboard: a model with a variable of every type that there is, each of which may change."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ackproof.lang import (
    Const,
    Each,
    Ghost,
    Instance,
    Map,
    Model,
    Option,
    OrderedSort,
    Process,
    Range,
    Record,
    Seq,
    Set,
    Sort,
    System,
    action,
    fault,
    require,
)


class Cup(OrderedSort):
    """A cup; they are numbered."""


class Shelf(OrderedSort, prefix="s"):
    """A shelf; they have an order, and names."""


class Guest(Sort):
    """A guest."""


class Nobody(Sort):
    """There is none."""


class Glaze(Enum):
    """What a cup is covered with."""

    BLUE = "blue"
    RED = "red"
    NONE = "none"


class Label(Record):
    """What is written on a shelf."""

    cup: Option[Cup]
    glaze: Glaze


class Board(Process):
    """A shelf, with what is on it."""

    deep: Const[bool] = True
    width: Const[int] = 4
    cups: Set[Cup]
    label: Label

    @action
    def put(self, cup: Cup, glaze: Glaze) -> None:
        """A cup is put here."""
        require(cup not in self.cups)
        self.cups.add(cup)
        self.label = Label(cup, glaze)


class Cupboard(System):
    """Shelves, and what is known of cups."""

    boards: Each[Shelf, Board]
    locked: bool
    level: Annotated[int, Range(-2, 1)] = 1
    last: Option[Cup]
    glazes: Map[Cup, Glaze]
    wishes: Map[Option[Guest], Set[Cup]]
    notes: Map[Label, bool]
    queue: Annotated[Seq[Guest], 2]
    absent: Set[Nobody]
    served: Ghost[Set[Guest]]

    @action
    def glaze(self, cup: Cup, glaze: Glaze) -> None:
        """A cup is glazed."""
        require(self.glazes[cup] == Glaze.BLUE)
        self.glazes[cup] = glaze
        self.notes[Label(cup, glaze)] = True
        self.last = cup

    @action
    def wish(self, guest: Option[Guest], cup: Cup) -> None:
        """Somebody, or nobody in particular, wants a cup."""
        require(cup not in self.wishes[guest])
        self.wishes[guest].add(cup)

    @action
    def arrive(self, guest: Guest) -> None:
        """A guest waits."""
        require(len(self.queue) < 2)
        self.queue.append(guest)
        self.served.add(guest)

    @fault
    def lock(self) -> None:
        """Somebody locks the cupboard."""
        require(self.level > -2)
        self.locked = True
        self.level = self.level - 1


TWO = Instance(
    "two",
    "two of everything",
    {Cup: 2, Shelf: 2, Guest: 2, Nobody: 0},
    faults={"lock": 1},
    constants={"Board.width": {"s1": 3, "s2": 5}},
)
MODEL = Model("the cupboard", Cupboard, (), (TWO,))
