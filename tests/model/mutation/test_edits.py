"""The mistakes that can be made in a method: which there are, and what they are called."""

from __future__ import annotations

import ast
from enum import Enum

from ackproof.lang import (
    Event,
    Ghost,
    Instance,
    Model,
    OrderedSort,
    Process,
    Set,
    System,
    action,
    handler,
    helper,
    on,
    properties_in,
    require,
)
from ackproof.model.mutation.edits import edited, edits_of
from ackproof.model.mutation.mutants import mutants_of
from ackproof.model.mutation.places import Surroundings, places_of


class Coin(OrderedSort):
    """A coin."""


class Mood(Enum):
    """How a box is."""

    OPEN = "open"
    SHUT = "shut"
    LOST = "lost"


class Clink(Event):
    """A coin falls."""

    coin: Coin


class Purse(Process):
    """Holds coins."""

    mood: Mood
    inside: Set[Coin]
    out: Set[Coin]
    seen: Ghost[Set[Coin]]

    @helper
    def full(self) -> bool:
        """Tell whether there are two."""
        return len(self.inside) >= 2

    @handler
    def put(self, coin: Coin) -> None:
        """Take a coin in."""
        require(self.mood == Mood.OPEN and not self.full())
        self.inside.add(coin)
        self.seen.add(coin)

    @handler
    def move(self, one: Coin, other: Coin) -> None:
        """Put one away, and take out the other."""
        if one in self.inside:
            self.inside.discard(one)
        self.out |= {other}


class Bank(System):
    """One purse."""

    purse: Purse

    @action
    def pay(self, coin: Coin) -> None:
        """A coin is put in, and is heard."""
        self.purse.put(coin)
        self.emit(Clink(coin))

    @action
    def swap(self, one: Coin, other: Coin) -> None:
        """Two coins change places."""
        require(one < other)
        self.purse.move(one, other)

    @on(Clink)
    def hears(self, clink: Clink) -> None:
        """Somebody hears it."""
        self.purse.seen.add(clink.coin)


MODEL = Model("bank", Bank, properties_in(), (Instance("two", "two coins", {Coin: 2}),))

SAID = {
    name: [m.what for m in mutants_of(MODEL) if m.place.name == name]
    for name in (p.name for p in places_of(MODEL))
}


def test_a_guard_is_dropped_turned_round_or_loses_a_part() -> None:
    said = SAID["Purse.put"]
    guard = "self.mood == Mood.OPEN and (not self.full())"
    assert said[:4] == [
        f"drops `require({guard})`",
        f"requires `not ({guard})` for `{guard}`",
        f"drops `self.mood == Mood.OPEN` from `{guard}`",
        f"drops `not self.full()` from `{guard}`",
    ]


def test_an_update_is_dropped_or_turned_round() -> None:
    assert "drops `self.inside.add(coin)`" in SAID["Purse.put"]
    assert "has `discard` for `add` in `self.inside.add(coin)`" in SAID["Purse.put"]
    assert "drops `self.out |= {other}`" in SAID["Purse.move"]
    assert "has `self.out -= {other}` for `self.out |= {other}`" in SAID["Purse.move"]


def test_what_is_there_for_properties_only_is_left_alone() -> None:
    assert not any("self.seen" in what for what in SAID["Purse.put"])
    assert SAID["Bank.hears"] == []


def test_a_branch_is_taken_always_never_or_in_the_other_case() -> None:
    assert {
        "goes by `one not in self.inside` for `one in self.inside`",
        "takes `one in self.inside` for true",
        "takes `one in self.inside` for false",
    } <= set(SAID["Purse.move"])


def test_an_event_is_left_out_or_doubled() -> None:
    assert SAID["Bank.pay"][-2:] == [
        "drops `self.emit(Clink(coin))`",
        "does `self.emit(Clink(coin))` twice",
    ]


def test_arguments_of_one_type_are_swapped_and_others_are_not() -> None:
    assert "swaps arguments: `self.purse.move(other, one)`" in SAID["Bank.swap"]
    assert not any(what.startswith("swaps") for what in SAID["Bank.pay"])


def test_a_member_of_an_enum_becomes_the_next_and_a_number_the_one_beside_it() -> None:
    assert "has `Mood.SHUT` for `Mood.OPEN`" in SAID["Purse.put"]
    assert {"has 3 for 2", "has 1 for 2"} <= set(SAID["Purse.full"])
    assert "has `len(self.inside) > 2` for `len(self.inside) >= 2`" in SAID["Purse.full"]


def test_an_answer_is_turned_round() -> None:
    assert "answers the opposite of `len(self.inside) >= 2`" in SAID["Purse.full"]


def test_no_two_edits_leave_the_same_text_and_none_leaves_the_methods_own() -> None:
    places = places_of(MODEL)
    around = Surroundings(places)
    for place in places:
        function = place.source[1]
        texts = [ast.unparse(edited(function, edit)) for edit in edits_of(place, around)]
        assert len({*texts, ast.unparse(function)}) == len(texts) + 1
