"""The states of a design are laid out as those of its base, so that most code stays what it is."""

from __future__ import annotations

import random
from typing import Annotated

import pytest
from ackproof.lang import (
    Const,
    Design,
    Instance,
    Map,
    Model,
    Range,
    System,
    action,
    require,
)
from ackproof.lang.binding import base_of, bind
from ackproof.lang.kept import anew
from ackproof.model.eras import eras_of
from ackproof.model.lower.fixed import fixed
from ackproof.model.lower.generate import Generator, generate
from ackproof.model.lower.held import held_by
from ackproof.model.lower.tree import Tree
from ackproof.spec.model import MODEL

from tests.exploring import seeds

ERAS = {era.name: era.design for era in eras_of(MODEL) if era.design}


def instance(name: str) -> Instance:
    """Return the instance of that name."""
    found = MODEL.instance(name)
    assert found is not None
    return found


def test_all_that_the_base_has_lies_where_it_lies_in_the_base() -> None:
    for seed in seeds(2):
        draw = random.Random(seed)
        name, era = draw.choice(["small", "mirrors", "drops", "redeclared"]), draw.choice([*ERAS])
        bound = bind(MODEL, instance(name), ERAS[era])
        base = base_of(bound)
        assert base is not None
        with anew():
            there = Generator(base, None).layout
            here = Generator(bound, held_by(bound)).layout
        same = {leaf: slot for leaf, slot in here.slots.items() if leaf in there.slots}
        assert same.keys() == there.slots.keys()
        # Where a word more is needed, the one with the top bit is another.
        assert here.words > there.words or same == there.slots, (name, era)


def test_only_the_actions_that_an_era_changes_are_written_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bound = bind(MODEL, instance("mirrors"), ERAS["rabbitmq_3_11"])
    base = base_of(bound)
    assert base is not None
    written: list[str] = []
    write = Tree.generate

    def noted(tree: Tree) -> None:
        written.append(tree.action.name)
        write(tree)

    monkeypatch.setattr(Tree, "generate", noted)
    with anew():
        generate(base)
        assert {"publish", "sync", "flush"} <= set(written)
        written.clear()
        generate(bound)
    bodies = {a.name: a.body for a in base.actions}
    changed = {a.name for a in bound.actions if a.body is not bodies.get(a.name)}
    assert set(written) <= changed
    assert "flush" in written


def test_less_is_taken_for_known_with_a_base_than_without_and_never_more() -> None:
    bound = bind(MODEL, instance("mirrors"), ERAS["rabbitmq_3_11"])
    own, held = fixed(bound), held_by(bound)
    assert held is not None
    less = held.with_design(own)
    assert less.leaves < own.leaves
    assert less.vacuous < own.vacuous
    assert less.off <= own.off
    assert (less.dead, less.steady) == (own.dead, own.steady)


def test_a_program_without_a_design_has_no_base() -> None:
    assert held_by(bind(MODEL, instance("tiny"))) is None


class Lamp(System):
    """A lamp."""

    lit: bool = False

    @action
    def switch(self) -> None:
        """It is on, or off."""
        self.lit = not self.lit


class Dimmer(Lamp):
    """A lamp that may be dimmed."""

    dims: Const[bool] = False
    dim: bool = False

    @action
    def turn(self) -> None:
        """It is dim, if it dims."""
        require(self.dims)
        self.dim = True


LAMP = Model("lamp", Lamp, (), (Instance("lamp", "a lamp", {}),))


def test_what_a_design_adds_is_placed_last_and_known_if_nothing_changes_it() -> None:
    design = Design("It dims.", "test", replace=(Dimmer,))
    bound = bind(LAMP, LAMP.instances[0], design)
    assert [v.name for v in bound.program.variables if v.added] == ["dims", "dim"]
    assert [a.name for a in bound.program.actions] == ["switch", "turn"]
    assert len(Generator(bound, held_by(bound)).layout.slots) == 1


class House(System):
    """A house with a lamp and a door."""

    lamp: Lamp
    open: bool = False

    @action
    def leave(self) -> None:
        """Somebody leaves, in the dark."""
        require(not self.lamp.lit)
        self.open = True


class Bright(Lamp):
    """A lamp with a second bulb."""

    both: bool = False

    @action
    def switch(self) -> None:
        """Both are lit."""
        super().switch()
        self.both = self.lit


class BrightHouse(House):
    """A house that asks about the second bulb."""

    lamp: Bright

    @action
    def leave(self) -> None:
        """Somebody leaves, and neither is lit."""
        require(not self.lamp.both)
        super().leave()


def test_a_part_that_is_declared_as_what_plays_it_lies_where_it_lies_in_the_base() -> None:
    house = Model("house", House, (), (Instance("house", "a house", {}),))
    design = Design("It is brighter.", "test", replace=(Bright, BrightHouse))
    bound = bind(house, house.instances[0], design)
    base = base_of(bound)
    assert base is not None
    assert [".".join(v.path) for v in bound.program.variables] == ["open", "lamp.lit", "lamp.both"]
    there, here = Generator(base, None).layout, Generator(bound, held_by(bound)).layout
    assert {leaf: here.slots[leaf] for leaf in there.slots} == there.slots
    assert len(here.slots) == len(there.slots) + 1


def test_an_instance_that_only_the_design_fits_is_laid_out_without_the_base() -> None:
    design = Design("It dims.", "test", replace=(Dimmer,))
    bound = bind(LAMP, Instance("dim", "a dim lamp", {}, constants={"Lamp.dims": True}), design)
    assert base_of(bound) is None
    assert held_by(bound) is None
    assert len(Generator(bound, None).layout.slots) == 2


class Wall(System):
    """More lamps than there is room for."""

    lit: Map[Annotated[int, Range(0, 3_000_000)], bool]

    @action
    def switch(self) -> None:
        """One is on."""
        self.lit[1] = True


class Row(Wall):
    """Some lamps."""

    lit: Map[Annotated[int, Range(0, 2)], bool]

    @action
    def switch(self) -> None:
        """Another one is on."""
        self.lit[2] = True


def test_a_base_that_there_is_no_room_for_is_not_analysed() -> None:
    wall = Model("wall", Wall, (), (Instance("wall", "a wall", {}),))
    bound = bind(wall, wall.instances[0], Design("It is shorter.", "test", replace=(Row,)))
    assert base_of(bound) is not None
    assert held_by(bound) is None
