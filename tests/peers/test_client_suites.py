"""The clients' own tests say the same of the reference broker and of RabbitMQ."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.rabbitmq.node import Node
from bench.rabbitmq.site import site
from tests.peers.certificates import CERTIFICATE, KEY
from tests.peers.client_suites import PORT, SUITES, TLS_PORT, Suite, outcomes, prepared

pytestmark = pytest.mark.peer

#: The loopback network has addresses enough for every run to have two of its own.
OURS, THEIRS = (f"127.{os.getpid() >> 8 & 127}.{os.getpid() & 255}.{last}" for last in (3, 2))

#: How many tests of a suite there are at least, so that none is passed by for not being found.
AT_LEAST = {"amqp": 61, "kombu": 51, "amqpstorm": 105}

#: The suite that is run whenever peers are compared.
DAILY = "kombu"


@pytest.fixture(scope="module")
def folder(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared(tmp_path_factory.mktemp("suites"), (OURS, THEIRS))


@pytest.fixture(scope="module", autouse=True)
def free_ports() -> None:
    """Fail in a line where something else listens already."""
    for host in (OURS, THEIRS):
        for port in (PORT, TLS_PORT):
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind((host, port))
                except OSError as error:
                    pytest.fail(
                        f"{host}:{port} cannot be listened on ({error.strerror}); the suites know "
                        "of no other port: stop what listens there, maybe on all addresses",
                        pytrace=False,
                    )


def marked(suite: Suite) -> Any:
    """Leave all but one to `make test-long`."""
    return pytest.param(suite, marks=() if suite.package == DAILY else pytest.mark.long)


@contextmanager
def ours(folder: Path, data: Path) -> Iterator[None]:
    """Run the reference broker, fresh; one that speaks TLS is beside it."""
    tls = ["--tls-cert", str(folder / CERTIFICATE), "--tls-key", str(folder / KEY)]
    with ExitStack() as stack:
        for port, options in ((PORT, []), (TLS_PORT, tls)):
            command = [sys.executable, "-m", "ackproof.cli", "serve", "--host", OURS]
            command += ["--port", str(port), "--data", str(data / str(port)), *options]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            stack.callback(process.communicate)
            stack.callback(process.terminate)
            assert process.stdout is not None
            assert "ready" in process.stdout.readline()
        yield


@contextmanager
def theirs(folder: Path) -> Iterator[None]:
    """Run RabbitMQ, fresh, with TLS."""
    tls = (
        f"listeners.ssl.1 = {THEIRS}:{TLS_PORT}",
        f"ssl_options.certfile = {folder / CERTIFICATE}",
        f"ssl_options.keyfile = {folder / KEY}",
        f"ssl_options.cacertfile = {folder / CERTIFICATE}",
        "ssl_options.verify = verify_none",
    )
    with (
        site() as here,
        here.names(),
        Node(here, "suite", host=THEIRS, port=PORT, more=tls) as node,
    ):
        node.start()
        node.ready()
        yield


@pytest.mark.parametrize("suite", [*map(marked, SUITES)], ids=lambda suite: suite.package)
def test_a_suite_has_the_same_outcomes(suite: Suite, folder: Path, tmp_path: Path) -> None:
    with ours(folder, tmp_path), theirs(folder), ThreadPoolExecutor(2) as both:
        found, expected = both.map(lambda host: outcomes(suite, folder, host), (OURS, THEIRS))
    assert len(expected) >= AT_LEAST[suite.package]
    assert {name for name, outcome in expected.items() if outcome != "passed"} == set()
    assert found == expected
