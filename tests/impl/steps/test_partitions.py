"""A partition that nobody has noticed: what has to cross it waits, and all else goes on."""

from __future__ import annotations

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.lockstep.lockstep import Lockstep
from ackproof.impl.steps.scheduler import Action
from pamqp import base, commands

from tests.impl.clients import Wire
from tests.impl.partition_clients import holding
from tests.impl.steps.test_mirrors import Hours, get, mirrored, passed, processes, ready


def test_a_confirm_that_has_to_come_from_the_other_side_is_waited_for() -> None:
    wire = mirrored()
    wire.broker.faults.partition([2])
    assert wire.publish(1, "q") == []
    assert wire.commit() == []
    wire.broker.faults.heal()
    assert wire.commit() == ["1 ack 1"]
    assert ready(wire) == [[b"hello"]] * 3
    passed(wire)


def test_what_the_other_side_need_not_confirm_is_confirmed() -> None:
    wire = mirrored()
    wire.say(1, commands.Queue.Declare(queue="here"))
    wire.broker.faults.partition([1, 2])
    assert wire.publish(1, "here") == ["1 ack 1"]


def test_a_master_on_the_other_side_gets_and_gives_nothing_until_it_is_back() -> None:
    wire = mirrored()
    wire.say(2, commands.Basic.Consume(queue="q", consumer_tag="c"))
    wire.broker.faults.partition([0], home=1)
    wire.publish(1, "q")
    assert wire.commit() == []
    assert not any(p.machine.holds() for p in processes(wire))
    wire.broker.faults.heal()
    said = [*wire.hear(), *wire.commit()]
    assert "2 deliver c 1 {}" in said
    assert "1 ack 1" in said
    passed(wire)


def test_a_mirror_does_not_hear_its_master_across_the_partition() -> None:
    wire = mirrored()
    wire.publish(1, "q")
    wire.commit()
    wire.broker.faults.partition([2])
    get(wire)
    assert ready(wire) == [[], [], [b"hello"]]
    wire.broker.faults.heal()
    assert ready(wire) == [[], [], []]


def test_a_reject_waits_for_the_end_of_the_partition() -> None:
    full = {"x-max-length": 0, "x-overflow": "reject-publish"}
    wire, scheduler = holding(Action.REJECT_ARRIVES, **full)
    for replica in (1, 2):
        wire.broker.faults.kill_replica("q", replica)
    wire.publish(1, "q")
    wire.broker.faults.partition([0], home=1)
    scheduler.let()
    assert wire.hear() == []
    wire.broker.faults.heal()
    assert wire.hear() == ["1 nack 1*"]


def test_a_death_on_the_other_side_is_not_heard_of_before_that_is_given_up() -> None:
    wire = mirrored()
    wire.broker.faults.partition([2])
    wire.publish(1, "q")
    wire.broker.faults.kill_replica("q", 2)
    assert wire.commit() == []
    wire.broker.faults.notice_partition()
    assert wire.hear() == ["1 ack 1"]
    passed(wire)


def crashed_over_there() -> Wire:
    """Return a client that has published before and after a crash across a partition (A12.7)."""
    wire = mirrored()
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 1"]
    wire.broker.faults.partition([0], home=1)
    wire.broker.faults.crash_queue("q")
    wire.publish(1, "q")
    assert wire.commit() == []
    return wire


def test_a_crash_that_is_heard_of_late_nacks_what_was_published_after_it() -> None:
    wire = crashed_over_there()
    wire.broker.faults.heal()
    assert wire.commit() == ["1 nack 2*"]
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 3"]
    passed(wire)


def test_a_crash_that_is_never_heard_of_nacks_nothing() -> None:
    wire = crashed_over_there()
    wire.broker.faults.notice_partition()
    assert wire.commit() == ["1 ack 2"]
    passed(wire)


@pytest.mark.parametrize(
    "method",
    [
        commands.Queue.Declare(queue="q", passive=True),
        commands.Basic.Get(queue="q"),
        commands.Basic.Consume(queue="q", consumer_tag="c"),
        commands.Queue.Purge(queue="q"),
        commands.Queue.Delete(queue="q"),
    ],
)
@pytest.mark.parametrize("fault", ["crash_queue", "kill_replica"])
def test_who_asks_for_a_queue_whose_master_has_died_over_there_gives_that_side_up(
    method: base.Frame, fault: str
) -> None:
    wire = mirrored()
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 1"]
    wire.broker.faults.partition([0], home=1)
    about = ("q", 0) if fault == "kill_replica" else ("q",)
    getattr(wire.broker.faults, fault)(*about)
    heard = wire.say(2, method)
    assert not any("Close" in said for said in heard)
    assert wire.broker.steps.sides.cluster.lost
    passed(wire)


def test_a_crash_nacks_nothing_for_a_channel_that_had_sent_nothing_there_before() -> None:
    wire = crashed_over_there()
    wire.publish(2, "q")
    wire.broker.faults.heal()
    assert sorted([*wire.hear(), *wire.commit()]) == ["1 nack 2*", "2 ack 1"]
    passed(wire)


def test_a_consumer_gets_the_next_message_when_the_partition_is_over() -> None:
    wire = mirrored()
    for text in (b"a", b"b"):
        wire.publish(1, "q", text)
    wire.commit()
    wire.say(2, commands.Basic.Qos(prefetch_count=1))
    assert "2 deliver c 1 {}" in wire.say(2, commands.Basic.Consume(queue="q", consumer_tag="c"))
    wire.broker.faults.partition([0], home=1)
    assert wire.say(2, commands.Basic.Ack(1)) == []
    wire.broker.faults.heal()
    assert "2 deliver c 2 {}" in wire.hear()


def test_a_mirror_is_not_synchronised_across_the_partition() -> None:
    wire, scheduler = holding(Action.SYNCHRONISE)
    wire.broker.faults.kill_replica("q", 2)
    wire.publish(1, "q", persistent=False)
    wire.broker.faults.restart_replica("q", 2)
    wire.broker.faults.partition([2])
    scheduler.let()
    wire.hear()
    assert ready(wire) == [[b"hello"], [b"hello"], []]
    wire.broker.faults.heal()
    assert ready(wire) == [[b"hello"]] * 3


def test_nothing_expires_on_the_other_side_before_the_partition_is_over() -> None:
    clock = Hours()
    wire = mirrored(clock=clock, message_ttl=10_000)
    wire.publish(1, "q")
    wire.commit()
    wire.broker.faults.partition([0], home=1, ticktime=1000)
    clock.now += 20
    wire.hear()
    assert ready(wire) == [[b"hello"]] * 3
    assert wire.broker.due == clock.now + 980
    wire.broker.faults.heal()
    assert ready(wire) == [[]] * 3


def test_a_queue_on_the_other_side_is_not_deleted_for_being_unused() -> None:
    clock = Hours()
    wire = mirrored(clock=clock, expires=10_000)
    wire.broker.faults.partition([0], home=1, ticktime=1000)
    clock.now += 20
    wire.hear()
    assert "q" in wire.broker.queues
    with pytest.raises(ValueError, match="queue 'q' is led by nobody on the clients' side"):
        wire.broker.faults.delete_queue("q")
    wire.broker.faults.heal()
    assert "q" not in wire.broker.queues


# -- what makes no sense --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"replicas": [0]}, "replica 0 is where the clients are; name those on the other side"),
        ({"replicas": []}, "replicas is empty; name at least one"),
        ({"replicas": [3]}, "there is no replica 3; there are 0 to 2"),
        ({"replicas": [True]}, "there is no replica True; there are 0 to 2"),
        ({"replicas": [1], "home": 9}, "there is no replica 9; there are 0 to 2"),
        ({"replicas": 1}, "replicas is 1; it must be a list of numbers"),
        ({"replicas": "12"}, "replicas is '12'; it must be a list of numbers"),
        ({"replicas": [1], "ticktime": -1}, "ticktime is -1; it must be a number of seconds"),
        ({"replicas": [1], "ticktime": "x"}, "ticktime is 'x'; it must be a number of seconds"),
    ],
)
def test_a_partition_that_cannot_be_is_refused(asked: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        mirrored().broker.faults.partition(**asked)  # type: ignore[arg-type]


def test_there_is_one_partition_at_a_time() -> None:
    faults = mirrored().broker.faults
    for ask in (faults.notice_partition, faults.pause_minority, faults.heal):
        with pytest.raises(ValueError, match="there is no partition; ask for one first"):
            ask()
    faults.partition([1])
    with pytest.raises(ValueError, match="there is a partition; heal it before"):
        faults.partition([2])


def test_a_broker_without_replicas_is_one_node() -> None:
    with pytest.raises(ValueError, match="there is one node only; start the broker with replicas"):
        Broker().faults.partition([1])


def test_a_process_that_is_cut_off_from_its_master_is_not_restarted() -> None:
    wire = mirrored()
    wire.broker.faults.kill_replica("q", 2)
    wire.broker.faults.partition([2])
    with pytest.raises(ValueError, match="replica 2 of queue 'q' is cut off from its master"):
        wire.broker.faults.restart_replica("q", 2)
    wire.broker.faults.heal()
    wire.broker.faults.restart_replica("q", 2)


def test_clearing_the_faults_heals_the_partition() -> None:
    wire = mirrored()
    wire.broker.faults.partition([2])
    wire.publish(1, "q", persistent=False)
    assert wire.hear() == []
    wire.broker.faults.clear()
    assert wire.hear() == ["1 ack 1"]


def test_what_a_closed_channel_has_sent_outlives_the_masters_side() -> None:
    broker = Broker(replicas=3)
    wire = Wire(broker).opened().with_queue("q").with_queue("r")
    publisher = Wire(broker).opened().confirming()
    broker.faults.partition([0], home=1)
    publisher.publish(1, "q")
    (said,) = publisher.say(1, commands.Queue.Declare(queue="r", durable=False))
    assert said.startswith("1 Channel.Close 406")
    assert wire.say(1, commands.Queue.Declare(queue="q", passive=True)) == ["1 Queue.DeclareOk q 1"]


def test_a_channel_that_has_closed_keeps_no_queue_from_starting_again() -> None:
    broker = Broker(replicas=3)
    lockstep = Lockstep(broker.steps)
    faults = broker.faults
    wire = Wire(broker).opened(1, 2).confirming(2).with_queue("a").with_queue("z")
    for replica in (0, 2):
        faults.kill_replica("a", replica)
        wire.commit()
    wire.publish(2, "a")
    faults.slow_replica("z", 2)
    wire.publish(2, "z")
    faults.partition([1], home=0, ticktime=1e6)
    faults.crash_queue("a")
    wire.say(2, commands.Channel.Close(200, "", 0, 0))
    faults.heal()
    broker.run(idle=True)
    wire.commit()
    assert broker.queues["a"].running
    assert wire.say(1, commands.Queue.Declare(queue="a", passive=True)) == ["1 Queue.DeclareOk a 0"]
    lockstep.check()


def test_a_queue_of_one_process_gets_its_mirrors_when_the_network_is_whole_in_lockstep() -> None:
    broker = Broker(replicas=2)
    lockstep = Lockstep(broker.steps)
    wire = Wire(broker).opened(1, 2).confirming(2)
    broker.faults.partition([1], home=0, ticktime=1e6)
    broker.run(idle=True)
    wire.with_queue("a").publish(2, "a")
    assert "2 ack 1" in wire.commit()
    broker.faults.heal()
    broker.run(idle=True)
    lockstep.check()
