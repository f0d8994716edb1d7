"""Recordings as Parquet: a column for each field, channels together within each row group.

Events are kept until there are enough of them for a row group, and sorted by channel then.  So a
recording needs no shuffle to be judged, and a writer has room for one row group only.  The file can
be read once it is closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from ackproof.conform.events import Event
from ackproof.conform.schema import FORMAT, VERSION, RecordingError, check_version

__all__ = ["ParquetWriter", "read_parquet"]

#: Events in a row group.
_GROUP = 100_000
_NAMES = [field.name for field in msgspec.structs.fields(Event)]
_TYPES = {str: "string", int: "int64", float: "float64", bool: "bool"}


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise RecordingError(
            "recordings in Parquet need pyarrow: install ackproof[parquet], or use JSON Lines"
        ) from None
    return pyarrow, parquet


class ParquetWriter:
    """A recording in Parquet that is being written."""

    def __init__(self, path: Path) -> None:
        self._pyarrow, parquet = _arrow()
        hints = get_type_hints(Event)
        self._schema = self._pyarrow.schema(
            [(name, _TYPES[hints[name]]) for name in _NAMES],
            metadata={"format": FORMAT, "version": str(VERSION)},
        )
        self._file = parquet.ParquetWriter(path, self._schema)
        self._events: list[Event] = []

    def write(self, event: Event) -> None:
        """Keep an event for the next row group."""
        self._events.append(event)
        if len(self._events) == _GROUP:
            self._write_group()

    def _write_group(self) -> None:
        self._events.sort(key=lambda event: (event.connection, event.channel, event.number))
        columns = {name: [getattr(event, name) for event in self._events] for name in _NAMES}
        self._file.write_table(self._pyarrow.table(columns, schema=self._schema))
        self._events.clear()

    def flush(self) -> None:
        """Do nothing: a row group is written when it is full."""

    def close(self) -> None:
        """Write the last row group, and what makes it a file."""
        if self._events:
            self._write_group()
        self._file.close()


def read_parquet(path: Path) -> Iterator[Event]:
    """Yield the events of a recording.

    Raises:
        RecordingError: it is none.
    """
    pyarrow, parquet = _arrow()
    try:
        file = parquet.ParquetFile(path)
    except pyarrow.ArrowInvalid as error:
        raise RecordingError(f"{path}: this is no Parquet file, or is cut off: {error}") from None
    said = file.schema_arrow.metadata or {}
    check_version(path, said.get(b"format", b"").decode(), int(said.get(b"version", b"0")))
    for batch in file.iter_batches(columns=_NAMES):
        columns = [batch.column(name).to_pylist() for name in _NAMES]
        for values in zip(*columns, strict=True):
            yield Event(*values)
