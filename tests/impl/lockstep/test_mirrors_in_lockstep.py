"""Whatever happens to a mirrored queue, its processes do what the specification does."""

from __future__ import annotations

from collections.abc import Callable

import pika
import pytest
from ackproof.impl.lockstep.lockstep import Deviation
from ackproof.impl.running import RunningBroker
from ackproof.impl.steps.scheduler import Eager, Scheduler

from tests.exploring import seeds
from tests.impl.lockstep.broken_mirrors import MISTAKES
from tests.impl.mirror_traffic import Traffic

SEEDS = seeds(2)


def calm(traffic: Traffic) -> None:
    """Publish and consume in all ways, and now and then a process dies or comes back."""
    happens = traffic.dice.random()
    if happens < 0.25:
        traffic.kill(sparing=False)
    elif happens < 0.5:
        traffic.mend()
    elif happens < 0.6:
        traffic.slow()
    elif happens < 0.75:
        traffic.consume()
    elif happens < 0.85:
        traffic.subscribe()
    elif happens < 0.95:
        traffic.transact()
    else:
        traffic.reopen()


def stormy(traffic: Traffic) -> None:
    """Processes die and channels close all the time."""
    happens = traffic.dice.random()
    if happens < 0.35:
        traffic.kill(sparing=False)
    elif happens < 0.65:
        traffic.mend()
    elif happens < 0.75:
        traffic.consume()
    elif happens < 0.85:
        traffic.slow()
    else:
        traffic.reopen()


def deadly(traffic: Traffic) -> None:
    """Queues are deleted, whatever is on its way to their processes."""
    traffic.declare()
    happens = traffic.dice.random()
    if happens < 0.4:
        traffic.delete()
    elif happens < 0.5:
        traffic.broker.faults.delete_next()
    elif happens < 0.6:
        traffic.kill(sparing=True)
    elif happens < 0.7:
        traffic.mend()
    elif happens < 0.8:
        traffic.consume()
    else:
        traffic.slow()


def run(
    seed: int, scheduler: Scheduler | None = None, weather: Callable[[Traffic], None] = calm
) -> None:
    """Let a lot happen, and insist that all of it was allowed."""
    traffic = Traffic(seed, scheduler=scheduler, lockstep=True)
    assert traffic.lockstep is not None
    try:
        for _ in range(25):
            traffic.publish()
            weather(traffic)
        traffic.settle()
    finally:
        traffic.lockstep.check()


@pytest.mark.parametrize("weather", [calm, stormy, deadly])
@pytest.mark.parametrize("seed", SEEDS)
def test_mirrors_follow_and_lead_as_the_specification_says_in_any_order(
    seed: int, weather: Callable[[Traffic], None]
) -> None:
    run(seed, weather=weather)


@pytest.mark.parametrize("seed", SEEDS)
def test_so_they_do_when_everything_happens_at_once(seed: int) -> None:
    run(seed, Eager())


def find() -> None:
    """Run until something is found."""
    for seed in range(6):
        run(seed, weather=stormy)


@pytest.mark.parametrize("name", MISTAKES)
def test_mirrors_that_do_otherwise_are_found_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mistake = MISTAKES[name]
    right = getattr(mistake.place, mistake.name)
    monkeypatch.setattr(mistake.place, mistake.name, mistake.make(right))
    with pytest.raises(Deviation):
        find()


def test_a_broker_with_replicas_runs_in_lockstep() -> None:
    with RunningBroker(replicas=2, lockstep=True) as broker:
        publish(broker.port)
        broker.kill_replica("orders", 0)
        publish(broker.port)
        broker.restart_replica("orders", 0)
        publish(broker.port)
        assert broker.depth("orders") == 3


def publish(port: int) -> None:
    """Publish a message, and wait until it is confirmed."""
    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port))
    channel = connection.channel()
    channel.confirm_delivery()
    channel.queue_declare("orders", durable=True)
    channel.basic_publish("", "orders", b"hello", pika.BasicProperties(delivery_mode=2))
    connection.close()
