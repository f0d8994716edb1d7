"""The recording proxy: clients do not notice it, and it notes what passes."""

from __future__ import annotations

import socket
from collections import Counter
from pathlib import Path

import pika
import pytest
from ackproof.conform.events import Event, Kind
from ackproof.conform.recording import JsonLines, read
from ackproof.impl.running import RunningBroker

from tests.conform.through_a_proxy import proxied
from tests.conform.traffic import SECRET, mixed, use
from tests.impl.sockets import blocking


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_everything_that_passes_is_recorded_and_explained(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    with RunningBroker() as broker, proxied(broker.port, file) as recorded:
        use(recorded.port)
    assert recorded.said == []
    assert recorded.judgement.violations == []
    events = list(read(file))
    assert len(events) == recorded.judgement.events
    count = Counter(event.kind for event in events)
    assert (count[Kind.PUBLISH], count[Kind.RETURN]) == (23, 1)
    assert count[Kind.ACK] >= 1
    assert count[Kind.DELIVER] >= 15
    assert count[Kind.GET_OK] == 1
    assert (count[Kind.COMMIT_OK], count[Kind.ROLLBACK_OK]) == (1, 1)
    assert [e.number for e in events if e.connection == "c1"] == list(range(1, _last(events) + 1))


def _last(events: list[Event]) -> int:
    return max(e.number for e in events if e.connection == "c1")


def test_a_recording_has_no_body_and_no_credentials(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    with RunningBroker() as broker, proxied(broker.port, file) as recorded:
        use(recorded.port)
    kept = file.read_bytes()
    assert SECRET not in kept
    assert b"guest" not in kept


def test_a_return_is_the_message_that_was_published(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    with RunningBroker() as broker, proxied(broker.port, file) as recorded:
        use(recorded.port)
    events = list(read(file))
    (returned,) = (e for e in events if e.kind == Kind.RETURN)
    published = {e.identity for e in events if e.kind == Kind.PUBLISH and e.mandatory}
    assert returned.identity in published
    assert returned.size == len(SECRET)


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_large_window_with_returns_and_nacks_is_explained(
    tmp_path: Path, seed: int | None
) -> None:
    file = tmp_path / "r.jsonl"
    with RunningBroker(seed=seed) as broker, proxied(broker.port, file) as recorded:
        mixed(recorded.port, 20)
    assert recorded.judgement.violations == []
    kinds = Counter(event.kind for event in read(file))
    assert kinds[Kind.RETURN] == 100
    assert kinds[Kind.NACK] > 0
    assert kinds[Kind.ACK] > 0


def test_what_is_not_amqp_is_passed_on_and_said(tmp_path: Path) -> None:
    with (
        RunningBroker() as broker,
        proxied(broker.port, tmp_path / "r.jsonl") as recorded,
        socket.create_connection(("127.0.0.1", recorded.port), timeout=30) as client,
    ):
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert client.recv(100).startswith(b"AMQP")
    assert any("does not begin as AMQP" in line for line in recorded.said)


def test_a_recording_that_cannot_be_written_ends_the_connection_and_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(JsonLines, "write", full)
    with (
        RunningBroker() as broker,
        proxied(broker.port, tmp_path / "r.jsonl") as recorded,
        pytest.raises(pika.exceptions.AMQPError),
        blocking(recorded.port),
    ):
        pass
    assert recorded.said == ["c1: ended, since nothing can be recorded: no room"]


def test_a_broker_that_is_not_there_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with (
        proxied(port, tmp_path / "r.jsonl") as recorded,
        socket.create_connection(("127.0.0.1", recorded.port), timeout=30) as client,
    ):
        assert client.recv(1) == b""
    assert any(f"no connection to 127.0.0.1:{port}" in line for line in recorded.said)
