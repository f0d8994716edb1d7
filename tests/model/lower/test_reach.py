"""Two programs that are the same in all that the one comes to take the same steps."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.lang import (
    Const,
    Design,
    Each,
    Instance,
    Model,
    OrderedSort,
    Process,
    Set,
    Sort,
    System,
    action,
    handler,
    require,
)
from ackproof.lang.binding import Bound, bind
from ackproof.lang.frontend import compile_model
from ackproof.model.lower.reach import Reach
from ackproof.model.mutation.mutants import loaded, mutants_of
from ackproof.model.outcome import Outcome
from ackproof.model.plain_search import explore
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.exploring import examples
from tests.model import random_specs
from tests.model.lower.depot import MODEL, Parcel, Van
from tests.model.lower.test_fixed import bound_of


class Crate(OrderedSort):
    """What is moved."""


class Crane(Sort):
    """What moves it; there may be none."""


class Hook(Process):
    """What hangs from a crane."""

    held: Set[Crate]

    @handler
    def take(self, crate: Crate) -> None:
        """Take a crate."""
        self.held.add(crate)


class Yard(System):
    """A yard with a part that is off, in each way in which Python leaves something out."""

    night: Const[bool] = False
    hooks: Each[Crane, Hook]
    here: Set[Crate]
    gone: Set[Crate]

    @action
    def come(self, crate: Crate) -> None:
        """A crate comes; at night it is gone at once."""
        require(crate not in self.here and (not self.night or crate not in self.gone))
        self.here.add(crate)
        if self.night:
            self.gone.add(crate)

    @action
    def go(self, crate: Crate) -> None:
        """It goes by night, and any other time."""
        require(self.night or crate in self.here)
        self.here = self.here - ({crate} if not self.night else set())

    @action
    def steal(self, crate: Crate) -> None:
        """It is taken by night."""
        require(crate in self.here)
        require(self.night)
        self.gone.add(crate)

    @action
    def lift(self) -> None:
        """All cranes take the first crate."""
        require(bool(self.here))
        for crane in Crane:
            self.hooks[crane].take(Crate.first())


class Idle(Hook):
    """A hook that takes nothing."""

    @handler
    def take(self, crate: Crate) -> None:
        """Take nothing."""


class Keeps(Yard):
    """At night nothing is lost."""

    @action
    def come(self, crate: Crate) -> None:
        """It stays."""
        require(crate not in self.here and (not self.night or crate not in self.gone))
        self.here.add(crate)
        if self.night:
            self.here.add(crate)


class AsksLess(Yard):
    """At night anything may come."""

    @action
    def come(self, crate: Crate) -> None:
        """Ask less."""
        require(crate not in self.here and (not self.night or crate in self.gone))
        self.here.add(crate)
        if self.night:
            self.gone.add(crate)


class AllGo(Yard):
    """By night, all go."""

    @action
    def go(self, crate: Crate) -> None:
        """All go."""
        require(self.night or crate in self.here)
        self.here = self.here - ({crate} if not self.night else self.here)


class StealsAll(Yard):
    """Who steals takes all."""

    @action
    def steal(self, crate: Crate) -> None:
        """Take them all."""
        require(crate in self.here)
        require(self.night)
        self.gone |= self.here


class Anytime(Yard):
    """Somebody steals by day."""

    @action
    def steal(self, crate: Crate) -> None:
        """It is taken."""
        require(crate in self.here)
        self.gone.add(crate)


class Returns(Yard):
    """What comes is not gone any more."""

    @action
    def come(self, crate: Crate) -> None:
        """Do something at the end."""
        require(crate not in self.here and (not self.night or crate not in self.gone))
        self.here.add(crate)
        if self.night:
            self.gone.add(crate)
        self.gone.discard(crate)


YARD = Model("yard", Yard, (), ())


def yard(*replaced: type[Process], cranes: int = 0, night: bool = False) -> Bound:
    """The yard, with some classes replaced."""
    sizes, constants = {Crate: 2, Crane: cranes}, {"Yard.night": night}
    design = Design(claim="", replace=replaced) if replaced else None
    return bind(YARD, Instance("yard", "a yard", sizes, {}, constants), design)


@pytest.mark.parametrize("change", [Keeps, AsksLess, AllGo, StealsAll, Idle])
def test_what_no_step_comes_to_may_be_anything(change: type[Process]) -> None:
    assert Reach(yard()).is_same(yard(change))


@pytest.mark.parametrize("change", [Keeps, AsksLess, AllGo, StealsAll])
def test_where_it_is_come_to_it_may_not(change: type[Process]) -> None:
    assert not Reach(yard(night=True)).is_same(yard(change, night=True))


def test_a_loop_is_come_to_where_it_ranges_over_something() -> None:
    assert not Reach(yard(cranes=1)).is_same(yard(Idle, cranes=1))


@pytest.mark.parametrize("change", [Anytime, Returns])
def test_a_demand_that_is_left_out_and_what_is_added_make_a_difference(
    change: type[Process],
) -> None:
    assert not Reach(yard()).is_same(yard(change))


def test_another_constant_makes_a_difference() -> None:
    assert not Reach(yard()).is_same(yard(night=True))


# -- mistakes that nobody chose -------------------------------------------------------------------


def found(bound: Bound) -> Outcome:
    """What a search finds, of some levels."""
    return explore(bound, max_depth=4, survey=True)


def same_search(one: Outcome, other: Outcome) -> bool:
    """Whether two searches came to the same states by the same steps."""
    ours, theirs = (
        (o.level_sizes, o.per_action, o.violations.keys(), o.witnessed) for o in (one, other)
    )
    return ours == theirs


def test_a_mistake_that_is_not_come_to_changes_no_search(tmp_path: Path) -> None:
    instances = (
        Instance("off", "no vans", {Parcel: 2, Van: 0}),
        Instance("vans", "a van, and fire", {Parcel: 2, Van: 1}, {"fire": 1}),
        Instance("insured", "insurance", {Parcel: 1, Van: 0}, {}, {"Depot.insuring": True}),
    )
    told = []
    for instance in instances:
        base = bind(MODEL, instance)
        reach, expected = Reach(base), found(base)
        for mutant in mutants_of(MODEL):
            with loaded(mutant, tmp_path) as design:
                changed = bind(MODEL, instance, design, None, compile_model(MODEL, design))
                told.append(reach.is_same(changed))
                if told[-1]:
                    assert same_search(found(changed), expected), mutant.name
    assert 20 < sum(told) < len(told) - 20


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck), deadline=None)
@given(source=random_specs.specs(depth=2), data=st.data())
def test_of_programs_that_nobody_chose(
    tmp_path_factory: pytest.TempPathFactory, source: str, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("reach")
    base = bound_of(source, folder)
    mutants = mutants_of(base.model)
    if not mutants:
        return
    mutant = data.draw(st.sampled_from(mutants))
    with loaded(mutant, folder) as design:
        program = compile_model(base.model, design)
        changed = bind(base.model, base.instance, design, None, program)
        if Reach(base).is_same(changed):
            assert same_search(found(changed), found(base)), mutant.name
