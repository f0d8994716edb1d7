"""Consumers are owed what is ready, if they have room, and the news that their queue is gone."""

from __future__ import annotations

import pytest
from ackproof.conform.kit.operations import Do, Operation
from ackproof.conform.kit.running import run

from tests.conform.kit.planted import PLANTED, serving

DECLARE, DELETE = Operation(Do.DECLARE, queue="q1"), Operation(Do.DELETE, queue="q1")
CONFIRM, SETTLE, WAIT = Operation(Do.CONFIRM), Operation(Do.SETTLE), Operation(Do.WAIT)
PUBLISH = Operation(Do.PUBLISH, queue="q1")
CONSUME = Operation(Do.CONSUME, queue="q1", consumer="a")
ONE_AT_A_TIME = Operation(Do.QOS, prefetch=1)
GET, RECOVER, ACK = Operation(Do.GET, queue="q1"), Operation(Do.RECOVER), Operation(Do.ACK)

#: Programs that break a rule where the broker has a fault, and none where it has not.
OWED: dict[str, tuple[str, list[Operation]]] = {
    "consumers get nothing": ("ReadyIsDelivered", [DECLARE, CONFIRM, PUBLISH, SETTLE, CONSUME]),
    "it recovers nothing": (
        "ReadyIsDelivered",
        [DECLARE, CONFIRM, PUBLISH, SETTLE, GET, RECOVER, CONSUME],
    ),
    "what is settled counts against the limit": (
        "ReadyIsDelivered",
        [DECLARE, CONFIRM, PUBLISH, PUBLISH, SETTLE, ONE_AT_A_TIME, CONSUME, WAIT, ACK],
    ),
    "nobody is told that a queue is gone": ("F3.3", [DECLARE, CONSUME, WAIT, DELETE]),
}


def broken(name: str, program: list[Operation]) -> set[str]:
    """Return the rules that a broker breaks in a program."""
    with serving(PLANTED.get(name), patience=1.0) as setting:
        return run(program, setting).names


@pytest.mark.parametrize("name", OWED)
def test_what_does_not_come_is_named(name: str) -> None:
    rule, program = OWED[name]
    assert broken(name, program) == {rule}
    assert broken("", program) == set()


def test_nothing_is_owed_to_who_has_as_much_as_it_asked_for() -> None:
    program = [DECLARE, CONFIRM, PUBLISH, PUBLISH, SETTLE, ONE_AT_A_TIME, CONSUME]
    assert broken("what is settled counts against the limit", program) == set()
