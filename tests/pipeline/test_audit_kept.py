"""What an audit keeps is read by what is asked for, and not all at once."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ackproof.pipeline.audit.kept import _Read, kept, write
from ackproof.pipeline.audit.tables import PACKED, PACKED_SCHEMA
from ackproof.pipeline.places import seal_of
from ackproof.pipeline.session import Session
from ackproof.pipeline.storage import placed

ROWS = [("facts", 1, b"f"), ("channels", 0, b"c"), ("facts", 2, b"g")]


@pytest.mark.spark
def test_only_the_files_of_the_table_are_read_that_is_asked_for(
    session: Session, tmp_path: Path
) -> None:
    folders = []
    for number in range(2):
        place = placed(tmp_path / f"batch {number}").absolute()
        frame = session.spark.createDataFrame(ROWS, PACKED_SCHEMA)
        assert write(frame, place, PACKED, lambda job: job()) == ()
        folders.append((place, ()))
    found = kept(session.spark, folders, PACKED_SCHEMA, "channels")
    assert [(r["table"], r["bucket"], bytes(r["rows"])) for r in found.collect()] == [ROWS[1]] * 2
    assert {Path(file).parent.name for file in found.inputFiles()} == {"table=channels"}
    assert kept(session.spark, folders, PACKED_SCHEMA, "facts").count() == 4
    assert kept(session.spark, folders, PACKED_SCHEMA, "quarantine").count() == 0


@pytest.mark.parametrize(("only", "rows"), [(None, [2, 1, 2]), ("facts", [1, 0, 2])])
def test_what_was_written_together_is_read_together_and_no_more(
    tmp_path: Path, only: str | None, rows: list[int]
) -> None:
    path = tmp_path / "part.parquet"
    columns = [list(column) for column in zip(*ROWS, strict=True)]
    whole = pa.table([pa.array(c, f.type) for c, f in zip(columns, PACKED, strict=True)], PACKED)
    with pq.ParquetWriter(path, PACKED) as file:
        for some in (whole[:2], whole[1:2], whole.take([0, 2])):
            file.write_table(some)
    read = _Read(((placed(path), seal_of(path.read_bytes())),), only)
    found = read(iter([pa.record_batch([[0]], ["id"])]))
    assert [batch.num_rows for batch in found if only is None or batch.num_rows] == [
        count for count in rows if count
    ]
