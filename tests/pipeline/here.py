"""The two halves of an audit, without Spark."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from ackproof.conform.capture.listening import Listening
from ackproof.pipeline.audit.here import AuditHere
from ackproof.pipeline.audit.tables import WRITTEN

__all__ = ["in_order", "tables_of"]


def tables_of(
    paths: Sequence[Path], parts: int, split: int, how: Listening | None = None
) -> dict[str, list[tuple[Any, ...]]]:
    """Return all tables of an audit, each with its rows in order."""
    with tempfile.TemporaryDirectory() as folder:
        AuditHere(Path(folder), how or Listening(), parts, split)(paths)
        read = {name: pq.read_table(Path(folder) / name).to_pylist() for name in WRITTEN}
    return {name: in_order(rows) for name, rows in read.items()}


def in_order(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return rows so that they can be compared, in whatever order they came."""
    return sorted((tuple(row.values()) for row in rows), key=repr)
