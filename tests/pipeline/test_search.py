"""A search on Spark finds what the local engines find, however it is divided."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ackproof.lang import Design, Model
from ackproof.model.outcome import Progress
from ackproof.pipeline import ordering
from ackproof.spec.model import MODEL as CONFIRMS
from hypothesis import HealthCheck, given, settings

from tests.exploring import examples
from tests.model import coins, counting, harbour, mailroom
from tests.model import liveness_models as live
from tests.model.random_specs import specs
from tests.models import dining, two_phase_commit
from tests.pipeline.searches import (
    ALONE,
    StandIn,
    assert_found,
    assert_same,
    bound_of,
    explorer_of,
    files_of,
    model_of,
)
from tests.pipeline.wrong import WRONG, wrong


@pytest.mark.parametrize("survey", [False, True], ids=["stops", "survey"])
@pytest.mark.parametrize("name", WRONG)
def test_whatever_goes_wrong_is_found_by_the_same_run(
    name: str, survey: bool, tmp_path: Path
) -> None:
    bound = wrong(name, tmp_path)
    outcome = explorer_of(tmp_path / "work")(bound, survey=survey)
    assert set(outcome.violations) == WRONG[name][1]
    assert_same(bound, outcome, survey=survey)


@pytest.mark.parametrize(("parts", "small"), [(1, 1), (7, 1), (16, 1), (2, 40), (5, ALONE)])
def test_results_do_not_depend_on_how_states_are_divided(
    parts: int, small: int, tmp_path: Path
) -> None:
    assert_found(bound_of(CONFIRMS, "tiny"), tmp_path, parts, small)


def test_more_parts_than_states_are_no_matter(tmp_path: Path) -> None:
    assert_found(bound_of(two_phase_commit.MODEL, "rm2"), tmp_path, 1000, ALONE)


MODELS: tuple[tuple[Model, str, Design | None], ...] = (
    (two_phase_commit.MODEL, "rm4", None),
    (dining.MODEL, "seats3", None),
    (mailroom.MODEL, "small", None),
    (mailroom.MODEL, "pair", None),
    (harbour.MODEL, "single", None),
    (harbour.MODEL, "pair", None),
    (harbour.MODEL, "unbuilt", None),
    (counting.MODEL, "small", None),
    (coins.MODEL, "three", None),
)


@pytest.mark.parametrize("survey", [False, True], ids=["stops", "survey"])
@pytest.mark.parametrize(("model", "instance", "design"), MODELS)
def test_models_of_this_project_give_the_same(
    model: Model, instance: str, design: Design | None, survey: bool, tmp_path: Path
) -> None:
    assert_found(bound_of(model, instance, design), tmp_path, small=20, survey=survey)


@pytest.mark.parametrize("depth", [1, 2, 5, 17, 18])
def test_a_depth_ends_a_search_where_it_ends_the_local_one(depth: int, tmp_path: Path) -> None:
    bound = bound_of(two_phase_commit.MODEL, "rm3")
    assert_found(bound, tmp_path, max_depth=depth)


@settings(max_examples=examples(12), suppress_health_check=list(HealthCheck))
@given(source=specs(depth=2))
def test_random_programs_give_the_same(
    tmp_path_factory: pytest.TempPathFactory, source: str
) -> None:
    folder = tmp_path_factory.mktemp("random")
    bound = bound_of(model_of(source, folder))
    for parts, survey in ((1, False), (3, True), (5, False)):
        assert_found(bound, folder / str(parts), parts, 10, max_depth=3, survey=survey)


_STILL = '''
"""A system in which nothing can happen."""
from ackproof.lang import Instance, Model, System


class Still(System):
    """Stands still."""

    on: bool


MODEL = Model("still", Still, (), (Instance("only", "x", {}),), deadlock_free=DEADLOCK_FREE)
'''


@pytest.mark.parametrize("deadlock_free", [False, True])
@pytest.mark.parametrize("small", [1, ALONE])
def test_a_system_without_actions_has_one_state(
    deadlock_free: bool, small: int, tmp_path: Path
) -> None:
    source = _STILL.replace("DEADLOCK_FREE", str(deadlock_free))
    bound = bound_of(model_of(source, tmp_path))
    outcome = explorer_of(tmp_path / "work", small=small)(bound)
    assert (outcome.states, outcome.generated, outcome.level_sizes) == (1, 1, (1,))
    assert_same(bound, outcome)


@pytest.mark.parametrize("bits", [0, 3], ids=lambda bits: f"{bits} bits of each print")
@pytest.mark.parametrize("name", ["tiny", "wrong", "runs"])
def test_equal_fingerprints_of_different_states_change_nothing(
    bits: int, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = {
        "tiny": lambda: bound_of(CONFIRMS, "tiny"),
        "wrong": lambda: wrong("two at once", tmp_path),
        "runs": lambda: bound_of(live.LINE, "values2", live.UNLUCKY),
    }[name]()
    weaken(monkeypatch, bits)
    assert_found(bound, tmp_path / "work", survey=True)


def weaken(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    """Keep so many of the highest bits of fingerprints only."""
    strong = ordering.fingerprints
    mask = np.uint64((1 << 64) - (1 << 64 - bits))

    def weak(states: Any) -> Any:
        return strong(states) & mask

    for name, module in list(sys.modules.items()):
        if name.startswith("ackproof.pipeline") and hasattr(module, "fingerprints"):
            monkeypatch.setattr(module, "fingerprints", weak)


# -- what is told ------------------------------------------------------------------------------


def test_progress_tells_of_each_level(tmp_path: Path) -> None:
    told: list[Progress] = []
    bound = bound_of(two_phase_commit.MODEL, "rm3")
    outcome = explorer_of(tmp_path)(bound, progress=told.append)
    sizes = outcome.level_sizes
    assert [p.levels for p in told] == [*range(1, len(sizes) + 1), len(sizes)]
    assert [p.queue for p in told] == [*sizes, 0]
    assert [p.states for p in told][-2:] == [outcome.states] * 2
    assert told[-1].generated == outcome.generated


def test_the_outcome_says_where_the_search_is(tmp_path: Path) -> None:
    said: list[str] = []
    outcome = explorer_of(tmp_path, 5, say=said.append)(bound_of(live.LAMP))
    assert said == [f"the search is kept in {tmp_path}/lamp-one"]
    assert outcome.kept is not None
    assert (outcome.kept.master, outcome.kept.partitions) == ("aside", 5)
    assert (outcome.kept.folder, outcome.kept.resumed) == (f"{tmp_path}/lamp-one", 0)
    states = sum(len(b) for b in files_of(tmp_path / "lamp-one", "states").values())
    assert outcome.kept.stored >= states > 0


def test_levels_of_few_states_start_no_jobs(tmp_path: Path) -> None:
    session = StandIn()
    outcome = explorer_of(tmp_path, small=20, session=session)(
        bound_of(two_phase_commit.MODEL, "rm3")
    )
    sizes = outcome.level_sizes
    large = [level + 2 for level, states in enumerate(sizes) if states >= 20]
    index = "the index of what was seen"
    assert [job for job in session.jobs if job != index] == [f"level {level}" for level in large]
    assert 0 < len(large) < len(sizes)
    assert session.jobs.count(index) <= 1, "before the first of them, if the others are not few"


def test_the_last_levels_of_a_large_search_are_jobs_however_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ackproof.pipeline.levels._LOOKED_UP", 100)
    session, bound = StandIn(), bound_of(two_phase_commit.MODEL, "rm3")
    sizes = explorer_of(tmp_path, small=ALONE, session=session)(bound).level_sizes
    seen = list(itertools.accumulate(sizes))
    late = [level + 2 for level, states in enumerate(seen) if states > 100]
    assert session.jobs == [f"level {level}" for level in late]
    assert 1 < len(late) < len(sizes)
