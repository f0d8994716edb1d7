"""Records: what is in a split of a recording, each with its place, and what is none, with a reason.

Nothing that a file holds is an error here.  A line that is no event, a damaged row group, a file
that is no recording, one that cannot be read or has become shorter: each is told as *bad*, and the
rest goes on.  The place is the byte that a line begins at, or the number of a row in Parquet.

The last line of a recording that was cut off is left out, as `ackproof.conform.recording` does.

What a packet means depends on all before it.  So a capture is read by one task, and the place of an
event in it is how many there are before.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

import msgspec
from ackproof.conform.capture.files import is_capture
from ackproof.conform.capture.listening import Listening
from ackproof.conform.capture.reading import read_capture
from ackproof.conform.events import Event
from ackproof.conform.parquet import ParquetReader
from ackproof.conform.recording import check_header
from ackproof.conform.schema import RecordingError
from ackproof.conform.wellformed import Malformed, of_line
from ackproof.pipeline.audit.splits import Split

__all__ = ["Bad", "Record", "records_of"]

#: Bytes of a line, at most: a task has room for one.
LONGEST = 16 << 20


#: An event: where it is, the event, and as a line.  There are very many of them.
Record = tuple[int, Event, bytes]


class Bad(NamedTuple):
    """Something that is no event: where, and why."""

    offset: int
    reason: str


def records_of(path: Path, split: Split, how: Listening) -> Iterator[Record | Bad]:
    """Yield what is in a split, in order; a capture is all in the first split of its file."""
    try:
        if is_capture(path):
            yield from _heard(path, how) if split.start == 0 else ()
        else:
            yield from _rows(path, split) if path.suffix == ".parquet" else _lines(path, split)
    except RecordingError as error:
        # Every split sees that it is no recording, and the first one says so.
        if split.start == 0:
            yield Bad(0, str(error).removeprefix(f"{path}: "))
    except OSError as error:
        yield Bad(split.start, f"it cannot be read: {error.strerror or error}")


def _heard(path: Path, how: Listening) -> Iterator[Record]:
    encoder = msgspec.json.Encoder()
    for place, event in enumerate(read_capture(path, how)):
        yield place, event, encoder.encode(event) + b"\n"


def _rows(path: Path, split: Split) -> Iterator[Record | Bad]:
    encoder = msgspec.json.Encoder()
    reader = ParquetReader(path)
    for group in range(reader.groups):
        if split.start <= reader.place(group) < split.end:
            for row, event in reader.rows(group):
                if isinstance(event, Malformed):
                    yield Bad(row, str(event))
                else:
                    yield row, event, encoder.encode(event) + b"\n"


def _lines(path: Path, split: Split) -> Iterator[Record | Bad]:
    with path.open("rb") as file:
        header = file.readline(LONGEST)
        check_header(path, header)
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
                return
            else:
                try:
                    yield place, of_line(line), line
                except Malformed as error:
                    yield Bad(place, str(error))
            place += length


def _passed(file: IO[bytes]) -> int:
    """Go to the end of the line; return the bytes up to there."""
    passed = 0
    while line := file.readline(LONGEST):
        passed += len(line)
        if line.endswith(b"\n"):
            break
    return passed
