"""Windows: large captures, read by many tasks at once.

What a packet means depends on those of its own connection before it, in whatever file they are.  So
a capture is read in two steps.  Tasks look at its files, one each, and see of which pairs of
addresses the packets are (`ackproof.conform.scanning.dividing`).  Of every few megabytes, the
window, the packets go as they are to the parts of their pairs.  There the windows of a capture are
sorted, and its connections are followed, from one file to the next.

Files are in the order of their first packets, or of the numbers in their names.  Whether
connections go on in a file depends on when the one before it has ended, and a part may have no
packets of that one.  So there is a last row of each file for each part, which says when that was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa
from ackproof.conform.capture.files import is_capture
from ackproof.conform.capture.listening import Listening
from ackproof.conform.judging.texts import Numbering
from ackproof.conform.scanning import packets
from ackproof.conform.scanning.capture import CaptureReader
from ackproof.conform.scanning.dividing import Dividing
from ackproof.conform.scanning.packets import Piece
from ackproof.conform.schema import RecordingError
from ackproof.pipeline.audit.batches import Recording
from ackproof.pipeline.audit.records import Places, Read, said_of
from ackproof.pipeline.audit.sending import Sending, in_batches
from ackproof.pipeline.audit.splits import Split, shared_out
from ackproof.pipeline.errors import StoreFailed
from ackproof.pipeline.keeping import keep_what_is_loaded
from ackproof.pipeline.storage import placed

__all__ = ["WINDOWS_SCHEMA", "WINDOW_ORDER", "Following", "Windows", "large_captures"]

WINDOWS = pa.schema(
    [
        ("part", pa.int32()),
        ("recording", pa.int32()),
        ("first", pa.float64()),
        ("piece", pa.int32()),
        ("window", pa.int32()),
        ("last", pa.float64()),
        ("data", pa.binary()),
        ("packets", pa.binary()),
        ("file", pa.int32()),
        ("offset", pa.int64()),
        ("bad", pa.string()),
    ]
)
WINDOWS_SCHEMA = (
    "part int, recording int, first double, piece int, window int, last double, data binary, "
    "packets binary, file int, offset bigint, bad string"
)
#: By what the rows of a part are sorted, so that a capture is in one piece and in order.
WINDOW_ORDER = ("recording", "first", "piece", "window")

#: The window behind all others of a file.
_LAST = (1 << 31) - 1


def large_captures(
    files: Sequence[Recording], recordings: Sequence[Sequence[int]], most: int
) -> list[tuple[int, ...]]:
    """Return those recordings that are captures of more than so many bytes.

    Args:
        files: all files.
        recordings: the files of each, by their numbers.
        most: bytes that one task reads.
    """
    return [
        tuple(numbers)
        for numbers in recordings
        if sum(files[number].size for number in numbers) > most
        and (len(numbers) > 1 or _is_capture(files[numbers[0]].path))
    ]


def _is_capture(path: str) -> bool:
    try:
        return is_capture(placed(path))
    except (OSError, StoreFailed):  # whoever reads it is told
        return False


@dataclass(frozen=True)
class Windows:
    """The work of all tasks that look at files of captures; each is told which it is.

    Args:
        paths: the files, by their paths or addresses.
        pieces: of which recording each file of a capture is, and which of its files.
        tasks: the files of each task.
        parts: into how many parts pairs of addresses are divided.
    """

    paths: tuple[str, ...]
    pieces: dict[int, tuple[int, int]]
    tasks: tuple[tuple[int, ...], ...]
    parts: int

    @staticmethod
    def of(
        files: Sequence[Recording], captures: Sequence[Sequence[int]], most: int, parts: int
    ) -> Windows:
        """Return the work of reading some captures.

        Args:
            files: all files.
            captures: those of each capture, by their numbers.
            most: bytes that one task reads, about; it reads one file at least.
            parts: into how many parts pairs of addresses are divided.
        """
        pieces = {
            number: (numbers[0], piece)
            for numbers in captures
            for piece, number in enumerate(numbers)
        }
        # Of a file all is read by one task.
        whole = [Split(number, 0, files[number].size, files[number].size) for number in pieces]
        tasks = (tuple(split.recording for split in some) for some in shared_out(whole, most))
        return Windows(tuple(file.path for file in files), pieces, tuple(tasks), parts)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Do the tasks whose numbers come, in a column `id`."""
        keep_what_is_loaded()
        for batch in batches:
            for task in batch.column("id").to_pylist():
                for file in self.tasks[task]:
                    yield from self._windows(file)

    def _windows(self, file: int) -> Iterator[pa.RecordBatch]:
        """Yield what is in a file, as far as it can be read."""
        path, dividing = placed(self.paths[file]), Dividing(self.parts)
        recording, number = self.pieces[file]
        row = partial(_row, recording=recording, piece=number)
        pieces = (piece for piece in packets.pieces_of(path) if len(piece.packets))
        first = last = None
        try:
            for window, piece in enumerate(pieces):
                begin, last = piece.between()
                first = begin if first is None else first
                divided = ((part, some.packed()) for part, some in dividing.divided(piece))
                rows = (row(part, first, window, data=d, packets=p) for part, (d, p) in divided)
                yield from in_batches(rows, WINDOWS)
        except (RecordingError, OSError) as error:
            bad, anywhere = said_of(path, error), (file % self.parts, 0.0, 0)
            said = row(*anywhere, file=file, offset=bad.offset, bad=bad.reason)
            yield from in_batches([said], WINDOWS)
        if first is not None:
            ends = (row(part, first, _LAST, last=last) for part in range(self.parts))
            yield from in_batches(ends, WINDOWS)


def _row(
    part: int, first: float, window: int, recording: int, piece: int, **rest: Any
) -> tuple[Any, ...]:
    """Return a row, of which only that is there which is said."""
    said = {"part": part, "recording": recording, "first": first, "piece": piece, "window": window}
    return tuple((said | rest).get(name) for name in WINDOWS.names)


@dataclass(frozen=True)
class Following:
    """The work of all parts that follow the connections of captures.

    Args:
        paths: the files, by their paths or addresses.
        parts: into how many parts channels are divided.
        seed: of the numbers that stand for texts.
        how: how captures are read.
    """

    paths: tuple[str, ...]
    parts: int
    seed: bytes
    how: Listening = field(default_factory=Listening)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Follow the connections of a part, whose windows these are, sorted; yield segments."""
        keep_what_is_loaded()
        sending = Sending(self.paths, self.parts)
        capture: _Capture | None = None
        for batch in batches:
            for row in batch.to_pylist():
                if row["bad"] is not None:
                    yield from sending.bad(row["file"], row["offset"], row["bad"])
                    continue
                if capture is None or capture.recording != row["recording"]:
                    if capture is not None:
                        yield from capture.end()
                    reader = CaptureReader(self.how, Numbering(self.seed))
                    capture = _Capture(row["recording"], reader, sending)
                yield from capture.take(row)
        if capture is not None:
            yield from capture.end()
        yield from sending.rest()


class _Capture:
    """What a part has of a capture, as its windows come."""

    def __init__(self, recording: int, reader: CaptureReader, sending: Sending) -> None:
        self.recording = recording
        self._reader, self._sending = reader, sending
        self._places = Places()
        self._piece: int | None = None

    def take(self, row: dict[str, Any]) -> Iterator[pa.RecordBatch]:
        """Go on with the next window."""
        if row["piece"] != self._piece:
            self._piece = row["piece"]
            yield from self._sent(self._reader.begin(row["first"]))
        if row["last"] is not None:
            self._reader.ended(row["last"])
        else:
            yield from self._sent(self._reader.take(Piece.of(row["data"], row["packets"])))

    def end(self) -> Iterator[pa.RecordBatch]:
        """There is no more of it."""
        yield from self._sent(self._reader.part())

    def _sent(self, read: Iterator[Any]) -> Iterator[pa.RecordBatch]:
        for columns in read:
            yield from self._sending.events(self.recording, Read(self._places.of(columns), columns))
