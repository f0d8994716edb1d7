"""A mutant is a design like any other, and its name outlives the lines around it."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.lang.errors import SpecError
from ackproof.lang.frontend import compile_model
from ackproof.model.check import check
from ackproof.model.mutation.mutants import Mutant, loaded
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
