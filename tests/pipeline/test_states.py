"""Files of states: small neighbours share one, and each part is read from where it lies."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.pipeline import states
from ackproof.pipeline.folder import Folder, StatesFile
from ackproof.pipeline.sealed import FileChanged
from ackproof.pipeline.states import LevelStates, together
from ackproof.pipeline.tables import Tables
from hypothesis import given
from hypothesis import strategies as st

from tests.models import two_phase_commit
from tests.pipeline.searches import (
    ALONE,
    bound_of,
    explorer_of,
    folder_of,
    local_of,
    stored_on,
    summary,
)

RM4 = bound_of(two_phase_commit.MODEL, "rm4")
LEVEL = 6


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LevelStates:
    """A level of a search in eight parts, which have some files together."""
    monkeypatch.setattr(states, "_SHARED", 60)
    explorer_of(tmp_path, 8, small=ALONE)(RM4)
    folder = folder_of(tmp_path)
    found = LevelStates.on(folder, folder.levels()[LEVEL - 1])
    assert 1 < len(found.files) < sum(rows > 0 for rows in found.rows)
    return found


def manifest_of(found: LevelStates) -> Any:
    """Return the manifest of a level."""
    return found.folder.levels()[found.level - 1]


def test_small_neighbours_are_together() -> None:
    sizes = [3, 0, states._SHARED - 4, 0, 1, 1, 0]
    assert together(enumerate(sizes)) == [range(5), range(5, 6)]


@given(sizes=st.lists(st.integers(0, states._SHARED + 2), max_size=20))
def test_files_have_all_parts_with_states_and_are_not_too_large(sizes: list[int]) -> None:
    files = together(enumerate(sizes))
    assert {p for file in files for p in file} >= {p for p, own in enumerate(sizes) if own}
    assert all(a.stop <= b.start for a, b in pairwise(files))
    for file in files:
        assert sizes[file.start]
        own = [sizes[part] for part in file if sizes[part]]
        assert len(own) == 1 or sum(own) <= states._SHARED
    for a, b in pairwise(files):
        assert sum(sizes[p] for p in a) + sizes[b.start] > states._SHARED, "one more would fit"


def stored_on_all(work: Path) -> list[dict[str, Any]]:
    """Return what the files of a search have, in their order."""
    folder = folder_of(work)
    levels = [level for level in folder.levels() if level.states]
    return [row for level in levels for row in stored_on(folder, level).to_pylist()]


@pytest.mark.parametrize("engine", [explorer_of, local_of])
def test_a_level_of_small_parts_is_one_file(engine: Any, tmp_path: Path) -> None:
    engine(tmp_path, 8, **({"small": ALONE} if engine is explorer_of else {}))(RM4)
    folder = folder_of(tmp_path)
    for level in folder.levels():
        files = folder.states(level.level, 0, 1).parent.files()
        assert [f.name for f in files] == [f"part-{f.first:05d}-00001.parquet" for f in level.files]
        assert len(files) == int(level.states > 0)
    assert max(sum(rows > 0 for rows in level.rows) for level in folder.levels()) == 8


def test_a_level_is_the_same_however_its_parts_share_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for name, most in (("alone", 0), ("some", 60), ("all", 1 << 20)):
        monkeypatch.setattr(states, "_SHARED", most)
        outcome = explorer_of(tmp_path / name, 8, small=ALONE)(RM4)
        assert summary(outcome) == summary(explore_compiled(RM4))
        found.append(stored_on_all(tmp_path / name))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(("share", "files"), [(1, 8), (50, 3), (1 << 12, 1)])
def test_a_level_of_few_states_is_settled_by_few_tasks(
    share: int, files: int, tmp_path: Path
) -> None:
    outcome = explorer_of(tmp_path, 8, share=share)(RM4)
    assert summary(outcome) == summary(explore_compiled(RM4))
    levels = folder_of(tmp_path).levels()
    assert levels[LEVEL - 2].states // 50 == 3
    assert len(levels[LEVEL - 1].files) == files
    assert levels[-1].indexed == levels[-1].level


def test_a_part_is_read_from_the_file_that_it_shares(shared: LevelStates) -> None:
    rows = [shared.read(part, 1) for part in range(8)]
    assert [len(own) for own in rows] == list(shared.rows)
    for backwards in reversed(range(8)):
        assert (shared.read(backwards, 1) == rows[backwards]).all()
    stored = stored_on(shared.folder, manifest_of(shared))
    words = stored.column("w0").to_numpy().view(np.uint64)
    assert (np.concatenate(rows)[:, 0] == words).all()


def test_the_link_of_each_position_is_that_of_its_row(shared: LevelStates) -> None:
    stored = stored_on(shared.folder, manifest_of(shared))
    for position, row in enumerate(stored.to_pylist()):
        assert shared.offsets[row["part"]] + row["row"] == position
        assert shared.link(position) == (row["predecessor"], row["instance"])


def test_a_shared_file_is_read_once_by_who_asks_for_its_parts_in_turn(
    shared: LevelStates, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, opened = states.read_sealed, []
    monkeypatch.setattr(states, "read_sealed", lambda p, s: (opened.append(p), read(p, s))[1])
    states._remembered.cache_clear()
    for part in range(8):
        shared.read(part, 1)
    assert opened == [shared.path_of(file) for file in shared.files]


def test_a_part_without_states_has_no_file(shared: LevelStates) -> None:
    nothing = msgspec.structs.replace(manifest_of(shared), rows=(0,) * 8, files=())
    assert LevelStates.on(shared.folder, nothing).read(3, 5).shape == (0, 5)


def test_a_file_with_other_states_than_it_should_have_is_refused(shared: LevelStates) -> None:
    level, part = manifest_of(shared), shared.files[0].first
    more = msgspec.structs.replace(level, rows=tuple(n + (n > 0) for n in shared.rows))
    with pytest.raises(FileChanged, match=r"has \d+ states and not \d+"):
        LevelStates.on(shared.folder, more).read(part, 1)
    first, second, *rest = shared.files
    swapped = (StatesFile(first.first, second.seal), second, *rest)
    wrong = msgspec.structs.replace(level, files=swapped)
    with pytest.raises(FileChanged, match="its seal is broken"):
        LevelStates.on(shared.folder, wrong).read(part, 1)


def test_files_that_a_dead_driver_has_left_are_no_states(tmp_path: Path) -> None:
    outcome = explorer_of(tmp_path, 8, small=ALONE)(RM4)
    folder = folder_of(tmp_path)
    own = Path(str(folder.states(LEVEL, folder.levels()[LEVEL - 1].files[0].first, 1)))
    own.with_name("part-00007-00001.parquet").write_bytes(own.read_bytes())
    assert sum(level.states for level in Tables(folder.root.address).levels) == outcome.states
    assert own.with_name("part-00007-00001.parquet") not in [
        path for path, *_ in Tables(folder.root.address).files()
    ]


def test_many_parts_take_little_time_each() -> None:
    parts = (1 << 16) - 1
    rows = tuple(part % 2 for part in range(parts))
    files = tuple(StatesFile(of.start, str(of.start)) for of in together(enumerate(rows)))
    found = LevelStates(Folder(Path("nowhere")), 1, 1, rows, files)
    of = [found._file_of(part) for part in range(1, parts, 2)]
    assert {file for file, _ in of} == set(files)
    assert sum(dict(of).values()) == sum(rows)
