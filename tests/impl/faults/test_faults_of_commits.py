"""What can go wrong with a publish can go wrong with one of a transaction, when it is committed."""

from __future__ import annotations

from ackproof.impl.broker import Broker
from ackproof.impl.faults.fault_triggers import FaultTriggers
from ackproof.impl.history.history import History
from ackproof.impl.session.session import Phase
from pamqp import commands

from tests.impl.clients import Wire

COMMIT = commands.Tx.Commit()
FAILED = "1 Channel.Close 406 PRECONDITION_FAILED - partial tx completion"


def transactional() -> Wire:
    """Return a client in a transaction on channel 1, in confirm mode on channel 2."""
    wire = Wire(Broker(history=History(recording=True))).opened(1, 2).with_queue("q")
    wire.say(1, commands.Tx.Select())
    return wire.confirming(2)


def committing(wire: Wire, *, persistent: bool = False) -> list[str]:
    """Publish two messages and commit them; return what is said to that."""
    for _ in range(2):
        assert wire.publish(1, "q", persistent=persistent) == []
    return wire.say(1, COMMIT)


def test_commit_ok_is_withheld_like_a_confirm() -> None:
    wire = transactional()
    wire.broker.faults.withhold_confirms()
    assert committing(wire) == []
    assert wire.publish(2, "q", persistent=False) == []
    assert len(wire.broker.queues["q"].machine.ready) == 3
    wire.broker.faults.release_confirms()
    assert sorted(wire.hear()) == ["1 Tx.CommitOk", "2 ack 1"]
    assert committing(wire) == ["1 Tx.CommitOk"]


def test_so_is_the_answer_to_a_commit_of_nothing() -> None:
    wire = transactional()
    wire.broker.faults.withhold_confirms()
    assert wire.say(1, COMMIT) == []
    wire.broker.faults.release_confirms()
    assert wire.hear() == ["1 Tx.CommitOk"]


def test_so_is_the_close_of_a_commit_that_failed() -> None:
    wire = transactional()
    wire.broker.faults.withhold_confirms()
    wire.broker.faults.nack_next()
    assert committing(wire) == []
    wire.broker.faults.clear()
    assert wire.hear() == [FAILED]


def test_commit_ok_is_delayed_on_the_channel_of_a_publish() -> None:
    wire = transactional()
    wire.broker.faults.delay_confirms(skip=1, routing_key="q")
    assert committing(wire) == []
    assert wire.publish(2, "q", persistent=False) == ["2 ack 1"]
    wire.broker.faults.release_confirms()
    assert wire.hear() == ["1 Tx.CommitOk"]


def test_a_refused_publish_fails_its_commit_and_the_others_stand_in_their_queues() -> None:
    wire = transactional()
    wire.broker.faults.nack_next(skip=1)
    assert committing(wire) == [FAILED]
    assert len(wire.broker.queues["q"].machine.ready) == 1


def test_a_crash_between_a_commit_and_the_disk_fails_it() -> None:
    wire = transactional()
    wire.broker.faults.crash_next()
    assert committing(wire, persistent=True) == [FAILED]
    assert not wire.broker.queues["q"].machine.ready


def test_what_is_rolled_back_is_no_publish() -> None:
    wire = transactional()
    wire.broker.faults.nack_next()
    wire.publish(1, "q")
    assert wire.say(1, commands.Tx.Rollback()) == ["1 Tx.RollbackOk"]
    assert committing(wire) == [FAILED]


def test_a_connection_breaks_before_commit_ok_and_the_messages_are_there() -> None:
    wire = transactional()
    wire.broker.faults.drop_connection()
    assert committing(wire) == []
    assert wire.session.phase is Phase.CLOSED
    assert len(wire.broker.queues["q"].machine.ready) == 2


def test_a_connection_breaks_after_commit_ok() -> None:
    wire = transactional()
    wire.broker.faults.drop_connection("after_confirm")
    assert committing(wire) == ["1 Tx.CommitOk"]
    assert wire.session.phase is Phase.CLOSED


def test_a_connection_breaks_after_the_close_of_its_channel() -> None:
    wire = transactional()
    wire.broker.faults.drop_connection("after_confirm")
    wire.broker.faults.nack_next()
    assert committing(wire) == [FAILED]
    assert wire.session.phase is Phase.CLOSED


def test_publishes_of_a_transaction_get_one_answer_and_no_order() -> None:
    wire = transactional()
    wire.broker.faults.reorder_confirms()
    assert committing(wire) == ["1 Tx.CommitOk"]
    assert wire.publish(2, "q", persistent=False) == []


def test_a_channel_that_closes_meanwhile_leaves_nothing_behind() -> None:
    wire = transactional()
    wire.broker.faults.withhold_confirms()
    committing(wire)
    triggers = wire.broker.steps.context.faults
    assert isinstance(triggers, FaultTriggers)
    assert triggers.stopped
    assert wire.say(1, COMMIT)[0].startswith("0 Connection.Close 504 ")
    assert not triggers.stopped
