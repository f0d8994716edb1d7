"""The clients' own tests say the same of the reference broker and of RabbitMQ."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.rabbitmq.node import Node
from bench.rabbitmq.site import site
from tests.peers.client_suites import PORT, SUITES, Suite, outcomes, prepared

pytestmark = pytest.mark.peer

OURS, THEIRS = "127.0.0.3", "127.0.0.2"

#: How many tests of a suite there are at least, so that none is passed by for not being found.
AT_LEAST = {"amqp": 48, "kombu": 51, "amqpstorm": 95}


@pytest.fixture(scope="module")
def folder(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared(tmp_path_factory.mktemp("suites"))


@contextmanager
def ours(folder: Path) -> Iterator[None]:
    """Run the reference broker, fresh."""
    command = [sys.executable, "-m", "ackproof.cli.serve", "--host", OURS, "--port", str(PORT)]
    process = subprocess.Popen(
        [*command, "--data", str(folder / "data")], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield
    finally:
        process.terminate()
        process.wait()


@contextmanager
def theirs() -> Iterator[None]:
    """Run RabbitMQ, fresh."""
    with site() as here, here.names(), Node(here, "suite", host=THEIRS, port=PORT) as node:
        node.start()
        node.ready()
        yield


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.package)
def test_a_suite_has_the_same_outcomes(suite: Suite, folder: Path, tmp_path: Path) -> None:
    with ours(tmp_path), theirs(), ThreadPoolExecutor(2) as both:
        found, expected = both.map(lambda host: outcomes(suite, folder, host), (OURS, THEIRS))
    assert len(expected) >= AT_LEAST[suite.package]
    assert {name for name, outcome in expected.items() if outcome != "passed"} == set()
    assert found == expected
