"""Publishers wait before the disk is full, and what leaves queues still finds room on it."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from ackproof.impl.limits import Limits
from ackproof.impl.running import RunningBroker
from ackproof.impl.server import free_space
from pamqp import commands

from tests.impl.clients import content, encode
from tests.impl.sockets import eventually, publisher

LIMIT = 1_000


class Volume:
    """A file system with as much free space as a test says."""

    def __init__(self) -> None:
        self.free = LIMIT

    def statvfs(self, directory: Path) -> SimpleNamespace:
        """Say how much is free."""
        assert os.fspath(directory)
        return SimpleNamespace(f_bavail=self.free, f_frsize=1)


@pytest.fixture
def volume(monkeypatch: pytest.MonkeyPatch) -> Volume:
    volume = Volume()
    monkeypatch.setattr(free_space, "os", volume)
    monkeypatch.setattr(free_space, "_PERIOD", 0.01)
    return volume


def test_who_publishes_waits_while_little_is_free(
    volume: Volume, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with RunningBroker(tmp_path, limits=Limits(disk_free=LIMIT)) as broker:
        client, other = publisher(broker), publisher(broker)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        volume.free = LIMIT - 1
        said = "disk alarm set: 999 bytes are free, and 1000 should be"
        eventually(lambda: said in caplog.messages)
        other.send(encode(1, *content("q")))
        assert other.line() == "0 Connection.Blocked"
        client.send(encode(1, commands.Basic.Get(queue="q", no_ack=True)))
        assert client.line().startswith("1 get-ok 1 "), "who consumes does not wait"
        volume.free = LIMIT
        assert [other.line(), other.line()] == ["0 Connection.Unblocked", "1 ack 1"]
        client.close()
        other.close()


def test_a_broker_that_keeps_nothing_needs_no_space(volume: Volume) -> None:
    volume.free = 0
    with RunningBroker(limits=Limits(disk_free=LIMIT)) as broker:
        client = publisher(broker)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        client.close()
