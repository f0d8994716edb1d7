"""Records: what is in a split of a recording, each with its place, and what is none, with a reason.

Nothing that a file holds is an error here.  A line that is no event, a damaged row group, a file
that is no recording, one that cannot be read or has become shorter: each is told as *bad*, and the
rest goes on.  The place is the byte that a line begins at, or the number of a row in Parquet.
Events come many at once, as columns.

The last line of a recording that was cut off is left out, as `ackproof.conform.recording` does.

What a packet means depends on those before it.  So a capture is not divided here, whatever files it
is in; one that is large is for `ackproof.pipeline.audit.windows`.  The place of an event in it is
how many there are before on its connection.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

import numpy as np
from ackproof.conform.capture.files import is_capture
from ackproof.conform.capture.listening import Listening
from ackproof.conform.columns import Columns, columns_of
from ackproof.conform.events import Event
from ackproof.conform.judging.texts import Numbering
from ackproof.conform.lines import Lines, lines_after
from ackproof.conform.parquet import ParquetReader
from ackproof.conform.scanning.capture import read_capture_columns
from ackproof.conform.schema import RecordingError
from ackproof.conform.sources import Source
from ackproof.conform.wellformed import Malformed
from ackproof.pipeline.audit.splits import Split

__all__ = ["Bad", "Places", "Read", "read_of", "said_of"]

#: Bytes of a line, at most: a task has room for one.
LONGEST = 16 << 20
#: Events that are made columns of at a time, and bytes of their lines, at most and about.
_TOGETHER, _BYTES = 1 << 16, 8 << 20


class Bad(NamedTuple):
    """Something that is no event: where, and why, and in which file of those that were read."""

    offset: int
    reason: str
    file: int = 0


class Read(NamedTuple):
    """Events: where each is, and what they are."""

    places: Any
    columns: Columns


class Places:
    """The places of events of a capture, as their columns come: each connection has its own."""

    def __init__(self) -> None:
        self._before: dict[int, int] = {}

    def of(self, columns: Columns) -> Any:
        """Return the place of each event."""
        order = np.argsort(columns.connections, kind="stable")
        ordered = columns.connections[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        counts = np.diff(starts, append=len(ordered))
        found = np.arange(len(ordered))
        before = [self._before.get(number, 0) for number in ordered[starts].tolist()]
        found += np.repeat(np.array(before, np.int64) - starts, counts)
        ends = (found[starts] + counts).tolist()
        self._before |= dict(zip(ordered[starts].tolist(), ends, strict=True))
        places = np.empty_like(found)
        places[order] = found
        return places


#: An event, and where it begins and ends.
_Record = tuple[int, int, Event]


def read_of(
    files: Sequence[Source], split: Split, how: Listening, numbering: Numbering
) -> Iterator[Read | Bad]:
    """Yield what is in a split, in order; a capture is all in the first split.

    Args:
        files: one, or the pieces of a capture.
        split: the part of it.
        how: how captures are read.
        numbering: the numbers that stand for texts.
    """
    path = files[0]
    try:
        if len(files) > 1 or is_capture(path):
            yield from _heard(files, how, numbering) if split.start == 0 else ()
        elif path.suffix == ".parquet":
            yield from _groups(path, split, numbering)
        else:
            yield from _gathered(_lines(path, split), numbering)
    except RecordingError as error:
        # Every split sees that it is no recording, and the first one says so.
        if split.start == 0:
            yield said_of(path, error)
    except OSError as error:
        yield said_of(path, error)._replace(offset=split.start)


def _gathered(records: Iterator[_Record | Bad], numbering: Numbering) -> Iterator[Read | Bad]:
    """Yield records, events together; those before an error, too."""
    places: list[int] = []
    events: list[Event] = []
    size, ended, error = 0, False, None
    while not ended:
        try:
            record = next(records, None)
        except (RecordingError, OSError) as raised:
            record, error = None, raised
        ended = record is None
        if isinstance(record, Bad):
            yield record
        elif record is not None:
            places.append(record[0])
            events.append(record[2])
            size += record[1] - record[0]
        if events and (ended or size >= _BYTES or len(events) == _TOGETHER):
            yield Read(np.array(places, np.int64), columns_of(events, numbering))
            places, events, size = [], [], 0
    if error is not None:
        raise error


def said_of(path: Source, error: RecordingError | OSError, file: int = 0) -> Bad:
    """Return what an error says of a file."""
    if isinstance(error, OSError):
        return Bad(0, f"it cannot be read: {error.strerror or error}", file)
    return Bad(error.place, str(error).removeprefix(f"{path}: "), file)


def _heard(files: Sequence[Source], how: Listening, numbering: Numbering) -> Iterator[Read | Bad]:
    bad: list[Bad] = []

    def damaged(path: Source, error: RecordingError | OSError) -> None:
        bad.append(said_of(path, error, files.index(path)))

    places = Places()
    for columns in read_capture_columns(files, how, numbering, damaged):
        yield Read(places.of(columns), columns)
    yield from bad


def _groups(path: Source, split: Split, numbering: Numbering) -> Iterator[Read | Bad]:
    reader = ParquetReader(path)
    for group in range(reader.groups):
        if split.start <= reader.place(group) < split.end:
            columns = reader.columns(group, numbering)
            if columns is None:
                yield from _gathered(_rows(reader, group), numbering)
            else:
                first = reader.first(group)
                yield Read(np.arange(first, first + columns.numbers.shape[1]), columns)


def _rows(reader: ParquetReader, group: int) -> Iterator[_Record | Bad]:
    for row, event in reader.rows(group):
        yield Bad(row, str(event)) if isinstance(event, Malformed) else (row, row + 1, event)


def _lines(path: Source, split: Split) -> Iterator[_Record | Bad]:
    with path.open("rb") as file:
        header = file.readline(LONGEST)
        lines = lines_after(path, header)
        place = len(header)
        if split.start > place:
            file.seek(split.start - 1)
            place = split.start - 1 + _passed(file)
        while place < split.end:
            line = file.readline(LONGEST)
            length = len(line)
            if length == LONGEST and not line.endswith(b"\n"):
                length += _passed(file)
                yield Bad(place, f"a line of {length:,} bytes; an event has {LONGEST:,} at most")
            elif place + length > split.size or not line.endswith(b"\n"):
                if place + length < split.size:
                    yield Bad(place, "the file ends here, and was longer when the audit began")
                elif not line.endswith(b"\n"):
                    yield from _cut_off(lines, place, line)
                return
            else:
                try:
                    yield place, place + length, lines.event(line)
                except Malformed as error:
                    yield Bad(place, str(error))
            place += length


def _cut_off(lines: Lines, place: int, line: bytes) -> Iterator[Bad]:
    try:
        lines.check_cut_off(line)
    except Malformed as error:
        yield Bad(place, str(error))


def _passed(file: IO[bytes]) -> int:
    """Go to the end of the line; return the bytes up to there."""
    passed = 0
    while line := file.readline(LONGEST):
        passed += len(line)
        if line.endswith(b"\n"):
            break
    return passed
