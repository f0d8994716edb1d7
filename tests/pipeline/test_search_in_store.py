"""A search whose folder is in an object store finds the same, and nobody disturbs it unnoticed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.outcome import Limit, Progress
from ackproof.pipeline import nearby
from ackproof.pipeline.errors import SearchFailed, SearchRefused
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.identity import folder_name
from ackproof.pipeline.lease import Lease
from ackproof.pipeline.objects import ObjectPlace
from ackproof.pipeline.places import Place
from ackproof.pipeline.storage import placed
from ackproof.spec.model import MODEL as CONFIRMS
from pyarrow import fs

from tests.exploring import chance, examples
from tests.model import liveness_models as live
from tests.models import two_phase_commit
from tests.pipeline.sealing import rewritten
from tests.pipeline.searches import ALONE, StandIn, assert_same, bound_of, explorer_of, summary
from tests.pipeline.store import Store
from tests.pipeline.wrong import wrong

SMALL = bound_of(two_phase_commit.MODEL, "rm3")


@pytest.fixture
def work(store: Store, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a folder for searches."""
    name = request.node.name.partition("[")[0]
    yield store.address(name)
    store.files.delete_dir(f"bucket/{name}")


def folder_in(work: str, bound: Any = SMALL) -> Folder:
    """Return the folder of a search."""
    return Folder(placed(work) / folder_name(bound))


def files_in(store: Store, folder: Folder) -> list[str]:
    """The files of a search, by their paths from its folder."""
    root = str(folder.root).removeprefix("s3://")
    found = store.files.get_file_info(fs.FileSelector(root, recursive=True))
    return sorted(file.path.removeprefix(f"{root}/") for file in found if file.is_file)


def test_tiny_is_the_same_with_jobs_that_are_run_twice(store: Store, work: str) -> None:
    bound = bound_of(CONFIRMS, "tiny")
    outcome = explorer_of(work, small=60, session=StandIn(again=True))(bound)
    assert_same(bound, outcome)
    assert outcome.kept is not None
    assert outcome.kept.folder == folder_in(work, bound).root.address
    kinds = {name.partition("/")[0] for name in files_in(store, folder_in(work, bound))}
    assert kinds == {"search.json", "kernel.ll", "levels", "states", "index", "lease"}


@pytest.mark.parametrize("name", ["two at once", "a deadlock"])
def test_what_is_wrong_is_found_alike(name: str, work: str, tmp_path: Path) -> None:
    bound = wrong(name, tmp_path)
    assert_same(bound, explorer_of(work)(bound))


def test_properties_of_runs_are_decided_alike(work: str) -> None:
    bound = bound_of(live.LINE, "values2", live.UNLUCKY)
    outcome = explorer_of(work)(bound)
    assert outcome.violations
    assert_same(bound, outcome)


def test_an_interrupted_search_goes_on_and_finds_the_same(work: str) -> None:
    outcome = explorer_of(work, session=StandIn(stop_at="level 5"))(SMALL)
    assert (outcome.limit, outcome.exhausted) == (Limit.INTERRUPTED, False)
    with pytest.raises(SearchRefused, match="holds a search already"):
        explorer_of(work)(SMALL)
    again = explorer_of(work, resume=True)(SMALL)
    assert again.kept is not None
    assert again.kept.resumed == 4
    assert_same(SMALL, again)


def test_a_machine_without_copies_finds_the_same(work: str) -> None:
    def lose(progress: Progress) -> None:
        for path in nearby.copied("0" * 32, Path.touch).parent.iterdir():
            path.unlink()

    assert summary(explorer_of(work)(SMALL, progress=lose)) == summary(explore_compiled(SMALL))


def flip(path: Place, rng: Any) -> None:
    """Flip a bit of an object."""
    data = bytearray(path.read_bytes())
    at = rng.randrange(8 * len(data))
    data[at // 8] ^= 1 << at % 8
    path.make(lambda made: made.write_bytes(data))


@pytest.mark.parametrize("kind", ["search.json", "levels", "states", "lease", "index", "kernel.ll"])
def test_a_bit_that_flips_in_an_object_is_told_or_mended(
    kind: str, store: Store, work: str
) -> None:
    rng = chance(f"flips in the store {kind}")
    explorer_of(work)(SMALL, max_depth=6)
    folder, told = folder_in(work), 0
    for _ in range(examples(4)):
        some = [name for name in files_in(store, folder) if name.startswith(kind)]
        path = folder.root / rng.choice(some)
        before = path.read_bytes()
        flip(path, rng)
        try:
            found = explorer_of(work, small=ALONE, resume=True)(SMALL, max_depth=6)
            assert kind in ("index", "kernel.ll")
            assert summary(found) == summary(explore_compiled(SMALL, max_depth=6))
        except SearchRefused as refused:
            said = str(refused)
            assert str(path) in said or str(folder.root) in said
            told += 1
            path.make(lambda made, before=before: made.write_bytes(before))
    assert told == (0 if kind in ("index", "kernel.ll") else examples(4))
    assert_same(SMALL, explorer_of(work, small=ALONE, resume=True)(SMALL))


# -- one driver at a time ---------------------------------------------------------------------


def test_a_second_driver_is_refused_while_the_first_is_at_work(work: str) -> None:
    folder = folder_in(work)
    with Lease(folder) as first, pytest.raises(SearchRefused) as refused:
        Lease(folder)
    assert str(refused.value).startswith(f"{folder.root} is in use, by process {os.getpid()} on ")
    with Lease(folder) as second:
        assert (first.token, second.token) == (1, 2)
        with pytest.raises(SearchFailed, match="another driver goes on here"):
            first.require()
    assert [path.stem.partition("-")[0] for path in folder.lease.files()] == ["00002"]


def test_a_claim_that_was_not_taken_back_hides_nobody(work: str) -> None:
    folder = folder_in(work)
    with Lease(folder) as first:
        (own,) = folder.lease.files()
        for name in ("00001-0.json", "00001-zzz.json"):
            other = folder.lease / name
            other.write(rewritten(own.read_bytes(), lambda holder: holder.update(ended=True)))
        with pytest.raises(SearchRefused, match="is in use, by process"):
            Lease(folder)
        first.require()


def test_a_driver_that_looked_long_ago_is_refused(
    work: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, claim = folder_in(work), ObjectPlace.claim

    def late(self: ObjectPlace, content: str) -> ObjectPlace:
        monkeypatch.setattr(ObjectPlace, "claim", claim)
        for token in (1, 2):
            with Lease(folder) as other:
                assert other.token == token
        return claim(self, content)

    monkeypatch.setattr(ObjectPlace, "claim", late)
    with pytest.raises(SearchRefused, match="by another driver that began before"):
        Lease(folder)
    assert [path.stem.partition("-")[0] for path in folder.lease.files()] == ["00002"]


def given_up(folder: Folder) -> None:
    """Say that the driver at work is on another machine, and has been silent for long."""
    (path,) = folder.lease.files()
    path.write(rewritten(path.read_bytes(), lambda holder: holder.update(host="elsewhere 1")))


def test_a_driver_that_wakes_too_late_makes_no_level_that_counts(
    work: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[Any] = []
    # It has looked whether another is at work, and is held up before it writes.
    finish = Folder.finish

    def late(self: Folder, level: Any) -> None:
        if level.level == 5 and not others:
            given_up(self)
            others.append(None)
            with monkeypatch.context() as patched:
                patched.setattr("ackproof.pipeline.lease._SILENCE", -1.0)
                others.append(summary(explorer_of(work, small=ALONE, resume=True)(SMALL)))
        finish(self, level)

    monkeypatch.setattr(Folder, "finish", late)
    with pytest.raises(SearchFailed, match="another driver goes on here"):
        explorer_of(work, small=ALONE)(SMALL)
    folder = folder_in(work)
    names = [path.name for path in (folder.root / "levels").files()]
    assert names.count("00005-00001.json") == names.count("00005-00002.json") == 1
    levels = folder.levels()
    assert [level.token for level in levels] == [1] * 4 + [2] * (len(levels) - 4)
    again = explorer_of(work, small=ALONE, resume=True)(SMALL)
    assert others[1:] == [summary(again)] == [summary(explore_compiled(SMALL))]


# -- what is refused --------------------------------------------------------------------------


def refusal(call: Callable[[], object]) -> str:
    """What a call is refused with; no secret is in it."""
    with pytest.raises((SearchRefused, SearchFailed)) as refused:
        call()
    assert "SESAME" not in str(refused.value)
    return str(refused.value)


def test_a_search_without_a_bucket_or_rights_is_refused(store: Store) -> None:
    said = refusal(lambda: explorer_of(store.address("found", "nosuch"))(SMALL))
    assert said == "s3://nosuch/found: there is no such bucket; make it, or name another"
    store.allow(everything=False)
    try:
        said = refusal(lambda: explorer_of(store.address("found"))(SMALL))
    finally:
        store.allow(everything=True)
    assert said.startswith("s3://bucket/found: the credentials of this process do not allow it (")


def test_a_store_that_stops_in_mid_run_ends_the_search(tmp_path: Path) -> None:
    with Store(tmp_path) as own:

        def stop(progress: Progress) -> None:
            if progress.levels == 3:
                own.close()

        search = explorer_of(own.address("found"), small=ALONE)
        said = refusal(lambda: search(SMALL, progress=stop))
    where, remedy = said.split("\n")
    assert where.startswith("s3://bucket/found/two-phase-commit-rm3/")
    assert ": the store does not answer (" in where
    assert remedy == "  instead: once it is mended, add --resume to go on with the search"
