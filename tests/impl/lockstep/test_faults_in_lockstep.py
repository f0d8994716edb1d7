"""Faults are steps of the specification, and so is the end of a commit that has failed."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.lockstep.lockstep import Deviation, Lockstep
from ackproof.impl.machines.channels import ConsumingChannel, PublishingChannel
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.seeded import Seeded
from ackproof.impl.steps.transactions import Transactions
from ackproof.lang import NotEnabled
from ackproof.spec.sorts import TxMode
from hypothesis import given, settings
from hypothesis import strategies as st
from pamqp import commands

from tests.exploring import examples
from tests.impl.clients import Wire, content
from tests.impl.lockstep.test_lockstep import TRANSACTIONAL, Traffic, run, traffic

PUBLISH = ("publish", TRANSACTIONAL, ["durable"], False, True)
COMMIT = ("end_transaction", True)


class Faulty(Traffic):
    """Traffic, and faults of what is told and in which order."""

    def nack(self) -> None:
        """Refuse the next publish."""
        self.wire.broker.faults.nack_next()

    def reorder(self, n: int, seed: int) -> None:
        """Settle the next ones in some order."""
        self.wire.broker.faults.reorder_confirms(n, "drawn", seed)

    def withhold(self) -> None:
        """Tell nothing."""
        self.wire.broker.faults.withhold_confirms()

    def delay(self) -> None:
        """Tell nothing on the channel of the next publish."""
        self.wire.broker.faults.delay_confirms()

    def release(self) -> None:
        """Tell everything."""
        self.wire.broker.faults.release_confirms()
        self.wire.hear()


faults = st.one_of(
    st.tuples(st.sampled_from(["nack", "withhold", "delay", "release"])),
    st.tuples(st.just("reorder"), st.integers(2, 3), st.integers(0, 10)),
)
faulty = st.tuples(traffic, st.lists(st.tuples(st.integers(0, 30), faults), max_size=4)).map(
    lambda both: _mixed(*both)
)


def _mixed(
    commands: list[tuple[object, ...]], some: list[tuple[int, tuple[object, ...]]]
) -> list[tuple[object, ...]]:
    for place, fault in some:
        commands.insert(min(place, len(commands)), fault)
    return [*commands, ("release",)]


@settings(max_examples=examples(100))
@given(faulty, st.none() | st.integers(0, 1_000_000))
def test_whatever_goes_wrong_the_specification_allows_it(
    commands: list[tuple[object, ...]], seed: int | None
) -> None:
    run(commands, Faulty(None if seed is None else Seeded(seed)))


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_a_commit_that_fails_is_a_step_of_the_specification(seed: int | None) -> None:
    traffic = Faulty(None if seed is None else Seeded(seed))
    run([PUBLISH], traffic)
    (channel,) = (c for c in traffic.wire.broker.steps.context.channels.values() if c.batch)
    run([COMMIT, ("crash", "durable")], traffic)
    completed = [step.args for step in traffic.lockstep.taken if step.action == "complete"]
    assert completed == [(channel.id,)]
    assert not channel.machine.open


@pytest.mark.parametrize("seed", [None, 7])
@pytest.mark.parametrize("transactional", [False, True])
@pytest.mark.parametrize("when", ["before_confirm", "after_confirm"])
def test_a_connection_that_breaks_is_closed_between_two_steps(
    when: Literal["before_confirm", "after_confirm"], transactional: bool, seed: int | None
) -> None:
    broker = Broker(None if seed is None else Seeded(seed))
    lockstep = Lockstep(broker.steps)
    wire = Wire(broker).opened().with_queue("q", durable=False)
    select, commit = (
        (commands.Tx.Select(), [commands.Tx.Commit()])
        if transactional
        else (commands.Confirm.Select(), [])
    )
    wire.say(1, select)
    broker.faults.drop_connection(when)
    wire.say(1, *content("q"), *commit)
    while broker.waiting:
        broker.run(idle=True)
    assert wire.session.severed
    lockstep.check()


# -- mistakes are found -----------------------------------------------------------------------


def hopeful(self: Any, channel: PublishingChannel) -> None:
    """Say commit-ok although a queue has not taken responsibility."""
    channel.machine.confirmed.clear()
    channel.machine.rejected.clear()
    channel.transaction.mode = TxMode.COMMITTING
    channel.transaction.complete()


_commit = Transactions.tx_commit


@observed
def tx_commit(self: Any, channel: PublishingChannel, consuming: ConsumingChannel) -> None:
    """Commit, and complete at once."""
    _commit(self, channel, consuming)
    self.complete(channel)


@observed
def complete(self: Any, channel: PublishingChannel) -> None:
    """Close the channel before it is known that the commit has failed."""
    if channel.transaction.answers():
        raise NotEnabled
    channel.transaction.mode = TxMode.FAILED
    channel.machine.unconfirmed.clear()
    self.closing.closing_if_refused(channel, self.system.complete)


@pytest.mark.parametrize(
    "mistake", [{"_end_commit": hopeful}, {"tx_commit": tx_commit, "complete": complete}]
)
def test_a_commit_that_ends_otherwise_is_found_out(
    mistake: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, method in mistake.items():
        monkeypatch.setattr(Transactions, name, method)
    commands: list[tuple[object, ...]] = [PUBLISH, COMMIT, ("crash", "durable")]
    with pytest.raises(Deviation):
        run(commands, Faulty())
