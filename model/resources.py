"""What the machine can spare: memory and processors, as the container is allowed to use them.

A search takes memory until it is done, so it needs a limit of its own: reaching that gives a
clean `truncated`, while reaching the system's gives a killed process.  The limit is a share of
what is available, which in a container is the smaller of what the machine has left and what the
control group still allows.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

__all__ = ["available_memory", "default_memory", "default_workers", "parse_size", "show_size"]

#: The part of the available memory that a search takes by default.
_SHARE = 0.7

#: Assumed where nothing can be found out: 1 GiB.
_UNKNOWN = 1 << 30

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def available_memory(root: Path = Path("/")) -> int:
    """Return how many bytes this process may still take.

    Args:
        root: where `proc` and `sys` are found; tests bring their own.
    """
    found = [
        _machine(root),
        _group(root, "memory.max", "memory.current"),
        _group(root, "memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ]
    known = [size for size in found if size is not None]
    return max(min(known), 0) if known else _UNKNOWN


def _machine(root: Path) -> int | None:
    text = _read(root / "proc/meminfo") or ""
    match = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return int(match[1]) << 10 if match else None


def _group(root: Path, limit: str, used: str) -> int | None:
    most = _read(root / "sys/fs/cgroup" / limit)
    taken = _read(root / "sys/fs/cgroup" / used)
    if most is None or taken is None or not most.strip().isdigit():
        return None
    return int(most) - int(taken)


def _read(path: Path) -> str | None:
    try:
        return path.read_text()
    except OSError:
        return None


def default_memory() -> int:
    """Return the memory limit, in bytes, of a check that was given none."""
    return int(available_memory() * _SHARE)


def default_workers(root: Path = Path("/")) -> int:
    """Return how many threads can run at once: processors, or the control group's share of them."""
    processors = len(os.sched_getaffinity(0))
    quota = (_read(root / "sys/fs/cgroup/cpu.max") or "max").split()
    if len(quota) == 2 and quota[0].isdigit():
        processors = min(processors, max(1, int(quota[0]) // int(quota[1])))
    return processors


def parse_size(text: str) -> int:
    """Return a number of bytes from `512M`, `2G`, `1.5GiB` or `4096B`; a unit is always there.

    Raises:
        ValueError: the text is not a size.
    """
    form = r"\s*(\d+(?:\.\d+)?)\s*(?:B|([KMGT])(?:i?B)?)\s*"
    match = re.fullmatch(form, text, re.IGNORECASE)
    size = int(float(match[1]) * (1 << _UNITS[(match[2] or "").upper()])) if match else 0
    if size < 1:
        raise ValueError(f"{text!r} is not a size")
    return size


def show_size(size: float) -> str:
    """Return a number of bytes as people read it: `1.5 GiB`."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
