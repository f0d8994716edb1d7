"""On Spark an audit finds what the local one finds, in any number of parts, whoever dies."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest
from ackproof.conform.audit import audit
from ackproof.conform.document import AuditDocument
from ackproof.pipeline.audit import run
from ackproof.pipeline.audit.run import SparkAudit
from ackproof.pipeline.audit.tables import WRITTEN
from ackproof.pipeline.errors import AuditFailed, AuditRefused
from ackproof.pipeline.session import Session

from tests.exploring import seeds
from tests.pipeline.cluster import Cluster, until
from tests.pipeline.here import in_order
from tests.pipeline.recorded import Recorded, drawn, spoiled
from tests.pipeline.test_loss import PATIENCE, QUICK

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


def test_a_worker_that_is_killed_in_mid_run_changes_nothing(
    cluster: Cluster, tmp_path: Path
) -> None:
    recorded = drawn(tmp_path / "recordings", random.Random(7), files=4, rounds=60)
    tables = tmp_path / "tables"
    audited = start(cluster, tables, recorded)
    until(lambda: said(audited, tables / "channels" / "_SUCCESS"), "first table", PATIENCE)
    cluster.kill(cluster.workers[0])
    assert not (tables / "audit.json").exists(), "the audit was over before the worker was"
    try:
        out, err = audited.communicate(timeout=PATIENCE)
    finally:
        cluster.add()
    assert audited.returncode == 1, err
    found = msgspec.json.decode(out, type=AuditDocument)
    assert found == audit(recorded.paths)
    places = {(v.recording, v.connection, v.channel, v.number) for v in found.violations}
    assert places == recorded.planted


def start(cluster: Cluster, tables: Path, recorded: Recorded) -> subprocess.Popen[str]:
    """Start an audit on a cluster."""
    command = [sys.executable, "-m", "ackproof.cli", "audit", "--engine", "spark", "--json"]
    command += ["--master", cluster.url, "--partitions", "4", "--tables", str(tables)]
    return subprocess.Popen(
        [*command, *map(str, recorded.paths)],
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYSPARK_SUBMIT_ARGS": QUICK},
    )


def said(audited: subprocess.Popen[str], place: Path) -> str | None:
    """Tell whether a running audit has come as far as some file."""
    assert audited.poll() is None, audited.communicate()
    return "there" if place.exists() else None
