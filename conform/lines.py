"""Lines: a recording in JSON Lines line by line, each with a checksum of what is before it.

The first line says what the file is, and the mark of its key (`ackproof.conform.keys`); each other
line is an event, in which what has its default is left out.  Each ends with the CRC-32 of all
before that field:

    {"format":"ackproof recording","version":1,"key_mark":"2c9f3a51b0d8e746","crc":1874329817}
    {"kind":"Ack","connection":"c1","channel":1,"number":7,"time":1795405580.28,"tag":1,"crc":…}

A first line with a checksum promises one in every line.  Whoever makes recordings by other means
need not count; what has a checksum is compared with it all the same.  A line that was cut off,
because whoever wrote it was killed, is no event.  The end of a line may have changed, too, and a
whole line that something else ends was not cut off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from zlib import crc32

import msgspec
from ackproof.conform.events import Event
from ackproof.conform.schema import FORMAT, VERSION, RecordingError, check_version
from ackproof.conform.sources import Source
from ackproof.conform.wellformed import Malformed, of_line

__all__ = ["Lines", "first_line", "line_of", "lines_after", "mark_in_line"]

_ENCODER = msgspec.json.Encoder()
_FIELD = b',"crc":'
_SUM = re.compile(rb',"crc":[0-9]+}\n\Z')


class _Header(msgspec.Struct, omit_defaults=True):
    format: str
    version: int
    key_mark: object = ""
    crc: int | None = None


def first_line(mark: str = "") -> bytes:
    """Return the line that a recording begins with, and the mark of its key if it is known."""
    return _summed(_ENCODER.encode(_Header(FORMAT, VERSION, mark)))


def mark_in_line(line: bytes) -> str:
    """Return the mark of the key that a first line has; empty if it has none, or has changed."""
    try:
        header = msgspec.json.decode(line, type=_Header)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    changed = header.crc is not None and not _is_whole(line)
    return header.key_mark if isinstance(header.key_mark, str) and not changed else ""


def line_of(event: Event) -> bytes:
    """Return the line of an event."""
    return _summed(_ENCODER.encode(event))


def _summed(text: bytes) -> bytes:
    said = text[:-1]
    return b"%b%b%d}\n" % (said, _FIELD, crc32(said))


def _is_whole(line: bytes) -> bool:
    said = line[: line.rfind(_FIELD)]
    return line[len(said) :] == b"%b%d}\n" % (_FIELD, crc32(said))


@dataclass(frozen=True)
class Lines:
    """The lines of one recording.

    Args:
        path: the recording.
        summed: each has a checksum.
    """

    path: Source
    summed: bool

    def event(self, line: bytes) -> Event:
        """Return the event that a line is.

        Raises:
            Malformed: it is none, or has changed since it was written.
        """
        if (self.summed or _SUM.search(line)) and not _is_whole(line):
            raise Malformed(
                "the line has changed since it was recorded: its checksum is that of another; take "
                "the file from where it was recorded, or leave `crc` out of the first line if you "
                "change lines on purpose"
            )
        return of_line(line)

    def check_cut_off(self, line: bytes) -> None:
        """Reject a last line without its end, if nothing else is missing.

        Raises:
            Malformed: the line is there; only the end of the line is another.
        """
        if self.summed and _is_whole(line[:-1] + b"\n"):
            raise Malformed("the end of the line has changed since it was recorded")


def lines_after(path: Source, line: bytes) -> Lines:
    """Return how to read the lines after the first line of a file.

    Raises:
        RecordingError: the file is no recording, or of another version, or this line has changed.
    """
    try:
        header = msgspec.json.decode(line, type=_Header)
    except (msgspec.DecodeError, UnicodeDecodeError):
        header = _Header("", 0)
    check_version(path, header.format, header.version)
    if header.crc is not None and not _is_whole(line.removesuffix(b"\n") + b"\n"):
        raise RecordingError(
            f"{path}:1: the line has changed since it was recorded; take the file from where it "
            "was recorded"
        )
    return Lines(path, header.crc is not None)
