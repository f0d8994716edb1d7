"""On a cluster whose machines share nothing but an object store all is as on one machine.

Each worker of the cluster has a disk of its own (`tests.pipeline.cluster`), and what the search
keeps is in the store alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.storage import placed

from tests.pipeline.cluster import Cluster, until
from tests.pipeline.store import Store
from tests.pipeline.test_command import decided, kernel
from tests.pipeline.test_loss import PATIENCE, start

pytestmark = pytest.mark.spark


@pytest.fixture
def workers(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster of two workers, and again two of them afterwards."""
    yield cluster
    cluster.add(2 - len(cluster.workers))


def search(cluster: Cluster, instance: str, work: str) -> tuple[str, ...]:
    """The arguments of a search of confirms."""
    return "check", "--instance", instance, "--json", "--work", work, "--partitions", "4"


def test_core_is_the_same_when_a_worker_is_killed_in_mid_run(
    workers: Cluster, store: Store
) -> None:
    work = store.address("core")
    driver = start(workers, *search(workers, "core", work))
    levels = placed(work) / "confirms-core/levels"

    def there() -> str | None:
        assert driver.poll() is None, driver.communicate()
        return "there" if len(levels.files()) >= 11 else None

    until(there, "level 11", PATIENCE)
    workers.kill(workers.workers[0])
    assert len(levels.files()) < 20, "the search was almost over before the worker was"
    out, err = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 0, err
    assert "SESAME" not in out + err
    assert decided(out) == kernel("--instance", "core")
    (result,) = json.loads(out)["results"]
    assert result["cluster"]["folder"] == (placed(work) / "confirms-core").address
    assert len(Folder(levels.parent).levels()) == 30
