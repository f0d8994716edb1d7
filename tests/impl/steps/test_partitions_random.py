"""Whatever a seed draws while the cluster falls apart: what a majority has acked is there after."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from ackproof.impl.machines.publication import name_of
from pamqp import commands

from tests.exploring import seeds
from tests.impl.clients import Wire, heard
from tests.impl.mirror_traffic import QUEUES, REPLICAS, Traffic
from tests.impl.steps.test_mirrors_random import acked, agrees


class Divided(Traffic):
    """Traffic on a cluster that falls apart and comes together; clients come back if they must."""

    def __init__(self, seed: int, *, lockstep: bool = False) -> None:
        super().__init__(seed, lockstep=lockstep)
        self.before: set[tuple[int, str]] | None = None
        self.unwarranted: set[tuple[int, str]] = set()

    @property
    def cluster(self) -> Any:
        """Return who is on which side."""
        steps: Any = self.broker.steps
        return steps.sides.cluster

    def connect(self) -> None:
        """Open again what has broken or was closed, if there is somebody to connect to."""
        if self.broker.connections.closed:
            return
        for number, wire in enumerate(self.wires):
            if wire.session not in self.broker.connections:
                self.wires[number] = Wire(self.broker).opened(1, 2).confirming(1, 2)
                continue
            for line in heard(wire.session.take_output()):
                if " Channel.Close 404 " in line:
                    again = (commands.Channel.CloseOk(), commands.Channel.Open())
                    self.say(wire, *again, commands.Confirm.Select(), channel=int(line[0]))

    def fall_apart(self) -> None:
        """Cut off one node, or two; with no more time to notice than the seed takes."""
        away = self.dice.sample(range(REPLICAS), self.dice.choice((1, 1, 2)))
        home = self.dice.choice([replica for replica in range(REPLICAS) if replica not in away])
        ticktime = self.dice.choice((0.0, 1e6))
        if 2 * len(away) > REPLICAS:
            self.before = set(acked(self.history))
        self.broker.faults.partition(away, home=home, ticktime=ticktime)

    def go_on(self) -> None:
        """Let the partition be noticed, or be over, or let somebody pause."""
        faults = self.broker.faults
        ways = (faults.notice_partition, faults.pause_minority, faults.heal, faults.heal)
        self.dice.choice(ways)()

    def divide(self) -> None:
        """Take the next step of a partition."""
        self.go_on() if self.cluster.cut() else self.fall_apart()
        self.tell_apart()
        self.connect()

    def tell_apart(self) -> None:
        """Note what was acked by a minority that did not know what it was (A12.7)."""
        if self.before is not None and not self.cluster.cut():
            self.unwarranted |= set(acked(self.history)) - self.before
            self.before = None

    def mend(self) -> None:
        """Start a process of a queue that does not run, unless it is cut off."""
        with suppress(ValueError):
            super().mend()

    def kill(self, *, sparing: bool) -> None:
        """Kill a process of a queue; in a minority it may be the only one that has something."""
        if not sparing or 2 * len(self.cluster.away) < REPLICAS:
            super().kill(sparing=sparing)

    def settle(self) -> None:
        """Mend the network, and let everything come to its end."""
        super().settle()
        self.tell_apart()
        self.connect()
        super().settle()


@pytest.mark.parametrize("seed", seeds(20))
def test_all_is_settled_when_the_cluster_is_whole_again(seed: int) -> None:
    live_through(Divided(seed))


@pytest.mark.parametrize("seed", seeds(1))
def test_the_specification_takes_each_step_of_a_cluster_that_falls_apart(seed: int) -> None:
    traffic = Divided(seed, lockstep=True)
    assert traffic.lockstep is not None
    try:
        live_through(traffic, rounds=25)
    finally:
        traffic.lockstep.check()


def live_through(traffic: Divided, rounds: int = 60) -> None:
    """Let everything happen, and look at what has come of it."""
    for _ in range(rounds):
        if not traffic.broker.connections.closed:
            traffic.publish()
        happens = traffic.dice.random()
        if happens < 0.3:
            traffic.divide()
        elif happens < 0.4:
            traffic.kill(sparing=False)
        elif happens < 0.5:
            traffic.mend()
        elif happens < 0.6:
            traffic.slow()
        elif happens < 0.9 and not traffic.broker.connections.closed:
            traffic.consume() if happens < 0.7 else traffic.subscribe()
            traffic.connect()
        elif not traffic.broker.connections.closed:
            traffic.reopen()
    traffic.settle()
    traffic.history.check.passed()
    for wire in traffic.wires:
        for channel in wire.session.channels.values():
            assert not channel.publishing.machine.unconfirmed
    for name in QUEUES:
        membership = traffic.membership(name)
        assert membership.leader.running
        assert not membership.leader.machine.owes()
        assert not any(mirror.lacks for mirror in membership.mirrors)
        for mirror in membership.mirrors:
            agrees(mirror, membership)


@pytest.mark.parametrize("seed", seeds(20))
def test_what_a_majority_has_confirmed_outlives_partitions_and_deaths(seed: int) -> None:
    traffic = Divided(seed)
    for _ in range(40):
        if not traffic.broker.connections.closed:
            traffic.publish()
        happens = traffic.dice.random()
        if happens < 0.4:
            traffic.divide()
        elif happens < 0.6:
            traffic.kill(sparing=True)
        elif happens < 0.8 and not traffic.cluster.cut():
            traffic.settle()
            traffic.mend()
    traffic.settle()
    confirmed = set(acked(traffic.history)) - traffic.unwarranted
    assert confirmed
    for message, name in confirmed:
        holds = set(map(name_of, traffic.membership(name).leader.machine.holds()))
        assert message in holds, f"message {message} of queue {name} is lost"


@pytest.mark.parametrize("seed", seeds(3))
def test_the_same_seed_divides_the_cluster_in_the_same_way(seed: int) -> None:
    stories = []
    for _ in range(2):
        traffic = Divided(seed)
        for _ in range(20):
            if not traffic.broker.connections.closed:
                traffic.publish()
            traffic.divide()
        traffic.settle()
        stories.append([str(entry) for entry in traffic.history])
    assert stories[0] == stories[1]


def test_a_mirror_that_a_younger_one_has_passed_over_joins_again() -> None:
    # Of many lives this is one in which that happens.
    live_through(Divided(20261490))
