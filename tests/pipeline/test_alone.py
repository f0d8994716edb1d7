"""The driver settles small levels in its memory; the index takes them in when somebody asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.pipeline.alone import Alone
from ackproof.pipeline.index import read_run
from ackproof.pipeline.jobs import OnSpark
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.exploring import examples
from tests.model import liveness_models as live
from tests.models import two_phase_commit
from tests.pipeline.searches import (
    ALONE,
    assert_same,
    bound_of,
    explorer_of,
    files_of,
    folder_of,
    stored_on,
    summary,
)

RM4 = bound_of(two_phase_commit.MODEL, "rm4")
#: Where steps lead back to levels before, so that what was seen counts.
LINE = bound_of(live.LINE, "values2")


def indexed_states(work: Path) -> list[int]:
    """Return the states that the index has, in their order."""
    folder = folder_of(work)
    last, found = folder.levels()[-1], []
    for part, runs in enumerate(last.runs):
        for run in runs:
            found += read_run(folder.run(part, run.name), run.seal).words[0].tolist()
    return sorted(found)


def states_until(work: Path, level: int) -> list[int]:
    """Return the states of levels up to one, in their order."""
    folder = folder_of(work)
    tables = [stored_on(folder, of) for of in folder.levels()[:level] if of.states]
    return sorted(word % 2**64 for table in tables for word in table.column("w0").to_pylist())


@pytest.mark.parametrize("bound", [RM4, LINE], ids=["commit", "line"])
def test_what_the_driver_settles_has_no_index(bound: object, tmp_path: Path) -> None:
    outcome = explorer_of(tmp_path, small=ALONE)(bound)  # type: ignore[arg-type]
    assert_same(bound, outcome)  # type: ignore[arg-type]
    assert files_of(folder_of(tmp_path).root, "index") == {}
    assert {level.indexed for level in folder_of(tmp_path).levels()} == {0}


@pytest.mark.parametrize("small", [2, 20, 60, 200])
def test_the_index_has_all_up_to_the_level_that_is_said(small: int, tmp_path: Path) -> None:
    outcome = explorer_of(tmp_path, small=small)(RM4)
    assert summary(outcome) == summary(explore_compiled(RM4))
    last = folder_of(tmp_path).levels()[-1]
    assert 1 < last.indexed < last.level or small == 2
    assert indexed_states(tmp_path) == states_until(tmp_path, last.indexed)


def test_it_remembers_no_more_than_it_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Alone, "remembers", 100)
    assert_same(RM4, explorer_of(tmp_path, small=ALONE)(RM4))
    levels = folder_of(tmp_path).levels()
    assert len({level.indexed for level in levels}) > 2
    for level in levels:
        missing = sum(of.states for of in levels[level.indexed : level.level - 1])
        assert missing <= 100, level.level
    assert indexed_states(tmp_path) == states_until(tmp_path, levels[-1].indexed)


@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(
    smalls=st.lists(st.sampled_from([1, 3, 9, 27, 81, ALONE]), min_size=1, max_size=5),
    remembers=st.sampled_from([0, 5, 40, 1 << 20]),
    parts=st.integers(1, 9),
    share=st.sampled_from([1, 10, 1 << 12]),
)
def test_whoever_settles_which_levels_the_states_are_the_same(
    smalls: list[int],
    remembers: int,
    parts: int,
    share: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    work = tmp_path_factory.mktemp("by turns")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Alone, "remembers", remembers)
        for depth, small in enumerate(smalls, start=1):
            how = {"small": small, "share": share, "resume": depth > 1}
            explorer_of(work, parts, **how)(LINE, max_depth=3 * depth)
        assert_same(LINE, explorer_of(work, parts, small=smalls[-1], resume=True)(LINE))


def test_who_goes_on_reads_what_was_remembered_from_the_files_of_states(tmp_path: Path) -> None:
    whole = explorer_of(tmp_path / "whole", small=ALONE)(LINE)
    for depth in range(1, len(whole.level_sizes) + 1):
        work = tmp_path / str(depth)
        explorer_of(work, small=ALONE)(LINE, max_depth=depth)
        assert files_of(folder_of(work).root, "index") == {}
        again = explorer_of(work, small=ALONE, resume=True)(LINE)
        assert summary(again) == summary(whole)
        assert files_of(folder_of(work).root, "index") == {}


def test_runs_of_a_part_stay_few_however_often_somebody_goes_on(tmp_path: Path) -> None:
    explorer_of(tmp_path)(RM4, max_depth=1)
    for depth in range(2, 12):
        small = ALONE if depth % 2 else 1
        explorer_of(tmp_path, small=small, resume=True)(RM4, max_depth=depth)
    folder = folder_of(tmp_path)
    last = folder.levels()[-1]
    for part, runs in enumerate(last.runs):
        assert len(runs) <= 5, "there are some hundred states"
        there = [path.stem for path in folder.run(part, "").parent.files()]
        assert sorted(there) == sorted(run.name for run in runs)


def test_a_driver_that_others_relieve_remembers_nothing(tmp_path: Path) -> None:
    drivers: list[Alone] = []
    held: list[list[Any]] = []
    begin, level = Alone.first, OnSpark.level

    def first(self: Alone, *asked: Any) -> Any:
        drivers.append(self)
        return begin(self, *asked)

    def noted(self: OnSpark, *asked: Any) -> Any:
        held.append(drivers[-1]._runs)
        return level(self, *asked)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Alone, "first", first)
        patched.setattr(OnSpark, "level", noted)
        explorer_of(tmp_path, small=20)(RM4)
    assert held
    assert not any(held)
