"""Brokers that are wrong in what one channel shows are caught through the proxy."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

import pika
import pytest
from ackproof.impl.running import RunningBroker

from tests.conform.through_a_proxy import proxied
from tests.conform.traffic import mixed
from tests.explain.broken import BROKEN
from tests.impl.sockets import blocking

#: What the judge says of a broker that is wrong in one place.
CAUGHT = {
    "it acks twice": "SettledOnce",
    "its acks are always multiple": "A11.2",
    "it returns after the ack": "ReturnPrecedesAck",
    "it acks in a transaction": "NoAckInTransaction",
    "it nacks what is unroutable": "UnroutableIsConfirmed",
}


def traffic(port: int) -> None:
    """What clients do; they need not survive it."""
    with suppress(pika.exceptions.AMQPError), blocking(port) as channel:
        channel.queue_declare("q")
        channel.tx_select()
        channel.basic_publish("", "q", b"x")
        channel.tx_commit()
    with suppress(pika.exceptions.AMQPError), blocking(port) as channel:
        channel.confirm_delivery()
        channel.basic_publish("", "q", b"y")
    mixed(port, 4)


@pytest.mark.parametrize("name", CAUGHT)
def test_a_broker_that_is_wrong_is_caught(tmp_path: Path, name: str) -> None:
    broken = BROKEN[name]
    with (
        patch.object(broken.owner, broken.part, broken.instead),
        RunningBroker() as broker,
        proxied(broker.port, tmp_path / "r.jsonl") as recorded,
    ):
        traffic(recorded.port)
    assert CAUGHT[name] in {violation.name for violation in recorded.judgement.violations}
