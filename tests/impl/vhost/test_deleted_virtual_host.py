"""A virtual host is deleted while clients publish and consume there, with and without mirrors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ackproof.impl.running import RunningBroker
from pamqp import commands, frame

from tests.impl.clients import HEADER, content, encode
from tests.impl.sockets import Bare

LOGIN = commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US")
DECLARED = (
    commands.Queue.Declare(queue="mine", exclusive=True),
    commands.Queue.Declare(queue="fleeting", auto_delete=True),
    commands.Queue.Declare(
        queue="dying", durable=True, arguments={"x-dead-letter-exchange": "", "x-max-length": 1}
    ),
    commands.Queue.Declare(queue="q", durable=True),
    commands.Queue.Bind(queue="q", exchange="amq.fanout"),
    commands.Basic.Consume(queue="fleeting", consumer_tag="f"),
    commands.Basic.Consume(queue="q", consumer_tag="q"),
)


def busy(port: int) -> Bare:
    """Return a client in virtual host v whose queues have messages, unsettled ones among them."""
    client = Bare(port)
    opening: tuple[frame.FrameTypes, ...] = (
        LOGIN,
        commands.Connection.TuneOk(2047, 131072, 0),
        commands.Connection.Open("v"),
    )
    client.send(HEADER + encode(0, *opening))
    client.send(encode(1, commands.Channel.Open(), commands.Confirm.Select(), *DECLARED))
    for queue in ("mine", "fleeting", "dying", "dying", "q"):
        client.send(encode(1, *content(queue)))
    acked = 0
    while acked < 5:
        line = client.line()
        if " ack " in line:
            acked = int(line.split()[2].rstrip("*"))
    return client


@pytest.mark.parametrize(
    "options",
    [{}, {"lockstep": True}, {"replicas": 3}, {"replicas": 3, "lockstep": True}, {"seed": 5}],
    ids=["eager", "lockstep", "mirrors", "mirrors in lockstep", "any order"],
)
def test_nothing_is_left_and_the_others_go_on(options: dict[str, Any], tmp_path: Path) -> None:
    with RunningBroker(tmp_path, vhosts=["v"], **options) as broker:
        client, other = busy(broker.port), Bare(broker.port).opened()
        client.send(encode(1, *content("q"), *content("dying")))
        broker.ask(lambda it: it.delete_vhost("v"))
        assert client.rest()[-1].startswith("0 Connection.Close 320 CONNECTION_FORCED - vhost 'v'")
        other.send(encode(1, commands.Queue.Declare(queue="q", durable=True), *content("q")))
        lines = [other.line(), other.line()]
        assert lines == ["1 Queue.DeclareOk q 0", "1 ack 1"]
        assert [queue["vhost"] for queue in broker.queues()] == ["/"]
        broker.check()
        client.close()
        other.close()
    with RunningBroker(tmp_path, replicas=options.get("replicas", 1)) as again:
        assert [(queue["vhost"], queue["ready"]) for queue in again.queues()] == [("/", 1)]
        assert again.ask(lambda it: list(it.vhosts)) == ["/"]
