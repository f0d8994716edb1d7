"""A broker in a thread: when it can be asked, and what it says when it cannot."""

from __future__ import annotations

import asyncio

import pytest
from ackproof.impl.running import RunningBroker

from tests.impl.sockets import blocking


def test_a_broker_that_has_not_started_says_so() -> None:
    with pytest.raises(RuntimeError, match="ask it inside of its `with` block"):
        RunningBroker().nack_next()
    with pytest.raises(RuntimeError, match="ask it inside of its `with` block"):
        RunningBroker().restart_node()


def test_a_broker_that_has_stopped_says_so_and_can_start_again() -> None:
    broker = RunningBroker()
    with broker:
        assert broker.queues() == []
    with pytest.raises(RuntimeError, match="the broker does not run"):
        broker.queues()
    with broker:
        assert broker.queues() == []


def test_a_queue_that_is_not_there_is_named_with_those_that_are() -> None:
    with RunningBroker() as broker, blocking(broker.port) as channel:
        channel.queue_declare("orders")
        assert broker.depth("orders") == 0
        with pytest.raises(KeyError, match="there is no queue 'order'; there are: orders"):
            broker.depth("order")


def test_a_port_that_is_taken_is_an_error_on_entry() -> None:
    with RunningBroker() as broker, pytest.raises(OSError, match="address already in use"):
        RunningBroker(port=broker.port).__enter__()


def test_restarts_that_are_asked_for_at_the_same_time_happen_one_after_the_other() -> None:
    with RunningBroker() as broker:

        async def several() -> None:
            node = broker._node
            await asyncio.gather(*[node.restart() for _ in range(5)])

        broker._await(several())
        assert [entry.kind for entry in broker.history] == ["node_restarted"] * 5
        with blocking(broker.port) as channel:
            channel.queue_declare("q")
            assert broker.depth("q") == 0
