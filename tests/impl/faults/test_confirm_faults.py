"""Confirms that are withheld, and connections that break right before them or right after."""

from __future__ import annotations

from typing import Any

import pytest
from ackproof.impl.faults.fault_triggers import FaultTriggers
from ackproof.impl.running import RunningBroker
from ackproof.impl.session.session import Phase
from pamqp import commands

from tests.impl.clients import content, encode
from tests.impl.faults.faulty_clients import confirming, passed, with_queue


def test_withheld_confirms_are_told_when_released_and_everything_else_at_once() -> None:
    wire = confirming()
    wire.broker.faults.withhold_confirms()
    wire.publish(1, "none")
    wire.publish(2, "none")
    assert wire.publish(1, "none", mandatory=True) == [
        "1 return 312 none",
        "1 header 5",
        "1 body b'hello'",
    ]
    wire.broker.faults.release_confirms()
    assert sorted(wire.hear()) == ["1 ack 2*", "2 ack 1"]
    passed(wire)


def test_the_confirms_of_one_channel_can_be_delayed() -> None:
    wire = confirming()
    wire.broker.faults.delay_confirms(routing_key="slow")
    assert wire.publish(1, "none") == ["1 ack 1"]
    assert wire.publish(1, "slow") == []
    assert wire.publish(1, "none") == []
    assert wire.publish(2, "none") == ["2 ack 1"]
    wire.broker.faults.release_confirms()
    assert wire.hear() == ["1 ack 3*"]
    assert wire.publish(1, "none") == ["1 ack 4"]


def test_nothing_is_kept_for_a_channel_that_is_closed() -> None:
    wire = confirming()
    wire.broker.faults.delay_confirms()
    wire.broker.faults.drop_connection()
    wire.publish(1, "none")
    triggers = wire.broker.steps.context.faults
    assert isinstance(triggers, FaultTriggers)
    assert triggers.stopped
    wire.say(1, commands.Channel.Close(0, "", 0, 0))
    assert not triggers.stopped
    assert not triggers._delayed
    assert not triggers.cuts._marked


# -- connections ----------------------------------------------------------------------------------


def test_a_connection_breaks_before_its_confirm_and_the_message_is_there() -> None:
    wire = confirming()
    wire.broker.faults.drop_connection()
    wire.publish(1, "q")
    assert wire.commit() == []
    assert wire.session.phase is Phase.CLOSED
    assert not wire.broker.history.of("ack")
    assert len(wire.broker.queues["q"].machine.ready) == 1


def test_a_connection_breaks_after_its_confirm() -> None:
    wire = confirming()
    wire.broker.faults.drop_connection("after_confirm", routing_key="q")
    assert wire.publish(1, "none") == ["1 ack 1"]
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 2"]
    assert wire.session.phase is Phase.CLOSED
    passed(wire)


def test_what_a_broken_connection_has_sent_besides_is_not_done() -> None:
    wire = confirming()
    wire.broker.faults.drop_connection()
    declare = commands.Queue.Declare(queue="later", durable=True)
    assert wire.say(1, *content("none"), declare) == []
    assert "later" not in wire.broker.queues


def test_a_moment_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="one of before_confirm, after_confirm"):
        confirming().broker.faults.drop_connection("now")  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize(
    ("when", "heard"), [("before_confirm", []), ("after_confirm", ["1 ack 1"])]
)
def test_a_client_sees_its_connection_break(when: Any, heard: list[str], seed: int | None) -> None:
    with RunningBroker(seed=seed) as broker:
        client = with_queue(broker)
        broker.drop_connection(when)
        client.send(encode(1, *content("q")))
        assert client.rest() == heard
        client.close()
        assert broker.depth("q") == 1
        broker.check()
