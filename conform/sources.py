"""What recordings are read from: a file of this machine, or whatever can be opened like one."""

from __future__ import annotations

from typing import IO, Literal, Protocol

__all__ = ["Source"]


class Source(Protocol):
    """A file that can be read, such as a path; as a text it is what messages call it."""

    @property
    def suffix(self) -> str:
        """How its name ends, from the last point on."""
        ...

    def open(self, mode: Literal["rb"]) -> IO[bytes]:
        """Open it, at its beginning."""
        ...
