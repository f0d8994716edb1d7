"""What is read is what was written, or the file is named."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from ackproof.pipeline import sealed
from ackproof.pipeline.index import read_table, write_table
from ackproof.pipeline.sealed import (
    FileChanged,
    beside,
    read_document,
    read_sealed,
    read_text,
    require_seal,
    seal_of,
    sealed_document,
    sealed_text,
    write_once,
    write_text,
)

DOCUMENT = b'{"a":1,"seal":"mine"}'


def written(path: Path, text: str) -> Path:
    """A file with a text."""
    write_text(path, text)
    return path


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
    path = tmp_path / "table"
    write_table(path, {"n": np.arange(5, dtype=np.uint64)})
    whole = path.read_bytes()
    for at in range(8 * len(whole)):
        data = bytearray(whole)
        data[at // 8] ^= 1 << at % 8
        path.write_bytes(data)
        with pytest.raises(FileChanged, match="its seal is broken"):
            read_table(path)
    for end in (0, 5, 16, len(whole) - 1):
        path.write_bytes(whole[:end])
        with pytest.raises((FileChanged, ValueError)):
            read_table(path)


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


def test_a_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, bool]] = []
    path = tmp_path / "file"

    def to_disk(what: Path) -> None:
        done.append((what.name if what.is_dir() else what.read_text(), path.exists()))

    monkeypatch.setattr(sealed, "_to_disk", to_disk)
    write_text(path, "all of it")
    assert done == [("all of it", False), (tmp_path.name, True)]
    with beside(path, lasting=False) as temporary:
        temporary.write_text("for a moment")
    assert len(done) == 2


def test_a_file_that_is_written_once_is_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    write_once(path, "first")
    with pytest.raises(FileExistsError):
        write_once(path, "second")
    assert path.read_text() == "first"
    assert list(path.parent.iterdir()) == [path]
