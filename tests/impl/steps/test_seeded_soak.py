"""Clients of all kinds, every fault, any order: nothing is lost, settled twice, or left behind."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from ackproof.impl.faults.faults import Faults
from ackproof.impl.lockstep.lockstep import Lockstep
from ackproof.impl.session.session import Phase
from pamqp import commands, frame

from tests.exploring import seeds
from tests.impl.clients import Wire, content, encode
from tests.impl.steps.test_seeded import QUEUES, Traffic

#: What goes wrong, or is made good again.
FAULTS: tuple[Callable[[Faults, random.Random], None], ...] = (
    lambda faults, dice: faults.crash_queue(dice.choice(QUEUES)),
    lambda faults, dice: faults.nack_next(dice.randint(1, 3)),
    lambda faults, _: faults.crash_next(),
    lambda faults, _: faults.hold_fsync(),
    lambda faults, _: faults.release_fsync(),
    lambda faults, _: faults.withhold_confirms(),
    lambda faults, _: faults.delay_confirms(),
    lambda faults, _: faults.release_confirms(),
)


def consuming(dice: random.Random) -> frame.FrameTypes:
    """Return something that a consumer may do."""
    methods: tuple[frame.FrameTypes, ...] = (
        commands.Basic.Get(queue="c", no_ack=dice.random() < 0.5),
        commands.Basic.Recover(requeue=True),
        commands.Basic.Nack(0, True, dice.random() < 0.5),
        commands.Queue.Purge(queue="c"),
    )
    return dice.choice(methods)


class Play:
    """Two connections with two channels each, and what a seed makes of them."""

    def __init__(self, seed: int, *, consumers: bool) -> None:
        self.dice = random.Random(seed)
        self.traffic = Traffic(seed)
        self.consumers = consumers
        self.lockstep = Lockstep(self.traffic.broker.steps)
        self.wires = [self.traffic.opened(), self.traffic.opened()]
        for wire in self.wires if consumers else ():
            for queue, no_ack in (("a", True), ("b", False)):
                self.send(wire, commands.Basic.Consume(queue=queue, no_ack=no_ack))

    def send(self, wire: Wire, *frames: frame.FrameTypes) -> None:
        """Send frames on one of the channels."""
        self.traffic.send(wire, encode(self.dice.choice((1, 2)), *frames))

    def publish(self, queue: str) -> tuple[frame.FrameTypes, ...]:
        """Return the frames of a publish, which may be transient."""
        return content(queue, persistent=self.dice.random() < 0.8, mandatory=True)

    def act(self) -> None:
        """Do one random thing."""
        wire, chance = self.dice.choice(self.wires), self.dice.random()
        if chance < 0.6:
            queues = self.dice.choices((*QUEUES, "none"), k=self.dice.randint(1, 5))
            self.send(wire, *(part for queue in queues for part in self.publish(queue)))
        elif chance < 0.85 and self.consumers:
            self.send(wire, consuming(self.dice))
        else:
            self.dice.choice(FAULTS)(self.traffic.broker.faults, self.dice)

    def finish(self) -> None:
        """Make everything good, and let happen what is due."""
        self.traffic.broker.faults.clear()
        self.traffic.broker.run(idle=True)
        self.traffic.rest(*self.wires)


@pytest.mark.parametrize("consumers", [False, True], ids=["publishers", "and consumers"])
@pytest.mark.parametrize("seed", seeds(15))
def test_every_publish_is_settled_once_and_nothing_is_left(seed: int, consumers: bool) -> None:
    play = Play(seed, consumers=consumers)
    for _ in range(40):
        play.act()
    play.finish()
    play.traffic.history.check.passed()
    play.lockstep.check()
    for wire in play.wires:
        assert wire.session.phase is Phase.RUNNING
        for channel in wire.session.channels.values():
            assert not channel.publishing.machine.unconfirmed
    for queue in play.traffic.broker.queues.values():
        assert queue.running
        assert not queue.machine.owes()
        assert not queue.landed
