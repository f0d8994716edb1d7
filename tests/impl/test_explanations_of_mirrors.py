"""Putting steps off explains what trying all of them explains, where a queue has a mirror too."""

from __future__ import annotations

import random

import pytest
from ackproof.spec.sorts import Status

from tests.explain.exhaustive import OF_COPIES, OF_MESSAGES, Exhaustive, steps_of_queue
from tests.explain.explanations import TooMany
from tests.explain.machine import CHANNEL, Kind, Outcome, SpecMachine
from tests.explain.mirrored import Mirrored
from tests.explain.operations import Get, Kill
from tests.explain.seen import Publish
from tests.exploring import seeds
from tests.impl.test_explanations import Wanderer, explained, spoiled

QUEUES = {"durable": "r1"}
MESSAGES = 2


@pytest.fixture(scope="module")
def machine() -> SpecMachine:
    """A queue with a mirror."""
    return SpecMachine(MESSAGES, (Kind(mirrors=1),))


class Follower(Wanderer):
    """A broker whose queue has a mirror, in confirm mode; the node of either process may die."""

    def __init__(self, machine: SpecMachine, seed: int) -> None:
        super().__init__(machine, seed)
        self.transactional = False

    def after(self, step: Outcome) -> None:
        """Go on from a step, without those who have died of it."""
        state, events = step
        super().after((Mirrored(self.machine, QUEUES).trimmed(state, "r1"), events))

    def publish(self) -> None:
        """Publish to the queue."""
        if self.number < MESSAGES:
            persistent = self.chance.random() < 0.6
            one = Publish(self.number + 1, frozenset(QUEUES), False, persistent)
            if self.say(one):
                self.number += 1

    def progress(self) -> None:
        """Take some step that nobody asked for."""
        queues = [step for r in self.machine.replicas for step in steps_of_queue(r, mirrored=True)]
        messages = [
            (name, (msg, r))
            for msg in range(1, MESSAGES + 1)
            for r in self.machine.replicas
            for name in OF_MESSAGES + OF_COPIES
        ]
        steps = [
            step
            for name, args in [("flush", (CHANNEL,)), *queues, *messages]
            for step in [self.machine.step(self.state, name, *args)]
            if step is not None and step[0] != self.state
        ]
        if steps:
            self.after(self.chance.choice(steps))

    def operate(self) -> None:
        """Kill the node of a process, or get a message."""
        running = [r for r in ("r1", "r2") if self.of(r, "status") is Status.RUNNING]
        leads = "r2" if self.of("r2", "promoted") else "r1"
        if len(running) == 2 and self.chance.random() < 0.4:
            replica = self.chance.choice(running)
            self.try_step(Kill("durable", replica), "lose_node", replica)
        elif leads in running:
            ready = sorted(self.of(leads, "ready"))  # type: ignore[call-overload]
            if not ready:
                self.note(Get("durable", True, None))
            else:
                again = ready[0] in self.of(leads, "delivered")  # type: ignore[operator]
                self.try_step(Get("durable", True, ready[0], again), "drop", ready[0], leads)


@pytest.mark.parametrize("seed", seeds(20))
def test_what_mirrors_do_is_explained(machine: SpecMachine, seed: int) -> None:
    with machine.sized():
        seen = Follower(machine, seed).wander(12)
    assert explained(Mirrored, machine, seen, QUEUES), seen.log


@pytest.mark.parametrize("seed", seeds(8))
def test_all_orders_come_to_the_same_verdict_with_a_mirror(machine: SpecMachine, seed: int) -> None:
    chance = random.Random(seed)
    with machine.sized():
        seen = Follower(machine, 1000 + seed).wander(8)
    for other in (seen, *(spoiled(seen, chance) for _ in range(2))):
        try:
            expected = explained(Exhaustive, machine, other, QUEUES)
        except TooMany:
            pytest.skip("there is too much to try")
        assert explained(Mirrored, machine, other, QUEUES) is expected, other
