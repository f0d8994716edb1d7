"""What recordings are read from: a file of this machine, or whatever can be opened like one."""

from __future__ import annotations

import os
from typing import IO, Literal, Protocol

__all__ = ["Source", "called"]


class Source(Protocol):
    """A file that can be read, such as a path; as a text it is what messages call it."""

    @property
    def suffix(self) -> str:
        """How its name ends, from the last point on."""
        ...

    def open(self, mode: Literal["rb"]) -> IO[bytes]:
        """Open it, at its beginning."""
        ...


def called(path: object) -> str:
    """Return what a file is called in documents and tables; bytes that are no text are escaped."""
    return os.fsencode(str(path)).decode("utf-8", "backslashreplace")
