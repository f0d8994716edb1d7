"""Recordings as Parquet: a column for each field, channels together within each row group.

Events are kept until there are enough of them for a row group, and sorted by channel then.  So a
recording needs no shuffle to be judged, and a writer has room for one row group only.  The file can
be read once it is closed.  It has seals (`ackproof.conform.parquet_seals`), which are looked at
when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import numpy as np
from ackproof.conform.columns import Columns, columns_of, filled
from ackproof.conform.events import Event, Kind
from ackproof.conform.judging import stream
from ackproof.conform.judging.facts import BITS, NUMBER, complaints_in
from ackproof.conform.judging.texts import HERE, Numbering, Texts
from ackproof.conform.keys import FIELD
from ackproof.conform.parquet_seals import SealBroken, add_seals, seals_of
from ackproof.conform.schema import FORMAT, VERSION, RecordingError, check_version
from ackproof.conform.sources import Source
from ackproof.conform.wellformed import Malformed, wrong_with

__all__ = [
    "GROUP",
    "ParquetReader",
    "ParquetWriter",
    "read_parquet",
    "read_parquet_columns",
    "schema_of",
]

#: Events in a row group.
GROUP = 100_000
#: The columns of numbers that are as they were recorded.
_INTEGERS = {stream.TAG: "tag", stream.PREFETCH: "prefetch", stream.NUMBER: "number"}
_NAMES = [field.name for field in msgspec.structs.fields(Event)]
#: Texts of which there are few, and many events with the same.
_REPEATED = ["kind", "connection", "exchange", "key", "queue", "consumer", "text"]
_TYPES = {str: "string", int: "int64", float: "float64", bool: "bool"}
#: Tags have 64 bits, and no sign.  They had one bit less in recordings that were written before.
_WIDER = {"tag": "uint64"}


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise RecordingError(
            "recordings in Parquet need pyarrow: install ackproof[parquet], or use JSON Lines"
        ) from None
    return pyarrow, parquet


def schema_of(pyarrow: Any) -> Any:
    """Return the schema of a recording in Parquet, which names its format and version."""
    hints = get_type_hints(Event)
    return pyarrow.schema(
        [(name, _WIDER.get(name, _TYPES[hints[name]])) for name in _NAMES],
        metadata={"format": FORMAT, "version": str(VERSION)},
    )


class ParquetWriter:
    """A recording in Parquet that is being written."""

    def __init__(self, path: Path, mark: str = "") -> None:
        self._path = path
        self._pyarrow, self._parquet = _arrow()
        schema = schema_of(self._pyarrow)
        self._schema = schema.with_metadata({**schema.metadata, FIELD: mark}) if mark else schema
        self._file = self._parquet.ParquetWriter(path, self._schema, write_page_checksum=True)
        self._events: list[Event] = []

    def write(self, event: Event) -> None:
        """Keep an event for the next row group."""
        self._events.append(event)
        if len(self._events) == GROUP:
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
        add_seals(self._path, self._parquet.read_metadata(self._path))


class ParquetReader:
    """A recording in Parquet, a row group at a time.

    Raises:
        RecordingError: it is none.
    """

    def __init__(self, path: Source) -> None:
        self._pyarrow, self._parquet = _arrow()
        #: What reading damaged data can raise, besides what Python raises for texts.
        self._damage = (self._pyarrow.ArrowException, OSError, UnicodeDecodeError)
        # Arrow reads a file of this machine by itself, where nobody has to look at its bytes.
        file = path if isinstance(path, Path) else path.open("rb")
        try:
            self._file = self._opened(file)
            self._seals = seals_of(path, self._file.metadata)
        except SealBroken as error:
            raise RecordingError(f"{path}: {error}; restore it from a copy") from None
        except self._damage as error:
            if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
                raise
            raise RecordingError(
                f"{path}: this is no Parquet file, or is cut off: {_line(error)}"
            ) from None
        self._check(path)
        sizes = [self._file.metadata.row_group(i).num_rows for i in range(self.groups)]
        self._firsts = [0, *accumulate(sizes)]

    @property
    def key_mark(self) -> str:
        """The mark of the key of its digests; empty if it has none."""
        mark: str = (
            (self._file.schema_arrow.metadata or {}).get(FIELD.encode(), b"").decode("latin-1")
        )
        return mark

    def _opened(self, file: Any, metadata: Any = None) -> Any:
        """Open a file, or a piece of one whose metadata are known."""
        options = {"page_checksum_verification": True, "metadata": metadata}
        try:
            return self._parquet.ParquetFile(file, read_dictionary=_REPEATED, **options)
        except KeyError:  # one of those columns is missing, which is told below
            return self._parquet.ParquetFile(file, **options)

    def _group(self, group: int) -> Any:
        """Return a file that has a row group, as it was written.

        Raises:
            SealBroken: it is not.
        """
        if self._seals is None:
            return self._file
        return self._opened(self._seals.read(group), self._file.metadata)

    def _check(self, path: Source) -> None:
        """Reject a file of another version, or with other columns."""
        said = self._file.schema_arrow.metadata or {}
        form, version = (said.get(key, b"").decode("latin-1") for key in (b"format", b"version"))
        check_version(path, form, int(version) if version.isdecimal() else 0)
        expected, found = schema_of(self._pyarrow), self._file.schema_arrow
        for field in expected:
            place = found.get_field_index(field.name)
            has = found.field(place).type if place >= 0 else None
            if has == self._pyarrow.int64() and field.name in _WIDER:
                continue
            if field.type not in (has, getattr(has, "value_type", None)):
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

    def first(self, group: int) -> int:
        """Return the number of the first row of a row group."""
        found: int = self._firsts[group]
        return found

    def rows(self, group: int) -> Iterator[tuple[int, Event | Malformed]]:
        """Yield the number of each row of a row group, with the event, or why it is none.

        What cannot be read is one malformed event, in place of all that would follow.
        """
        row = self._firsts[group]
        try:
            for batch in self._group(group).iter_batches(row_groups=[group], columns=_NAMES):
                columns = [_listed(batch.column(name)) for name in _NAMES]
                for values in zip(*columns, strict=True):
                    yield row, _event(values)
                    row += 1
        except self._damage as error:
            last = self._firsts[group + 1] - 1
            yield row, Malformed(f"rows {row} to {last} cannot be read: {_line(error)}")

    def columns(self, group: int, numbering: Numbering = HERE) -> Columns | None:
        """Return a row group as columns; None if something in it is no event, as `rows` says."""
        try:
            table = self._group(group).read_row_group(group, columns=_NAMES)
        except self._damage:
            return None
        if not len(table) or any(column.null_count for column in table.columns):
            return None
        return _Group(table.combine_chunks(), numbering).columns()


class _Group:
    """A row group that was read, none of whose fields is null."""

    def __init__(self, table: Any, numbering: Numbering) -> None:
        self._table = table
        self._numbering = numbering
        self._names: dict[int, str] = {}

    def columns(self) -> Columns | None:
        """Return the events as columns; None if one of them is none."""
        kinds, connections = self._coded("kind"), self._coded("connection")
        if not self._is_right(kinds[1]):
            return None
        numbers = np.empty((stream.COLUMNS, len(self._table)), np.int64)
        numbers[stream.KIND] = np.array([NUMBER[kind] for kind in kinds[1]], np.int64)[kinds[0]]
        numbers[stream.BITS] = self._bits(kinds)
        for column, name in _INTEGERS.items():
            numbers[column] = self._plain(name).view(np.int64)
        numbers[stream.TIME] = self._plain("time").view(np.int64)
        numbers[stream.CONSUMER], numbers[stream.QUEUE] = map(self._numbered, ("consumer", "queue"))
        names, self._names = self._names, {}
        texts = self._texts("message"), self._texts("digest")
        where = self._numbered("exchange"), self._numbered("key")
        filled(numbers, *where, *texts, self._numbering)
        codes, called = connections

        def connection(row: int) -> str:
            return called[int(codes[row])]

        channels = self._plain("channel")
        return Columns(numbers, codes, channels, connection, self._event, *texts, names)

    def _is_right(self, kinds: Sequence[str]) -> bool:
        """Tell whether all are events: what one can be is bounded, so the outermost are asked."""
        events = [Event(kind, number=1) for kind in kinds]
        for name in ("channel", "number", "time", "tag", "prefetch"):
            values = self._plain(name)
            for value in (values.min(), values.max()) if len(values) else ():
                fields = {"number": 1, name: value.item()}
                events.append(Event(Kind.OPEN, **fields))
        return not any(map(wrong_with, events))

    def _plain(self, name: str) -> Any:
        return self._table.column(name).chunk(0).to_numpy(zero_copy_only=False)

    def _coded(self, name: str) -> tuple[Any, list[str]]:
        """Return a code for each row, and the text of each code."""
        column = self._table.column(name).chunk(0)
        codes = column.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        return codes, column.dictionary.to_pylist()

    def _numbered(self, name: str) -> Any:
        codes, texts = self._coded(name)
        numbers = self._numbering.of(texts)
        self._names |= {number: text for text, number in numbers.items()}
        return np.array([numbers[text] for text in texts], np.int64)[codes]

    def _texts(self, name: str) -> Texts:
        column = self._table.column(name).chunk(0)
        if hasattr(column, "dictionary"):
            column = column.dictionary_decode()
        _, ends, data = column.buffers()
        found = np.frombuffer(ends, np.int32)[column.offset : column.offset + len(column) + 1]
        return found, np.frombuffer(data or b"", np.uint8)

    def _bits(self, kinds: tuple[Any, list[str]]) -> Any:
        bits = np.zeros(len(self._table), np.int64)
        for name, bit in BITS.items():
            bits |= self._plain(name) * np.int64(bit)
        if Kind.CHANNEL_CLOSE in kinds[1]:
            codes, texts = self._coded("text")
            said = np.array([complaints_in(text) for text in texts], np.int64)[codes]
            bits |= np.where(kinds[0] == kinds[1].index(Kind.CHANNEL_CLOSE), said, 0)
        return bits

    def _event(self, row: int) -> Event:
        return Event(*(self._table.column(name)[row].as_py() for name in _NAMES))


def _listed(column: Any) -> list[Any]:
    plain = column.dictionary_decode() if hasattr(column, "dictionary") else column
    found: list[Any] = plain.to_pylist()
    return found


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
        yield from _events(path, reader, group)


def _events(path: Path, reader: ParquetReader, group: int) -> Iterator[Event]:
    for row, event in reader.rows(group):
        if isinstance(event, Malformed):
            raise RecordingError(f"{path}: row {row}: {event}")
        yield event


def read_parquet_columns(path: Path, numbering: Numbering = HERE) -> Iterator[Columns]:
    """Yield the events of a recording as columns.

    Raises:
        RecordingError: it is none, or has something that is no event.
    """
    reader = ParquetReader(path)
    for group in range(reader.groups):
        columns = reader.columns(group, numbering)
        if columns is None:
            columns = columns_of(list(_events(path, reader, group)), numbering)
        yield columns
