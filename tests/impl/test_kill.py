"""`kill -9` under load: what was confirmed is there afterwards, and what was consumed is not.

A client publishes persistent messages, some hundred ahead of the acks, and consumes them on another
channel.  It acknowledges most deliveries at once, but those of every fifth publish it leaves alone
for as long as the broker that took them lives.  Then somebody kills that broker, and it is looked
what is on the disk.

Confirms promise this: a message that was confirmed is there, unless the client has acknowledged it
meanwhile.  Of its own acks a client is told nothing.  But it may know of some that they are on the
disk: the disk is told of things in their order, so where an ack was sent before a publish, and that
was confirmed because it is on the disk, the ack is there as well.  The messages that the client
leaves alone have no other reason to be confirmed.

There are three modes: queues of one process, mirrored ones, and any order of steps.  A long run has
each of them several times, some thousand kills; a usual one has the first.

The broker is killed some moments after so many confirms, which is different for each life; on a
slow machine a life is longer, and not emptier.
"""

from __future__ import annotations

import re
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from ackproof.impl.machines.publication import content_of
from ackproof.impl.storage.replica_disks import open_disks
from pamqp import commands

from tests.exploring import chance, seeds
from tests.impl.clients import content, encode
from tests.impl.forked_brokers import Lives
from tests.impl.sockets import Bare

#: In one test; a long run has several.
KILLS = 100
#: Publishes ahead of the acks.
WINDOW = 200
#: Publishes in one write.
AT_ONCE = 20
#: One publish of so many is not acknowledged when it is delivered.
LEFT_ALONE = 5

_DELIVERY = re.compile(r"2 deliver c (\d+) \{\}( again)?$")
_BODY = re.compile(r"2 body b'(\d+)\.(\d+)'$")


#: Options of the brokers.
MODES = {"plain": {}, "mirrored": {"replicas": 3}, "any order": {"seed": 5}}
#: Each mode with what its dice are thrown by; the first one is enough for a usual run.
RUNS = [(mode, run) for run in seeds(1) for mode in MODES][: None if len(seeds(1)) > 1 else 1]


def bodies(directory: Path, replicas: int = 1) -> list[bytes]:
    """Return the bodies of all messages that stand in a queue."""
    disk = open_disks(directory, replicas)
    try:
        queues = disk.recover().queues
        return [content_of(placed.msg).body for queue in queues for placed in queue.messages]
    finally:
        disk.close()


class Life:
    """What a client does and hears while one broker lives.

    Args:
        number: of the life; no other has it.
        met: bodies that were delivered in earlier lives.
        end: called once, when enough is confirmed.
        enough: how much that is.

    Attributes:
        confirmed: publishes that the broker has confirmed, by the number of each.
        delivered: bodies that were delivered.
        acknowledged: bodies that were, and how many publishes had been sent before that.
    """

    def __init__(
        self, number: int, port: int, met: set[bytes], end: Callable[[], None], enough: int
    ) -> None:
        self.number = number
        self.confirmed: set[int] = set()
        self.delivered: set[bytes] = set()
        self.acknowledged: dict[bytes, int] = {}
        self._met = met
        self._end = end
        self._enough = enough
        self._sent = 0
        self._client = Bare(port)
        self._below = 1
        self._tag = 0
        self._again = False

    def live(self) -> None:
        """Publish and consume until the broker is gone; then take what it has said before."""
        try:
            self._end_if_enough()
            self._begin()
            while self._publish():
                pass
        except ConnectionError:
            with suppress(ConnectionError):
                for line in self._client.rest():
                    self._take(line)
        finally:
            self._client.close()

    def _begin(self) -> None:
        self._client.opened()
        declare = commands.Queue.Declare(queue="q", durable=True)
        self._client.send(encode(1, declare))
        self._client.line()
        consume = commands.Basic.Consume(queue="q", consumer_tag="c")
        self._client.send(encode(2, commands.Channel.Open(), consume))

    def _publish(self) -> bool:
        """Publish some, and listen until it is time for more; tell whether the broker lives."""
        for _ in range(AT_ONCE):
            self._sent += 1
            self._client.send(encode(1, *content("q", self._named(self._sent))))
        while self._sent - len(self.confirmed) > WINDOW:
            line = self._client.line()
            if not line:
                return False
            self._take(line)
            self._end_if_enough()
        return True

    def _end_if_enough(self) -> None:
        if len(self.confirmed) >= self._enough:
            self._enough = sys.maxsize
            self._end()

    def _named(self, publish: int) -> bytes:
        return b"%d.%d" % (self.number, publish)

    def _take(self, line: str) -> None:
        """Process what the broker says."""
        assert " nack " not in line, line
        if line.startswith("1 ack "):
            self._confirm(line)
        elif found := _DELIVERY.match(line):
            self._tag, self._again = int(found[1]), bool(found[2])
        elif found := _BODY.match(line):
            self._deliver(int(found[1]), int(found[2]))

    def _confirm(self, line: str) -> None:
        """Note an ack, and insist that nothing is confirmed twice."""
        said = line.split()[2]
        last = int(said.rstrip("*"))
        assert last not in self.confirmed, f"{last} is confirmed twice"
        if said.endswith("*"):
            self.confirmed |= set(range(self._below, last + 1))
            self._below = last + 1
        else:
            self.confirmed.add(last)

    def _deliver(self, life: int, publish: int) -> None:
        """Note a delivery, and acknowledge it or leave it alone."""
        body = b"%d.%d" % (life, publish)
        assert body not in self.delivered, f"{body!r} is delivered twice"
        assert self._again or body not in self._met, f"{body!r} is not marked as redelivered"
        self.delivered.add(body)
        if life != self.number or publish % LEFT_ALONE:
            self.acknowledged[body] = self._sent
            self._client.send(encode(2, commands.Basic.Ack(self._tag)))

    def promised(self) -> set[bytes]:
        """Return what must be on the disk, as far as this life can tell."""
        return {self._named(tag) for tag in self.confirmed} - set(self.acknowledged)

    def consumed(self) -> set[bytes]:
        """Return what must not be on the disk any more."""
        newest = max((tag for tag in self.confirmed if not tag % LEFT_ALONE), default=0)
        return {body for body, sent in self.acknowledged.items() if sent < newest}


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "run"), RUNS)
def test_what_was_confirmed_survives_every_kill_and_what_was_consumed_stays_away(
    tmp_path: Path, mode: str, run: int
) -> None:
    dice = chance("kills", run)
    options: dict[str, int] = MODES[mode]
    promised: set[bytes] = set()
    consumed: set[bytes] = set()
    met: set[bytes] = set()
    count = 0
    with Lives() as lives:
        for number in range(KILLS):
            port = lives.start(tmp_path, **options)
            killer = threading.Timer(dice.uniform(0, 0.03), lives.kill)
            life = Life(number, port, met, killer.start, dice.randrange(500))
            life.live()
            assert lives.ended() == -signal.SIGKILL
            killer.join()
            promised = (promised - set(life.acknowledged)) | life.promised()
            consumed |= life.consumed()
            met |= life.delivered
            count += len(life.confirmed)
            stored = bodies(tmp_path, options.get("replicas", 1))
            assert len(stored) == len(set(stored)), "stored twice"
            assert promised <= set(stored), f"lost in life {number}: {promised - set(stored)}"
            back = consumed & set(stored)
            assert not back, f"consumed, and there again after life {number}: {back}"
    assert count > 100 * KILLS
    assert len(consumed) > 10 * KILLS
