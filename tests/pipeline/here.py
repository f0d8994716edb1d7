"""The two halves of an audit on Spark, without Spark: its shuffle is a filter and a sort."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from ackproof.conform.capture.listening import Listening
from ackproof.conform.judging.texts import Numbering
from ackproof.pipeline.audit.batches import Recording
from ackproof.pipeline.audit.fates import messages_of
from ackproof.pipeline.audit.judging import Judging
from ackproof.pipeline.audit.reading import ORDER, SEGMENTS, Reading
from ackproof.pipeline.audit.tables import PACKED, TABLES, rows_in

__all__ = ["in_order", "tables_of"]

#: What comes together by buckets of messages.
BY_BUCKET = ("facts", "texts")
_SEED = Numbering.drawn()


def tables_of(
    paths: Sequence[Path], parts: int, split: int, how: Listening | None = None
) -> dict[str, list[tuple[Any, ...]]]:
    """Return all tables of an audit, each with its rows in order."""
    files = [Recording(str(path), str(path), path.stat().st_size) for path in paths]
    reading = Reading.of(files, split, parts, _SEED, how or Listening())
    tasks = reversed(range(len(reading.tasks)))
    numbers = [pa.record_batch([[number]], ["id"]) for number in tasks]
    moved = pa.Table.from_batches(reading(iter(numbers)), SEGMENTS)
    judging = Judging(tuple(map(str, paths)))
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    known: list[dict[str, Any]] = []
    for part in range(parts):
        own = moved.filter(pa.compute.equal(moved["part"], part))
        own = own.sort_by([(name, "ascending") for name in ORDER])
        for batch in judging(iter(own.to_batches(max_chunksize=3))):
            table = batch.column("table")[0].as_py()
            if table in BY_BUCKET:
                known += batch.to_pylist()
                continue
            for rows in rows_in(iter([batch])):
                found[table] += rows.to_pylist()
    ordered = pa.Table.from_pylist(known, PACKED).sort_by("bucket")
    for batch in messages_of(iter(ordered.to_batches(max_chunksize=5))):
        found["messages"] += batch.to_pylist()
    return {name: in_order(rows) for name, rows in found.items()}


def in_order(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return rows so that they can be compared, in whatever order they came."""
    return sorted((tuple(row.values()) for row in rows), key=repr)
