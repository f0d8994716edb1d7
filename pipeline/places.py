"""Places: where files are kept, a directory that machines share or an object store.

All that a search or an audit keeps goes through here.  What is asked of a place is little, and what
both kinds of it can do: a file is there with all of its content or not at all, a name that was
written can be read and listed by everybody afterwards, and nothing is ever appended or renamed.

- In a directory (`LocalPlace`, a path like any other) a file is written beside its place, brought
  to the disk and renamed.  Of a name there may be one file only where a hard link makes it.
- An object store (`ackproof.pipeline.objects`) puts whole objects.  It has no links; so where only
  one may write, each writes under a name of its own and looks who else has.

A file whose seal is known can be mapped into memory, on any machine: from a directory as it lies
there, from an object store as a copy on a disk of this machine.
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Callable
from pathlib import Path, PosixPath
from typing import NamedTuple, Protocol

import pyarrow as pa
from ackproof.pipeline.sealed import NOT_THE_SAME, FileChanged, Readable, seal_of

__all__ = ["LocalPlace", "Place", "Stored", "require_same"]

#: Seconds in which a file of a shared directory is seen on all machines.
_ARRIVAL = 60.0
#: Files that a process remembers to have compared with their seals.
_MOST_COMPARED = 1 << 16


class Stored(NamedTuple):
    """What was written: how many bytes, and their seal."""

    size: int
    seal: str


class Place(Readable, Protocol):
    """A file or a folder; as a text it is what messages call it.

    What cannot be done raises OSError, and in an object store `StoreFailed`.
    """

    @property
    def name(self) -> str:
        """The last part of its path."""
        ...

    @property
    def stem(self) -> str:
        """Its name without what is behind the last point."""
        ...

    @property
    def suffix(self) -> str:
        """What is behind the last point of its name, with the point."""
        ...

    @property
    def parent(self) -> Place:
        """The folder that it is in."""
        ...

    @property
    def address(self) -> str:
        """What `placed` makes the same place of, on any machine."""
        ...

    def __hash__(self) -> int:
        """Return the same number for the same place."""
        ...

    def __truediv__(self, name: str) -> Place:
        """Return what has a name in this folder; several names may be joined by slashes."""
        ...

    def absolute(self) -> Place:
        """Return the same wherever the current folder is."""
        ...

    def ready(self) -> None:
        """See that files can be written in this folder, as far as that can be seen."""
        ...

    def exists(self) -> bool:
        """Tell whether there is such a file."""
        ...

    def files(self, *, deep: bool = False) -> list[Place]:
        """Return the files in this folder, by name; none if it does not exist.

        Args:
            deep: whether those in folders of it are meant, too.
        """
        ...

    def size(self) -> int:
        """Return how many bytes a file has."""
        ...

    def arrived(self) -> Place:
        """Return the place of a file that another machine has written, once it is seen here.

        Raises:
            FileChanged: it is not there.
        """
        ...

    def stamp(self) -> tuple[int, ...]:
        """Return numbers that are others when the file was written again."""
        ...

    def mapped(self, seal: str) -> pa.Buffer:
        """Return the content of a file that has a seal, in memory only where it is looked at.

        Raises:
            FileChanged: it has not, or it is not there.
        """
        ...

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove a file."""
        ...

    def clear(self) -> None:
        """Remove a folder with all that is in it, if there is one."""
        ...

    def write(self, content: str) -> None:
        """Write a text: all of it is there afterwards, or what was there before."""
        ...

    def make(
        self, write: Callable[[Path], object], *, lasting: bool = True, near: bool = False
    ) -> Stored:
        """Write a file as `write` does on this machine.

        Args:
            write: given the path of a file to make.
            lasting: whether it is to be there after a loss of power.
            near: whether it will be mapped on this machine.
        """
        ...

    def claim(self, content: str) -> Place:
        """Write a file of this name unless there is one; return where it is.

        Its stem may have more in it then, behind a dash.

        Raises:
            FileExistsError: somebody else has; of several at the same time none or one succeeds.
        """
        ...

    def renew(self) -> None:
        """Say of a file that it is still meant.

        Raises:
            FileNotFoundError: somebody has removed it.
        """
        ...

    def silence(self) -> float:
        """Return for how many seconds a file was not renewed, by the clock of who keeps it."""
        ...


class LocalPlace(PosixPath):
    """A place in a directory."""

    @property
    def address(self) -> str:
        """Its path."""
        return str(self)

    def ready(self) -> None:
        """Make the folder."""
        self.mkdir(parents=True, exist_ok=True)

    def files(self, *, deep: bool = False) -> list[Place]:
        """Return the files in this folder that have their names already."""
        if deep:
            return [path for path in sorted(self.rglob("*")) if path.is_file()]
        try:
            with os.scandir(self) as found:
                names = sorted(f.name for f in found if f.name[0] != "." and f.is_file())
        except FileNotFoundError:
            return []
        return [self / name for name in names]

    def arrived(self) -> LocalPlace:
        """Wait for the file: a shared folder may show what others do with a delay."""
        deadline = time.monotonic() + _ARRIVAL
        while not self.exists():
            if time.monotonic() > deadline:
                raise FileChanged(self, "is missing; is the folder the same on all machines?")
            time.sleep(0.05)
        return self

    def size(self) -> int:
        """Return how many bytes it has."""
        return self.stat().st_size

    def stamp(self) -> tuple[int, ...]:
        """Return when it was written, which file it is, and its size."""
        found = self.stat()
        return found.st_mtime_ns, found.st_ino, found.st_size

    def mapped(self, seal: str) -> pa.Buffer:
        """Map the file itself."""
        self.arrived()
        content = _content(self)
        require_same(self, content, seal, *self.stamp())
        return content

    def clear(self) -> None:
        """Remove the folder; what cannot be removed stays."""
        shutil.rmtree(self, ignore_errors=True)

    def write(self, content: str) -> None:
        """Write a text, which is there after a loss of power, too."""
        self.make(lambda path: path.write_text(content, encoding="utf-8"))

    def make(
        self, write: Callable[[Path], object], *, lasting: bool = True, near: bool = False
    ) -> Stored:
        """Write beside the place, and rename when all went well."""
        self.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.with_name(f".{self.name}.{uuid.uuid4().hex}")
        try:
            write(temporary)
            content = _content(temporary)
            stored = Stored(content.size, seal_of(content))
            if lasting:
                _to_disk(temporary)
            os.replace(temporary, self)
            if lasting:
                _to_disk(self.parent)
        finally:
            temporary.unlink(missing_ok=True)
        return stored

    def claim(self, content: str) -> LocalPlace:
        """Make a hard link, which fails where there is a file."""
        temporary = self.with_name(f".{self.name}.{uuid.uuid4().hex}")
        try:
            temporary.write(content)
            os.link(temporary, self)
            _to_disk(self.parent)
        finally:
            temporary.unlink(missing_ok=True)
        return self

    def renew(self) -> None:
        """Touch the file."""
        os.utime(self)

    def silence(self) -> float:
        """Compare with a file that is touched now."""
        probe = self.with_name(f".{os.getpid()}.clock")
        try:
            probe.touch()
            return probe.stat().st_mtime - self.stat().st_mtime
        except FileNotFoundError:
            return 0.0
        finally:
            probe.unlink(missing_ok=True)


def _content(path: Path) -> pa.Buffer:
    # An empty file cannot be mapped.
    return pa.memory_map(str(path)).read_buffer() if path.stat().st_size else pa.py_buffer(b"")


#: The files that this process has compared with their seals, and when they were written.
_compared: set[tuple[object, ...]] = set()


def require_same(place: Place, content: pa.Buffer, seal: str, *written: object) -> None:
    """Compare a file with its seal, if this process has not done so.

    A large file that is looked up in again and again is never read as a whole twice.

    Args:
        place: what a message calls it.
        content: what is in it.
        seal: its seal.
        written: what is different when it is written again.

    Raises:
        FileChanged: it is not what was written.
    """
    key = (str(place), seal, *written)
    if key in _compared:
        return
    if seal_of(content) != seal:
        raise FileChanged(place, NOT_THE_SAME)
    if len(_compared) >= _MOST_COMPARED:
        _compared.clear()
    _compared.add(key)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
