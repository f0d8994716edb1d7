"""Of most states of a region it is found without their steps that no fair run can stay there."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.lang import Design, Model
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.pipeline import classes, region
from ackproof.spec.model import MODEL as CONFIRMS

from tests.exploring import seeds
from tests.model import liveness_models as live
from tests.model.random_graphs import random_walk
from tests.pipeline.searches import ALONE, StandIn, bound_of, explorer_of, model_of, summary


@pytest.mark.parametrize("parts", [1, 3, 7])
def test_what_holds_of_confirms_takes_no_memory_of_the_driver(parts: int, tmp_path: Path) -> None:
    bound, session = bound_of(CONFIRMS, "fanout"), StandIn()
    outcome = explorer_of(tmp_path, parts, session=session)(bound)
    assert summary(outcome) == summary(explore_compiled(bound))
    assert (outcome.memory, outcome.limit) == (0, None)
    assert "what classes have in common" in session.jobs
    assert "the steps of the region" not in session.jobs


@pytest.mark.parametrize("parts", [1, 4])
@pytest.mark.parametrize("design", [live.MOVING, live.PATIENT])
def test_steps_are_written_of_what_is_left_alone_and_the_same_is_found(
    design: Design, parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = bound_of(live.DINING, "seats3", design)
    found = explorer_of(tmp_path / "left", parts, small=ALONE)(bound)
    monkeypatch.setattr(region, "left_over", lambda whole, fair, ask: whole)
    whole = explorer_of(tmp_path / "whole", parts, small=ALONE)(bound)
    assert found.memory < whole.memory
    assert (found.violations, found.cycles, found.starts) == (
        whole.violations,
        whole.cycles,
        whole.starts,
    )


@pytest.mark.parametrize("model", [live.LINE, live.DINING], ids=["line", "dining"])
def test_a_step_that_shows_that_a_measure_is_none_is_learnt_from(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classes, "SAMPLE", 1)
    bound, session = bound_of(model), StandIn()
    outcome = explorer_of(tmp_path, 3, session=session)(bound)
    assert session.jobs.count("the classes of the region") > 1
    assert summary(outcome) == summary(explore_compiled(bound))


@pytest.mark.parametrize("seed", seeds(10))
def test_random_walks_stay_where_they_did_whatever_the_sample_is(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classes, "SAMPLE", 1)
    bound = bound_of(model_of(random_walk(seed).source(), tmp_path))
    outcome = explorer_of(tmp_path / "work", small=ALONE)(bound)
    assert summary(outcome) == summary(explore_compiled(bound))
