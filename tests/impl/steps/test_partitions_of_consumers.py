"""What clients have settled across a partition, a queue hears when that is over, or never."""

from __future__ import annotations

import pytest
from pamqp import commands
from pamqp.base import Frame

from tests.impl.clients import Wire
from tests.impl.partition_clients import again
from tests.impl.steps.test_mirrors import Hours, mirrored, passed, processes, ready

ACK = commands.Basic.Ack(1)
REJECT = commands.Basic.Reject(1, requeue=False)
RETURN = commands.Basic.Nack(1, multiple=False, requeue=True)


def consuming(**arguments: object) -> Wire:
    """Return a client that consumes on channel 2, and has the only message of the queue.

    The master of the queue is across a partition.
    """
    wire = mirrored(**arguments)
    wire.session.capabilities |= {"consumer_cancel_notify"}
    wire.publish(1, "q")
    wire.commit()
    assert "2 deliver c 1 {}" in wire.say(
        2,
        commands.Basic.Qos(prefetch_count=1),
        commands.Basic.Consume(queue="q", consumer_tag="c"),
    )
    wire.broker.faults.partition([0], home=1)
    return wire


def lent(wire: Wire) -> int:
    """Return how many messages the master of the queue takes for lent."""
    return len(processes(wire)[0].machine.pending)


@pytest.mark.parametrize("settle", [ACK, REJECT])
def test_what_is_settled_leaves_its_queue_when_the_partition_is_over(settle: Frame) -> None:
    wire = consuming()
    assert wire.say(2, settle) == []
    assert lent(wire) == 1
    assert ready(wire) == [[], [b"hello"], [b"hello"]]
    wire.broker.faults.heal()
    assert wire.hear() == []
    assert lent(wire) == 0
    assert ready(wire) == [[]] * 3
    passed(wire)


def test_what_comes_back_is_delivered_again_when_the_partition_is_over() -> None:
    wire = consuming()
    assert wire.say(2, RETURN) == []
    assert lent(wire) == 1
    wire.broker.faults.heal()
    assert "2 deliver c 2 {} again" in wire.hear()
    passed(wire)


def test_what_a_closed_channel_had_goes_to_others_when_the_partition_is_over() -> None:
    wire = consuming()
    wire.say(2, commands.Channel.Close(0, "", 0, 0))
    assert lent(wire) == 1
    wire.broker.faults.heal()
    assert lent(wire) == 0
    assert ready(wire) == [[b"hello"]] * 3
    other = again(wire)
    got = other.say(2, commands.Basic.Consume(queue="q", consumer_tag="d"))
    assert "2 deliver d 1 {} again" in got
    passed(wire)


def test_what_is_acked_to_who_was_given_up_is_delivered_again() -> None:
    wire = consuming()
    wire.say(2, ACK)
    wire.broker.faults.notice_partition()
    assert wire.hear() == ["2 Basic.Cancel c"]
    got = wire.say(2, commands.Basic.Consume(queue="q", consumer_tag="c"))
    assert "2 deliver c 2 {} again" in got
    wire.broker.faults.heal()
    passed(wire)


def test_an_ack_after_its_queue_was_given_up_reaches_nobody() -> None:
    wire = consuming()
    wire.broker.faults.notice_partition()
    assert wire.say(2, ACK) == ["2 Basic.Cancel c"]
    assert ready(wire) == [[b"hello"]] * 2
    wire.broker.faults.heal()
    assert ready(wire) == [[b"hello"]] * 3
    passed(wire)


@pytest.mark.parametrize("healed", [True, False])
def test_what_is_rejected_for_good_is_a_dead_letter_when_its_queue_knows(healed: bool) -> None:
    wire = consuming(dead_letter_exchange="", dead_letter_routing_key="dead")
    wire.say(1, commands.Queue.Declare(queue="dead"))
    dead = wire.broker.queues["dead"].machine
    wire.say(2, REJECT)
    assert not dead.ready
    wire.broker.faults.heal() if healed else wire.broker.faults.notice_partition()
    wire.hear()
    assert len(dead.ready) == int(healed)


def test_what_a_transaction_settles_waits_for_the_queue_to_be_in_reach() -> None:
    wire = mirrored()
    wire.publish(1, "q")
    wire.commit()
    wire.say(3, commands.Channel.Open(), commands.Tx.Select())
    wire.say(3, commands.Basic.Get(queue="q"))
    wire.broker.faults.partition([0], home=1)
    assert wire.say(3, ACK, commands.Tx.Commit()) == ["3 Tx.CommitOk"]
    assert lent(wire) == 1
    wire.broker.faults.heal()
    assert ready(wire) == [[]] * 3
    passed(wire)


def test_who_cancels_across_a_partition_waits_until_the_queue_is_given_up() -> None:
    wire = consuming()
    said = wire.say(2, commands.Basic.Cancel("c"))
    assert said == ["2 Basic.Cancel c", "2 Basic.CancelOk c"]
    assert ready(wire) == [[b"hello"]] * 2
    wire.broker.faults.heal()
    passed(wire)


def test_the_end_of_a_queue_is_not_told_across_a_partition() -> None:
    wire = consuming()
    wire.broker.faults.kill_replica("q", 0)
    assert wire.hear() == []
    wire.broker.faults.heal()
    assert wire.hear() == ["2 Basic.Cancel c"]
    passed(wire)


# -- what else hangs on consumers -----------------------------------------------------------------


@pytest.mark.parametrize("noticed", [True, False])
def test_the_end_of_a_master_is_told_late_if_its_queue_is_deleted_meanwhile(noticed: bool) -> None:
    wire = mirrored()
    wire.session.capabilities |= {"consumer_cancel_notify"}
    wire.say(2, commands.Basic.Consume(queue="q", consumer_tag="c"))
    faults, system = wire.broker.faults, wire.broker.steps.context.system
    faults.partition([0], home=1)
    faults.crash_queue("q")
    wire.broker.steps.partitions.estrange(wire.broker.queues["q"])
    wire.commit()
    faults.delete_queue("q")
    assert wire.commit() == []
    faults.notice_partition() if noticed else faults.heal()
    assert wire.hear() == ["2 Basic.Cancel c"]
    assert not wire.session.channels[2].consuming.consumers
    assert not system.replicas


def test_it_is_told_late_too_if_another_master_has_come_meanwhile() -> None:
    wire = mirrored()
    wire.session.capabilities |= {"consumer_cancel_notify"}
    wire.say(2, commands.Basic.Consume(queue="q", consumer_tag="c"))
    faults, system = wire.broker.faults, wire.broker.steps.context.system
    faults.partition([0, 1], home=2)
    faults.crash_queue("q")
    wire.commit()
    faults.kill_replica("q", 1)
    wire.broker.steps.partitions.estrange(wire.broker.queues["q"])
    wire.commit()
    faults.delete_queue("q")
    assert wire.commit() == []
    faults.notice_partition()
    assert wire.hear() == ["2 Basic.Cancel c"]
    assert not system.replicas


@pytest.mark.parametrize(("away", "letters"), [([0], 1), ([0, 2], 0)])
def test_no_dead_letter_crosses_a_partition(away: list[int], letters: int) -> None:
    wire = mirrored(max_length=1, dead_letter_exchange="", dead_letter_routing_key="dead")
    wire.say(1, commands.Queue.Declare(queue="dead"))
    wire.publish(1, "q")
    wire.commit()
    wire.say(2, commands.Basic.Consume(queue="q", consumer_tag="c"))
    wire.publish(1, "q")
    wire.commit()
    wire.broker.faults.partition(away, home=1)
    wire.broker.faults.notice_partition()
    wire.hear()
    assert len(wire.broker.queues["dead"].machine.ready) == letters


@pytest.mark.parametrize("noticed", [True, False])
def test_a_queue_is_unused_since_it_knows_that_its_consumer_has_left(noticed: bool) -> None:
    clock = Hours()
    wire = mirrored(clock=clock, expires=10_000)
    wire.say(2, commands.Basic.Consume(queue="q", consumer_tag="c"))
    clock.now += 60
    wire.broker.faults.partition([0, 2], home=1, ticktime=1000)
    if noticed:
        wire.broker.faults.notice_partition()
        clock.now += 1
    else:
        wire.say(2, commands.Channel.Close(0, "", 0, 0))
        clock.now += 60
    wire.broker.faults.heal()
    wire.hear()
    assert "q" in wire.broker.queues
    clock.now += 11
    wire.hear()
    assert "q" not in wire.broker.queues


@pytest.mark.parametrize("noticed", [True, False])
def test_a_queue_that_goes_with_its_last_consumer_goes_when_it_knows(noticed: bool) -> None:
    broker = mirrored().broker
    wire = Wire(broker).opened(1, 2)
    wire.say(1, commands.Queue.Declare(queue="a", durable=True, auto_delete=True))
    wire.commit()
    wire.say(2, commands.Basic.Consume(queue="a", consumer_tag="c"))
    broker.faults.partition([0, 2], home=1, ticktime=1000)
    wire.say(2, commands.Channel.Close(0, "", 0, 0))
    if noticed:
        broker.faults.notice_partition()
    assert "a" in broker.queues
    broker.faults.heal()
    wire.hear()
    assert "a" not in broker.queues


def test_all_consumers_that_a_fault_cancels_lose_a_queue_across_a_partition() -> None:
    wire = mirrored()
    wire.session.capabilities |= {"consumer_cancel_notify"}
    for tag in ("c", "d"):
        wire.say(2, commands.Basic.Consume(queue="q", consumer_tag=tag))
    wire.broker.faults.partition([0], home=1)
    wire.broker.faults.cancel_consumer("q")
    assert wire.hear() == ["2 Basic.Cancel c", "2 Basic.Cancel d"]
    passed(wire)
