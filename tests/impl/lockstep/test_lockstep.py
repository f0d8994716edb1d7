"""Every step that the broker takes is a step of the specification, with the same outcome."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.lockstep.lockstep import Deviation, Lockstep
from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.answers import Answers
from ackproof.impl.steps.arrivals import Arrivals
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.processes import Processes
from ackproof.impl.steps.scheduler import Scheduler
from ackproof.impl.steps.seeded import Seeded
from ackproof.spec.sorts import Level, Msg, Status
from hypothesis import given, settings
from hypothesis import strategies as st
from pamqp import commands

from tests.exploring import examples
from tests.impl.clients import Wire, content

QUEUES = ("durable", "transient", "other", "ranked")


#: Two confirming channels, a transactional one, and one that consumes.
CONFIRMING, TRANSACTIONAL, CONSUMING = (1, 2), 3, 4


class Traffic:
    """Four channels, four queues, and whatever may happen to them."""

    def __init__(self, scheduler: Scheduler | None = None) -> None:
        broker = Broker(scheduler)
        self.lockstep = Lockstep(broker.steps)
        self.published = 0
        self.wire = Wire(broker).opened(*CONFIRMING, TRANSACTIONAL, CONSUMING)
        for name in QUEUES:
            self.declare(name)
        self.wire.confirming(*CONFIRMING)
        self.wire.say(TRANSACTIONAL, commands.Tx.Select())

    def declare(self, name: str) -> None:
        """Declare a queue of ours."""
        arguments = {"x-max-priority": 2} if name == "ranked" else {}
        durable = name != "transient"
        declare = commands.Queue.Declare(queue=name, durable=durable, arguments=arguments)  # type: ignore[arg-type]
        self.wire.say(1, declare)
        self.wire.commit()

    def publish(self, channel: int, keys: list[str], mandatory: bool, persistent: bool) -> None:
        """Publish to several queues at once, or to none."""
        first, *more = keys or ["nowhere"]
        if channel == TRANSACTIONAL and not self.may_speak():
            return
        frames = content(first, mandatory=mandatory, persistent=persistent, headers={"CC": more})
        self.published += 1
        frames[1].properties.priority = self.published % 4  # type: ignore[union-attr]
        self.wire.say(channel, *frames)

    def crash(self, name: str) -> None:
        """Crash a queue, unless it is down already."""
        queue = self.wire.broker.queues[name]
        if queue.machine.status is Status.RUNNING:
            self.wire.broker.steps.processes.crash_queue(queue)

    def delete(self, name: str) -> None:
        """Delete a queue, and declare another one of the same name."""
        self.wire.say(2, commands.Queue.Delete(queue=name))
        self.wire.commit()
        self.declare(name)

    def purge(self, name: str) -> None:
        """Drop all that is ready."""
        if self.wire.broker.queues[name].machine.status is Status.RUNNING:
            self.wire.say(2, commands.Queue.Purge(queue=name))

    def may_speak(self) -> bool:
        """Whether the transactional channel owes no answer; one that was closed is opened again."""
        channel = self.wire.session.channels[TRANSACTIONAL]
        if not channel.publishing.machine.open:
            self.wire.say(TRANSACTIONAL, commands.Channel.CloseOk())
            self.wire.say(TRANSACTIONAL, commands.Channel.Open())
            self.wire.say(TRANSACTIONAL, commands.Tx.Select())
            return True
        return channel.publishing.transaction.answers()

    def end_transaction(self, commit: bool) -> None:
        """Commit, or roll back."""
        if self.may_speak():
            method = commands.Tx.Commit() if commit else commands.Tx.Rollback()
            self.wire.say(TRANSACTIONAL, method)

    def get(self, name: str, no_ack: bool) -> None:
        """Ask for the head of a queue."""
        self.wire.say(CONSUMING, commands.Basic.Get(queue=name, no_ack=no_ack))

    def consume(self, name: str, no_ack: bool) -> None:
        """Start a consumer, or stop it if it is there."""
        if name in self.wire.session.channels[CONSUMING].consuming.consumers:
            self.wire.say(CONSUMING, commands.Basic.Cancel(consumer_tag=name))
        else:
            consume = commands.Basic.Consume(queue=name, consumer_tag=name, no_ack=no_ack)
            self.wire.say(CONSUMING, consume)

    def settle(self, ack: bool, multiple: bool, requeue: bool) -> None:
        """Settle what was delivered last, or everything."""
        tags = set(self.wire.session.channels[CONSUMING].consuming.machine.unacked)
        if tags and ack:
            self.wire.say(CONSUMING, commands.Basic.Ack(max(tags), multiple))
        elif tags:
            self.wire.say(CONSUMING, commands.Basic.Nack(max(tags), multiple, requeue))

    def begin_commit(self) -> None:
        """Hand the buffers to the disk, and come back later."""
        journal = self.wire.broker.journal
        if journal.pending:
            self.batch = journal.take()

    def end_commit(self) -> None:
        """The disk has what it was given."""
        batch, self.batch = getattr(self, "batch", None), None
        if batch is not None:
            self.wire.broker.committed(batch)
            self.wire.hear()

    def reopen(self, channel: int) -> None:
        """Close a channel, and begin anew under the same number."""
        self.wire.say(channel, commands.Channel.Close(200, "", 0, 0))
        self.wire.say(channel, commands.Channel.Open())
        self.wire.say(channel, commands.Confirm.Select())


names = st.sampled_from(QUEUES)
channels = st.sampled_from(CONFIRMING)
publishes = st.tuples(
    st.just("publish"),
    st.sampled_from([*CONFIRMING, TRANSACTIONAL]),
    st.lists(names, max_size=3, unique=True),
    st.booleans(),
    st.booleans(),
)
others = st.one_of(
    st.tuples(st.sampled_from(["crash", "delete", "purge"]), names),
    st.tuples(st.just("reopen"), channels),
    st.tuples(st.sampled_from(["begin_commit", "end_commit"])),
    st.tuples(st.just("end_transaction"), st.booleans()),
    st.tuples(st.sampled_from(["get", "consume"]), names, st.booleans()),
    st.tuples(st.just("settle"), st.booleans(), st.booleans(), st.booleans()),
)
traffic = st.lists(st.one_of(publishes, publishes, others), min_size=3, max_size=30)


def run(commands: list[tuple[object, ...]], traffic: Traffic) -> None:
    """Do all that, and let everything come to its end."""
    for name, *args in commands:
        if name == "delete":
            traffic.end_commit()  # a declaration waits for the disk
        getattr(traffic, str(name))(*args)
    traffic.end_commit()
    for _ in range(40):
        traffic.wire.commit()
    traffic.lockstep.check()


@settings(max_examples=examples(150))
@given(traffic)
def test_an_eager_broker_does_what_the_specification_does(commands: list[tuple[object]]) -> None:
    run(commands, Traffic())


@settings(max_examples=examples(150))
@given(traffic, st.integers(0, 1_000_000))
def test_so_does_one_that_takes_its_steps_in_any_order(
    commands: list[tuple[object]], seed: int
) -> None:
    run(commands, Traffic(Seeded(seed)))


def test_what_goes_nowhere_is_no_message_to_anybody() -> None:
    broker = Broker()
    lockstep = Lockstep(broker.steps)
    wire = Wire(broker).opened(1)
    wire.publish(1, "nowhere")
    wire.say(1, commands.Queue.Declare(queue="q"))
    wire.publish(1, "q")
    assert "Queue.DeleteOk" in str(wire.say(1, commands.Queue.Delete(queue="q")))
    lockstep.check()


def test_what_has_a_higher_priority_goes_before_what_came_earlier_from_another_channel() -> None:
    broker = Broker()
    lockstep = Lockstep(broker.steps)
    wire = Wire(broker).opened(1, 2)
    wire.say(1, commands.Queue.Declare(queue="p", arguments={"x-max-priority": 3}))
    for channel, priority in ((1, 0), (2, 3)):
        frames = content("p")
        frames[1].properties.priority = priority  # type: ignore[union-attr]
        wire.say(channel, *frames)
    wire.say(1, commands.Basic.Get(queue="p", no_ack=True))
    (got,) = (step.args[1] for step in lockstep.taken if step.action == "get")
    assert Msg.owner(got) == wire.session.channels[2].publishing.id
    lockstep.check()


def test_a_twin_that_breaks_is_a_deviation() -> None:
    broker = Broker()
    lockstep = Lockstep(broker.steps)
    wire = Wire(broker).opened(1).with_queue("q").confirming(1)
    lockstep.twin.system.flush = lambda _: 1 / 0  # type: ignore[method-assign, assignment]
    wire.publish(1, "q")
    with pytest.raises(ZeroDivisionError):
        wire.commit()
    with pytest.raises(Deviation, match="ZeroDivisionError"):
        lockstep.check()


# -- mistakes are found -----------------------------------------------------------------------


_arrive, _crash, _flush = Arrivals.arrive, Processes.crash_queue, Answers.flush


def forgetful(self: Any, channel: PublishingChannel, queue: HostedQueue, msg: Msg) -> None:
    """Do not tell the queue that the publisher waits for a confirm."""
    _arrive(self, channel, queue, msg)
    queue.machine.awaiting.clear()


def hasty(self: Any, channel: PublishingChannel, queue: HostedQueue, msg: Msg) -> None:
    """Confirm a message when it arrives at its queue."""
    _arrive(self, channel, queue, msg)
    if msg in queue.machine.owes():
        channel.machine.settle(msg, queue.key, {queue.key})


def careless(self: Any, queue: HostedQueue) -> None:
    """Take what is in the buffer for what is on the disk, when a queue starts again."""
    kept = set(queue.machine.store.level)
    _crash(self, queue)
    for msg in kept:
        queue.machine.store.level[msg] = Level.SYNCED


def repeating(self: Any, channel: PublishingChannel) -> None:
    """Tell again what was told before."""
    told = set(channel.machine.confirmed)
    _flush(self, channel)
    channel.machine.confirmed |= told


def test_a_queue_that_does_not_heed_priorities_is_found_out() -> None:
    traffic = Traffic()
    order = traffic.wire.broker.queues["ranked"].order
    arrivals = count(1)
    order.next_place = lambda _: next(arrivals)  # type: ignore[method-assign]
    publish = ("publish", 1, ["ranked"], False, False)
    with pytest.raises(Deviation, match=r"order: the specification has \[2\.2, 2\.1\]"):
        run([publish, publish, publish, ("get", "ranked", True)], traffic)


@pytest.mark.parametrize(
    ("part", "name", "mistake"),
    [
        (Arrivals, "arrive", forgetful),
        (Arrivals, "arrive", hasty),
        (Processes, "crash_queue", careless),
        (Answers, "flush", repeating),
    ],
)
def test_a_broker_that_does_otherwise_is_found_out(
    part: Any, name: str, mistake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    mistake.__name__ = name
    monkeypatch.setattr(part, name, observed(mistake))
    traffic = Traffic()
    publish = ("publish", 1, ["durable"], False, True)
    with pytest.raises(Deviation) as found:
        run([publish, ("begin_commit",), ("end_commit",), publish, ("crash", "durable")], traffic)
    assert "select(3), tx_select(4), publish(2.1, {1}, False, True)" in str(found.value)
