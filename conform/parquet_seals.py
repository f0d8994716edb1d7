"""Seals in a file of Parquet: what is read of it is what was written, to the last bit.

Pages of Parquet have checksums, but their headers and the footer have none, and a bit that flips
there may make another recording of it.  So there is a digest of the bytes of each row group, and
one of these digests with the footer.  They stand between the last row group and the footer, where
nobody looks who does not know of them: whatever else reads Parquet reads such a file.

    row groups | a digest for each | a digest of those and of the footer | mark | footer, its length

A row group is compared with its digest when it is read, and decoded from the bytes that were
compared.  A file without the mark has no seals, such as one that somebody has written anew, and is
read as it is; one with half a mark is damaged.
"""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import IO, Any, cast

from ackproof.conform.sources import Source

__all__ = ["SealBroken", "Seals", "add_seals", "seals_of"]

_MARK = b"ackproof"
#: Bytes of a digest, and of what follows a footer: its length, and Parquet's own mark.
_SIZE, _TAIL = 16, 8


class SealBroken(OSError):
    """What is in a file is not what was written."""

    def __init__(self) -> None:
        super().__init__("it is not as it was written: its seal is broken")


class _Piece(io.RawIOBase):
    """Some bytes of a file, at their places in it; there is nothing elsewhere."""

    def __init__(self, data: bytes, start: int, size: int) -> None:
        super().__init__()
        self._data, self._start, self._size = data, start, size
        self._at = 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """It has places."""
        return True

    def tell(self) -> int:
        """Return the place where reading goes on."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go on at another place of the file."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Return bytes from the place on."""
        first = self._at - self._start
        last = len(self._data) if size is None or size < 0 else first + size
        found = self._data[first:last] if first >= 0 else b""
        self._at += len(found)
        return found


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_SIZE).digest()


def _range(metadata: Any, group: int) -> tuple[int, int]:
    """Return where the bytes of a row group begin, and how many there are."""
    found = metadata.row_group(group)
    columns = [found.column(i) for i in range(found.num_columns)]
    starts = [column.dictionary_page_offset or column.data_page_offset for column in columns]
    ends = [s + c.total_compressed_size for s, c in zip(starts, columns, strict=True)]
    return min(starts), max(ends) - min(starts)


def _bytes_of(file: IO[bytes], metadata: Any, group: int) -> tuple[bytes, int]:
    start, count = _range(metadata, group)
    file.seek(start)
    return file.read(count), start


def _footer(file: IO[bytes]) -> tuple[bytes, int]:
    """Return a footer with all that follows it, and where it begins."""
    end = file.seek(0, io.SEEK_END)
    file.seek(max(0, end - _TAIL))
    start = end - _TAIL - int.from_bytes(file.read(4), "little")
    if start < 0:
        raise SealBroken
    file.seek(start)
    return file.read(), start


def add_seals(path: Path, metadata: Any) -> None:
    """Put seals into a file that was just written.

    Args:
        path: the file.
        metadata: of the file, as PyArrow reads them.

    Raises:
        OSError: there is no room for them; the file is as it was.
    """
    with path.open("r+b", buffering=0) as file:
        groups = (_bytes_of(file, metadata, group)[0] for group in range(metadata.num_row_groups))
        digests = b"".join(map(_digest, groups))
        footer, start = _footer(file)
        try:
            _put(file, start, digests + _digest(digests + footer) + _MARK + footer)
        except OSError:
            _put(file, start, footer)
            file.truncate()
            raise


def _put(file: IO[bytes], place: int, data: bytes) -> None:
    """Write all of some bytes at a place."""
    file.seek(place)
    while data:
        data = data[file.write(data) :]


class Seals:
    """The digests of the row groups of a file whose footer is as it was written."""

    def __init__(self, path: Source, metadata: Any, digests: bytes) -> None:
        self._path = path
        self._metadata = metadata
        self._digests = digests

    def read(self, group: int) -> IO[bytes]:
        """Return the part of the file that a row group is in, as a file.

        Raises:
            SealBroken: it is not what was written.
        """
        with self._path.open("rb") as file:
            data, start = _bytes_of(file, self._metadata, group)
            size = file.seek(0, io.SEEK_END)
        if _digest(data) != self._digests[group * _SIZE : (group + 1) * _SIZE]:
            raise SealBroken
        return cast(IO[bytes], _Piece(data, start, size))


def seals_of(path: Source, metadata: Any) -> Seals | None:
    """Return the seals of a file; None if it has none.

    Args:
        path: the file.
        metadata: of the file, as PyArrow reads them.

    Raises:
        SealBroken: its footer is not what was written.
    """
    count = _SIZE * metadata.num_row_groups
    with path.open("rb") as file:
        footer, start = _footer(file)
        first = start - len(_MARK) - _SIZE - count
        file.seek(max(0, first))
        digests, seal, mark = file.read(count), file.read(_SIZE), file.read(len(_MARK))
    right = sum(one == other for one, other in zip(mark, _MARK, strict=False))
    if first < 0 or right < len(_MARK) // 2:
        return None
    if mark != _MARK or _digest(digests + footer) != seal:
        raise SealBroken
    return Seals(path, metadata, digests)
