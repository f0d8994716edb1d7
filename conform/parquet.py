"""Recordings as Parquet: a column for each field, channels together within each row group.

Events are kept until there are enough of them for a row group, and sorted by channel then.  So a
recording needs no shuffle to be judged, and a writer has room for one row group only.  The file can
be read once it is closed.  Pages have checksums, which are looked at when they are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from ackproof.conform.events import Event
from ackproof.conform.schema import FORMAT, VERSION, RecordingError, check_version
from ackproof.conform.wellformed import Malformed, wrong_with

__all__ = ["ParquetReader", "ParquetWriter", "read_parquet"]

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


def _schema(pyarrow: Any) -> Any:
    hints = get_type_hints(Event)
    return pyarrow.schema(
        [(name, _TYPES[hints[name]]) for name in _NAMES],
        metadata={"format": FORMAT, "version": str(VERSION)},
    )


class ParquetWriter:
    """A recording in Parquet that is being written."""

    def __init__(self, path: Path) -> None:
        self._pyarrow, parquet = _arrow()
        self._schema = _schema(self._pyarrow)
        self._file = parquet.ParquetWriter(path, self._schema, write_page_checksum=True)
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


class ParquetReader:
    """A recording in Parquet, a row group at a time.

    Raises:
        RecordingError: it is none.
    """

    def __init__(self, path: Path) -> None:
        self._pyarrow, parquet = _arrow()
        #: What reading damaged data can raise, besides what Python raises for texts.
        self._damage = (self._pyarrow.ArrowException, OSError, UnicodeDecodeError)
        try:
            self._file = parquet.ParquetFile(path, page_checksum_verification=True)
        except self._damage as error:
            if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
                raise
            raise RecordingError(
                f"{path}: this is no Parquet file, or is cut off: {_line(error)}"
            ) from None
        self._check(path)
        sizes = [self._file.metadata.row_group(i).num_rows for i in range(self.groups)]
        self._firsts = [0, *accumulate(sizes)]

    def _check(self, path: Path) -> None:
        """Reject a file of another version, or with other columns."""
        said = self._file.schema_arrow.metadata or {}
        form, version = (said.get(key, b"").decode("latin-1") for key in (b"format", b"version"))
        check_version(path, form, int(version) if version.isdecimal() else 0)
        expected, found = _schema(self._pyarrow), self._file.schema_arrow
        for field in expected:
            if found.get_field_index(field.name) < 0 or found.field(field.name).type != field.type:
                raise RecordingError(
                    f"{path}: a recording has a column {field.name!r} of {field.type}, and this "
                    "has none; give a file that `ackproof record` has written"
                )

    @property
    def groups(self) -> int:
        """How many row groups there are."""
        return int(self._file.metadata.num_row_groups)

    def place(self, group: int) -> int:
        """Return where in the file a row group begins, in bytes."""
        return int(self._file.metadata.row_group(group).column(0).data_page_offset)

    def rows(self, group: int) -> Iterator[tuple[int, Event | Malformed]]:
        """Yield the number of each row of a row group, with the event, or why it is none.

        What cannot be read is one malformed event, in place of all that would follow.
        """
        row = self._firsts[group]
        try:
            for batch in self._file.iter_batches(row_groups=[group], columns=_NAMES):
                columns = [batch.column(name).to_pylist() for name in _NAMES]
                for values in zip(*columns, strict=True):
                    yield row, _event(values)
                    row += 1
        except self._damage as error:
            last = self._firsts[group + 1] - 1
            yield row, Malformed(f"rows {row} to {last} cannot be read: {_line(error)}")


def _event(values: tuple[Any, ...]) -> Event | Malformed:
    if None in values:
        return Malformed(f"{_NAMES[values.index(None)]!r} is null, and every field has a value")
    event = Event(*values)
    wrong = wrong_with(event)
    return Malformed(wrong) if wrong else event


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def read_parquet(path: Path) -> Iterator[Event]:
    """Yield the events of a recording.

    Raises:
        RecordingError: it is none, or has something that is no event.
    """
    reader = ParquetReader(path)
    for group in range(reader.groups):
        for row, event in reader.rows(group):
            if isinstance(event, Malformed):
                raise RecordingError(f"{path}: row {row}: {event}")
            yield event
