"""What a recording is called, and of which version it is."""

from __future__ import annotations

from ackproof.conform.sources import Source

__all__ = ["FORMAT", "VERSION", "RecordingError", "check_version"]

FORMAT = "ackproof recording"
VERSION = 1


class RecordingError(Exception):
    """A file is no recording, or cannot be read: where, what is wrong, what to do instead.

    Attributes:
        place: the byte at which it is damaged, if that is known; else its beginning.
    """

    def __init__(self, said: str, place: int = 0) -> None:
        super().__init__(said)
        self.place = place


def check_version(path: Source, form: str, version: int) -> None:
    """Reject what is no recording that this program can read.

    Raises:
        RecordingError: it is none, or of another version.
    """
    if form != FORMAT:
        raise RecordingError(
            f"{path}: this is no recording; give a file that `ackproof record` has written"
        )
    if version != VERSION:
        raise RecordingError(
            f"{path}: a recording of version {version}, and this program reads version {VERSION}; "
            "record again, or use the ackproof that has written it"
        )
