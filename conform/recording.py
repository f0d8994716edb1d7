"""Recordings: events in a file, as JSON Lines or as Parquet.

A recording in JSON Lines has a line for each event, in the order in which they were seen.  One in
Parquet has a column for each field of an event, and within a row group the events of a channel are
together.  In both the events of one channel are in order and numbered, and what has changed since
it was written is told by checksums.

A recording in JSON Lines that was cut off, because whoever wrote it was killed, is read up to
there; one in Parquet can be read once it was closed.

A capture of packets is read as if a proxy had recorded what was said in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Protocol

from ackproof.conform.capture.files import is_capture
from ackproof.conform.capture.listening import Listening
from ackproof.conform.columns import Columns, columns_of
from ackproof.conform.events import Event
from ackproof.conform.judging.texts import HERE, Numbering
from ackproof.conform.keys import DRAWN, key_mark
from ackproof.conform.lines import first_line, line_of, lines_after, mark_in_line
from ackproof.conform.parquet import (
    ParquetReader,
    ParquetWriter,
    read_parquet,
    read_parquet_columns,
)
from ackproof.conform.schema import RecordingError
from ackproof.conform.sources import Source
from ackproof.conform.wellformed import Malformed

__all__ = ["Sink", "mark_in", "read", "read_columns", "writer"]


#: Events that are made columns of at a time.
_TOGETHER = 1 << 14
#: Bytes that a first line has at most.
_LINE = 1 << 12


class Sink(Protocol):
    """Where events are recorded."""

    def write(self, event: Event) -> None:
        """Record an event."""

    def flush(self) -> None:
        """Write what there is, as far as the format allows it."""

    def close(self) -> None:
        """Write what was not written yet."""


class JsonLines:
    """A recording in JSON Lines that is being written."""

    def __init__(self, path: Path, mark: str = "") -> None:
        self._file: IO[bytes] = path.open("wb")
        self._file.write(first_line(mark))

    def write(self, event: Event) -> None:
        """Write a line."""
        self._file.write(line_of(event))

    def flush(self) -> None:
        """Hand all lines to the system."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def writer(path: Path, mark: str = "") -> Sink:
    """Return where to record events.

    Args:
        path: a file; the ending of its name says in which format.
        mark: that of the key of the digests (`ackproof.conform.keys`).
    """
    if path.suffix == ".parquet":
        return ParquetWriter(path, mark)
    return JsonLines(path, mark)


def mark_in(path: Source, how: Listening) -> str:
    """Return the mark of the key of a recording; empty if it has none, or cannot be read.

    Args:
        path: the recording, or a capture.
        how: how captures are read.
    """
    try:
        if is_capture(path):
            return DRAWN if how.given is None else key_mark(how.given)
        if path.suffix == ".parquet":
            return ParquetReader(path).key_mark
        with path.open("rb") as file:
            return mark_in_line(file.readline(_LINE))
    except (OSError, RecordingError):
        # Whoever reads it says what is wrong with it.
        return ""


def read(path: Path, how: Listening | None = None) -> Iterator[Event]:
    """Yield the events of a recording, or of a capture.

    Args:
        path: the file.
        how: how a capture is read; with a key of its own if None.

    Raises:
        RecordingError: it is none, or of a version that this program does not know.
    """
    if is_capture(path):
        # What takes packets apart is loaded where there are any.
        from ackproof.conform.capture.reading import read_capture

        yield from read_capture([path], how or Listening())
    elif path.suffix == ".parquet":
        yield from read_parquet(path)
    else:
        yield from _read_lines(path)


def read_columns(
    path: Path, how: Listening | None = None, numbering: Numbering = HERE
) -> Iterator[Columns]:
    """Yield the events of a recording, or of a capture, as columns; see `read`."""
    if is_capture(path):
        from ackproof.conform.scanning.capture import read_capture_columns

        yield from read_capture_columns([path], how or Listening(), numbering)
        return
    if path.suffix == ".parquet":
        yield from read_parquet_columns(path, numbering)
        return
    events = read(path, how)
    while together := list(islice(events, _TOGETHER)):
        yield columns_of(together, numbering)


def _read_lines(path: Path) -> Iterator[Event]:
    with path.open("rb") as file:
        lines = lines_after(path, file.readline())
        for number, line in enumerate(file, 2):
            try:
                if not line.endswith(b"\n"):
                    lines.check_cut_off(line)
                    return
                event = lines.event(line)
            except Malformed as error:
                raise RecordingError(f"{path}:{number}: {error}") from None
            yield event
