"""Transactions: nothing before the commit, everything by it, and one answer (A1, A13)."""

from __future__ import annotations

import pytest
from pamqp import base, commands

from tests.impl.clients import Wire

SELECT, COMMIT, ROLLBACK = commands.Tx.Select(), commands.Tx.Commit(), commands.Tx.Rollback()


def transactional() -> Wire:
    """A client with a durable queue, in a transaction."""
    wire = Wire().opened().with_queue("q")
    assert wire.say(1, SELECT) == ["1 Tx.SelectOk"]
    return wire


def ready(wire: Wire, name: str = "q") -> int:
    """How many messages are ready in a queue."""
    return len(wire.broker.queues[name].machine.ready)


def test_selecting_again_is_answered_again() -> None:
    assert transactional().say(1, SELECT) == ["1 Tx.SelectOk"]


def test_what_is_published_goes_nowhere_before_the_commit() -> None:
    wire = transactional()
    assert wire.publish(1, "q") == []
    assert ready(wire) == 0
    wire.say(1, COMMIT)
    assert ready(wire) == 1


def test_a_commit_is_answered_when_the_disk_has_everything() -> None:
    wire = transactional()
    wire.publish(1, "q")
    wire.publish(1, "q")
    assert wire.say(1, COMMIT) == []
    assert wire.commit() == ["1 Tx.CommitOk"]


def test_an_empty_commit_is_answered_at_once() -> None:
    assert transactional().say(1, COMMIT) == ["1 Tx.CommitOk"]


def test_what_is_transient_waits_for_no_disk() -> None:
    wire = transactional()
    wire.publish(1, "q", persistent=False)
    assert wire.say(1, COMMIT) == ["1 Tx.CommitOk"]


def test_a_return_comes_with_the_commit() -> None:
    wire = transactional()
    assert wire.publish(1, "nowhere", mandatory=True) == []
    answer = wire.say(1, COMMIT)
    assert (answer[0], answer[-1]) == ("1 return 312 nowhere", "1 Tx.CommitOk")


def test_a_message_goes_where_it_was_routed_when_it_was_published() -> None:
    wire = transactional()
    wire.publish(1, "later", mandatory=True)
    wire.say(1, commands.Queue.Declare(queue="later"))
    assert wire.say(1, COMMIT)[0] == "1 return 312 later"
    assert ready(wire, "later") == 0


def test_a_rollback_forgets_what_was_published() -> None:
    wire = transactional()
    wire.publish(1, "q")
    assert wire.say(1, ROLLBACK) == ["1 Tx.RollbackOk"]
    assert wire.say(1, COMMIT) == ["1 Tx.CommitOk"]
    assert ready(wire) == 0


def test_a_channel_that_closes_rolls_back() -> None:
    wire = transactional()
    wire.publish(1, "q")
    wire.say(1, commands.Channel.Close(200, "", 0, 0))
    assert ready(wire) == 0


def test_a_commit_that_a_queue_fails_closes_the_channel_and_what_is_stored_stays() -> None:
    wire = transactional()
    wire.say(1, commands.Queue.Declare(queue="r"))
    wire.publish(1, "q")
    wire.publish(1, "r", persistent=False)
    wire.say(1, COMMIT)
    wire.broker.crash_queue("q")
    assert wire.hear() == ["1 Channel.Close 406 PRECONDITION_FAILED - partial tx completion"]
    assert (ready(wire), ready(wire, "r")) == (0, 1)


def test_nobody_may_speak_before_a_commit_is_answered() -> None:
    wire = transactional()
    wire.publish(1, "q")
    wire.say(1, COMMIT)
    assert wire.say(1, COMMIT) == [
        "0 Connection.Close 504 CHANNEL_ERROR - unexpected command while processing 'tx.commit'"
    ]


@pytest.mark.parametrize("method", [COMMIT, ROLLBACK])
def test_without_a_transaction_there_is_nothing_to_end(method: base.Frame) -> None:
    assert Wire().opened().say(1, method) == [
        "1 Channel.Close 406 PRECONDITION_FAILED - channel is not transactional"
    ]


def test_a_confirming_channel_cannot_become_transactional() -> None:
    assert Wire().opened().confirming().say(1, SELECT) == [
        "1 Channel.Close 406 PRECONDITION_FAILED - cannot switch from confirm to tx mode"
    ]


def test_a_transactional_channel_cannot_become_confirming() -> None:
    assert transactional().say(1, commands.Confirm.Select()) == [
        "1 Channel.Close 406 PRECONDITION_FAILED - cannot switch from tx to confirm mode"
    ]


# -- acks in a transaction ----------------------------------------------------------------------


def consuming() -> Wire:
    """A client in a transaction that has got two messages of three."""
    wire = Wire().opened().with_queue("q")
    for _ in range(3):
        wire.publish(1, "q")
    wire.commit()
    wire.say(1, SELECT)
    for _ in range(2):
        assert wire.say(1, commands.Basic.Get(queue="q"))[0].startswith("1 get-ok")
    return wire


def pending(wire: Wire) -> int:
    """How many messages a client has and has not settled, for all that the queue knows."""
    return len(wire.broker.queues["q"].machine.pending)


def test_an_ack_takes_effect_at_the_commit() -> None:
    wire = consuming()
    wire.say(1, commands.Basic.Ack(1))
    assert pending(wire) == 2
    wire.say(1, COMMIT)
    assert pending(wire) == 1


def test_so_does_what_comes_back() -> None:
    wire = consuming()
    wire.say(1, commands.Basic.Nack(2, multiple=True, requeue=True))
    assert ready(wire) == 1
    wire.say(1, COMMIT)
    assert (ready(wire), pending(wire)) == (3, 0)


def test_a_rollback_gives_the_deliveries_back_under_their_tags() -> None:
    wire = consuming()
    wire.say(1, commands.Basic.Ack(2, multiple=True))
    wire.say(1, ROLLBACK)
    assert pending(wire) == 2
    wire.say(1, commands.Basic.Ack(2, multiple=True))
    wire.say(1, COMMIT)
    assert pending(wire) == 0


def test_a_tag_cannot_be_settled_twice_in_a_transaction() -> None:
    wire = consuming()
    wire.say(1, commands.Basic.Ack(1))
    assert wire.say(1, commands.Basic.Ack(1)) == [
        "1 Channel.Close 406 PRECONDITION_FAILED - unknown delivery tag 1"
    ]
    assert (ready(wire), pending(wire)) == (3, 0)


def test_what_was_routed_to_a_queue_that_is_gone_at_the_commit_is_returned() -> None:
    wire = Wire().opened(1, 2)
    for queue in ("gone", "q"):
        wire.say(2, commands.Queue.Declare(queue=queue, durable=True))
    wire.say(1, commands.Tx.Select())
    wire.publish(1, "gone", b"one", mandatory=True)
    wire.publish(1, "q", b"two", mandatory=True)
    wire.publish(1, "gone", b"three", mandatory=True)
    wire.publish(1, "nowhere", b"four", mandatory=True)
    wire.say(2, commands.Queue.Delete(queue="gone"))
    wire.commit()
    told = wire.say(1, commands.Tx.Commit())
    assert [line for line in told if "body" in line] == [
        "1 body b'one'",
        "1 body b'three'",
        "1 body b'four'",
    ]
    assert wire.commit() == ["1 Tx.CommitOk"]
