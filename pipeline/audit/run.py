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

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
import pyarrow as pa
from ackproof.conform.capture.listening import Listening
from ackproof.conform.document import AuditDocument
from ackproof.conform.judging.texts import Numbering
from ackproof.pipeline.audit.batches import (
    Batch,
    Batches,
    Recording,
    in_captures,
    mark_of,
    require_one_key,
    require_place,
)
from ackproof.pipeline.audit.documents import document_of, recording_of
from ackproof.pipeline.audit.fates import messages_of
from ackproof.pipeline.audit.judging import Judging
from ackproof.pipeline.audit.kept import Job, RowsFile, Tally, Telling, kept, told
from ackproof.pipeline.audit.ranks import COUNTED_SCHEMA, Counting, ranked
from ackproof.pipeline.audit.reading import Reading
from ackproof.pipeline.audit.sending import ORDER, SEGMENTS_SCHEMA
from ackproof.pipeline.audit.splits import SPLIT
from ackproof.pipeline.audit.tables import (
    PACKED,
    PACKED_SCHEMA,
    TABLES,
    WRITTEN,
    rows_in,
)
from ackproof.pipeline.audit.windows import (
    WINDOW_ORDER,
    WINDOWS_SCHEMA,
    Following,
    Windows,
    large_captures,
)
from ackproof.pipeline.errors import AuditFailed
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.jobs import reason_of
from ackproof.pipeline.lease import Lease
from ackproof.pipeline.places import Place
from ackproof.pipeline.session import Session
from ackproof.pipeline.settings import sql_settings
from ackproof.pipeline.storage import placed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["SparkAudit"]

T = TypeVar("T")

#: A batch of Arrow has many small rows here, or few large ones.
_BATCHES = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2048",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(1 << 20),
}

#: Parts for each task that can run at once, if nobody says how many.
_PARTS_PER_TASK = 2


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
            AuditRefused: the directory for tables has something already, a recording was changed
                since it was added, or recordings have keys that differ.
            SearchRefused, SearchFailed: another driver is at work there, or has taken over.
            AuditFailed: a task failed as often as Spark tries it.
            OSError: a file cannot be looked at.
        """
        # A later --add may give --drained.
        asked = self.how if drained or self.tables is not None else None
        recordings = [recording_of(path, asked) for path in paths]
        parts = self.parts or _PARTS_PER_TASK * self.session.parallelism
        spark = self._configured(parts)
        if self.tables is not None:
            require_place(self.tables, self.add)
            batches = Batches(placed(self.tables).absolute())
            with Lease(Folder(batches.root)) as lease:
                return self._added(spark, batches, recordings, lease, parts, drained)
        if drained:
            require_one_key(recordings)
        numbering = Numbering.drawn()
        segments, judging = self._halves(spark, Batch(tuple(recordings), numbering), parts)
        judged = segments.mapInArrow(judging, PACKED_SCHEMA)

        def of(*tables: str) -> DataFrame:
            return judged.where(judged["table"].isin(*tables))

        with self._kept(judged, "judging the recordings"):
            tallies = {name: self._table(of, name, parts, None)[1] for name in WRITTEN}
            return self._document(of, tallies, recordings, drained)

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
        batch = batches.new([recording.marked() for recording in recordings], mark_of(self.how))
        if drained:
            left = [other for other in batches.known() if other.name not in batch.replaces]
            require_one_key(recording for of in (*left, batch) for recording in of.recordings)
        if batch.recordings:
            segments, judging = self._halves(spark, batch, parts)
            task = Telling(judging, PACKED, batches.place(batch))
            files, _ = told(segments, task, self._job("judging the recordings"))
            lease.require()
            batches.finish(msgspec.structs.replace(batch, files=files))
        known = batches.known()
        folders = [(batches.place(batch), batch.files) for batch in known]

        def of(*tables: str) -> DataFrame:
            return kept(spark, folders, *tables)

        lease.require()
        made = {name: batches.anew(name, lease.token) for name in WRITTEN}
        try:
            written = {name: self._table(of, name, parts, made[name]) for name in WRITTEN}
        except AuditFailed:
            batches.require_rows(known)
            raise
        tallies = {name: tally for name, (_, tally) in written.items()}
        every = sorted(recording for batch in known for recording in batch.recordings)
        document = self._document(of, tallies, every, drained)
        lease.require()
        sealed = {name: files for name, (files, _) in written.items()}
        batches.replace(made, sealed, msgspec.json.encode(document).decode() + "\n")
        return document

    def _configured(self, parts: int) -> SparkSession:
        spark = self.session.spark.newSession()
        for key, value in (sql_settings(parts) | _BATCHES).items():
            spark.conf.set(key, value)
        return spark

    def _halves(self, spark: SparkSession, batch: Batch, parts: int) -> tuple[DataFrame, Judging]:
        """Return the segments of all channels, sorted in their parts, and what judges a part."""
        files = batch.recordings
        recordings = in_captures(files)
        large = large_captures(files, recordings, self.split)
        known = set(large)
        others = [numbers for numbers in recordings if tuple(numbers) not in known]
        reading = Reading.of(files, others, self.split, parts, batch.seed, self.how)
        segments = _tasks(spark, len(reading.tasks)).mapInArrow(reading, SEGMENTS_SCHEMA)
        if large:
            windows = Windows.of(files, large, self.split, parts)
            following = Following(windows.paths, parts, batch.seed, self.how)
            found = _tasks(spark, len(windows.tasks)).mapInArrow(windows, WINDOWS_SCHEMA)
            followed = _divided(found, parts, WINDOW_ORDER).mapInArrow(following, SEGMENTS_SCHEMA)
            segments = segments.union(followed) if others else followed
        judging = Judging(tuple(file.name for file in files))
        return _divided(segments, parts, ORDER), judging

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

    def _job(self, what: str) -> Job:
        return lambda job: self._run(job, what)

    def _table(
        self, of: Callable[..., DataFrame], name: str, parts: int, place: Place | None
    ) -> tuple[tuple[RowsFile, ...], Tally]:
        """Make a table of what all channels have shown; return what `told` does."""
        from pyspark.sql import functions as f

        packed, work = of(name), rows_in
        if name == "messages":
            # What channels have shown of a message comes together, by buckets of messages.
            part = f.pmod(f.col("bucket"), f.lit(parts))
            packed = of("facts", "texts").repartitionById(parts, part)
            packed, work = packed.sortWithinPartitions("bucket"), messages_of
        task = Telling(work, TABLES[name], place)
        return told(packed, task, self._job(f"writing the table {name}"))

    # -- the document ---------------------------------------------------------------------------

    def _document(
        self,
        of: Callable[..., DataFrame],
        tallies: Mapping[str, Tally],
        recordings: Sequence[Recording],
        drained: bool,
    ) -> AuditDocument:
        packs: pa.Table = self._run(of("violations").toArrow, "collecting violations")
        found, latencies = packs.to_batches(), of("latencies")

        def ranks_of_latencies(ranks: Sequence[int]) -> Mapping[int, float]:
            return ranked(ranks, lambda counting: self._counts(latencies, counting))

        return document_of(recordings, tallies, found, ranks_of_latencies, drained)

    def _counts(self, latencies: DataFrame, counting: Counting) -> dict[int, int]:
        counted = latencies.mapInArrow(counting, COUNTED_SCHEMA).groupBy("bucket").sum("count")
        rows = self._run(counted.collect, "ranking the times of confirms")
        return {int(bucket): int(times) for bucket, times in rows}


def _tasks(spark: SparkSession, count: int) -> DataFrame:
    """Return the numbers of tasks, each for itself."""
    return spark.range(0, count, 1, max(count, 1))


def _divided(rows: DataFrame, parts: int, order: tuple[str, ...]) -> DataFrame:
    """Return rows in their parts, and sorted there."""
    return rows.repartitionById(parts, "part").sortWithinPartitions(*order)
