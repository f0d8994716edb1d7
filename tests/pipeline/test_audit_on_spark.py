"""On Spark an audit finds what the local one finds, in any number of parts, whoever dies."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from ackproof.conform.audit import audit
from ackproof.pipeline.audit import run
from ackproof.pipeline.audit.run import SparkAudit
from ackproof.pipeline.audit.tables import WRITTEN
from ackproof.pipeline.errors import AuditFailed, AuditRefused
from ackproof.pipeline.session import Session

from tests.exploring import seeds
from tests.pipeline.here import in_order
from tests.pipeline.recorded import drawn, spoiled

pytestmark = pytest.mark.spark


def tables_in(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of all tables that an audit has left, in order."""
    return {name: in_order(pq.read_table(folder / name).to_pylist()) for name in WRITTEN}


@pytest.mark.parametrize("seed", seeds(1))
@pytest.mark.parametrize("drained", [False, True])
def test_the_document_is_that_of_the_local_audit(
    session: Session, tmp_path: Path, seed: int, drained: bool
) -> None:
    recorded = drawn(tmp_path, random.Random(seed))
    found = SparkAudit(session, parts=3, split=3000)(recorded.paths, drained)
    assert found == audit(recorded.paths, drained)
    places = {(v.recording, v.connection, v.channel, v.number) for v in found.violations}
    assert places == recorded.planted != set()


def test_tables_are_the_same_for_any_number_of_partitions(session: Session, tmp_path: Path) -> None:
    paths = drawn(tmp_path / "recordings", random.Random(5)).paths
    spoilt, places = spoiled(paths[0], random.Random(5))
    found = {}
    for parts, split in ((2, 1 << 30), (16, 2000)):
        folder = tmp_path / f"tables-{parts}"
        document = SparkAudit(session, parts, folder, split)([*paths, spoilt])
        found[parts] = tables_in(folder)
        assert document.quarantined == len(places)
        assert (folder / "audit.json").exists()
    assert found[2] == found[16]
    assert all(found[2].values()), "no table is empty"


def test_files_that_are_no_recordings_are_left_out(session: Session, tmp_path: Path) -> None:
    (good,) = drawn(tmp_path, random.Random(3), files=1).paths
    (tmp_path / "no.parquet").write_text("no recording")
    (tmp_path / "no.jsonl").write_text("no recording\n")
    files = [good, tmp_path / "no.parquet", tmp_path / "no.jsonl"]
    found = SparkAudit(session, 2)(files)
    assert found.quarantined == 2
    assert found.violations == audit([good]).violations
    nothing = SparkAudit(session, 2)(files[1:])
    assert (nothing.verdict, nothing.exit_code, nothing.events) == ("incomplete", 3, 0)


def test_what_is_left_out_is_never_explained(session: Session, tmp_path: Path) -> None:
    (path,) = drawn(tmp_path, random.Random(11), files=1, rounds=1).paths
    lines = path.read_text().splitlines(keepends=True)
    (short := tmp_path / "short.jsonl").write_text("".join([*lines[:2], "{}\n"]))
    assert SparkAudit(session, 1)([short]).verdict == "incomplete"


def test_a_directory_that_has_something_is_refused(session: Session, tmp_path: Path) -> None:
    (path,) = drawn(tmp_path / "r", random.Random(3), files=1).paths
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "dear").write_text("to somebody")
    with pytest.raises(AuditRefused, match="is not empty\n  instead: name a directory"):
        SparkAudit(session, 1, tmp_path / "tables")([path])


def test_a_task_that_fails_is_an_error_and_no_verdict(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = drawn(tmp_path / "r", random.Random(3), files=1).paths

    def dies(batches: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(run, "Judging", lambda names: dies)
    with pytest.raises(AuditFailed, match=r"judging the recordings: a task failed: .*no room\n"):
        SparkAudit(session, 1, tmp_path / "tables")([path])
    assert not (tmp_path / "tables" / "audit.json").exists()
