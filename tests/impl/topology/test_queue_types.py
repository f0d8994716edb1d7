"""A type of queue is an entry of a table."""

from __future__ import annotations

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.lockstep.lockstep import Lockstep
from ackproof.impl.topology.queue_types import CLASSIC, TYPE, TYPES, QueueType
from ackproof.spec.sorts import Overflow
from pamqp import commands

from tests.impl.clients import Wire


def test_a_type_has_what_its_entry_says_and_lockstep_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = TYPES[CLASSIC].foreign | {"x-overflow"}
    strict = QueueType(foreign, lasting=True, constants={"overflow": Overflow.REJECT_PUBLISH})
    monkeypatch.setitem(TYPES, "strict", strict)
    broker = Broker()
    lockstep = Lockstep(broker.steps)
    wire = Wire(broker).opened(1, 2).confirming(1)
    wire.say(1, declared("q", "strict"))
    wire.commit()
    assert wire.publish(1, "q", persistent=False) == ["1 ack 1"]
    assert wire.publish(1, "q", persistent=False) == ["1 nack 2*"]
    lockstep.check()
    (closed,) = wire.say(2, declared("r", "strict", **{"x-overflow": "drop-head"}))
    assert "406 PRECONDITION_FAILED - invalid arg 'x-overflow'" in closed
    (closed,) = wire.say(1, declared("r", "strict", durable=False))
    assert "406 PRECONDITION_FAILED - invalid property 'non-durable'" in closed


def declared(
    name: str, kind: str, *, durable: bool = True, **arguments: str
) -> commands.Queue.Declare:
    """Return the declaration of a queue with room for one message."""
    asked = {TYPE: kind, "x-max-length": 1, **arguments}
    return commands.Queue.Declare(queue=name, durable=durable, arguments=asked)  # type: ignore[arg-type]
