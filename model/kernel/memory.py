"""Memory that is reserved whole and paid for page by page.

A search does not know how many states it will meet. Instead of copying arrays as they grow, each
one gets a *region*: a range of addresses as large as the search may ever need, which costs nothing
until it is touched. So a table grows in place, addresses never change, and what the process
occupies is what has been written.

Beyond its first two megabytes a region asks for huge pages: random access into a large table is
bound by address translation, and half as fast without them. The first two megabytes keep ordinary
pages, so that a small search stays small.
"""

import ctypes
import mmap
import os
import sys
from pathlib import Path
from types import TracebackType

Words = ctypes.Array[ctypes.c_int64]

HUGE_PAGE = 2 << 20
LINE = 64
_LINUX_NORESERVE = 0x4000  # `mmap.MAP_NORESERVE`, which Python names only from 3.13 on
_SHARE_OF_AVAILABLE = 0.8


class OutOfAddresses(MemoryError):
    """The system refuses to reserve addresses: see `ulimit -v` and `vm.overcommit_memory`."""


class Region:
    """Zeroed memory at a fixed `address`, `size` bytes long, occupied as it is written.

    Raises `OutOfAddresses` if the system does not allow that many addresses.
    """

    def __init__(self, size: int) -> None:
        assert size > 0
        self.size = -(-size // HUGE_PAGE) * HUGE_PAGE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        if sys.platform == "linux":
            flags |= _LINUX_NORESERVE
        try:
            self._map = mmap.mmap(-1, self.size, flags=flags)
        except (OSError, ValueError, OverflowError) as error:
            raise OutOfAddresses(
                f"cannot reserve {self.size >> 20} MiB of addresses ({error}): "
                "give a smaller memory limit, or raise `ulimit -v`"
            ) from error
        self._view = ctypes.c_char.from_buffer(self._map)
        self.address = ctypes.addressof(self._view)
        if hasattr(mmap, "MADV_HUGEPAGE") and self.size > HUGE_PAGE:
            self._map.madvise(mmap.MADV_HUGEPAGE, HUGE_PAGE, self.size - HUGE_PAGE)

    def clear(self) -> None:
        """Let it be as it was at first: all 0, and occupying nothing."""
        self._map.madvise(mmap.MADV_DONTNEED)

    def close(self) -> None:
        """Give everything back; the address must not be used any more."""
        del self._view
        self._map.close()

    def __enter__(self) -> "Region":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Arena:
    """Zeroed words for small things, each on cache lines of its own; room for `words` of them."""

    def __init__(self, words: int) -> None:
        self._region = Region(8 * words)
        self._used = 0

    def take(self, count: int) -> Words:
        """That many words, which live as long as the arena is open."""
        address = self._region.address + self._used
        self._used += -(-8 * count // LINE) * LINE
        assert self._used <= self._region.size, "the arena is as large as what it is made for"
        return words_at(address, count)

    def close(self) -> None:
        """Give everything back; nothing that was taken must be used any more."""
        self._region.close()


def words_at(address: int, count: int) -> Words:
    """That many words of memory, as an array."""
    return (ctypes.c_int64 * count).from_address(address)


def default_limit() -> int:
    """Bytes a search may occupy unless told otherwise: most of what is free at this moment.

    The smaller of what the machine has available and what the control group of the process still
    allows, where they can be read; otherwise of the physical memory.
    """
    free = [_machine_available()]
    group = _group_available()
    if group is not None:
        free.append(group)
    return int(min(free) * _SHARE_OF_AVAILABLE)


def _machine_available() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _group_available() -> int | None:
    """What the control group (version 2, then 1) still allows, or None if it sets no bound."""
    for bound, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        (
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        ),
    ):
        try:
            return max(0, int(Path(bound).read_text()) - int(Path(used).read_text()))
        except (OSError, ValueError):
            continue
    return None
