"""A queue with a limit that starts again drops the same as a real RabbitMQ's.

What a client had fetched and not settled is ready again after a crash, and with what came meanwhile
it may be too much.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ackproof.impl.running import RunningBroker
from pika import BasicProperties

from bench.rabbitmq.node import Node
from tests.impl.sockets import blocking, eventually

pytestmark = pytest.mark.peer

#: What makes the process of a queue crash.
CRASH = """
{ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"limited">>)),
exit(amqqueue:get_pid(Q), kill).
"""


def left_after_a_crash(port: int, crash: Callable[[], object]) -> list[list[bytes]]:
    """Return what a queue and that of its dead letters have in the end."""
    arguments = {
        "x-max-length": 1,
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": "dead",
    }
    with blocking(port) as channel:
        channel.queue_declare("dead", durable=True)
        channel.queue_declare("limited", durable=True, arguments=arguments)
        channel.confirm_delivery()
        channel.basic_publish("", "limited", b"fetched", BasicProperties(delivery_mode=2))
        assert channel.basic_get("limited")[2] == b"fetched"
        channel.basic_publish("", "limited", b"ready", BasicProperties(delivery_mode=2))
        crash()
    found: list[list[bytes]] = [[], []]

    def arrived() -> bool:
        with blocking(port) as channel:
            for queue, bodies in zip(("limited", "dead"), found, strict=True):
                while (got := channel.basic_get(queue, auto_ack=True))[0] is not None:
                    bodies.append(got[2])
        return all(found)

    eventually(arrived)
    with blocking(port) as channel:
        channel.queue_delete("limited")
        channel.queue_delete("dead")
    return found


def test_what_is_too_much_after_a_crash_is_a_dead_letter(node: Node, tmp_path: Path) -> None:
    theirs = left_after_a_crash(node.port, lambda: node.ctl("eval", CRASH))
    with RunningBroker(tmp_path) as broker:
        ours = left_after_a_crash(broker.port, lambda: broker.crash_queue("limited"))
    assert ours == theirs == [[b"ready"], [b"fetched"]]
