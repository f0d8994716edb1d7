"""The first half: recordings are cut into segments, and each goes to the part of its channel.

A *segment* is what a task has read of one channel, in order, as lines of JSON.  Many events travel
in one row, for what costs on the way is the row and not its bytes.  A segment has the place of each
of its events in the recording.  So the segments of a channel, sorted by the place of the first, are
the channel as it was recorded, however files were divided.

What is bad travels, too, and needs no order.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from ackproof.conform.capture.listening import Listening
from ackproof.pipeline.audit.records import Bad, records_of
from ackproof.pipeline.audit.splits import Split
from ackproof.pipeline.keeping import keep_what_is_loaded

__all__ = ["ORDER", "SEGMENTS", "SEGMENTS_SCHEMA", "Reading"]

SEGMENTS = pa.schema(
    [
        ("part", pa.int32()),
        ("recording", pa.int32()),
        ("connection", pa.string()),
        ("channel", pa.int32()),
        ("first", pa.int64()),
        ("places", pa.binary()),
        ("lines", pa.binary()),
        ("bad", pa.string()),
    ]
)
SEGMENTS_SCHEMA = (
    "part int, recording int, connection string, channel int, first bigint, places binary, "
    "lines binary, bad string"
)
#: By what the rows of a part are sorted, so that a channel is in one piece and in order.
ORDER = ("recording", "connection", "channel", "first")

#: Bytes of one segment, and of all that a task keeps until it sends them, at most and about.
_SEGMENT, _KEPT = 1 << 16, 8 << 20

_Row = tuple[Any, ...]


class _Segment:
    """What has been read of one channel since segments were sent."""

    __slots__ = ("lines", "places", "size")

    def __init__(self) -> None:
        self.places: list[int] = []
        self.lines: list[bytes] = []
        self.size = 0


@dataclass(frozen=True)
class Reading:
    """The work of all tasks that read; each is told which it is.

    Args:
        paths: the recordings.
        tasks: the splits of each task.
        parts: into how many parts channels are divided.
        how: how captures are read.
    """

    paths: tuple[str, ...]
    tasks: tuple[tuple[Split, ...], ...]
    parts: int
    how: Listening = field(default_factory=Listening)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Do the tasks whose numbers come, in a column `id`."""
        keep_what_is_loaded()
        for batch in batches:
            for task in batch.column("id").to_pylist():
                for split in self.tasks[task]:
                    yield from self.segments(split)

    def segments(self, split: Split) -> Iterator[pa.RecordBatch]:
        """Yield what is in a split."""
        kept: dict[tuple[str, int], _Segment] = {}
        rows: list[_Row] = []
        size = 0
        for record in records_of(Path(self.paths[split.recording]), split, self.how):
            if isinstance(record, Bad):
                rows.append(self._bad(split.recording, record))
                continue
            place, event, line = record
            channel = event.connection, event.channel
            segment = kept.get(channel)
            if segment is None:
                segment = kept[channel] = _Segment()
            segment.places.append(place)
            segment.lines.append(line)
            segment.size += len(line)
            size += len(line)
            if segment.size >= _SEGMENT:
                rows.append(self._row(split.recording, channel, kept.pop(channel)))
            if size >= _KEPT:
                rows += [self._row(split.recording, *item) for item in kept.items()]
                yield _batch(rows)
                kept, rows, size = {}, [], 0
        rows += [self._row(split.recording, *item) for item in kept.items()]
        if rows:
            yield _batch(rows)

    def _row(self, recording: int, channel: tuple[str, int], segment: _Segment) -> _Row:
        places = np.array(segment.places, np.int64).tobytes()
        part = self._part(recording, channel)
        key = part, recording, *channel, segment.places[0]
        return *key, places, b"".join(segment.lines), None

    def _bad(self, recording: int, bad: Bad) -> _Row:
        part = self._part(recording, bad.offset)
        return part, recording, None, None, bad.offset, None, None, bad.reason

    def _part(self, recording: int, what: object) -> int:
        return zlib.crc32(repr((self.paths[recording], what)).encode()) % self.parts


def _batch(rows: list[_Row]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SEGMENTS, strict=True)]
    return pa.record_batch(arrays, schema=SEGMENTS)
