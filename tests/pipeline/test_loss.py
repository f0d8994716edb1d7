"""What is lost in the middle of a search is made up for: a machine of the cluster, or the driver.

Both are killed by their process ids, when the first jobs have been done and more are to come, which
is seen in the folder of the search: first the driver, and then, when another one has gone on, a
worker.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.cluster import Cluster, until
from tests.pipeline.test_command import decided, kernel

ROOT = Path(__file__).parents[2]

#: From level 9 to 18 a level has so many states before it that it is a job of its own.
SEARCH = ("tests/models/two_phase_commit.py", "--instance", "rm7")
NAME = "two-phase-commit-rm7"
SOON, LAST = 10, 18

#: A lost block is asked for again, three times; the time between is for larger networks.
QUICK = "--conf spark.shuffle.io.retryWait=1s pyspark-shell"

#: Seconds that a search may take, on a machine that has much else to do.
PATIENCE = 600.0


@pytest.fixture
def workers(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster of two workers, and again two of them afterwards."""
    yield cluster
    cluster.add(2 - len(cluster.workers))


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    """What the kernel says of the search."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        return kernel(*SEARCH)
    finally:
        os.chdir(before)


def start(cluster: Cluster, work: Path, *options: str) -> subprocess.Popen[str]:
    """Start the search on a cluster."""
    command = [sys.executable, "-m", "ackproof.cli", "check", *SEARCH, "--json", *options]
    command += ["--engine", "spark", "--master", cluster.url, "--work", str(work)]
    return subprocess.Popen(
        [*command, "--partitions", "4"],
        cwd=ROOT,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYSPARK_SUBMIT_ARGS": QUICK},
    )


def finished(work: Path) -> int:
    """Return how many levels of the search are finished."""
    return len(list((work / NAME / "levels").glob("*.json")))


def reach(level: int, search: subprocess.Popen[str], work: Path) -> None:
    """Wait until a search has finished a level, but not the last that is a job."""

    def there() -> str | None:
        assert search.poll() is None, search.communicate()
        return "there" if finished(work) >= level else None

    until(there, f"level {level}", PATIENCE)


@pytest.mark.spark
def test_a_driver_and_then_a_worker_that_are_killed_in_mid_run_change_nothing(
    workers: Cluster, work: Path, expected: list[dict[str, Any]]
) -> None:
    first = start(workers, work)
    reach(SOON, first, work)
    first.kill()
    assert first.communicate()[0] == ""
    resumed = finished(work)
    assert resumed < LAST - 2, "the search was almost over before its driver was"
    (work / "spark.log").unlink()
    second = start(workers, work, "--resume")
    reach(resumed + 1, second, work)
    workers.kill(workers.workers[0])
    assert finished(work) < LAST, "the search was over before the worker was"
    out, err = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0, err
    assert decided(out) == expected
    (result,) = json.loads(out)["results"]
    assert result["cluster"]["resumed_levels"] == resumed
    assert "Lost executor" in (work / "spark.log").read_text()
