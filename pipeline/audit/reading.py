"""The first half: recordings are cut into segments, and each goes to the part of its channel.

Events are made columns here, once, by the functions that an audit on one machine uses, and travel
as columns (`ackproof.pipeline.audit.segments`).  A segment has the place of each of its events in
the recording.  So the segments of a channel, sorted by the place of the first, are the channel as
it was recorded, however files were divided.

What is bad travels, too, and needs no order.  So do the texts of messages, by buckets, of which
each part gets about as many: they pass by those that judge.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pyarrow as pa
from ackproof.conform.capture.listening import Listening
from ackproof.conform.capture.rotation import pieces_of_captures
from ackproof.conform.judging.texts import Numbering
from ackproof.pipeline.audit.batches import Recording
from ackproof.pipeline.audit.facts import KnownTexts
from ackproof.pipeline.audit.records import Bad, read_of
from ackproof.pipeline.audit.segments import segments_of
from ackproof.pipeline.audit.splits import Split, shared_out, splits_of
from ackproof.pipeline.keeping import keep_what_is_loaded
from ackproof.pipeline.storage import placed

__all__ = ["ORDER", "SEGMENTS", "SEGMENTS_SCHEMA", "Reading"]

SEGMENTS = pa.schema(
    [
        ("part", pa.int32()),
        ("recording", pa.int32()),
        ("connection", pa.string()),
        ("channel", pa.int32()),
        ("first", pa.int64()),
        ("events", pa.binary()),
        ("names", pa.binary()),
        ("bad", pa.string()),
        ("bucket", pa.int32()),
    ]
)
SEGMENTS_SCHEMA = (
    "part int, recording int, connection string, channel int, first bigint, events binary, "
    "names binary, bad string, bucket int"
)
#: By what the rows of a part are sorted, so that a channel is in one piece and in order.
ORDER = ("recording", "connection", "channel", "first")

#: What is bad is sent when there is so much of it.
_TOGETHER = 1 << 12

#: Rows that are handed on together.
_AT_ONCE = 1 << 5

_Row = tuple[Any, ...]


@dataclass(frozen=True)
class Reading:
    """The work of all tasks that read; each is told which it is.

    Args:
        recordings: the files of each by number: one, or the pieces of a capture.
        paths: the files, by their paths or addresses.
        tasks: the splits of each task.
        parts: into how many parts channels are divided.
        seed: of the numbers that stand for texts.
        how: how captures are read.
    """

    recordings: tuple[tuple[int, ...], ...]
    paths: tuple[str, ...]
    tasks: tuple[tuple[Split, ...], ...]
    parts: int
    seed: bytes
    how: Listening = field(default_factory=Listening)

    @staticmethod
    def of(
        files: Sequence[Recording], split: int, parts: int, seed: bytes, how: Listening
    ) -> Reading:
        """Return the work of reading some files.

        Args:
            files: recordings, and captures with all their pieces.
            split: bytes that a task reads, about.
            parts: into how many parts channels are divided.
            seed: of the numbers that stand for texts.
            how: how captures are read.
        """
        recordings = pieces_of_captures(range(len(files)), lambda number: files[number].path)
        sizes = [[files[number].size for number in pieces] for pieces in recordings]
        tasks = tuple(shared_out(splits_of(sizes, split), split))
        paths = tuple(file.path for file in files)
        return Reading(tuple(map(tuple, recordings)), paths, tasks, parts, seed, how)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Do the tasks whose numbers come, in a column `id`."""
        keep_what_is_loaded()
        for batch in batches:
            for task in batch.column("id").to_pylist():
                texts = KnownTexts()
                for split in self.tasks[task]:
                    yield from self.segments(split, texts)
                yield from self._texts(texts)

    def segments(self, split: Split, texts: KnownTexts) -> Iterator[pa.RecordBatch]:
        """Yield what is in a split, but for the texts of the last messages."""
        files, numbering = self.recordings[split.recording], Numbering(self.seed)
        first, paths = files[0], [placed(self.paths[file]) for file in files]
        bad: list[_Row] = []
        for read in read_of(paths, split, self.how, numbering):
            if not isinstance(read, Bad):
                yield from _batches(self._row(first, s) for s in segments_of(*read))
                texts.add(read.columns)
                if texts.many:
                    yield from self._texts(texts)
                continue
            bad.append(self._bad(files[read.file], read))
            if len(bad) == _TOGETHER:
                yield from _batches(bad)
                bad = []
        yield from _batches(bad)

    def _row(self, recording: int, segment: tuple[Any, ...]) -> _Row:
        return self._part(recording, segment[:2]), recording, *segment, None, None

    def _bad(self, recording: int, bad: Bad) -> _Row:
        part = self._part(recording, bad.offset)
        return part, recording, None, None, bad.offset, None, None, bad.reason, None

    def _texts(self, texts: KnownTexts) -> Iterator[pa.RecordBatch]:
        yield from _batches(
            (bucket % self.parts, None, None, None, None, said, None, None, bucket)
            for bucket, said in texts.flush()
        )

    def _part(self, recording: int, what: object) -> int:
        return zlib.crc32(repr((self.paths[recording], what)).encode()) % self.parts


def _batches(rows: Iterable[_Row]) -> Iterator[pa.RecordBatch]:
    """Yield rows together, some at a time: what is large is no faster for Spark, but slower."""
    left = iter(rows)
    while columns := list(zip(*islice(left, _AT_ONCE), strict=True)):
        arrays = [pa.array(c, field.type) for c, field in zip(columns, SEGMENTS, strict=True)]
        yield pa.record_batch(arrays, schema=SEGMENTS)
