"""What a step asks of an entry of a map, or takes from it, the map is asked if it can say it."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

import pytest
from ackproof.lang import Each, Map, OrderedSort, Process, Set, Sort, System, action, require
from ackproof.model.native.families import assemble
from ackproof.model.native.translate import translate


class Guest(Sort):
    """Who stays at an inn."""


class Room(OrderedSort):
    """Where."""


class Bed(Enum):
    """How a bed is."""

    MADE = auto()
    USED = auto()


class Inn(Process):
    """Who has the keys of which rooms, and how their beds are."""

    keys: Map[Room, Set[Guest]]
    lost: Map[Room, Set[Guest]]
    linked: Map[Room, Set[Room]]
    beds: Map[Room, Bed] = Bed.MADE


class Town(System):
    """Inns, by their rooms."""

    inns: Each[Room, Inn]

    @action
    def arrive(self, room: Room, guests: Set[Guest]) -> None:
        """Guests come to a room where nobody is."""
        require(not self.inns[room].keys[room])
        self.inns[room].keys[room] = set(guests)
        self.inns[room].beds[room] = Bed.USED

    @action
    def leave(self, room: Room, guest: Guest) -> None:
        """One of them leaves; the beds are made when all have."""
        require(guest in self.inns[room].keys[room])
        self.inns[room].keys[room].discard(guest)
        self.inns[room].lost[room] -= {guest}
        if not self.inns[room].keys[room]:
            self.inns[room].beds[room] = Bed.MADE

    @action
    def lose(self, room: Room, guest: Guest) -> None:
        """One of them loses a key."""
        require(bool(self.inns[room].keys[room]) and self.inns[room].beds[room] == Bed.USED)
        self.inns[room].lost[room].add(guest)

    @action
    def move(self, room: Room, guests: Set[Guest]) -> None:
        """Whoever of these guests has not lost the key of a room moves in."""
        lost = set(self.inns[room].lost[room])
        self.inns[room].keys[room] = set(g for g in guests if g not in lost)  # noqa: C401
        self.inns[room].linked[room].add(room)

    @action
    def settle(self, room: Room, rooms: Set[Room]) -> None:
        """The last of some rooms is nobody's any more: there has to be one."""
        self.inns[room].linked[room].discard(max(rooms))


@pytest.fixture(scope="module")
def text() -> str:
    return translate(Town, growing=True).text


@pytest.fixture
def town() -> Any:
    return assemble(Town, translate(Town, growing=True).classes)


@pytest.mark.parametrize(
    "said",
    [
        "if room in inn.keys:\n            raise NotEnabled",
        "inn.keys[room] = guests",
        "if room in inn.keys:\n            inn.keys[room].discard(guest)",
        "if room in inn.lost:\n            inn.lost[room] -= {guest}",
        "if not room in inn.keys:\n            inn.beds.pop(room, None)",
        "if room not in inn.keys or inn.beds[room] != Bed.USED:\n            raise NotEnabled",
        "inn.beds[room] = Bed.USED",
        "inn.lost[room].add(guest)",
    ],
)
def test_a_map_is_asked_and_no_entry_is_made(said: str, text: str) -> None:
    assert said in text


def test_a_map_keeps_a_copy_of_what_it_is_given(town: Any) -> None:
    guests: Any = {"ann", "bob"}
    town.arrive(1, guests)
    guests.clear()
    assert town.inns[1].keys == {1: {"ann", "bob"}}


def test_what_is_made_while_it_is_read_is_made_before_a_map_looks_at_it(town: Any) -> None:
    town.move(1, set())
    assert town.inns[1].keys == {}
    town.move(1, {"ann"})
    assert town.inns[1].keys == {1: {"ann"}}


def test_a_step_that_is_not_defined_is_found_where_it_would_change_nothing(town: Any) -> None:
    town.settle(1, {1})
    with pytest.raises(ValueError, match="empty"):
        town.settle(1, set())


def test_an_entry_goes_with_its_last_element(town: Any) -> None:
    town.arrive(1, {"ann", "bob"})
    town.lose(1, "bob")
    town.leave(1, "ann")
    assert town.inns[1].beds == {1: Bed.USED}
    town.leave(1, "bob")
    inn = town.inns[1]
    assert (inn.keys, inn.lost, inn.beds) == ({}, {}, {})
