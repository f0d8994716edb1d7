"""The audit on Spark: one job that reads and judges, and a few small ones over what it has found.

What goes through the first job is every event, once: from the files to the part of its channel.
What comes out of it stays on the disks of the cluster, where Spark keeps it and makes it again if a
machine is lost: a row for each channel and violation, and facts about messages.  A second shuffle
brings the facts of each message together.  To the driver come counts, and the violations.

The document is the one that `ackproof.conform.audit` returns.  If there is a directory for tables,
what comes out of the first job is kept there too, and more recordings can be added later
(`ackproof.pipeline.audit.batches`).  The document is written last: an audit is whole if it is
there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
import pyarrow as pa
from ackproof.conform.account import Bounds
from ackproof.conform.capture.listening import Listening
from ackproof.conform.document import (
    AuditDocument,
    Confirms,
    Found,
    Messages,
    Range,
    Seen,
    concluded,
    latency_of,
    lost_of,
    ranks_of,
)
from ackproof.conform.judging.texts import Numbering
from ackproof.pipeline.audit.batches import Batch, Batches, Recording
from ackproof.pipeline.audit.fates import messages_of
from ackproof.pipeline.audit.judging import Judging
from ackproof.pipeline.audit.kept import RowsFile, kept, write
from ackproof.pipeline.audit.ranks import COUNTED_SCHEMA, Counting, ranked
from ackproof.pipeline.audit.reading import ORDER, SEGMENTS_SCHEMA, Reading
from ackproof.pipeline.audit.splits import SPLIT, shared_out, splits_of
from ackproof.pipeline.audit.tables import PACKED, PACKED_SCHEMA, SUMS, TABLES, WRITTEN, unpacked
from ackproof.pipeline.errors import AuditFailed, AuditRefused
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.jobs import reason_of
from ackproof.pipeline.lease import Lease
from ackproof.pipeline.places import LocalPlace, Place
from ackproof.pipeline.session import Session
from ackproof.pipeline.settings import sql_settings
from ackproof.pipeline.storage import placed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

__all__ = ["SparkAudit", "require_place"]

T = TypeVar("T")

#: A batch of Arrow has many small rows here, or few large ones; and of packed rows, which may be
#: megabytes each, Spark reads as many into memory at once as it is told.
_BATCHES = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2048",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(8 << 20),
    "spark.sql.parquet.columnarReaderBatchSize": "64",
    # Each packed row goes to the file of its table as it comes; else all are sorted before.
    "spark.sql.maxConcurrentOutputFileWriters": "16",
    "spark.sql.optimizer.plannedWrite.enabled": "false",
}

#: Parts for each task that can run at once, if nobody says how many.
_PARTS_PER_TASK = 2


def require_place(tables: Place | Path | str, add: bool = False) -> None:
    """Refuse a directory for tables that has something already, or what cannot be added to.

    Raises:
        AuditRefused: it has, or it is a file.
    """
    place = placed(tables)
    if place.exists() and not (isinstance(place, LocalPlace) and place.is_dir()):
        raise AuditRefused(f"--tables {tables} is a file; name a directory")
    if not isinstance(place, LocalPlace):
        place.ready()
    if not place.files(deep=True):
        return
    if not (place / "batches").files(deep=True):
        raise AuditRefused(
            f"--tables {tables} is not empty\n  instead: name a directory that is new"
        )
    if not add:
        raise AuditRefused(
            f"--tables {tables} holds an audit already\n"
            "  instead: name a directory that is new, or add --add to add recordings to it"
        )


@dataclass(frozen=True)
class SparkAudit:
    """An audit of recordings on Spark.

    Args:
        session: where jobs run.
        parts: into how many parts channels and messages are divided; by the cores if None.
        tables: where tables are written: a directory, or an address; None for nowhere.
        add: the directory may hold an audit, to which recordings are added.
        split: bytes of recordings that a task reads, about.
        how: how captures are read.
    """

    session: Session
    parts: int | None = None
    tables: Place | Path | str | None = None
    add: bool = False
    split: int = SPLIT
    how: Listening = field(default_factory=Listening)

    def __call__(self, paths: Sequence[Place | Path | str], drained: bool = False) -> AuditDocument:
        """Judge recordings.

        Args:
            paths: the files, which all machines see at the same paths, or their addresses.
            drained: in the end all queues were empty, and all consumers were recorded.

        Raises:
            AuditRefused: the directory for tables has something already, or a recording was
                changed since it was added.
            SearchRefused, SearchFailed: another driver is at work there, or has taken over.
            AuditFailed: a task failed as often as Spark tries it.
            OSError: a file cannot be looked at.
        """
        recordings = [_recording(path) for path in paths]
        parts = self.parts or _PARTS_PER_TASK * self.session.parallelism
        spark = self._configured(parts)
        if self.tables is not None:
            require_place(self.tables, self.add)
            batches = Batches(placed(self.tables).absolute())
            with Lease(Folder(batches.root)) as lease:
                return self._added(spark, batches, recordings, lease, parts, drained)
        judged = self._judged(spark, Batch(tuple(recordings), Numbering.drawn()), parts)

        def of(table: str) -> DataFrame:
            return judged.where(judged["table"] == table)

        with self._kept(judged, "judging the recordings"):
            return self._document(of, _frames(of, parts), recordings, drained)

    def _added(
        self,
        spark: SparkSession,
        batches: Batches,
        recordings: Sequence[Recording],
        lease: Lease,
        parts: int,
        drained: bool,
    ) -> AuditDocument:
        """Judge what is new, and make the tables of all batches."""
        batch = batches.new([recording.marked() for recording in recordings])
        if batch.recordings:
            judged = self._judged(spark, batch, parts)
            files = self._write(judged, batches.place(batch), PACKED, "judging the recordings")
            lease.require()
            batches.finish(msgspec.structs.replace(batch, files=files))
        known = batches.known()
        folders = [(batches.place(batch), batch.files) for batch in known]

        def of(table: str) -> DataFrame:
            return kept(spark, folders, PACKED_SCHEMA, table)

        lease.require()
        made = {name: batches.anew(name, lease.token) for name in WRITTEN}
        frames = {
            name: self._written(spark, made[name], name, frame)
            for name, frame in _frames(of, parts).items()
        }
        every = sorted(recording for batch in known for recording in batch.recordings)
        document = self._document(of, frames, every, drained)
        lease.require()
        batches.replace(made)
        batches.document.write(msgspec.json.encode(document).decode() + "\n")
        return document

    def _configured(self, parts: int) -> SparkSession:
        spark = self.session.spark.newSession()
        for key, value in (sql_settings(parts) | _BATCHES).items():
            spark.conf.set(key, value)
        return spark

    def _judged(self, spark: SparkSession, batch: Batch, parts: int) -> DataFrame:
        """Return packed rows of what all channels have shown."""
        recordings = batch.recordings
        splits = splits_of([recording.size for recording in recordings], self.split)
        tasks = shared_out(splits, self.split)
        paths = tuple(recording.path for recording in recordings)
        reading = Reading(paths, tuple(tasks), parts, batch.seed, self.how)
        return (
            spark.range(0, len(tasks), 1, max(len(tasks), 1))
            .mapInArrow(reading, SEGMENTS_SCHEMA)
            .repartitionById(parts, "part")
            .sortWithinPartitions(*ORDER)
            .mapInArrow(Judging(tuple(r.name for r in recordings)), PACKED_SCHEMA)
        )

    @contextmanager
    def _kept(self, frame: DataFrame, what: str) -> Iterator[None]:
        """Compute a frame once, and keep it on disks for as long as it is needed."""
        from pyspark import StorageLevel

        kept = frame.persist(StorageLevel.DISK_ONLY)
        try:
            self._run(lambda: kept.count(), what)
            yield
        finally:
            kept.unpersist()

    def _run(self, job: Callable[[], T], what: str) -> T:
        try:
            return self.session.run(job, what)
        except Exception as error:
            raise AuditFailed(
                f"{what}: a task failed: {reason_of(error)}\n"
                f"  instead: what Spark said is in {self.session.log}; mend that, and audit again"
            ) from error

    def _write(
        self, frame: DataFrame, place: Place, schema: pa.Schema, what: str
    ) -> tuple[RowsFile, ...]:
        return write(frame, place, schema, lambda job: self._run(job, what))

    def _written(self, spark: SparkSession, place: Place, name: str, frame: DataFrame) -> DataFrame:
        """Write a table; return it as it is read."""
        files = self._write(frame, place, TABLES[name], f"writing the table {name}")
        return kept(spark, [(place, files)], frame.schema)

    # -- the document ---------------------------------------------------------------------------

    def _document(
        self,
        of: Callable[[str], DataFrame],
        frames: dict[str, DataFrame],
        recordings: Sequence[Recording],
        drained: bool,
    ) -> AuditDocument:
        names = [recording.name for recording in recordings]
        channels = self._sums(frames["channels"], "counting channels", SUMS, ("largest", "window"))
        bounds = [f for f in TABLES["messages"].names if f.endswith(("_least", "_most"))]
        fates = self._sums(frames["messages"], "counting messages", (*bounds, "strangers"))
        quarantined = self._run(frames["quarantine"].count, "counting what is quarantined")
        seen = Seen(channels["events"], channels["rows"], channels["gaps"], quarantined)
        unseen = Bounds(fates["unseen_least"], fates["unseen_most"])
        messages = Messages(
            published=channels["published"],
            confirmed=channels["acked"],
            nacked=channels["nacked"],
            unsettled=channels["published"] - channels["acked"] - channels["nacked"],
            returned=channels["returned"],
            deliveries=channels["deliveries"],
            redelivered=channels["redelivered"],
            strangers=fates["strangers"],
            delivered=Range(fates["seen_least"], fates["seen_most"]),
            lost=lost_of(unseen, drained),
            duplicated=Range(fates["duplicated_least"], fates["duplicated_most"]),
        )
        confirms = Confirms(
            frames=channels["frames"],
            largest=channels["largest"],
            window=channels["window"],
            latency=self._latency(of("latencies"), channels["acked"] + channels["nacked"]),
        )
        return concluded(names, seen, self._found(frames, names), messages, confirms)

    def _sums(
        self, frame: DataFrame, what: str, sums: Sequence[str], most: Sequence[str] = ()
    ) -> dict[str, int]:
        """Return how many rows a table has, sums of some columns, and the most of others."""
        from pyspark.sql import functions as f

        columns = [f.count(f.lit(1)).alias("rows")]
        columns += [f.sum(name).alias(name) for name in sums]
        columns += [f.max(name).alias(name) for name in most]
        (row,) = self._run(lambda: frame.agg(*columns).collect(), what)
        return {name: value or 0 for name, value in row.asDict().items()}

    def _found(self, frames: dict[str, DataFrame], names: Sequence[str]) -> list[Found]:
        """Return the violations, in the order in which they were recorded."""
        rows: list[Row] = self._run(frames["violations"].collect, "collecting violations")
        place = {name: number for number, name in enumerate(names)}
        rows.sort(key=lambda row: (place[row["recording"]], row["offset"]))
        columns = Found.__struct_fields__
        return [Found(**{name: row[name] for name in columns}) for row in rows]

    def _latency(self, latencies: DataFrame, count: int) -> dict[str, float]:
        if not count:
            return {}

        def counts_of(counting: Counting) -> dict[int, int]:
            counted = latencies.mapInArrow(counting, COUNTED_SCHEMA).groupBy("bucket").sum("count")
            rows = self._run(counted.collect, "ranking the times of confirms")
            return {int(bucket): int(times) for bucket, times in rows}

        found = ranked(ranks_of(count), counts_of)
        return latency_of(count, found.__getitem__)


def _recording(path: Place | Path | str) -> Recording:
    place = placed(path)
    # What a name has that is no text cannot be in a table.
    name = os.fsencode(str(place)).decode("utf-8", "replace")
    return Recording(name, place.absolute().address, place.size())


def _frames(of: Callable[[str], DataFrame], parts: int) -> dict[str, DataFrame]:
    """Return the tables that an audit leaves, from what all channels have shown."""
    frames = {name: unpacked(of(name), name) for name in WRITTEN if name != "messages"}
    return {**frames, "messages": _messages(of("facts"), parts)}


def _messages(facts: DataFrame, parts: int) -> DataFrame:
    """Return the table `messages`, from packed rows of what channels have shown of each."""
    from pyspark.sql import functions as f
    from pyspark.sql.pandas.types import from_arrow_schema

    together = facts.repartitionById(parts, f.pmod(facts["bucket"], f.lit(parts)))
    ordered = together.sortWithinPartitions("bucket")
    return ordered.mapInArrow(messages_of, from_arrow_schema(TABLES["messages"]))
