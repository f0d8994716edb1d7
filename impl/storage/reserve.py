"""Room that is kept on the disk for the day on which it is full.

To remove something takes room, too: a database writes what it is about to do before it does it.  So
a file of some size lies beside it that nobody reads.  When the disk is full, and what is to be
written only removes something, the file goes; it comes back as soon as there is room for it again.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["Reserve"]

#: Bytes that are kept: enough to remove some ten thousand messages at once.
_SIZE = 4 << 20


class Reserve:
    """The file that keeps the room.

    Args:
        path: where it is; None if nothing is kept on a disk.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._there = False

    def keep(self) -> bool:
        """Keep the room, if it is not kept yet and there is any; tell whether it is kept."""
        if self._there or self._path is None:
            return True
        try:
            file = os.open(self._path, os.O_CREAT | os.O_WRONLY, 0o600)
            try:
                os.posix_fallocate(file, 0, _SIZE)
                self._there = True
            finally:
                os.close(file)
        except OSError:
            self._path.unlink(missing_ok=True)
        return self._there

    def release(self) -> bool:
        """Give the room away; tell whether there was any."""
        if self._path is None or not self._there:
            return False
        self._path.unlink(missing_ok=True)
        self._there = False
        return True
