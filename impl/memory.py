"""How many bytes the contents of messages take.

A message is held by whoever may still need it: the channel it is coming in on, the network, a
queue, a batch on its way to the disk.  Instead of asking all of them, the bytes are counted where
they come into being and given back when Python drops the last reference.  A message does that for
itself; while it is still coming in, a `Share` stands for what has come, and ends with its owner.

The last reference may be dropped by the thread that writes to the disk, so what is given back goes
through a queue that needs no lock, and is subtracted when somebody asks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

__all__ = ["OVERHEAD", "Memory", "Share"]

#: What Python itself needs for a message, about.
OVERHEAD = 500
#: Given-back shares that are subtracted at the latest when so many have come together.
_TOGETHER = 1000


class Memory:
    """Counts bytes; `used` says how many are in use."""

    def __init__(self) -> None:
        self._taken = 0
        self._returned: deque[int] = deque()
        #: Bytes are free again; any thread may say so.
        self.give_back: Callable[[int], None] = self._returned.append

    @property
    def used(self) -> int:
        """Return the bytes that were counted and not given back."""
        returned = self._returned
        while returned:
            self._taken -= returned.popleft()
        return self._taken

    def take(self, size: int) -> Share:
        """Return a share of so many bytes, and what Python needs for them."""
        return Share(self, size + OVERHEAD)

    def add(self, size: int) -> None:
        """Count bytes that somebody has, and will give back."""
        if len(self._returned) > _TOGETHER:
            _ = self.used
        self._taken += size


class Share:
    """Bytes that are in use for as long as this is referred to."""

    __slots__ = ("_give_back", "_memory", "_size")

    def __init__(self, memory: Memory, size: int) -> None:
        self._memory = memory
        self._give_back = memory.give_back
        self._size = size
        memory.add(size)

    def grow(self, size: int) -> None:
        """Stand for more bytes."""
        self._size += size
        self._memory.add(size)

    def __del__(self) -> None:
        self._give_back(self._size)
