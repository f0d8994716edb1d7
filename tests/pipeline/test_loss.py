"""What is lost in the middle of a search is made up for: a machine of the cluster, or the driver.

Both are killed by their process ids, when the first jobs have been done and more are to come, which
is seen in the folder of the search: first the driver, and then, when another one has gone on, a
worker.  When all workers are lost a search waits for another one, and says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.pipeline.cluster import Cluster, until
from tests.pipeline.test_command import decided, kernel
from tests.pipeline.test_farm import besides_progress

ROOT = Path(__file__).parents[2]

#: From level 9 to 18 a level has so many states before it that it is a job of its own.
SEARCH = ("tests/models/two_phase_commit.py", "--instance", "rm7")
NAME = "two-phase-commit-rm7"
SOON, LAST = 10, 18

#: A lost block is asked for again, three times; the time between is for larger networks.
QUICK = "--conf spark.shuffle.io.retryWait=1s pyspark-shell"

#: Runs a command that has waited for long after two seconds, once it has had an executor.
IMPATIENT = """
from ackproof.cli.__main__ import main
from ackproof.pipeline import masters, session

def require_executor(context):
    required(context)
    masters.EXECUTOR = 2.0

required, session.require_executor = session.require_executor, require_executor
main()
"""

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


def search(cluster: Cluster, work: Path, *options: str) -> subprocess.Popen[str]:
    """Start the search on a cluster."""
    return start(cluster, *searching(work), *options)


def searching(work: Path) -> tuple[str, ...]:
    """Return the command that searches."""
    return ("check", *SEARCH, "--json", "--work", str(work), "--partitions", "4")


def start(
    cluster: Cluster,
    *arguments: str,
    program: tuple[str, str] = ("-m", "ackproof.cli"),
    errors: int | IO[bytes] = subprocess.PIPE,
) -> subprocess.Popen[str]:
    """Start a command on a cluster."""
    command = [sys.executable, *program, *arguments]
    return subprocess.Popen(
        [*command, "--engine", "spark", "--master", cluster.url],
        cwd=ROOT,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        env={**os.environ, "PYSPARK_SUBMIT_ARGS": QUICK},
    )


def finished(work: Path) -> int:
    """Return how many levels of the search are finished."""
    return len(list((work / NAME / "levels").glob("*.json")))


def reach(level: int, driver: subprocess.Popen[str], work: Path) -> None:
    """Wait until a search has finished a level, but not the last that is a job."""

    def there() -> str | None:
        assert driver.poll() is None, driver.communicate()
        return "there" if finished(work) >= level else None

    until(there, f"level {level}", PATIENCE)


@pytest.mark.spark
def test_a_driver_and_then_a_worker_that_are_killed_in_mid_run_change_nothing(
    workers: Cluster, work: Path, expected: list[dict[str, Any]]
) -> None:
    first = search(workers, work)
    reach(SOON, first, work)
    first.kill()
    assert first.communicate()[0] == ""
    resumed = finished(work)
    assert resumed < LAST - 2, "the search was almost over before its driver was"
    (work / "spark.log").unlink()
    second = search(workers, work, "--resume")
    reach(resumed + 1, second, work)
    workers.kill(workers.workers[0])
    assert finished(work) < LAST, "the search was over before the worker was"
    out, err = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0, err
    assert decided(out) == expected
    (result,) = json.loads(out)["results"]
    assert result["kept"]["resumed_levels"] == resumed
    assert "Lost executor" in (work / "spark.log").read_text()


@pytest.mark.spark
def test_a_search_whose_workers_are_all_killed_says_so_and_waits_for_another_one(
    workers: Cluster, work: Path, tmp_path: Path, expected: list[dict[str, Any]]
) -> None:
    said = tmp_path / "said"
    with said.open("wb") as file:
        driver = start(workers, *searching(work), program=("-c", IMPATIENT), errors=file)
    reach(SOON, driver, work)
    for worker in list(workers.workers):
        workers.kill(worker)
    assert finished(work) < LAST, "the search was over before the workers were"
    missing = f"{workers.url} has had no executor for 2 s: start a worker, and the work goes on"

    def told() -> str | None:
        assert driver.poll() is None, said.read_text()
        return next((line for line in said.read_text().splitlines() if missing in line), None)

    until(told, "line about executors", PATIENCE / 10)
    workers.add()
    out, _ = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 0, said.read_text()
    assert said.read_text().count("has had no executor") == 1
    assert decided(out) == expected


#: A design that says that a task has read it, and then waits.
SLOW = """
import time
from pathlib import Path
from pyspark import TaskContext
from ackproof.lang import Design, Holds

if TaskContext.get() is not None:
    Path(__file__).with_suffix(".begun").touch()
    while not Path(__file__).with_name("go").exists():
        time.sleep(0.05)

design = Design("slow", constants={"QueueProcess.durable": True}, expect=(Holds("tiny"),))
"""


@pytest.mark.spark
def test_a_worker_that_is_killed_in_mid_run_changes_nothing_on_a_farm(
    workers: Cluster, tmp_path: Path
) -> None:
    files = [tmp_path / f"{name}.py" for name in ("one", "two")]
    for file in files:
        file.write_text(SLOW)
    farm = start(workers, "museum", *map(str, files), "--no-cache")

    def begun() -> str | None:
        assert farm.poll() is None, farm.communicate()
        return "begun" if all(file.with_suffix(".begun").exists() for file in files) else None

    until(begun, "task for each design", PATIENCE)
    workers.kill(workers.workers[0])
    (tmp_path / "go").touch()
    out, err = farm.communicate(timeout=PATIENCE)
    assert (farm.returncode, besides_progress(err)) == (0, [])
    assert out.splitlines()[-1] == "2 of 2 expectations came true"
