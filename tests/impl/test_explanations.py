"""Putting steps off explains exactly what trying all steps in all orders explains."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from ackproof.lang import Event
from ackproof.spec.sorts import Status
from ackproof.spec.wire import Ack, CommitOk, Nack

from tests.explain.directed import Directed
from tests.explain.exhaustive import Exhaustive, steps_of_queue
from tests.explain.explanations import Explanations, Unexplained
from tests.explain.machine import CHANNEL, Kind, SpecMachine, State
from tests.explain.operations import (
    Crash,
    Delete,
    Get,
    Hold,
    Operation,
    Purge,
    Release,
    Restart,
    Settle,
)
from tests.explain.seen import Input, Publish, Seen, Simple
from tests.exploring import seeds

QUEUES = {"durable": "r1", "transient": "r2"}
MESSAGES = 3


SECOND = [
    Kind(durable=False),
    Kind(durable=False, limit=1),
    Kind(durable=False, limit=1, refuses=True),
]


@pytest.fixture(scope="module", params=SECOND, ids=["unlimited", "dropping", "refusing"])
def machine(request: pytest.FixtureRequest) -> SpecMachine:
    """Two queues, of which one is not durable, and may have a limit."""
    return SpecMachine(MESSAGES, (Kind(), request.param))


class Wanderer:
    """A broker that takes steps of the specification at random, and a client that notes them."""

    def __init__(self, machine: SpecMachine, seed: int) -> None:
        self.machine = machine
        self.chance = random.Random(seed)
        self.state = machine.initial()
        self.seen = Seen()
        self.held = False
        self.transactional = self.chance.random() < 0.2
        self.number = 0
        self.pending: list[tuple[int, str]] = []

    def wander(self, length: int) -> Seen:
        """Do that many things, and end with a frame that answers."""
        self.say(Simple("tx_select" if self.transactional else "select"))
        for _ in range(length):
            self.chance.choice([self.publish, self.operate, self.progress, self.progress])()
        self.say(Simple("tx_select" if self.transactional else "select"))
        for _ in range(12):
            self.progress()
        self.say(Simple("tx_select" if self.transactional else "select"))
        return self.seen

    def say(self, one: Input) -> bool:
        """Send something that is taken at once, if it is possible."""
        if isinstance(one, Publish):
            names = {"q" + QUEUES[name][1:] for name in one.queues}
            action = "publish_in_tx" if one.tx else "publish"
            args: tuple[object, ...] = (one.msg, names, one.mandatory, one.persistent)
        else:
            assert isinstance(one, Simple)
            action, args = one.action, (CHANNEL,)
        step = self.machine.step(self.state, action, *args)
        if step is None:
            return False
        self.seen.sent(one)
        self.after(step)
        return True

    def after(self, step: tuple[State, tuple[Event, ...]]) -> None:
        """Go on from a step, and read what it shows."""
        self.state, events = step
        for event in events:
            self.seen.read(event)

    def publish(self) -> None:
        """Publish somewhere, or commit."""
        if self.transactional and self.chance.random() < 0.4:
            self.say(Simple("tx_commit"))
        elif self.number < MESSAGES:
            here = [q for q, r in QUEUES.items() if self.of(r, "status") is not Status.DELETED]
            names = frozenset(q for q in here if self.chance.random() < 0.6)
            mandatory, persistent = (self.chance.random() < 0.6 for _ in range(2))
            one = Publish(self.number + 1, names, mandatory, persistent, self.transactional)
            if self.say(one):
                self.number += 1

    def of(self, replica: str, name: str) -> object:
        """Return a variable of a queue process."""
        return self.machine.get(self.state, f"replicas[{replica}].{name}")

    def progress(self) -> None:
        """Take some step that nobody asked for."""
        steps = [
            step
            for name, args in internal(self.machine, self.state)
            if not (self.held and name == "sync")
            for step in [self.machine.step(self.state, name, *args)]
            if step is not None and step[0] != self.state
        ]
        if steps:
            self.after(self.chance.choice(steps))

    def operate(self) -> None:
        """Do something beside publishing."""
        queue = self.chance.choice(list(QUEUES))
        replica = QUEUES[queue]
        if self.chance.random() < 0.2 and self.settled():
            self.held = not self.held
            self.note(Hold("sync") if self.held else Release("sync"))
            return
        running = [r for r in QUEUES.values() if self.of(r, "status") is Status.RUNNING]
        if running and self.chance.random() < 0.1:
            self.restart()
            return
        if self.of(replica, "status") is not Status.RUNNING:
            return
        ready = sorted(self.of(replica, "ready"))  # type: ignore[call-overload]
        kind = self.chance.choice(["crash", "delete", "purge", "get", "get", "settle", "settle"])
        if kind == "crash":
            self.try_step(Crash(queue), "crash_queue", replica)
        elif kind == "delete":
            self.try_step(Delete(queue, len(ready)), "delete_queue", "q" + replica[1:])
        elif kind == "purge":
            for msg in ready:
                self.state = self.machine.step(self.state, "drop", msg, replica)[0]  # type: ignore[index]
            self.note(Purge(queue, len(ready)))
        elif kind == "get":
            no_ack = self.chance.random() < 0.5
            if not ready:
                self.note(Get(queue, no_ack, None))
            else:
                again = ready[0] in self.of(replica, "delivered")  # type: ignore[operator]
                step = "drop" if no_ack else "take"
                self.try_step(Get(queue, no_ack, ready[0], again), step, ready[0], replica)
        else:
            for msg in sorted(self.of(replica, "pending")):  # type: ignore[call-overload]
                requeue = self.chance.random() < 0.5
                step = "requeue" if requeue else "acknowledge"
                self.try_step(Settle(msg, queue, requeue), step, msg, replica)

    def settled(self) -> bool:
        """Tell whether nothing waits for the disk, or to be told."""
        parts = ("unconfirmed", "confirmed", "rejected")
        return not any(self.machine.get(self.state, f"channels[ch1].{part}") for part in parts)

    def restart(self) -> None:
        """Kill the node, start it again, and open another channel."""
        again = Restart(len(self.seen.inputs), self.number + 1)
        self.state = Directed(self.machine, QUEUES).started_again(self.state, again)
        self.held = False
        self.note(again)
        self.say(Simple("tx_select" if self.transactional else "select"))

    def try_step(self, operation: Operation, step: str, *args: object) -> None:
        """Do something, if it is possible here."""
        after = self.machine.step(self.state, step, *args)
        if after is not None:
            self.after(after)
            self.note(operation)

    def note(self, operation: Operation) -> None:
        """Note an operation, which began when it did."""
        self.seen.did(operation, len(self.seen.inputs), len(self.seen.frames))


def internal(machine: SpecMachine, state: State) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield the steps that a broker may take by itself."""
    yield "flush", (CHANNEL,)
    yield "complete", (CHANNEL,)
    for r in machine.replicas:
        yield from steps_of_queue(r, mirrored=False)
        for msg in range(1, MESSAGES + 1):
            for name in ("deliver", "write", "sync"):
                yield name, (msg, r)


def spoiled(seen: Seen, chance: random.Random) -> Seen:
    """Return something like what was seen, which may well be impossible."""
    frames = list(seen.frames)
    answers = [i for i, f in enumerate(frames) if isinstance(f, Ack | Nack | CommitOk)]
    since, known = list(seen.since), list(seen.known)
    if answers:
        i = chance.choice(answers)
        one = frames[i]
        how = chance.choice(["drop", "twice", "multiple", "other", "tag", "swap", "swap"])
        if how == "drop":
            del frames[i]
            since = [(t, f - (f > i)) for t, f in since]
            known = [f - (f > i) for f in known]
        elif how == "twice":
            frames.insert(i, one)
            since = [(t, f + (f > i)) for t, f in since]
            known = [f + (f > i) for f in known]
        elif how == "swap":
            j = chance.choice(range(len(frames)))
            frames[i], frames[j] = frames[j], frames[i]
        elif isinstance(one, Ack | Nack):
            kind = type(one) if how != "other" else Nack if isinstance(one, Ack) else Ack
            tag: Any = one.tag if how != "tag" else chance.randint(1, MESSAGES)
            frames[i] = kind(one.channel, tag, one.multiple != (how == "multiple"))
    return Seen(seen.inputs, seen.after, known, frames, seen.operations, since)


def explained(
    kind: type[Explanations], machine: SpecMachine, seen: Seen, queues: dict[str, str] = QUEUES
) -> bool:
    """Tell whether something that was seen is explained."""
    explanations = kind(machine, queues)
    explanations.seen = seen
    try:
        explanations.advance()
    except Unexplained:
        return False
    return True


@pytest.mark.parametrize("seed", seeds(30))
def test_what_the_specification_does_is_explained(machine: SpecMachine, seed: int) -> None:
    with machine.sized():
        seen = Wanderer(machine, seed).wander(14)
    assert explained(Directed, machine, seen), seen.log


@pytest.mark.parametrize("seed", seeds(16))
def test_all_orders_come_to_the_same_verdict(machine: SpecMachine, seed: int) -> None:
    chance = random.Random(seed)
    with machine.sized():
        seen = Wanderer(machine, 1000 + seed).wander(10)
    for other in (seen, *(spoiled(seen, chance) for _ in range(4))):
        expected = explained(Exhaustive, machine, other)
        assert explained(Directed, machine, other) is expected, other
