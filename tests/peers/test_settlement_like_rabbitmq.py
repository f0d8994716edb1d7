"""Publishes of all kinds on one channel are settled as in RabbitMQ (the experiment X8).

How many a frame settles, and what overtakes what, is not the same twice, with neither broker.
What has to be the same is how each publish is settled, and which has to wait for which.
"""

from __future__ import annotations

import pytest
from ackproof.impl.running import RunningBroker
from pamqp import commands

from tests.impl.clients import encode
from tests.impl.server.test_frame_sequences import declare, lines, mixed, said_no_more, settled
from tests.impl.sockets import Bare

pytestmark = pytest.mark.peer


def outcome(port: int) -> list[object]:
    """Return what a publisher is told, as far as it has to be the same."""
    client = Bare(port).opened()
    declare(client, "full", x_max_length=1, x_overflow="reject-publish")
    declare(client, "q")
    client.send(mixed())
    returned = lines(client, 3)
    told = settled(client, 11)
    order = list(told)
    assert order.index(1) < order.index(2)
    assert max(map(order.index, (6, 7, 8))) < min(map(order.index, (9, 10, 11)))
    assert said_no_more(client)
    for queue in ("full", "q"):
        client.send(encode(1, commands.Queue.Delete(queue=queue)))
        assert client.line() == "1 Queue.DeleteOk"
    client.close()
    return [*returned, dict(sorted(told.items()))]


def test_mixed_publishes_are_settled_as_in_rabbitmq(port: int) -> None:
    with RunningBroker() as broker:
        ours = outcome(broker.port)
    assert ours == outcome(port)
