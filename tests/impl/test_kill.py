"""`kill -9` under load: every message that was confirmed is there afterwards."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from ackproof.impl.disk import Disk
from pamqp import commands

from tests.impl.sockets import Bare
from tests.impl.wire import content, encode

KILLS = 12


def start(directory: Path) -> tuple[subprocess.Popen[str], int]:
    """Start a broker process; return it and its port."""
    command = [sys.executable, "-m", "ackproof.cli.serve", "--port", "0", "--data", str(directory)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    ready = process.stdout.readline()
    assert ready.startswith("ackproof broker ready on 127.0.0.1:"), ready
    return process, int(ready.split(",")[0].rsplit(":", 1)[1])


def bodies(directory: Path) -> list[bytes]:
    """Return the bodies of all messages that stand in a queue."""
    disk = Disk(directory)
    found = disk._db.execute("SELECT body FROM message JOIN entry ON message = id")
    stored = [body for (body,) in found]
    disk.close()
    return stored


class Confirmed:
    """The tags that a publisher was told are confirmed."""

    def __init__(self) -> None:
        self.tags: set[int] = set()
        self._below = 1

    def take(self, line: str) -> None:
        """Note an ack, and insist that nothing is confirmed twice."""
        _, kind, tag = line.split()
        assert kind == "ack", line
        last = int(tag.rstrip("*"))
        assert last not in self.tags, "confirmed twice"
        first = self._below if tag.endswith("*") else last
        self.tags |= set(range(first, last + 1))
        self._below = max(self._below, last + 1 if tag.endswith("*") else 0)


def publish_until_killed(
    process: subprocess.Popen[str], port: int, seconds: float, prefix: bytes
) -> set[int]:
    """Publish, 200 messages ahead of the acks, until the process dies; return what was acked."""
    client = Bare(port).opened()
    client.send(encode(1, commands.Queue.Declare(queue="q", durable=True)))
    assert client.line().startswith("1 Queue.DeclareOk q ")
    confirmed = Confirmed()
    sent = 0
    line = "1 ack"
    killer = threading.Timer(seconds, process.kill)
    killer.start()
    try:
        while line:
            for _ in range(20):
                sent += 1
                client.send(encode(1, *content("q", b"%s.%d" % (prefix, sent))))
            while sent - len(confirmed.tags) > 200 and (line := client.line()):
                confirmed.take(line)
        assert process.wait() == -signal.SIGKILL
    except ConnectionError:
        with suppress(ConnectionError):
            for line in client.rest():
                confirmed.take(line)
    killer.join()
    client.close()
    return confirmed.tags


@pytest.mark.slow
def test_what_was_confirmed_survives_every_kill(tmp_path: Path) -> None:
    dice = random.Random(9)
    confirmed: set[bytes] = set()
    for life in range(KILLS):
        process, port = start(tmp_path)
        prefix = b"%d" % life
        acked = publish_until_killed(process, port, dice.uniform(0.01, 0.3), prefix)
        assert process.wait() == -signal.SIGKILL
        confirmed |= {b"%s.%d" % (prefix, tag) for tag in acked}
        stored = bodies(tmp_path)
        assert len(stored) == len(set(stored)), "stored twice"
        assert confirmed <= set(stored), f"lost in life {life}: {confirmed - set(stored)}"
    assert len(confirmed) > 20 * KILLS
