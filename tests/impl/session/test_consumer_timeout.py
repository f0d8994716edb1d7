"""A delivery that is not settled for too long ends its channel, and comes back."""

from __future__ import annotations

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.limits import Limits
from ackproof.impl.session.consumer_timeout import ConsumerTimeout
from ackproof.impl.session.session import Session
from hypothesis import given
from hypothesis import strategies as st
from pamqp import commands

from tests.impl.consumer_wire import ConsumerWire

TIMEOUT = 5.0
TIMED_OUT = (
    "1 Channel.Close 406 PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. "
    "Timeout value used: 5000 ms. "
    "This timeout value can be configured, see consumers doc guide to learn more"
)


class PatientWire(ConsumerWire):
    """A client of a broker whose time passes when the test says so."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        super().__init__(Broker(clock=lambda: self.now))
        self.session = Session(self.broker, limits=Limits(unacked_for=TIMEOUT))
        self.opened(1, 2).with_queue("q")

    def later(self, seconds: float) -> list[str]:
        """Let time pass, with the broker called whenever it wants to be."""
        until = self.now + seconds
        while (due := self.broker.due) is not None and due <= until:
            self.now = due
            self.broker.run(idle=True)
        self.now = until
        return self.hear()


@pytest.fixture
def wire() -> PatientWire:
    return PatientWire().holding("q", "a", "b", "c", persistent=False)  # type: ignore[return-value]


def test_a_delivery_that_is_not_settled_ends_the_channel_and_comes_back(wire: PatientWire) -> None:
    wire.consume("q", "c")
    assert wire.later(TIMEOUT - 0.01) == []
    assert wire.later(0.01) == [TIMED_OUT]
    assert wire.ready("q") == 3
    wire.say(1, commands.Channel.CloseOk())
    assert wire.get("q", channel=2) == ["2 get-ok 1 a again +2"]


def test_an_answer_to_get_counts_too(wire: PatientWire) -> None:
    wire.get("q")
    assert wire.later(2 * TIMEOUT) == [TIMED_OUT]


def test_the_oldest_one_counts(wire: PatientWire) -> None:
    wire.get("q")
    wire.later(4)
    wire.get("q")
    wire.ack(1)
    assert wire.later(4) == []
    assert wire.later(1.5) == [TIMED_OUT]


def test_what_was_settled_in_time_does_no_harm(wire: PatientWire) -> None:
    wire.consume("q", "c")
    wire.later(3)
    wire.ack(3, multiple=True)
    assert wire.later(10 * TIMEOUT) == []
    assert wire.broker.due is None


def test_deliveries_without_acks_are_not_looked_at(wire: PatientWire) -> None:
    wire.consume("q", "c", no_ack=True)
    wire.get("q", no_ack=True)
    assert wire.broker.due is None


def test_what_comes_back_by_a_rollback_is_in_its_place_again(wire: PatientWire) -> None:
    wire.say(1, commands.Tx.Select())
    for _ in range(3):
        wire.get("q")
    wire.ack(1)
    wire.say(1, commands.Tx.Rollback())
    wire.ack(2, multiple=True)
    wire.say(1, commands.Tx.Commit())
    assert list(wire.session.channels[1].consuming.machine.unacked) == [3]


def test_a_closed_channel_is_not_looked_at_again(wire: PatientWire) -> None:
    wire.get("q")
    wire.say(1, commands.Channel.Close(200, "", 0, 0))
    assert wire.broker.due is None


#: Times that are added and subtracted without an error.
PAUSES = st.integers(0, 1280).map(lambda parts: parts / 64)


@given(st.lists(st.tuples(PAUSES, st.integers(0, 3), st.integers(0, 3)), max_size=30))
def test_nobody_is_ended_too_early_nor_much_too_late(acts: list[tuple[float, int, int]]) -> None:
    """Deliver and settle at random times, and compare with the times of all deliveries."""
    timeout, now, last = 60.0, 0.0, 0
    checked, made = ConsumerTimeout(timeout), dict[int, float]()
    for pause, delivered, settled in acts:
        end = now + pause
        while checked.pending and checked.next_check <= end:
            now = checked.next_check
            over = checked.expired(now, last, next(iter(made), None))
            waits = now - min(made.values(), default=now)
            assert waits >= timeout if over else waits < timeout + 2
            if over:
                return
        now = end
        for _ in range(delivered):
            last += 1
            made[last] = now
            if not checked.pending:
                checked.expired(now, last, next(iter(made)))
        for tag in list(made)[:settled]:
            del made[tag]
