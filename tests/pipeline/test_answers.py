"""Answers are files that are whole, and batches that travel come out as they went in."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest
from ackproof.pipeline.answers import received, sent, whole


def test_a_file_is_there_when_it_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "answer"
    with whole(file) as beside:
        beside.write_text("half")
        assert not file.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["answer"]


def half(path: Path) -> None:
    """Write half an answer, and fail."""
    with whole(path) as beside:
        beside.write_text("half")
        raise ValueError("no more")


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no more"):
        half(tmp_path / "answer")
    assert not list(tmp_path.iterdir())


def test_what_is_no_file_stays_what_it_is(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    with whole(pipe) as beside:
        assert beside == pipe
    assert pipe.is_fifo()


def test_a_file_keeps_its_mode_and_a_link_its_target(tmp_path: Path) -> None:
    (file := tmp_path / "answer").touch(mode=0o640)
    (link := tmp_path / "link").symlink_to(file)
    with whole(link) as beside:
        beside.write_text("new")
    assert (link.is_symlink(), file.read_text(), file.stat().st_mode & 0o777) == (
        True,
        "new",
        0o640,
    )


def test_batches_that_are_sent_are_received() -> None:
    columns = {"n": [1, None], "m": [[("a", [1])], []]}
    types = pa.schema([("n", pa.int64()), ("m", pa.map_(pa.string(), pa.list_(pa.int32())))])
    batches = [pa.record_batch(columns, schema=types), pa.record_batch(columns, schema=types)]
    cells = [cell for batch in sent(iter(batches)) for cell in batch.column("rows").to_pylist()]
    assert list(received(cells)) == batches
