"""A broker in a thread: when it can be asked, and what it says when it cannot."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pika
import pytest
from ackproof.impl.node import Node
from ackproof.impl.running import RunningBroker
from ackproof.impl.server.server import Server
from ackproof.impl.storage.disk import Disk, DiskError
from ackproof.impl.storage.stored import Stored

from tests.impl.clients import content, encode
from tests.impl.faults.faulty_clients import with_queue
from tests.impl.sockets import blocking, eventually


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

        async def several(node: Node) -> None:
            await asyncio.gather(*[node.restart() for _ in range(5)])

        broker._wait_for(several)
        assert [entry.kind for entry in broker.history] == ["node_restarted"] * 5
        with blocking(broker.port) as channel:
            channel.queue_declare("q")
            assert broker.depth("q") == 0


@pytest.mark.parametrize("seed", [None, 5])
def test_a_node_that_cannot_start_again_says_why_and_does_when_it_can(
    seed: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(_: Disk) -> Stored:
        raise DiskError("it is damaged")

    with RunningBroker(tmp_path, seed=seed) as broker:
        with blocking(broker.port) as channel:
            channel.queue_declare("q", durable=True)
        with monkeypatch.context() as patch:
            patch.setattr(Disk, "recover", damaged)
            for _ in range(2):
                with pytest.raises(DiskError, match="it is damaged"):
                    broker.restart_node()
            with pytest.raises(pika.exceptions.AMQPConnectionError), blocking(broker.port):
                pass
        broker.restart_node()
        assert broker.depth("q") == 0
        with blocking(broker.port) as channel:
            channel.queue_declare("q", passive=True)


def test_a_node_that_could_not_start_again_can_stop_and_has_committed_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def taken(*_: object) -> int:
        raise OSError("it is taken")

    with RunningBroker(tmp_path, seed=1) as broker:
        client = with_queue(broker)
        broker.hold_fsync()
        client.send(encode(1, *content("q")))
        eventually(lambda: broker.depth("q") == 1)
        monkeypatch.setattr(Server, "start", taken)
        with pytest.raises(OSError, match="it is taken"):
            broker.restart_node()
        client.close()
    monkeypatch.undo()
    with RunningBroker(tmp_path) as broker:
        assert broker.depth("q") == 0
