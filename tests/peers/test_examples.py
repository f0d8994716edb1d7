"""The examples for other languages pass, each with the client library of its language."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.peer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
JARS = Path("/usr/share/java")
GOPATH = Path("/usr/share/gocode")


def needs(what: str, there: object) -> None:
    """Go on if something is there; if not, fail where the examples must run, and else skip."""
    if there:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"there is no {what}, and the examples must be run here")
    pytest.skip(f"there is no {what}")


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `ackproof`, of this very checkout."""
    script = tmp_path_factory.mktemp("command") / "ackproof"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m ackproof.cli "$@"\n')
    script.chmod(0o755)
    return script


def run(command: Path, folder: Path, *words: str, **more: str) -> str:
    """Run a command in a folder; return what it has said, if it has gone well."""
    environment = {**os.environ, "ACKPROOF": str(command), **more}
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def copied(name: str, to: Path) -> Path:
    """Return a copy of an example, in which a run may leave what it likes."""
    folder = to / name
    shutil.copytree(EXAMPLES / name, folder, ignore=shutil.ignore_patterns("node_modules"))
    return folder


@pytest.fixture(scope="module")
def with_jest(tmp_path_factory: pytest.TempPathFactory, command: Path) -> Path:
    """The example for Node, with what it needs installed."""
    needs("npm", shutil.which("npm"))
    folder = copied("node", tmp_path_factory.mktemp("examples"))
    run(command, folder, "npm", "install", "--no-audit", "--no-fund", "--no-package-lock")
    return folder


def test_with_jest_and_amqplib(with_jest: Path, command: Path) -> None:
    told = run(command, with_jest, "npx", "jest", "--ci")
    assert "Tests:       5 passed, 5 total" in told


def test_with_a_broker_that_listens_as_in_a_container(with_jest: Path, command: Path) -> None:
    everywhere = ["--host", "0.0.0.0", "--control-host", "0.0.0.0", "--control-token", "secret"]
    ports = ["--port", "0", "--control", "0"]
    with subprocess.Popen(
        [str(command), "serve", "--in-memory", *everywhere, *ports],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        amqp = process.stdout.readline().partition(",")[0].rpartition(":")[2]
        control = process.stdout.readline().strip().rpartition(":")[2]
        told = run(
            command,
            with_jest,
            *("npx", "jest", "--ci"),
            ACKPROOF_AT=f"localhost:{amqp}",
            ACKPROOF_CONTROL=f"http://localhost:{control}",
            ACKPROOF_CONTROL_TOKEN="secret",
        )
        process.terminate()
    assert "Tests:       5 passed, 5 total" in told


def test_with_go_test_and_amqp091_go(tmp_path: Path, command: Path) -> None:
    needs("go", shutil.which("go"))
    library = GOPATH / "src/github.com/rabbitmq/amqp091-go"
    needs("amqp091-go of Debian", library.exists())
    debian = {"GO111MODULE": "off", "GOPATH": str(GOPATH)}
    folder = copied("go", tmp_path)
    run(command, folder, "go", "vet", ".", **debian)
    told = run(command, folder, "go", "test", "-count=1", "-v", ".", **debian)
    assert told.count("--- PASS") == 4


def test_with_junit_and_the_java_client(tmp_path: Path, command: Path) -> None:
    needs("javac", shutil.which("javac"))
    needs("amqp-client of Debian", (JARS / "amqp-client.jar").exists())
    needs("JUnit of Debian", (JARS / "junit-platform-console.jar").exists())
    folder = copied("java", tmp_path)
    told = run(command, folder, "./run")
    assert "4 tests successful" in told


def test_a_broker_does_not_outlive_the_program_that_has_started_it(
    tmp_path: Path, command: Path
) -> None:
    needs("node", shutil.which("node"))
    folder = copied("node", tmp_path)
    code = (
        "require('./ackproof').Broker.start().then(() => {"
        " console.log('ready'); process.kill(process.pid, 'SIGKILL'); });"
    )
    done = subprocess.run(
        ["node", "-e", code],
        cwd=folder,
        env={**os.environ, "ACKPROOF": str(command)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    # Standard error is the broker's as well, so it has ended, and the broker with it.
    assert done.returncode == -signal.SIGKILL
    assert (done.stdout, done.stderr) == ("ready\n", "")
