"""`ackproof serve` as a process: the ready line, a graceful stop, and what it refuses."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from pamqp import commands, frame

from tests.impl.clients import HEADER, content, encode
from tests.impl.processes import start
from tests.impl.sockets import Bare
from tests.impl.steps.test_immediate import immediate


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    command = [sys.executable, "-m", "ackproof.cli", "serve", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_when_told_and_tells_its_clients(tmp_path: Path, number: signal.Signals) -> None:
    process, port = start(tmp_path)
    client = Bare(port).opened()
    client.send(encode(1, *content("none")))
    assert client.line() == "1 ack 1"
    process.send_signal(number)
    why = "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'"
    assert client.rest() == [f"0 Connection.Close 320 {why}"]
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    opened, closed, stopped = errors.splitlines()
    assert "opened by guest on vhost /" in opened
    assert "closed by the broker: 320" in closed
    assert stopped == "stopped"
    client.close()


def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("--port", str(port), "--data", str(tmp_path))
    assert result.returncode == 2
    assert result.stdout == ""
    said = f"error: cannot listen on 127.0.0.1:{port}: Address already in use\n"
    assert result.stderr == said


def test_a_directory_that_is_in_use_is_refused(tmp_path: Path) -> None:
    process, _ = start(tmp_path)
    result = run("--port", "0", "--data", str(tmp_path))
    process.terminate()
    process.communicate(timeout=30)
    assert result.returncode == 2
    assert result.stderr == (
        f"error: {tmp_path}/node.sqlite is in use by another broker; "
        "stop that one or choose another directory\n"
    )


def test_without_a_directory_nothing_is_kept() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ackproof.cli", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().endswith(", data is not kept\n")
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == 0


def test_virtual_hosts_and_users_come_from_options_and_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "definitions.json"
    queue = {"name": "q", "vhost": "b", "durable": True, "arguments": {}}
    file.write_text(json.dumps({"vhosts": [{"name": "b"}], "queues": [queue]}))
    options = ("--vhost", "a", "--definitions", str(file), "--rabbitmq-version", "3.10.8")
    process, port = start(tmp_path / "data", *options)
    client = Bare(port)
    client.send(HEADER)
    _, _, start_frame = frame.unmarshal(client.frame())
    assert isinstance(start_frame, commands.Connection.Start)
    assert start_frame.server_properties["product"] == "RabbitMQ"
    assert start_frame.server_properties["version"] == "3.10.8"
    login = commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US")
    tuned = commands.Connection.TuneOk(2047, 131072, 0)
    client.send(encode(0, login, tuned, commands.Connection.Open("a")))
    assert [client.line(), client.line()] == ["0 Connection.Tune", "0 Connection.OpenOk"]
    client.close()
    process.terminate()
    _, errors = process.communicate(timeout=30)
    assert "Server startup complete" in errors
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "is not JSON: Expecting property name"),
        ("[]", "definitions must be an object, as RabbitMQ exports it"),
        ('{"queues": [{"vhost": "/"}]}', "queues[0]: name must be a text"),
        ('{"queues": [{"name": "q", "vhost": "v"}]}', "there is no virtual host 'v'; name it"),
        (None, "cannot read the definitions of"),
    ],
)
def test_definitions_that_cannot_be_are_refused(tmp_path: Path, text: str | None, why: str) -> None:
    file = tmp_path / "definitions.json"
    if text is not None:
        file.write_text(text)
    result = run("--port", "0", "--in-memory", "--definitions", str(file))
    assert result.returncode == 2
    assert result.stdout == ""
    assert why in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_control_api_listens_elsewhere_behind_a_token() -> None:
    command = [sys.executable, "-m", "ackproof.cli", "serve", "--port", "0", "--in-memory"]
    control = ("--control", "0", "--control-host", "0.0.0.0")
    refused = run("--port", "0", *control)
    assert refused.returncode == 2
    assert "--control-host 0.0.0.0 lets others in; give --control-token" in refused.stderr
    process = subprocess.Popen(
        [*command, *control],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "ACKPROOF_CONTROL_TOKEN": "sesame"},
    )
    assert process.stdout is not None
    process.stdout.readline()
    port = int(process.stdout.readline().rsplit(":", 1)[1])

    def status(path: str, **headers: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", path, headers={"Host": "broker", **headers})
        answer = connection.getresponse().status
        connection.close()
        return answer

    assert status("/health") == 401
    assert status("/health", Authorization="Bearer other") == 401
    assert status("/health", Authorization="Bearer sesame") == 200
    assert status("/health", Authorization="Bearer sesame", Origin="http://page") == 403
    assert status("/api/overview") == 401
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == 0


def test_immediate_is_done_by_option(tmp_path: Path) -> None:
    process, port = start(tmp_path, "--immediate")
    client = Bare(port).opened()
    client.send(encode(1, *immediate("nowhere")))
    assert client.line() == "1 return 313 nowhere"
    client.close()
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == 0
