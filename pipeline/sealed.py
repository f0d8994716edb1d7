"""Files that show when they were changed: each has a seal, a digest of all that is in it.

What is read is first compared with its seal, so that no bit that has flipped is ever taken for a
state.  Where the seal stands depends on the file.  A document in JSON has it as its last field, a
text as its last line.  Of a file of states, of what was seen and of what is kept for a moment it is
with whoever has it made: in the manifest of the level, or with the driver.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import IO, Any, Literal, Protocol

import pyarrow as pa

__all__ = [
    "NOT_THE_SAME",
    "SEAL",
    "FileChanged",
    "Readable",
    "read_document",
    "read_sealed",
    "read_text",
    "require_seal",
    "seal_of",
    "sealed_document",
    "sealed_text",
]

#: Bytes of a seal.
SEAL = 16
#: Bytes that are read at a time, where all of a file need not be there at once.
_PIECE = 1 << 22

_FIELD = b',"seal":"'
_LINE = "; seal "

NOT_THE_SAME = "is not as it was written: its seal is broken"


class Readable(Protocol):
    """A file that can be read, and is called by its text in messages."""

    def read_bytes(self) -> bytes:
        """Return all that is in it now."""
        ...

    def open(self, mode: Literal["rb"]) -> IO[bytes]:
        """Open it."""
        ...

    def arrived(self) -> Readable:
        """Return it once it is there."""
        ...


class FileChanged(OSError):
    """A file is not what was written, or is gone.

    Attributes:
        path: the file.
        what: what is wrong with it.
    """

    def __init__(self, path: object, what: str) -> None:
        super().__init__(f"{path} {what}")
        self.path = path
        self.what = what

    def __reduce__(self) -> tuple[type[FileChanged], tuple[object, str]]:
        """Say how to make it again in another process."""
        return FileChanged, (self.path, self.what)


def seal_of(data: Any) -> str:
    """Return the seal of some bytes."""
    return hashlib.blake2b(data, digest_size=SEAL).hexdigest()


def read_sealed(path: Readable, seal: str) -> pa.Buffer:
    """Return what is in a file whose seal is known.

    Raises:
        FileChanged: it is not what was written.
    """
    data = path.arrived().read_bytes()
    if seal_of(data) != seal:
        raise FileChanged(path, NOT_THE_SAME)
    return pa.py_buffer(data)


def require_seal(path: Readable, seal: str, copy: IO[bytes] | None = None) -> None:
    """Compare a file that was written long ago with its seal, without having room for all of it.

    Args:
        path: the file.
        seal: what its seal should be.
        copy: where its content is written as it is read, if anywhere.

    Raises:
        FileChanged: it is not what was written, or is gone.
    """
    found = hashlib.blake2b(digest_size=SEAL)
    for piece in _pieces(path):
        found.update(piece)
        if copy is not None:
            copy.write(piece)
    if found.hexdigest() != seal:
        raise FileChanged(path, NOT_THE_SAME)


def _pieces(path: Readable) -> Iterator[bytes]:
    """Yield what is in a file.

    Raises:
        FileChanged: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                yield piece
    except OSError as error:
        raise FileChanged(path, f"cannot be read: {error.strerror or error}") from None


def sealed_document(text: bytes) -> str:
    """Return an object of JSON with its seal as its last field, as a line."""
    return _sealed(text).decode()


def _sealed(text: bytes) -> bytes:
    return text[:-1] + _FIELD + seal_of(text).encode() + b'"}\n'


def read_document(path: Readable) -> bytes:
    """Return the object of JSON that is in a sealed file, without its seal.

    Raises:
        FileChanged: it is not what was written.
        OSError: the file cannot be read.
    """
    data = path.read_bytes()
    text = data.rpartition(_FIELD)[0] + b"}"
    if data != _sealed(text):
        raise FileChanged(path, NOT_THE_SAME)
    return text


def sealed_text(text: str) -> str:
    """Return a text of lines with its seal as a last one, a comment of LLVM's."""
    return f"{text}\n{_LINE}{seal_of(text.encode())}\n"


def read_text(path: Readable) -> str:
    """Return the text that is in a sealed file, without its seal.

    Raises:
        FileChanged: it is not what was written.
        OSError: the file cannot be read.
    """
    data = path.read_bytes()
    text = data.rpartition(b"\n" + _LINE.encode())[0]
    if data != sealed_text(text.decode(errors="replace")).encode():
        raise FileChanged(path, NOT_THE_SAME)
    return text.decode()
