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
    assert result["cluster"]["folder"] == (placed(work) / "confirms-core").address
    assert len(Folder(levels.parent).levels()) == 30


def test_an_audit_is_the_same_when_a_worker_is_killed_in_mid_run(
    workers: Cluster, store: Store, tmp_path: Path
) -> None:
    recorded = drawn(tmp_path, random.Random(7), files=4, rounds=60)
    inputs, tables = store.address("audit/in"), store.address("audit/out")
    for path in recorded.paths:
        (placed(inputs) / path.name).make(
            lambda made, path=path: made.write_bytes(path.read_bytes())
        )
    driver = start(workers, "audit", "--json", "--partitions", "4", "--tables", tables, inputs)
    reached(driver, placed(tables) / "lease", 1)
    workers.kill(workers.workers[0])
    batches = placed(tables) / "batches"
    assert not [x for x in batches.files() if x.suffix == ".json"], "all was judged before"
    found = msgspec.json.decode(ended(driver, 1), type=AuditDocument)
    wanted = audit(recorded.paths)
    names = {str(path): f"{placed(inputs)}/{path.name}" for path in recorded.paths}
    assert found == renamed(wanted, names)
    kept = json.loads((placed(tables) / "audit.json").read_bytes())
    assert kept == msgspec.to_builtins(found)


def renamed(document: AuditDocument, names: dict[str, str]) -> AuditDocument:
    """Return a document with other names of recordings."""
    text = msgspec.json.encode(document).decode()
    for name, other in names.items():
        text = text.replace(name, other)
    return msgspec.json.decode(text, type=AuditDocument)


def rows_in(tables: str, names: dict[str, str]) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of all tables that an audit has left in a store, in order, by other names."""
    found = {}
    for table in WRITTEN:
        rows: list[dict[str, Any]] = []
        for file in (placed(tables) / table).files():
            with file.open("rb") as content:
                rows += pq.read_table(content).to_pylist()
        for row in rows:
            row |= {"recording": names[row["recording"]]} if "recording" in row else {}
        found[table] = in_order(rows)
    return found


def test_tables_in_a_store_are_those_of_a_directory_in_one_batch_or_two(
    session: Session, store: Store, tmp_path: Path
) -> None:
    rng = random.Random(9)
    paths = drawn(tmp_path / "recordings", rng, files=3).paths
    paths.append(spoiled(paths[0], rng)[0])
    addresses = [store.address(f"tables/in/{path.name}") for path in paths]
    for path, address in zip(paths, addresses, strict=True):
        put(path, placed(address))
    names = {str(placed(a)): str(p) for a, p in zip(addresses, paths, strict=True)}
    SparkAudit(session, 2, tmp_path / "tables")(sorted(paths))
    out = store.address("tables/out")
    for some in (addresses[:2], addresses[1:]):
        found = SparkAudit(session, 2, out, add=True)(sorted(some))
    assert renamed(found, names) == audit_of(tmp_path / "tables")
    assert rows_in(out, names) == tables_in(tmp_path / "tables")
    with pytest.raises(AuditRefused, match="holds an audit already"):
        SparkAudit(session, 2, out)(addresses)


def audit_of(tables: Path) -> AuditDocument:
    """The document that an audit has left."""
    return msgspec.json.decode((tables / "audit.json").read_bytes(), type=AuditDocument)


def test_tiny_is_the_same_and_can_be_asked_about(session: Session, store: Store) -> None:
    bound, work = bound_of(CONFIRMS, "tiny"), store.address("tiny")
    found = explorer(work=work, partitions=3, small=1)(bound)
    assert summary(found) == summary(explore_compiled(bound))
    assert found.cluster is not None
    tables = register(session.spark, found.cluster.folder)
    counted = session.spark.sql("SELECT level, count(*) FROM states GROUP BY level").collect()
    assert dict(tuple(row) for row in counted) == dict(enumerate(found.level_sizes, start=1))
    (first,) = session.spark.sql("SELECT * FROM states WHERE level = 1").collect()
    assert (first["predecessor"], first["step"]) == (None, None)
    asked = (sys.executable, "-m", "ackproof.cli", "query", found.cluster.folder)
    listed = subprocess.run([*asked, "--json"], capture_output=True, text=True, check=True)
    assert json.loads(listed.stdout)["views"] == tables.columns()
    last = tables.levels[-2]
    part = next(part for part, rows in enumerate(last.rows) if rows)
    tables.folder.states(last.level, part).write("spoilt")
    with pytest.raises(Exception, match="its seal is broken"):
        Tables(found.cluster.folder).states(session.spark).count()
