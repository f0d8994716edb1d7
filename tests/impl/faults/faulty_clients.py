"""Clients of a broker that is asked for faults: one without sockets, and one with."""

from __future__ import annotations

from ackproof.impl.broker import Broker
from ackproof.impl.history.history import History
from ackproof.impl.running import RunningBroker
from pamqp import commands

from tests.impl.clients import Wire, encode
from tests.impl.sockets import Bare

__all__ = ["confirming", "passed", "with_queue"]


def confirming(*names: str) -> Wire:
    """Return a client in confirm mode on a broker with queues, whose history is taken down."""
    wire = Wire(Broker(history=History(recording=True))).opened(1, 2)
    for name in names or ("q",):
        wire.with_queue(name)
    return wire.confirming(1, 2)


def passed(wire: Wire) -> None:
    """Insist that the history shows nothing wrong."""
    wire.broker.history.check.passed()


def with_queue(broker: RunningBroker) -> Bare:
    """Return a client in confirm mode, with a durable queue."""
    client = Bare(broker.port).opened()
    client.send(encode(1, commands.Queue.Declare(queue="q", durable=True)))
    assert client.line().startswith("1 Queue.DeclareOk q ")
    return client
