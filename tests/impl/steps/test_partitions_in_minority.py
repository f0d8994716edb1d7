"""In a partition, a minority says nothing and pauses, and follows the others when it is over."""

from __future__ import annotations

from ackproof.impl.broker import Broker
from ackproof.impl.steps.scheduler import Action
from pamqp import commands

from tests.impl.clients import Wire
from tests.impl.partition_clients import SHUTDOWN, again, holding
from tests.impl.steps.test_mirrors import Hours, mirrored, passed, processes, ready


def test_a_minority_confirms_nothing_and_then_its_connections_break() -> None:
    wire = mirrored()
    wire.publish(1, "q", b"before")
    assert wire.commit() == ["1 ack 1"]
    wire.broker.faults.partition([1, 2])
    wire.publish(1, "q", b"during")
    wire.broker.faults.notice_partition()
    assert wire.commit() == []
    assert wire.publish(1, "nowhere") == []
    wire.broker.faults.pause_minority()
    assert wire.hear() == [SHUTDOWN]
    passed(wire)


def test_a_minority_pauses_a_while_after_it_has_noticed() -> None:
    clock = Hours()
    wire = mirrored(clock=clock)
    wire.broker.faults.partition([1, 2], ticktime=60)
    clock.now += 74
    assert wire.publish(1, "nowhere") == []
    clock.now += 1
    assert wire.hear() == [SHUTDOWN]


def test_a_transaction_is_not_completed_in_a_minority() -> None:
    wire = mirrored()
    wire.say(1, commands.Queue.Declare(queue="here"))
    wire.say(3, commands.Channel.Open())
    wire.say(3, commands.Tx.Select())
    wire.broker.faults.partition([1, 2])
    wire.publish(3, "here")
    wire.broker.faults.notice_partition()
    assert wire.say(3, commands.Tx.Commit()) == []
    wire.broker.faults.pause_minority()
    assert wire.hear() == [SHUTDOWN]


def test_confirms_flow_on_if_the_sides_have_not_gone_their_own_ways() -> None:
    wire = Wire(Broker(replicas=3)).opened().confirming()
    wire.say(1, commands.Queue.Declare(queue="here"))
    wire.broker.faults.partition([1, 2])
    wire.broker.faults.notice_partition()
    assert wire.publish(1, "here") == []
    wire.broker.faults.heal()
    assert wire.hear() == ["1 ack 1"]
    assert wire.publish(1, "here") == ["1 ack 2"]


def test_a_transaction_is_completed_if_the_minority_has_not_paused() -> None:
    wire = Wire(Broker(replicas=3)).opened()
    wire.say(1, commands.Queue.Declare(queue="here"))
    wire.say(1, commands.Tx.Select())
    wire.broker.faults.partition([1, 2])
    wire.broker.faults.notice_partition()
    wire.publish(1, "here")
    assert wire.say(1, commands.Tx.Commit()) == []
    wire.broker.faults.heal()
    assert wire.hear() == ["1 Tx.CommitOk"]


def test_the_majority_goes_on_from_what_it_has_and_the_minority_follows_it() -> None:
    wire = mirrored()
    wire.publish(1, "q", b"before")
    wire.commit()
    wire.broker.faults.partition([1, 2])
    wire.publish(1, "q", b"during")
    wire.commit()
    wire.broker.faults.pause_minority()
    assert wire.broker.queues["q"].replica == 1
    wire.broker.faults.heal()
    wire.commit()
    other = again(wire)
    assert [p.replica for p in processes(other)] == [1, 2, 0]
    assert ready(other) == [[b"before"]] * 3
    other.publish(1, "q", b"after")
    assert other.commit() == ["1 ack 1"]
    passed(other)


def test_what_a_minority_takes_in_after_it_has_noticed_stays_there() -> None:
    clock = Hours()
    wire = mirrored(clock=clock)
    wire.publish(1, "q", b"before")
    wire.commit()
    wire.broker.faults.partition([1, 2], ticktime=60)
    clock.now += 60
    assert wire.hear() == []
    wire.publish(1, "q", b"after")
    assert ready(wire) == [[b"before", b"after"], [b"before"], [b"before"]]
    clock.now += 15
    assert wire.hear() == [SHUTDOWN]
    assert ready(wire) == [[b"before"]] * 2
    wire.broker.faults.heal()
    assert ready(wire) == [[b"before"]] * 3


def test_what_is_sent_to_nodes_that_were_given_up_is_nacked_when_that_may_be_told() -> None:
    wire = mirrored()
    wire.broker.faults.kill_replica("q", 0)
    wire.broker.faults.partition([1, 2])
    wire.publish(1, "q", b"before")
    wire.broker.faults.notice_partition()
    wire.publish(1, "q", b"after")
    assert wire.commit() == []
    wire.broker.faults.heal()
    assert wire.hear() == ["1 nack 2*"]
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 3"]
    passed(wire)


def test_nodes_that_are_back_before_it_is_heard_that_they_were_given_up_are_down_still() -> None:
    wire, scheduler = holding(Action.DOWN_ARRIVES)
    wire.broker.faults.kill_replica("q", 0)
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 1"]
    wire.broker.faults.partition([1, 2])
    wire.broker.faults.notice_partition()
    wire.broker.faults.heal()
    assert wire.publish(1, "q") == []
    scheduler.let()
    assert wire.hear() == ["1 nack 2*"]
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 3"]
    passed(wire)


def test_sides_that_have_gone_their_own_ways_are_not_healed_before_one_has_paused() -> None:
    wire = mirrored()
    wire.broker.faults.partition([1, 2])
    wire.publish(1, "q")
    wire.broker.faults.notice_partition()
    wire.broker.faults.heal()
    assert wire.hear() == [SHUTDOWN]
    assert [p.replica for p in processes(wire)] == [1, 2, 0]


def test_a_queue_that_was_deleted_meanwhile_keeps_nothing_from_being_mended() -> None:
    wire = mirrored()
    wire.say(1, commands.Queue.Declare(queue="r", durable=True))
    wire.broker.faults.partition([1, 2])
    wire.broker.faults.kill_replica("q", 2)
    wire.broker.faults.delete_queue("q")
    wire.commit()
    wire.broker.faults.pause_minority()
    wire.broker.faults.heal()
    assert [p.replica for p in processes(wire, "r")] == [1, 2, 0]
    given_up = wire.broker.history.of("replica_given_up")
    assert {entry.facts["queue"] for entry in given_up} == {"r"}


def test_two_halves_pause_both_and_the_last_master_leads_again() -> None:
    wire = mirrored(2)
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 1"]
    wire.broker.faults.partition([1], ticktime=0)
    assert wire.hear() == [SHUTDOWN]
    assert not any(p.running for p in processes(wire))
    wire.broker.faults.heal()
    wire.commit()
    other = again(wire)
    assert [p.replica for p in processes(other)] == [0, 1]
    assert ready(other) == [[b"hello"]] * 2
    passed(other)


def test_queues_that_are_not_kept_go_when_their_node_pauses() -> None:
    wire = mirrored()
    wire.say(1, commands.Queue.Declare(queue="here"))
    wire.say(1, commands.Queue.Declare(queue="mine", exclusive=True, durable=True))
    wire.broker.faults.partition([1, 2], ticktime=0)
    assert wire.hear() == [SHUTDOWN]
    assert set(wire.broker.queues) == {"q"}
