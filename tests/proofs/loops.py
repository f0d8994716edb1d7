"""Loops of every kind that the language allows, and changes that are hard to say in a formula."""

from __future__ import annotations

import sys
from enum import Enum
from typing import Annotated

from ackproof.lang import (
    Const,
    Each,
    Event,
    Instance,
    Map,
    Model,
    Option,
    OrderedSort,
    Process,
    Range,
    Set,
    Sort,
    System,
    action,
    handler,
    invariant,
    properties_in,
    require,
    step_property,
)


class Item(OrderedSort):
    """What lies on shelves."""


class Shelf(Sort, prefix="s"):
    """Where items lie."""


class Size(Enum):
    """How large an item is."""

    SMALL = 1
    LARGE = 2


class Wood(Enum):
    """What a shelf is made of."""

    OAK = 1
    PINE = 2
    TEAK = 3


class Moved(Event):
    """An item was moved."""

    item: Item
    size: Size


class Board(Process):
    """One shelf."""

    here: Set[Item]
    last: Option[Item]
    left: Annotated[int, Range(-1, 3)]
    wide: Const[bool] = False

    @handler
    def put(self, item: Item) -> None:
        """An item is put here."""
        self.here.add(item)
        self.last = item

    @handler
    def empty(self) -> None:
        """All items are taken away, but on a wide shelf the first stays."""
        lowest = min(self.here, default=None)
        self.here.clear()
        if self.wide and lowest is not None:
            self.here.add(lowest)
        self.left = 3


class Store(System):
    """Shelves with items."""

    boards: Each[Shelf, Board]
    size: Map[Item, Size]
    near: Map[Item, Set[Item]]
    owner: Map[Item, Option[Shelf]]
    pairs: Map[Item, Map[Item, bool]]
    wanted: Set[Item]
    sold: Set[Item]
    full: bool

    @action
    def stock(self, items: Set[Item], shelf: Shelf) -> None:
        """Items are put on a shelf, where each is near to all others that were there."""
        require(items)
        before = set(self.boards[shelf].here)
        for i in items:
            self.boards[shelf].here.add(i)
            self.owner[i] = shelf
            self.near[i] |= before
        self.boards[shelf].last = max(items, default=None)

    @action
    def want(self, item: Item) -> None:
        """All that is near to an item is wanted, and so is what that is near to."""
        for i in self.near[item]:
            self.wanted |= self.near[i]
        if item in self.sold:
            for i in set(self.sold):
                self.sold -= self.near[i]
        for i in self.wanted:
            self.near[item] |= set(self.pairs[i])
            if self.size[i] == Size.LARGE:
                self.owner[item] = None

    @action
    def keep(self) -> None:
        """Sold is only what is near to all that is wanted."""
        for i in self.wanted:
            self.sold &= self.near[i]
            if self.size[i] == Size.LARGE:
                self.full = True

    @action
    def clear(self, shelf: Shelf) -> None:
        """Every other shelf is emptied, and whoever had its items there has none."""
        for other in {s for s in Shelf if s != shelf}:
            self.boards[other].empty()
        for i in Item:
            owner = self.owner[i]
            if owner is not None and owner != shelf:
                self.owner[i] = None
                self.size[i] = Size.LARGE if i in self.wanted else Size.SMALL

    @action
    def pair(self, small: bool) -> None:
        """Each wanted item is paired with each that was sold before it."""
        for i in self.wanted:
            for k in self.sold:
                if k < i or small:
                    self.pairs[i][k] = not self.pairs[i][k]

    @action
    def unpair(self, item: Item) -> None:
        """An item is no longer paired, nor near to anything."""
        self.pairs[item].clear()
        self.near.clear()
        for i in Item:
            self.pairs[i][item] = False

    @action
    def move(self, to: Shelf) -> None:
        """Wanted items are moved in order, and told."""
        for i in sorted(self.wanted):
            self.emit(Moved(i, self.size[i]))
            if i in self.boards[to].here:
                self.sold.add(i)
            else:
                self.sold.discard(i)
        for s in Shelf:
            if s != to:
                self.boards[s].here -= self.wanted
                self.boards[s].left -= 1

    @action
    def tidy(self) -> None:
        """Each item goes to whoever owns it; sizes are counted."""
        for s in Shelf:
            self.boards[s].here = {i for i in Item if self.owner[i] == s}
        for z in Size:
            if z in {self.size[i] for i in self.sold}:
                self.full = True
        last = max(self.sold, default=None)
        if last is not None:
            following = Item.succ(last)
            if following is not None:
                self.boards_put(following)

    @handler
    def boards_put(self, item: Item) -> None:
        """An item is put on every shelf that is not wide and not full."""
        for s in Shelf:
            if not self.boards[s].wide and len(self.boards[s].here) < 2:
                self.boards[s].put(item)

    @action
    def strike(self, size: Size) -> None:
        """What has a size is neither wanted nor sold, and what is neither is both."""
        struck = {i for i in Item if self.size[i] == size}
        self.wanted ^= struck
        self.sold = (self.sold - struck) | {i for i in Item if i not in self.wanted}
        self.full = bool(self.sold & self.wanted) and min(self.sold) == Item.first()


@invariant
def OwnedIsThere(s: Store) -> bool:
    """Whoever owns an item has it."""
    return all(any(i in s.boards[q].here for q in Shelf if s.owner[i] == q) for i in Item)


@invariant
def FewAreWanted(s: Store) -> bool:
    """At most one item is wanted for each that was sold."""
    paired = {i for i in Item if set(s.pairs[i]) == s.wanted}
    return len(s.wanted) <= len(s.sold) + len(paired)


@invariant
def SoldIsKnown(s: Store) -> bool:
    """What was sold is on a shelf, or comes after all that is."""
    shelved = {i for q in Shelf for i in s.boards[q].here}
    highest = max(shelved, default=None)
    return all(i in shelved or highest is None or highest < i for i in s.sold)


@invariant
def SetsOfAllOrNothing(s: Store) -> bool:
    """A full store has more woods than sizes, and the least of nothing is nothing."""
    woods = {w for w in Wood if s.full}
    sizes = {z for z in Size if s.full}
    none = min({i for i in Item if False}, default=None)
    return none is None and len(sizes) < len(woods)


@step_property
def NothingIsLost(before: Store, after: Store) -> bool:
    """An item that was owned is owned by the same or by nobody."""
    return all(
        after.owner[i] is None or after.owner[i] == before.owner[i] for i in set(before.owner)
    )


@step_property
def MovedIsWanted(before: Store, after: Store, moved: Moved) -> bool:
    """Only what is wanted is moved, and it is moved once."""
    return moved.item in before.wanted and (moved.item in after.sold or len(after.sold) == 1)


MODEL = Model(
    "store",
    Store,
    properties_in(sys.modules[__name__]),
    (
        Instance(
            "two shelves",
            "three items",
            sizes={Item: 3, Shelf: 2},
            constants={"Board.wide": {"s1": True, "s2": False}},
        ),
        Instance("no shelf", "one item", sizes={Item: 1, Shelf: 0}),
    ),
)
