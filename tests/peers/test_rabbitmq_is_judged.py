"""What a real RabbitMQ sends on its channels is recorded, judged, and explained."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from ackproof.conform.events import Kind
from ackproof.conform.recording import read

from bench.rabbitmq.node import Node
from bench.rabbitmq.site import site
from tests.conform.through_a_proxy import proxied
from tests.conform.traffic import mixed, use
from tests.impl.sockets import PikaPublisher, blocking

pytestmark = pytest.mark.peer


@pytest.fixture
def shared(port: int) -> Iterator[int]:
    """The port of a node that others use as well, who mean another queue by the name q."""
    yield port
    with blocking(port) as channel:
        channel.queue_delete("q")


def test_confirms_consumers_and_transactions_are_explained(shared: int, tmp_path: Path) -> None:
    with proxied(shared, tmp_path / "r.jsonl") as recorded:
        use(recorded.port)
    assert recorded.said == []
    assert recorded.judgement.violations == []


def test_returns_and_nacks_in_a_large_window_are_explained(shared: int, tmp_path: Path) -> None:
    file = tmp_path / "r.parquet"
    with proxied(shared, file) as recorded:
        mixed(recorded.port, 200)
    assert recorded.said == []
    kinds = Counter(event.kind for event in read(file))
    assert kinds[Kind.RETURN] == 1_000
    assert kinds[Kind.NACK] > 0
    assert recorded.judgement.violations == []


#: What makes the process of the queue q crash.
CRASH = """
{ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"q">>)),
exit(amqqueue:get_pid(Q), kill).
"""


def crash_meanwhile(node: Node, publisher: PikaPublisher) -> None:
    """Publish while the queue crashes, and wait for all answers."""
    # rabbitmqctl takes a while to start, and so the crash is in the midst of publishing.
    crash = threading.Thread(target=node.ctl, args=("eval", CRASH))
    crash.start()
    while crash.is_alive():
        publisher.publish("q", b"x" * 100, 500)
        publisher.publish("none", b"y", 5, mandatory=True)
    crash.join()
    publisher.wait()


def test_what_is_told_when_a_queue_crashes_is_explained(installed: None, tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    with site() as here, here.names(), Node(here, "crash") as node:
        node.start()
        node.ready()
        with proxied(node.port, file) as recorded:
            with blocking(recorded.port) as channel:
                channel.queue_declare("q", durable=True)
            publisher = PikaPublisher(recorded.port)
            for _ in range(5):  # a queue may crash when it has just answered for everything
                crash_meanwhile(node, publisher)
                if publisher.nacked:
                    break
            publisher.close()
    assert {event.kind for event in read(file)} >= {Kind.NACK, Kind.ACK, Kind.RETURN}
    assert recorded.judgement.violations == []
