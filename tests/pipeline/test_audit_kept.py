"""What an audit keeps is written where it is made, told with a tally, read as it was written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ackproof.pipeline.audit import kept as module
from ackproof.pipeline.audit.kept import RowsFile, Tally, Telling, _Read, kept, told
from ackproof.pipeline.audit.tables import PACKED, TABLES
from ackproof.pipeline.places import Place
from ackproof.pipeline.sealed import FileChanged
from ackproof.pipeline.session import Session
from ackproof.pipeline.storage import placed

from tests.exploring import chance
from tests.pipeline.test_flipped_bits import flip

ROWS = [("facts", 1, b"f"), ("channels", 0, b"c"), ("facts", 2, b"g")]
CALLED = pa.schema([("called", pa.string()), ("times", pa.int64())])


def packed(rows: list[tuple[str, int, bytes]]) -> Iterator[pa.RecordBatch]:
    """Rows of tables, each packed by itself."""
    for table, bucket, blob in rows:
        yield pa.record_batch([[table], pa.array([bucket], pa.int32()), [blob]], schema=PACKED)


def same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Work that makes nothing of rows."""
    return batches


def written(place: Place, rows: list[tuple[str, int, bytes]] = ROWS) -> RowsFile:
    """A file of packed rows."""
    (file,) = Telling(same, PACKED, place).note(packed(rows), "part", True).files
    return file


def read(place: Place, file: RowsFile, table: str) -> list[tuple[str, int, bytes]]:
    """The rows of one table in a file."""
    reader = _Read(((place / file.name, file.seal),), (table,))
    batches = reader(iter([pa.record_batch([[0]], ["id"])]))
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("together", [1, 1 << 20])
def test_only_the_rows_of_the_table_are_read_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    monkeypatch.setattr(module, "_ROW_GROUP", together)
    place = placed(tmp_path / "rows").absolute()
    file = written(place)
    assert read(place, file, "facts") == [ROWS[0], ROWS[2]]
    assert read(place, file, "channels") == [ROWS[1]]
    assert read(place, file, "quarantine") == []


def test_a_file_without_rows_is_read_as_one(tmp_path: Path) -> None:
    place = placed(tmp_path / "rows").absolute()
    assert read(place, written(place, []), "facts") == []


def test_no_bit_that_flips_is_silent(tmp_path: Path) -> None:
    rng = chance("flips in an audit")
    for trial in range(20):
        place = placed(tmp_path / str(trial)).absolute()
        file = written(place)
        flip(tmp_path / str(trial) / file.name, rng)
        with pytest.raises(FileChanged, match="its seal is broken"):
            read(place, file, "facts")


def test_a_tally_says_what_all_rows_come_to() -> None:
    one, other = Tally(), Tally()
    one.count(pa.record_batch([["a", "b"], [3, 9]], schema=CALLED))
    one.count(pa.record_batch([["c"], [1]], schema=CALLED))
    other.count(pa.record_batch([["d"], [20]], schema=CALLED))
    other.count(pa.record_batch([[], []], schema=CALLED))
    one.add(other)
    assert one == Tally(4, {"times": 33}, {"times": 20})


def test_a_task_without_rows_writes_nothing_unless_it_is_the_first(tmp_path: Path) -> None:
    place = placed(tmp_path / "rows").absolute()
    task = Telling(same, TABLES["quarantine"], place)
    assert task.note(iter([]), "part-1", False).files == []
    assert not (tmp_path / "rows").exists()
    note = task.note(iter([]), "part-0", True)
    assert (len(note.files), note.tally) == (1, Tally())
    assert pq.read_table(tmp_path / "rows").schema.names == TABLES["quarantine"].names


def test_many_rows_are_in_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROW_GROUP", 1)
    monkeypatch.setattr(module, "_FILE", 20)
    place = placed(tmp_path / "rows").absolute()
    note = Telling(same, PACKED, place).note(packed(ROWS), "part", False)
    assert [file.name for file in note.files] == ["part-0000.parquet", "part-0001.parquet"]
    assert [read(place, file, "facts") for file in note.files] == [[ROWS[0]], [ROWS[2]]]


@pytest.mark.spark
def test_what_tasks_have_left_that_were_run_twice_goes(session: Session, tmp_path: Path) -> None:
    place = placed(tmp_path / "rows").absolute()
    (tmp_path / "rows").mkdir()
    for name in ("part-00000-77.parquet", ".part-00001-78.parquet.5f"):
        (tmp_path / "rows" / name).write_text("half of a file")
    frame = session.spark.createDataFrame(ROWS[:2] * 2, "table string, bucket int, rows binary")
    files, tally = told(frame.repartition(2), Telling(one_by_one, PACKED, place), lambda job: job())
    assert sorted(path.name for path in (tmp_path / "rows").iterdir()) == [f.name for f in files]
    assert tally.rows == 4
    found = kept(session.spark, [(place, files)] * 2, "channels")
    assert [(r["table"], bytes(r["rows"])) for r in found.collect()] == [("channels", b"c")] * 4


def one_by_one(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Work that yields each row by itself."""
    for batch in batches:
        for row in range(len(batch)):
            yield batch.slice(row, 1)
