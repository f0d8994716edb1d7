"""The options of `ackproof serve`: each is handed on, and refused if it makes no sense."""

from __future__ import annotations

import json
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pamqp import commands

from tests.impl.clients import HEADER, content, encode, heard
from tests.impl.sockets import Bare


def start_ok(login: str) -> bytes:
    """Return a login."""
    return encode(0, commands.Connection.StartOk({}, "PLAIN", login, "en_US"))


LOGIN = start_ok("\0guest\0guest")
TUNE_OK = encode(0, commands.Connection.TuneOk(2047, 131072, 0))

COMMAND = [sys.executable, "-m", "ackproof.cli", "serve", "--port", "0"]


class Served:
    """A broker process, its ports, and what it has written."""

    def __init__(self, process: subprocess.Popen[str], lines: int) -> None:
        self.process = process
        assert process.stdout is not None
        self.lines = [process.stdout.readline().rstrip() for _ in range(lines)]
        self.port = int(self.lines[0].split(",")[0].rsplit(":", 1)[1])

    def ask(self, method: str, path: str, body: object = None) -> object:
        """Ask the control API, whose address is in the second line."""
        address = self.lines[1].rsplit(" ", 1)[1]
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address + path, data, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def stop(self) -> str:
        """Stop it; return what it has written to standard error."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        _, errors = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, errors
        return errors


@contextmanager
def served(*options: str, lines: int = 1) -> Iterator[Served]:
    """Run the command for a while."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([*COMMAND, *options], stdout=pipe, stderr=pipe, text=True)
    try:
        yield Served(process, lines)
    finally:
        process.kill()
        process.communicate()


def said_to(client: Bare) -> list[str]:
    """Publish a little, waiting for each answer; return what the broker says."""
    client.send(encode(1, commands.Queue.Declare(queue="")))
    name = client.line()
    client.send(encode(1, *content(name.split()[2])))
    return [name, client.line()]


def test_a_seed_determines_what_is_said() -> None:
    told = []
    for seed in ("3", "3", "4"):
        with served("--in-memory", "--seed", seed) as broker:
            assert broker.lines[0].endswith(", data is not kept")
            client = Bare(broker.port).opened()
            told.append(said_to(client))
            client.close()
            broker.stop()
    assert told[0] == told[1] != told[2]


def test_the_control_api_has_a_port_of_its_own_and_can_stop_the_broker() -> None:
    with served("--control", "0", lines=2) as broker:
        assert broker.lines[1].startswith("ackproof control ready on http://127.0.0.1:")
        client = Bare(broker.port).opened()
        assert broker.ask("POST", "/faults/delay_confirms", {}) == {"fault": "delay_confirms"}
        client.send(encode(1, *content("none")))
        assert broker.ask("POST", "/faults/release_confirms") == {"fault": "release_confirms"}
        assert client.line() == "1 ack 1"
        client.close()
        assert broker.ask("POST", "/stop") == {"status": "stopping"}
        assert broker.process.wait(30) == 0


def test_every_step_can_be_compared_with_the_specification() -> None:
    with served("--in-memory", "--lockstep", "--control", "0", lines=2) as broker:
        client = Bare(broker.port).opened()
        assert said_to(client)[1] == "1 ack 1"
        client.close()
        assert broker.ask("GET", "/check") == {"passed": True, "complaints": []}
        broker.stop()


def test_everything_that_happens_can_be_logged() -> None:
    with served("--in-memory", "--verbose") as broker:
        client = Bare(broker.port).opened()
        client.send(encode(1, *content("none")))
        assert client.line() == "1 ack 1"
        client.close()
        errors = broker.stop()
    assert "DEBUG" in errors
    assert "connection 1, channel 1: ack tag=1 multiple=False" in errors


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (
            ["--in-memory", "--data", "there"],
            "--in-memory keeps nothing in --data; choose one of the two",
        ),
        (["--tls-cert", "there.pem"], "TLS needs both --tls-cert and --tls-key"),
        (
            ["--memory-limit", "1000", "--max-message-size", "1000"],
            "--memory-limit is 1000, and --max-message-size 1000: one message could fill the "
            "memory, and would then wait for itself; give a larger limit, or a smaller size",
        ),
        (["--users", "nobody"], "cannot read the users of nobody: No such file or directory"),
        (
            ["--tls-cert", "not-there.pem", "--tls-key", "key.pem"],
            "cannot read the certificate not-there.pem: No such file or directory",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(options: list[str], error: str, tmp_path: Path) -> None:
    result = subprocess.run(
        [*COMMAND, *options], capture_output=True, text=True, timeout=30, check=False, cwd=tmp_path
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr == f"error: {error}\n"


def test_a_control_port_that_is_taken_is_refused() -> None:
    with served("--in-memory") as broker:
        result = subprocess.run(
            [*COMMAND, "--in-memory", "--control", str(broker.port)],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert result.returncode == 2
    assert f"cannot listen on 127.0.0.1:{broker.port}: Address already in use" in result.stderr


def test_it_speaks_tls(tmp_path: Path) -> None:
    make = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
        "-keyout key.pem -out cert.pem -days 2 -subj /CN=localhost "
        "-addext subjectAltName=DNS:localhost"
    )
    subprocess.run(make.split(), cwd=tmp_path, check=True, capture_output=True)
    files = ("--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem"))
    context = ssl.create_default_context(cafile=tmp_path / "cert.pem")
    with served("--in-memory", *files) as broker:
        plain = socket.create_connection(("127.0.0.1", broker.port), timeout=30)
        with context.wrap_socket(plain, server_hostname="localhost") as client:
            client.sendall(HEADER)
            assert heard(client.recv(65536)) == ["0 Connection.Start"]
        broker.stop()


def test_limits_are_handed_on() -> None:
    limits = (
        *("--max-connections", "1", "--max-channels", "2047", "--max-queues", "1"),
        *("--max-message-size", "10", "--memory-limit", "5000"),
    )
    with served("--in-memory", *limits) as broker:
        client = Bare(broker.port).opened()
        client.send(encode(1, commands.Queue.Declare(queue="first")))
        assert client.line() == "1 Queue.DeclareOk first 0"
        client.send(encode(1, commands.Queue.Declare(queue="second")))
        assert "queue limit in vhost '/' (1) is reached" in client.line()
        other = Bare(broker.port)
        for sent in (HEADER, LOGIN, TUNE_OK):
            other.send(sent)
            if sent is not TUNE_OK:
                other.line()
        other.send(encode(0, commands.Connection.Open()))
        assert "node connection limit (1) is reached" in other.line()
        for one in (client, other):
            one.close()
        broker.stop()


def test_users_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "users").write_text("# who may come in\n\nada:love:lace\n")
    with served("--in-memory", "--users", str(tmp_path / "users")) as broker:
        answers = []
        for login in (start_ok("\0ada\0love:lace"), LOGIN):
            client = Bare(broker.port)
            client.send(HEADER)
            client.line()
            client.send(login)
            answers.append(client.line())
            client.close()
        broker.stop()
    assert answers == ["0 Connection.Tune", ""]
