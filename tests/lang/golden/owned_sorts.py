"""Owned sorts: their elements, by owner, and families inside families."""

from __future__ import annotations

from ackproof.lang import (
    Const,
    Each,
    Map,
    Model,
    Option,
    OrderedSort,
    OwnedSort,
    Process,
    Record,
    Set,
    Sort,
    System,
    action,
    handler,
    require,
)


class Line(OrderedSort, prefix="l"):
    """A sort that owns."""


class Place(Sort):
    """An unordered sort that owns nothing."""


class Item(OwnedSort[Line]):
    """An owned sort."""


class Label(Record):
    """A record that holds an element."""

    item: Item
    fresh: bool


class Link(Process):
    """A process of a family inside a family."""

    expected: Option[Item] = Item.first()
    label: Label = Label(item=Item.first(), fresh=True)

    @handler
    def expect(self, item: Item) -> None:
        """What comes next is the next of the same owner."""
        require(self.expected == item)
        self.expected = Item.succ(item)

    @action
    def restart(self) -> None:
        """An action of a process of a family inside a family."""
        self.expected = Item.first(Item.owner(self.label.item))


class Belt(Process):
    """A process for each owner."""

    first: Item
    start: Const[Item] = Item.first()
    seen: Set[Item]
    links: Each[Place, Link]

    @handler
    def take(self, item: Item, place: Place) -> None:
        """A handler that calls one of a nested family."""
        self.links[place].expect(item)
        self.seen.add(item)


class Root(System):
    """The system."""

    belts: Each[Line, Belt]
    found: Map[Item, bool]
    latest: Option[Item]

    @action
    def put(self, item: Item, place: Place) -> None:
        """The owner of an element is the key of a family."""
        self.belts[Item.owner(item)].take(item, place)

    @action
    def clear(self, line: Line) -> None:
        """All elements of an owner."""
        self.belts[line].seen -= Item.of(line)
        for item in Item.of(line):
            self.found[item] = False

    @action
    def compare(self, item: Item, other: Item) -> None:
        """All elements of the owner of another; the order goes across owners."""
        require(item in Item.of(Item.owner(other)) and item < other)
        self.latest = Item.first(Item.owner(other))

    @action
    def jump(self, place: Place, line: Line) -> None:
        """A place two families deep."""
        self.belts[line].links[place].expected = max(Item.of(line), default=None)


MODEL = Model("owned_sorts", Root, (), ())
