"""A partition over real sockets: connections break, and are refused until it is over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ackproof.impl.running import RunningBroker
from pamqp import commands

from tests.exploring import seeds
from tests.impl.clients import content, encode
from tests.impl.sockets import Bare, blocking, eventually

SHUTDOWN = (
    "0 Connection.Close 320 CONNECTION_FORCED - "
    "broker forced connection closure with reason 'shutdown'"
)


def declared(broker: RunningBroker) -> Bare:
    """Return a client in confirm mode, with a mirrored queue `q`."""
    client = Bare(broker.port).opened()
    client.send(encode(1, commands.Queue.Declare(queue="q", durable=True)))
    assert client.line() == "1 Queue.DeclareOk q 0"
    return client


def replicas(broker: RunningBroker) -> list[Any]:
    """Return the replicas of the queue that run, the one that leads first."""
    (queue,) = broker.queues()
    return [one["replica"] for one in queue["replicas"] if one["running"]]


def turned_away(port: int) -> bool:
    """Tell whether a connection is closed before anything was said."""
    client = Bare(port)
    try:
        return client.line() == ""
    except ConnectionError:
        return True


def test_a_mirror_that_is_cut_off_is_given_up_when_its_time_is_over(tmp_path: Path) -> None:
    with RunningBroker(tmp_path, replicas=3) as broker:
        client = declared(broker)
        broker.partition([2], ticktime=0.05)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        assert replicas(broker) == [0, 1]
        broker.heal()
        assert replicas(broker) == [0, 1, 2]
        broker.check()


def test_a_minority_breaks_its_connections_and_refuses_new_ones_until_it_is_whole(
    tmp_path: Path,
) -> None:
    with RunningBroker(tmp_path, replicas=3) as broker:
        client = declared(broker)
        client.send(encode(1, *content("q", b"before")))
        assert client.line() == "1 ack 1"
        waiting = Bare(broker.port)
        broker.partition([1, 2], ticktime=0.05)
        assert client.line() == SHUTDOWN
        assert waiting.rest() == []
        assert turned_away(broker.port)
        eventually(lambda: replicas(broker) == [1, 2])
        broker.heal()
        assert replicas(broker) == [1, 2, 0]
        with blocking(broker.port) as channel:
            _, _, body = channel.basic_get("q")
            assert body == b"before"
        broker.check()
    with RunningBroker(tmp_path, replicas=3) as broker:
        assert broker.depth("q") == 1


def test_the_node_may_be_restarted_in_the_middle_of_a_partition(tmp_path: Path) -> None:
    with RunningBroker(tmp_path, replicas=3) as broker:
        client = declared(broker)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        broker.partition([1, 2], ticktime=0)
        eventually(lambda: replicas(broker) == [1, 2])
        broker.restart_node()
        assert replicas(broker)[0] == 1
        assert broker.depth("q") == 1
        Bare(broker.port).opened()


def test_a_broker_may_be_stopped_in_the_middle_of_a_partition() -> None:
    with RunningBroker(replicas=3) as broker:
        client = declared(broker)
        broker.partition([2])
    assert client.rest() == [SHUTDOWN]


@pytest.mark.parametrize("seed", seeds(3))
def test_a_seed_draws_when_a_partition_is_noticed(seed: int) -> None:
    with RunningBroker(replicas=3, seed=seed) as broker:
        client = declared(broker)
        broker.partition([0], home=1, ticktime=0)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        broker.heal()
        assert sorted(replicas(broker)) == [0, 1, 2]
        broker.check()


def test_lockstep_follows_into_a_partition_and_out_of_it() -> None:
    with RunningBroker(replicas=3, lockstep=True) as broker:
        client = declared(broker)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        broker.partition([0], home=1, ticktime=0)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 2"
        broker.heal()
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 3"
        broker.check()
