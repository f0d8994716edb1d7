"""What clients do to a broker behind a proxy."""

from __future__ import annotations

import pika
import pytest

from tests.impl.sockets import PikaPublisher, blocking

SECRET = b"nobody's business"


def use(port: int) -> None:
    """Publish, have something returned, consume, ack, reject, get, and use a transaction."""
    with blocking(port) as channel:
        channel.queue_declare("q")
        channel.confirm_delivery()
        for number in range(20):
            properties = pika.BasicProperties(message_id=str(number))
            channel.basic_publish("", "q", SECRET + bytes([number]), properties)
        with pytest.raises(pika.exceptions.UnroutableError):
            channel.basic_publish("", "none", SECRET, mandatory=True)
        channel.basic_qos(prefetch_count=5)
        for method, _, _ in channel.consume("q"):
            if method.delivery_tag % 3:
                channel.basic_ack(method.delivery_tag)
            else:
                channel.basic_reject(method.delivery_tag, requeue=False)
            if method.delivery_tag == 15:
                break
        channel.cancel()
        method, _, _ = channel.basic_get("q")
        channel.basic_ack(method.delivery_tag)
    with blocking(port) as channel:
        channel.tx_select()
        channel.basic_publish("", "q", SECRET)
        channel.tx_commit()
        channel.basic_publish("", "q", SECRET)
        channel.tx_rollback()


def mixed(port: int, rounds: int) -> None:
    """Publish to a queue, to a full one, and to none, without waiting for what becomes of it."""
    limits = {"x-max-length": 2, "x-overflow": "reject-publish"}
    with blocking(port) as channel:
        channel.queue_declare("mixed", durable=True)
        channel.queue_declare("full", durable=True, arguments=limits)
    publisher = PikaPublisher(port)
    for number in range(rounds):
        publisher.publish("mixed", b"%d" % number, 20, mandatory=True)
        publisher.publish("full", b"%d" % number, 5, mandatory=True)
        publisher.publish("none", b"%d" % number, 5, mandatory=True)
    publisher.wait()
    publisher.close()
    with blocking(port) as channel:
        channel.queue_delete("mixed")
        channel.queue_delete("full")
