"""Partitions, on plain objects: two sides, each with its own truth, and what a client hears."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from ackproof.lang import NotEnabled
from ackproof.model.check import check
from ackproof.spec.model import MODEL
from ackproof.spec.sorts import Born, Msg, Node, Reason, Status

from tests.spec.scenario import (
    Scenario,
    ack,
    message,
    messages,
    mirrored,
    node,
    replica,
    replicas,
)

R1, R2, R3 = replica("r1"), replica("r2"), replica("r3")
N1, N2, N3 = node("n1"), node("n2"), node("n3")
ONE = message(1)
TRIO = (Born.MASTER, Born.MIRROR, Born.MIRROR)


@pytest.fixture
def run() -> Iterator[Scenario]:
    """A master and two mirrors, each on its node; the channel is on the node of r3."""
    with mirrored(TRIO, nodes=True) as scenario:
        yield scenario


@pytest.fixture
def here() -> Iterator[Scenario]:
    """A master on the channel's node, and nobody of its queue elsewhere."""
    with mirrored((Born.LATER, Born.LATER, Born.MASTER), nodes=True) as scenario:
        yield scenario


def isolated(run: Scenario) -> None:
    """The channel and r3 are alone on their side, and the channel's node has noticed."""
    run.system.partition({N1, N2})
    run.system.notice(N1)
    run.system.notice(N2)


# -- nobody knows yet -----------------------------------------------------------------------------


def test_nothing_gets_across(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.partition({N1})
    with pytest.raises(NotEnabled):
        run.deliver(1, "r1")
    run.deliver(1, "r2")
    assert run.process("r2").direct == messages(1)


def test_a_confirm_that_was_cast_waits_too(run: Scenario) -> None:
    run.publish(1, "q1", persistent=False)
    run.deliver(1, "r1")
    run.system.partition({N1})
    with pytest.raises(NotEnabled):
        run.system.confirm_arrives(R1)
    run.system.heal()
    run.system.confirm_arrives(R1)


def test_the_channels_own_node_is_never_on_the_other_side(run: Scenario) -> None:
    with pytest.raises(NotEnabled):
        run.system.partition({N3})


# -- the channel's node notices -------------------------------------------------------------------


def test_the_processes_of_a_node_that_is_given_up_are_down_to_the_channel(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.partition({N1})
    run.system.notice(N1)
    assert run.system.casts.downs[R1] == Reason.BENIGN
    assert run.process("r1").status == Status.RUNNING
    run.system.down_arrives(R1)
    assert run.system.channel.unconfirmed[ONE] == replicas("r2", "r3")


def test_what_was_under_way_from_a_node_that_is_given_up_is_lost(run: Scenario) -> None:
    run.publish(1, "q1", persistent=False)
    run.deliver(1, "r1")
    run.publish(2, "q1")
    run.process("r1").refused.add(message(2))
    run.system.partition({N1})
    run.system.notice(N1)
    assert not run.process("r1").outbox | run.process("r1").refused
    assert run.system.casts.next_for(R1) is None
    assert not run.system.owing[ONE] & {R1}


def test_a_mirror_that_is_given_up_forgets_what_came_from_the_channel_only(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r2")
    run.system.partition({N2})
    run.system.notice(N2)
    assert not run.process("r2").direct


def test_a_nack_has_a_cause_if_all_that_could_accept_were_given_up(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.lose_node(R3)
    run.system.down_arrives(R3)
    isolated(run)
    assert run.system.excused == messages(1)


def test_a_cast_to_a_node_that_is_given_up_goes_nowhere(run: Scenario) -> None:
    run.system.partition({N1})
    run.system.notice(N1)
    run.system.down_arrives(R1)
    run.publish(1, "q1")
    assert run.system.casts.next_for(R1) is None
    assert run.system.casts.downs[R1] == Reason.BENIGN


# -- the guard (A12) ------------------------------------------------------------------------------


def test_a_channel_without_a_majority_keeps_what_it_has_to_say(here: Scenario) -> None:
    here.publish(1, "q1")
    here.stored(1, "r3")
    isolated(here)
    with pytest.raises(NotEnabled):
        here.system.flush()
    here.system.heal()
    assert here.told() == [ack(1)]


def test_nor_does_it_nack(run: Scenario) -> None:
    run.publish(1, "q1")
    isolated(run)
    run.system.crash_queue(R3)
    for process in (R1, R2, R3):
        run.system.down_arrives(process)
    assert run.system.channel.rejected == messages(1)
    with pytest.raises(NotEnabled):
        run.system.flush()


def test_a_channel_with_the_majority_goes_on(run: Scenario) -> None:
    run.publish(1)
    run.system.partition({N1})
    run.system.notice(N1)
    assert run.told() == [ack(1)]


def test_a_channel_that_has_not_noticed_yet_goes_on_too(run: Scenario) -> None:
    run.publish(1)
    run.system.partition({N1, N2})
    run.system.notice(N1)
    assert run.told() == [ack(1)]


def test_a_channel_without_a_majority_is_closed_when_its_node_pauses(run: Scenario) -> None:
    run.publish(1)
    with pytest.raises(NotEnabled):
        run.system.pause()
    isolated(run)
    run.system.pause()
    assert run.system.publisher.unknown() == messages(1)
    assert not run.system.channel.open


# -- the queue falls apart ------------------------------------------------------------------------


def test_a_mirror_without_its_master_is_promoted_though_the_master_runs(run: Scenario) -> None:
    run.system.partition({N1})
    with pytest.raises(NotEnabled):
        run.system.promote(R2)
    run.system.estrange(R1)
    run.system.promote(R2)
    assert run.process("r1").leads()
    assert run.process("r2").leads()


def test_each_of_two_masters_has_its_own_mirrors(run: Scenario) -> None:
    run.system.partition({N1})
    run.system.estrange(R1)
    run.system.promote(R2)
    assert run.system.mirrors_of(R1) == set()
    assert run.system.mirrors_of(R2) == replicas("r3")


def test_two_sides_give_each_other_up_once(run: Scenario) -> None:
    run.system.partition({N1})
    run.system.estrange(R1)
    run.system.promote(R2)
    with pytest.raises(NotEnabled):
        run.system.estrange(R2)


def test_a_master_without_mirrors_elsewhere_gives_nobody_up(run: Scenario) -> None:
    with pytest.raises(NotEnabled):
        run.system.estrange(R1)


def test_what_a_master_told_is_not_heard_across_a_partition(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1")
    run.system.partition({N1})
    with pytest.raises(NotEnabled):
        run.told_by_master(1, "r2")


# -- pausing and healing --------------------------------------------------------------------------


def test_the_processes_of_a_minority_halt_and_those_of_the_majority_go_on(run: Scenario) -> None:
    run.publish(1, "q1", persistent=False)
    run.deliver(1, "r1")
    run.process("r1").refused.add(message(2))
    run.system.partition({N1})
    run.system.halt(R1)
    assert run.process("r1").status == Status.DOWN
    assert not run.process("r1").outbox | run.process("r1").refused
    assert run.system.casts.downs[R1] == Reason.BENIGN
    with pytest.raises(NotEnabled):
        run.system.halt(R2)


def test_on_the_channels_side_a_minority_halts_when_it_has_noticed(run: Scenario) -> None:
    run.system.partition({N1, N2})
    with pytest.raises(NotEnabled):
        run.system.halt(R3)
    run.system.notice(N1)
    run.system.notice(N2)
    run.system.halt(R3)
    assert run.process("r3").status == Status.DOWN


def test_a_partition_of_which_nothing_came_heals_without_a_trace(run: Scenario) -> None:
    run.publish(1, "q1", persistent=False)
    run.system.partition({N1})
    run.system.heal()
    run.deliver(1, "r1")
    assert run.process("r1").ready == messages(1)


def test_what_was_noticed_is_noticed_by_the_mirrors_too(run: Scenario) -> None:
    run.system.partition({N1})
    run.system.notice(N1)
    with pytest.raises(NotEnabled):
        run.system.heal()


def test_two_sides_that_have_fallen_out_do_not_come_together_while_both_go_on(
    run: Scenario,
) -> None:
    run.system.partition({N1})
    run.system.estrange(R1)
    with pytest.raises(NotEnabled):
        run.system.heal()
    run.system.halt(R1)
    run.system.heal()
    assert not run.system.cluster.cut()


def test_an_acked_message_may_be_on_the_losing_side_only() -> None:
    with mirrored((Born.MIRROR, Born.LATER, Born.MASTER), nodes=True) as run:
        run.publish(1, "q1")
        run.system.partition({N1, N2})
        run.system.notice(N1)
        run.system.down_arrives(R1)
        run.stored(1, "r3")
        assert run.told() == [ack(1)]
        run.system.estrange(R3)
        run.system.promote(R1)
        run.system.notice(N2)
        run.system.pause()
        run.system.halt(R3)
        run.system.heal()
        assert run.process("r1").leads()
        assert not run.process("r1").ready


def test_what_a_process_has_cast_when_it_was_given_up_is_not_of_the_one_that_comes_after() -> None:
    with mirrored((Born.MASTER, Born.LATER, Born.LATER), nodes=True) as run:
        run.told_of(1)
        isolated(run)
        run.system.sync(ONE, R1)
        run.system.drain(R1)
        assert run.process("r1").outbox == messages(1)
        run.system.crash_queue(R1)
        run.system.down_arrives(R1)
        run.system.restart(R1)
        assert not run.process("r1").outbox


def test_a_process_that_was_given_up_and_starts_again_speaks_of_what_is_on_its_disk() -> None:
    recovery = MODEL.instance("recovery")
    assert recovery is not None
    away = replace(
        recovery,
        sizes={**recovery.sizes, Msg: 1, Node: 3},
        faults={"partition": 1, "crash_queue": 1},
        constants={
            **recovery.constants,
            "QueueProcess.node": "n1",
            "Confirms.home": "n3",
        },
    )
    report = check(MODEL, away, properties=["CastMeansSynced"])
    assert not report.traces
    assert report.outcome.states > 4_000
