"""On Spark an audit finds what the local one finds, in any number of parts, whoever dies."""

from __future__ import annotations

import json
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
from ackproof.conform.capture.listening import Listening
from ackproof.conform.document import AuditDocument
from ackproof.conform.events import Event, Kind
from ackproof.conform.keys import key_mark
from ackproof.conform.recording import writer
from ackproof.pipeline.audit import run
from ackproof.pipeline.audit.batches import Batch, Batches
from ackproof.pipeline.audit.run import SparkAudit
from ackproof.pipeline.audit.tables import WRITTEN
from ackproof.pipeline.errors import AuditFailed, AuditRefused, SearchRefused
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.lease import Lease
from ackproof.pipeline.session import Session

from tests.cli.test_audit import BAD, CONSUMED, document, recorded
from tests.cli.test_audit import run as run_command
from tests.conform.capture.test_rotation import pieces_of, traffic
from tests.conform.capture.wires import captured
from tests.conform.streams import unsummed
from tests.exploring import seeds
from tests.pipeline.cluster import Cluster, until
from tests.pipeline.here import in_order
from tests.pipeline.recorded import Recorded, drawn, spoiled
from tests.pipeline.test_flipped_bits import flip
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
    # The local one is first, which compiles the judge; else all workers would at the same time.
    wanted = audit(recorded.paths, drained)
    found = SparkAudit(session, parts=3, split=3000)(recorded.paths, drained)
    assert found == wanted
    places = {(v.recording, v.connection, v.channel, v.number) for v in found.violations}
    assert places == recorded.planted != set()


@pytest.mark.usefixtures("session")
def test_the_command_says_the_same_and_leaves_tables(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r.jsonl", BAD, CONSUMED)
    spark = ("--engine", "spark", "--tables", tmp_path / "tables")
    found, local = run_command("--json", *spark, path), run_command("--json", path)
    assert found.stdout, found.stderr
    assert document(found) == document(local)
    left = {file.name for file in (tmp_path / "tables").iterdir()}
    assert left == {"audit.json", "batches", "lease", "tables.json", *WRITTEN}
    assert json.loads((tmp_path / "tables" / "audit.json").read_text()) == document(local)


def test_tables_are_the_same_for_any_number_of_partitions(session: Session, tmp_path: Path) -> None:
    paths = drawn(tmp_path / "recordings", random.Random(5)).paths
    spoilt, places = spoiled(paths[0], random.Random(5))
    found = {}
    for parts, split in ((2, 1 << 30), (16, 2000)):
        folder = tmp_path / f"tables-{parts}"
        audited = SparkAudit(session, parts, folder, split=split)
        document = audited([*paths, spoilt])
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
    lines = unsummed(path).read_text().splitlines(keepends=True)
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
    until(lambda: said(audited, tables, "lease/*.json"), "first job", PATIENCE)
    cluster.kill(cluster.workers[0])
    assert not list(tables.glob("batches/*.json")), "all was judged before the worker was killed"
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


def said(audited: subprocess.Popen[str], tables: Path, pattern: str) -> str | None:
    """Tell whether a running audit has come as far as some file."""
    assert audited.poll() is None, audited.communicate()
    return "there" if list(tables.glob(pattern)) else None


def test_recordings_that_are_added_in_any_order_give_the_same_tables(
    session: Session, tmp_path: Path
) -> None:
    rng = random.Random(9)
    paths = drawn(tmp_path / "recordings", rng, files=4).paths
    spoilt, _ = spoiled(paths[0], rng)
    paths.append(spoilt)
    once, bit_by_bit = tmp_path / "once", tmp_path / "bit by bit"
    whole = SparkAudit(session, 3, once)(sorted(paths))
    rng.shuffle(paths)
    for some in (paths[:1], paths[1:3], paths[:4], paths):
        found = SparkAudit(session, 2, bit_by_bit, add=True)(some)
    assert found == whole
    assert (bit_by_bit / "audit.json").read_bytes() == (once / "audit.json").read_bytes()
    assert tables_in(bit_by_bit) == tables_in(once)
    assert all(tables_in(once).values()), "no table is empty"
    assert len(list((bit_by_bit / "batches").glob("*.json"))) == 4, "some came twice"


def test_pieces_of_captures_that_are_added_in_any_order_give_the_same_tables(
    session: Session, tmp_path: Path
) -> None:
    """What is large is read by many tasks, and a capture goes on whenever its pieces come."""
    rng = random.Random(4)
    paths = drawn(tmp_path / "recordings", rng, files=2).paths
    for folder in "ab":
        (place := tmp_path / folder).mkdir()
        paths += pieces_of(place, captured(traffic(rng)), rng)
    paths.sort()
    how, once, bit_by_bit = Listening(b"key"), tmp_path / "once", tmp_path / "bit by bit"
    whole = SparkAudit(session, 3, once, how=how)(paths)
    assert whole == audit(paths, how=how)
    assert SparkAudit(session, 2, split=1000, how=how)(paths) == whole
    rng.shuffle(paths)
    for some in (paths[:1], paths[1:4], paths[3:]):
        found = SparkAudit(session, 2, bit_by_bit, True, 1000, how)(some)
    assert found == whole
    assert tables_in(bit_by_bit) == tables_in(once)


def test_an_addition_that_was_given_up_is_made_again(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = drawn(tmp_path / "r", random.Random(3), files=2).paths
    tables = tmp_path / "tables"
    SparkAudit(session, 2, tables)([first])

    def die(self: Batches, batch: Batch) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Batches, "finish", die)
        with pytest.raises(KeyboardInterrupt):
            SparkAudit(session, 2, tables, add=True)([second])
    assert msgspec.json.decode((tables / "audit.json").read_bytes())["recordings"] == [str(first)]
    SparkAudit(session, 2, tables, add=True)([second])
    SparkAudit(session, 2, tmp_path / "whole")([first, second])
    assert tables_in(tables) == tables_in(tmp_path / "whole")


def test_a_table_or_document_that_was_changed_is_told_and_made_again(
    session: Session, tmp_path: Path
) -> None:
    (path,) = drawn(tmp_path / "r", random.Random(3), files=1, rounds=1).paths
    tables = tmp_path / "tables"
    SparkAudit(session, 1, tables)([path])
    Batches(tables).require_tables()
    for file in (*(tables / "messages").glob("*.parquet"), tables / "audit.json"):
        flip(file, random.Random(3))
        with pytest.raises(AuditRefused, match=r"its seal is broken\n  instead: .* --add") as told:
            Batches(tables).require_tables()
        assert str(file) in str(told.value)
        SparkAudit(session, 1, tables, add=True)([path])
        Batches(tables).require_tables()
    (rows,) = (tables / "batches").glob("*/*.parquet")
    flip(rows, random.Random(3))
    with pytest.raises(AuditRefused, match=r"its seal is broken\n  instead: remove \S+json, and"):
        SparkAudit(session, 1, tables, add=True)([path])


def test_nothing_is_added_to_what_is_there_unless_it_is_asked_for(
    session: Session, tmp_path: Path
) -> None:
    (path,) = drawn(tmp_path / "r", random.Random(3), files=1, rounds=1).paths
    tables = tmp_path / "tables"
    SparkAudit(session, 1, tables)([path])
    with pytest.raises(AuditRefused, match=r"holds an audit already\n  instead: .* add --add"):
        SparkAudit(session, 1, tables)([path])
    with path.open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(AuditRefused, match=r"bytes, and had [\d,]+ when it was audited"):
        SparkAudit(session, 1, tables, add=True)([path])
    with Lease(Folder(tables)), pytest.raises(SearchRefused, match="is in use, by process"):
        SparkAudit(session, 1, tables, add=True)([path])


def test_what_was_added_with_another_key_is_not_followed_to_the_end(
    session: Session, tmp_path: Path
) -> None:
    paths = [opened(tmp_path / f"{key}.jsonl", key) for key in ("one", "two")]
    tables = tmp_path / "tables"
    with pytest.raises(AuditRefused, match=r"one\.jsonl and \S+two\.jsonl were recorded"):
        SparkAudit(session, 1)(paths, drained=True)
    for path in paths:
        SparkAudit(session, 1, tables, add=True)([path])
    before = (tables / "audit.json").read_bytes()
    with pytest.raises(AuditRefused, match="were recorded with different keys"):
        SparkAudit(session, 1, tables, add=True)([paths[1]], drained=True)
    assert (tables / "audit.json").read_bytes() == before


def opened(path: Path, key: str) -> Path:
    """Return a recording of a channel that was opened, made with a key."""
    sink = writer(path, key_mark(key.encode()))
    sink.write(Event(Kind.OPEN, connection=key, number=1))
    sink.close()
    return path
