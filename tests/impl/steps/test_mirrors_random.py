"""Whatever order a seed draws, and whoever dies: nothing confirmed is lost, and all is settled."""

from __future__ import annotations

import random
from typing import Any

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.machines.replicas import HostedMirror, Record
from ackproof.impl.oracle.history import History
from ackproof.impl.steps.seeded import Seeded
from ackproof.impl.storage.committer import SteppedCommitter
from ackproof.impl.storage.disks import Disks
from pamqp import commands

from tests.impl.clients import Wire, content, encode

REPLICAS = 3
QUEUES: dict[str, dict[str, Any]] = {
    "plain": {},
    "ranked": {"x-max-priority": 3},
    "short": {"x-max-length": 3, "x-overflow": "reject-publish"},
}


class Traffic:
    """Two clients on a broker with mirrored queues, whose every order is drawn by a seed."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.history = History(recording=True)
        self.disks = Disks(None, REPLICAS)
        self.broker = Broker(Seeded(seed), history=self.history, replicas=REPLICAS)
        self.commits = SteppedCommitter(self.broker, self.disks, lambda: None)
        self.wires = [Wire(self.broker).opened(1, 2).confirming(1, 2) for _ in range(2)]
        for name, arguments in QUEUES.items():
            declare = commands.Queue.Declare(queue=name, durable=True, arguments=arguments)
            self.say(self.wires[0], declare)
        self.rest()

    def say(self, wire: Wire, *frames: Any, channel: int = 1) -> None:
        """Hand over some input; something may happen then, or not."""
        wire.session.receive(encode(channel, *frames))
        self.broker.run(idle=False)

    def rest(self) -> None:
        """Let everything happen that was held back."""
        self.broker.run(idle=True)
        while self.broker.waiting:
            self.broker.run(idle=True)

    def record(self, name: str) -> Record:
        """Return who the processes of a queue are."""
        record = self.broker.queues[name].record
        assert record is not None
        return record

    def publish(self) -> None:
        """Publish some messages, on any channel, of any kind, to any queue."""
        wire = self.dice.choice(self.wires)
        for _ in range(self.dice.randint(1, 4)):
            name = self.dice.choice([*QUEUES, "plain"])
            frames = content(name, persistent=self.dice.random() < 0.8)
            wire.session.receive(encode(self.dice.choice((1, 2)), *frames))
        self.broker.run(idle=self.dice.random() < 0.2)

    def consume(self) -> None:
        """Ask for a message, or give back what is not acknowledged."""
        wire, name = self.dice.choice(self.wires), self.dice.choice([*QUEUES])
        if self.dice.random() < 0.8:
            get = commands.Basic.Get(queue=name, no_ack=self.dice.random() < 0.5)
            self.say(wire, get, channel=self.dice.choice((1, 2)))
        else:
            self.say(wire, commands.Basic.Recover(requeue=True))

    def reopen(self) -> None:
        """Close a channel in the middle of everything, and open it again."""
        wire = self.dice.choice(self.wires)
        self.say(wire, commands.Channel.Close(0, "", 0, 0), channel=2)
        self.say(wire, commands.Channel.Open(), commands.Confirm.Select(), channel=2)

    def kill(self, *, sparing: bool) -> None:
        """Kill a process of a queue, or crash its master.

        Args:
            sparing: not if that could leave the queue without a process that has everything.
        """
        record = self.record(name := self.dice.choice([*QUEUES]))
        if sparing and (not record.leader.running or record.heir() is None):
            return
        victim = self.dice.choice(list(record))
        if victim.running and victim is record.leader and self.dice.random() < 0.3:
            self.broker.faults.crash_queue(name)
        elif victim.running:
            self.broker.faults.kill_replica(name, victim.replica)

    def mend(self) -> None:
        """Start a process of a queue that does not run."""
        record = self.record(name := self.dice.choice([*QUEUES]))
        for replica in range(REPLICAS):
            if record.process(replica) is None:
                self.broker.faults.restart_replica(name, replica)
                return

    def slow(self) -> None:
        """Let a mirror do nothing for a while."""
        record = self.record(name := self.dice.choice([*QUEUES]))
        if record.mirrors:
            mirror = self.dice.choice(record.mirrors)
            self.broker.faults.slow_replica(name, mirror.replica)

    def settle(self) -> None:
        """Release what is held, and let everything come to its end."""
        self.broker.faults.clear()
        for queue in list(self.broker.queues.values()):
            self.broker.steps.await_running(queue)
        self.rest()


@pytest.mark.parametrize("seed", range(30))
def test_all_is_settled_at_last_and_each_mirror_has_what_its_master_has(seed: int) -> None:
    traffic = Traffic(seed)
    for _ in range(60):
        traffic.publish()
        happens = traffic.dice.random()
        if happens < 0.3:
            traffic.kill(sparing=False)
        elif happens < 0.5:
            traffic.mend()
        elif happens < 0.6:
            traffic.slow()
        elif happens < 0.9:
            traffic.consume()
        else:
            traffic.reopen()
    traffic.settle()
    traffic.history.check.passed()
    for wire in traffic.wires:
        for channel in wire.session.channels.values():
            assert not channel.publishing.machine.unconfirmed
    for name in QUEUES:
        record = traffic.record(name)
        assert record.leader.running
        assert not record.leader.senders
        assert not record.unsynced
        for mirror in record.mirrors:
            agrees(mirror, record)


def agrees(mirror: HostedMirror, record: Record) -> None:
    """Insist that a mirror has what its master has, and waits for nothing."""
    assert mirror.machine.ready == record.leader.machine.holds()
    assert mirror.contents.keys() == record.leader.contents.keys()
    assert not mirror.told
    assert not mirror.machine.owes()
    assert not mirror.senders


@pytest.mark.parametrize("seed", range(30))
def test_what_was_confirmed_outlives_fewer_deaths_than_copies_and_the_node(seed: int) -> None:
    traffic = Traffic(seed)
    for _ in range(40):
        traffic.publish()
        happens = traffic.dice.random()
        if happens < 0.3:
            traffic.kill(sparing=True)
        elif happens < 0.5:
            traffic.settle()
            traffic.mend()
        elif happens < 0.6:
            traffic.slow()
    traffic.broker.run(idle=False)
    confirmed = acked(traffic.history)
    assert confirmed
    found = {queue.name: queue.messages.keys() for queue in traffic.disks.recover().queues}
    for message, name in confirmed:
        assert message in found[name], f"message {message} of queue {name} is lost"


def acked(history: History) -> list[tuple[int, str]]:
    """Return the persistent messages that were acked, with the queue of each."""
    outstanding: dict[tuple[int, int], dict[int, tuple[int, str] | None]] = {}
    found: list[tuple[int, str] | None] = []
    for entry in history.of("publish", "ack", "nack"):
        facts = entry.facts
        of_channel = outstanding.setdefault((facts["connection"], facts["channel"]), {})
        if entry.kind == "publish":
            kept = (facts["message"], facts["queues"][0]) if facts["persistent"] else None
            of_channel[facts["seq"]] = kept
            continue
        tags = [t for t in of_channel if t <= facts["tag"]] if facts["multiple"] else [facts["tag"]]
        settled = [of_channel.pop(tag) for tag in tags]
        found += settled if entry.kind == "ack" else []
    return [one for one in found if one is not None]
