"""Where rows of an audit are kept: as Spark writes tables, or as tasks put files into a store.

Spark knows directories that all machines share, and reads of its tables what is asked for.  To an
object store it has no way without libraries of its own; there each task writes one file, under a
name that no other has, and says its seal.  Those that are told count, and nothing else that lies
there: a task that was run twice has left two.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from ackproof.pipeline.audit.tables import PACKED
from ackproof.pipeline.keeping import keep_what_is_loaded
from ackproof.pipeline.notes import NOTES, NOTES_SCHEMA
from ackproof.pipeline.places import LocalPlace, Place

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["RowsFile", "kept", "write"]


#: Bytes that are written, and read, at once: a task has room for a few of these.
_ROW_GROUP = 16 << 20


class RowsFile(NamedTuple):
    """A file that a task has put into a store: its name and its seal."""

    name: str
    seal: str


def write(
    frame: DataFrame, place: Place, schema: pa.Schema, run: Callable[[Callable[[], Any]], Any]
) -> tuple[RowsFile, ...]:
    """Write rows into a folder, which is empty; return the files, none where Spark knows them.

    Args:
        frame: the rows.
        place: the folder.
        schema: of the rows.
        run: runs what starts a job.
    """
    if isinstance(place, LocalPlace):
        writer = frame.write.option("parquet.block.size", _ROW_GROUP)
        if schema == PACKED:
            writer = writer.partitionBy("table")
        run(lambda: writer.parquet(_url(place)))
        return ()
    notes = run(lambda: frame.mapInArrow(_Write(place, schema), NOTES_SCHEMA).collect())
    files = tuple(sorted(RowsFile(*json.loads(note["note"])) for note in notes))
    told = {file.name for file in files}
    for found in place.files():
        if found.name not in told:
            found.unlink(missing_ok=True)
    return files


def kept(
    spark: SparkSession,
    folders: Sequence[tuple[Place, tuple[RowsFile, ...]]],
    schema: Any,
    only: str | None = None,
) -> DataFrame:
    """Return rows that were written into some folders.

    Args:
        spark: the session.
        folders: the folders, with what `write` has returned.
        schema: of the rows, as Spark says it.
        only: of packed rows, those of which table; None where rows are not packed.
    """
    if all(isinstance(place, LocalPlace) for place, _ in folders):
        places = [place if only is None else place / f"table={only}" for place, _ in folders]
        return _read(spark, places, schema, only)
    files = tuple((place / file.name, file.seal) for place, found in folders for file in found)
    tasks = spark.range(0, len(files), 1, max(1, len(files)))
    return tasks.mapInArrow(_Read(files, only), schema)


def _read(spark: SparkSession, places: Sequence[Place], schema: Any, only: str | None) -> DataFrame:
    """Return rows that Spark has written; where nothing was of a table, it has no folder."""
    from pyspark.sql import functions as f

    if only is None:
        return spark.read.schema(schema).parquet(*map(_url, places))
    there = [_url(place) for place in places if isinstance(place, LocalPlace) and place.is_dir()]
    if not there:
        return spark.createDataFrame([], schema)
    found = spark.read.schema(schema).parquet(*there)
    return found.withColumn("table", f.lit(only))


def _url(place: Place) -> str:
    return f"file://{place.absolute()}"


@dataclass(frozen=True)
class _Write:
    """Writes the rows of a task into a file of a store."""

    place: Place
    schema: pa.Schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the name of the file and its seal; there is none where there are no rows."""
        from pyspark import TaskContext

        keep_what_is_loaded()
        task = TaskContext.get()
        assert task is not None, "this runs in a task"
        number, first = task.partitionId(), list(_some(batches))
        # The first task writes a file without rows, so that each table can be read.
        if first or number == 0:
            name = f"part-{number:05d}-{task.taskAttemptId()}.parquet"
            place = self.place / name
            stored = place.make(lambda path: self._write(path, chain(first, batches)))
            yield pa.record_batch([[json.dumps([name, stored.seal])]], schema=NOTES)

    def _write(self, path: Path, batches: Iterator[pa.RecordBatch]) -> None:
        schema, options = self.schema, {"compression": "zstd", "write_page_checksum": True}
        with pq.ParquetWriter(path, schema, **options) as file:
            for batch in batches:
                file.write_batch(batch.cast(schema))


def _some(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the first batch that has rows, if there is one."""
    for batch in batches:
        if len(batch):
            yield batch
            return


@dataclass(frozen=True)
class _Read:
    """Reads files of a store where a task runs; each is told which."""

    files: tuple[tuple[Place, str], ...]
    only: str | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the files whose numbers come, in a column `id`."""
        keep_what_is_loaded()
        for batch in batches:
            for number in batch.column("id").to_pylist():
                place, seal = self.files[number]
                file = pq.ParquetFile(pa.BufferReader(place.mapped(seal)))
                # Of packed rows, thousands are gigabytes; those that came together are few.
                for group in range(file.num_row_groups):
                    yield from self._asked(file.read_row_group(group)).to_batches()

    def _asked(self, rows: pa.Table) -> pa.Table:
        return rows if self.only is None else rows.filter(pc.equal(rows["table"], self.only))
