"""A mirrored queue confirms what each process has, and outlives the death of its master."""

from __future__ import annotations

from typing import Any

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.history.history import History
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue
from pamqp import commands

from tests.impl.clients import Wire, content


class Hours:
    """A clock that the test winds."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def mirrored(replicas: int = 3, clock: Hours | None = None, **arguments: Any) -> Wire:
    """Return a client in confirm mode on a broker with one mirrored queue, `q`."""
    history = History(recording=True)
    broker = Broker(history=history, replicas=replicas, clock=clock or Hours())
    wire = Wire(broker).opened(1, 2).confirming(1, 2)
    asked = {f"x-{name.replace('_', '-')}": value for name, value in arguments.items()}
    wire.say(1, commands.Queue.Declare(queue="q", durable=True, arguments=asked))
    wire.commit()
    return wire


def processes(wire: Wire, name: str = "q") -> list[HostedQueue]:
    """Return the processes of a queue, its master first."""
    membership = wire.broker.queues[name].membership
    assert membership is not None
    return list(membership)


def mirrors(wire: Wire) -> list[HostedMirror]:
    """Return the mirrors of the queue."""
    membership = wire.broker.queues["q"].membership
    assert membership is not None
    return membership.mirrors


def ready(wire: Wire) -> list[list[bytes]]:
    """Return what is ready in each process, by number of replica, as far as it runs."""
    found = sorted((p for p in processes(wire) if p.running), key=lambda p: p.replica)
    return [[content_of(msg).body for msg in p.ready()] for p in found]


def get(wire: Wire, *, no_ack: bool = True) -> list[str]:
    """Ask for a message; return what the broker says, the frame of the header left out."""
    said = wire.say(1, commands.Basic.Get(queue="q", no_ack=no_ack))
    return [line for line in said if " header " not in line]


def passed(wire: Wire) -> None:
    """Insist that the history shows nothing wrong."""
    wire.broker.history.check.passed()


# -- confirms -------------------------------------------------------------------------------------


def test_a_message_is_acked_once_when_each_process_has_it_on_its_disk() -> None:
    wire = mirrored()
    assert wire.publish(1, "q") == []
    assert [len(p.machine.store.unconfirmed) for p in processes(wire)] == [1, 1, 1]
    assert wire.commit() == ["1 ack 1"]
    assert ready(wire) == [[b"hello"]] * 3
    passed(wire)


def test_a_transient_message_is_acked_without_any_disk() -> None:
    wire = mirrored()
    assert wire.publish(1, "q", persistent=False) == ["1 ack 1"]
    assert wire.broker.journal.pending is False


def test_a_slow_mirror_is_waited_for() -> None:
    wire = mirrored()
    wire.broker.faults.slow_replica("q", 2)
    wire.publish(1, "q")
    wire.publish(1, "q", persistent=False)
    assert wire.commit() == []
    wire.broker.faults.release_replica("q", 2)
    assert wire.hear() == ["1 ack 2"]
    assert wire.commit() == ["1 ack 1"]
    passed(wire)


def test_a_mirror_that_is_killed_is_not_waited_for_any_more() -> None:
    wire = mirrored()
    wire.broker.faults.slow_replica("q", 2)
    wire.publish(1, "q")
    assert wire.commit() == []
    wire.broker.faults.kill_replica("q", 2)
    assert wire.hear() == ["1 ack 1"]
    passed(wire)


def test_a_transaction_waits_for_each_process() -> None:
    wire = mirrored()
    wire.say(3, commands.Channel.Open())
    wire.say(3, commands.Tx.Select())
    wire.publish(3, "q")
    assert wire.say(3, commands.Tx.Commit()) == []
    assert wire.commit() == ["3 Tx.CommitOk"]
    assert ready(wire) == [[b"hello"]] * 3


def test_a_full_queue_nacks_once_and_its_mirrors_have_what_it_has() -> None:
    wire = mirrored(max_length=1, overflow="reject-publish")
    wire.publish(1, "q")
    assert wire.publish(1, "q", b"more") == ["1 nack 2"]
    assert wire.commit() == ["1 ack 1"]
    assert ready(wire) == [[b"hello"]] * 3
    assert not any(p.machine.owes() for p in processes(wire))
    passed(wire)


def test_a_publish_that_is_to_be_nacked_is_nacked_once() -> None:
    wire = mirrored()
    wire.broker.faults.nack_next()
    assert wire.publish(1, "q") == ["1 nack 1*"]
    assert ready(wire) == [[], [], []]
    passed(wire)


def test_what_a_consumer_takes_past_the_queue_is_acked_and_stands_nowhere() -> None:
    wire = mirrored()
    wire.say(2, commands.Basic.Consume(queue="q", consumer_tag="c", no_ack=True))
    said = wire.publish(1, "q")
    assert "2 deliver c 1 {}" in said
    assert "1 ack 1" in said
    assert ready(wire) == [[], [], []]
    assert not any(p.machine.owes() for p in processes(wire))
    passed(wire)


# -- the death of a master ------------------------------------------------------------------------


def test_what_was_confirmed_is_there_when_the_master_is_killed_and_comes_redelivered() -> None:
    wire = mirrored()
    for text in (b"a", b"b"):
        wire.publish(1, "q", text)
    assert wire.commit() == ["1 ack 2*"]
    wire.broker.faults.kill_replica("q", 0)
    assert wire.broker.queues["q"].replica == 1
    assert get(wire) == ["1 get-ok 1 {} again +1", "1 body b'a'"]
    assert get(wire) == ["1 get-ok 2 {} again +0", "1 body b'b'"]
    passed(wire)


def test_what_is_under_way_when_the_master_is_killed_is_acked_by_the_mirrors() -> None:
    wire = mirrored()
    wire.publish(1, "q", b"before")
    wire.broker.faults.kill_replica("q", 0)
    wire.publish(1, "q", b"after")
    assert wire.commit() == ["1 ack 2*"]
    assert ready(wire) == [[b"before", b"after"]] * 2
    passed(wire)


def test_what_is_unacked_when_the_master_is_killed_is_ready_again() -> None:
    wire = mirrored()
    wire.publish(1, "q", b"a")
    wire.commit()
    assert get(wire, no_ack=False) == ["1 get-ok 1 {} +0", "1 body b'a'"]
    wire.broker.faults.kill_replica("q", 0)
    assert get(wire) == ["1 get-ok 2 {} again +0", "1 body b'a'"]


def test_what_is_consumed_before_the_master_is_killed_does_not_come_back() -> None:
    wire = mirrored()
    for text in (b"a", b"b"):
        wire.publish(1, "q", text)
    wire.commit()
    get(wire)
    wire.broker.faults.kill_replica("q", 0)
    assert get(wire) == ["1 get-ok 2 {} again +0", "1 body b'b'"]


def test_consumers_end_with_their_master_and_may_start_again() -> None:
    wire = mirrored()
    wire.say(1, commands.Basic.Consume(queue="q", consumer_tag="c"))
    wire.broker.faults.kill_replica("q", 0)
    assert "2 deliver" not in str(wire.publish(2, "q", persistent=False))
    said = wire.say(1, commands.Basic.Consume(queue="q", consumer_tag="c"))
    assert "1 deliver c 1 {}" in said


def test_a_master_that_crashes_nacks_what_it_owes_and_a_mirror_has_it_all_the_same() -> None:
    wire = mirrored()
    wire.publish(1, "q")
    wire.broker.faults.crash_queue("q")
    assert wire.commit() == ["1 nack 1*"]
    assert wire.broker.queues["q"].replica == 1
    assert ready(wire) == [[b"hello"]] * 2
    passed(wire)


def test_a_mirror_that_is_promoted_drops_what_is_too_much() -> None:
    wire = mirrored(max_length=1, dead_letter_exchange="", dead_letter_routing_key="d")
    wire.say(1, commands.Queue.Declare(queue="d", durable=True))
    wire.commit()
    wire.publish(1, "q", b"fetched")
    get(wire, no_ack=False)
    wire.publish(1, "q", b"ready")
    wire.commit()
    wire.broker.faults.kill_replica("q", 0)
    wire.commit()
    assert ready(wire) == [[b"ready"]] * 2
    assert [content_of(m).body for m in wire.broker.queues["d"].ready()] == [b"fetched"]
    passed(wire)


def test_masters_may_die_one_after_another_until_the_last_comes_back_from_its_files() -> None:
    wire = mirrored()
    wire.publish(1, "q", b"kept")
    wire.publish(1, "q", b"lost", persistent=False)
    wire.commit()
    for replica in (0, 1):
        wire.broker.faults.kill_replica("q", replica)
        wire.commit()
        assert ready(wire)[0] == [b"kept", b"lost"]
    wire.broker.faults.kill_replica("q", 2)
    assert wire.broker.queues["q"].running
    assert ready(wire) == [[b"kept"]]
    passed(wire)


def test_no_death_is_told_before_the_disk_knows_who_leads() -> None:
    wire = mirrored(2)
    wire.publish(1, "q")
    batch = wire.broker.journal.take()
    wire.broker.faults.kill_replica("q", 0)
    wire.broker.committed(batch)
    assert wire.hear() == []
    assert not wire.broker.queues["q"].machine.awaiting
    assert wire.commit() == ["1 ack 1"]
    passed(wire)


def test_a_queue_that_lost_its_master_is_led_again_when_somebody_asks() -> None:
    wire = mirrored(2)
    wire.publish(1, "q")
    wire.commit()
    wire.broker.faults.slow_replica("q", 1)
    wire.broker.faults.kill_replica("q", 0)
    assert not wire.broker.queues["q"].running
    assert get(wire) == ["1 get-ok 1 {} again +0", "1 body b'hello'"]


def test_a_queue_is_deleted_with_all_its_processes_and_what_it_owes_is_acked() -> None:
    wire = mirrored()
    wire.publish(1, "q")
    all_of_them = processes(wire)
    wire.broker.faults.delete_queue("q")
    assert wire.hear() == ["1 ack 1"]
    assert not any(p.running or p.order.places or p.machine.owes() for p in all_of_them)
    assert wire.commit() == []
    passed(wire)


def test_what_a_master_has_told_nobody_dies_with_it_and_comes_from_the_channel() -> None:
    wire = mirrored(2)
    wire.broker.faults.slow_replica("q", 1)
    wire.publish(1, "q")
    (mirror,) = mirrors(wire)
    assert not wire.broker.system.multicast.silent(mirror.key)
    wire.broker.faults.kill_replica("q", 0)
    assert wire.broker.system.multicast.silent(mirror.key)
    wire.broker.faults.release_replica("q", 1)
    assert ready(wire) == [[b"hello"]]
    assert wire.commit() == ["1 ack 1"]
    passed(wire)


def test_what_one_mirror_was_told_comes_to_the_others_too() -> None:
    wire = mirrored(3)
    wire.broker.faults.slow_replica("q", 2)
    wire.publish(1, "q")
    wire.broker.faults.kill_replica("q", 0)
    late = mirrors(wire)[-1]
    assert wire.broker.system.multicast.copies[late.key]
    wire.broker.faults.release_replica("q", 2)
    assert wire.commit() == ["1 ack 1"]
    assert ready(wire) == [[b"hello"]] * 2
    passed(wire)


# -- coming back ----------------------------------------------------------------------------------


def test_a_process_that_comes_back_is_the_youngest_mirror_and_is_given_everything() -> None:
    wire = mirrored()
    wire.publish(1, "q", b"a")
    wire.commit()
    wire.broker.faults.kill_replica("q", 0)
    wire.broker.faults.restart_replica("q", 0)
    assert [p.replica for p in processes(wire)] == [1, 2, 0]
    wire.publish(1, "q", b"b")
    assert wire.commit() == ["1 ack 2"]
    assert ready(wire) == [[b"a", b"b"]] * 3
    passed(wire)


def test_a_mirror_that_has_not_everything_is_not_promoted() -> None:
    wire = mirrored(2)
    wire.publish(1, "q", b"a")
    wire.commit()
    wire.broker.faults.kill_replica("q", 1)
    steps = wire.broker.steps
    steps.processes.join(wire.broker.queues["q"], 1)
    wire.broker.faults.slow_replica("q", 1)
    wire.broker.faults.kill_replica("q", 0)
    assert [p.replica for p in processes(wire)] == [0]
    assert ready(wire) == [[b"a"]]
    wire.publish(1, "q", b"b")
    assert wire.commit() == ["1 ack 2"]
    passed(wire)


def test_a_mirror_that_lacks_what_the_new_master_has_is_given_it() -> None:
    wire = mirrored()
    wire.broker.faults.kill_replica("q", 2)
    wire.publish(1, "q", b"a", persistent=False)
    wire.broker.faults.slow_replica("q", 1)
    get(wire)
    wire.broker.faults.restart_replica("q", 2)
    wire.broker.faults.kill_replica("q", 0)
    wire.broker.faults.release_replica("q", 1)
    assert wire.broker.queues["q"].replica == 1
    assert ready(wire) == [[b"a"]] * 2
    passed(wire)


def test_nothing_is_remembered_of_channels_that_are_closed() -> None:
    wire = mirrored()
    wire.broker.faults.slow_replica("q", 2)
    wire.publish(1, "q")
    wire.commit()
    wire.say(1, commands.Channel.Close(0, "", 0, 0))
    wire.broker.faults.release_replica("q", 2)
    wire.commit()
    for mirror in mirrors(wire):
        assert not mirror.machine.known()
        assert not mirror.leaving
        assert not mirror.machine.owes()
    assert ready(wire) == [[b"hello"]] * 3


# -- what a queue is declared with ----------------------------------------------------------------


@pytest.mark.parametrize("declared", [{"durable": False}, {"durable": True, "exclusive": True}])
def test_a_queue_that_goes_with_the_node_or_a_connection_has_no_mirrors(
    declared: dict[str, bool],
) -> None:
    wire = mirrored()
    wire.say(1, commands.Queue.Declare(queue="other", **declared))
    assert wire.broker.queues["other"].membership is None
    with pytest.raises(ValueError, match="queue 'other' has no mirrors; durable queues have them"):
        wire.broker.faults.kill_replica("other", 0)


def test_priorities_hold_after_a_promotion() -> None:
    wire = mirrored(max_priority=5)
    for text, priority in ((b"low", 1), (b"high", 4)):
        frames = content("q", text)
        frames[1].properties.priority = priority  # type: ignore[union-attr]
        wire.say(1, *frames)
    assert wire.commit() == ["1 ack 2*"]
    wire.broker.faults.kill_replica("q", 0)
    assert get(wire)[1] == "1 body b'high'"
    assert get(wire)[1] == "1 body b'low'"


def test_a_limit_holds_after_a_promotion() -> None:
    wire = mirrored(max_length_bytes=10)
    for text in (b"12345", b"abcde"):
        wire.publish(1, "q", text)
    wire.commit()
    wire.broker.faults.kill_replica("q", 0)
    wire.publish(1, "q", b"!")
    wire.commit()
    assert ready(wire) == [[b"abcde", b"!"]] * 2


def test_a_message_expires_when_it_would_have_after_a_promotion() -> None:
    clock = Hours()
    wire = mirrored(clock=clock, message_ttl=10_000)
    wire.publish(1, "q")
    wire.commit()
    clock.now += 6
    wire.broker.faults.kill_replica("q", 0)
    clock.now += 3
    wire.hear()
    assert ready(wire) == [[b"hello"]] * 2
    clock.now += 2
    wire.hear()
    assert ready(wire) == [[], []]


# -- what makes no sense --------------------------------------------------------------------------


def test_a_replica_that_does_not_run_is_named_with_those_that_do() -> None:
    wire = mirrored()
    wire.broker.faults.kill_replica("q", 1)
    with pytest.raises(LookupError, match="there is no replica 1 of queue 'q'; there run: 0, 2"):
        wire.broker.faults.kill_replica("q", 1)
    with pytest.raises(LookupError, match="there is no replica 3; there are 0 to 2"):
        wire.broker.faults.restart_replica("q", 3)
    with pytest.raises(ValueError, match="replica 2 of queue 'q' runs"):
        wire.broker.faults.restart_replica("q", 2)
    with pytest.raises(ValueError, match="replica 0 of queue 'q' is its master; slow a mirror"):
        wire.broker.faults.slow_replica("q", 0)


def test_without_replicas_no_queue_has_mirrors() -> None:
    wire = Wire(Broker()).opened().with_queue("q")
    with pytest.raises(ValueError, match="queue 'q' has no mirrors"):
        wire.broker.faults.kill_replica("q", 0)


def test_clearing_the_faults_releases_what_is_slow() -> None:
    wire = mirrored()
    wire.broker.faults.slow_replica("q", 1)
    wire.publish(1, "q", persistent=False)
    assert wire.hear() == []
    wire.broker.faults.clear()
    assert wire.hear() == ["1 ack 1"]


def test_a_mirror_that_dies_when_nobody_leads_is_called_until_somebody_does() -> None:
    wire = mirrored()
    wire.broker.faults.slow_replica("q", 1)
    wire.broker.faults.kill_replica("q", 0)
    wire.broker.faults.kill_replica("q", 2)
    membership = wire.broker.queues["q"].membership
    assert membership is not None
    assert [p.replica for p in membership.listed()] == [0, 1, 2]
    assert wire.publish(1, "q") == []
    wire.broker.faults.release_replica("q", 1)
    assert [p.replica for p in membership.listed()] == [1]
    assert wire.commit() == ["1 ack 1"]
    assert ready(wire) == [[b"hello"]]
    passed(wire)


def test_a_consumer_with_acks_gets_what_the_queue_has_no_room_for_and_mirrors_have_it() -> None:
    wire = mirrored(max_length=0)
    wire.say(2, commands.Basic.Consume(queue="q", consumer_tag="c"))
    assert "2 deliver c 1 {}" in str(wire.publish(1, "q"))
    assert ready(wire) == [[], [b"hello"], [b"hello"]]
    assert wire.commit() == ["1 ack 1"]
    wire.say(2, commands.Basic.Ack(1))
    assert ready(wire) == [[], [], []]
    passed(wire)


# -- what a dead master had told ------------------------------------------------------------------


def test_a_mirror_follows_a_new_master_that_tells_in_another_order() -> None:
    wire = mirrored(3)
    faults = wire.broker.faults
    faults.slow_replica("q", 2)
    wire.publish(1, "q", b"k")
    faults.slow_replica("q", 1)
    wire.publish(2, "q", b"x")
    wire.publish(1, "q", b"m")
    faults.kill_replica("q", 0)
    faults.release_replica("q", 1)
    wire.commit()
    faults.release_replica("q", 2)
    wire.commit()
    wire.publish(1, "q", b"later")
    wire.commit()
    assert ready(wire)[0] == ready(wire)[1]
    assert not any(c.machine.unconfirmed for c in wire.broker.steps.context.channels.values())
    passed(wire)


def test_nothing_is_left_of_a_queue_that_is_deleted_as_it_changes_its_master() -> None:
    wire = mirrored(2)
    wire.publish(1, "q", b"k")
    wire.broker.faults.kill_replica("q", 0)
    wire.hear()
    wire.say(2, commands.Queue.Delete(queue="q"))
    wire.commit()
    assert not dict.keys(wire.broker.system.replicas)
    passed(wire)
