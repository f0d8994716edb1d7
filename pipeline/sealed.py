"""Files that show when they were changed: each has a seal, a digest of all that is in it.

What is read is first compared with its seal, so that no bit that has flipped is ever taken for a
state.  Where the seal stands depends on the file.  A document in JSON has it as its last field, a
text as its last line, a table of numbers behind its end; files of states are to be read by others,
as Parquet, so their seals are in the manifest of their level.

What is written is on the disk before it has its name, so that what was cut off by a loss of power
has none.
"""

from __future__ import annotations

import hashlib
import os
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa

__all__ = [
    "SEAL",
    "FileChanged",
    "arrived",
    "beside",
    "read_document",
    "read_sealed",
    "read_text",
    "require_seal",
    "seal_of",
    "sealed_document",
    "sealed_text",
    "write_once",
    "write_text",
]

#: Bytes of a seal.
SEAL = 16
#: Bytes that are read at a time, where all of a file need not be there at once.
_PIECE = 1 << 22

#: Seconds in which a file is seen on all machines.
_ARRIVAL = 60.0

_FIELD = b',"seal":"'
_LINE = "; seal "


class FileChanged(OSError):
    """A file is not what was written, or is gone.

    Attributes:
        path: the file.
        what: what is wrong with it.
    """

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path} {what}")
        self.path = path
        self.what = what

    def __reduce__(self) -> tuple[type[FileChanged], tuple[Path, str]]:
        """Say how to make it again in another process."""
        return FileChanged, (self.path, self.what)


_NOT_THE_SAME = "is not as it was written: its seal is broken"


def seal_of(data: Any) -> str:
    """Return the seal of some bytes."""
    return hashlib.blake2b(data, digest_size=SEAL).hexdigest()


def arrived(path: Path) -> Path:
    """Return the path of a file that another machine has written, once it can be seen here.

    A shared folder may show what others do with a delay.

    Raises:
        FileChanged: it does not come.
    """
    deadline = time.monotonic() + _ARRIVAL
    while not path.exists():
        if time.monotonic() > deadline:
            raise FileChanged(path, "is missing; is the folder the same on all machines?")
        time.sleep(0.05)
    return path


def read_sealed(path: Path, seal: str) -> pa.Buffer:
    """Return what is in a file whose seal is known.

    Raises:
        FileChanged: it is not what was written.
    """
    data = arrived(path).read_bytes()
    if seal_of(data) != seal:
        raise FileChanged(path, _NOT_THE_SAME)
    return pa.py_buffer(data)


def require_seal(path: Path, seal: str) -> None:
    """Compare a file that was written long ago with its seal, without having room for all of it.

    Raises:
        FileChanged: it is not what was written, or is gone.
    """
    found = hashlib.blake2b(digest_size=SEAL)
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                found.update(piece)
    except OSError as error:
        raise FileChanged(path, f"cannot be read: {error.strerror or error}") from None
    if found.hexdigest() != seal:
        raise FileChanged(path, _NOT_THE_SAME)


def sealed_document(text: bytes) -> str:
    """Return an object of JSON with its seal as its last field, as a line."""
    return _sealed(text).decode()


def _sealed(text: bytes) -> bytes:
    return text[:-1] + _FIELD + seal_of(text).encode() + b'"}\n'


def read_document(path: Path) -> bytes:
    """Return the object of JSON that is in a sealed file, without its seal.

    Raises:
        FileChanged: it is not what was written.
        OSError: the file cannot be read.
    """
    data = path.read_bytes()
    text = data.rpartition(_FIELD)[0] + b"}"
    if data != _sealed(text):
        raise FileChanged(path, _NOT_THE_SAME)
    return text


def sealed_text(text: str) -> str:
    """Return a text of lines with its seal as a last one, a comment of LLVM's."""
    return f"{text}\n{_LINE}{seal_of(text.encode())}\n"


def read_text(path: Path) -> str:
    """Return the text that is in a sealed file, without its seal.

    Raises:
        FileChanged: it is not what was written.
        OSError: the file cannot be read.
    """
    data = path.read_bytes()
    text = data.rpartition(b"\n" + _LINE.encode())[0]
    if data != sealed_text(text.decode(errors="replace")).encode():
        raise FileChanged(path, _NOT_THE_SAME)
    return text.decode()


def write_text(path: Path, text: str) -> None:
    """Write a file that is there with all of its text, or not at all, also after a crash."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with beside(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_once(path: Path, text: str) -> None:
    """Write a file as `write_text` does, of which there must be none.

    Raises:
        FileExistsError: there is one; of two that write at the same time one finds the other's.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        write_text(temporary, text)
        os.link(temporary, path)
        _to_disk(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


class beside:  # noqa: N801  # reads as a phrase: with beside(path) as temporary
    """A file to be written beside its place, and renamed to it when all went well.

    Args:
        path: its place.
        lasting: whether it is to be there after a loss of power, with all that is in it.
    """

    def __init__(self, path: Path, *, lasting: bool = True) -> None:
        self._path = path
        self._lasting = lasting
        self._temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")

    def __enter__(self) -> Path:
        """Return where to write it."""
        return self._temporary

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give it its name, or remove what there is of it."""
        try:
            if kind is None:
                if self._lasting:
                    _to_disk(self._temporary)
                os.replace(self._temporary, self._path)
                if self._lasting:
                    _to_disk(self._path.parent)
        finally:
            self._temporary.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
