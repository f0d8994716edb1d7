"""The tables of an audit, and how rows of all of them travel through one job.

What judges a channel has rows for several tables.  A job has one kind of row, so rows of a table
are packed, some thousands to a row of the job, and unpacked where the table is asked for.

=============  =====================================================================================
`channels`     a row for each channel: how much was seen, and what of its own was settled
`violations`   a row for each violation, as `ackproof.conform.document.Found` has it, with its place
`messages`     a row for each message: what became of it, across channels and recordings
`quarantine`   a row for each record that is no event: recording, place, reason
=============  =====================================================================================

`facts`, `texts` and `latencies` are on their way to something else: what some events have shown of
a message, and what it is called (`ackproof.pipeline.audit.facts`), and the seconds from a publish
to its confirm.  Facts are numbers only, and are packed as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from ackproof.pipeline.audit.squeezed import batch_in, squeezed

__all__ = [
    "COUNTS",
    "FACTS",
    "PACKED",
    "PACKED_SCHEMA",
    "SUMS",
    "TABLES",
    "WRITTEN",
    "Packer",
    "batch_of",
    "packed",
    "rows_in",
]

_TEXT, _COUNT = pa.string(), pa.int64()

#: What a fate is made of: how many of a message were published, acked and so on.
COUNTS = ("published", "acked", "nacked", "returned")
#: What a fact is: the numbers of its message and of its queue, and what it counts; of deliveries,
#: those that are not marked, and those that are.
FACTS = ("low", "high", "queue", *COUNTS, "fresh", "marked")
#: What is summed over channels to count all messages.
SUMS = (*COUNTS, "deliveries", "redelivered", "frames", "events", "gaps")

TABLES: dict[str, pa.Schema] = {
    "channels": pa.schema(
        [
            ("recording", _TEXT),
            ("connection", _TEXT),
            ("channel", pa.int32()),
            *((name, _COUNT) for name in (*SUMS, "largest", "window")),
        ]
    ),
    "violations": pa.schema(
        [
            ("recording", _TEXT),
            ("connection", _TEXT),
            ("channel", pa.int32()),
            ("number", _COUNT),
            ("offset", _COUNT),
            ("time", pa.float64()),
            ("event", _TEXT),
            ("property", _TEXT),
            ("rules", pa.list_(_TEXT)),
            ("why", _TEXT),
        ]
    ),
    "quarantine": pa.schema([("recording", _TEXT), ("offset", _COUNT), ("reason", _TEXT)]),
    "messages": pa.schema(
        [
            ("message", _TEXT),
            ("digest", _TEXT),
            *((name, _COUNT) for name in (*COUNTS, "deliveries", "strangers")),
            *(
                (f"{name}_{end}", _COUNT)
                for name in ("seen", "unseen", "duplicated")
                for end in ("least", "most")
            ),
        ]
    ),
    "texts": pa.schema([("low", _COUNT), ("high", _COUNT), ("message", _TEXT), ("digest", _TEXT)]),
    "latencies": pa.schema([("seconds", pa.float64())]),
}
#: The tables that an audit leaves.
WRITTEN = ("channels", "violations", "messages", "quarantine")

PACKED = pa.schema([("table", _TEXT), ("bucket", pa.int32()), ("rows", pa.binary())])
PACKED_SCHEMA = "table string, bucket int, rows binary"

#: Rows that travel together, at most.
_TOGETHER = 1 << 13


class Packer:
    """Rows of all tables, packed when there are enough of one."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Sequence[Any]]] = {name: [] for name in TABLES}
        self._full: dict[str, list[tuple[int, bytes]]] = {}

    def add(self, table: str, row: Sequence[Any]) -> None:
        """Add a row to a table."""
        rows = self._rows[table]
        rows.append(row)
        if len(rows) == _TOGETHER:
            self._pack(table)

    def put(self, table: str, rows: pa.RecordBatch) -> None:
        """Add many rows to a table."""
        if len(rows):
            self._full.setdefault(table, []).append((0, squeezed(rows)))

    def put_numbers(self, table: str, rows: Any, bucket: int) -> None:
        """Add many rows of numbers, by column, to a table; those of one bucket can be asked for."""
        self._full.setdefault(table, []).append((bucket, squeezed(np.ascontiguousarray(rows))))

    def full(self) -> Iterator[pa.RecordBatch]:
        """Yield what there is enough of."""
        full, self._full = self._full, {}
        for table, packs in full.items():
            yield packed(table, *zip(*packs, strict=True))

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Yield all that was not yielded yet."""
        for table, rows in self._rows.items():
            if rows:
                self._pack(table)
        yield from self.full()

    def _pack(self, table: str) -> None:
        rows, self._rows[table] = self._rows[table], []
        self.put(table, batch_of(table, rows))


def packed(table: str, buckets: Any, rows: Any) -> pa.RecordBatch:
    """Return packed rows of one table as rows of the job."""
    arrays = [pa.repeat(pa.scalar(table), len(rows)), pa.array(buckets, pa.int32())]
    return pa.record_batch([*arrays, pa.array(rows, pa.binary())], schema=PACKED)


def batch_of(table: str, rows: Sequence[Sequence[Any]]) -> pa.RecordBatch:
    """Return rows of a table as Arrow has them."""
    schema, columns = TABLES[table], list(zip(*rows, strict=True))
    arrays = [pa.array(column, f.type) for column, f in zip(columns, schema, strict=True)]
    return pa.record_batch(arrays, schema=schema)


def rows_in(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows that are packed in rows of the job."""
    for batch in batches:
        for table, blob in zip(*map(batch.column, ("table", "rows")), strict=True):
            yield batch_in(blob.as_py(), TABLES[table.as_py()])
