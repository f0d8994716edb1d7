"""What is lost in the middle of a search is made up for: a machine of the cluster, or the driver.

Both are killed by their process ids, as soon as the first jobs have been done and while more are to
come, which is seen in the folder of the search.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ackproof.pipeline.folder import Folder

from tests.pipeline.cluster import Cluster, until
from tests.pipeline.test_command import decided, kernel

ROOT = Path(__file__).parents[2]

#: Twelve levels in the middle of it have more states than the driver expands by itself.
SEARCH = ("tests/models/two_phase_commit.py", "--instance", "rm7")
WIDE = 8192
LEVELS = 23

#: A lost block is asked for again, three times; the time between is for larger networks.
QUICK = "--conf spark.shuffle.io.retryWait=1s pyspark-shell"


@pytest.fixture
def alone(cluster: Cluster) -> Iterator[Cluster]:
    """The cluster, with two workers again afterwards."""
    yield cluster
    cluster.add(2 - len(cluster.workers))


def start(cluster: Cluster, work: Path, *options: str) -> subprocess.Popen[str]:
    """Start a search on a cluster."""
    command = [sys.executable, "-m", "ackproof.cli", "check", *SEARCH, "--json", *options]
    command += ["--engine", "spark", "--master", cluster.url, "--work", str(work)]
    return subprocess.Popen(
        [*command, "--partitions", "4"],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
