"""Direct reply-to, and who is told what about it, is as in RabbitMQ.

Requests and answers are exchanged with pika, since a client has to read the name that the broker
puts into `reply_to`; that name is different each time, and no part of the comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pika
import pytest
from ackproof.impl.running import RunningBroker
from pika.exceptions import AMQPError

pytestmark = pytest.mark.peer

PSEUDO = "amq.rabbitmq.reply-to"
Scenario = Callable[[Any], list[object]]


def said(channel: Any, action: Callable[[], object]) -> list[object]:
    """Do something that a broker refuses; return how."""
    try:
        action()
        channel.connection.process_data_events(0.05)
    except AMQPError as refusal:
        return [type(refusal).__name__, *refusal.args]
    return ["nothing"]


def waiting(channel: Any, tag: str = "answers") -> list[object]:
    """Wait for answers on a channel; return where they are told."""
    told: list[object] = []

    def take(_: Any, method: Any, properties: Any, body: bytes) -> None:
        told.append(
            (
                method.consumer_tag,
                method.delivery_tag,
                method.redelivered,
                method.exchange,
                method.routing_key == PSEUDO or method.routing_key.startswith(f"{PSEUDO}."),
                properties.correlation_id,
                body,
            )
        )

    channel.basic_consume(PSEUDO, take, auto_ack=True, consumer_tag=tag)
    return told


def request(channel: Any) -> str:
    """Ask for something; return the name that the answer has to go to."""
    channel.queue_declare("requests", auto_delete=False, exclusive=True)
    properties = pika.BasicProperties(reply_to=PSEUDO, correlation_id="7", headers={"a": 1})
    channel.basic_publish("", "requests", b"what?", properties)
    found = None
    while found is None:
        _, found, body = channel.basic_get("requests", auto_ack=True)
    assert (body, found.headers, found.correlation_id) == (b"what?", {"a": 1}, "7")
    return str(found.reply_to)


def heard(channel: Any, told: list[object], count: int) -> list[object]:
    """Return the answers, when there are so many."""
    for _ in range(100):
        if len(told) >= count:
            break
        channel.connection.process_data_events(0.05)
    return told


def answers(channel: Any) -> list[object]:
    told = waiting(channel)
    name = request(channel)
    for text in (b"this", b"", b"that"):
        channel.basic_publish("", name, text, pika.BasicProperties(correlation_id="7"))
    return [name.startswith(f"{PSEUDO}."), *heard(channel, told, 3)]


def answers_take_no_tag(channel: Any) -> list[object]:
    told = waiting(channel)
    name = request(channel)
    channel.basic_publish("", name, b"one")
    heard(channel, told, 1)
    channel.basic_publish("", "requests", b"x")
    method = None
    while method is None:
        method, _, _ = channel.basic_get("requests")
    channel.basic_publish("", name, b"two")
    return [method.delivery_tag, *heard(channel, told, 2)]


def answers_are_unrouted(channel: Any) -> list[object]:
    told = waiting(channel)
    name = request(channel)
    channel.confirm_delivery()
    found = said(channel, lambda: channel.basic_publish("", name, b"!", mandatory=True))
    return [found[0], len(heard(channel, told, 1))]


def copies_are_answers(channel: Any) -> list[object]:
    told = waiting(channel)
    name = request(channel)
    copied = pika.BasicProperties(headers={"CC": [name]})
    channel.basic_publish("", "requests", b"copy", copied)
    found = heard(channel, told, 1)
    return [found[0][-1], channel.queue_declare("requests", passive=True).method.message_count]  # type: ignore[index]


def nobody_waits(channel: Any) -> list[object]:
    properties = pika.BasicProperties(reply_to=PSEUDO)
    return said(channel, lambda: channel.basic_publish("", "x", b"", properties))


def nobody_waits_at_no_exchange(channel: Any) -> list[object]:
    properties = pika.BasicProperties(reply_to=PSEUDO)
    return said(channel, lambda: channel.basic_publish("absent", "x", b"", properties))


def acknowledging(channel: Any) -> list[object]:
    return said(channel, lambda: channel.basic_consume(PSEUDO, print, auto_ack=False))


def twice(channel: Any) -> list[object]:
    waiting(channel)
    return said(channel, lambda: waiting(channel, "other"))


def acknowledging_the_second(channel: Any) -> list[object]:
    waiting(channel)
    return said(channel, lambda: channel.basic_consume(PSEUDO, print, consumer_tag="other"))


def again_after_cancel(channel: Any) -> list[object]:
    told = waiting(channel)
    old = request(channel)
    channel.basic_cancel("answers")
    again = waiting(channel)
    channel.basic_publish("", old, b"late")
    channel.basic_publish("", request(channel), b"in time")
    return [*heard(channel, again, 1), *told]


def declared(channel: Any) -> list[object]:
    """RabbitMQ 3.10 does not survive being asked on the channel that waits."""
    other = channel.connection.channel()
    waiting(channel)
    name = request(channel)
    found: list[object] = []
    for one in (PSEUDO, name):
        for passive in (True, False):
            method = other.queue_declare(one, passive=passive).method
            found += [method.queue == one, method.message_count, method.consumer_count]
    channel.basic_cancel("answers")
    gone = said(other, lambda: other.queue_declare(name, passive=True))
    return [*found, gone[0], str(gone[2]).replace(name, "…")]


def no_other_use(action: str) -> Scenario:
    def use(channel: Any) -> list[object]:
        waiting(channel)
        return said(channel, lambda: getattr(channel, action)(PSEUDO))

    use.__name__ = action
    return use


def nothing_deleted(channel: Any) -> list[object]:
    told = waiting(channel)
    name = request(channel)
    count = channel.queue_delete(name).method.message_count
    channel.basic_publish("", name, b"still")
    return [count, *heard(channel, told, 1)]


def in_a_transaction(channel: Any) -> list[object]:
    told = waiting(channel)
    name = request(channel)
    channel.tx_select()
    channel.basic_publish("", name, b"at once")
    found = list(heard(channel, told, 1))
    channel.tx_rollback()
    return found


SCENARIOS: list[Scenario] = [
    answers,
    answers_take_no_tag,
    answers_are_unrouted,
    copies_are_answers,
    nobody_waits,
    nobody_waits_at_no_exchange,
    acknowledging,
    twice,
    acknowledging_the_second,
    again_after_cancel,
    declared,
    no_other_use("basic_get"),
    no_other_use("queue_purge"),
    nothing_deleted,
    in_a_transaction,
]


def outcome(scenario: Scenario, port: int) -> list[object]:
    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port))
    try:
        return scenario(connection.channel())
    finally:
        if connection.is_open:
            connection.close()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_replies_are_as_in_rabbitmq(scenario: Scenario, port: int) -> None:
    with RunningBroker() as broker:
        ours = outcome(scenario, broker.port)
        broker.check()
    assert ours == outcome(scenario, port)
