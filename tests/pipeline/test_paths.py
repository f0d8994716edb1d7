"""The links that a search keeps lead from the initial state to every state."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.paths import path_to
from ackproof.pipeline.sealed import seal_of

from tests.models import two_phase_commit
from tests.pipeline.sealing import rewrite
from tests.pipeline.searches import ALONE, bound_of, explorer_of, folder_of, written


@pytest.mark.parametrize(("parts", "small"), [(1, ALONE), (5, 1), (16, ALONE)])
def test_every_state_is_reached_by_its_path(parts: int, small: int, tmp_path: Path) -> None:
    bound = bound_of(two_phase_commit.MODEL, "rm3")
    explorer_of(tmp_path / "work", parts, small=small)(bound)
    folder = folder_of(tmp_path / "work")
    assert_paths(
        folder, {w: dict(s) for w, s in written(bound, tmp_path / "plain").steps().items()}
    )


def test_files_in_several_pieces_are_read_alike(tmp_path: Path) -> None:
    bound = bound_of(two_phase_commit.MODEL, "rm3")
    explorer_of(tmp_path / "work", 2)(bound)
    folder = folder_of(tmp_path / "work")
    for path in folder.root.glob("states/*/*.parquet"):
        pq.write_table(pq.read_table(path, partitioning=None), path, row_group_size=3)
    for level in folder.levels():
        found = [folder.states(level.level, part) for part in range(2)]
        seals = [seal_of(path.read_bytes()) if path.exists() else "" for path in found]
        rewrite(folder.manifest(level.level, level.token), partial(dict.update, seals=seals))
    assert_paths(
        folder, {w: dict(s) for w, s in written(bound, tmp_path / "plain").steps().items()}
    )


def assert_paths(folder: Folder, steps: dict[tuple[int, ...], dict[int, tuple[int, ...]]]) -> None:
    """Take the steps of the path to each state."""
    levels, checked = folder.levels(), 0
    (initial,) = (
        row["w0"] % 2**64
        for path in folder.root.glob("states/level=00001/*")
        for row in pq.read_table(path, partitioning=None).to_pylist()
    )
    for level in levels:
        for part, rows in enumerate(level.rows):
            if not rows:
                continue
            table = pq.read_table(folder.states(level.level, part), partitioning=None)
            for row, word in enumerate(table.column("w0").to_pylist()):
                (_, first), path = path_to(folder, levels, level.level, part, row)
                assert first == 0
                assert len(path) == level.level - 1
                state = (initial,)
                for number in path:
                    state = steps[state][number]
                assert state == (word % 2**64,)
                checked += 1
    assert checked == len(steps)
