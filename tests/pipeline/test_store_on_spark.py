"""On a cluster whose machines share nothing but an object store all is as on one machine.

Each worker of the cluster has a disk of its own (`tests.pipeline.cluster`), and what a search or an
audit keeps is in the store alone.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest
from ackproof.conform.audit import audit
from ackproof.conform.document import AuditDocument
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.pipeline.audit.run import SparkAudit
from ackproof.pipeline.audit.tables import WRITTEN
from ackproof.pipeline.duck import rows
from ackproof.pipeline.errors import AuditRefused
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.places import Place
from ackproof.pipeline.search import explorer
from ackproof.pipeline.session import Session
from ackproof.pipeline.storage import placed
from ackproof.pipeline.tables import Tables, register
from ackproof.spec.model import MODEL as CONFIRMS

from tests.pipeline.cluster import Cluster, until
from tests.pipeline.here import in_order
from tests.pipeline.recorded import drawn, spoiled
from tests.pipeline.searches import bound_of, summary
from tests.pipeline.store import Store
from tests.pipeline.test_audit_on_spark import tables_in
from tests.pipeline.test_command import decided, kernel
from tests.pipeline.test_loss import PATIENCE, start

pytestmark = pytest.mark.spark


@pytest.fixture
def workers(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster of two workers, and again two of them afterwards."""
    yield cluster
    cluster.add(2 - len(cluster.workers))


def reached(driver: subprocess.Popen[str], folder: Place, files: int) -> None:
    """Wait until there are so many files in a folder, and kill nobody who has ended."""

    def there() -> str | None:
        assert driver.poll() is None, driver.communicate()
        return "there" if len(folder.files(deep=True)) >= files else None

    until(there, f"{files} files in {folder}", PATIENCE)


def put(path: Path, place: Place) -> None:
    """Copy a file."""
    place.make(lambda made: made.write_bytes(path.read_bytes()))


def ended(driver: subprocess.Popen[str], code: int) -> str:
    """What a command has printed; no secret is in it."""
    out, err = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == code, err
    assert "SESAME" not in out + err
    return out


def test_core_is_the_same_when_a_worker_is_killed_in_mid_run(
    workers: Cluster, store: Store
) -> None:
    work = store.address("core")
    command = "check", "--instance", "core", "--json", "--work", work, "--partitions", "4"
    driver = start(workers, *command)
    levels = placed(work) / "confirms-core/levels"
    reached(driver, levels, 11)
    workers.kill(workers.workers[0])
    assert len(levels.files()) < 20, "the search was almost over before the worker was"
    out = ended(driver, 0)
    assert decided(out) == kernel("--instance", "core")
    (result,) = json.loads(out)["results"]
    assert result["kept"]["folder"] == (placed(work) / "confirms-core").address
    assert len(Folder(levels.parent).levels()) == 30


def test_an_audit_and_what_is_added_are_the_same_when_a_worker_is_killed_in_mid_run(
    workers: Cluster, session: Session, store: Store, tmp_path: Path
) -> None:
    rng = random.Random(7)
    recorded = drawn(tmp_path / "in", rng, files=3, rounds=40)
    inputs, tables = store.address("audit/in"), store.address("audit/out")
    names = {f"{placed(inputs)}/{path.name}": str(path) for path in recorded.paths}
    for path in recorded.paths:
        put(path, placed(inputs) / path.name)
    driver = start(workers, "audit", "--json", "--partitions", "4", "--tables", tables, inputs)
    reached(driver, placed(tables) / "lease", 1)
    workers.kill(workers.workers[0])
    batches = placed(tables) / "batches"
    assert not batches.files(), "all was judged before the worker was killed"
    found = msgspec.json.decode(ended(driver, 1), type=AuditDocument)
    assert renamed(found, names) == audit(recorded.paths)
    assert document_in(placed(tables)) == found
    spoilt, _ = spoiled(recorded.paths[0], rng)
    late = placed(store.address(f"audit/late/{spoilt.name}"))
    names[str(late)] = str(spoilt)
    put(spoilt, late)
    SparkAudit(session, 2, tables, add=True)([late])
    once = tmp_path / "tables"
    SparkAudit(session, 2, once)(sorted([*recorded.paths, spoilt]))
    assert renamed(document_in(placed(tables)), names) == document_in(placed(once))
    assert rows_in(placed(tables), names) == tables_in(once)
    with pytest.raises(AuditRefused, match="holds an audit already"):
        SparkAudit(session, 2, tables)([late])


def document_in(tables: Place) -> AuditDocument:
    """The document that an audit has left."""
    return msgspec.json.decode((tables / "audit.json").read_bytes(), type=AuditDocument)


def renamed(document: AuditDocument, names: dict[str, str]) -> AuditDocument:
    """Return a document with other names of recordings."""
    text = msgspec.json.encode(document).decode()
    for name, other in names.items():
        text = text.replace(name, other)
    return msgspec.json.decode(text, type=AuditDocument)


def rows_in(tables: Place, names: dict[str, str]) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of all tables that an audit has left in a store, in order, by other names."""
    found = {}
    for table in WRITTEN:
        rows: list[dict[str, Any]] = []
        for file in (tables / table).files():
            with file.open("rb") as content:
                rows += pq.read_table(content).to_pylist()
        for row in rows:
            row |= {"recording": names[row["recording"]]} if "recording" in row else {}
        found[table] = in_order(rows)
    return found


def test_tiny_is_the_same_and_can_be_asked_about(session: Session, store: Store) -> None:
    bound, work = bound_of(CONFIRMS, "tiny"), store.address("tiny")
    search = explorer(work=work, partitions=3, small=60, share=9)
    found = search(bound)
    search.close()
    assert summary(found) == summary(explore_compiled(bound))
    assert found.kept is not None
    tables = register(session.spark, found.kept.folder)
    counted = session.spark.sql("SELECT level, count(*) FROM states GROUP BY level").collect()
    assert dict(tuple(row) for row in counted) == dict(enumerate(found.level_sizes, start=1))
    (first,) = session.spark.sql("SELECT * FROM states WHERE level = 1").collect()
    assert (first["predecessor"], first["step"]) == (None, None)
    for sql in (
        "SELECT * FROM path_to(9, 4)",
        "SELECT level, position, channels_open['ch1'] FROM states ORDER BY level, position",
        "SELECT * FROM steps WHERE level < 9 ORDER BY ALL",
    ):
        asked_here = rows(Tables(found.kept.folder), sql, 1 << 20)
        assert asked_here[1] == [list(row) for row in session.spark.sql(sql).collect()]
        assert asked_here[1]
    asked = (sys.executable, "-m", "ackproof.cli", "query", found.kept.folder)
    listed = subprocess.run([*asked, "--json"], capture_output=True, text=True, check=True)
    assert json.loads(listed.stdout)["views"] == tables.columns()
    last = tables.levels[-2]
    tables.folder.states(last.level, last.files[0].first, last.token).write("spoilt")
    with pytest.raises(Exception, match="its seal is broken"):
        Tables(found.kept.folder).states(session.spark).count()
