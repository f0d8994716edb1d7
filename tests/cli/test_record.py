"""`ackproof record` says when it is ready, passes on, records, and says what it has found."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from ackproof.cli.main import app
from ackproof.conform.events import Kind
from ackproof.conform.recording import read
from ackproof.impl.running import RunningBroker
from typer.testing import CliRunner

from tests.impl.sockets import blocking

COMMAND = [sys.executable, "-m", "ackproof.cli", "record", "--listen", "127.0.0.1:0"]


def test_a_proxy_records_until_it_is_stopped(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    with RunningBroker() as broker:
        upstream = f"127.0.0.1:{broker.port}"
        process = subprocess.Popen(
            [*COMMAND, "--upstream", upstream, "--judge", str(file)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            ready = process.stdout.readline()
            assert ready.endswith(f", to {upstream}\n")
            with blocking(int(ready.split(",")[0].rsplit(":", 1)[1])) as channel:
                channel.confirm_delivery()
                channel.basic_publish("", "nowhere", b"body")
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=30)
        finally:
            process.kill()
            process.wait()
    assert process.returncode == 0
    kinds = [event.kind for event in read(file)]
    assert said.splitlines() == [
        f"recorded {len(kinds)} events of 1 connections in {file}",
        "no violation",
    ]
    assert [k for k in kinds if k in (Kind.PUBLISH, Kind.ACK)] == [Kind.PUBLISH, Kind.ACK]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--listen", "5673"], "--listen is '5673'; give HOST:PORT"),
        (["--upstream", "broker:"], "--upstream is 'broker:'; give HOST:PORT"),
        (["--upstream", "broker:70000"], "--upstream is 'broker:70000'; give HOST:PORT"),
    ],
)
def test_an_address_that_is_none_is_refused(tmp_path: Path, options: list[str], said: str) -> None:
    result = CliRunner().invoke(app, ["record", *options, str(tmp_path / "r.jsonl")])
    assert result.exit_code == 2
    assert said in result.output
    assert not (tmp_path / "r.jsonl").exists()


def test_a_recording_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text("dear")
    result = CliRunner().invoke(app, ["record", str(file)])
    assert (result.exit_code, file.read_text()) == (2, "dear")
    assert "is there already" in result.output


@pytest.mark.parametrize("ending", [".pcap", ".pcapng", ".cap"])
def test_a_recording_is_not_named_like_a_capture(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"r{ending}"
    found = CliRunner().invoke(app, ["record", str(file)])
    assert found.exit_code == 2
    assert "named like a capture of packets; end it in .jsonl or .parquet" in " ".join(
        found.stderr.split()
    )
    assert not file.exists()


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    found = CliRunner().invoke(app, ["record", str(tmp_path / "no" / "r.jsonl")])
    assert found.exit_code == 2
    assert "instead: name a file or a folder that is there, or make it" in found.stderr


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        result = CliRunner().invoke(app, ["record", "--listen", listen, str(tmp_path / "r.jsonl")])
    assert result.exit_code == 2
    assert f"cannot listen on {listen}" in result.output
    assert list(tmp_path.iterdir()) == [], "the name is free for the next try"


@pytest.mark.parametrize("size", [0, 65])
def test_a_key_of_the_wrong_size_is_refused(tmp_path: Path, size: int) -> None:
    key = tmp_path / "key"
    key.write_bytes(bytes(size))
    result = CliRunner().invoke(app, ["record", "--key", str(key), str(tmp_path / "r.jsonl")])
    assert result.exit_code == 2
    assert f"has {size} bytes" in result.output
