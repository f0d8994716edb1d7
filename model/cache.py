"""Results that were computed before, in files named by a digest of all that they depend on.

A store has *entries*, bytes under a kind and a key.  A key is a digest, so an entry is never
changed: it is there and right, or it is not there.  That makes it safe to use from several
processes at once, without locks: an entry is written beside its place and renamed.  It begins with
a checksum over its kind, its key and what follows; one that is damaged, or lies under another name,
is removed and counts as missing.

The store is a help and never a condition.  Where it cannot be written, that is said once, and
everything is computed as if there were none.  When it has grown beyond its bound, the entries that
were not used for the longest time go first.

It lies in the user's cache folder, or where `ACKPROOF_CACHE` says; `ACKPROOF_CACHE=off` switches it
off.  With `ACKPROOF_CACHE=anew:FOLDER`, everything is searched and proved anew, as with the option
`--no-cache` of commands: what was read and compiled is taken from the folder and kept there, but
not what was found.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = [
    "ANEW",
    "COMPILED",
    "FOUND",
    "MOST_BYTES",
    "OFF",
    "OUTCOMES",
    "VARIABLE",
    "Cache",
    "Entry",
    "default_cache",
    "digest",
    "is_as_imported",
    "named",
    "noted",
    "sources",
    "using",
]

#: The variable of the environment that says where the store is, what switches it off, and what
#: stands before a folder in which nothing is to be kept that was found.
VARIABLE = "ACKPROOF_CACHE"
OFF = "off"
ANEW = "anew:"

#: What the entries are called that hold what searches found.
OUTCOMES = "outcomes"

#: All entries that say what was found: searched, proved or judged.  The others are what was read
#: and compiled, and make nothing less of a search or a proof.
FOUND = (OUTCOMES, "obligations", "consistent", "proofs", "mutants")

#: Entries that are of use to one kind of processor only: machine code, and what goes with it.
COMPILED = ("code", "frames")

#: How large a store may become.
MOST_BYTES = 256 << 20

#: To which part of its bound a store shrinks that is beyond it.
_KEPT = 0.75

_STARTED = time.time()

_SUFFIX = ".entry"
_CHECKSUM = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Entry:
    """What was put into a store."""

    kind: str
    key: str
    data: bytes


#: Where it is noted what is put into stores.
_notes: list[list[Entry]] = []


@contextmanager
def noted() -> Iterator[list[Entry]]:
    """Return a list that gets all that this process puts into stores meanwhile."""
    notes: list[Entry] = []
    _notes.append(notes)
    try:
        yield notes
    finally:
        # By identity: two that are empty are equal.
        _notes[:] = [other for other in _notes if other is not notes]


class Cache:
    """A store of entries in a folder.

    Args:
        folder: where the entries are; it is made when the first one is written.
        most: bytes that all entries together may have.
        left_out: kinds of entries that are neither read nor written.
    """

    def __init__(
        self, folder: Path, most: int = MOST_BYTES, left_out: frozenset[str] = frozenset()
    ) -> None:
        self.folder = folder
        self._left_out = left_out
        self.most = most
        self._size: int | None = None
        self._closed = False

    def without(self, *kinds: str) -> Cache:
        """Return this store without some kinds of entries: they are neither read nor written."""
        return Cache(self.folder, self.most, self._left_out.union(kinds))

    def keeps(self, kind: str) -> bool:
        """Tell whether entries of a kind are read and written."""
        return kind not in self._left_out

    def get(self, kind: str, key: str) -> bytes | None:
        """Return the content of an entry, or None if there is none that is whole."""
        if not self.keeps(kind):
            return None
        path = self._path(kind, key)
        try:
            written = path.read_bytes()
        except OSError:
            return None
        checksum, packed = written[:_CHECKSUM], written[_CHECKSUM:]
        if checksum != _checksum(kind, key, packed):
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)  # what was used last goes last
        return zlib.decompress(packed)

    def has(self, kind: str, key: str) -> bool:
        """Tell whether there is an entry, whole or not."""
        return self.keeps(kind) and self._path(kind, key).exists()

    def put(self, kind: str, key: str, data: bytes) -> None:
        """Write an entry; where that is impossible, say so once and go on."""
        if not self.keeps(kind):
            return
        for notes in _notes:
            notes.append(Entry(kind, key, data))
        if self._closed:
            return
        packed = zlib.compress(data, 1)
        path = self._path(kind, key)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(path, _checksum(kind, key, packed) + packed)
            self._trim(_CHECKSUM + len(packed))
        except OSError as error:
            self._closed = True
            print(
                f"the cache {self.folder} cannot be written: {error.strerror or error}; "
                "what is found is not kept",
                file=sys.stderr,
                flush=True,
            )

    def _path(self, kind: str, key: str) -> Path:
        return self.folder / kind / f"{key}{_SUFFIX}"

    def _trim(self, added: int) -> None:
        """Remove the entries that were used longest ago, if there is too much.

        The folder is measured at first, and again when it seems to be full: meanwhile, other
        processes may have written or removed entries.
        """
        if self._size is None:
            self._size = sum(size for _, size, _ in self._files())
        else:
            self._size += added
        if self._size <= self.most:
            return
        files = sorted(self._files())
        self._size = sum(size for _, size, _ in files)
        if self._size <= self.most:
            return
        for _, size, path in files:
            if self._size <= self.most * _KEPT:
                break
            with suppress(OSError):
                path.unlink()
            self._size -= size

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        """Yield when each file of the store was last used, its size, and where it is."""
        # What was being written when a process died is there, too.
        for path in self.folder.glob(f"*/*{_SUFFIX}*"):
            with suppress(OSError):
                stat = path.stat()
                yield stat.st_mtime, stat.st_size, path


def _checksum(kind: str, key: str, packed: bytes) -> bytes:
    return hashlib.sha256(f"{kind}/{key}\n".encode() + packed).digest()


def _write(path: Path, data: bytes) -> None:
    """Write a file that other processes see whole or not at all."""
    import tempfile  # a program that finds all in the store needs none

    descriptor, name = tempfile.mkstemp(prefix=f"{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def default_cache() -> Cache | None:
    """Return the store that the environment names, or the user's; None if it is switched off."""
    said = os.environ.get(VARIABLE)
    if said == OFF:
        return None
    if said and said.startswith(ANEW):
        return Cache(Path(said.removeprefix(ANEW))).without(*FOUND)
    if said:
        return Cache(Path(said))
    base = os.environ.get("XDG_CACHE_HOME")
    return Cache((Path(base) if base else Path.home() / ".cache") / "ackproof" / "results")


def named(store: Cache | None) -> str:
    """Return how the environment names a store that `default_cache` has returned."""
    if store is None:
        return OFF
    folder = str(store.folder.absolute())
    return folder if store.keeps(OUTCOMES) else f"{ANEW}{folder}"


@contextmanager
def using(said: str) -> Iterator[None]:
    """Have the environment name a store for as long as it is used."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = said
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def digest(*parts: str) -> str:
    """Return a digest of texts; other texts have another one, however they are divided."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode()
        found.update(f"{len(data)}:".encode())
        found.update(data)
    return found.hexdigest()


def is_as_imported(file: Path) -> bool:
    """Tell whether a source file says what this process has imported: it has not changed since."""
    return file.stat().st_mtime < _STARTED


@cache
def sources(*places: Path) -> str:
    """Return a digest of source files, and of those in folders, and of the Python that runs them.

    A folder stands for the files in it and below.  If one was written after this process began,
    its text is not what runs here, and the digest is one that no other process has.
    """
    files = [
        file
        for place in places
        for file in (sorted(place.rglob("*.py")) if place.is_dir() else [place])
    ]
    if not all(map(is_as_imported, files)):
        return uuid.uuid4().hex
    texts = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    return digest(sys.version, *texts, *(file.name for file in files))
