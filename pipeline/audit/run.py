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
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
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
from ackproof.pipeline.audit.batches import DOCUMENT, Batch, Batches, Recording
from ackproof.pipeline.audit.fates import messages_of
from ackproof.pipeline.audit.judging import Judging
from ackproof.pipeline.audit.ranks import COUNTED_SCHEMA, Counting, ranked
from ackproof.pipeline.audit.reading import ORDER, SEGMENTS_SCHEMA, Reading
from ackproof.pipeline.audit.splits import SPLIT, shared_out, splits_of
from ackproof.pipeline.audit.tables import PACKED_SCHEMA, SUMS, TABLES, WRITTEN, unpacked
from ackproof.pipeline.errors import AuditFailed, AuditRefused
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.jobs import reason_of
from ackproof.pipeline.lease import Lease
from ackproof.pipeline.places import LocalPlace
from ackproof.pipeline.session import Session
from ackproof.pipeline.settings import sql_settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

__all__ = ["SparkAudit", "require_place"]

T = TypeVar("T")

#: A batch of Arrow has many small rows here, or few large ones.
_BATCHES = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2048",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(8 << 20),
}

#: Parts for each task that can run at once, if nobody says how many.
_PARTS_PER_TASK = 2


def require_place(tables: Path, add: bool = False) -> None:
    """Refuse a directory for tables that has something already, or what cannot be added to.

    Raises:
        AuditRefused: it has, or it is a file.
    """
    if tables.exists() and not tables.is_dir():
        raise AuditRefused(f"--tables {tables} is a file; name a directory")
    if not tables.exists() or not any(tables.iterdir()):
        return
    if not (tables / "batches").is_dir():
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
        tables: where tables are written; None for nowhere.
        add: the directory may hold an audit, to which recordings are added.
        split: bytes of recordings that a task reads, about.
        how: how captures are read.
    """

    session: Session
    parts: int | None = None
    tables: Path | None = None
    add: bool = False
    split: int = SPLIT
    how: Listening = field(default_factory=Listening)

    def __call__(self, paths: Sequence[Path], drained: bool = False) -> AuditDocument:
        """Judge recordings.

        Args:
            paths: the files, which all machines see at the same paths.
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
            with Lease(Folder(self.tables)) as lease:
                return self._added(spark, self.tables, recordings, lease, parts, drained)
        judged = self._judged(spark, Batch(tuple(recordings), Numbering.drawn()), parts)
        with self._kept(judged, "judging the recordings"):
            return self._document(judged, _frames(judged, parts), recordings, drained)

    def _added(
        self,
        spark: SparkSession,
        tables: Path,
        recordings: Sequence[Recording],
        lease: Lease,
        parts: int,
        drained: bool,
    ) -> AuditDocument:
        """Judge what is new, and make the tables of all batches."""
        batches = Batches(tables)
        batch = batches.new([recording.marked() for recording in recordings])
        if batch.recordings:
            judged = self._judged(spark, batch, parts)
            place = _url(batches.place(batch))
            self._run(lambda: judged.write.parquet(place), "judging the recordings")
            lease.require()
            batches.finish(batch)
        known = batches.known()
        places = [_url(batches.place(batch)) for batch in known]
        judged = spark.read.schema(PACKED_SCHEMA).parquet(*places)
        made = {name: tables / f".{name}.{lease.token}" for name in WRITTEN}
        frames = {
            name: self._written(spark, made[name], name, frame)
            for name, frame in _frames(judged, parts).items()
        }
        every = sorted(recording for batch in known for recording in batch.recordings)
        document = self._document(judged, frames, every, drained)
        lease.require()
        (tables / DOCUMENT).unlink(missing_ok=True)
        for name in WRITTEN:
            batches.replace(name, made[name])
        LocalPlace(tables / DOCUMENT).write(msgspec.json.encode(document).decode() + "\n")
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

    def _written(self, spark: SparkSession, place: Path, name: str, frame: DataFrame) -> DataFrame:
        """Write a table; return it as it is read."""
        shutil.rmtree(place, ignore_errors=True)
        self._run(lambda: frame.write.parquet(_url(place)), f"writing the table {name}")
        return spark.read.schema(frame.schema).parquet(_url(place))

    # -- the document ---------------------------------------------------------------------------

    def _document(
        self,
        judged: DataFrame,
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
            latency=self._latency(judged, channels["acked"] + channels["nacked"]),
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

    def _latency(self, judged: DataFrame, count: int) -> dict[str, float]:
        if not count:
            return {}
        latencies = judged.where(judged["table"] == "latencies")

        def counts_of(counting: Counting) -> dict[int, int]:
            counted = latencies.mapInArrow(counting, COUNTED_SCHEMA).groupBy("bucket").sum("count")
            rows = self._run(counted.collect, "ranking the times of confirms")
            return {int(bucket): int(times) for bucket, times in rows}

        found = ranked(ranks_of(count), counts_of)
        return latency_of(count, found.__getitem__)


def _recording(path: Path) -> Recording:
    # What a name has that is no text cannot be in a table.
    name = os.fsencode(path).decode("utf-8", "replace")
    return Recording(name, str(path.absolute()), path.stat().st_size)


def _url(place: Path) -> str:
    return f"file://{place.absolute()}"


def _frames(judged: DataFrame, parts: int) -> dict[str, DataFrame]:
    """Return the tables that an audit leaves, from what all channels have shown."""
    frames = {name: unpacked(judged, name) for name in WRITTEN if name != "messages"}
    return {**frames, "messages": _messages(judged.where(judged["table"] == "facts"), parts)}


def _messages(facts: DataFrame, parts: int) -> DataFrame:
    """Return the table `messages`, from packed rows of what channels have shown of each."""
    from pyspark.sql import functions as f
    from pyspark.sql.pandas.types import from_arrow_schema

    together = facts.repartitionById(parts, f.pmod(facts["bucket"], f.lit(parts)))
    ordered = together.sortWithinPartitions("bucket")
    return ordered.mapInArrow(messages_of, from_arrow_schema(TABLES["messages"]))
