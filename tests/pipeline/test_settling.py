"""A part keeps of its candidates what it has not seen, once, with links and index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ackproof.model.kernel.stepping import bits_of
from ackproof.pipeline.expanding import MOVED
from ackproof.pipeline.folder import Folder, RunFile
from ackproof.pipeline.index import read_run
from ackproof.pipeline.ordering import fingerprints
from ackproof.pipeline.sealed import seal_of
from ackproof.pipeline.settling import Settlement

from tests.model import mailroom
from tests.models import two_phase_commit
from tests.pipeline.searches import Written, bound_of, files_of, written

PART, TOKEN = 1, 4


@pytest.fixture
def begun(tmp_path: Path) -> Written:
    """A search that is only begun."""
    return written(bound_of(two_phase_commit.MODEL, "rm3"), tmp_path / "search")


def states_of(begun: Written) -> np.ndarray:
    """Return all states that can be reached."""
    return np.array(sorted(begun.steps()), np.uint64)


def row(
    states: np.ndarray, entries: Any, note: str | None = None, part: int = PART
) -> pa.RecordBatch:
    """Return candidates as they are moved."""
    sent = [states.tobytes()], [np.array(entries, np.int64).tobytes()]
    return pa.record_batch([[0], [part], *sent, [note]], schema=MOVED)


def settlement(begun: Written, level: int = 2, runs: Any = ()) -> Settlement:
    """Return the work on a level."""
    return Settlement(
        begun.folder,
        level,
        TOKEN,
        ((), tuple(RunFile(*run) for run in runs), ()),
        {"ackproof.layout": "here"},
    )


def settle(begun: Written, batches: list[pa.RecordBatch], *at: Any) -> dict[str, Any]:
    """Settle a part as a task does; return what it notes."""
    (batch,) = settlement(begun, *at)(iter(batches))
    note: dict[str, Any] = json.loads(batch.column("note")[0].as_py())
    return note


def table_of(begun: Written, level: int = 2) -> Any:
    """Return the states that were written."""
    return pq.read_table(begun.folder.states(level, PART, TOKEN), partitioning=None)


def runs_of(note: dict[str, Any]) -> list[RunFile]:
    """Return the index of the part, as it is noted."""
    ((part, runs),) = note["runs"]
    assert part == PART
    return [RunFile(*run) for run in runs]


def test_states_are_written_once_in_order_with_the_least_link(begun: Written) -> None:
    states = states_of(begun)[:40]
    entries = np.arange(40) << 24 | 3
    batches = [
        row(states, entries + (5 << 24)),
        row(states[::-1], entries[::-1]),
        row(states, entries),
    ]
    note = settle(begun, batches)
    assert (note["rows"], note["candidates"]) == ([[PART, 40]], 120)
    assert note["files"] == [[PART, seal_of(begun.folder.states(2, PART, TOKEN).read_bytes())]]
    assert note["shuffled"] == 120 * 16
    table = table_of(begun)
    assert table.column_names == ["part", "row", "w0", "predecessor", "instance"]
    kept = table.column("w0").to_numpy().view(np.uint64).reshape(-1, 1)
    assert (np.diff(fingerprints(kept).astype(object)) > 0).all()
    assert table.column("part").to_pylist() == [PART] * 40
    assert table.column("row").to_pylist() == list(range(40))
    links = dict(zip(kept[:, 0].tolist(), table.column("predecessor").to_pylist(), strict=True))
    assert links == dict(zip(states[:, 0].tolist(), range(40), strict=True))
    assert table.column("instance").to_pylist() == [3] * 40
    assert table.schema.metadata == {b"ackproof.layout": b"here"}
    assert note["stored"] == begun.folder.states(2, PART, TOKEN).stat().st_size


def test_the_initial_state_has_no_predecessor(begun: Written) -> None:
    initial = np.array(begun.kernel.initials, np.uint64)
    settle(begun, [row(initial, [-1])], 1)
    found = table_of(begun, 1).select(["predecessor", "instance"]).to_pylist()
    assert found == [{"predecessor": -1, "instance": -1}]


def test_what_was_seen_is_taken_away(begun: Written) -> None:
    states, runs = states_of(begun), []
    kept = 0
    for level, end in enumerate((10, 60, 61, 62), start=2):
        note = settle(begun, [row(states[:end], range(end))], level, runs)
        runs = runs_of(note)
        kept += note["rows"][0][1]
        assert kept == end
        read = [read_run(begun.folder.run(PART, run.name), run.seal) for run in runs]
        assert [len(run) for run in read] == [run.rows for run in runs]
        held = np.concatenate([run.words[0] for run in read])
        assert sorted(held.tolist()) == sorted(states[:end, 0].tolist())
    assert [run.name for run in runs] == ["00002-00003", "00004-00005"]


def test_nothing_new_writes_nothing(begun: Written) -> None:
    states = states_of(begun)[:5]
    first = settle(begun, [row(states, range(5))])
    before = {p for p in begun.folder.root.rglob("*") if p.is_file()}
    again = settle(begun, [row(states, range(5))], 3, runs_of(first))
    assert (again["rows"], again["stored"], again["candidates"]) == ([], 0, 5)
    assert again["runs"] == first["runs"]
    assert before == {p for p in begun.folder.root.rglob("*") if p.is_file()}


def test_a_part_that_is_sent_nothing_says_nothing(begun: Written) -> None:
    assert settlement(begun).settled([]) == []
    assert list(settlement(begun)(iter([]))) == []


def test_parts_that_one_task_settles_share_a_file_and_have_an_index_each(begun: Written) -> None:
    states = states_of(begun)[:9]
    batches = [row(states[of::3], range(3), part=of) for of in (2, 0, 1)]
    note = settle(begun, batches)
    assert note["rows"] == [[0, 3], [1, 3], [2, 3]]
    assert [first for first, _ in note["files"]] == [0]
    assert [(part, [run[1] for run in runs]) for part, runs in note["runs"]] == [
        (0, [3]),
        (1, [3]),
        (2, [3]),
    ]
    table = pq.read_table(begun.folder.states(2, 0, TOKEN), partitioning=None)
    assert table.column("part").to_pylist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert table.column("row").to_pylist() == [0, 1, 2] * 3


def test_what_tasks_have_counted_is_passed_on(begun: Written) -> None:
    note = settle(begun, [row(states_of(begun)[:0], [], '{"counts": [1, 2]}')])
    assert (note["notes"], note["rows"]) == ([{"counts": [1, 2]}], [])


def test_a_level_that_is_settled_twice_is_the_same_to_the_byte(begun: Written) -> None:
    states, found = states_of(begun), []
    chance = np.random.default_rng(3)
    for _ in range(2):
        order = chance.permutation(len(states))
        pieces = np.array_split(order, 5)
        settle(begun, [row(states[piece], piece) for piece in pieces])
        root = begun.folder.root
        found.append((files_of(root, "states"), files_of(root, "index")))
    assert found[0] == found[1]
    assert all(found[0])


def test_properties_of_new_states_are_looked_at(tmp_path: Path) -> None:
    begun = Written(bound_of(mailroom.MODEL, "small"), Folder(tmp_path), 3)
    states = states_of(begun)
    note = settle(begun, [row(states, range(len(states)))])
    seen, false = begun_batches(begun).inspect(states)
    assert note["seen"] == seen
    assert note["false"] == bits_of(np.bitwise_or.reduce(false)) != 0


def begun_batches(begun: Written) -> Any:
    """Return the kernel of a search."""
    from ackproof.pipeline.expanding import batches_of

    return batches_of(begun.folder)
