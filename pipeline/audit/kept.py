"""Where rows of an audit are kept: tasks write files, and tell the driver what is in them.

Rows go from the process that makes them to a disk, and not through Spark: the work of a task is
wrapped here, and what it yields is written where it runs.  To the driver comes a note: the names of
the files, their seals, and a *tally*, how many rows there are and what their columns come to.  So
no table is read again to be counted.

Files that were told count, and nothing else that lies there: a task that was run twice has left
two.  Whoever reads a file compares it with its seal first, in a directory and in an object store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from ackproof.pipeline.audit.tables import PACKED, PACKED_SCHEMA
from ackproof.pipeline.keeping import keep_what_is_loaded
from ackproof.pipeline.notes import NOTES, NOTES_SCHEMA
from ackproof.pipeline.places import Place

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Job", "RowsFile", "Tally", "Telling", "kept", "told"]

#: What a task makes of rows.
Work = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
#: Runs what starts a job of Spark.
Job = Callable[[Callable[[], Any]], Any]

#: Bytes that are written, and read, at once, about: a task has room for a few of these.
_ROW_GROUP = 8 << 20
#: Rows that are handed on together.
_AT_ONCE = 1 << 6
#: Bytes of rows in a file, about, before they are compressed: it is mapped into memory as a whole.
_FILE = 128 << 20


class RowsFile(NamedTuple):
    """A file that a task has written: its name and its seal."""

    name: str
    seal: str


class Tally(msgspec.Struct):
    """What some rows come to.

    Args:
        rows: how many there are.
        sums: the sum of each column of integers.
        most: the greatest number in it, 0 at least.
    """

    rows: int = 0
    sums: dict[str, int] = msgspec.field(default_factory=dict)
    most: dict[str, int] = msgspec.field(default_factory=dict)

    def count(self, rows: pa.RecordBatch) -> None:
        """Add rows."""
        self.rows += len(rows)
        for name, column in zip(rows.schema.names, rows.columns, strict=True):
            if pa.types.is_int64(column.type) and len(rows):
                self._add(name, pc.sum(column).as_py(), pc.max(column).as_py())

    def add(self, other: Tally) -> None:
        """Add what other rows come to."""
        self.rows += other.rows
        for name, number in other.sums.items():
            self._add(name, number, other.most[name])

    def _add(self, name: str, number: int, most: int) -> None:
        self.sums[name] = self.sums.get(name, 0) + number
        self.most[name] = max(self.most.get(name, 0), most)


class _Note(msgspec.Struct):
    """What a task tells: the files that it has written, and what is in them."""

    files: list[RowsFile]
    tally: Tally


@dataclass(frozen=True)
class Telling:
    """A task whose rows are counted and written, and not handed on.

    Args:
        work: what it does.
        schema: of its rows.
        place: the folder where they are written; None for nowhere.
    """

    work: Work
    schema: pa.Schema
    place: Place | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield a note."""
        from pyspark import TaskContext

        keep_what_is_loaded()
        task = TaskContext.get()
        assert task is not None, "this runs in a task"
        name = f"part-{task.partitionId():05d}-{task.taskAttemptId()}"
        # The first task writes a file without rows, so that each table can be read.
        note = self.note(self.work(batches), name, task.partitionId() == 0)
        yield pa.record_batch([[msgspec.json.encode(note).decode()]], schema=NOTES)

    def note(self, rows: Iterator[pa.RecordBatch], name: str, always: bool) -> _Note:
        """Count rows, and write them into files; return what there is to tell.

        Args:
            rows: the rows.
            name: what the names of the files begin with.
            always: whether there is a file, too, if there are no rows.
        """
        note = _Note([], Tally())
        some = _counted(rows, note.tally)
        if self.place is None:
            for _ in some:
                pass
            return note
        groups = _groups(some, self.schema == PACKED)
        group = next(groups, self.schema.empty_table() if always else None)
        while group is not None:
            path = self.place / f"{name}-{len(note.files):04d}.parquet"
            stored = path.make(partial(self._write, chain([group], groups)))
            note.files.append(RowsFile(path.name, stored.seal))
            group = next(groups, None)
        return note

    @property
    def _options(self) -> dict[str, Any]:
        """How files are written; what is packed is compressed already."""
        options: dict[str, Any] = {"write_page_checksum": True}
        if self.schema != PACKED:
            return options | {"compression": "zstd"}
        plain = {"compression": "none", "use_dictionary": False}
        return options | plain | {"write_statistics": ["table"]}

    def _write(self, groups: Iterable[pa.Table], path: Path) -> None:
        """Write a file, of as many rows as one may have."""
        with pq.ParquetWriter(path, self.schema, **self._options) as file:
            size = 0
            for group in groups:
                if len(group):  # whoever reads a row group asks of which table it is
                    file.write_table(group.cast(self.schema))
                size += group.nbytes
                if size >= _FILE:
                    break


def _counted(rows: Iterable[pa.RecordBatch], tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yield rows that are there, counted."""
    for batch in rows:
        if len(batch):
            tally.count(batch)
            yield batch


def _groups(rows: Iterable[pa.RecordBatch], packed: bool) -> Iterator[pa.Table]:
    """Yield rows together that are written at once; of packed ones, those of one table."""
    waiting: dict[str, list[pa.RecordBatch]] = {}
    sizes: dict[str, int] = {}
    for batch in rows:
        table = batch.column("table")[0].as_py() if packed else ""
        waiting.setdefault(table, []).append(batch)
        sizes[table] = sizes.get(table, 0) + batch.nbytes
        if sizes[table] >= _ROW_GROUP:
            yield pa.Table.from_batches(waiting.pop(table))
            del sizes[table]
    for left in waiting.values():
        yield pa.Table.from_batches(left)


def told(frame: DataFrame, task: Telling, run: Job) -> tuple[tuple[RowsFile, ...], Tally]:
    """Run a task on rows; return the files, if they have a folder, and what all rows come to.

    Args:
        frame: the rows.
        task: what is done with them.
        run: runs what starts a job.
    """
    rows = run(lambda: frame.mapInArrow(task, NOTES_SCHEMA).collect())
    tally, files = Tally(), list[RowsFile]()
    for row in rows:
        note = msgspec.json.decode(row["note"], type=_Note)
        tally.add(note.tally)
        files += note.files
    if task.place is not None:
        _remove_others(task.place, files)
    return tuple(sorted(files)), tally


def _remove_others(place: Place, files: Sequence[RowsFile]) -> None:
    """Remove what tasks have left that were run twice, or whose worker was killed."""
    names = {file.name for file in files}
    for found in place.files(deep=True):
        if found.name not in names:
            found.unlink(missing_ok=True)


def kept(
    spark: SparkSession, folders: Sequence[tuple[Place, tuple[RowsFile, ...]]], *tables: str
) -> DataFrame:
    """Return the packed rows of some tables that were written into some folders.

    Args:
        spark: the session.
        folders: the folders, with what `told` has returned.
        tables: which tables.
    """
    files = tuple((place / file.name, file.seal) for place, found in folders for file in found)
    tasks = spark.range(0, len(files), 1, max(1, len(files)))
    return tasks.mapInArrow(_Read(files, tables), PACKED_SCHEMA)


@dataclass(frozen=True)
class _Read:
    """Reads files of packed rows where a task runs; each is told which."""

    files: tuple[tuple[Place, str], ...]
    tables: tuple[str, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the files whose numbers come, in a column `id`."""
        keep_what_is_loaded()
        for batch in batches:
            for number in batch.column("id").to_pylist():
                place, seal = self.files[number]
                file = pq.ParquetFile(pa.BufferReader(place.mapped(seal)))
                for group in range(file.num_row_groups):
                    # A row group is of one table: see how they are written.
                    said = file.metadata.row_group(group).column(0).statistics
                    if said.min in self.tables:
                        yield from file.read_row_group(group).to_batches(_AT_ONCE)
