"""Nearby: copies of files of an object store, on a disk of this machine.

What a search looks up in again and again is mapped into memory, and only files can be.  A copy has
the seal of its content as its name, so it is never out of date, whatever becomes of the object; and
whoever maps it compares it with the seal.

In a worker copies lie in the folder that Spark gives to its executor, where its shuffles are, and
go with the executor.  Elsewhere the folder is this process's own and goes with it.  When the disk
is nearly full, those copies are removed that were not asked for the longest; one that is mapped
keeps its content.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

__all__ = ["copied", "dropped", "kept", "temporary"]

#: The share of a disk that copies leave free.
_FREE = 0.05


def temporary() -> Path:
    """Return where a file may be made that is to be a copy, or to be removed."""
    return _folder() / f".{uuid.uuid4().hex}"


def kept(path: Path, seal: str) -> Path:
    """Make a copy of a file that `temporary` gave the place of; return where it is now."""
    place = _folder() / seal
    os.replace(path, place)
    return place


def copied(seal: str, fetch: Callable[[Path], object]) -> Path:
    """Return the copy that has a seal; if there is none yet, it is fetched.

    Args:
        seal: what its content should have.
        fetch: writes the content to a path.
    """
    place = _folder() / seal
    with suppress(FileNotFoundError):
        # When it was written is what a process remembers of it.
        os.utime(place, ns=(time.time_ns(), place.stat().st_mtime_ns))
        return place
    _make_room(place.parent)
    path = temporary()
    try:
        fetch(path)
        return kept(path, seal)
    finally:
        path.unlink(missing_ok=True)


def dropped(seal: str) -> None:
    """Remove a copy that is not what it should be."""
    (_folder() / seal).unlink(missing_ok=True)


def _make_room(folder: Path) -> None:
    usage = shutil.disk_usage(folder)
    missing = int(_FREE * usage.total) - usage.free
    if missing <= 0:
        return
    known = []
    for path in folder.iterdir():
        # Another process may remove it at the same time.
        with suppress(FileNotFoundError):
            if not path.name.startswith("."):
                known.append((path.stat().st_atime_ns, path.stat().st_size, path))
    for _, size, path in sorted(known):
        if missing <= 0:
            return
        path.unlink(missing_ok=True)
        missing -= size


def _folder() -> Path:
    """Return the folder for copies: the executor's in a worker, else the process's own."""
    place = _of_executor() or _own(os.getpid())
    place.mkdir(parents=True, exist_ok=True)
    return place


def _of_executor() -> Path | None:
    try:
        from pyspark import TaskContext
    except ImportError:
        return None
    folders = os.environ.get("SPARK_LOCAL_DIRS")
    if TaskContext.get() is None or not folders:
        return None
    return Path(folders.partition(",")[0]) / "ackproof"


@lru_cache(maxsize=1)
def _own(process: int) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="ackproof-copies-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
