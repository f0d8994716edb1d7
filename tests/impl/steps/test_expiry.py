"""Messages whose time is over, and queues that nobody uses: under a clock that stands still."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.lockstep.lockstep import Lockstep
from ackproof.impl.machines.hosted_system import hosted_system
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.running import RunningBroker
from ackproof.impl.steps.deadlines import Deadlines
from ackproof.impl.steps.seeded import Seeded
from ackproof.impl.storage.disk import Disk
from ackproof.impl.storage.journal import Batch
from hypothesis import given, settings
from hypothesis import strategies as st
from pamqp import commands

from tests.exploring import examples
from tests.impl.clients import content
from tests.impl.consumer_wire import ConsumerWire


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class TimedWire(ConsumerWire):
    """A client of a broker under such a clock."""

    def __init__(self, broker: Broker | None = None, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        super().__init__(broker or Broker(clock=self.clock))

    def declare(self, queue: str = "q", **arguments: object) -> TimedWire:
        """Declare a durable queue with arguments, whose underscores are hyphens."""
        named = {f"x-{name.replace('_', '-')}": value for name, value in arguments.items()}
        method = commands.Queue.Declare(queue=queue, durable=True, arguments=named)  # type: ignore[arg-type]
        self.say(1, method)
        self.commit()
        return self

    def send(self, text: str, expiration: str | None = None, queue: str = "q") -> list[str]:
        """Publish a persistent message that may have a time of its own, in milliseconds."""
        frames = content(queue, text.encode())
        frames[1].properties.expiration = expiration  # type: ignore[union-attr]
        return self.say(1, *frames)

    def later(self, seconds: float) -> list[str]:
        """Let time go by; return what the broker says to that."""
        self.clock.now += seconds
        return self.hear()

    def exists(self, queue: str = "q") -> bool:
        """Tell whether a queue is there."""
        return queue in self.broker.queues


def timed(**arguments: object) -> TimedWire:
    """Return a confirming client of a queue q with these arguments."""
    wire = TimedWire()
    wire.opened()
    wire.declare(**arguments)
    wire.confirming()
    return wire


# -- messages -------------------------------------------------------------------------------------


def test_a_message_lives_as_long_as_its_queue_lets_it() -> None:
    wire = timed(message_ttl=100)
    wire.send("a")
    wire.later(0.05)
    wire.send("b")
    wire.later(0.05)
    assert wire.get("q", no_ack=True)[0] == "1 get-ok 1 b +0"
    wire.send("c")
    wire.later(0.1)
    assert wire.get("q") == ["1 Basic.GetEmpty"]


@pytest.mark.parametrize(
    ("own", "seconds"), [("50", 0.05), ("500", 0.1), ("+50", 0.05), ("050", 0.05)]
)
def test_a_message_lives_for_the_shorter_of_two_times(own: str, seconds: float) -> None:
    wire = timed(message_ttl=100)
    wire.send("a", own)
    wire.later(seconds - 0.01)
    assert wire.ready("q") == 1
    wire.later(0.02)
    assert wire.ready("q") == 0


def test_what_expires_before_the_disk_had_it_is_confirmed() -> None:
    wire = timed()
    assert wire.send("a", "10") == []
    assert wire.later(0.02) == ["1 ack 1"]
    assert wire.commit() == []


def test_a_message_behind_one_that_lives_longer_waits_for_it() -> None:
    wire = timed()
    wire.send("long")
    wire.send("short", "10")
    wire.later(1)
    assert wire.ready("q") == 2
    assert wire.get("q", no_ack=True)[0].startswith("1 get-ok 1 long")
    assert wire.get("q") == ["1 Basic.GetEmpty"]


def test_what_a_client_has_does_not_expire_until_it_comes_back() -> None:
    wire = timed(message_ttl=10)
    wire.send("a")
    wire.get("q")
    wire.later(1)
    wire.nack(1)
    assert wire.get("q") == ["1 Basic.GetEmpty"]


def test_a_consumer_gets_nothing_that_has_expired() -> None:
    wire = timed(message_ttl=10)
    wire.qos(1)
    wire.consume("q", "c")
    wire.send("a")
    wire.send("b")
    wire.clock.now += 1
    wire.ack(1)
    assert wire.ready("q") == 0
    assert not wire.broker.queues["q"].expiries
    assert "1 deliver c 2 c" in wire.send("c")


def test_a_consumer_gets_nothing_that_expires_just_before_it_would() -> None:
    wire = timed(message_ttl=10)
    wire.qos(1)
    wire.consume("q", "c")
    wire.send("a")
    wire.send("b")
    (channel,) = wire.session.channels.values()
    wire.broker.steps.serving.consumer_acks(channel.consuming, None, True)
    wire.clock.now += 1
    wire.broker.steps.run(idle=True)
    assert wire.ready("q") == 0
    assert not any("deliver" in line for line in wire.hear())


def test_no_time_at_all_confirms_and_drops() -> None:
    assert timed(message_ttl=0).send("a") == ["1 ack 1"]
    assert timed().send("a", "0") == ["1 ack 1"]


@pytest.mark.parametrize("no_ack", [False, True])
def test_no_time_at_all_is_enough_for_a_consumer_that_waits(no_ack: bool) -> None:
    wire = timed(message_ttl=0)
    wire.consume("q", "c", no_ack=no_ack)
    assert "1 deliver c 1 a" in wire.send("a")


def test_no_time_at_all_is_not_enough_for_a_consumer_without_room() -> None:
    wire = timed(message_ttl=0)
    wire.qos(1)
    wire.consume("q", "c")
    wire.send("a")
    wire.send("b")
    assert wire.ready("q") == 0
    assert not any("deliver" in line for line in wire.ack(1))


@pytest.mark.parametrize(
    ("expiration", "wrong"),
    [
        ("abc", "no_integer"),
        (" 5", "no_integer"),
        ("10x", '{leftover_string,"x"}'),
        ("1.5", '{leftover_string,".5"}'),
        ("-1", "{value_negative,-1}"),
        ("315360000001", "{value_too_large,315360000001}"),
    ],
)
def test_an_expiration_is_a_number(expiration: str, wrong: str) -> None:
    assert timed().send("a", expiration) == [
        f"1 Channel.Close 406 PRECONDITION_FAILED - invalid expiration '{expiration}': {wrong}"
    ]


def test_an_expiration_may_be_far_away() -> None:
    wire = timed()
    wire.send("a", "315360000000")
    wire.later(10**8)
    assert wire.ready("q") == 1


# -- the clock ------------------------------------------------------------------------------------


def test_the_broker_says_when_it_has_to_be_called() -> None:
    wire = timed()
    assert wire.broker.due is None
    start = wire.clock.now
    wire.send("a", "5000")
    wire.send("b", "1000")
    assert wire.broker.due == start + 5
    wire.get("q", no_ack=True)
    assert wire.broker.due == start + 1
    wire.later(1)
    assert wire.broker.due in (None, start + 5)
    wire.later(5)
    assert wire.broker.due is None


def test_the_earlier_of_two_deadlines_of_a_queue_counts() -> None:
    deadlines, system = Deadlines(), hosted_system(1)
    one = HostedQueue(system, "a", 1, durable=False)
    other = HostedQueue(system, "b", 2, durable=False)
    deadlines.set(one, 5.0)
    deadlines.set(one, 3.0)
    deadlines.set(one, 4.0)
    deadlines.set(other, 3.5)
    assert deadlines.next == 3.0
    assert deadlines.due(3.5) == [one, other]
    assert deadlines.next is None


def test_nobody_has_to_ask_for_a_message_to_expire() -> None:
    watching = Dropped()
    with RunningBroker() as running:
        running.ask(watching.publish)
        assert watching.seen.wait(timeout=60)
        assert running.ask(lambda broker: broker.due) is None


class Dropped:
    """Publishes a message that expires soon, and sees it go."""

    def __init__(self) -> None:
        self.seen = threading.Event()

    def publish(self, broker: Broker) -> None:
        """Publish the message."""
        broker.steps.observe(self)
        wire = TimedWire(broker)
        wire.opened()
        wire.declare()
        wire.send("a", "20")

    def before(self, step: str, arguments: tuple[Any, ...]) -> None:
        """Nothing has happened yet."""

    def after(self, step: str, arguments: tuple[Any, ...]) -> None:
        """Something has."""
        if step == "drop":
            self.seen.set()

    def not_taken(self, step: str, arguments: tuple[Any, ...]) -> None:
        """Nothing has happened at all."""

    def committed(self, batch: Batch) -> None:
        """The disk does not matter."""


# -- the disk -------------------------------------------------------------------------------------


def test_time_goes_on_while_the_broker_is_away(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    clock = Clock()
    broker = Broker(stored=disk.recover(), clock=clock)
    wire = TimedWire(broker, clock)
    wire.opened()
    wire.say(1, commands.Queue.Declare(queue="q", durable=True))
    for text, expiration in (("a", "1000"), ("b", "60000"), ("c", None)):
        wire.send(text, expiration)
    while broker.journal.pending:
        batch = broker.journal.take()
        disk.commit(batch)
        broker.committed(batch)
    clock.now += 30
    again = TimedWire(Broker(stored=disk.recover(), clock=clock), clock)
    disk.close()
    again.opened()
    assert again.ready("q") == 2
    again.later(40)
    assert again.get("q", no_ack=True) == ["1 get-ok 1 c again +0"]


def test_time_goes_on_while_a_queue_is_down() -> None:
    wire = timed(message_ttl=1000)
    wire.send("a")
    wire.commit()
    wire.broker.crash_queue("q")
    assert wire.ready("q") == 1
    wire.later(2)
    assert wire.get("q") == ["1 Basic.GetEmpty"]


def test_what_was_due_while_a_queue_was_down_goes_when_it_is_back() -> None:
    wire = timed(message_ttl=1000)
    wire.send("a")
    wire.commit()
    wire.broker.steps.processes.crash_queue(wire.broker.queues["q"])
    wire.clock.now += 2
    wire.broker.steps.expire_due()
    wire.hear()
    assert wire.ready("q") == 1
    wire.hear()
    assert wire.ready("q") == 0


# -- queues ---------------------------------------------------------------------------------------


def test_a_queue_that_nobody_uses_goes() -> None:
    wire = timed(expires=1000)
    wire.send("a")
    wire.later(0.9)
    assert wire.exists()
    wire.later(0.1)
    assert not wire.exists()
    assert wire.broker.due is None


@pytest.mark.parametrize(
    "use",
    [
        commands.Queue.Declare(queue="q", passive=True),
        commands.Queue.Declare(queue="q", durable=True, arguments={"x-expires": 1000}),
        commands.Basic.Get(queue="q"),
    ],
    ids=["asked for", "declared again", "got from"],
)
def test_a_queue_that_is_used_stays(use: commands.Queue.Declare) -> None:
    wire = timed(expires=1000)
    for _ in range(3):
        wire.later(0.9)
        wire.say(1, use)
    assert wire.exists()
    wire.later(1)
    assert not wire.exists()


def test_publishing_to_a_queue_is_not_using_it() -> None:
    wire = timed(expires=1000)
    wire.later(0.9)
    wire.send("a")
    wire.later(0.1)
    assert not wire.exists()


def test_a_queue_with_a_consumer_stays_and_goes_after_that() -> None:
    wire = timed(expires=1000)
    wire.consume("q", "c")
    wire.later(10)
    assert wire.exists()
    wire.say(1, commands.Basic.Cancel("c"))
    wire.later(0.9)
    assert wire.exists()
    wire.later(0.1)
    assert not wire.exists()


def test_what_is_owed_for_a_queue_that_goes_is_confirmed() -> None:
    wire = timed(expires=1000)
    assert wire.send("a") == []
    assert wire.later(1) == ["1 ack 1"]


# -- the specification ----------------------------------------------------------------------------


@settings(max_examples=examples(40))
@given(
    st.integers(0, 2**16),
    st.lists(
        st.sampled_from(["long", "short", "none", "get", "requeue", "time", "commit"]), min_size=5
    ),
)
def test_what_expires_leaves_as_the_specification_says(seed: int, moves: list[str]) -> None:
    clock = Clock()
    broker = Broker(Seeded(seed), clock=clock)
    lockstep = Lockstep(broker.steps)
    wire = TimedWire(broker, clock)
    wire.opened()
    wire.declare(message_ttl=500)
    wire.confirming()
    held = []
    expirations = {"long": "400", "short": "100", "none": "0"}
    for move in moves:
        if move in expirations:
            wire.send("a", expirations[move])
        elif move == "time":
            wire.later(0.2)
        elif move == "commit":
            wire.commit()
        elif move == "get":
            held += [int(a.split()[2]) for a in wire.get("q") if "get-ok" in a]
        elif held:
            wire.nack(held.pop())
    wire.later(1)
    assert not wire.ready("q")
    wire.commit()
    lockstep.check()


def test_what_has_expired_is_not_handed_out_before_something_arrives_at_a_limit() -> None:
    wire = TimedWire().opened()
    wire.declare("q", max_length=10)
    wire.say(1, *content("q", b"a"), *content("q", b"b"))
    short = content("q", b"short")
    short[1].properties.expiration = "10"
    wire.say(1, *short)
    wire.clock.now += 5
    consume = commands.Basic.Consume(queue="q", consumer_tag="x", no_ack=True)
    told = wire.say(1, consume, *content("q", b"d"))
    assert [line.split()[-1] for line in told[1:]] == ["a", "b", "d"]
