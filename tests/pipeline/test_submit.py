"""`spark-submit` runs a command on the master that it names, and returns its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ackproof.cli import __main__ as command

from tests.pipeline.cluster import Cluster
from tests.pipeline.test_command import TWO_PHASE, decided, kernel

ROOT = Path(__file__).parents[2]

#: Level 9 is the first with so many states before it that it is a job.
SEARCH = ("check", TWO_PHASE, "--instance", "rm7", "--depth", "10", "--json")


def submit(master: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command by spark-submit, without any other configuration of Spark."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))}
    program = Path(sys.executable).with_name("spark-submit")
    options = ("--master", master, "--conf", "spark.ui.enabled=false")
    return subprocess.run(
        [program, *options, command.__file__, *arguments],
        cwd=ROOT,
        env=kept | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.mark.spark
@pytest.mark.parametrize("local", [True, False], ids=["on this machine", "on a cluster"])
def test_a_search_that_is_submitted_runs_where_it_was_submitted_to(
    local: bool, request: pytest.FixtureRequest, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster: Cluster | None = None if local else request.getfixturevalue("cluster")
    master = cluster.url if cluster else "local[2]"
    run = submit(master, *SEARCH, "--engine", "spark", "--partitions", "3", "--work", str(work))
    # The search was bounded.
    assert run.returncode == 3, run.stderr
    # What was submitted counts: there are no pages.  Python's standard error is here, too.
    said, brace, rest = run.stdout.partition("{")
    assert said.startswith(f"the search is kept in {work}")
    assert "Finished task" in run.stderr
    assert json.loads(brace + rest)["results"][0]["kept"]["master"] == master
    monkeypatch.chdir(ROOT)
    assert decided(brace + rest) == kernel(*SEARCH[1:-1])
