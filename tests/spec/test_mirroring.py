"""Mirrored queues, on plain objects: what a publisher and the mirrors see of each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.lang import NotEnabled
from ackproof.spec.sorts import Born, Level, Seen, Status

from tests.spec.scenario import (
    Scenario,
    ack,
    message,
    messages,
    mirrored,
    nack,
    queue_named,
    replica,
    replicas,
)

Q1 = queue_named("q1")
R1, R2, R3, R4 = replica("r1"), replica("r2"), replica("r3"), replica("r4")
ONE = message(1)
TRIO = (Born.MASTER, Born.MIRROR, Born.MIRROR)


@pytest.fixture
def run() -> Iterator[Scenario]:
    with mirrored() as scenario:
        yield scenario


@pytest.fixture
def three() -> Iterator[Scenario]:
    with mirrored(TRIO) as scenario:
        yield scenario


@pytest.fixture
def late() -> Iterator[Scenario]:
    """A master, and a second process that joins later."""
    with mirrored((Born.MASTER, Born.LATER)) as scenario:
        yield scenario


# -- two copies -----------------------------------------------------------------------------------


def test_a_message_is_cast_to_the_master_and_to_each_mirror(three: Scenario) -> None:
    three.publish(1, "q1")
    assert three.system.channel.unconfirmed[ONE] == replicas("r1", "r2", "r3")
    assert all(three.system.casts.next_for(r) == ONE for r in (R1, R2, R3))


def test_an_ack_waits_for_the_masters_disk_and_the_mirrors(run: Scenario) -> None:
    run.publish(1, "q1")
    run.stored(1, "r1")
    with pytest.raises(NotEnabled):
        run.system.flush()
    run.deliver(1, "r2")
    run.told_by_master(1, "r2")
    with pytest.raises(NotEnabled):
        run.system.flush()
    run.synced(1, "r2")
    assert run.told() == [ack(1)]
    assert run.level(1, "r1") == run.level(1, "r2") == Level.SYNCED


@pytest.mark.parametrize("master_first", [True, False])
def test_a_mirror_confirms_whichever_copy_comes_first(run: Scenario, master_first: bool) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1")
    if master_first:
        run.told_by_master(1, "r2")
        run.deliver(1, "r2")
    else:
        run.deliver(1, "r2")
        run.told_by_master(1, "r2")
    run.synced(1, "r2")
    run.synced(1, "r1")
    assert run.told() == [ack(1)]


def test_a_mirror_hears_of_a_message_only_when_its_master_has_it(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r2")
    with pytest.raises(NotEnabled):
        run.told_by_master(1, "r2")


def test_a_mirror_drops_what_its_master_says_is_consumed(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1", "r2")
    run.told_by_master(1, "r2")
    run.system.take(ONE, R1)
    run.system.acknowledge(ONE, R1)
    assert not run.system.holders[ONE]
    run.system.master_removes(ONE, R2)
    assert not run.process("r2").ready
    run.system.drain(R2)
    run.system.confirm_arrives(R2)
    run.system.drain(R1)
    run.system.confirm_arrives(R1)
    assert run.told() == [ack(1)]


def test_a_removal_does_not_overtake_the_message(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1")
    run.system.drop(ONE, R1)
    with pytest.raises(NotEnabled):
        run.system.master_removes(ONE, R2)


def test_there_is_nothing_to_remove_until_the_master_says_so(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1")
    run.told_by_master(1, "r2")
    with pytest.raises(NotEnabled):
        run.system.master_removes(ONE, R2)


def test_direct_copies_arrive_in_the_order_of_publishing(run: Scenario) -> None:
    run.publish(1, "q1")
    run.publish(2, "q1")
    with pytest.raises(NotEnabled):
        run.system.deliver_to_mirror(message(2), R2)


def test_a_master_takes_no_message_for_a_mirrors_copy(run: Scenario) -> None:
    run.publish(1, "q1")
    with pytest.raises(NotEnabled):
        run.system.deliver_to_mirror(ONE, R1)
    with pytest.raises(NotEnabled):
        run.system.deliver(ONE, R2)


def test_what_the_master_gives_away_its_mirror_confirms(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.pass_by(ONE, R1)
    run.deliver(1, "r2")
    run.told_by_master(1, "r2")
    run.system.confirm_arrives(R1)
    run.system.confirm_arrives(R2)
    assert run.told() == [ack(1)]
    assert not run.process("r2").ready


def test_a_closed_channel_is_forgotten_when_both_sides_have_said_so(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r2")
    run.system.close()
    run.system.forget_sender(R2)
    assert not run.process("r2").direct


def test_a_channel_that_still_has_something_under_way_is_not_forgotten(run: Scenario) -> None:
    run.publish(1, "q1")
    run.publish(2, "q1")
    run.deliver(1, "r2")
    run.system.close()
    with pytest.raises(NotEnabled):
        run.system.forget_sender(R2)


def test_an_open_channel_is_not_forgotten(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r2")
    with pytest.raises(NotEnabled):
        run.system.forget_sender(R2)


def test_a_mirror_that_remembers_nothing_has_nothing_to_forget(run: Scenario) -> None:
    run.system.close()
    with pytest.raises(NotEnabled):
        run.system.forget_sender(R2)


# -- what the channel makes of deaths -------------------------------------------------------------


def test_the_loss_of_a_mirrors_node_leaves_the_master_to_decide(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.lose_node(R2)
    run.system.down_arrives(R2)
    run.stored(1, "r1")
    assert run.told() == [ack(1)]


def test_a_mirror_that_confirmed_outweighs_a_master_whose_node_is_lost(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1", "r2")
    run.told_by_master(1, "r2")
    run.synced(1, "r2")
    run.system.lose_node(R1)
    run.system.down_arrives(R1)
    assert run.told() == [ack(1)]


def test_a_mirrors_crash_nacks_what_the_master_has(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.crash_queue(R2)
    run.system.down_arrives(R2)
    run.stored(1, "r1")
    assert run.told() == [nack(1, True)]
    assert run.process("r1").ready == messages(1)


def test_a_mirror_that_is_down_is_not_asked_when_it_was_taken_out_of_the_record(
    run: Scenario,
) -> None:
    run.system.lose_node(R2)
    run.system.trim(R2)
    run.publish(1, "q1")
    assert run.system.channel.unconfirmed[ONE] == replicas("r1")


def test_until_then_it_is_asked_and_the_channel_hears_that_it_is_gone(run: Scenario) -> None:
    run.system.lose_node(R2)
    run.system.down_arrives(R2)
    run.publish(1, "q1")
    assert run.system.channel.unconfirmed[ONE] == replicas("r1", "r2")
    run.system.down_arrives(R2)
    run.stored(1, "r1")
    assert run.told() == [ack(1)]


def test_nobody_takes_a_dead_master_out_before_there_is_another(run: Scenario) -> None:
    run.system.lose_node(R1)
    with pytest.raises(NotEnabled):
        run.system.trim(R1)
    run.system.promote(R2)
    run.system.trim(R1)
    assert run.system.addressed({Q1}) == replicas("r2")


def test_only_the_dead_are_taken_out_and_once(run: Scenario) -> None:
    with pytest.raises(NotEnabled):
        run.system.trim(R2)
    run.system.lose_node(R2)
    run.system.trim(R2)
    with pytest.raises(NotEnabled):
        run.system.trim(R2)


def test_the_deletion_of_a_mirrored_queue_acks(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.delete_queue(Q1)
    run.system.down_arrives(R2)
    run.system.down_arrives(R1)
    assert run.told() == [ack(1)]


# -- joining and catching up ----------------------------------------------------------------------


def test_a_new_mirror_hears_the_master_before_channels_know_it(late: Scenario) -> None:
    late.system.join(R2, R1)
    late.publish(1, "q1")
    assert late.system.channel.unconfirmed[ONE] == replicas("r1")
    late.deliver(1, "r1")
    late.told_by_master(1, "r2")
    assert late.process("r2").ready == messages(1)
    late.system.enlist(R2)
    late.publish(2, "q1")
    assert late.system.channel.unconfirmed[message(2)] == replicas("r1", "r2")


def test_a_mirror_that_joins_an_empty_queue_is_synchronised(late: Scenario) -> None:
    late.system.join(R2, R1)
    assert not late.system.unsynced


def test_a_mirror_that_joins_a_queue_with_messages_is_not(late: Scenario) -> None:
    late.publish(1, "q1")
    late.deliver(1, "r1")
    late.system.join(R2, R1)
    assert late.system.unsynced == replicas("r2")
    with pytest.raises(NotEnabled):
        late.system.catch_up(R2, R1)


def test_a_synchronisation_gives_a_mirror_what_its_master_has(late: Scenario) -> None:
    late.publish(1, "q1")
    late.deliver(1, "r1")
    late.system.join(R2, R1)
    late.system.synchronise(R2, R1)
    assert late.process("r2").ready == messages(1)
    assert late.level(1, "r2") == Level.BUFFERED
    assert not late.system.unsynced
    assert late.system.backed[ONE] == replicas("r2")


def test_a_synchronisation_takes_away_what_the_master_has_not(late: Scenario) -> None:
    late.publish(1, "q1")
    late.publish(2, "q1")
    late.deliver(1, "r1")
    late.system.join(R2, R1)
    late.deliver(2, "r1")
    late.told_by_master(2, "r2")
    late.process("r1").ready.discard(message(2))
    late.system.synchronise(R2, R1)
    assert late.process("r2").ready == messages(1)


def test_a_mirror_that_still_hears_its_master_is_not_given_anything(late: Scenario) -> None:
    late.publish(1, "q1")
    late.publish(2, "q1")
    late.deliver(1, "r1")
    late.system.join(R2, R1)
    late.deliver(2, "r1")
    with pytest.raises(NotEnabled):
        late.system.synchronise(R2, R1)


def test_a_synchronised_mirror_is_not_synchronised_again(run: Scenario) -> None:
    with pytest.raises(NotEnabled):
        run.system.synchronise(R2, R1)
    with pytest.raises(NotEnabled):
        run.system.catch_up(R2, R1)


def test_what_a_mirror_was_given_counts_as_got_by_it() -> None:
    with mirrored((Born.MASTER, Born.MIRROR, Born.LATER)) as run:
        told_of(run, 1)
        run.system.join(R3, R1)
        run.system.synchronise(R3, R1)
        run.system.lose_node(R1)
        run.told_by_master(1, "r2")
        assert run.process("r2").ready == run.process("r3").ready == messages(1)


def test_nobody_joins_a_master_that_is_gone_or_no_master(late: Scenario) -> None:
    with pytest.raises(NotEnabled):
        late.system.join(R2, R2)
    late.system.lose_node(R1)
    with pytest.raises(NotEnabled):
        late.system.join(R2, R1)


def test_a_queue_is_joined_by_its_own_processes_only(late: Scenario) -> None:
    late.process("r2").of = queue_named("q2")
    with pytest.raises(NotEnabled):
        late.system.join(R2, R1)


def test_a_process_that_has_not_joined_is_not_enlisted(late: Scenario) -> None:
    with pytest.raises(NotEnabled):
        late.system.enlist(R2)


def test_a_mirror_without_a_master_neither_catches_up_nor_is_given_anything(
    late: Scenario,
) -> None:
    late.publish(1, "q1")
    late.deliver(1, "r1")
    late.system.join(R2, R1)
    late.system.crash_queue(R1)
    with pytest.raises(NotEnabled):
        late.system.catch_up(R2, R1)
    with pytest.raises(NotEnabled):
        late.system.synchronise(R2, R1)


def test_a_mirror_is_synchronised_when_the_old_messages_are_consumed(late: Scenario) -> None:
    late.publish(1, "q1")
    late.deliver(1, "r1")
    late.system.join(R2, R1)
    late.system.drop(ONE, R1)
    late.system.catch_up(R2, R1)
    assert not late.system.unsynced
    assert not late.process("r2").ready


def test_mirrors_join_and_enlist_in_the_order_of_their_age() -> None:
    with mirrored((Born.MASTER, Born.LATER, Born.LATER)) as run:
        with pytest.raises(NotEnabled):
            run.system.join(R3, R1)
        run.system.join(R2, R1)
        run.system.join(R3, R1)
        with pytest.raises(NotEnabled):
            run.system.enlist(R3)
        run.system.enlist(R2)
        run.system.enlist(R3)
        assert run.system.addressed({Q1}) == replicas("r1", "r2", "r3")


# -- virtual synchrony ----------------------------------------------------------------------------


def told_of(run: Scenario, *numbers: int) -> None:
    """Publish these messages; the master has them and has told of them."""
    for number in numbers:
        run.publish(number, "q1")
        run.deliver(number, "r1")


def test_what_no_mirror_got_of_a_dead_master_none_gets(three: Scenario) -> None:
    told_of(three, 1)
    three.system.lose_node(R1)
    assert three.system.multicast.silent(R2)
    assert three.system.multicast.silent(R3)


def test_what_one_mirror_got_of_a_dead_master_each_gets(three: Scenario) -> None:
    told_of(three, 1, 2)
    three.told_by_master(1, "r2")
    three.system.lose_node(R1)
    assert three.system.multicast.silent(R2)
    assert three.system.multicast.next_from_master(R3) == ONE
    three.told_by_master(1, "r3")
    assert three.system.multicast.silent(R3)
    assert three.process("r2").ready == three.process("r3").ready == messages(1)


def test_what_one_mirror_got_brings_what_was_told_before_it(three: Scenario) -> None:
    told_of(three, 1, 2, 3)
    three.told_by_master(1, "r2")
    three.told_by_master(2, "r2")
    three.system.crash_queue(R1)
    assert three.system.multicast.coming(R3) == messages(1, 2)


def test_a_removal_that_one_mirror_heard_of_each_hears_of(three: Scenario) -> None:
    told_of(three, 1)
    three.told_by_master(1, "r2")
    three.told_by_master(1, "r3")
    three.system.drop(ONE, R1)
    three.system.master_removes(ONE, R2)
    three.system.lose_node(R1)
    three.system.master_removes(ONE, R3)
    assert not three.process("r3").ready


def test_what_was_told_before_a_mirror_joined_does_not_count_as_got_by_it() -> None:
    with mirrored((Born.MASTER, Born.MIRROR, Born.LATER)) as run:
        told_of(run, 1)
        run.system.join(R3, R1)
        run.system.lose_node(R1)
        assert run.system.multicast.silent(R2)
        assert not run.process("r2").ready


# -- promotion ------------------------------------------------------------------------------------


def test_what_a_late_mirror_was_told_by_a_new_master_each_of_them_gets() -> None:
    """The new master publishes what was under way when the mirror joined: now it has got it."""
    with mirrored((Born.MASTER, Born.LATER, Born.LATER, Born.LATER)) as run:
        for joining in (R2, R3):
            run.system.join(joining, R1)
            run.system.enlist(joining)
        run.publish(1, "q1")
        run.deliver(1, "r1")
        run.system.join(R4, R1)
        run.system.lose_node(R1)
        run.system.promote(R2)
        run.deliver(1, "r2")
        run.told_by_master(1, "r4")
        run.system.lose_node(R2)
        run.told_by_master(1, "r3")
        assert run.process("r3").ready == run.process("r4").ready == messages(1)


def test_a_mirror_with_more_than_its_new_master_has_not_caught_up() -> None:
    """It would bring back what was consumed, if it took over in its turn."""
    with mirrored((Born.MASTER, Born.LATER, Born.LATER, Born.LATER)) as run:
        run.publish(1, "q1")
        run.deliver(1, "r1")
        for joining in (R2, R3, R4):
            run.system.join(joining, R1)
        run.system.enlist(R2)
        run.system.synchronise(R4, R1)
        run.system.drop(ONE, R1)
        run.system.catch_up(R2, R1)
        run.system.lose_node(R1)
        run.system.promote(R2)
        assert R4 in run.system.unsynced
        with pytest.raises(NotEnabled):
            run.system.catch_up(R4, R2)


def test_the_oldest_mirror_is_promoted(three: Scenario) -> None:
    three.system.lose_node(R1)
    with pytest.raises(NotEnabled):
        three.system.promote(R3)
    three.system.promote(R2)
    assert three.process("r2").leads()
    with pytest.raises(NotEnabled):
        three.system.promote(R3)


def test_nobody_is_promoted_while_the_master_runs(run: Scenario) -> None:
    with pytest.raises(NotEnabled):
        run.system.promote(R2)


def test_a_mirror_hears_all_that_is_on_its_way_before_it_is_promoted(three: Scenario) -> None:
    told_of(three, 1)
    three.told_by_master(1, "r3")
    three.system.lose_node(R1)
    with pytest.raises(NotEnabled):
        three.system.promote(R2)
    three.told_by_master(1, "r2")
    three.system.promote(R2)
    assert three.process("r2").ready == messages(1)


def test_an_older_mirror_that_is_not_synchronised_is_passed_over() -> None:
    with mirrored((Born.MASTER, Born.LATER, Born.LATER)) as run:
        told_of(run, 1)
        run.system.join(R2, R1)
        run.system.enlist(R2)
        run.system.join(R3, R1)
        run.system.enlist(R3)
        run.system.synchronise(R3, R1)
        run.system.lose_node(R1)
        with pytest.raises(NotEnabled):
            run.system.promote(R2)
        run.system.promote(R3)
        assert run.process("r3").ready == messages(1)


def test_an_older_mirror_that_was_passed_over_stops() -> None:
    with mirrored((Born.MASTER, Born.LATER, Born.LATER)) as run:
        told_of(run, 1)
        run.system.join(R2, R1)
        run.system.enlist(R2)
        run.system.join(R3, R1)
        run.system.synchronise(R3, R1)
        run.system.lose_node(R1)
        run.publish(2, "q1")
        run.system.enlist(R3)
        with pytest.raises(NotEnabled):
            run.system.stop_unsynchronised(R2)
        run.system.promote(R3)
        run.deliver(2, "r2")
        run.system.stop_unsynchronised(R2)
        for gone in (R1, R2):
            run.system.down_arrives(gone)
        assert nack(2, True) in run.told()


def test_a_mirror_that_was_passed_over_is_no_copy_again_before_it_stops() -> None:
    with mirrored((Born.MASTER, Born.LATER, Born.LATER)) as run:
        told_of(run, 1)
        run.system.join(R2, R1)
        run.system.enlist(R2)
        run.system.join(R3, R1)
        run.system.enlist(R3)
        run.system.synchronise(R3, R1)
        run.system.lose_node(R1)
        run.system.promote(R3)
        with pytest.raises(NotEnabled):
            run.system.synchronise(R2, R3)
        run.process("r3").ready.clear()
        with pytest.raises(NotEnabled):
            run.system.catch_up(R2, R3)
        run.system.stop_unsynchronised(R2)


def test_nobody_is_promoted_if_no_mirror_is_synchronised(late: Scenario) -> None:
    told_of(late, 1)
    late.system.join(R2, R1)
    late.system.enlist(R2)
    late.system.lose_node(R1)
    with pytest.raises(NotEnabled):
        late.system.promote(R2)
    late.system.stop_unsynchronised(R2)
    late.system.down_arrives(R1)
    late.system.down_arrives(R2)
    late.system.restart(R1)
    assert late.process("r1").leads()


def late_alone(late: Scenario) -> None:
    """Have a mirror that lacks a message, and a message of which it has both copies."""
    told_of(late, 1)
    late.system.join(R2, R1)
    late.system.enlist(R2)
    late.publish(2, "q1")
    late.deliver(2, "r1", "r2")
    late.told_by_master(2, "r2")


@pytest.mark.parametrize("heard_first", [False, True])
def test_a_confirm_of_a_mirror_that_will_stop_is_nobodys(late: Scenario, heard_first: bool) -> None:
    late_alone(late)
    if heard_first:
        late.synced(2, "r2")
    late.system.lose_node(R1)
    late.system.down_arrives(R1)
    if not heard_first:
        late.synced(2, "r2")
    assert late.system.channel.rejected == messages(1, 2) - late.system.channel.confirmed
    assert message(2) in late.system.channel.rejected
    assert late.system.channel.rejected <= late.system.excused


def test_beside_that_of_its_master_it_is_waited_for(late: Scenario) -> None:
    late_alone(late)
    late.synced(2, "r1")
    assert late.system.channel.unconfirmed[message(2)] == {R2}
    late.synced(2, "r2")
    assert message(2) in late.system.channel.confirmed


def test_what_came_from_the_channel_only_arrives_again_after_a_promotion(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r2")
    run.system.lose_node(R1)
    run.system.down_arrives(R1)
    run.system.promote(R2)
    run.stored(1, "r2")
    assert run.told() == [ack(1)]
    assert run.process("r2").ready == messages(1)


def test_what_came_from_the_master_only_is_not_enqueued_twice_and_acked_once(
    run: Scenario,
) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1")
    run.told_by_master(1, "r2")
    run.system.lose_node(R1)
    run.system.down_arrives(R1)
    run.system.promote(R2)
    assert run.process("r2").seen[ONE] == Seen.PUBLISHED
    run.stored(1, "r2")
    assert run.told() == [ack(1)]
    assert run.process("r2").ready == messages(1)


def test_mirrors_that_have_something_else_than_the_new_master_are_not_synchronised(
    three: Scenario,
) -> None:
    told_of(three, 1)
    three.told_by_master(1, "r2")
    three.told_by_master(1, "r3")
    three.process("r3").ready.clear()
    three.system.lose_node(R1)
    three.system.promote(R2)
    assert three.system.unsynced == replicas("r3")


def test_a_promoted_master_tells_the_mirrors_that_are_left(three: Scenario) -> None:
    three.system.lose_node(R1)
    three.system.promote(R2)
    three.publish(1, "q1")
    three.deliver(1, "r2")
    three.told_by_master(1, "r3")
    assert three.process("r3").ready == messages(1)


def test_a_master_restarts_only_if_no_process_of_its_queue_is_left(run: Scenario) -> None:
    run.system.crash_queue(R1)
    run.system.down_arrives(R1)
    with pytest.raises(NotEnabled):
        run.system.restart(R1)
    run.system.lose_node(R2)
    run.system.restart(R1)
    assert run.process("r1").status == Status.RUNNING


def test_of_several_that_were_master_the_last_one_restarts(run: Scenario) -> None:
    run.system.crash_queue(R1)
    run.system.down_arrives(R1)
    run.system.promote(R2)
    run.system.crash_queue(R2)
    run.system.down_arrives(R2)
    with pytest.raises(NotEnabled):
        run.system.restart(R1)
    run.system.restart(R2)
    assert run.process("r2").leads()
