"""What is read is what was written, or the file is named."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import numpy as np
import pytest
from ackproof.pipeline.index import read_table, write_table
from ackproof.pipeline.places import LocalPlace
from ackproof.pipeline.sealed import (
    FileChanged,
    read_document,
    read_sealed,
    read_text,
    require_seal,
    seal_of,
    sealed_document,
    sealed_text,
)

DOCUMENT = b'{"a":1,"seal":"mine"}'


def written(path: Path, text: str) -> LocalPlace:
    """A file with a text."""
    path.write_text(text)
    return LocalPlace(path)


def test_documents_and_texts_are_read_as_they_were_written(tmp_path: Path) -> None:
    assert read_document(written(tmp_path / "d", sealed_document(DOCUMENT))) == DOCUMENT
    assert read_text(written(tmp_path / "t", sealed_text("a\n; seal b\n"))) == "a\n; seal b\n"


@pytest.mark.parametrize(
    ("text", "read"),
    [(sealed_document(DOCUMENT), read_document), (sealed_text("some\ntext é"), read_text)],
)
def test_each_bit_counts(text: str, read: object, tmp_path: Path) -> None:
    path, whole = tmp_path / "file", text.encode()
    for at in range(8 * len(whole)):
        data = bytearray(whole)
        data[at // 8] ^= 1 << at % 8
        path.write_bytes(data)
        with pytest.raises(FileChanged, match="its seal is broken"):
            read(path)  # type: ignore[operator]
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with pytest.raises(FileChanged):
            read(path)  # type: ignore[operator]


def test_each_bit_of_a_table_counts(tmp_path: Path) -> None:
    path = LocalPlace(tmp_path / "table")
    seal = write_table(path, {"n": np.arange(5, dtype=np.uint64)}).seal
    whole = path.read_bytes()
    for at in range(8 * len(whole)):
        data = bytearray(whole)
        data[at // 8] ^= 1 << at % 8
        path.write_bytes(data)
        with pytest.raises(FileChanged, match="its seal is broken"):
            read_table(path, seal)
    for end in (0, 5, 16, len(whole) - 1):
        path.write_bytes(whole[:end])
        with pytest.raises(FileChanged):
            read_table(path, seal)


def test_bytes_whose_seal_is_known_elsewhere_are_compared_with_it(tmp_path: Path) -> None:
    path = written(tmp_path / "file", "content")
    seal = seal_of(b"content")
    assert read_sealed(path, seal).to_pybytes() == b"content"
    require_seal(path, seal)
    for compare in (read_sealed, require_seal):
        with pytest.raises(FileChanged, match="its seal is broken"):
            compare(path, seal_of(b"another"))
    path.unlink()
    with pytest.raises(FileChanged, match="cannot be read: No such file"):
        require_seal(path, seal)


def test_what_has_changed_is_said_by_other_processes_too() -> None:
    error = pickle.loads(pickle.dumps(FileChanged(Path("file"), "is odd")))
    assert (error.path, error.what, str(error)) == (Path("file"), "is odd", "file is odd")


def test_a_copy_that_cannot_be_written_says_nothing_of_the_file(tmp_path: Path) -> None:
    (path := tmp_path / "a").write_bytes(b"something")
    with (
        Path("/dev/full").open("wb", buffering=0) as full,
        pytest.raises(OSError, match="No space left") as raised,
    ):
        require_seal(LocalPlace(path), seal_of(b"something"), full)
    assert not isinstance(raised.value, FileChanged)
    require_seal(LocalPlace(path), seal_of(b"something"), copy := io.BytesIO())
    assert copy.getvalue() == b"something"
