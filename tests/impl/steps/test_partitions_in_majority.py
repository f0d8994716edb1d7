"""In a partition, a majority gives the others up and goes on without them."""

from __future__ import annotations

from ackproof.impl.steps.scheduler import Action
from pamqp import commands

from tests.impl.partition_clients import holding
from tests.impl.steps.test_mirrors import Hours, get, mirrored, passed, processes, ready


def test_a_mirror_that_was_given_up_is_not_waited_for_any_more() -> None:
    wire = mirrored()
    wire.broker.faults.partition([2])
    wire.publish(1, "q")
    assert wire.commit() == []
    wire.broker.faults.notice_partition()
    assert wire.hear() == ["1 ack 1"]
    wire.publish(1, "q", b"more")
    assert wire.commit() == ["1 ack 2"]
    assert [p.replica for p in processes(wire)] == [0, 1]
    passed(wire)


def test_nodes_notice_when_the_time_has_come() -> None:
    clock = Hours()
    wire = mirrored(clock=clock)
    wire.broker.faults.partition([2], ticktime=60)
    wire.publish(1, "q")
    wire.commit()
    clock.now += 59
    assert wire.hear() == []
    assert wire.broker.due == clock.now + 1
    clock.now += 1
    assert wire.hear() == ["1 ack 1"]


def test_a_mirror_takes_the_place_of_a_master_that_was_cut_off() -> None:
    wire = mirrored()
    wire.publish(1, "q", b"before")
    assert wire.commit() == ["1 ack 1"]
    wire.broker.faults.partition([0], home=2)
    wire.publish(1, "q", b"during")
    wire.broker.faults.notice_partition()
    assert wire.commit() == ["1 ack 2"]
    assert [p.replica for p in processes(wire)] == [1, 2]
    assert get(wire) == ["1 get-ok 1 {} again +1", "1 body b'before'"]
    passed(wire)


def test_consumers_of_a_master_that_was_cut_off_are_cancelled() -> None:
    wire = mirrored()
    wire.session.capabilities |= {"consumer_cancel_notify"}
    wire.say(2, commands.Basic.Consume(queue="q", consumer_tag="c"))
    wire.broker.faults.partition([0], home=1)
    wire.broker.faults.notice_partition()
    assert wire.hear() == ["2 Basic.Cancel c"]


def test_who_asks_for_a_queue_that_was_led_over_there_waits_until_it_is_led_here() -> None:
    wire = mirrored()
    wire.publish(1, "q")
    wire.commit()
    wire.broker.faults.partition([0], home=1)
    assert get(wire) == ["1 get-ok 1 {} again +0", "1 body b'hello'"]


def test_the_losing_side_joins_again_and_is_given_everything() -> None:
    wire = mirrored()
    wire.broker.faults.partition([0], home=1)
    wire.broker.faults.notice_partition()
    wire.publish(1, "q")
    wire.commit()
    wire.broker.faults.heal()
    assert [p.replica for p in processes(wire)] == [1, 2, 0]
    assert ready(wire) == [[b"hello"]] * 3
    wire.publish(1, "q", b"more")
    assert wire.commit() == ["1 ack 2"]
    passed(wire)


def test_a_queue_that_is_declared_meanwhile_has_its_other_mirrors_later() -> None:
    wire = mirrored()
    wire.broker.faults.partition([0], home=1)
    wire.say(1, commands.Queue.Declare(queue="new", durable=True))
    assert [p.replica for p in processes(wire, "new")] == [1, 2]
    wire.broker.faults.heal()
    assert [p.replica for p in processes(wire, "new")] == [1, 2, 0]


def test_a_queue_with_no_process_on_this_side_is_not_there() -> None:
    wire = mirrored()
    for replica in (0, 1):
        wire.broker.faults.kill_replica("q", replica)
        wire.commit()
    wire.broker.faults.partition([2])
    wire.broker.faults.notice_partition()
    assert wire.publish(1, "q") == ["1 nack 1*"]
    assert wire.say(2, commands.Basic.Get(queue="q")) == [
        "2 Channel.Close 404 NOT_FOUND - home node 'replica 2' of durable queue 'q' "
        "in vhost '/' is down or inaccessible"
    ]
    wire.broker.faults.heal()
    assert get(wire) == ["1 Basic.GetEmpty"]
    passed(wire)


def test_a_queue_that_no_mirror_can_lead_comes_back_with_its_master_and_its_mirrors() -> None:
    wire, _ = holding(Action.SYNCHRONISE)
    for replica in (1, 2):
        wire.broker.faults.kill_replica("q", replica)
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 1"]
    wire.broker.faults.restart_replica("q", 1)
    wire.broker.faults.partition([0], home=1)
    wire.broker.faults.notice_partition()
    assert not wire.broker.queues["q"].running
    wire.broker.faults.heal()
    assert [p.replica for p in processes(wire)] == [0, 1]
    assert get(wire) == ["1 get-ok 1 {} again +0", "1 body b'hello'"]
