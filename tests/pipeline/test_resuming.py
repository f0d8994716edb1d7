"""A search that is stopped, or dies, goes on and finds the same; another is refused."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.outcome import Limit, Progress
from ackproof.model.plain_search import explore as explore_plain
from ackproof.pipeline import ordering
from ackproof.pipeline.errors import SearchFailed, SearchRefused
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.index import Run, write_run
from ackproof.pipeline.places import LocalPlace
from ackproof.pipeline.search import explorer
from ackproof.pipeline.states import LevelStates
from ackproof.spec.model import MODEL as CONFIRMS

from tests.model import liveness_models as live
from tests.models import two_phase_commit
from tests.pipeline.sealing import rewrite
from tests.pipeline.searches import (
    ALONE,
    StandIn,
    assert_found,
    assert_same,
    bound_of,
    explorer_of,
    files_of,
    folder_of,
    local_of,
    summary,
)
from tests.pipeline.wrong import wrong

#: Who makes levels: the driver alone, jobs, or the engine that keeps all in memory.
CREWS: dict[str, Any] = {
    "alone": partial(explorer_of, small=ALONE),
    "jobs": explorer_of,
    "local": local_of,
}


@pytest.mark.parametrize("level", [2, 5, 12])
def test_an_interrupted_search_goes_on_and_finds_the_same(level: int, tmp_path: Path) -> None:
    bound = bound_of(two_phase_commit.MODEL, "rm3")
    outcome = explorer_of(tmp_path, session=StandIn(stop_at=f"level {level}"))(bound)
    assert (outcome.limit, outcome.exhausted) == (Limit.INTERRUPTED, False)
    assert outcome.level_sizes == explore_compiled(bound).level_sizes[: level - 1]
    session = StandIn()
    again = explorer_of(tmp_path, resume=True, session=session)(bound)
    assert next(job for job in session.jobs if job.startswith("level")) == f"level {level}"
    assert again.kept is not None
    assert again.kept.resumed == min(level, 12) - 1
    assert_same(bound, again)


def test_an_interruption_by_who_is_told_of_progress_ends_the_search(tmp_path: Path) -> None:
    bound = bound_of(two_phase_commit.MODEL, "rm3")

    def interrupt(progress: Progress) -> None:
        if progress.levels == 4:
            raise KeyboardInterrupt

    outcome = explorer_of(tmp_path)(bound, progress=interrupt)
    assert (outcome.limit, len(outcome.level_sizes)) == (Limit.INTERRUPTED, 4)
    assert_same(bound, explorer_of(tmp_path, resume=True)(bound))


@pytest.mark.parametrize("survey", [False, True], ids=["stops", "survey"])
@pytest.mark.parametrize("name", ["two at once", "a deadlock"])
def test_going_on_after_any_level_gives_the_same(name: str, survey: bool, tmp_path: Path) -> None:
    bound = wrong(name, tmp_path)
    whole = explorer_of(tmp_path / "whole")(bound, survey=survey)
    for depth in range(1, len(whole.level_sizes) + 2):
        work = tmp_path / str(depth)
        explorer_of(work)(bound, survey=survey, max_depth=depth)
        again = explorer_of(work, resume=True)(bound, survey=survey)
        assert summary(again) == summary(whole)
        assert again.violations == whole.violations


def test_goals_that_a_dead_driver_has_left_mislead_nobody(tmp_path: Path) -> None:
    bound = wrong("two at once", tmp_path)
    whole = explorer_of(tmp_path / "work")(bound)
    folder = folder_of(tmp_path / "work")
    for level in folder.levels():
        for part, rows in enumerate(level.rows):
            if rows:
                states = LevelStates.on(folder, level).read(part, 1)
                path = folder.root / f"goals/level={level.level:05d}/part-{part:05d}.arrow"
                write_run(path, Run.of(ordering.fingerprints(states), states))
    again = explorer_of(tmp_path / "work", resume=True)(bound)
    assert again.violations == whole.violations == explore_plain(bound).violations


def test_a_finished_search_is_read_and_not_made_again(tmp_path: Path) -> None:
    bound, session = wrong("a step", tmp_path), StandIn()
    first = explorer_of(tmp_path / "work", small=ALONE, session=session)(bound)
    again = explorer_of(tmp_path / "work", small=ALONE, resume=True, session=session)(bound)
    assert session.jobs == []
    assert again.violations == first.violations
    assert_same(bound, again)


@pytest.mark.parametrize("killed", [2, 9])
def test_a_driver_that_dies_before_the_manifest_leaves_nothing_that_counts(
    killed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = bound_of(CONFIRMS, "tiny")
    explorer_of(tmp_path / "whole")(bound)
    finish = Folder.finish

    def die(self: Folder, level: Any) -> None:
        if level.level == killed:
            raise SystemExit
        finish(self, level)

    with monkeypatch.context() as patched:
        patched.setattr(Folder, "finish", die)
        with pytest.raises(SystemExit):
            explorer_of(tmp_path / "work")(bound)
    folder = folder_of(tmp_path / "work")
    assert list((folder.root / "states" / f"level={killed:05d}").iterdir())
    assert not folder.manifest(killed, 1).exists()
    assert_same(bound, explorer_of(tmp_path / "work", resume=True)(bound))
    whole = folder_of(tmp_path / "whole").root
    assert by_first_part(folder.root) == by_first_part(whole)
    for name, content in files_of(whole, "index").items():
        assert (folder.root / name).read_bytes() == content


def by_first_part(root: Path) -> dict[str, bytes]:
    """Return the bytes of all files of states, by their names without the driver."""
    found = files_of(root, "states")
    by_part = {name.rpartition("-")[0]: content for name, content in found.items()}
    assert len(by_part) == len(found), "no other driver has left any"
    return by_part


def test_tasks_that_are_run_twice_write_the_same(tmp_path: Path) -> None:
    bound = bound_of(CONFIRMS, "tiny")
    explorer_of(tmp_path / "once")(bound)
    assert_same(bound, explorer_of(tmp_path / "twice", session=StandIn(again=True))(bound))
    once, twice = folder_of(tmp_path / "once").root, folder_of(tmp_path / "twice").root
    for kind in ("states", "index"):
        assert files_of(once, kind) == files_of(twice, kind)


def test_nothing_is_left_behind_but_what_is_documented(tmp_path: Path) -> None:
    bound = bound_of(live.LINE, "values2", live.UNLUCKY)
    explorer_of(tmp_path)(bound)
    folder = folder_of(tmp_path)
    names = {path.name for path in folder.root.iterdir()}
    assert names == {"search.json", "kernel.ll", "levels", "states", "index", "lease"}
    assert not list(folder.root.rglob(".*"))
    last = folder.levels()[-1]
    for part, runs in enumerate(last.runs):
        assert {folder.run(part, run.name) for run in runs} == set(
            folder.root.glob(f"index/part-{part:05d}/*")
        )


def test_a_search_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    bound = bound_of(live.LAMP)
    explorer_of(tmp_path)(bound)
    with pytest.raises(SearchRefused) as refused:
        explorer_of(tmp_path)(bound)
    assert str(refused.value) == (
        f"{tmp_path}/lamp-one holds a search already\n"
        "  instead: add --resume to go on with it, or give another --work"
    )


def test_a_search_that_is_made_anew_in_its_place_has_nothing_of_the_old(tmp_path: Path) -> None:
    for name in ("nothing", "a state", "a step"):
        bound = wrong(name, tmp_path)
        shutil.rmtree(tmp_path / "work", ignore_errors=True)
        assert_found(bound, tmp_path / "work")


@pytest.mark.parametrize("change", ["partitions", "model", "layout"])
def test_another_search_is_not_gone_on_with(change: str, tmp_path: Path) -> None:
    work, bound = tmp_path / "work", wrong("nothing", tmp_path)
    explorer_of(work)(bound, max_depth=3)
    parts, other = 3, bound
    if change == "partitions":
        parts = 4
    if change == "model":
        other = wrong("an assertion", tmp_path)
    if change == "layout":
        rewrite(folder_of(work).search, lambda known: known["hashes"].update(layout="another"))
    before = contents(work)
    with pytest.raises(SearchRefused, match="cannot be resumed"):
        explorer_of(work, parts, resume=True)(other)
    assert before == contents(work)


def contents(work: Path) -> dict[Path, bytes]:
    """All files of searches, but those that say who is at work."""
    files = (path for path in work.rglob("*") if path.is_file() and path.parent.name != "lease")
    return {path: path.read_bytes() for path in files}


def test_the_number_of_parts_is_taken_from_what_is_there(tmp_path: Path) -> None:
    bound = bound_of(live.LAMP)
    explorer_of(tmp_path, None, session=StandIn(tasks=5))(bound)
    assert len(folder_of(tmp_path).levels()[0].rows) == 10
    outcome = explorer_of(tmp_path, None, resume=True, session=StandIn(tasks=2))(bound)
    assert outcome.kept is not None
    assert outcome.kept.partitions == 10


@pytest.mark.parametrize("partitions", [0, -1, 1 << 16])
def test_a_number_of_parts_that_cannot_be_is_refused(partitions: int, tmp_path: Path) -> None:
    with pytest.raises(SearchRefused) as refused:
        explorer(work=tmp_path, partitions=partitions)
    assert str(refused.value) == (
        f"--partitions {partitions}: a search has 1 to 65,535 partitions\n"
        "  instead: give a few for each core of the cluster"
    )


@pytest.mark.parametrize("second", CREWS)
@pytest.mark.parametrize("first", CREWS)
def test_a_driver_that_was_held_up_in_a_level_harms_nobody(
    first: str, second: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound, make = bound_of(two_phase_commit.MODEL, "rm3"), LocalPlace.make
    whole, held = explore_compiled(bound), []

    def hold_up(place: LocalPlace, write: Any, **how: bool) -> Any:
        if not held and "level=00005" in str(place):
            held.append(place)
            # Nothing is heard of it for a minute, and another takes its place.
            (lease,) = folder_of(tmp_path).lease.files()
            rewrite(Path(str(lease)), lambda said: said.__setitem__("host", "elsewhere 1"))
            os.utime(str(lease), (0, 0))
            assert summary(CREWS[second](tmp_path, 8, resume=True)(bound)) == summary(whole)
        return make(place, write, **how)

    monkeypatch.setattr(LocalPlace, "make", hold_up)
    monkeypatch.setattr("ackproof.pipeline.places._ARRIVAL", 0.1)
    with pytest.raises(SearchFailed, match="another driver goes on here"):
        CREWS[first](tmp_path, 8)(bound)
    assert held
    again = explorer_of(tmp_path, 8, resume=True)(bound)
    assert summary(again) == summary(whole)
