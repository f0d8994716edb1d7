"""What tests of the pipeline share: one Spark session, and one cluster, for the whole run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ackproof.pipeline.session import Session, open_session

from tests.pipeline.cluster import Cluster
from tests.pipeline.store import Store

#: Two tasks at a time, whatever the machine has: more than one, for what that brings to light.
MASTER = "local[2]"


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A session on this machine; whatever opens one while it is open is given the same."""
    log = tmp_path_factory.mktemp("spark") / "spark.log"
    with open_session(MASTER, 4, log, "tests") as opened:
        yield opened


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster of two workers on loopback."""
    with Cluster(tmp_path_factory.mktemp("cluster"), workers=2) as started:
        yield started


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """An object store."""
    with Store(tmp_path_factory.mktemp("store")) as started:
        yield started


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder that driver and workers share."""
    return tmp_path / "work"
