"""A run that was recorded and is played again tells clients the same, over real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pika
import pytest
from ackproof.impl.limits import Limits
from ackproof.impl.node import Node, known_faults
from ackproof.impl.options import Options
from ackproof.impl.running import RunningBroker
from ackproof.impl.scenario.scenario import Fault, Scenario, ScenarioError, read_scenario
from ackproof.impl.staging.scenario_run import ScenarioRun
from pamqp import commands

from tests.impl.clients import content, encode
from tests.impl.faults.faulty_clients import with_queue
from tests.impl.sockets import Bare, eventually

#: What happens in a broker that is asked for faults by the client itself, or by a scenario.
Run = Callable[[RunningBroker, Callable[..., None]], list[str]]


def nothing(_: str, /, **__: Any) -> None:
    """Ask for no fault: the scenario does."""


def asked_of(broker: RunningBroker) -> Callable[..., None]:
    """Return what asks a broker for a fault by its name."""

    def ask(name: str, /, **arguments: Any) -> None:
        getattr(broker, name)(**arguments)

    return ask


def again(scenario: Scenario) -> Scenario:
    """Return a scenario that was written and read."""
    return Scenario.from_json(json.loads(json.dumps(scenario.as_json())), known_faults())


def is_recorded(broker: RunningBroker, scenario: Scenario) -> bool:
    """Tell whether a scenario is what was recorded so far."""
    return broker.scenario() == scenario


def by_hand(broker: RunningBroker, fault: Callable[..., None]) -> list[str]:
    """Speak AMQP by hand and wait for each answer; return all of them."""
    fault("nack_next", n=2, skip=1)
    client = with_queue(broker)
    fault("crash_queue", name="q")
    told = []
    for number in range(6):
        if number == 4:
            fault("crash_queue", name="q")
        client.send(encode(1, *content("q", b"%d" % number)))
        told.append(client.line())
    fault("close_channel", code=410, text="GONE - a test says so")
    told.append(client.line())
    fault("cut_connection")
    told += client.rest()
    second = with_queue(broker)
    fault("withhold_confirms")
    for number in range(3):
        second.send(encode(1, *content("none", b"%d" % number)))
    second.send(encode(2, commands.Channel.Open()))
    told.append(second.line())
    fault("drop_connection", when="after_confirm")
    second.send(encode(1, *content("none")))
    second.send(encode(3, commands.Channel.Open()))
    told.append(second.line())
    fault("clear_faults")
    told.append(second.line())
    fault("restart_node")
    told += second.rest()
    return told


def with_pika(broker: RunningBroker, fault: Callable[..., None]) -> list[str]:
    """Publish and consume with pika; return what becomes of it."""
    told = []
    fault("refuse_login")
    with pytest.raises(pika.exceptions.ProbableAuthenticationError):
        pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", broker.port))
    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", broker.port))
    channel = connection.channel()
    channel.confirm_delivery()
    channel.queue_declare("orders", durable=True)
    durable = pika.BasicProperties(delivery_mode=2)
    for number in range(5):
        if number == 2:
            fault("nack_next", n=2)
        try:
            channel.basic_publish("", "orders", b"%d" % number, durable)
            told.append("acked")
        except pika.exceptions.NackError:
            told.append("nacked")
    fault("lose_acks", skip=1)
    for method, _, body in channel.consume("orders", inactivity_timeout=5):
        told.append(f"{body} {method.redelivered}")
        channel.basic_ack(method.delivery_tag)
        if len(told) == 9:
            break
    channel.cancel()
    fault("close_connection", code=504, text="CHANNEL_ERROR - because")
    with pytest.raises(pika.exceptions.ConnectionClosedByBroker) as closed:
        channel.queue_purge("orders")
    return [*told, str(closed.value)]


@pytest.mark.parametrize("options", [{}, {"seed": 11}, {"replicas": 3}], ids=str)
@pytest.mark.parametrize("run", [by_hand, with_pika])
def test_a_recorded_run_that_is_played_again_tells_a_client_the_same(
    run: Run, options: dict[str, Any]
) -> None:
    with RunningBroker(**options) as broker:
        first = run(broker, asked_of(broker))
        recorded = broker.scenario()
        broker.check()
    assert recorded.options == options
    for _ in range(2):
        with RunningBroker(scenario=again(recorded)) as broker:
            assert run(broker, nothing) == first
            assert broker.unstruck() == []
            broker.check()
            eventually(partial(is_recorded, broker, recorded))  # what is played is recorded, too


def test_a_fault_comes_between_two_publishes_that_were_sent_together() -> None:
    document = {
        "scenario": 1,
        "faults": [
            {
                "after": {"1": {"sent": {"basic.publish": 3}}},
                "fault": "nack_next",
                "arguments": {"n": 2},
            }
        ],
    }
    scenario = Scenario.from_json(document, known_faults())
    with RunningBroker(scenario=scenario, seed=None) as broker:
        client = with_queue(broker)
        client.send(b"".join(encode(1, *content("q", b"%d" % n)) for n in range(8)))
        eventually(lambda: broker.depth("q") == 6)
        refused = [entry.facts["message"] for entry in broker.history if entry.kind == "refused"]
        assert [name.partition(".")[2] for name in refused] == ["4", "5"]
        broker.check()


def test_what_was_said_before_a_connection_is_cut_is_heard() -> None:
    document = {
        "scenario": 1,
        "faults": [{"after": {"1": {"sent": {"queue.declare": 2}}}, "fault": "cut_connection"}],
    }
    with RunningBroker(scenario=Scenario.from_json(document, known_faults())) as broker:
        client = Bare(broker.port).opened()
        declare = [commands.Queue.Declare(queue=name) for name in "abc"]
        client.send(encode(1, *declare))
        assert client.rest() == ["1 Queue.DeclareOk a 0", "1 Queue.DeclareOk b 0"]


def test_who_only_looks_whether_there_is_a_broker_is_not_counted() -> None:
    document = {
        "scenario": 1,
        "faults": [{"after": {"1": {"heard": {"queue.declare-ok": 1}}}, "fault": "cut_connection"}],
    }
    with RunningBroker(scenario=Scenario.from_json(document, known_faults())) as broker:
        for _ in range(3):
            Bare(broker.port).close()
        assert with_queue(broker).rest() == []


def test_what_cannot_be_played_and_what_is_not_is_told_by_name() -> None:
    document = {
        "scenario": 1,
        "faults": [
            {"fault": "crash_queue", "arguments": {"name": "q"}},
            {
                "after": {"1": {"sent": {"basic.publish": 3}, "heard": {"confirms": 1}}},
                "fault": "cut_connection",
            },
        ],
    }
    with RunningBroker(scenario=Scenario.from_json(document, known_faults())) as broker:
        client = with_queue(broker)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        assert broker.unstruck() == [
            "fault 1 of the scenario, crash_queue(name='q'): there is no queue 'q' to crash; "
            "there are: none",
            "fault 2 of the scenario, cut_connection(): "
            "connection 1 has sent basic.publish 1 of 3 times",
        ]


def test_a_scenario_is_for_one_broker_and_says_so() -> None:
    scenario = Scenario({"replicas": 3})
    with pytest.raises(ScenarioError, match=r"with replicas 3, and 2 is asked for; leave replicas"):
        RunningBroker(scenario=scenario, replicas=2).__enter__()
    with RunningBroker() as broker:
        with pytest.raises(ScenarioError, match="other options: replicas; start one with them"):
            broker.play(scenario)
        with_queue(broker).close()
        with pytest.raises(ScenarioError, match=r"there were connections, .*; reset first"):
            broker.play(Scenario())
        broker.reset()
        broker.play(Scenario())
    with (
        RunningBroker(recording=False) as broker,
        pytest.raises(ValueError, match="does not record; start it without recording=False"),
    ):
        broker.scenario()


def test_limits_and_virtual_hosts_are_a_part_of_it() -> None:
    with RunningBroker(limits=Limits(queues=1), vhosts=["v"]) as broker:
        recorded = broker.scenario()
    assert recorded.options == {"limits": {"queues": 1}, "vhosts": ["v"]}
    with RunningBroker(scenario=again(recorded)) as broker:
        assert broker.ask(lambda there: there.limits.queues) == 1
        assert broker.ask(lambda there: "v" in there.vhosts)


def test_a_file_has_the_scenario_after_each_fault(tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    with RunningBroker(record_scenario=file) as broker:
        assert read_scenario(file, known_faults()) == Scenario()
        broker.nack_next(2, routing_key="q")
        broker.withhold_confirms()
        assert read_scenario(file, known_faults()) == broker.scenario()
        client = with_queue(broker)
        broker.crash_queue("q")
        assert read_scenario(file, known_faults()) == broker.scenario()
        client.close()
    lines = file.read_text().splitlines()
    assert lines == [
        '{"scenario": 1, "options": {}, "faults": [',
        '  {"fault": "nack_next", "arguments": {"n": 2, "routing_key": "q"}},',
        '  {"fault": "withhold_confirms"},',
        '  {"after": {"1": {"sent": {"queue.declare": 1}, "heard": {"queue.declare-ok": 1}}}, '
        '"fault": "crash_queue", "arguments": {"name": "q"}}',
        "]}",
    ]


def test_a_scenario_that_another_takes_the_place_of_is_played_no_more() -> None:
    async def scene() -> list[str]:
        asked: list[str] = []
        go_on = asyncio.Event()

        async def ask(name: str, _: object) -> None:
            asked.append(name)
            await go_on.wait()

        run = ScenarioRun(Options(), ask)
        run.play(Scenario({}, (Fault("block", {}), Fault("restart_node", {}))), run.look)
        await asyncio.sleep(0)
        run.play(Scenario({}, (Fault("unblock", {}),)), run.look)
        go_on.set()
        for _ in range(10):
            await asyncio.sleep(0)
        run.stop()
        return asked

    assert asyncio.run(scene()) == ["block", "unblock"]


def test_a_scenario_that_was_stopped_does_not_go_on() -> None:
    async def scene() -> list[str]:
        asked: list[str] = []

        async def ask(name: str, _: object) -> None:
            asked.append(name)

        run = ScenarioRun(Options(), ask)
        run.stop()
        run.play(Scenario({}, (Fault("block", {}),)), run.look)
        await asyncio.sleep(0)
        return asked

    assert asyncio.run(scene()) == []


def test_a_fault_that_waits_for_a_reset_has_its_moment_in_the_new_run() -> None:
    async def scene() -> tuple[Fault, ...]:
        node = Node(Options())
        await node.start()
        assert node.scenarios is not None
        node.scenarios.sent(1, commands.Channel.Open.index)
        await asyncio.gather(node.reset(), node.fault("restart_node", {}))
        await node.stop()
        node.close()
        return node.scenarios.scenario.faults

    assert asyncio.run(scene()) == (Fault("restart_node", {}),)


def test_a_seed_that_is_none_is_refused() -> None:
    with RunningBroker() as broker, pytest.raises(ValueError, match="seed is 'abc'; give a whole"):
        broker.schedule("abc")  # type: ignore[arg-type]
