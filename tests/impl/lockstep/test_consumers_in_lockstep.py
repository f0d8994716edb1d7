"""Whatever consumers do, the broker takes the steps that the specification takes."""

from __future__ import annotations

from typing import Any

from ackproof.impl.broker import Broker
from ackproof.impl.lockstep.lockstep import Lockstep
from ackproof.impl.steps.scheduler import Scheduler
from ackproof.impl.steps.seeded import Seeded
from ackproof.spec.sorts import Status
from hypothesis import given, settings
from hypothesis import strategies as st
from pamqp import commands

from tests.exploring import examples
from tests.impl.clients import content
from tests.impl.consumer_wire import ConsumerWire

QUEUES = ("durable", "transient")
PUBLISHER, FIRST, SECOND = 1, 2, 3


class Traffic:
    """A publishing channel, two that consume, and two queues."""

    def __init__(self, scheduler: Scheduler | None = None) -> None:
        self.broker = Broker(scheduler)
        self.lockstep = Lockstep(self.broker.steps)
        self.wire = ConsumerWire(self.broker).opened(PUBLISHER, FIRST, SECOND)
        self.batch: Any = None
        for name in QUEUES:
            self.wire.say(1, commands.Queue.Declare(queue=name, durable=name == "durable"))
            self.wire.commit()
        self.wire.confirming(PUBLISHER)

    def publish(self, names: list[str], persistent: bool) -> None:
        """Publish to one queue or both."""
        first, *more = names
        self.wire.say(PUBLISHER, *content(first, persistent=persistent, headers={"CC": more}))

    def consume(self, channel: int, name: str, no_ack: bool) -> None:
        """Start a consumer, unless there is one or the queue is down."""
        if f"{name}" not in self._consuming(channel).consumers and self._runs(name):
            self.wire.consume(name, name, channel=channel, no_ack=no_ack)

    def cancel(self, channel: int, name: str) -> None:
        """Stop a consumer, if there is one."""
        self.wire.say(channel, commands.Basic.Cancel(name))

    def limit(self, channel: int, count: int, shared: bool) -> None:
        """Set a limit."""
        self.wire.qos(count, shared=shared, channel=channel)

    def get(self, channel: int, name: str, no_ack: bool) -> None:
        """Ask for a message."""
        if self._runs(name):
            self.wire.get(name, channel=channel, no_ack=no_ack)

    def settle(self, channel: int, place: int, how: str, multiple: bool) -> None:
        """Settle one of the deliveries that are there, or several."""
        tags = sorted(self._consuming(channel).machine.unacked)
        if not tags:
            return
        tag: Any = tags[place % len(tags)]
        if how == "ack":
            self.wire.ack(tag, multiple=multiple, channel=channel)
        else:
            requeue = how == "requeue"
            self.wire.nack(tag, multiple=multiple, requeue=requeue, channel=channel)

    def recover(self, channel: int) -> None:
        """Have everything back."""
        self.wire.say(channel, commands.Basic.Recover(requeue=True))

    def reopen(self, channel: int) -> None:
        """Close a consuming channel, and begin anew."""
        self.wire.say(channel, commands.Channel.Close(200, "", 0, 0))
        self.wire.say(channel, commands.Channel.Open())

    def crash(self, name: str) -> None:
        """Crash a queue, unless it is down already."""
        if self._runs(name):
            self.broker.steps.processes.crash_queue(self.broker.queues[name])

    def begin_commit(self) -> None:
        """Hand the buffers to the disk, and come back later."""
        if self.broker.journal.pending:
            self.batch = self.broker.journal.take()

    def end_commit(self) -> None:
        """The disk has what it was given."""
        batch, self.batch = self.batch, None
        if batch is not None:
            self.broker.committed(batch)
            self.wire.hear()

    def _runs(self, name: str) -> bool:
        return self.broker.queues[name].machine.status is Status.RUNNING

    def _consuming(self, channel: int) -> Any:
        return self.wire.session.channels[channel].consuming

    def end(self) -> None:
        """Let everything come to its end, and look whether everything adds up."""
        self.end_commit()
        for _ in range(40):
            self.wire.commit()
        self.lockstep.check()
        for name in QUEUES:
            queue = self.broker.queues[name]
            held = queue.machine.holds()
            assert set(queue.order.places) == held
            assert queue.machine.delivered <= held
            assert set(queue.machine.store.level) <= held
            assert not queue.machine.owes()
            out = [
                delivery.msg
                for channel in (FIRST, SECOND)
                for delivery in self._consuming(channel).machine.unacked.values()
                if delivery.replica == queue.key
            ]
            assert sorted(out) == sorted(queue.machine.pending), "each is with one consumer"


names = st.sampled_from(QUEUES)
channels = st.sampled_from([FIRST, SECOND])
publishes = st.tuples(
    st.just("publish"), st.lists(names, min_size=1, max_size=2, unique=True), st.booleans()
)
consumes = st.tuples(st.just("consume"), channels, names, st.booleans())
settles = st.tuples(
    st.just("settle"),
    channels,
    st.integers(0, 5),
    st.sampled_from(["ack", "requeue", "discard"]),
    st.booleans(),
)
others = st.one_of(
    st.tuples(st.just("cancel"), channels, names),
    st.tuples(st.just("limit"), channels, st.integers(0, 3), st.booleans()),
    st.tuples(st.just("get"), channels, names, st.booleans()),
    st.tuples(st.sampled_from(["recover", "reopen"]), channels),
    st.tuples(st.just("crash"), names),
    st.tuples(st.sampled_from(["begin_commit", "end_commit"])),
)
traffic = st.lists(st.one_of(publishes, publishes, consumes, settles, others), max_size=30)


def run(traffic: Traffic, commands: list[tuple[Any, ...]]) -> None:
    for name, *args in commands:
        getattr(traffic, str(name))(*args)
    traffic.end()


@settings(max_examples=examples(120))
@given(traffic)
def test_with_consumers_an_eager_broker_does_what_the_specification_does(
    commands: list[tuple[Any, ...]],
) -> None:
    run(Traffic(), commands)


@settings(max_examples=examples(120))
@given(traffic, st.integers(0, 1_000_000))
def test_so_does_one_that_takes_its_steps_in_any_order(
    commands: list[tuple[Any, ...]], seed: int
) -> None:
    run(Traffic(Seeded(seed, commits=False)), commands)


def test_a_shared_limit_may_be_lowered_below_what_is_out() -> None:
    traffic = Traffic()
    traffic.consume(FIRST, "transient", no_ack=False)
    for _ in range(3):
        traffic.publish(["transient"], persistent=False)
    traffic.limit(FIRST, 2, shared=True)
    traffic.publish(["transient"], persistent=False)
    traffic.settle(FIRST, 0, "ack", multiple=False)
    traffic.end()


def said(seed: int) -> list[str]:
    """Return everything that is heard of two consumers, a reject and a crash."""
    wire = ConsumerWire(Broker(Seeded(seed))).opened(PUBLISHER, FIRST, SECOND)
    wire.confirming(PUBLISHER)
    told = wire.say(1, commands.Queue.Declare(queue="q"))
    for channel in (FIRST, SECOND):
        told += wire.qos(2, channel=channel) + wire.consume("q", channel=channel)
    for text in (b"a", b"b", b"c", b"d", b"e"):
        told += wire.publish(PUBLISHER, "q", text, persistent=False)
    told += wire.nack(1, channel=FIRST) + wire.ack(2, channel=SECOND, multiple=True)
    wire.broker.crash_queue("q")
    return told + wire.hear() + wire.hear()


def test_the_same_seed_gives_the_same_bytes_to_consumers_too() -> None:
    runs = {seed: said(seed) for seed in range(20)}
    assert all(said(seed) == told for seed, told in runs.items())
    assert len({tuple(told) for told in runs.values()}) > 5
