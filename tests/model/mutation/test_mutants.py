"""A mutant is a design like any other, and its name outlives the lines around it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
from ackproof.lang import Ghost, Instance, Model, Range, System, action, helper, require
from ackproof.lang.errors import SpecError
from ackproof.lang.frontend import compile_model
from ackproof.model.check import check
from ackproof.model.mutation.mutants import Mutant, loaded, mutants_of
from ackproof.spec.model import MODEL

from tests.exploring import sample
from tests.mutants import MUTANTS

TINY, MIRRORS = (i for i in MODEL.instances if i.name in ("tiny", "mirrors"))


def named(name: str) -> Mutant:
    return next(m for m in MUTANTS if m.name == name)


def test_each_mutant_has_a_name_of_its_own() -> None:
    assert len({m.name for m in MUTANTS}) == len(MUTANTS)


def test_a_mutant_of_a_base_class_is_under_the_class_that_extends_it(tmp_path: Path) -> None:
    mutant = named("QueueMaster.drain: drops `self.awaiting -= self.store.confirmed`")
    with loaded(mutant, tmp_path) as design:
        (cls,) = design.replace
        names = [c.__name__ for c in cls.__mro__]
        assert names[:4] == ["Mutant", "QueueProcess", "Mistaken", "QueueMaster"]
        report = check(MODEL, TINY, design, engine="plain")
    assert report.outcome.violations


def test_super_leads_past_the_method_that_has_the_mistake(tmp_path: Path) -> None:
    mutant = named("QueueProcess.drain: drops `self.outbox.add(msg)`")
    with loaded(mutant, tmp_path) as design:
        report = check(MODEL, MIRRORS, design)
    assert "SomebodyOwesAnAnswer" in report.outcome.violations


@pytest.mark.parametrize("mutant", sample(MUTANTS, 6), ids=lambda m: m.where)
def test_a_mutant_is_in_the_language_or_rejected_with_a_place(
    mutant: Mutant, tmp_path: Path
) -> None:
    with loaded(mutant, tmp_path) as design:
        found: SpecError | None = None
        try:
            compile_model(MODEL, design)
        except SpecError as error:
            found = error
    assert found is None or found.instead


@pytest.mark.parametrize("mutant", sample(MUTANTS, 6), ids=lambda m: m.where)
def test_where_a_mutant_is_stands_in_the_source(mutant: Mutant) -> None:
    file, line = mutant.where.rsplit(":", 1)
    path = Path(__file__).parents[3] / "spec" / Path(file).name
    assert 0 < int(line) <= len(path.read_text(encoding="utf-8").splitlines())


class Stack(System):
    """Plates on a stack."""

    plates: Annotated[int, Range(0, 3)]
    full: Ghost[bool]

    @helper
    def has_room(self) -> bool:
        """Tell whether one more has room."""
        return self.plates < 3

    @helper
    def is_high(self) -> bool:
        """Tell whether somebody should look at it."""
        return self.reaches(2)

    @helper
    def reaches(self, height: int) -> bool:
        """Tell whether it is as high as that."""
        return self.plates >= height

    @action
    def put(self) -> None:
        """One more."""
        require(self.has_room())
        self.plates += 1
        if self.is_high():
            self.full = self.reaches(3)


class Wobbling(Stack):
    """One from which plates fall."""

    @action
    def fall(self) -> None:
        """The highest one falls."""
        require(self.reaches(1))
        self.plates -= 1


@pytest.mark.parametrize(
    ("system", "asked"), [(Stack, {"has_room"}), (Wobbling, {"has_room", "reaches"})]
)
def test_no_mistake_is_made_in_what_is_asked_for_ghosts_and_by_properties_only(
    system: type[System], asked: set[str]
) -> None:
    model = Model("stack", system, (), (Instance("one", "a stack", {}),))
    names = {m.place.function.__name__ for m in mutants_of(model) if m.place.kind == "helper"}
    assert names == asked
