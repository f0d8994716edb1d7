"""The audit with its tables in this process, where no Spark is.

It does what the audit on Spark does, by the same functions, one task after the other: what is read
is divided into parts, each part is sorted and judged, and what that shows of messages comes
together by buckets.  In place of a shuffle there are files in a folder of its own, one for each
part.  There is room for one part at a time.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from ackproof.conform.capture.listening import Listening
from ackproof.conform.document import AuditDocument
from ackproof.conform.judging.texts import Numbering
from ackproof.pipeline.audit.batches import (
    Batches,
    Recording,
    in_captures,
    require_one_key,
    require_place,
)
from ackproof.pipeline.audit.documents import document_of, recording_of
from ackproof.pipeline.audit.fates import messages_of
from ackproof.pipeline.audit.judging import Judging
from ackproof.pipeline.audit.kept import RowsFile, Tally, Telling
from ackproof.pipeline.audit.reading import Reading
from ackproof.pipeline.audit.sending import ORDER, SEGMENTS
from ackproof.pipeline.audit.splits import SPLIT
from ackproof.pipeline.audit.tables import PACKED, TABLES, WRITTEN, rows_in
from ackproof.pipeline.places import Place
from ackproof.pipeline.storage import placed

__all__ = ["AuditHere"]

#: Into how many parts channels, and buckets of messages, are divided.
_PARTS = 16
#: Rows that are handed on together.
_AT_ONCE = 1 << 6
_BY_BUCKET = ("facts", "texts")


@dataclass(frozen=True)
class AuditHere:
    """An audit of recordings that leaves tables.

    Args:
        tables: an empty directory, or its address.
        how: how captures are read.
        parts: into how many parts channels are divided.
        split: bytes of recordings that are read at a time, about.
    """

    tables: Place | Path | str
    how: Listening = field(default_factory=Listening)
    parts: int = _PARTS
    split: int = SPLIT

    def __call__(self, paths: Sequence[Place | Path | str], drained: bool = False) -> AuditDocument:
        """Judge recordings.

        Args:
            paths: the files.
            drained: in the end all queues were empty, and all consumers were recorded.

        Raises:
            AuditRefused: the directory for tables has something already, or recordings have
                keys that differ.
            OSError: a file cannot be looked at.
        """
        files = [recording_of(path, self.how if drained else None) for path in paths]
        require_one_key(files)
        recordings = in_captures(files)
        seed = Numbering.drawn()
        reading = Reading.of(files, recordings, self.split, self.parts, seed, self.how)
        batches = Batches(placed(self.tables).absolute())
        with TemporaryDirectory(prefix="ackproof-audit-") as name:
            folder = Path(name)
            self._read(reading, folder)
            self._judge(Judging(tuple(file.name for file in files)), folder)
            # Somebody else may have written there meanwhile: no lease is held here.
            require_place(self.tables)
            made = {table: batches.anew(table, secrets.randbits(62)) for table in WRITTEN}
            try:
                document = self._written(batches, made, folder, files, drained)
            except BaseException:
                for place in made.values():
                    place.clear()
                raise
        return document

    def _read(self, reading: Reading, folder: Path) -> None:
        """Divide what is read into parts."""
        with _Files(folder, SEGMENTS) as files:
            for number in range(len(reading.tasks)):
                for batch in reading(iter([pa.record_batch([[number]], ["id"])])):
                    parts = batch.column("part")
                    for part in pa.compute.unique(parts).to_pylist():
                        files.write(f"part-{part}", batch.filter(pa.compute.equal(parts, part)))

    def _judge(self, judging: Judging, folder: Path) -> None:
        """Judge each part, and divide what that shows by tables, or by buckets of messages."""
        order = [(name, "ascending") for name in ORDER]
        with _Files(folder, PACKED) as files:
            for part in range(self.parts):
                path = folder / f"part-{part}"
                for batch in judging(_sorted(path, SEGMENTS, order)):
                    table = batch.column("table")[0].as_py()
                    if table not in _BY_BUCKET:
                        files.write(table, batch)
                        continue
                    buckets = batch.column("bucket").to_numpy() % self.parts
                    for some in np.unique(buckets).tolist():
                        files.write(f"messages-{some}", batch.filter(pa.array(buckets == some)))

    def _written(
        self,
        batches: Batches,
        made: Mapping[str, Place],
        folder: Path,
        files: Sequence[Recording],
        drained: bool,
    ) -> AuditDocument:
        """Write the tables, and the document of what they come to."""
        sealed: dict[str, tuple[RowsFile, ...]] = {}
        tallies: dict[str, Tally] = {}
        for name, place in made.items():
            some = self._messages(folder) if name == "messages" else rows_in(_rows(folder / name))
            note = Telling(rows_in, TABLES[name], place).note(some, "part-00000", True)
            sealed[name], tallies[name] = tuple(note.files), note.tally
        found, times = list(_rows(folder / "violations")), _latencies(folder / "latencies")
        document = document_of(files, tallies, found, times, drained)
        batches.replace(made, sealed, msgspec.json.encode(document).decode() + "\n")
        return document

    def _messages(self, folder: Path) -> Iterator[pa.RecordBatch]:
        for part in range(self.parts):
            rows = _sorted(folder / f"messages-{part}", PACKED, [("bucket", "ascending")])
            yield from messages_of(rows)


def _latencies(path: Path) -> Any:
    """Return what finds the seconds from publish to confirm of some ranks."""
    some = [rows.column(0).to_numpy() for rows in rows_in(_rows(path))]
    times = np.sort(np.concatenate([np.empty(0), *some]))

    def of(ranks: Sequence[int]) -> Mapping[int, float]:
        return {rank: float(times[rank]) for rank in ranks}

    return of


class _Files:
    """Files that rows are divided into, while they are written; a context manager."""

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self._folder, self._schema = folder, schema
        self._stack = ExitStack()
        self._open: dict[str, Any] = {}

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def write(self, name: str, rows: pa.RecordBatch) -> None:
        """Write rows into one."""
        if name not in self._open:
            file = self._stack.enter_context(pa.OSFile(str(self._folder / name), "wb"))
            self._open[name] = self._stack.enter_context(pa.ipc.new_stream(file, self._schema))
        self._open[name].write_batch(rows)


def _sorted(
    path: Path, schema: pa.Schema, order: list[tuple[str, str]]
) -> Iterator[pa.RecordBatch]:
    """Yield what was written into a file, sorted; the file is gone then."""
    # What is sorted at once may have more bytes than a column of bytes usually has.
    fields = (f.with_type(pa.large_binary()) if f.type == pa.binary() else f for f in schema)
    rows = pa.Table.from_batches(_rows(path), schema).cast(pa.schema(fields)).sort_by(order)
    path.unlink(missing_ok=True)
    for start in range(0, len(rows), _AT_ONCE):
        yield from rows.slice(start, _AT_ONCE).cast(schema).to_batches()


def _rows(path: Path) -> Iterator[pa.RecordBatch]:
    """Yield what was written into a file; nothing if there is none."""
    if path.exists():
        with pa.OSFile(str(path), "rb") as file, pa.ipc.open_stream(file) as stream:
            yield from stream
