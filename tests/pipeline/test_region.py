"""The region of properties of runs is gathered from all parts, and judged as the local one is."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.lang import Design, Model
from ackproof.model.kernel.batches import Batches
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.outcome import Limit

from tests.exploring import seeds
from tests.model import liveness_models as live
from tests.model.random_graphs import ESCAPES, random_walk
from tests.pipeline.searches import (
    ALONE,
    StandIn,
    assert_found,
    assert_same,
    bound_of,
    explorer_of,
    folder_of,
    model_of,
    summary,
)

_RUNS: tuple[tuple[Model, str, Design | None], ...] = (
    (live.PETERSON, "await", None),
    (live.PETERSON, "await", live.GOING),
    (live.DINING, "seats3", None),
    (live.DINING, "seats3", live.MOVING),
    (live.DINING, "seats3", live.PATIENT),
    (live.LINE, "values2", None),
    (live.LINE, "values2", live.UNLUCKY),
    (live.KETTLE, "sound", None),
    (live.KETTLE, "leaking", None),
    (live.LAMP, "one", None),
    (live.LAMP, "one", live.DIM),
    (live.LAMP, "one", live.SURE),
)


@pytest.mark.parametrize("small", [1, ALONE], ids=["jobs", "alone"])
@pytest.mark.parametrize(("model", "instance", "design"), _RUNS)
def test_properties_of_runs_are_decided_alike(
    model: Model, instance: str, design: Design | None, small: int, tmp_path: Path
) -> None:
    assert_found(bound_of(model, instance, design), tmp_path, 4, small)


@pytest.mark.parametrize("seed", seeds(20))
def test_random_walks_arrive_where_the_local_engine_says(seed: int, tmp_path: Path) -> None:
    bound = bound_of(model_of(random_walk(seed).source(), tmp_path))
    assert_found(bound, tmp_path / "work", small=ALONE if seed % 2 else 1)


def test_a_run_may_keep_away_from_where_it_would_have_to_leave(tmp_path: Path) -> None:
    bound = bound_of(model_of(ESCAPES.source(), tmp_path))
    outcome = explorer_of(tmp_path / "work")(bound)
    assert outcome.cycles == {"Arrives": (0, 0)}
    assert_same(bound, outcome)


def test_steps_that_do_not_fit_leave_it_open(tmp_path: Path) -> None:
    bound = bound_of(live.LINE, "values2")
    roomy = explorer_of(tmp_path / "roomy")(bound)
    assert (roomy.limit, roomy.exhausted) == (None, True)
    outcome = explorer_of(tmp_path / "tight")(bound, memory=roomy.memory - 1)
    assert (outcome.limit, outcome.exhausted) == (Limit.MEMORY, True)
    assert (outcome.states, outcome.violations) == (roomy.states, {})


@pytest.mark.parametrize("job", ["the region of runs", "the steps of the region"])
def test_an_interruption_while_runs_are_judged_leaves_it_open(job: str, tmp_path: Path) -> None:
    bound = bound_of(live.LINE, "values2", live.UNLUCKY)
    outcome = explorer_of(tmp_path, session=StandIn(stop_at=job))(bound)
    assert (outcome.limit, outcome.exhausted, dict(outcome.violations)) == (
        Limit.INTERRUPTED,
        True,
        {},
    )
    assert_same(bound, explorer_of(tmp_path, resume=True)(bound))


# -- how it is gathered -----------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 3, 1 << 12])
def test_steps_are_made_in_slices(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = bound_of(live.DINING, "seats3", live.PATIENT)
    monkeypatch.setattr(Batches, "slice", size)
    outcome = explorer_of(tmp_path, 4, small=ALONE)(bound)
    local = explore_compiled(bound)
    assert summary(outcome) == summary(local)
    assert outcome.memory > 0


def test_the_steps_are_as_many_as_in_the_local_engine(tmp_path: Path) -> None:
    bound = bound_of(live.LINE, "values2", live.UNLUCKY)
    by_parts = {
        explorer_of(tmp_path / str(parts), parts, small=ALONE)(bound).memory for parts in (1, 3, 40)
    }
    assert len(by_parts) == 1


def test_the_memory_allowed_is_what_the_steps_take(tmp_path: Path) -> None:
    bound = bound_of(live.DINING, "seats3", live.PATIENT)
    taken = explorer_of(tmp_path / "roomy", small=ALONE)(bound).memory
    for memory, limit in ((taken, None), (taken - 1, Limit.MEMORY)):
        outcome = explorer_of(tmp_path / str(memory), small=ALONE)(bound, memory=memory)
        assert (outcome.limit, outcome.needed) == (limit, taken if limit else 0)


def test_a_region_is_a_few_jobs_and_leaves_no_files(tmp_path: Path) -> None:
    session = StandIn()
    explorer_of(tmp_path, session=session)(bound_of(live.DINING, "seats3", live.MOVING))
    jobs = [job for job in session.jobs if not job.startswith("level")]
    first = jobs.index("the region of runs")
    assert list(dict.fromkeys(jobs[first:])) == [
        "the region of runs",
        "the classes of the region",
        "what classes have in common",
        "the classes that are left",
        "the steps of the region",
    ]
    assert not (folder_of(tmp_path).root / "region").exists()


def test_what_a_dead_driver_has_left_of_a_region_is_forgotten(tmp_path: Path) -> None:
    bound = bound_of(live.LINE, "values2", live.UNLUCKY)
    explorer_of(tmp_path, small=ALONE)(bound)
    left = folder_of(tmp_path).root / "region"
    left.mkdir()
    (left / "states-00000.arrow").write_bytes(b"half")
    again = explorer_of(tmp_path, small=ALONE, resume=True)(bound)
    assert summary(again) == summary(explore_compiled(bound))
    assert not left.exists()
