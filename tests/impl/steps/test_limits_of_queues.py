"""Queues that may not become longer: what is dropped, what is refused, and what publishers hear."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.lockstep.lockstep import Lockstep
from ackproof.impl.steps.seeded import Seeded
from ackproof.impl.storage.disk import Disk
from hypothesis import given, settings
from hypothesis import strategies as st
from pamqp import commands

from tests.exploring import examples
from tests.impl.clients import content
from tests.impl.consumer_wire import ConsumerWire, commit

OVERFLOWS = ("drop-head", "reject-publish", "reject-publish-dlx")


def limited(
    overflow: str = "drop-head", *, broker: Broker | None = None, **limits: int
) -> ConsumerWire:
    """Return a confirming client of a queue q with limits, whose underscores are hyphens."""
    wire = ConsumerWire(broker).opened()
    named = {f"x-{name.replace('_', '-')}": value for name, value in limits.items()}
    arguments = {**named, "x-overflow": overflow}
    wire.say(1, commands.Queue.Declare(queue="q", durable=True, arguments=arguments))  # type: ignore[arg-type]
    wire.commit()
    return wire.confirming()


def contents(wire: ConsumerWire, queue: str = "q") -> list[str]:
    """Take everything that is ready; return the bodies."""
    found = []
    while (answer := wire.get(queue, no_ack=True)) != ["1 Basic.GetEmpty"]:
        found.append(answer[0].split()[3])
    return found


def test_a_full_queue_drops_what_is_oldest() -> None:
    wire = limited(max_length=2).holding("q", "a", "b", "c", "d")
    assert contents(wire) == ["c", "d"]


def test_what_is_dropped_before_the_disk_had_it_is_confirmed() -> None:
    wire = limited(max_length=1)
    assert wire.publish(1, "q", b"a") == []
    assert wire.publish(1, "q", b"b") == ["1 ack 1"]
    assert wire.commit() == ["1 ack 2"]


def test_a_queue_of_length_0_drops_everything_and_confirms_it() -> None:
    wire = limited(max_length=0)
    assert wire.publish(1, "q") == ["1 ack 1"]
    assert wire.ready("q") == 0


@pytest.mark.parametrize("overflow", OVERFLOWS[1:])
def test_a_full_queue_that_refuses_is_heard_of(overflow: str) -> None:
    wire = limited(overflow, max_length=1)
    wire.publish(1, "q", b"a", persistent=False)
    assert wire.publish(1, "q", b"b") == ["1 nack 2*"]
    assert contents(wire) == ["a"]
    assert wire.publish(1, "q", b"c", persistent=False) == ["1 ack 3"]


def test_who_does_not_confirm_does_not_hear_of_a_refusal() -> None:
    wire = limited("reject-publish", max_length=0)
    other = ConsumerWire(wire.broker).opened()
    assert other.publish(1, "q") == []
    assert wire.ready("q") == 0


def test_one_queue_that_refuses_decides_for_all() -> None:
    wire = limited("reject-publish", max_length=0)
    wire.say(1, commands.Queue.Declare(queue="other"))
    for queue in ("q", "other"):
        wire.say(1, commands.Queue.Bind(queue=queue, exchange="amq.fanout"))
    wire.commit()
    assert wire.say(1, *content("", exchange="amq.fanout")) == ["1 nack 1*"]
    assert wire.ready("other") == 1


def test_what_a_client_has_does_not_count() -> None:
    wire = limited("reject-publish", max_length=1)
    wire.publish(1, "q", b"a", persistent=False)
    wire.get("q")
    assert wire.publish(1, "q", b"b", persistent=False) == ["1 ack 2"]


@pytest.mark.parametrize("limit", [{"max_length": 0}, {"max_length_bytes": 3}])
def test_a_consumer_that_waits_gets_what_would_be_too_long(limit: dict[str, int]) -> None:
    wire = limited(**limit)
    wire.consume("q", "c")
    assert "1 deliver c 1 abcd" in wire.publish(1, "q", b"abcd")


@pytest.mark.parametrize("no_ack", [False, True])
def test_what_goes_past_a_queue_without_room_goes_there_in_lockstep(no_ack: bool) -> None:
    broker = Broker(Seeded(3))
    lockstep = Lockstep(broker.steps)
    wire = limited(broker=broker, max_length=0)
    wire.consume("q", "c", no_ack=no_ack)
    for _ in range(3):
        wire.publish(1, "q")
    wire.commit()
    if not no_ack:
        wire.nack(2, multiple=True)
    wire.commit()
    lockstep.check()


def test_a_consumer_that_waits_keeps_a_queue_short() -> None:
    wire = limited("reject-publish", max_length=1)
    wire.consume("q", "c")
    for number in range(1, 4):
        answer = wire.publish(1, "q", b"a", persistent=False)
        assert set(answer) == {f"1 deliver c {number} a", f"1 ack {number}"}


def test_what_a_consumer_can_take_does_not_count_when_much_comes_at_once() -> None:
    wire = limited("reject-publish", max_length=1)
    wire.consume("q", "c")
    other = ConsumerWire(wire.broker).opened()
    other.say(1, commands.Tx.Select())
    other.holding("q", "a", "b", "c", persistent=False)
    assert other.say(1, commands.Tx.Commit()) == ["1 Tx.CommitOk"]
    assert wire.hear() == ["1 deliver c 1 a", "1 deliver c 2 b", "1 deliver c 3 c"]


def test_a_queue_that_messages_come_back_to_drops_the_oldest() -> None:
    wire = limited(max_length=2).holding("q", "a", "b")
    wire.get("q")
    wire.get("q")
    wire.holding("q", "c")
    wire.nack(2, multiple=True)
    assert contents(wire) == ["b", "c"]


def test_a_queue_that_refuses_takes_back_whatever_it_gave_out() -> None:
    wire = limited("reject-publish", max_length=1).holding("q", "a")
    wire.get("q")
    wire.holding("q", "b")
    wire.nack(1)
    assert contents(wire) == ["a", "b"]


def test_a_transaction_that_returns_messages_makes_a_queue_drop_the_oldest() -> None:
    wire = limited(max_length=1).holding("q", "a")
    wire.say(2, commands.Channel.Open())
    wire.say(2, commands.Tx.Select())
    wire.get("q", channel=2)
    wire.holding("q", "b")
    wire.nack(1, channel=2)
    wire.say(2, commands.Tx.Commit())
    assert contents(wire) == ["b"]


def test_a_limit_in_bytes_counts_bodies() -> None:
    wire = limited(max_length_bytes=5).holding("q", "aa", "bb", "cc")
    assert wire.ready("q") == 2
    assert contents(wire) == ["bb", "cc"]
    wire.holding("q", "a", "toolong")
    assert wire.ready("q") == 0


def test_a_queue_refuses_what_has_too_many_bytes_for_it() -> None:
    wire = limited("reject-publish", max_length_bytes=5)
    bodies = (b"aa", b"bb", b"cc", b"d", b"e")
    answers = [wire.publish(1, "q", body, persistent=False)[0] for body in bodies]
    assert answers == ["1 ack 1", "1 ack 2", "1 nack 3*", "1 ack 4", "1 nack 5*"]


def test_bytes_that_have_left_do_not_count_and_those_that_came_back_do() -> None:
    wire = limited("reject-publish", max_length_bytes=2)
    wire.publish(1, "q", b"aa", persistent=False)
    wire.get("q")
    assert wire.publish(1, "q", b"bb", persistent=False) == ["1 ack 2"]
    wire.nack(1)
    assert wire.publish(1, "q", b"", persistent=False) == ["1 nack 3*"]
    wire.get("q", no_ack=True)
    assert wire.publish(1, "q", b"", persistent=False) == ["1 ack 4"]


def test_bytes_are_counted_anew_after_a_crash() -> None:
    wire = limited("reject-publish", max_length_bytes=4)
    wire.publish(1, "q", b"aa")
    wire.commit()
    wire.publish(1, "q", b"b", persistent=False)
    wire.broker.crash_queue("q")
    assert wire.publish(1, "q", b"ccc", persistent=False)[-1] == "1 nack 3*"
    assert wire.publish(1, "q", b"cc", persistent=False) == ["1 ack 4"]


def test_the_smaller_limit_counts() -> None:
    wire = limited(max_length=5, max_length_bytes=2).holding("q", "a", "b", "c")
    assert contents(wire) == ["b", "c"]
    wire = limited(max_length=1, max_length_bytes=100).holding("q", "a", "b", "c")
    assert contents(wire) == ["c"]


@settings(max_examples=examples(40))
@given(
    st.integers(0, 2**16),
    st.sampled_from(OVERFLOWS),
    st.integers(0, 2),
    st.lists(
        st.sampled_from(["persistent", "transient", "get", "ack", "requeue", "commit"]), min_size=5
    ),
)
def test_limited_queues_do_as_the_specification_says(
    seed: int, overflow: str, length: int, moves: list[str]
) -> None:
    broker = Broker(Seeded(seed))
    lockstep = Lockstep(broker.steps)
    wire = limited(overflow, broker=broker, max_length=length, max_length_bytes=8)
    held = []
    for number, move in enumerate(moves):
        if move in ("persistent", "transient"):
            wire.publish(1, "q", b"12345"[: number % 5], persistent=move == "persistent")
        elif move == "commit":
            wire.commit()
        elif move == "get":
            held += [int(a.split()[2]) for a in wire.get("q") if "get-ok" in a]
        elif held:
            tag = held.pop()
            wire.ack(tag) if move == "ack" else wire.nack(tag)
        if overflow == "drop-head":
            assert wire.ready("q") <= length
    wire.commit()
    lockstep.check()


def test_a_transaction_that_acks_takes_nothing_else_from_a_queue_that_has_crashed() -> None:
    wire = limited(max_length=10).holding("q", "a", "b", "c", "d")
    wire.commit()
    wire.broker.crash_queue("q")
    wire.say(2, commands.Channel.Open())
    wire.say(2, commands.Tx.Select())
    wire.get("q", channel=2)
    wire.ack(1, channel=2)
    assert wire.say(2, commands.Tx.Commit()) == ["2 Tx.CommitOk"]
    assert wire.ready("q") == 3


def test_what_is_acked_in_a_transaction_is_no_dead_letter_though_something_comes_back() -> None:
    wire = ConsumerWire().opened(1, 2)
    wire.say(1, commands.Queue.Declare(queue="dead", durable=True))
    arguments = {"x-max-length": 10, "x-max-length-bytes": 100, "x-dead-letter-exchange": ""}
    arguments["x-dead-letter-routing-key"] = "dead"
    wire.say(1, commands.Queue.Declare(queue="q", durable=True, arguments=arguments))
    wire.commit()
    wire.holding("q", "aaaaa", "bbbbb", "ccccc")
    wire.commit()
    wire.say(2, commands.Tx.Select())
    wire.get("q", channel=2)
    wire.get("q", channel=2)
    wire.ack(1, channel=2)
    wire.nack(2, requeue=True, channel=2)
    wire.say(2, commands.Tx.Commit())
    assert (wire.ready("q"), wire.ready("dead")) == (2, 0)
    # What the queue takes in by bytes says what it has counted: 10 are there, 90 are free.
    wire.publish(1, "q", b"x" * 90)
    assert wire.ready("q") == 3
    wire.publish(1, "q", b"y")
    assert wire.ready("q") == 3


def test_what_makes_room_for_much_becomes_dead_letters_in_its_order() -> None:
    wire = ConsumerWire().opened(1)
    wire.say(1, commands.Queue.Declare(queue="dead", durable=True))
    arguments = {"x-max-length-bytes": 20, "x-max-priority": 9, "x-dead-letter-exchange": ""}
    arguments["x-dead-letter-routing-key"] = "dead"
    wire.say(1, commands.Queue.Declare(queue="q", durable=True, arguments=arguments))
    wire.commit()
    for priority in range(10):
        frames = content("q", f"{priority:02}".encode())
        frames[1].properties.priority = priority  # type: ignore[union-attr]
        wire.say(1, *frames)
    wire.publish(1, "q", b"x" * 20)
    assert contents(wire, "dead") == [f"{priority:02}" for priority in reversed(range(10))]


def with_dead_letters(**limits: int) -> ConsumerWire:
    """Return a client of a queue q with limits, whose dead letters go to a queue dead."""
    wire = ConsumerWire().opened(1)
    named = {f"x-{name.replace('_', '-')}": value for name, value in limits.items()}
    arguments = {**named, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}
    wire.say(1, commands.Queue.Declare(queue="q", durable=True, arguments=arguments))  # type: ignore[arg-type]
    wire.say(1, commands.Queue.Declare(queue="dead", durable=True))
    return wire


@pytest.mark.parametrize("limits", [{"max_length": 1}, {"max_length_bytes": 1}])
def test_a_queue_that_starts_again_drops_what_is_too_much(limits: dict[str, int]) -> None:
    wire = with_dead_letters(**limits).holding("q", "a")
    wire.get("q")
    wire.holding("q", "b")
    wire.commit()
    wire.broker.crash_queue("q")
    assert (contents(wire), contents(wire, "dead")) == (["b"], ["a"])


@pytest.mark.parametrize("limits", [{"max_length": 1}, {"max_length_bytes": 1}])
def test_so_does_one_whose_broker_starts_again(limits: dict[str, int], tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = with_dead_letters(**limits)
    commit(wire, disk)
    wire.holding("q", "a")
    wire.get("q")
    wire.holding("q", "b")
    commit(wire, disk)
    for _ in range(2):
        again = ConsumerWire(Broker(stored=disk.recover())).opened(1)
        commit(again, disk)
    assert (contents(again), contents(again, "dead")) == (["b"], ["a"])
    disk.close()
