"""Clients settle deliveries: they ack, reject, have them back, or name what is not there (F1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.storage.disk import Disk
from pamqp import commands

from tests.impl.consumer_wire import ConsumerWire, commit


@pytest.fixture
def wire() -> ConsumerWire:
    """A consumer that has five messages."""
    wire = ConsumerWire().opened().with_queue("q").holding("q", *"abcde")
    wire.consume("q", "c")
    return wire


def unknown(tag: int) -> list[str]:
    return [f"1 Channel.Close 406 PRECONDITION_FAILED - unknown delivery tag {tag}"]


def left(wire: ConsumerWire) -> list[str]:
    """Return what comes back when the channel closes, in order, as `a again`."""
    wire.say(1, commands.Channel.Close(200, "", 0, 0))
    wire.say(2, commands.Channel.Open())
    found = []
    while (line := wire.get("q", channel=2, no_ack=True)[0]) != "2 Basic.GetEmpty":
        found.append(line.split(maxsplit=3)[3].rsplit(maxsplit=1)[0])
    return found


# -- acks -----------------------------------------------------------------------------------------


def test_an_acked_message_is_gone(wire: ConsumerWire) -> None:
    wire.ack(2)
    assert left(wire) == ["a again", "c again", "d again", "e again"]


def test_multiple_acks_all_up_to_the_tag(wire: ConsumerWire) -> None:
    wire.ack(2)
    wire.ack(4, multiple=True)
    assert left(wire) == ["e again"]


def test_tag_zero_with_multiple_is_all(wire: ConsumerWire) -> None:
    wire.ack(0, multiple=True)
    assert left(wire) == []


def test_tag_zero_with_multiple_may_be_nothing(wire: ConsumerWire) -> None:
    wire.ack(0, multiple=True)
    assert wire.ack(0, multiple=True) == []


@pytest.mark.parametrize(("tag", "multiple"), [(6, False), (0, False), (9, True)])
def test_a_tag_that_was_not_given_out_closes_the_channel(
    wire: ConsumerWire, tag: int, multiple: bool
) -> None:
    assert wire.ack(tag, multiple=multiple) == unknown(tag)


@pytest.mark.parametrize("multiple", [False, True])
def test_acking_twice_closes_the_channel_and_settles_nothing(
    wire: ConsumerWire, multiple: bool
) -> None:
    wire.ack(3)
    assert wire.ack(3, multiple=multiple) == unknown(3)
    assert wire.ready("q") == 4


def test_acks_of_messages_on_the_disk_reach_it(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = ConsumerWire().opened()
    wire.say(1, commands.Queue.Declare(queue="q", durable=True))
    commit(wire, disk)
    wire.holding("q", *"abc")
    commit(wire, disk)
    wire.consume("q", "c")
    wire.ack(2)
    commit(wire, disk)
    restarted = ConsumerWire(Broker(stored=disk.recover())).opened()
    assert restarted.consume("q", "c")[1:] == [
        "1 deliver c 1 a again",
        "1 deliver c 2 c again",
    ]
    restarted.ack(1)
    commit(restarted, disk)
    assert ConsumerWire(Broker(stored=disk.recover())).opened().get("q") == [
        "1 get-ok 1 c again +0"
    ]
    disk.close()


# -- rejects --------------------------------------------------------------------------------------


def test_a_rejected_message_is_gone(wire: ConsumerWire) -> None:
    assert wire.say(1, commands.Basic.Reject(1, requeue=False)) == []
    assert wire.nack(3, multiple=True, requeue=False) == []
    assert left(wire) == ["d again", "e again"]


def test_a_rejected_message_comes_back_if_its_client_says_so(wire: ConsumerWire) -> None:
    assert wire.say(1, commands.Basic.Reject(4, requeue=True)) == ["1 deliver c 6 d again"]


def test_what_comes_back_has_its_old_place(wire: ConsumerWire) -> None:
    wire.say(1, commands.Basic.Cancel("c"))
    for tag in (4, 2, 3):
        wire.nack(tag)
    wire.publish(1, "q", b"f")
    told = [wire.get("q")[0].split()[3] for _ in range(4)]
    assert told == ["b", "c", "d", "f"]


def test_several_come_back_in_order(wire: ConsumerWire) -> None:
    assert wire.nack(3, multiple=True) == [
        "1 deliver c 6 a again",
        "1 deliver c 7 b again",
        "1 deliver c 8 c again",
    ]


@pytest.mark.parametrize("method", [commands.Basic.Reject(7), commands.Basic.Nack(7, True)])
def test_rejecting_what_is_not_there_closes_the_channel(
    wire: ConsumerWire, method: commands.Basic.Reject | commands.Basic.Nack
) -> None:
    assert wire.say(1, method) == unknown(7)


def test_what_a_publisher_waits_for_is_confirmed_when_it_is_rejected() -> None:
    wire = ConsumerWire().opened().with_queue("q").confirming()
    wire.holding("q", "a")
    wire.consume("q", "c")
    assert wire.nack(1, requeue=False) == ["1 ack 1"]


def test_what_comes_back_is_confirmed_by_the_disk() -> None:
    wire = ConsumerWire().opened().with_queue("q").confirming()
    wire.consume("q", "c")
    wire.publish(1, "q", b"a")
    assert wire.nack(1) == ["1 deliver c 2 a again"]
    assert wire.commit() == ["1 ack 1"]


# -- recover --------------------------------------------------------------------------------------


def test_recovering_brings_all_back(wire: ConsumerWire) -> None:
    wire.ack(2, multiple=True)
    assert wire.say(1, commands.Basic.Recover(requeue=True)) == [
        "1 Basic.RecoverOk",
        "1 deliver c 6 c again",
        "1 deliver c 7 d again",
        "1 deliver c 8 e again",
    ]


def test_recovering_nothing_is_answered(wire: ConsumerWire) -> None:
    wire.ack(0, multiple=True)
    assert wire.say(1, commands.Basic.Recover(requeue=True)) == ["1 Basic.RecoverOk"]


def test_recover_async_is_not_answered(wire: ConsumerWire) -> None:
    told = wire.say(1, commands.Basic.RecoverAsync(requeue=True))
    assert [line.split()[1] for line in told] == ["deliver"] * 5


@pytest.mark.parametrize("method", [commands.Basic.Recover, commands.Basic.RecoverAsync])
def test_recovering_to_the_same_consumer_is_not_implemented(
    wire: ConsumerWire, method: type[commands.Basic.Recover]
) -> None:
    assert wire.say(1, method(requeue=False)) == [
        "0 Connection.Close 540 NOT_IMPLEMENTED - requeue=false"
    ]


# -- what remains ---------------------------------------------------------------------------------


def test_nothing_remains_of_what_was_settled(wire: ConsumerWire) -> None:
    wire.commit()
    wire.ack(3, multiple=True)
    wire.nack(4)
    wire.nack(6, requeue=False)
    wire.ack(5)
    wire.commit()
    queue = wire.broker.queues["q"]
    machine = queue.machine
    held = (machine.ready, machine.pending, machine.delivered, machine.store.level)
    held += (queue.order.places,)
    assert [len(part) for part in held] == [0] * 5
    channel = wire.session.channels[1].consuming.machine
    assert not channel.unacked
    assert not channel.loads
