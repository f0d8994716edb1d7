"""How much is free on the disk, looked at as often as it may have changed.

The broker makes it less with each commit, so it is looked at after each of them; others make it
more or less whenever they like, so it is looked at once a second besides.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["FreeSpace"]

#: Seconds after which it is looked at, commit or not.
_PERIOD = 1.0


class FreeSpace:
    """The free space of a file system.

    Args:
        directory: which is on it; None if nothing is kept on a disk.
        tell: called with the bytes that are free.
    """

    def __init__(self, directory: Path | None, tell: Callable[[int], None]) -> None:
        self._directory = directory
        self._tell = tell
        self._timer: asyncio.TimerHandle | None = None

    def watch(self) -> None:
        """Look now, and from now on."""
        if self._directory is not None:
            self.look()
            self._timer = asyncio.get_running_loop().call_later(_PERIOD, self.watch)

    def look(self) -> None:
        """Look now."""
        if self._directory is None:
            return
        with suppress(OSError):  # it is for a commit to say that a disk is gone
            found = os.statvfs(self._directory)
            self._tell(found.f_bavail * found.f_frsize)

    def stop(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()
