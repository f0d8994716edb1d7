"""The memory of all processes that a command starts, looked at while it runs.

Spark is several processes: the command, its JVM, and Python workers that the JVM starts.  What they
take together is the sum of their proportional set sizes, in which a page that several share is
counted once.  A look is taken a few times a second, so a peak of a moment may be missed.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

__all__ = ["Peak", "descendants"]

_PROC = Path("/proc")
_EVERY = 0.25


class Peak:
    """Watches what this process starts, for as long as the context lasts.

    Attributes:
        total: the most bytes that all processes had at one time.
        java: the most that those had that are a JVM.
        python: and the most of the others.
    """

    def __init__(self) -> None:
        self.total = self.java = self.python = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peak:
        """Begin to watch."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Watch no longer."""
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(_EVERY):
            self.look()

    def look(self) -> None:
        """Take one look."""
        sizes = {True: 0, False: 0}
        for pid in descendants(os.getpid(), _parents()):
            sizes[_read(pid, "comm").strip() == "java"] += _resident(pid)
        self.java, self.python = max(self.java, sizes[True]), max(self.python, sizes[False])
        self.total = max(self.total, sum(sizes.values()))


def descendants(pid: int, parents: Mapping[int, int]) -> set[int]:
    """Return the processes that one has started, and those that they have started."""
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        children = {child for child, of in parents.items() if of == parent} - found
        found |= children
        waiting += children
    return found


def _parents() -> dict[int, int]:
    """Return the parent of each process."""
    found = {}
    for entry in _PROC.iterdir():
        # The name of a process, in parentheses, may contain anything.
        if entry.name.isdecimal() and (rest := _read(int(entry.name), "stat").rpartition(") ")[2]):
            found[int(entry.name)] = int(rest.split()[1])
    return found


def _resident(pid: int) -> int:
    """Return the proportional set size of a process in bytes; 0 if it is gone."""
    size = re.search(r"^Pss:\s+(\d+) kB", _read(pid, "smaps_rollup"), re.MULTILINE)
    return int(size[1]) * 1024 if size else 0


def _read(pid: int, name: str) -> str:
    """Return what the system says of a process; nothing if it is gone."""
    try:
        return (_PROC / str(pid) / name).read_text(errors="replace")
    except OSError:
        return ""
