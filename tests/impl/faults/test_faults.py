"""What was asked to go wrong does so once, where it was asked, as the specification has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.faults.fault_triggers import FaultTriggers
from ackproof.impl.running import RunningBroker
from pamqp import commands

from tests.impl.clients import Wire, content, encode
from tests.impl.faults.faulty_clients import confirming, passed, with_queue

# -- nacks ----------------------------------------------------------------------------------------


def test_the_next_publish_is_nacked_and_stands_nowhere_and_the_one_after_it_is_acked() -> None:
    wire = confirming()
    wire.broker.faults.nack_next()
    assert wire.publish(1, "q") == ["1 nack 1*"]
    assert not wire.broker.queues["q"].machine.ready
    assert wire.publish(1, "q") == []
    assert wire.commit() == ["1 ack 2"]
    passed(wire)


def test_as_many_are_nacked_as_was_asked() -> None:
    wire = confirming()
    wire.broker.faults.nack_next(2)
    said = [wire.publish(1, "q", persistent=False) for _ in range(3)]
    assert said == [["1 nack 1*"], ["1 nack 2*"], ["1 ack 3"]]


def test_all_are_nacked_until_the_faults_are_cleared() -> None:
    wire = confirming()
    wire.broker.faults.nack_next(None)
    assert [wire.publish(1, "q") for _ in range(3)] == [[f"1 nack {n}*"] for n in (1, 2, 3)]
    wire.broker.faults.clear()
    assert wire.publish(1, "q", persistent=False) == ["1 ack 4"]


def test_what_is_routed_nowhere_is_acked_whatever_was_asked() -> None:
    wire = confirming()
    wire.broker.faults.nack_next()
    assert wire.publish(1, "none") == ["1 ack 1"]
    assert wire.publish(1, "q") == ["1 nack 2*"]


def test_every_queue_that_a_message_is_routed_to_refuses_it() -> None:
    wire = confirming("a", "b")
    wire.broker.faults.nack_next()
    assert wire.say(1, *content("a", headers={"CC": ["b"]})) == ["1 nack 1*"]
    assert not wire.broker.queues["a"].machine.ready
    assert not wire.broker.queues["b"].machine.ready
    assert not wire.broker.queues["b"].machine.owes()
    passed(wire)


def test_a_refused_message_of_a_channel_that_is_closed_is_forgotten() -> None:
    wire = confirming()
    wire.broker.faults.nack_next()
    wire.session.receive(encode(1, *content("q"), commands.Channel.Close(0, "", 0, 0)))
    assert wire.hear() == ["1 nack 1*", "1 Channel.CloseOk"]
    assert not wire.broker.queues["q"].machine.owes()


# -- queues ---------------------------------------------------------------------------------------


def test_what_a_deleted_queue_owes_is_acked() -> None:
    wire = confirming()
    wire.publish(1, "q")
    wire.broker.faults.delete_queue("q")
    assert wire.hear() == ["1 ack 1"]
    assert wire.commit() == []
    passed(wire)


@pytest.mark.parametrize("name", ["crash_queue", "delete_queue"])
def test_a_queue_that_is_not_there_is_named_with_those_that_are(name: str) -> None:
    faults = confirming("a", "b").broker.faults
    verb = name.partition("_")[0]
    with pytest.raises(LookupError, match=f"there is no queue 'c' to {verb}; there are: a, b"):
        getattr(faults, name)("c")
    with pytest.raises(LookupError, match=f"there is no queue 'a' to {verb}; there are: none"):
        getattr(faults, name)("a", vhost="other")


def test_a_queue_that_is_down_cannot_crash() -> None:
    wire = confirming()
    wire.broker.steps.processes.crash_queue(wire.broker.queues["q"])
    with pytest.raises(ValueError, match="queue 'q' is down already"):
        wire.broker.faults.crash_queue("q")


def test_a_queue_crashes_between_taking_a_message_in_and_its_commit() -> None:
    wire = confirming("a", "b")
    wire.broker.faults.crash_next(routing_key="a")
    wire.publish(1, "b")
    assert wire.say(1, *content("a", headers={"CC": ["b"]})) == ["1 nack 2*"]
    assert wire.commit() == []
    assert not wire.broker.queues["a"].machine.ready
    wire.publish(1, "a")
    assert wire.commit() == ["1 ack 3"]
    kinds = [e.kind for e in wire.broker.history if e.kind.startswith("queue_c")]
    assert kinds == ["queue_crashed", "queue_crashed"]
    passed(wire)


def test_a_queue_is_deleted_between_taking_a_message_in_and_its_commit() -> None:
    wire = confirming("a", "b")
    wire.broker.faults.delete_next(routing_key="a")
    wire.publish(1, "b")
    assert wire.say(1, *content("a", headers={"CC": ["b"]})) == ["1 ack 2*"]
    assert list(wire.broker.queues) == []
    assert wire.commit() == []
    assert wire.publish(1, "a", mandatory=True)[0] == "1 return 312 a"
    passed(wire)


@pytest.mark.parametrize(
    ("fault", "said"),
    [("nack_next", "nack 1*"), ("crash_next", "nack 1*"), ("delete_next", "ack 1")],
)
def test_nothing_is_kept_of_a_fault_that_has_struck_the_master_of_mirrors(
    fault: str, said: str
) -> None:
    wire = Wire(Broker(replicas=3)).opened().with_queue("q").confirming()
    getattr(wire.broker.faults, fault)()
    assert wire.publish(1, "q") + wire.commit() == [f"1 {said}"]
    triggers = wire.broker.steps.context.faults
    assert isinstance(triggers, FaultTriggers)
    assert not triggers._refused
    assert not triggers._fatal
    assert not triggers._final


# -- nodes ----------------------------------------------------------------------------------------


RESTARTED = "node_restarted"


def on_disk(path: Path) -> RunningBroker:
    return RunningBroker(path)


def in_memory(_: Path) -> RunningBroker:
    return RunningBroker()


def drawn(_: Path) -> RunningBroker:
    return RunningBroker(seed=2)


@pytest.mark.parametrize("make", [on_disk, in_memory, drawn])
def test_a_restart_keeps_what_was_synced_and_loses_the_rest(
    make: Callable[[Path], RunningBroker], tmp_path: Path
) -> None:
    with make(tmp_path) as broker:
        client = with_queue(broker)
        port = broker.port
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        broker.hold_fsync()
        client.send(encode(1, *content("q"), *content("none")))
        assert client.line() == "1 ack 3"
        broker.restart_node()
        with pytest.raises((ConnectionError, AssertionError)):
            assert client.rest()
        client.close()
        assert broker.port == port
        assert broker.depth("q") == 1
        client = with_queue(broker)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        client.close()
        assert broker.depth("q") == 2
        kinds = [e.kind for e in broker.history if e.kind in ("connection_closed", RESTARTED)]
        assert kinds[:2] == ["connection_closed", RESTARTED]
        broker.check()


def test_a_node_with_held_commits_stops() -> None:
    with RunningBroker() as broker:
        client = with_queue(broker)
        broker.hold_fsync()
        broker.withhold_confirms()
        client.send(encode(1, *content("q")))
        client.close()


def test_the_order_of_steps_can_be_drawn_for_a_while() -> None:
    with RunningBroker() as broker:
        client = with_queue(broker)
        for seed in (1, None, 2, None):
            broker.schedule(seed)
            for _ in range(5):
                client.send(encode(1, *content("q")))
                assert client.line().startswith("1 ack ")
        client.close()
        assert broker.depth("q") == 20
        broker.check()
