"""Live objects hold what the specification says, before anything has happened, too."""

from __future__ import annotations

import pytest
from ackproof.lang import Each, Instance, Map, Model, OrderedSort, Process, Record, System, action
from ackproof.lang.binding import bind
from ackproof.lang.sorts import bound as sorts_bound
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.plain_search import explore as explore_plain


class Guest(OrderedSort):
    """Somebody who arrives."""


class Room(OrderedSort, prefix="room"):
    """A room, which instances give a name."""


class Key(Record):
    """What opens a room."""

    room: Room


class Door(Process):
    """The door of a room."""

    open: bool


class House(System):
    """Each guest has the first room, before anybody says otherwise."""

    doors: Each[Room, Door]
    room_of: Map[Guest, Room]
    keys: Map[Guest, Key]
    spare: Map[Guest, Map[Guest, Room]]

    @action
    def enter(self, guest: Guest) -> None:
        """A guest opens the door."""
        self.doors[self.room_of[guest]].open = True

    @action
    def move(self, guest: Guest, room: Room) -> None:
        """A guest moves."""
        self.doors[self.keys[guest].room].open = False
        self.doors[self.spare[guest][guest]].open = False
        self.room_of[guest] = room


HOUSE = Model("house", House, (), (Instance("small", "two of each", {Guest: 2, Room: 2}),))


@pytest.mark.parametrize(("rooms", "first"), [(2, "room1"), (12, "room01")])
def test_a_map_to_elements_with_names_begins_with_the_first_of_the_instance(
    rooms: int, first: str
) -> None:
    with sorts_bound({Room: rooms}):
        house = House()
        assert house.room_of[1] == first  # type: ignore[index]
        assert house.keys[1] == Key(first)  # type: ignore[index, arg-type]
        assert house.spare[1][2] == first  # type: ignore[index]


def test_and_so_it_does_in_all_engines() -> None:
    bound = bind(HOUSE, HOUSE.instances[0])
    plain, compiled = explore_plain(bound), explore_compiled(bound)
    assert plain.states > 4
    assert (plain.states, plain.generated) == (compiled.states, compiled.generated)
