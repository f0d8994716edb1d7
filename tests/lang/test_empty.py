"""A sort may be empty, and then nothing that exists may need an element of it."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from ackproof.lang import (
    Const,
    Each,
    Instance,
    Map,
    Model,
    Option,
    OrderedSort,
    Process,
    Record,
    Seq,
    Set,
    Sort,
    System,
    action,
    handler,
    invariant,
    properties_in,
    reachable,
    require,
)
from ackproof.lang.binding import Bound, bind
from ackproof.lang.errors import BindError
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.plain_search import explore as explore_plain


class Item(OrderedSort):
    """What is sold."""


class Clerk(Sort, prefix="c"):
    """Who sells it."""


class Tag(OrderedSort):
    """What is written on it."""


class Note(Record):
    """What a clerk remembers."""

    clerk: Clerk
    tag: Tag


class Desk(Process):
    """A clerk's desk."""

    chief: Const[Clerk]
    label: Tag = Tag.first()
    near: Map[Tag, Set[Clerk]]
    current: Option[Item]

    @handler
    def start(self, item: Item) -> None:
        """Serve somebody."""
        require(self.current is None)
        self.current = item
        self.near.clear()


class Shop(System):
    """A shop with, or without, clerks and tags."""

    desks: Each[Clerk, Desk]
    stock: Set[Item]
    last: Option[Clerk]
    present: Set[Clerk]
    notes: Set[Note]
    note: Option[Note]
    line: Annotated[Seq[Clerk], 2]
    sold: Map[Clerk, Set[Item]]
    tags: Map[Item, Option[Tag]]

    @action
    def deliver(self, item: Item) -> None:
        """An item comes."""
        self.stock.add(item)
        self.tags[item] = min(Tag, default=None)
        self.sold.clear()

    @action
    def sell(self, item: Item, who: Option[Clerk], those: Set[Clerk]) -> None:
        """Somebody sells it, while some watch."""
        require(item in self.stock and all(self.desks[c].current != item for c in Clerk))
        self.stock.discard(item)
        if who is not None:
            self.sold[who].add(item)
            self.last = who
            if len(self.line) < 2:
                self.line.append(who)
        for clerk in those:
            self.present.add(clerk)
            self.desks[clerk].near[Tag.first()].add(clerk)

    @action
    def serve(self, clerk: Clerk, item: Item) -> None:
        """A clerk begins."""
        self.desks[clerk].start(item)

    @action
    def remember(self, note: Note) -> None:
        """A clerk writes something down."""
        self.notes.add(note)
        self.note = note

    @action
    def forget(self) -> None:
        """And forgets it, with whoever wrote it and whoever sold last."""
        note = self.note
        if note is not None:
            self.present.discard(note.clerk)
        if self.last is not None:
            self.desks[self.last].current = None
        self.notes.clear()
        self.note = None


@invariant
def SoldIsGone(s: Shop) -> bool:
    """Nobody sold what nobody has."""
    return all(c in Clerk for c in Clerk if s.sold[c]) and len(s.line) <= 2


@reachable
def SomebodyIsBusy(s: Shop) -> bool:
    """A clerk serves."""
    return any(s.desks[c].current is not None for c in Clerk)


MODEL = Model("shop", Shop, properties_in(SoldIsGone, SomebodyIsBusy), ())


def shop(items: int, clerks: int, tags: int) -> Bound:
    """A shop of some size."""
    constants = {"Desk.chief": "c1"} if clerks else {}
    sizes = {Item: items, Clerk: clerks, Tag: tags}
    return bind(MODEL, Instance("sized", "a shop", sizes, constants=constants))


@pytest.mark.parametrize("sizes", [(2, 0, 0), (2, 0, 2), (0, 1, 1), (1, 1, 1), (0, 0, 0)], ids=str)
def test_both_engines_explore_a_system_whose_sorts_are_empty(sizes: tuple[int, int, int]) -> None:
    bound = shop(*sizes)
    plain, compiled = explore_plain(bound), explore_compiled(bound, memory=1 << 26)
    assert plain.level_sizes == compiled.level_sizes
    assert (plain.generated, plain.per_action) == (compiled.generated, compiled.per_action)
    assert (plain.witnessed, plain.violations) == (compiled.witnessed, {})


def test_without_clerks_only_items_come_and_go() -> None:
    bound = shop(2, 0, 0)
    assert {str(i) for i in bound.instances()} == {
        "deliver(1)",
        "deliver(2)",
        "sell(1, None, {})",
        "sell(2, None, {})",
        "forget()",
    }
    assert explore_plain(bound).states == 4


def test_a_constant_of_a_family_without_members_needs_no_value() -> None:
    assert not shop(1, 0, 1).constants


class Starting(System):
    """Starts with a tag."""

    tag: Tag = Tag.first()


class Natural(System):
    """Starts with a tag, and does not say so."""

    tags: Map[Item, Tag]


class Fixed(System):
    """Has a tag as a parameter."""

    tag: Const[Tag] = Tag.first()


class Asking(System):
    """Asks for the first tag."""

    tag: Option[Tag]

    @action
    def ask(self) -> None:
        """Ask."""
        self.tag = Tag.first()


@invariant
def FirstIsRare(s: Asking) -> bool:
    """Asks, too."""
    return s.tag != Tag.first()


def rejection(system: type[System], *properties: Any, **constants: Any) -> str:
    """What is said of a system at no tags and one item."""
    model = Model("it", system, properties_in(*properties), ())
    sizes = {Tag: 0, Item: 1}
    with pytest.raises(BindError) as caught:
        bind(model, Instance("bare", "no tags", sizes, constants=constants))
    return str(caught.value)


@pytest.mark.parametrize(("system", "name"), [(Starting, "tag"), (Natural, "tags")])
def test_a_variable_cannot_start_with_an_element_of_an_empty_sort(
    system: type[System], name: str
) -> None:
    assert rejection(system) == (
        f"instance bare: {system.__name__}.{name} starts with an element of Tag, which has none; "
        "give Tag a size, or declare Option[Tag]"
    )


def test_a_constant_cannot_be_an_element_of_an_empty_sort() -> None:
    assert rejection(Fixed) == (
        "instance bare: the constant Fixed.tag has no value, as there is no Tag; give Tag a size"
    )


def test_a_step_cannot_ask_for_the_first_of_an_empty_sort() -> None:
    assert rejection(Asking) == (
        "instance bare: the step ask asks for Tag.first(), and Tag is empty; "
        "give Tag a size, or ask below a `for` over Tag"
    )


def test_a_property_cannot_ask_for_it_either() -> None:
    assert rejection(Asking, FirstIsRare).startswith("instance bare: the property FirstIsRare asks")
