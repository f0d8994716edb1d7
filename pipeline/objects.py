"""Places in an object store: what `pyarrow.fs` reaches by an address, such as `s3://bucket/found`.

What is asked of a store: an object is there as a whole or not at all; and whoever lists or reads
after a write has ended sees it.  Amazon's and Google's stores, Azure's, HDFS and MinIO are like
that.  A file is made on a disk of this machine and put as one object, in a thread of its own that
an interruption does not reach: a stream that is left in the middle would be put as it is.

Arrow cannot say "put this unless there is one".  So who claims a name writes `name-…` with
something random in it, and then lists: if there is another claim to the same name, it takes its own
back.  Of two, the one that lists later sees both, so two never succeed; it may be that none does.

Where the store is and how it is reached stands in the address, as `pyarrow.fs.FileSystem.from_uri`
reads it; who asks is told by the environment.  An address with a secret in it is refused, so that
none is ever shown or sent on.
"""

from __future__ import annotations

import io
import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, Any, Literal
from urllib.parse import parse_qsl, urlsplit

import pyarrow as pa
from ackproof.pipeline import nearby
from ackproof.pipeline.aside import Aside
from ackproof.pipeline.errors import StoreFailed
from ackproof.pipeline.places import LocalPlace, Place, Stored, require_same
from ackproof.pipeline.sealed import FileChanged, seal_of
from pyarrow import fs

__all__ = ["ObjectPlace"]

#: Bytes that are moved at a time, and that a reader asks for at once.
_CHUNK, _AHEAD = 16 << 20, 4 << 20

_SECRET = re.compile(r"secret|key|token|password|signature|\bsig\b|\bsas\b", re.IGNORECASE)

_NO_BUCKET = ("there is no such bucket", "make it, or name another")
#: What a store's errors have in them, what that means, and what can be done.
_MEANINGS = (
    (r"NO_SUCH_BUCKET|NoSuchBucket|ContainerNotFound", *_NO_BUCKET),
    (
        r"ACCESS_DENIED|INVALID_ACCESS_KEY|INVALID_CLIENT_TOKEN|SIGNATURE|UNRECOGNIZED_CLIENT|"
        r"HTTP status 40[13]|PERMISSION_DENIED|Permission denied|AuthenticationFailed|"
        r"InvalidAccessKeyId|AuthFailure",
        "the credentials of this process do not allow it",
        "put others into the environment, or have them allowed to list, read, write and remove",
    ),
    (
        r"NETWORK_CONNECTION|curlCode|[Tt]imed? ?out|Could not connect|UNAVAILABLE|SLOW_DOWN|"
        r"HTTP status 5\d\d|INTERNAL_FAILURE|SERVICE_UNAVAILABLE",
        "the store does not answer",
        "see whether it is up, and whether its address is right",
    ),
)


@dataclass(frozen=True)
class ObjectPlace:
    """A place in an object store.

    Args:
        root: an address, without what follows a question mark.
        query: what follows it.
        below: the path from there.
    """

    root: str
    query: str = ""
    below: str = ""

    @staticmethod
    def at(address: str) -> ObjectPlace:
        """Return the place that has an address.

        Raises:
            StoreFailed: it is no address, or nothing is known of such stores, or it has a secret.
        """
        try:
            parsed = urlsplit(address)
            names = [name for name, _ in parse_qsl(parsed.query, keep_blank_values=True)]
            secret = parsed.password is not None or any(map(_SECRET.search, names))
        except ValueError as error:
            raise StoreFailed(f"an address cannot be read: {error}") from None
        shown = f"{parsed.scheme}://{parsed.netloc.rpartition('@')[2]}{parsed.path}".rstrip("/")
        if secret or (parsed.username and parsed.scheme == "s3"):
            raise StoreFailed(
                f"{shown}: its address has credentials in it, which others could see; put them "
                "into the environment, and leave them out here"
            )
        if parsed.fragment:
            raise StoreFailed(f"{shown}: its address has a #; write %23 for it")
        root = f"{parsed.scheme}://{parsed.netloc}{parsed.path}".rstrip("/")
        try:
            _opened(root, parsed.query)
        except (OSError, ValueError, NotImplementedError) as error:
            raise StoreFailed(
                f"{shown}: there is no way there: {_first(error)}; see the addresses that "
                "pyarrow.fs.FileSystem.from_uri knows"
            ) from None
        return ObjectPlace(root, parsed.query)

    def __str__(self) -> str:
        """Return what messages call it."""
        return f"{self.root}/{self.below}" if self.below else self.root

    @property
    def address(self) -> str:
        """Its address, with how the store is reached."""
        return f"{self}?{self.query}" if self.query else str(self)

    @property
    def name(self) -> str:
        """The last part of its path."""
        return PurePosixPath(str(self)).name

    @property
    def stem(self) -> str:
        """Its name without what is behind the last point."""
        return PurePosixPath(str(self)).stem

    @property
    def suffix(self) -> str:
        """What is behind the last point of its name, with the point."""
        return PurePosixPath(str(self)).suffix

    @property
    def parent(self) -> ObjectPlace:
        """The folder that it is in."""
        if self.below:
            return replace(self, below=self.below.rpartition("/")[0])
        return replace(self, root=self.root.rpartition("/")[0])

    def __truediv__(self, name: str) -> ObjectPlace:
        """Return what has a name in this folder."""
        return replace(self, below=f"{self.below}/{name}" if self.below else name)

    @property
    def _store(self) -> Any:
        return _opened(self.root, self.query)[0]

    @property
    def _path(self) -> str:
        path = _opened(self.root, self.query)[1]
        return f"{path}/{self.below}" if self.below else path

    def absolute(self) -> ObjectPlace:
        """Return the same: an address is as good everywhere."""
        return self

    # -- asking ---------------------------------------------------------------------------------

    def ready(self) -> None:
        """List what is there, and see whether there is a bucket."""
        bucket = self._path.partition("/")[0]
        with self._told():
            if not self._listed() and bucket:
                found = self._store.get_file_info(bucket)
                if found.type == fs.FileType.NotFound:
                    raise StoreFailed(f"{self}: {'; '.join(_NO_BUCKET)}")

    def exists(self) -> bool:
        """Tell whether there is such an object."""
        with self._told():
            return bool(self._store.get_file_info(self._path).type == fs.FileType.File)

    def files(self, *, deep: bool = False) -> list[Place]:
        """Return the objects of this folder, by name."""
        with self._told():
            listed = [found for found in self._listed(deep) if found.is_file and found.base_name]
        names = sorted(found.path[len(self._path) + 1 :] for found in listed)
        return [self / name for name in names if not PurePosixPath(name).name.startswith(".")]

    def _listed(self, deep: bool = False) -> Any:
        selector = fs.FileSelector(self._path, allow_not_found=True, recursive=deep)
        return self._store.get_file_info(selector)

    def size(self) -> int:
        """Return how many bytes it has."""
        return self.stamp()[-1]

    def arrived(self) -> ObjectPlace:
        """Return the same: what was put is there."""
        return self

    def stamp(self) -> tuple[int, ...]:
        """Return when it was put, and its size."""
        with self._told():
            found = self._store.get_file_info(self._path)
        if found.type != fs.FileType.File:
            raise FileChanged(self, "is missing")
        return found.mtime_ns or 0, found.size

    def silence(self) -> float:
        """Compare with an object that is put now."""
        probe = self.parent / f".clock-{uuid.uuid4().hex}"
        probe.write("")
        try:
            now, then = probe.stamp()[0], self.stamp()[0]
        except FileChanged:
            return 0.0
        finally:
            probe.unlink(missing_ok=True)
        return (now - then) / 1e9

    # -- reading --------------------------------------------------------------------------------

    def read_bytes(self) -> bytes:
        """Return all that is in it now."""
        with self._told(), self._store.open_input_file(self._path) as file:
            return bytes(file.read())

    def open(self, mode: Literal["rb"] = "rb") -> IO[bytes]:
        """Open it; what is read comes from the store, a few megabytes at a time."""
        with self._told():
            return io.BufferedReader(_Reader(self, self._store.open_input_file(self._path)), _AHEAD)

    def mapped(self, seal: str) -> pa.Buffer:
        """Map a copy; one that was spoiled on this machine is fetched again."""
        for left in (1, 0):
            path = nearby.copied(seal, self._fetch)
            try:
                content = pa.memory_map(str(path)).read_buffer()
                require_same(self, content, seal, path, *LocalPlace(path).stamp())
                return content
            except FileNotFoundError:
                continue  # it was removed to make room
            except FileChanged:
                nearby.dropped(seal)
                if not left:
                    raise
        raise FileChanged(self, "does not stay on this machine, whose disk is full")

    def _fetch(self, path: Path) -> None:
        try:
            with self._told():
                source = self._store.open_input_stream(self._path)
        except FileNotFoundError:
            raise FileChanged(self, "is missing") from None
        with path.open("wb") as target:
            while piece := self._piece(source):
                target.write(piece)

    def _piece(self, source: Any) -> Any:
        with self._told():
            return source.read_buffer(_CHUNK)

    # -- writing --------------------------------------------------------------------------------

    def write(self, content: str) -> None:
        """Put a text."""
        self.make(lambda path: path.write_text(content, encoding="utf-8"))

    def make(
        self, write: Callable[[Path], object], *, lasting: bool = True, near: bool = False
    ) -> Stored:
        """Write a file of this machine, and put it; it stays as a copy if it will be mapped."""
        path = nearby.temporary()
        try:
            write(path)
            size = path.stat().st_size
            seal = seal_of(pa.memory_map(str(path)).read_buffer() if size else b"")
            Aside(lambda: self._put(path)).result()
            if near:
                nearby.kept(path, seal)
        finally:
            path.unlink(missing_ok=True)
        return Stored(size, seal)

    def _put(self, path: Path) -> None:
        with path.open("rb") as source, self._told():
            target = self._store.open_output_stream(self._path)
            while piece := source.read(_CHUNK):
                target.write(piece)
            # Only here it is said whether there is an object now.
            target.close()

    def claim(self, content: str) -> ObjectPlace:
        """Write under a name of its own, and take it back if that is not the only one."""
        own = self.parent / f"{self.stem}-{uuid.uuid4().hex[:12]}{self.suffix}"
        own.write(content)
        claims = [x.name for x in self.parent.files() if x.stem.partition("-")[0] == self.stem]
        if claims != [own.name]:
            own.unlink(missing_ok=True)
            raise FileExistsError(f"{self} is claimed by another")
        return own

    def renew(self) -> None:
        """Put it again."""
        self.write(self.read_bytes().decode())

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove the object."""
        try:
            with self._told():
                self._store.delete_file(self._path)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def clear(self) -> None:
        """Remove all objects below."""
        with self._told(), suppress(FileNotFoundError):
            self._store.delete_dir(self._path)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in one line what a store could not do, and what can be done.

        Raises:
            FileNotFoundError: there is no such object.
            StoreFailed: anything else.
        """
        try:
            yield
        except FileNotFoundError as error:
            raise FileNotFoundError(2, "No such file or directory", str(self)) from error
        except (OSError, pa.ArrowException) as error:
            if isinstance(error, FileChanged):
                raise
            raise StoreFailed(f"{self}: {_meaning(error)}") from None


class _Reader(io.RawIOBase):
    """An object as a raw file, whose errors are told as those of its place."""

    def __init__(self, place: ObjectPlace, file: Any) -> None:
        super().__init__()
        self._place = place
        self._file = file

    def readable(self) -> bool:
        """Say so."""
        return True

    def seekable(self) -> bool:
        """Say so."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes."""
        with self._place._told():
            return int(self._file.readinto(buffer))

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a byte."""
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        """Return at which byte it is."""
        return int(self._file.tell())

    def close(self) -> None:
        """Close it."""
        if not self.closed:
            self._file.close()
        super().close()


@lru_cache(maxsize=64)
def _opened(root: str, query: str) -> tuple[Any, str]:
    """Return the store of an address, and the path in it."""
    if root.startswith("s3://") and "allow_delayed_open" not in query:
        # Small objects then are one request, and not three.
        query += f"{'&' if query else ''}allow_delayed_open=true"
    store, path = fs.FileSystem.from_uri(f"{root}?{query}" if query else root)
    return store, path.rstrip("/")


def _meaning(error: Exception) -> str:
    said = str(error)
    for pattern, what, remedy in _MEANINGS:
        if re.search(pattern, said):
            return f"{what} ({_first(error)}); {remedy}"
    return f"the store refuses: {_first(error)}; mend that, and try again"


def _first(error: Exception) -> str:
    """Return the first line of an error, without the number of a request."""
    line = next(iter(str(error).splitlines()), "") or type(error).__name__
    return re.sub(r"\s*\(Request ID: [^)]*\)", "", line).strip()[:240]
