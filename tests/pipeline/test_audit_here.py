"""An audit with tables in one process says what the others say, and its tables are sealed."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import msgspec
import pytest
from ackproof.conform.audit import audit
from ackproof.conform.document import AuditDocument
from ackproof.conform.events import Event, Kind
from ackproof.conform.keys import key_mark
from ackproof.conform.recording import writer
from ackproof.pipeline.audit import here
from ackproof.pipeline.audit.batches import Batches
from ackproof.pipeline.audit.here import AuditHere
from ackproof.pipeline.errors import AuditRefused

from tests.exploring import seeds
from tests.pipeline.recorded import drawn


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("drained", [False, True])
def test_the_document_is_that_of_an_audit_without_tables(
    seed: int, drained: bool, tmp_path: Path
) -> None:
    paths = drawn(tmp_path / "recordings", random.Random(seed)).paths
    found = AuditHere(tmp_path / "found", parts=3, split=1000)(paths, drained)
    assert found == audit(paths, drained)
    assert found.confirms.latency
    text = (tmp_path / "found" / "audit.json").read_bytes()
    assert msgspec.json.decode(text, type=AuditDocument) == found


def test_nothing_was_recorded_is_said_too(tmp_path: Path) -> None:
    found = AuditHere(tmp_path / "found")([])
    assert (found.events, found.channels, found.confirms.latency) == (0, 0, {})


def test_a_recording_without_a_byte_is_left_out(tmp_path: Path) -> None:
    (empty := tmp_path / "a.jsonl").touch()
    rest = drawn(tmp_path / "recordings", random.Random(1)).paths
    found = AuditHere(tmp_path / "found")([empty, *rest])
    assert (found.quarantined, found.events) == (1, audit(rest).events)


def test_recordings_whose_names_are_no_text_are_kept_apart(tmp_path: Path) -> None:
    whole = drawn(tmp_path / "recordings", random.Random(1), files=1).paths[0]
    paths = [tmp_path / os.fsdecode(b"r%c.jsonl" % byte) for byte in (0x80, 0x90)]
    for path in paths:
        shutil.copy(whole, path)
    found = AuditHere(tmp_path / "found", parts=1)(paths)
    assert found == audit(paths)
    assert found.channels == 2 * audit([whole]).channels


def test_a_run_that_is_broken_off_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = drawn(tmp_path / "recordings", random.Random(1)).paths

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(here, "document_of", interrupted)
        with pytest.raises(KeyboardInterrupt):
            AuditHere(tmp_path / "found")(paths)
    assert list((tmp_path / "found").iterdir()) == []
    assert AuditHere(tmp_path / "found")(paths) == audit(paths)
    with pytest.raises(AuditRefused, match="to which nothing can be added"):
        AuditHere(tmp_path / "found")(paths)


def test_recordings_with_different_keys_are_not_followed_to_the_end(tmp_path: Path) -> None:
    for key in ("one", "two"):
        sink = writer(tmp_path / f"{key}.jsonl", key_mark(key.encode()))
        sink.write(Event(Kind.OPEN, number=1))
        sink.close()
    paths = sorted(tmp_path.glob("*.jsonl"))
    assert AuditHere(tmp_path / "found")(paths).verdict == "explained"
    with pytest.raises(AuditRefused, match="were recorded with different keys"):
        AuditHere(tmp_path / "again")(paths, drained=True)
    assert not (tmp_path / "again").exists()


def test_its_tables_have_seals(tmp_path: Path) -> None:
    paths = drawn(tmp_path / "recordings", random.Random(1)).paths
    AuditHere(tmp_path / "found")(paths)
    batches = Batches(tmp_path / "found")
    batches.require_tables()
    (file,) = (tmp_path / "found" / "channels").iterdir()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(AuditRefused, match=r"seal(?s:.*)audit the recordings anew"):
        batches.require_tables()
