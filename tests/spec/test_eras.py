"""The eras, on plain objects: where each line of releases differs from what it promises."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from ackproof.lang import Design, Instance, NotEnabled
from ackproof.model.cache import Cache
from ackproof.model.eras import Era, Surveyor
from ackproof.spec.eras import ORDER
from ackproof.spec.model import MODEL
from ackproof.spec.sorts import Born, Level, Overflow

from tests.spec.scenario import (
    Scenario,
    ack,
    message,
    messages,
    mirrored,
    nack,
    node,
    queue_named,
    renewing,
    replica,
    replicas,
    returned,
    running,
)

ERAS: dict[str, Design] = {
    name: import_module(f"ackproof.spec.eras.{name}").design for name in ORDER
}
BASE: Design | None = None
R1, R2, R3 = replica("r1"), replica("r2"), replica("r3")
ONE = message(1)
FULL: dict[str, Any] = {"limited": True, "max_length": 1, "overflow": Overflow.REJECT_PUBLISH}

V36, V37, V38, V39, V310, V311 = (ERAS[f"rabbitmq_3_{minor}"] for minor in (6, 7, 8, 9, 10, 11))
V2, V40, V43 = ERAS["classic_queue_v2"], ERAS["rabbitmq_4_0"], ERAS["rabbitmq_4_3"]


@pytest.fixture
def old() -> Iterator[Scenario]:
    """Two queues on RabbitMQ 3.7."""
    with running(design=V37) as scenario:
        yield scenario


# -- 3.6: nacks at once ---------------------------------------------------------------------------


def test_in_3_6_a_crash_nacks_in_the_very_step() -> None:
    with running(design=V36) as run:
        run.publish(1, "q1")
        run.system.crash_queue(R1)
        run.system.down_arrives(R1)
        assert run.frames == [nack(1, True)]
        with pytest.raises(NotEnabled):
            run.system.flush()


def test_in_3_6_such_a_nack_covers_what_is_confirmed_and_not_told_yet() -> None:
    with running(design=V36) as run:
        run.publish(1, "q1", persistent=False)
        run.publish(2, "q2")
        run.deliver(1, "r1")
        run.system.confirm_arrives(R1)
        run.system.crash_queue(R2)
        run.system.down_arrives(R2)
        run.system.flush()
        assert run.frames == [nack(2, True), ack(1)]
        assert run.system.publisher.nacked == messages(1, 2)


@pytest.mark.parametrize(("era", "kept"), [(V36, messages(2)), (V37, messages(1))])
def test_3_6_drops_the_oldest_whatever_it_is_told(era: Design, kept: set[Any]) -> None:
    with running(queues=("q1",), design=era, **FULL) as run:
        for number in (1, 2):
            run.publish(number, "q1")
            run.deliver(number, "r1")
        assert run.process("r1").ready == kept


# -- 3.7: silence is consent ----------------------------------------------------------------------


@pytest.mark.parametrize("era", [V36, V37])
def test_until_3_7_a_lost_node_acks_what_nobody_has(era: Design) -> None:
    with running(design=era) as run:
        run.publish(1, "q1")
        run.system.lose_node(R1)
        run.system.down_arrives(R1)
        assert run.told() == [ack(1)]


@pytest.mark.parametrize("era", [BASE, V38, V39, V311])
def test_since_3_8_it_nacks(era: Design | None) -> None:
    with running(design=era) as run:
        run.publish(1, "q1")
        run.system.lose_node(R1)
        run.system.down_arrives(R1)
        assert run.told() == [nack(1, True)]


def test_in_3_7_a_mandatory_message_that_nobody_received_is_returned_late(old: Scenario) -> None:
    old.publish(1, "q1", mandatory=True)
    assert old.frames == []
    old.system.crash_queue(R1)
    old.system.down_arrives(R1)
    assert old.frames == [returned(1)]
    assert old.told() == [nack(1, True)]


def test_in_3_7_one_that_was_received_is_not_returned(old: Scenario) -> None:
    old.publish(1, "q1", mandatory=True)
    old.deliver(1, "r1")
    old.system.receipt_arrives(R1)
    old.system.crash_queue(R1)
    old.system.down_arrives(R1)
    assert old.told() == [nack(1, True)]
    assert old.frames == [nack(1, True)]


def test_in_3_7_a_message_that_another_queue_may_receive_is_not_returned(old: Scenario) -> None:
    old.publish(1, "q1", "q2", mandatory=True)
    old.system.lose_node(R1)
    old.system.down_arrives(R1)
    assert old.frames == []


def test_in_3_7_a_promoted_master_does_not_forget_whom_to_confirm() -> None:
    with mirrored(design=V37) as run:
        promoted_with_the_masters_copy(run)
        run.stored(1, "r2")
        assert run.told() == [ack(1)]


# -- 3.8: another table ---------------------------------------------------------------------------


def test_in_3_8_a_queue_of_which_one_process_confirmed_has_accepted() -> None:
    with mirrored(design=V38) as run:
        run.publish(1, "q1", persistent=False)
        run.deliver(1, "r1")
        run.system.confirm_arrives(R1)
        run.system.lose_node(R2)
        run.system.down_arrives(R2)
        assert run.told() == [ack(1)]


def test_in_3_8_a_queue_that_is_gone_is_judged_when_the_last_of_all_processes_answers() -> None:
    with running(design=V38) as run:
        run.publish(1, "q1", "q2", persistent=False)
        run.system.lose_node(R1)
        run.system.down_arrives(R1)
        with pytest.raises(NotEnabled):
            run.system.flush()
        run.deliver(1, "r2")
        run.system.confirm_arrives(R2)
        assert run.told() == [nack(1, True)]


def test_since_3_9_it_is_judged_at_once() -> None:
    with running(design=V39) as run:
        run.publish(1, "q1", "q2", persistent=False)
        run.system.lose_node(R1)
        run.system.down_arrives(R1)
        assert run.told() == [nack(1, True)]


@pytest.mark.parametrize(("era", "frame"), [(V38, ack(1)), (V39, nack(1, True))])
def test_in_3_8_a_deletion_that_comes_last_outweighs_a_queue_that_was_lost(
    era: Design, frame: Any
) -> None:
    with running(design=era) as run:
        run.publish(1, "q1", "q2")
        run.system.lose_node(R1)
        run.system.down_arrives(R1)
        run.system.delete_queue(run.process("r2").of)
        run.system.down_arrives(R2)
        assert run.told() == [frame]


# -- 3.9: counting and routing --------------------------------------------------------------------


@pytest.mark.parametrize(("era", "tag"), [(V39, 2), (V311, 1), (BASE, 1)])
def test_in_3_9_a_mandatory_publish_before_confirm_mode_is_counted(
    era: Design | None, tag: int
) -> None:
    with running(design=era) as run:
        run.system.channel.confirming = False
        run.system.publish_unroutable(True)
        run.system.select()
        run.system.channel.publish(set(), False)
        assert run.told() == [ack(tag)]


@pytest.mark.parametrize(("era", "found"), [(V39, False), (V311, True), (BASE, True)])
def test_until_3_10_a_queue_whose_node_is_down_is_not_found(
    era: Design | None, found: bool
) -> None:
    with running(design=era) as run:
        run.system.lose_node(R1)
        run.system.down_arrives(R1)
        run.publish(1, "q1", mandatory=True)
        if found:
            run.system.down_arrives(R1)
            assert run.told() == [nack(1, True)]
        else:
            assert run.frames == [returned(1)]
            assert run.told() == [ack(1)]


def test_in_3_9_a_queue_that_came_back_is_found_again() -> None:
    with running(design=V39) as run:
        run.system.lose_node(R1)
        run.system.down_arrives(R1)
        run.system.restart(R1)
        run.publish(1, "q1")
        run.stored(1, "r1")
        assert run.told() == [ack(1)]


# -- 3.11: the order of checks --------------------------------------------------------------------


def promoted_with_the_masters_copy(run: Scenario) -> None:
    """A mirror is promoted that knows the first message from its old master only."""
    run.publish(1, "q1")
    run.deliver(1, "r1")
    run.told_by_master(1, "r2")
    run.system.lose_node(R1)
    run.system.down_arrives(R1)
    run.system.promote(R2)


@pytest.mark.parametrize("era", [V38, V39, V311, V2])
def test_since_3_8_a_promoted_master_drops_what_it_knows_and_never_confirms_it(
    era: Design,
) -> None:
    with mirrored(design=era) as run:
        promoted_with_the_masters_copy(run)
        run.deliver(1, "r2")
        run.system.sync(ONE, R2)
        run.system.drain(R2)
        assert not run.process("r2").outbox
        assert run.process("r2").ready == messages(1)
        assert run.system.channel.unconfirmed[ONE] == replicas("r2")


@pytest.mark.parametrize("era", [V37, V38, V39, V311])
def test_a_full_promoted_master_that_looks_at_its_limit_first_fails_its_assertion(
    era: Design,
) -> None:
    with mirrored(design=era, **FULL) as run:
        promoted_with_the_masters_copy(run)
        with pytest.raises(AssertionError):
            run.deliver(1, "r2")


@pytest.mark.parametrize(("era", "frame"), [(BASE, nack(2)), (V37, ack(2)), (V311, ack(2))])
def test_a_mirror_confirms_what_its_master_refused_and_the_refusal_is_lost(
    era: Design | None, frame: Any
) -> None:
    with mirrored(design=era, **FULL) as run:
        run.publish(1, "q1")
        run.deliver(1, "r1", "r2")
        run.told_by_master(1, "r2")
        run.publish(2, "q1")
        run.deliver(2, "r1", "r2")
        run.told_by_master(2, "r2")
        run.system.lose_node(R1)
        run.system.down_arrives(R1)
        if era is BASE:
            run.system.reject_arrives(R2)
        else:
            run.system.confirm_arrives(R2)
        assert run.told() == [frame]
        assert run.process("r2").ready == messages(1)


def test_in_3_11_the_oldest_mirror_is_promoted_if_any_other_is_synchronised() -> None:
    with mirrored((Born.MASTER, Born.LATER, Born.LATER), design=V311) as run:
        run.publish(1, "q1")
        run.stored(1, "r1")
        run.system.join(R2, R1)
        run.system.enlist(R2)
        run.system.join(R3, R1)
        run.system.enlist(R3)
        run.system.synchronise(R3, R1)
        run.system.lose_node(R1)
        run.system.promote(R2)
        assert not run.process("r2").ready


def test_in_3_11_the_oldest_mirror_stops_if_none_is_synchronised() -> None:
    with mirrored((Born.MASTER, Born.LATER), design=V311) as run:
        run.publish(1, "q1")
        run.deliver(1, "r1")
        run.system.join(R2, R1)
        run.system.enlist(R2)
        run.system.lose_node(R1)
        with pytest.raises(NotEnabled):
            run.system.promote(R2)
        run.system.stop_unsynchronised(R2)
        assert not run.process("r2").mirrors()


@pytest.mark.parametrize("era", [V37, V311])
def test_a_channel_that_never_flushed_may_speak_when_it_is_alone(era: Design) -> None:
    trio = (Born.LATER, Born.LATER, Born.MASTER)
    with mirrored(trio, nodes=True, design=era) as run:
        run.publish(1)
        run.system.partition({node("n1"), node("n2")})
        run.system.notice(node("n1"))
        run.system.notice(node("n2"))
        assert run.told() == [ack(1)]


def test_a_channel_that_has_asked_before_may_not() -> None:
    trio = (Born.LATER, Born.LATER, Born.MASTER)
    with mirrored(trio, nodes=True, design=V311) as run:
        run.publish(1)
        run.system.flush()
        run.publish(2)
        run.system.partition({node("n1"), node("n2")})
        run.system.notice(node("n1"))
        run.system.notice(node("n2"))
        with pytest.raises(NotEnabled):
            run.system.flush()


# -- classic queues, version 2 --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("era", "level"),
    [(V311, Level.SYNCED), (V2, Level.WRITTEN), (V40, Level.WRITTEN), (V43, Level.WRITTEN)],
)
def test_the_second_version_confirms_what_it_has_written(era: Design, level: Level) -> None:
    with running(design=era) as run:
        run.publish(1, "q1")
        run.stored(1, "r1")
        assert run.told() == [ack(1)]
        assert run.level(1, "r1") == level


@pytest.mark.parametrize("power", [False, True])
def test_the_second_version_survives_a_crash_and_no_power_failure(power: bool) -> None:
    with running(design=V2) as run:
        run.publish(1, "q1")
        run.stored(1, "r1")
        run.system.flush()
        if power:
            run.system.crash_machine()
        else:
            run.system.crash_node()
        run.system.restart(R1)
        assert run.process("r1").ready == (set() if power else messages(1))


# -- a queue that is declared again ---------------------------------------------------------------


def redeclared(run: Scenario, *, first: bool) -> None:
    """Declare a queue again that refuses everything, and publish to it; hear of the first's end.

    Args:
        run: where.
        first: whether a message was published to the first.
    """
    if first:
        run.publish(1, "q1")
    run.system.delete_queue(queue_named("q1"))
    run.system.declare(queue_named("q2"))
    run.publish(2 if first else 1, "q2")
    run.system.down_arrives(R1)


@pytest.mark.parametrize(
    ("era", "frames"),
    [
        (V37, [ack(1)]),
        (V38, [ack(1)]),
        (V39, [nack(1, True)]),
        (V310, [nack(1, True)]),
        (V311, [nack(1, True)]),
        (V40, [ack(2, True)]),
        (V43, [ack(2, True)]),
    ],
)
def test_the_end_of_the_first_settles_what_the_version_takes_it_for(
    era: Design, frames: list[Any]
) -> None:
    with renewing(design=era) as run:
        redeclared(run, first=True)
        assert run.told() == frames


@pytest.mark.parametrize("era", [V39, V310, V311, V2])
def test_up_to_3_13_a_deletion_acks_if_nothing_was_published_to_the_next(era: Design) -> None:
    with renewing(design=era) as run:
        run.publish(1, "q1")
        run.system.delete_queue(queue_named("q1"))
        run.system.declare(queue_named("q2"))
        run.system.down_arrives(R1)
        assert run.told() == [ack(1)]


@pytest.mark.parametrize("era", [V40, V43])
def test_in_4_0_a_channel_hears_of_no_queue_that_it_never_published_to(era: Design) -> None:
    with renewing(design=era) as run:
        redeclared(run, first=False)
        run.deliver(1, "r2")
        run.system.reject_arrives(R2)
        assert run.told() == [nack(1, True)]


# -- a queue that begins over its limit -----------------------------------------------------------


@pytest.mark.parametrize(
    ("era", "left"),
    [
        (BASE, messages(1, 2)),
        *((era, messages(2)) for era in (V36, V37, V38, V39, V310, V311, V2, V40, V43)),
    ],
)
def test_a_queue_that_rejects_drops_what_it_has_acked_when_it_starts_again(
    era: Design | None, left: set[Any]
) -> None:
    with running(queues=("q1",), design=era, **FULL) as run:
        for number in (1, 2):
            run.publish(number, "q1")
            run.deliver(number, "r1")
            run.synced(number, "r1")
            assert run.told() == [ack(number)]
            if number == 1:
                run.system.take(ONE, R1)
        run.system.crash_queue(R1)
        run.system.down_arrives(R1)
        run.system.restart(R1)
        assert run.process("r1").ready == left


@pytest.mark.parametrize(
    ("era", "left"),
    [(BASE, messages(1, 2)), *((era, messages(2)) for era in (V37, V38, V39, V310, V311, V2))],
)
def test_up_to_3_13_a_promoted_mirror_does_likewise(era: Design | None, left: set[Any]) -> None:
    with mirrored((Born.MASTER, Born.MIRROR), design=era, consumers=True, **FULL) as run:
        for number in (1, 2):
            run.publish(number, "q1")
            run.deliver(number, "r1")
            if number == 1:
                run.system.take(ONE, R1)
            run.told_by_master(number, "r2")
        run.system.lose_node(R1)
        run.system.promote(R2)
        assert run.process("r2").ready == left


# -- 4.3: no guard --------------------------------------------------------------------------------


@pytest.mark.parametrize(("era", "pauses"), [(V40, True), (V43, False)])
def test_in_4_3_a_minority_goes_on(era: Design, pauses: bool) -> None:
    alone = (Born.LATER, Born.LATER, Born.MASTER)
    with mirrored(alone, nodes=True, design=era) as run:
        run.publish(1)
        run.system.flush()
        run.publish(2)
        run.system.partition({node("n1"), node("n2")})
        run.system.notice(node("n1"))
        run.system.notice(node("n2"))
        if pauses:
            with pytest.raises(NotEnabled):
                run.system.flush()
            run.system.pause()
        else:
            with pytest.raises(NotEnabled):
                run.system.pause()
            with pytest.raises(NotEnabled):
                run.system.halt(R3)
            assert run.told() == [ack(2)]


@pytest.mark.parametrize("era", [V40, V43])
def test_from_4_0_on_no_table_is_made_with_mirrors(era: Design) -> None:
    names = {i.name for i in Era("", MODEL, era).instances}
    assert "redeclared" in names
    assert "divided" in names
    assert not names & {"mirrors", "promotion", "partition", "limits"}


# -- all of them ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ORDER)
def test_a_message_is_acked_in_every_era(name: str) -> None:
    with running(design=ERAS[name]) as run:
        run.publish(1, "q1", "q2")
        run.stored(1, "r1", "r2")
        assert run.told() == [ack(1)]


@pytest.mark.parametrize("name", ORDER)
def test_an_era_says_what_it_is(name: str) -> None:
    assert ERAS[name].claim.endswith(".")
    assert ERAS[name].source


# -- where the table is not made ------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ORDER)
@pytest.mark.parametrize(
    "instance", [i for i in MODEL.instances if not i.table], ids=lambda i: i.name
)
def test_a_large_instance_shows_nothing_of_an_era_that_it_does_not_say(
    instance: Instance, name: str, shared_cache: Cache | None
) -> None:
    era = Era(name, MODEL, ERAS[name])
    if instance.name in ERAS[name].leaves_out:
        return
    run = Surveyor(cache=shared_cache).run(era, instance)
    assert run.report.outcome.limit is None
    assert run.violations.keys() <= era.expected_to_break
