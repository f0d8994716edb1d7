"""Back-pressure through the whole broker, by hand and in every state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from ackproof.lang import (
    Design,
    Instance,
    Model,
    NotEnabled,
    bound,
    helper,
    invariant,
    properties_in,
)
from ackproof.model.check import check
from ackproof.spec import properties_crediting
from ackproof.spec.instances import OFF
from ackproof.spec.reader import ReaderState
from ackproof.spec.sorts import Born, ChannelId, Msg, Queue, Replica
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack, Blocked, Unblocked

from tests.spec.built import CH1, FromChannel, built
from tests.spec.mutants_crediting import CREDITING_MUTANTS

Q: Any = "q1"
R1: Any = "r1"
R2: Any = "r2"
FLOW: dict[str, Any] = {
    "QueueProcess.of": "q1",
    "Confirms.consumers": False,
    "Confirms.credit": True,
}
CREDIT = Instance(
    "credit",
    "one process",
    {**OFF, Msg: 3, Queue: 1, Replica: 1},
    {"alarm": 1},
    FLOW,
)
MIRRORED: dict[str, Any] = {
    **FLOW,
    "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MIRROR},
    "QueueProcess.durable": False,
}
MIRROR_CREDIT = Instance(
    "mirror_credit",
    "a master and a mirror",
    {**OFF, Msg: 2, Queue: 1, Replica: 2},
    {"lose_node": 1},
    MIRRORED,
)
#: A process has credit for one message, and its channel may overdraw by one: a fourth is too much.
LITTLE_CREDIT = Instance(
    "little_credit",
    "four messages, and credit for one",
    {**OFF, Msg: 4, Queue: 1, Replica: 1},
    {},
    {**FLOW, "CreditPair.initial": 1, "Confirms.mirror_cost": 1},
)
MODEL = Model(
    "crediting",
    Confirms,
    properties_in(properties_crediting),
    (CREDIT, MIRROR_CREDIT, LITTLE_CREDIT),
)


class Run:
    """A system of live objects, and the frames that its client has seen."""

    def __init__(self, *born: Born) -> None:
        roles = {f"r{number}": {"of": Q, "born": role} for number, role in enumerate(born, 1)}
        whole, self.frames = built((), {"credit": True}, {"replicas": roles})
        self.system = FromChannel(whole, CH1)
        self.system.select()
        self.frames.clear()

    def publish(self, number: int, persistent: bool = False) -> None:
        """Publish the next message to the queue."""
        msg: Any = number
        self.system.publish(msg, {Q}, False, persistent)

    def under_way(self, number: int) -> bool:
        """Publish, unless the reader is blocked; tell whether it was not."""
        try:
            self.publish(number)
        except NotEnabled:
            return False
        return True


@contextmanager
def running(*born: Born) -> Iterator[Run]:
    with bound({**OFF, Msg: 5, Queue: 1, Replica: len(born)}):
        yield Run(*born)


@pytest.fixture
def run() -> Iterator[Run]:
    with running(Born.MASTER) as made:
        yield made


@pytest.fixture
def pair() -> Iterator[Run]:
    with running(Born.MASTER, Born.MIRROR) as made:
        yield made


def message(number: int) -> Any:
    return number


def test_a_publisher_stops_when_the_reader_has_no_credit_and_goes_on_when_it_has(run: Run) -> None:
    run.publish(1)
    run.publish(2)
    assert not run.under_way(3)
    run.system.reader_bumped()
    assert run.under_way(3)
    assert not run.frames


def test_a_slow_queue_blocks_the_channel_and_then_the_reader(run: Run) -> None:
    run.publish(1)
    run.system.reader_bumped()
    run.publish(2)
    run.system.reader_bumped()
    assert run.system.channel_blocked()
    run.publish(3)
    run.publish(4)
    assert run.system.reader.state == ReaderState.BLOCKED
    with pytest.raises(NotEnabled):
        run.system.reader_bumped()
    assert run.system.casts.credit[R1].used == 4


def test_a_channel_that_gets_credit_hands_it_on(run: Run) -> None:
    for number in (1, 2):
        run.publish(number)
        run.system.reader_bumped()
    run.publish(3)
    for number in (1, 2):
        run.system.deliver(message(number), R1)
        run.system.channel_bumped(R1)
    assert run.system.reading.deferred == 0
    run.system.reader_bumped()
    assert run.system.reading.used == 0


def test_a_mirror_is_paid_two_and_acks_both_copies_to_the_channel(pair: Run) -> None:
    pair.publish(1)
    assert (pair.system.casts.credit[R1].used, pair.system.casts.credit[R2].used) == (1, 2)
    pair.system.deliver(message(1), R1)
    pair.system.master_tells(message(1), R2)
    assert pair.system.casts.credit[R2].bumps == 1
    pair.system.deliver_to_mirror(message(1), R2)
    assert pair.system.casts.credit[R2].bumps == 2


def test_a_promoted_mirror_acks_for_the_copy_that_never_comes(pair: Run) -> None:
    pair.publish(1)
    pair.system.lose_node(R1)
    pair.system.promote(R2)
    pair.system.deliver(message(1), R2)
    assert pair.system.casts.credit[R2].bumps == 2


def test_a_promoted_mirror_acks_once_for_what_its_master_told_it_of(pair: Run) -> None:
    pair.publish(1)
    pair.system.deliver(message(1), R1)
    pair.system.master_tells(message(1), R2)
    pair.system.lose_node(R1)
    pair.system.promote(R2)
    pair.system.deliver(message(1), R2)
    assert pair.system.casts.credit[R2].bumps == 2


def test_a_promoted_mirror_acks_once_more_for_what_it_had_from_the_channel(pair: Run) -> None:
    pair.publish(1)
    pair.system.deliver_to_mirror(message(1), R2)
    assert pair.system.casts.credit[R2].bumps == 1
    pair.system.lose_node(R1)
    pair.system.promote(R2)
    pair.system.deliver(message(1), R2)
    assert pair.system.casts.credit[R2].bumps == 2


def test_a_process_that_is_gone_blocks_nobody(pair: Run) -> None:
    pair.publish(1)
    pair.system.deliver(message(1), R1)
    pair.system.channel_bumped(R1)
    pair.publish(2)
    pair.system.lose_node(R2)
    assert pair.system.channel_blocked()
    assert pair.system.reading.deferred == 1
    pair.system.down_arrives(R2)
    assert not pair.system.channel_blocked()
    assert (pair.system.reading.deferred, pair.system.reading.bumps) == (0, 2)


def test_the_channel_hears_of_a_death_after_the_bumps_of_the_dead(run: Run) -> None:
    run.publish(1)
    run.system.deliver(message(1), R1)
    run.system.crash_queue(R1)
    run.system.confirm_arrives(R1)
    with pytest.raises(NotEnabled):
        run.system.down_arrives(R1)
    run.system.channel_bumped(R1)
    run.system.down_arrives(R1)


def test_a_process_that_its_store_blocks_defers_what_it_owes_the_channel(run: Run) -> None:
    for number in (1, 2, 3):
        run.publish(number, persistent=True)
        run.system.deliver(message(number), R1)
        if run.system.reading.bumps:
            run.system.reader_bumped()
        if run.system.casts.credit[R1].bumps:
            run.system.channel_bumped(R1)
    assert run.system.casts.credit[R1].deferred == 1
    run.system.store_takes(message(1), R1)
    run.system.process_bumped(R1)
    assert run.system.casts.credit[R1].deferred == 1
    run.system.store_takes(message(2), R1)
    run.system.process_bumped(R1)
    assert (run.system.casts.credit[R1].deferred, run.system.casts.credit[R1].bumps) == (0, 1)


def test_nothing_reaches_the_disk_before_its_store_has_it(run: Run) -> None:
    run.publish(1, persistent=True)
    run.system.deliver(message(1), R1)
    for step in (run.system.write, run.system.sync):
        with pytest.raises(NotEnabled):
            step(message(1), R1)
    run.system.store_takes(message(1), R1)
    run.system.sync(message(1), R1)


def test_confirms_flow_to_a_client_that_an_alarm_blocks(run: Run) -> None:
    run.publish(1)
    run.system.alarm()
    run.system.publish_waits()
    run.system.deliver(message(1), R1)
    run.system.confirm_arrives(R1)
    run.system.flush()
    assert not run.under_way(2)
    run.system.alarm_clears()
    assert run.frames == [Blocked(CH1), Ack(CH1, message(1), False), Unblocked(CH1)]
    run.system.reader_bumped()
    assert run.under_way(2)


def test_a_blocked_connection_does_not_read_that_it_should_confirm(run: Run) -> None:
    run.system.alarm()
    run.system.select()
    run.system.publish_waits()
    with pytest.raises(NotEnabled):
        run.system.select()


def test_without_credit_flow_nobody_is_ever_blocked(run: Run) -> None:
    run.system.credit = False
    for number in (1, 2, 3, 4):
        run.publish(number, persistent=True)
    assert (run.system.reading.used, run.system.casts.credit[R1].used) == (0, 0)
    run.system.deliver(message(1), R1)
    run.system.sync(message(1), R1)


@pytest.mark.parametrize("instance", [CREDIT, MIRROR_CREDIT], ids=lambda i: i.name)
def test_credit_is_conserved_and_blocks_nobody_for_ever(instance: Instance) -> None:
    report = check(MODEL, instance)
    assert report.outcome.exhausted
    assert not report.outcome.violations


def test_a_mirror_that_joins_gives_credit_that_nobody_has_paid() -> None:
    joins = {**MIRROR_CREDIT.constants, "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.LATER}}
    late = replace(MIRROR_CREDIT, sizes={**MIRROR_CREDIT.sizes, Msg: 1}, constants=joins, faults={})
    outcome = check(MODEL, late).outcome
    assert outcome.exhausted
    assert not outcome.violations
    assert "JoinedGivesUnpaidCredit" in outcome.witnessed


def test_every_situation_comes_up_on_one_of_the_instances() -> None:
    first, second = (check(MODEL, i) for i in (CREDIT, MIRROR_CREDIT))
    assert not set(first.unwitnessed) & set(second.unwitnessed)


@pytest.mark.parametrize("name", CREDITING_MUTANTS)
def test_a_mistake_breaks_the_property_that_is_there_to_find_it(name: str) -> None:
    design, where = CREDITING_MUTANTS[name]
    instance = MODEL.instance(where)
    assert instance is not None
    assert name in check(MODEL, instance, design, properties=[name]).outcome.violations


@pytest.mark.parametrize(("name", "steps"), [("CreditIsConserved", 4), ("NoExcessCredit", 7)])
def test_a_mirror_that_costs_one_and_pays_two_makes_credit(name: str, steps: int) -> None:
    cheap = Design("", constants={"Confirms.mirror_cost": 1})
    assert _length(cheap, name) == steps


def test_a_promoted_mirror_that_forgets_what_it_has_acked_makes_credit() -> None:
    assert _length(Design("", replace=(GenerousBroker,)), "CreditIsConserved") == 7


class GenerousBroker(Confirms):
    """Acks twice whatever was sent to a mirror that is a master by now."""

    @helper
    def acks_twice(self, msg: Msg, replica: Replica) -> bool:
        """Take it that no copy came from the old master."""
        return msg in self.casts[Msg.owner(msg)].as_mirrors[replica]


def _length(design: Design, name: str) -> int:
    return len(check(MODEL, MIRROR_CREDIT, design, properties=[name]).traces[0].steps)


def test_no_process_is_deeper_in_debt_than_the_constants_allow_and_one_is_as_deep() -> None:
    instance = Instance(
        "deep",
        "little credit",
        {**OFF, Msg: 2, Queue: 1, Replica: 2},
        {},
        {**MIRRORED, "CreditPair.initial": 1},
    )
    model = Model(
        "deep", Confirms, (*properties_in(properties_crediting, OverdraftIsLess),), (instance,)
    )
    assert not check(model, instance, properties=["OverdraftIsBounded"]).outcome.violations
    assert check(model, instance, properties=["OverdraftIsLess"]).outcome.violations


@invariant
def OverdraftIsLess(s: Confirms) -> bool:
    """Credit never falls as far below nothing as it may (E1.2)."""
    return all(
        s.casts[c].credit[r].used - s.casts[c].credit[r].initial < s.deepest(c)
        for c in ChannelId
        for r in Replica
    )
