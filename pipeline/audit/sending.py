"""Sending: the rows that go to the parts that judge, whoever has read them.

Events travel as segments of channels (`ackproof.pipeline.audit.segments`).  A segment has the place
of each of its events in the recording.  So the segments of a channel, sorted by the place of the
first, are the channel as it was recorded, however files were divided.

What is bad travels, too, and needs no order.  So do the texts of messages, by buckets, of which
each part gets about as many: they pass by those that judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pyarrow as pa
from ackproof.conform.scanning.dividing import part_of
from ackproof.pipeline.audit.facts import KnownTexts
from ackproof.pipeline.audit.records import Read
from ackproof.pipeline.audit.segments import segments_of

__all__ = ["ORDER", "SEGMENTS", "SEGMENTS_SCHEMA", "Sending", "in_batches"]

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

#: Rows that are handed on together.
_AT_ONCE = 1 << 5
#: What is bad is sent when there is so much of it.
_TOGETHER = 1 << 12

_Row = tuple[Any, ...]


class Sending:
    """What one task sends.

    Args:
        paths: the files, by their paths or addresses.
        parts: into how many parts channels are divided.
    """

    def __init__(self, paths: tuple[str, ...], parts: int) -> None:
        self._paths, self._parts = paths, parts
        self._texts = KnownTexts()
        self._bad: list[_Row] = []

    def events(self, recording: int, read: Read) -> Iterator[pa.RecordBatch]:
        """Yield events of a recording, and texts of messages if there are many."""
        yield from in_batches((self._row(recording, s) for s in segments_of(*read)), SEGMENTS)
        self._texts.add(read.columns)
        if self._texts.many:
            yield from self._told()

    def bad(self, file: int, offset: int, reason: str) -> Iterator[pa.RecordBatch]:
        """Take what is no event, and why; yield what there is of that, if it is much."""
        part = self._part(file, offset)
        self._bad.append((part, file, None, None, offset, None, None, reason, None))
        if len(self._bad) == _TOGETHER:
            yield from self._told_bad()

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Yield all that was not yielded yet."""
        yield from self._told_bad()
        yield from self._told()

    def _row(self, recording: int, segment: tuple[Any, ...]) -> _Row:
        return self._part(recording, segment[:2]), recording, *segment, None, None

    def _told(self) -> Iterator[pa.RecordBatch]:
        texts = self._texts.flush()
        rows = (
            (bucket % self._parts, None, None, None, None, said, None, None, bucket)
            for bucket, said in texts
        )
        yield from in_batches(rows, SEGMENTS)

    def _told_bad(self) -> Iterator[pa.RecordBatch]:
        bad, self._bad = self._bad, []
        yield from in_batches(bad, SEGMENTS)

    def _part(self, recording: int, what: object) -> int:
        return part_of((self._paths[recording], what), self._parts)


def in_batches(rows: Iterable[_Row], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield rows together, some at a time: what is large is no faster for Spark, but slower."""
    left = iter(rows)
    while columns := list(zip(*islice(left, _AT_ONCE), strict=True)):
        arrays = [pa.array(c, field.type) for c, field in zip(columns, schema, strict=True)]
        yield pa.record_batch(arrays, schema=schema)
