"""What was asked to go wrong does so once, where it was asked, as the specification has it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.oracle.history import History
from ackproof.impl.running import RunningBroker
from ackproof.impl.session.session import Phase
from ackproof.impl.storage import committer
from pamqp import commands

from tests.impl.clients import Wire, content, encode
from tests.impl.sockets import Bare


def confirming(*names: str) -> Wire:
    """Return a client in confirm mode on a broker with queues, whose history is taken down."""
    wire = Wire(Broker(history=History(recording=True))).opened(1, 2)
    for name in names or ("q",):
        wire.with_queue(name)
    return wire.confirming(1, 2)


def passed(wire: Wire) -> None:
    """Insist that the history shows nothing wrong."""
    wire.broker.history.check.passed()


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
    assert not wire.broker.queues["b"].senders
    passed(wire)


def test_a_refused_message_of_a_channel_that_is_closed_is_forgotten() -> None:
    wire = confirming()
    wire.broker.faults.nack_next()
    wire.session.receive(encode(1, *content("q"), commands.Channel.Close(0, "", 0, 0)))
    assert wire.hear() == ["1 nack 1*", "1 Channel.CloseOk"]
    assert not wire.broker.queues["q"].senders


@pytest.mark.parametrize(
    ("about", "struck"),
    [
        ({"routing_key": "b"}, 2),
        ({"exchange": ""}, 1),
        ({"exchange": "other"}, None),
        ({"header": {"kind": "big"}}, 3),
        ({"header": {"kind": None}}, 3),
        ({"header": {"kind": "small"}}, None),
        ({"skip": 1}, 2),
        ({"skip": 1, "routing_key": "a"}, 3),
        ({"probability": 0.0}, None),
        ({"probability": 0.5, "seed": 2}, 3),
    ],
)
def test_a_trigger_chooses_the_publish(about: dict[str, Any], struck: int | None) -> None:
    wire = confirming("a", "b")
    wire.broker.faults.nack_next(**about)
    said = [
        *wire.say(1, *content("a", persistent=False)),
        *wire.say(1, *content("b", persistent=False)),
        *wire.say(1, *content("a", persistent=False, headers={"kind": "big"})),
    ]
    assert said == [f"1 nack {n}*" if n == struck else f"1 ack {n}" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("about", "error"),
    [
        ({"n": 0}, "n is 0; it must be 1 or more, or null for no end"),
        ({"n": "two"}, "n is 'two'; it must be an integer or null"),
        ({"skip": -1}, "skip is -1; it must not be negative"),
        ({"probability": 2}, "probability is 2; it must be from 0 to 1"),
        ({"probability": True}, "probability is True; it must be a number"),
        ({"header": "kind"}, "header is 'kind'; it must be an object or null"),
        (
            {"queue": "q"},
            "publishes cannot be chosen by queue; "
            "use exchange, header, probability, routing_key, seed, skip",
        ),
    ],
)
def test_a_trigger_that_makes_no_sense_is_refused(about: dict[str, Any], error: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        confirming().broker.faults.nack_next(**about)
    assert str(caught.value) == error


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
    wire.broker.steps.crash_queue(wire.broker.queues["q"])
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


# -- the disk -------------------------------------------------------------------------------------


def test_held_commits_are_told_together_by_one_ack() -> None:
    wire = confirming()
    wire.broker.faults.hold_fsync()
    for _ in range(3):
        assert wire.publish(1, "q") == []
    assert wire.commit() == []
    assert wire.publish(1, "none") == ["1 ack 4"]
    wire.broker.faults.release_fsync()
    assert wire.commit() == ["1 ack 3*"]
    passed(wire)


def test_a_commit_that_was_under_way_does_not_return_while_it_is_held() -> None:
    wire = confirming()
    wire.publish(1, "q")
    batch = wire.broker.journal.take()
    wire.broker.faults.hold_fsync()
    wire.broker.committed(batch)
    assert wire.hear() == []
    wire.broker.faults.release_fsync()
    assert wire.hear() == ["1 ack 1"]
    passed(wire)


@pytest.mark.parametrize("seed", [None, 4])
def test_a_disk_that_fails_when_asked_is_asked_again(
    seed: int | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(committer, "_RETRY", 0.01)
    with caplog.at_level(logging.ERROR), RunningBroker(seed=seed) as broker:
        client = with_queue(broker)
        broker.fail_writes(2)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        client.close()
        broker.check()
    said = "commit failed, trying again in 0.01 s: disk I/O error (a fault that was asked for)"
    assert [record.message for record in caplog.records] == [said] * 2


def test_failing_no_times_is_refused() -> None:
    with pytest.raises(ValueError, match="n is 0; it must be 1 or more"):
        confirming().broker.faults.fail_writes(0)


# -- telling --------------------------------------------------------------------------------------


def test_withheld_confirms_are_told_when_released_and_everything_else_at_once() -> None:
    wire = confirming()
    wire.broker.faults.withhold_confirms()
    wire.publish(1, "none")
    wire.publish(2, "none")
    assert wire.publish(1, "none", mandatory=True) == [
        "1 return 312 none",
        "1 header 5",
        "1 body b'hello'",
    ]
    wire.broker.faults.release_confirms()
    assert sorted(wire.hear()) == ["1 ack 2*", "2 ack 1"]
    passed(wire)


def test_the_confirms_of_one_channel_can_be_delayed() -> None:
    wire = confirming()
    wire.broker.faults.delay_confirms(routing_key="slow")
    assert wire.publish(1, "none") == ["1 ack 1"]
    assert wire.publish(1, "slow") == []
    assert wire.publish(1, "none") == []
    assert wire.publish(2, "none") == ["2 ack 1"]
    wire.broker.faults.release_confirms()
    assert wire.hear() == ["1 ack 3*"]
    assert wire.publish(1, "none") == ["1 ack 4"]


def test_nothing_is_kept_for_a_channel_that_is_closed() -> None:
    wire = confirming()
    wire.broker.faults.delay_confirms()
    wire.broker.faults.drop_connection()
    wire.publish(1, "none")
    armed = wire.broker.steps.faults
    assert armed is not None
    assert armed.stopped
    wire.say(1, commands.Channel.Close(0, "", 0, 0))
    assert not armed.stopped
    assert not armed._delayed
    assert not armed._cuts


# -- connections ----------------------------------------------------------------------------------


def test_a_connection_breaks_before_its_confirm_and_the_message_is_there() -> None:
    wire = confirming()
    wire.broker.faults.drop_connection()
    wire.publish(1, "q")
    assert wire.commit() == []
    assert wire.session.phase is Phase.CLOSED
    assert not wire.broker.history.of("ack")
    assert len(wire.broker.queues["q"].machine.ready) == 1


def test_a_connection_breaks_after_its_confirm() -> None:
    wire = confirming()
    wire.broker.faults.drop_connection("after_confirm", routing_key="q")
    assert wire.publish(1, "none") == ["1 ack 1"]
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 2"]
    assert wire.session.phase is Phase.CLOSED
    passed(wire)


def test_what_a_broken_connection_has_sent_besides_is_not_done() -> None:
    wire = confirming()
    wire.broker.faults.drop_connection()
    declare = commands.Queue.Declare(queue="later", durable=True)
    assert wire.say(1, *content("none"), declare) == []
    assert "later" not in wire.broker.queues


def test_a_moment_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="one of before_confirm, after_confirm"):
        confirming().broker.faults.drop_connection("now")  # type: ignore[arg-type]


# -- over sockets ---------------------------------------------------------------------------------


def with_queue(broker: RunningBroker) -> Bare:
    """Return a client in confirm mode, with a durable queue."""
    client = Bare(broker.port).opened()
    client.send(encode(1, commands.Queue.Declare(queue="q", durable=True)))
    assert client.line().startswith("1 Queue.DeclareOk q ")
    return client


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize(
    ("when", "heard"), [("before_confirm", []), ("after_confirm", ["1 ack 1"])]
)
def test_a_client_sees_its_connection_break(when: Any, heard: list[str], seed: int | None) -> None:
    with RunningBroker(seed=seed) as broker:
        client = with_queue(broker)
        broker.drop_connection(when)
        client.send(encode(1, *content("q")))
        assert client.rest() == heard
        client.close()
        assert broker.depth("q") == 1
        broker.check()


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
