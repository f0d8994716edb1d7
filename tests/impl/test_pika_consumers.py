"""Consumers with a real client, pika, over real sockets, and a real disk."""

from __future__ import annotations

from pathlib import Path

import pika
from ackproof.impl.running import RunningBroker

from tests.impl.sockets import blocking

PERSISTENT = pika.BasicProperties(delivery_mode=2)


def test_what_is_acked_is_gone_and_what_is_not_comes_back_after_a_restart(tmp_path: Path) -> None:
    with RunningBroker(tmp_path) as broker, blocking(broker.port) as channel:
        channel.queue_declare("q", durable=True)
        channel.confirm_delivery()
        for number in range(50):
            channel.basic_publish("", "q", str(number).encode(), PERSISTENT)
        channel.basic_qos(prefetch_count=10)
        for method, _, body in channel.consume("q"):
            assert method.delivery_tag == int(body) + 1
            assert not method.redelivered
            if int(body) == 29:
                break
            channel.basic_ack(method.delivery_tag)
        # An answer to this tells that the acks before it were processed.
        channel.queue_declare("q", passive=True)
    with RunningBroker(tmp_path) as broker, blocking(broker.port) as channel:
        found = [channel.basic_get("q", auto_ack=True) for _ in range(22)]
        assert [body for _, _, body in found[:21]] == [str(n).encode() for n in range(29, 50)]
        assert all(method.redelivered for method, _, _ in found[:21])
        assert found[21] == (None, None, None)


def test_contents_of_any_size_arrive_as_they_were_sent(tmp_path: Path) -> None:
    sizes = (0, 1, 131_064, 131_065, 1_000_000)
    with RunningBroker(tmp_path) as broker, blocking(broker.port) as channel:
        channel.queue_declare("q")
        for size in sizes:
            channel.basic_publish("", "q", bytes(size), pika.BasicProperties(headers={"n": size}))
        for size in sizes:
            _, properties, body = channel.basic_get("q", auto_ack=True)
            assert properties.headers == {"n": size}
            assert len(body) == size


def test_a_consumer_that_does_not_read_leaves_the_rest_to_others(tmp_path: Path) -> None:
    count, size = 300, 100_000
    with RunningBroker(tmp_path) as broker, blocking(broker.port) as channel:
        channel.queue_declare("q")
        for _ in range(count):
            channel.basic_publish("", "q", bytes(size))
        with blocking(broker.port) as slow:
            slow.basic_consume("q", lambda *_: None, auto_ack=False)
            left = channel.queue_declare("q", passive=True).method.message_count
            assert 0 < left <= count
            assert channel.basic_get("q", auto_ack=True)[0] is not None
            assert channel.queue_purge("q").method.message_count == left - 1
        unsettled = count - left
        for _ in range(unsettled):
            assert channel.basic_get("q", auto_ack=True)[0].redelivered


def test_consumers_hear_that_their_queue_is_gone(tmp_path: Path) -> None:
    with RunningBroker(tmp_path) as broker, blocking(broker.port) as channel:
        channel.queue_declare("q")
        cancelled: list[str] = []
        channel.add_on_cancel_callback(lambda frame: cancelled.append(frame.method.consumer_tag))
        tag = channel.basic_consume("q", lambda *_: None)
        with blocking(broker.port) as other:
            other.queue_delete("q")
        channel.connection.process_data_events(time_limit=5)
        assert cancelled == [tag]
