"""What has happened is taken down in order, and what must not happen is found in it."""

from __future__ import annotations

import json
import logging
from typing import Any

import pika.exceptions
import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.history.history import Entry, History
from ackproof.impl.history.history_check import Check
from ackproof.impl.running import RunningBroker
from pamqp import commands

from tests.impl.clients import Wire, content, encode
from tests.impl.sockets import blocking
from tests.impl.steps.test_mirrors import mirrored


def recording(limit: int | None = None) -> Wire:
    """Return a client in confirm mode, with a queue, whose history is taken down."""
    history = History(recording=True, limit=limit)
    return Wire(Broker(history=history)).opened().with_queue("q").confirming()


def kinds(history: History) -> list[str]:
    """Return what has happened, without the facts."""
    return [entry.kind for entry in history]


def test_the_life_of_a_message_is_taken_down_in_order() -> None:
    wire = recording()
    before = len(wire.broker.history.entries)
    wire.publish(1, "q", mandatory=True)
    wire.commit()
    wire.publish(1, "none", mandatory=True)
    told = list(wire.broker.history)[before:]
    assert [entry.kind for entry in told] == [
        "publish",
        "commit",
        "ack",
        "publish",
        "return",
        "ack",
    ]
    assert told[0].facts == {
        "connection": 1,
        "channel": 1,
        "seq": 1,
        "message": "2.1",
        "exchange": "",
        "routing_key": "q",
        "persistent": True,
        "mandatory": True,
        "queues": ["q"],
        "numbers": [1],
        "stored_by": [1],
        "down": [],
    }
    assert told[1].facts == {"stored": [["2.1", 1]]}
    assert told[2].facts == {"connection": 1, "channel": 1, "tag": 1, "multiple": False}
    assert told[4].facts == {"connection": 1, "channel": 1, "seq": 2}


def test_a_message_outside_confirm_mode_has_no_number_and_is_not_waited_for() -> None:
    history = History(recording=True)
    wire = Wire(Broker(history=history)).opened().with_queue("q")
    wire.publish(1, "q")
    assert history.of("publish")[0].facts["seq"] is None
    history.check.passed()


def test_a_publish_says_which_crashes_its_channel_has_yet_to_hear_of() -> None:
    wire = mirrored()
    wire.publish(1, "q")
    wire.broker.faults.partition([2])
    wire.broker.faults.kill_replica("q", 2)
    wire.publish(1, "q")
    wire.broker.faults.heal()
    wire.broker.faults.partition([0], home=1)
    wire.broker.faults.crash_queue("q")
    wire.publish(1, "q")
    wire.publish(2, "q")
    leader = wire.broker.queues["q"].number
    down = [entry.facts["down"] for entry in wire.broker.history.of("publish")]
    # Nobody leads in its place before the two sides have given each other up.
    assert down == [[], [], [leader], [leader]]


def test_faults_and_what_comes_of_them_are_taken_down() -> None:
    wire = recording()
    wire.publish(1, "q")
    wire.broker.faults.crash_queue("q")
    wire.broker.faults.delete_queue("q")
    wire.say(1, commands.Channel.Close(0, "", 0, 0))
    assert kinds(wire.broker.history)[-8:] == [
        "publish",
        "fault",
        "queue_crashed",
        "queue_restarted",
        "nack",
        "fault",
        "queue_deleted",
        "channel_closed",
    ]
    wire.broker.history.check.passed()


def test_what_consumers_do_is_taken_down() -> None:
    with RunningBroker() as broker:
        with blocking(broker.port) as channel:
            channel.confirm_delivery()
            channel.queue_declare("q")
            for _ in range(4):
                channel.basic_publish("", "q", b"hello")
            channel.basic_get("q", auto_ack=True)
            got = channel.consume("q")
            channel.basic_ack(next(got)[0].delivery_tag)
            channel.basic_nack(next(got)[0].delivery_tag, requeue=False)
            channel.cancel()
        told = [entry for entry in broker.history if entry.kind not in ("publish", "ack")]
        broker.check()
    facts = {"connection": 1, "channel": 1, "tag": 3, "multiple": False, "requeue": False}
    assert facts in [entry.facts for entry in told if entry.kind == "consumer_reject"]
    seen = {entry.kind for entry in told}
    assert {"get", "dropped", "consumer_started", "deliver", "consumer_ack"} <= seen
    assert {"acknowledged", "requeued"} <= seen


def test_nothing_is_taken_down_unless_it_was_asked() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    wire.publish(1, "none")
    assert not wire.broker.history.entries
    assert not wire.broker.steps.context.observers


def test_an_entry_is_json_and_a_line() -> None:
    wire = recording()
    wire.publish(1, "none")
    entries = [json.loads(json.dumps(entry.as_json())) for entry in wire.broker.history]
    assert [entry["number"] for entry in entries] == list(range(1, len(entries) + 1))
    assert str(Entry(7, "ack", {"connection": 1, "channel": 2, "tag": 3, "multiple": True})) == (
        "    7  connection 1, channel 2: ack tag=3 multiple=True"
    )
    assert str(Entry(8, "queue_crashed", {"queue": "q" * 99})) == (
        f"    8  queue crashed queue={'q' * 57}..."
    )


def test_everything_can_be_read_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="ackproof.history"):
        recording().publish(1, "none")
    assert caplog.messages[-1].endswith("connection 1, channel 1: ack tag=1 multiple=False")


def test_a_limited_history_forgets_the_oldest_entries_and_still_finds_everything() -> None:
    wire = recording(limit=3)
    for _ in range(5):
        wire.publish(1, "none")
    history = wire.broker.history
    assert [entry.facts["tag"] for entry in history if entry.kind == "ack"] == [4, 5]
    assert not history.check._messages
    history.note("ack", connection=1, channel=1, tag=1, multiple=False)
    with pytest.raises(AssertionError, match="publish 1 is acked and was settled before"):
        history.check.passed()


def test_a_part_of_a_history_can_be_asked_for() -> None:
    history = History(recording=True, limit=5)
    for number in range(1, 11):
        history.note("fault", fault=str(number))
    assert [entry.number for entry in history.since(7, 2)] == [8, 9]
    assert [entry.number for entry in history.since(0, 2)] == [6, 7]
    assert history.since(10, 5) == []
    assert history.since(99, 5) == []


# -- what must not happen -------------------------------------------------------------------------

PUBLISH: dict[str, Any] = {
    "message": "2.1",
    "exchange": "",
    "routing_key": "q",
    "persistent": True,
    "mandatory": False,
    "queues": ["q"],
    "numbers": [1],
    "stored_by": [1],
    "down": [],
}
HERE = {"connection": 1, "channel": 1}


def complaint(*notes: tuple[str, dict[str, Any]]) -> str:
    """Return the first line of what is found wrong in a history; empty if nothing is."""
    history = History(recording=True)
    for kind, facts in notes:
        history.note(kind, **facts)
    return history.check.complaints[0].splitlines()[0] if history.check.complaints else ""


def published(seq: int | None = 1, **facts: Any) -> tuple[str, dict[str, Any]]:
    """Return the note of a publish."""
    return "publish", {**HERE, **PUBLISH, "seq": seq, "message": f"2.{seq}", **facts}


def said(kind: str, tag: int, multiple: bool = False) -> tuple[str, dict[str, Any]]:
    """Return the note of an ack or a nack."""
    return kind, {**HERE, "tag": tag, "multiple": multiple}


def about(kind: str, **facts: Any) -> tuple[str, dict[str, Any]]:
    """Return the note of something that happened to a queue, or to a message in it."""
    return kind, {"queue": "q", "vhost": "/", "queue_number": 1, **facts}


COMMIT = ("commit", {"stored": [["2.1", 1]]})
EARLY = "publish 1 is acked before the disk has it: no commit had message 2.1 for queue number 1"
CAUSELESS = (
    "publish 1 is nacked without a cause: none of its queues has crashed, was down, or refused it"
)
CUT = ("fault", {"fault": "partition", "nodes": 3})
LOST = ("node_given_up", {})
WHOLE = ("network_whole", {})
MINORITY = "by a node that sees no majority of the cluster"


@pytest.mark.parametrize(
    ("notes", "wrong"),
    [
        ([said("ack", 1)], "publish 1 is acked and was never published"),
        ([said("nack", 0)], "publish 0 is nacked and was never published"),
        ([published(2)], "publish 1 has the sequence number 2"),
        ([published(), said("ack", 1)], EARLY),
        ([published(), published(2), said("ack", 2, True)], EARLY),
        ([published(), about("queue_deleted", queue_number=2), said("ack", 1)], EARLY),
        (
            [published(), COMMIT, said("ack", 1), said("ack", 1)],
            "publish 1 is acked and was settled before",
        ),
        (
            [published(), COMMIT, said("ack", 1), said("nack", 1)],
            "publish 1 is nacked and was settled before",
        ),
        ([published(), COMMIT, said("nack", 1)], CAUSELESS),
        ([published(), about("queue_crashed", queue_number=2), said("nack", 1)], CAUSELESS),
        ([published(), about("refused", message=2), said("nack", 1)], CAUSELESS),
        (
            [published(), ("return", {**HERE, "seq": 1})],
            "publish 1 is returned although it was routed to a queue",
        ),
        (
            [published(numbers=[], stored_by=[]), said("ack", 1), ("return", {**HERE, "seq": 1})],
            "publish 1 is returned after it was settled",
        ),
        (
            [published(), COMMIT, CUT, LOST, LOST, said("ack", 1)],
            f"publish 1 is acked {MINORITY}",
        ),
        (
            [published(down=[1]), CUT, LOST, LOST, said("nack", 1)],
            f"publish 1 is nacked {MINORITY}",
        ),
        ([CUT, LOST, LOST, ("commitok", HERE)], f"a transaction is completed {MINORITY}"),
    ],
)
def test_what_must_not_happen_is_found(notes: list[tuple[str, dict[str, Any]]], wrong: str) -> None:
    assert complaint(*notes) == f"connection 1, channel 1: {wrong}"


@pytest.mark.parametrize(
    "notes",
    [
        [published(), COMMIT, said("ack", 1)],
        [published(), about("queue_deleted"), said("ack", 1)],
        [published(), about("dropped", message="2.1"), said("ack", 1)],
        [published(), about("acknowledged", message="2.1"), said("ack", 1)],
        [published(), about("passed_by", message="2.1"), said("ack", 1)],
        [published(), about("queue_crashed"), said("nack", 1)],
        [published(), about("refused", message="2.1"), said("nack", 1)],
        [published(down=[1]), said("nack", 1)],
        [published(stored_by=[]), published(2, stored_by=[]), said("ack", 2), said("ack", 1)],
        [published(numbers=[], stored_by=[]), ("return", {**HERE, "seq": 1}), said("ack", 1)],
        [published(), ("channel_closed", HERE), published(), COMMIT, said("ack", 1)],
        [published(), ("node_restarted", {}), published(), COMMIT, said("ack", 1)],
        [published(seq=None, message="2.1"), ("return", {**HERE, "seq": None})],
        [published(), COMMIT, CUT, LOST, said("ack", 1)],
        [published(), COMMIT, CUT, LOST, LOST, WHOLE, said("ack", 1)],
        [published(), COMMIT, CUT, LOST, LOST, WHOLE, ("commitok", HERE)],
    ],
)
def test_what_may_happen_is_not_complained_of(notes: list[tuple[str, dict[str, Any]]]) -> None:
    assert complaint(*notes) == ""


def test_a_complaint_tells_the_story_of_its_channel() -> None:
    history = History(recording=True)
    history.note("publish", **{**published()[1], "channel": 2})
    history.note("publish", **published()[1])
    history.note("fault", fault="hold_fsync")
    history.note("ack", **said("ack", 1)[1])
    with pytest.raises(AssertionError) as caught:
        history.check.passed()
    lines = str(caught.value).splitlines()
    assert lines[:2] == [f"connection 1, channel 1: {EARLY}", "What happened:"]
    assert [line.split()[0] for line in lines[2:]] == ["2", "3", "4"]


def test_complaints_without_end_are_not_all_kept() -> None:
    check = Check()
    for _ in range(1000):
        check.take("ack", {"tag": 1, "multiple": False}, lambda _: "")
    assert len(check.complaints) == 100


def test_a_broker_that_acks_too_early_is_found_out() -> None:
    wire = recording()
    wire.publish(1, "q")
    channel = wire.session.channels[1].publishing
    machine = channel.machine
    machine.release(channel.first, {wire.broker.queues["q"].key})
    machine.flush()
    with pytest.raises(AssertionError, match="is acked before the disk has it"):
        wire.broker.history.check.passed()


def test_a_broker_in_lockstep_is_found_out_by_the_specification() -> None:
    with RunningBroker(lockstep=True) as broker:
        with blocking(broker.port) as channel:
            channel.confirm_delivery()
            channel.queue_declare("q")
            channel.basic_publish("", "q", b"hello")
            broker.check()
            broker.ask(lambda it: it.queues["q"].machine.ready.clear())
            with pytest.raises(pika.exceptions.AMQPError):
                channel.basic_publish("", "q", b"hello")
        with pytest.raises(AssertionError, match=r"replicas\[1\].ready: the specification has"):
            broker.check()


def test_connections_are_numbered_through_restarts() -> None:
    with RunningBroker() as broker:
        for _ in range(2):
            with blocking(broker.port) as channel:
                channel.confirm_delivery()
                channel.basic_publish("", "none", b"")
            broker.restart_node()
        acks = [entry.facts["connection"] for entry in broker.history if entry.kind == "ack"]
    assert acks == [1, 2]


def test_messages_that_go_the_same_way_share_the_names_of_their_queues() -> None:
    wire = recording()
    wire.publish(1, "q")
    wire.publish(1, "q")
    first, second = wire.broker.history.of("publish")
    assert first.facts["queues"] is second.facts["queues"]


def test_an_answer_that_no_queue_carries_is_taken_down() -> None:
    wire = recording()
    pseudo = "amq.rabbitmq.reply-to"
    wire.say(1, commands.Basic.Consume(queue=pseudo, consumer_tag="a", no_ack=True))
    consumer = wire.session.channels[1].reply_consumer
    assert consumer is not None
    wire.session.receive(encode(1, *content(consumer.name)))
    (entry,) = wire.broker.history.of("reply")
    assert entry.facts == {"connection": 1, "channel": 1, "consumer": "a"}
