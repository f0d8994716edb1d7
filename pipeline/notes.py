"""Notes: how what a task has found out comes back from Spark, as texts in JSON."""

from __future__ import annotations

import pyarrow as pa

__all__ = ["NOTES", "NOTES_SCHEMA"]

#: A row for each note, for Arrow and for Spark.
NOTES = pa.schema([("note", pa.string())])
NOTES_SCHEMA = "note string"
