"""The end of a run: queues are emptied by whom they belong to, and nothing is left behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ackproof.conform.kit.clients import Clients
from ackproof.conform.kit.draining import Drain
from ackproof.conform.kit.operations import Do, Operation
from ackproof.conform.kit.performing import Performer
from ackproof.conform.kit.trace import Trace
from ackproof.conform.kit.url import Address
from ackproof.impl.running import RunningBroker

OWN = Operation(Do.DECLARE, queue="q1", exclusive=True)
OTHER = Operation(Do.DECLARE, queue="q2")
PUBLISH, WAIT = Operation(Do.PUBLISH, queue="q1"), Operation(Do.WAIT)


@contextmanager
def drained(*program: Operation) -> Iterator[tuple[RunningBroker, Clients, Drain]]:
    """Perform a program, and give what ends it."""
    with RunningBroker() as broker:
        address = Address(broker.host, broker.port, "guest", "guest", "/")
        clients = Clients(address, Trace(), b"key", 20.0)
        performer = Performer(clients, "t")
        performer.perform(program)
        yield broker, clients, Drain(clients, performer.name, 0.3)
        clients.abandon()


def test_an_exclusive_queue_is_emptied_by_its_own_connection_and_refuses_the_other() -> None:
    with drained(OWN, OTHER, PUBLISH, PUBLISH, WAIT) as (broker, clients, drain):
        drain.settle()
        drain.empty()
        own, other = clients.trace.queue("q1"), clients.trace.queue("q2")
        assert (own.left, own.shared, own.outlived, own.missing) == (2, False, False, "")
        assert (other.left, other.missing) == (0, "")
        assert [close.code for close in clients.trace.closes] == [405, 404]
        assert all(close.expected for close in clients.trace.closes)
        assert [queue["name"] for queue in broker.queues()] == ["t-q2"]


def test_what_still_belongs_to_somebody_keeps_nothing_else_from_being_removed() -> None:
    with drained(OWN, OTHER, WAIT) as (broker, clients, drain):
        drain.remove([])
        assert all(close.expected for close in clients.trace.closes)
        assert [close.code for close in clients.trace.closes] == [405]
        assert [queue["name"] for queue in broker.queues()] in ([], ["t-q1"])
