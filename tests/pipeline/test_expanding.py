"""Tasks expand the states of a level, and send each successor to the part that it belongs to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ackproof.pipeline import expanding
from ackproof.pipeline.expanding import MOVED, Expansion, batches_of, shares
from ackproof.pipeline.folder import Folder, Level
from ackproof.pipeline.ordering import fingerprints, parts_of
from ackproof.pipeline.sealed import read_text
from ackproof.pipeline.states import LevelStates
from hypothesis import given
from hypothesis import strategies as st

from tests.models import two_phase_commit
from tests.pipeline.searches import ALONE, bound_of, explorer_of, folder_of, written

Row = tuple[int, ...]

LEVEL = 6


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A finished search in four parts."""
    explorer_of(tmp_path / "work", 4, small=ALONE)(bound_of(two_phase_commit.MODEL, "rm4"))
    return folder_of(tmp_path / "work").root


def level_of(root: Path, number: int = LEVEL) -> Level:
    """Return what is known of a level."""
    return folder_of(root.parent).levels()[number - 1]


def states_of(root: Path, level: Level) -> list[Row]:
    """Return the states of a level by their position."""
    found = LevelStates.on(Folder(root), level)
    parts = [found.read(part, 1) for part in range(len(level.rows))]
    return [tuple(row) for row in np.concatenate(parts).tolist()]


def moved(root: Path, tasks: int) -> tuple[list[tuple[int, Row, int]], list[Any]]:
    """Return what all tasks move: part, state and entry; and what they have counted."""
    level = level_of(root)
    rows, notes = [], []
    expansion = Expansion(LevelStates.on(Folder(root), level), tasks, 2)
    for task in range(tasks):
        for batch in expansion.moves(task):
            assert batch.schema == MOVED
            for row in batch.to_pylist():
                if row["note"] is not None:
                    notes.append(json.loads(row["note"]))
                    assert row["part"] in range(4)
                assert row["task"] == row["part"] // 2, "two tasks settle two parts each"
                states = np.frombuffer(row["states"], np.uint64).reshape(-1, 1).tolist()
                entries = np.frombuffer(row["entries"], np.int64).tolist()
                pairs = zip(states, entries, strict=True)
                rows += [(row["part"], tuple(state), entry) for state, entry in pairs]
    return rows, notes


@pytest.mark.parametrize("batch", [1, 7, 1 << 19])
@pytest.mark.parametrize("tasks", [1, 3, 4])
def test_every_successor_is_sent_with_a_link_that_is_true(
    tasks: int, batch: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expanding, "_BATCH", batch)
    level = level_of(root)
    states = states_of(root, level)
    steps = written(bound_of(two_phase_commit.MODEL, "rm4"), root.parent.parent / "plain").steps()
    rows, notes = moved(root, tasks)
    for part, state, entry in rows:
        assert (entry & 0xFFFFFF, state) in steps[states[entry >> 24]]
        assert part == parts_of(fingerprints(np.array([state], np.uint64)), 4)[0]
    expected = {after for state in states for _, after in steps[state]}
    assert expected - set(states) <= {state for _, state, _ in rows} <= expected
    counted = np.sum([note["counts"] for note in notes], axis=0)
    assert counted.sum() == sum(len(steps[state]) for state in states)


def test_rows_are_cut_where_they_get_large(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = moved(root, 2)
    monkeypatch.setattr(expanding, "_ROW_BYTES", 24)
    found = LevelStates.on(Folder(root), level_of(root))
    sizes = [len(batch.column("states")[0].as_py()) for batch in Expansion(found, 2, 4).moves(0)]
    assert max(sizes) == 24
    assert sorted(moved(root, 2)[0]) == sorted(whole)


def test_a_task_without_states_sends_nothing(root: Path) -> None:
    first = level_of(root, 1)
    expansion = Expansion(LevelStates.on(Folder(root), first), 4, 4)
    sent = [len(list(expansion.moves(task))) for task in range(4)]
    assert [n > 0 for n in sent] == [rows > 0 for rows in first.rows]


@given(parts=st.integers(1, 200), tasks=st.integers(1, 200))
def test_shares_are_all_parts_in_their_order(parts: int, tasks: int) -> None:
    found = shares(parts, tasks)
    assert [part for share in found for part in share] == list(range(parts))
    sizes = [len(share) for share in found]
    assert len(found) == tasks
    assert max(sizes) - min(sizes) <= 1


def test_a_kernel_is_made_once_for_a_search_and_again_for_another(tmp_path: Path) -> None:
    for name, kernels in (("rm2", 1), ("rm3", 1)):
        written(bound_of(two_phase_commit.MODEL, name), tmp_path)
        made = {id(batches_of(Folder(tmp_path))) for _ in range(3)}
        assert len(made) == kernels
        text = batches_of(Folder(tmp_path)).code.text
        assert text == read_text(tmp_path / "kernel.ll")
