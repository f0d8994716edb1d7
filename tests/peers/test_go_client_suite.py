"""The integration tests of Go's client say the same of the reference broker and of RabbitMQ.

They come with the client in Debian's package, and ask for a broker at any port.  What Go has
compiled of its own library, it keeps.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from ackproof.impl.running import RunningBroker

from tests.peers.test_examples import GOPATH, needs

pytestmark = pytest.mark.peer

#: Where the client and its tests are, below a path for Go.
CLIENT = "github.com/rabbitmq/amqp091-go"
#: How many tests there are at least, so that none is passed by for not being found.
AT_LEAST = 110

_OUTCOME = re.compile(r"^--- (PASS|FAIL|SKIP): (\S+)", re.MULTILINE)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tests, compiled, among the files that they read."""
    needs("go", shutil.which("go"))
    source = GOPATH / "src" / CLIENT
    needs("amqp091-go of Debian", source.exists())
    root = tmp_path_factory.mktemp("go")
    folder = root / "src" / CLIENT
    shutil.copytree(source, folder)
    environment = {
        **os.environ,
        "GO111MODULE": "off",
        "GOPATH": f"{root}:{GOPATH}",
    }
    command = ["go", "test", "-c", "-tags", "integration", "-o", "suite", "."]
    subprocess.run(command, cwd=folder, env=environment, check=True, timeout=500)
    return folder


def outcomes(suite: Path, port: int, only: str = ".") -> dict[str, str]:
    """Return what became of each test, against a broker of this machine."""
    done = subprocess.run(
        ["./suite", "-test.v", "-test.timeout", "300s", "-test.run", only],
        cwd=suite,
        env={**os.environ, "AMQP_URL": f"amqp://guest:guest@127.0.0.1:{port}/"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=320,
        check=False,
    )
    return {name: outcome for outcome, name in _OUTCOME.findall(done.stdout)}


def test_the_suite_of_amqp091_go_has_the_same_outcomes(suite: Path, port: int) -> None:
    with RunningBroker() as broker:
        found = outcomes(suite, broker.port)
        # Some wait for 200 ms and no longer, which a busy machine may take from any broker.
        late = [name for name, outcome in found.items() if outcome == "FAIL"]
        if late:
            print("once more, alone:", *late)
            found |= outcomes(suite, broker.port, f"^({'|'.join(late)})$")
    expected = outcomes(suite, port)
    assert len(expected) >= AT_LEAST
    assert {name for name, outcome in expected.items() if outcome != "PASS"} == set()
    assert found == expected
