"""An audit with tables in one process says what the others say, and its tables are sealed."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from ackproof.conform.audit import audit
from ackproof.conform.document import AuditDocument
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


def test_its_tables_have_seals(tmp_path: Path) -> None:
    paths = drawn(tmp_path / "recordings", random.Random(1)).paths
    AuditHere(tmp_path / "found")(paths)
    batches = Batches(tmp_path / "found")
    batches.require_tables()
    (file,) = (tmp_path / "found" / "channels").iterdir()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(AuditRefused, match="seal"):
        batches.require_tables()
