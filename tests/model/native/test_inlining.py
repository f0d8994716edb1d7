"""What a step calls is put into it, and it asks for nothing twice."""

from __future__ import annotations

import pytest
from ackproof.lang import (
    Each,
    Map,
    NotEnabled,
    Process,
    Set,
    Sort,
    System,
    action,
    handler,
    helper,
    require,
)
from ackproof.model.native.families import assemble
from ackproof.model.native.translate import Translation, translate

from tests.model.native.test_translate import body


class Door(Sort, prefix="d"):
    """Somewhere to come in."""


class Guest(Sort, prefix="g"):
    """Somebody who comes."""


class Bell(Process):
    """Rings."""

    rings: bool = False

    @handler
    def ring(self) -> None:
        """It rings, once."""
        require(not self.rings)
        self.rings = True


class Porter(Process):
    """Lets guests in."""

    bell: Bell
    inside: Set[Guest]
    asked: Map[Guest, Set[Guest]]
    awake: bool = True

    @helper
    def knows(self, guest: Guest) -> bool:
        """Tell whether a guest has come before."""
        return guest in self.inside

    @helper
    def all_but(self, guests: Set[Guest]) -> Set[Guest]:
        """Return who is inside and not among these."""
        return {one for one in self.inside if one not in guests}

    @helper
    def sole(self, guests: Set[Guest]) -> bool:
        """Tell whether there is one guest; it names its argument twice."""
        return len(guests) == 1 and bool(guests)

    @handler
    def admit(self, guest: Guest) -> None:
        """A guest comes in."""
        require(self.awake and not self.knows(guest))
        self.bell.ring()
        one = {guest}
        self.inside |= one

    @helper
    def deep(self, guest: Guest, far: bool) -> bool:
        """Tell something in more than one statement."""
        if far:
            return guest in self.inside
        return False


class House(System):
    """Doors with porters."""

    doors: Each[Door, Porter]
    open: Set[Door]
    late: bool = False

    @action
    def enter(self, guest: Guest, door: Door) -> None:
        """A guest comes in at a door."""
        require(self.doors[door].awake and not self.late)
        one = self.doors[door].all_but({guest})
        require(not one)
        self.doors[door].admit(guest)

    @action
    def count(self, guest: Guest, door: Door) -> None:
        """Somebody counts."""
        require(self.doors[door].sole(self.doors[door].inside | {guest}))
        self.open.add(door)

    @action
    def look(self, guest: Guest, door: Door) -> None:
        """Somebody looks from far away."""
        require(self.doors[door].deep(guest, True))
        self.open.discard(door)

    @action
    def darken(self, door: Door) -> None:
        """It is late, and then nothing is as it was required."""
        require(not self.late)
        self.late = True
        require(not self.late or door in self.open)

    @action
    def sleep(self, door: Door) -> None:
        """A porter sleeps."""
        require(self.doors[door].awake)
        self.doors[door].awake = False


@pytest.fixture(scope="module")
def house() -> Translation:
    """Return the house as a program runs it."""
    return translate(House)


def test_a_step_is_put_where_it_is_called_with_those_that_it_calls(house: Translation) -> None:
    left = body(house, "House", "enter")
    assert "admit" not in left
    assert "ring(" not in left
    assert "bell.rings = True" in left


def test_local_names_are_kept_apart(house: Translation) -> None:
    left = body(house, "House", "enter")
    assert "one_1" in left
    system = assemble(House, house.classes)
    system.enter("ann", "front")  # type: ignore[arg-type]
    assert system.doors["front"].inside == {"ann"}  # type: ignore[index]


def test_what_was_required_is_not_required_again(house: Translation) -> None:
    assert body(house, "House", "enter").count("awake") == 1


def test_what_has_been_written_since_is_required_again(house: Translation) -> None:
    assert body(house, "House", "darken").count("if ") == 2
    system = assemble(House, house.classes)
    with pytest.raises(NotEnabled):
        system.darken("front")  # type: ignore[arg-type]


def test_a_process_is_looked_up_once(house: Translation) -> None:
    assert body(house, "House", "enter").count("self.doors[door]") == 1
    assert body(house, "House", "sleep").count("self.doors[door]") == 1


def test_an_argument_that_costs_something_is_not_computed_twice(house: Translation) -> None:
    assert body(house, "House", "count").count("| {guest}") == 1


def test_a_helper_of_several_statements_is_called(house: Translation) -> None:
    assert ".deep(guest, True)" in body(house, "House", "look")
