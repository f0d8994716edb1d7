"""A real client, pika, over a real socket, and a real disk."""

from __future__ import annotations

from pathlib import Path

import pika
import pytest
from ackproof.impl.running import RunningBroker
from ackproof.impl.storage.batch_commit import Storage

from tests.impl.sockets import GatedDisk, PikaPublisher, blocking, eventually

PERSISTENT = pika.BasicProperties(delivery_mode=2)


def declare(broker: RunningBroker, *names: str) -> None:
    """Declare durable queues."""
    with blocking(broker.port) as channel:
        for name in names:
            channel.queue_declare(name, durable=True)


def test_ten_thousand_persistent_messages_are_all_confirmed(tmp_path: Path) -> None:
    with RunningBroker(tmp_path) as broker:
        declare(broker, "q")
        publisher = PikaPublisher(broker.port)
        publisher.publish("q", b"x" * 100, 10_000)
        publisher.wait()
        publisher.close()
        assert publisher.acked == set(range(1, 10_001))
        assert publisher.reused == []
        assert publisher.frames < 5_000, "one ack covers many"
        assert broker.depth("q") == 10_000
    with RunningBroker(tmp_path) as broker:
        assert broker.depth("q") == 10_000


def test_a_mandatory_message_without_a_queue_is_returned_and_acked(tmp_path: Path) -> None:
    with RunningBroker(tmp_path) as broker, blocking(broker.port) as channel:
        channel.confirm_delivery()
        with pytest.raises(pika.exceptions.UnroutableError) as raised:
            channel.basic_publish("", "none", b"body", PERSISTENT, mandatory=True)
        (returned,) = raised.value.messages
        assert returned.method.reply_code == 312
        assert returned.properties.delivery_mode == 2
        assert returned.body == b"body"


def test_without_mandatory_it_is_acked(tmp_path: Path) -> None:
    with RunningBroker(tmp_path) as broker, blocking(broker.port) as channel:
        channel.confirm_delivery()
        channel.basic_publish("", "none", b"body", PERSISTENT)


def test_a_crashed_queue_nacks_what_is_outstanding_and_is_there_again(tmp_path: Path) -> None:
    gates: list[GatedDisk] = []

    def gated(disk: Storage) -> Storage:
        gates.append(GatedDisk(disk))
        return gates[0]

    with RunningBroker(tmp_path, wrap=gated) as broker:
        declare(broker, "q", "other")
        publisher = PikaPublisher(broker.port)
        publisher.publish("q", b"before", 10)
        publisher.wait()
        gates[0].gate.clear()
        publisher.publish("q", b"during", 20)
        publisher.publish("other", b"during", 5)
        eventually(lambda: broker.ask(lambda b: bool(b.queues["other"].machine.awaiting)))
        eventually(lambda: broker.ask(lambda b: len(b.queues["other"].machine.ready)) == 5)
        broker.crash_queue("q")
        eventually(lambda: publisher.nacked == set(range(11, 31)))
        gates[0].gate.set()
        publisher.publish("q", b"after", 10)
        publisher.wait()
        publisher.close()
        assert publisher.nacked == set(range(11, 31))
        assert publisher.acked == {*range(1, 11), *range(31, 46)}
        assert publisher.reused == []
        assert broker.depth("q") >= 20


def test_publishers_number_their_messages_on_their_own(tmp_path: Path) -> None:
    with RunningBroker(tmp_path) as broker:
        declare(broker, "q")
        publishers = [PikaPublisher(broker.port) for _ in range(3)]
        for publisher, count in zip(publishers, (1, 20, 300), strict=True):
            publisher.publish("q", b"x", count)
        for publisher, count in zip(publishers, (1, 20, 300), strict=True):
            publisher.wait()
            publisher.close()
            assert publisher.acked == set(range(1, count + 1))


def test_a_connection_that_closes_with_outstanding_confirms_leaves_its_messages(
    tmp_path: Path,
) -> None:
    gates: list[GatedDisk] = []

    def gated(disk: Storage) -> Storage:
        gates.append(GatedDisk(disk))
        return gates[0]

    with RunningBroker(tmp_path, wrap=gated) as broker:
        declare(broker, "q")
        gates[0].gate.clear()
        publisher = PikaPublisher(broker.port)
        publisher.publish("q", b"x", 10)
        eventually(lambda: broker.depth("q") == 10)
        publisher.close()
        assert publisher.acked == publisher.nacked == set()
        gates[0].gate.set()
        eventually(lambda: broker.ask(lambda b: not b.queues["q"].machine.owes()))
        assert broker.depth("q") == 10


def test_a_wrong_password_is_told(tmp_path: Path) -> None:
    with RunningBroker(tmp_path) as broker:
        parameters = pika.ConnectionParameters(
            "127.0.0.1", broker.port, credentials=pika.PlainCredentials("guest", "wrong")
        )
        with pytest.raises(pika.exceptions.ProbableAuthenticationError):
            pika.BlockingConnection(parameters)


def test_a_message_larger_than_a_frame_arrives_whole(tmp_path: Path) -> None:
    with RunningBroker(tmp_path) as broker, blocking(broker.port) as channel:
        channel.confirm_delivery()
        body = bytes(range(256)) * 4096
        with pytest.raises(pika.exceptions.UnroutableError) as raised:
            channel.basic_publish("", "none", body, PERSISTENT, mandatory=True)
        assert raised.value.messages[0].body == body
