"""Random traffic on mirrored queues, whose processes die, come back, and are slow."""

from __future__ import annotations

import random
from typing import Any

from ackproof.impl.broker import Broker
from ackproof.impl.history.history import History
from ackproof.impl.lockstep.lockstep import Lockstep
from ackproof.impl.machines.queue_processes import MirrorMembership
from ackproof.impl.server.stepped_committer import SteppedCommitter
from ackproof.impl.steps.scheduler import Scheduler
from ackproof.impl.steps.seeded import Seeded
from ackproof.impl.storage.replica_disks import Disks
from pamqp import commands

from tests.impl.clients import Wire, content, encode

__all__ = ["QUEUES", "REPLICAS", "Traffic"]

REPLICAS = 3
TRANSACTIONAL = 3
QUEUES: dict[str, dict[str, Any]] = {
    "plain": {},
    "ranked": {"x-max-priority": 3},
    "short": {"x-max-length": 3, "x-overflow": "reject-publish"},
}


class Traffic:
    """Two clients on a broker with mirrored queues, whose every order is drawn by a seed.

    Args:
        seed: draws what happens, and the order of steps.
        scheduler: chooses the order of steps instead.
        lockstep: the specification takes each step again.
    """

    def __init__(
        self, seed: int, *, scheduler: Scheduler | None = None, lockstep: bool = False
    ) -> None:
        self.dice = random.Random(seed)
        self.history = History(recording=True)
        self.disks = Disks(None, REPLICAS)
        scheduler = scheduler or Seeded(seed)
        self.broker = Broker(scheduler, history=self.history, replicas=REPLICAS)
        self.lockstep = Lockstep(self.broker.steps) if lockstep else None
        self.commits = SteppedCommitter(self.broker, self.disks, lambda: None)
        self.wires = [Wire(self.broker).opened(1, 2).confirming(1, 2) for _ in range(2)]
        self.declare()
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

    def declare(self) -> None:
        """Declare the queues that are not there; meanwhile one may be deleted."""
        while missing := QUEUES.keys() - self.broker.queues:
            name = min(missing)
            declare = commands.Queue.Declare(queue=name, durable=True, arguments=QUEUES[name])
            self.say(self.wires[0], declare)

    def membership(self, name: str) -> MirrorMembership:
        """Return who the processes of a queue are."""
        membership = self.broker.queues[name].membership
        assert membership is not None
        return membership

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

    def transact(self) -> None:
        """Publish some messages in a transaction, and end it, unless it has not ended yet."""
        wire = self.dice.choice(self.wires)
        if TRANSACTIONAL not in wire.session.channels:
            self.say(wire, commands.Channel.Open(), commands.Tx.Select(), channel=TRANSACTIONAL)
        if not wire.session.channels[TRANSACTIONAL].publishing.transaction.answers():
            return
        for _ in range(self.dice.randint(0, 3)):
            frames = content(self.dice.choice([*QUEUES]), persistent=self.dice.random() < 0.8)
            self.say(wire, *frames, channel=TRANSACTIONAL)
        end = commands.Tx.Commit() if self.dice.random() < 0.8 else commands.Tx.Rollback()
        self.say(wire, end, channel=TRANSACTIONAL)

    def subscribe(self) -> None:
        """Start a consumer with or without acks, or settle all that consumers have."""
        wire = self.dice.choice(self.wires)
        consuming = wire.session.channels[1].consuming
        if consuming.machine.unacked:
            newest = max(consuming.machine.unacked)
            ack, again = self.dice.random() < 0.5, self.dice.random() < 0.7
            settle = commands.Basic.Ack(newest, True)
            self.say(wire, settle if ack else commands.Basic.Nack(newest, True, again))
            return
        name, no_ack = self.dice.choice([*QUEUES]), self.dice.random() < 0.5
        if name in consuming.consumers:
            self.say(wire, commands.Basic.Cancel(consumer_tag=name))
        else:
            self.say(wire, commands.Basic.Consume(queue=name, consumer_tag=name, no_ack=no_ack))

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
        membership = self.membership(name := self.dice.choice([*QUEUES]))
        if sparing and (not membership.leader.running or membership.successor() is None):
            return
        victim = self.dice.choice(list(membership))
        if victim.running and victim is membership.leader and self.dice.random() < 0.3:
            self.broker.faults.crash_queue(name)
        elif victim.running:
            self.broker.faults.kill_replica(name, victim.replica)

    def mend(self) -> None:
        """Start a process of a queue that does not run."""
        membership = self.membership(name := self.dice.choice([*QUEUES]))
        for replica in range(REPLICAS):
            if membership.process(replica) is None:
                self.broker.faults.restart_replica(name, replica)
                return

    def delete(self) -> None:
        """Delete a queue in the middle of everything."""
        delete = commands.Queue.Delete(queue=self.dice.choice([*QUEUES]))
        self.say(self.dice.choice(self.wires), delete)

    def slow(self) -> None:
        """Let a mirror do nothing for a while."""
        membership = self.membership(name := self.dice.choice([*QUEUES]))
        if membership.mirrors:
            mirror = self.dice.choice(membership.mirrors)
            self.broker.faults.slow_replica(name, mirror.replica)

    def settle(self) -> None:
        """Release what is held, and let everything come to its end."""
        self.broker.faults.clear()
        for queue in list(self.broker.queues.values()):
            self.broker.steps.partitions.await_running(queue)
        self.rest()
