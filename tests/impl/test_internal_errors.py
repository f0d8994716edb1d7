"""A fault in the broker itself stops one step, or one connection; everything else goes on."""

from __future__ import annotations

from typing import Any

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.running import RunningBroker
from ackproof.impl.storage.journal import Batch
from pamqp import commands

from tests.impl.clients import Wire, content, encode
from tests.impl.sockets import Bare, blocking, eventually


class Breaks:
    """Lets a step fail, once."""

    def __init__(self, step: str) -> None:
        self._step: str | None = step

    def before(self, step: str, _: tuple[Any, ...]) -> None:
        """Fail if this is the step."""
        if step == self._step:
            self._step = None
            raise RuntimeError("a fault of the broker")

    def after(self, step: str, arguments: tuple[Any, ...]) -> None:
        """The step was taken."""

    def committed(self, batch: Batch) -> None:
        """A commit has returned."""


@pytest.mark.parametrize("step", ["sync", "drain", "confirm_arrives", "flush"])
def test_where_a_step_fails_its_connection_stays_and_others_are_served(
    step: str, caplog: pytest.LogCaptureFixture
) -> None:
    with RunningBroker() as broker, blocking(broker.port) as other:
        unlucky, lucky = Bare(broker.port).opened(), Bare(broker.port).opened()
        for name in ("q", "other"):
            other.queue_declare(name, durable=True)
        broker.ask(lambda b: b.steps.observers.append(Breaks(step)))
        unlucky.send(encode(1, *content("q")))
        eventually(lambda: "a fault of the broker" in caplog.text)
        lucky.send(encode(1, *content("other")))
        assert lucky.line() == "1 ack 1"
        unlucky.send(encode(1, commands.Channel.Close(200, "", 0, 0)))
        assert unlucky.line() == "1 Channel.CloseOk"
        unlucky.close()
        lucky.close()


def test_where_closing_one_channel_fails_the_others_are_closed_all_the_same() -> None:
    wire = Wire(Broker()).opened(1, 2)
    wire.say(1, commands.Queue.Declare(queue="exclusive", exclusive=True))
    wire.say(2, commands.Queue.Declare(queue="q"))
    wire.publish(1, "q")
    assert wire.say(2, commands.Basic.Get(queue="q"))
    wire.broker.steps.observers.append(Breaks("close"))
    wire.session.connection_lost()
    assert list(wire.broker.queues) == ["q"]
    assert len(wire.broker.queues["q"].machine.ready) == 1, "what was unacked is back"
