"""Permissions and virtual hosts of this broker and of a real RabbitMQ: the same refusals.

Each request is made of both brokers by a user who may do little, on a channel of its own; the
answers are compared.  What there is, both are told beforehand by the same definitions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from ackproof.impl.running import RunningBroker
from pamqp import commands, frame, header

from bench.rabbitmq.node import Node
from bench.rabbitmq.site import site
from tests.impl.clients import HEADER, content, encode
from tests.impl.sockets import Bare
from tests.peers.dialogue import named

pytestmark = pytest.mark.peer

_QUEUE = {"vhost": "v", "durable": True, "auto_delete": False, "arguments": {}}
_EXCHANGE = {**_QUEUE, "type": "fanout", "internal": False}
DEFINITIONS: dict[str, Any] = {
    "vhosts": [{"name": "/"}, {"name": "v"}, {"name": "w"}],
    "users": [
        {
            "name": name,
            # Made by RabbitMQ 3.10.8 of the password p.
            "password_hash": "5GSA8VbdQjnf9WUGniaj84sc7C/ypOpXu/L3YKveTaYAG4mO",
            "hashing_algorithm": "rabbit_password_hashing_sha256",
            "tags": "",
        }
        for name in ("u", "gone")
    ],
    "permissions": [
        {"user": "u", "vhost": "v", "configure": "^c", "write": "^w", "read": "^r"},
        {"user": "gone", "vhost": "v", "configure": "", "write": "", "read": ""},
        {"user": "u", "vhost": "w", "configure": ".*", "write": ".*", "read": ".*"},
    ],
    "queues": [{"name": name, **_QUEUE} for name in ("cq", "wq", "rq")],
    "exchanges": [{"name": name, **_EXCHANGE} for name in ("cx", "wx", "rx")],
}


@pytest.fixture(scope="module")
def node(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A RabbitMQ with these definitions."""
    file = tmp_path_factory.mktemp("definitions") / "definitions.json"
    file.write_text(json.dumps(DEFINITIONS))
    with site() as here, here.names(), Node(here, "permitting") as node:
        node.start()
        node.ready()
        node.ctl("import_definitions", str(file))
        yield node


@pytest.fixture(scope="module")
def broker() -> Iterator[RunningBroker]:
    """This broker with the same."""
    with RunningBroker(definitions=DEFINITIONS) as broker:
        yield broker


class Guarded(Bare):
    """A client that logs in as somebody, and makes each request on a new channel."""

    def __init__(self, port: int, *, closes: bool = True) -> None:
        super().__init__(port)
        self.channel = 0
        self._closes = closes

    def log_in(self, user: str, password: str = "p") -> str:
        """Say who this is; return the answer."""
        self.send(HEADER)
        self.line()
        able: Any = {"capabilities": {"authentication_failure_close": self._closes}}
        login = f"\0{user}\0{password}"
        self.send(encode(0, commands.Connection.StartOk(able, "PLAIN", login, "en_US")))
        return self.line()

    def enter(self, vhost: str) -> str:
        """Open a virtual host; return the answer."""
        opening = (commands.Connection.TuneOk(2047, 131072, 0), commands.Connection.Open(vhost))
        self.send(encode(0, *opening))
        return self.line()

    def ask(self, *frames: frame.FrameTypes) -> str:
        """Ask for something on a new channel in confirm mode; return the first answer."""
        self.channel += 1
        self.send(encode(self.channel, commands.Channel.Open(), commands.Confirm.Select()))
        self.line()
        self.line()
        self.send(encode(self.channel, *frames))
        return self.line()


def of_user(name: str) -> tuple[frame.FrameTypes, ...]:
    """Return a publish by somebody else to an exchange that may be written to."""
    properties = commands.Basic.Properties(user_id=name)
    publish = commands.Basic.Publish(exchange="wx", routing_key="k")
    return (publish, header.ContentHeader(0, 0, properties))


def _declare(name: str, **arguments: Any) -> commands.Queue.Declare:
    return commands.Queue.Declare(queue=name, durable=True, arguments=arguments)


def _exchange(name: str, **arguments: Any) -> commands.Exchange.Declare:
    return commands.Exchange.Declare(exchange=name, exchange_type="fanout", arguments=arguments)


_DLX, _AE = "x-dead-letter-exchange", "alternate-exchange"
Q, X, B = commands.Queue, commands.Exchange, commands.Basic
ASKED: dict[str, tuple[frame.FrameTypes, ...]] = {
    "declare": (_declare("zz"),),
    "declare, permitted": (_declare("cq2"),),
    "declare what is there": (_declare("wq"),),
    "declare what is there otherwise": (Q.Declare(queue="wq"),),
    "declare passively": (Q.Declare(queue="wq", passive=True),),
    "declare passively what is not there": (Q.Declare(queue="nn", passive=True),),
    "declare without a name": (Q.Declare(queue=""),),
    "declare a reserved name": (Q.Declare(queue="amq.x"),),
    "declare with an argument that is wrong": (_declare("zz", **{"x-expires": -1}),),
    "dead letters of what may not be read": (_declare("cd", **{_DLX: "wx"}),),
    "dead letters to what may not be written to": (_declare("crd", **{_DLX: "x"}),),
    "delete": (Q.Delete(queue="wq"),),
    "delete what is not there": (Q.Delete(queue="nonesuch"),),
    "delete what is not there, permitted": (Q.Delete(queue="cnonesuch"),),
    "purge": (Q.Purge(queue="cq"),),
    "purge what is not there": (Q.Purge(queue="nn"),),
    "purge, permitted": (Q.Purge(queue="rq"),),
    "bind a queue": (Q.Bind(queue="cq", exchange="rx"),),
    "bind to an exchange": (Q.Bind(queue="wq", exchange="cx"),),
    "bind, permitted": (Q.Bind(queue="wq", exchange="rx"),),
    "bind what is not there": (Q.Bind(queue="zz", exchange="rx"),),
    "bind to what is not there": (Q.Bind(queue="wq", exchange="zz"),),
    "bind to what is not there, permitted": (Q.Bind(queue="wq", exchange="rzz"),),
    "bind to the default exchange": (Q.Bind(queue="cq", exchange=""),),
    "bind what may be to the default exchange": (Q.Bind(queue="wq", exchange=""),),
    "unbind a queue": (Q.Unbind(queue="cq", exchange="rx"),),
    "unbind from an exchange": (Q.Unbind(queue="wq", exchange="cx"),),
    "consume": (B.Consume(queue="cq"),),
    "consume from what is not there": (B.Consume(queue="rnn"),),
    "consume, permitted": (B.Consume(queue="rq"),),
    "get": (B.Get(queue="cq"),),
    "get from what is not there": (B.Get(queue="nn"),),
    "get, permitted": (B.Get(queue="rq"),),
    "replies": (B.Consume(queue="amq.rabbitmq.reply-to", no_ack=True),),
    "publish to the default exchange": content("rq"),
    "publish": content("k", exchange="rx"),
    "publish, permitted": content("k", exchange="wx"),
    "publish to what is not there": content("k", exchange="zz"),
    "publish to what is not there, permitted": content("k", exchange="wzz"),
    "publish as somebody else": of_user("guest"),
    "declare an exchange": (_exchange("zx"),),
    "declare an exchange, permitted": (_exchange("cx2"),),
    "declare an exchange passively": (X.Declare(exchange="rx", passive=True),),
    "declare a reserved exchange": (_exchange("amq.zz"),),
    "declare the default exchange": (_exchange(""),),
    "an alternate of what may not be read": (_exchange("ca", **{_AE: "wx"}),),
    "an alternate that may not be written to": (_exchange("cra", **{_AE: "x"}),),
    "delete an exchange": (X.Delete(exchange="wx"),),
    "delete an exchange that is not there": (X.Delete(exchange="zzz"),),
    "delete a reserved exchange": (X.Delete(exchange="amq.topic"),),
    "bind an exchange": (X.Bind(destination="cx", source="rx"),),
    "bind an exchange to one": (X.Bind(destination="wx", source="cx"),),
    "bind an exchange, permitted": (X.Bind(destination="wx", source="rx"),),
    "bind the default exchange": (X.Bind(destination="", source="rx"),),
    "bind an exchange to the default one": (X.Bind(destination="wx", source=""),),
    "unbind an exchange": (X.Unbind(destination="cx", source="rx"),),
    "declare an exchange of no type": (X.Declare(exchange="x", exchange_type="fano"),),
}


@pytest.mark.parametrize("asked", ASKED)
def test_what_a_user_may_not_do_is_refused_alike(
    asked: str, node: Node, broker: RunningBroker
) -> None:
    answers = []
    for port in (node.port, broker.port):
        client = Guarded(port)
        client.log_in("u")
        assert client.enter("v") == "0 Connection.OpenOk"
        answers += named([client.ask(*ASKED[asked])])
        client.close()
    assert answers[1] == answers[0]


@pytest.mark.parametrize(
    ("user", "password", "vhost"),
    [
        ("u", "wrong", "v"),
        ("nobody", "p", "v"),
        ("u", "p", "none"),
        ("u", "p", "/"),
        ("u", "p", "v"),
    ],
)
def test_who_may_not_come_in_is_told_alike(
    user: str, password: str, vhost: str, node: Node, broker: RunningBroker
) -> None:
    answers = []
    for port in (node.port, broker.port):
        client = Guarded(port)
        answer = client.log_in(user, password)
        answers.append(client.enter(vhost) if answer == "0 Connection.Tune" else answer)
        client.close()
    assert answers[1] == answers[0]


def test_who_cannot_hear_that_a_login_was_refused_is_not_told(
    node: Node, broker: RunningBroker
) -> None:
    for port in (node.port, broker.port):
        client = Guarded(port, closes=False)
        told = []
        with suppress(ConnectionResetError):
            told = [client.log_in("u", "wrong")]
        assert told in ([], [""])
        client.close()


def test_who_is_deleted_is_told_alike(node: Node, broker: RunningBroker) -> None:
    told = []
    for port, delete in (
        (node.port, lambda: node.ctl("delete_user", "gone")),
        (broker.port, lambda: broker.ask(lambda it: it.delete_user("gone"))),
    ):
        client = Guarded(port)
        client.log_in("gone")
        client.enter("v")
        delete()
        told.append(client.line())
        client.close()
    assert told[1] == told[0]


def test_a_virtual_host_that_is_deleted_is_told_alike(node: Node, broker: RunningBroker) -> None:
    """RabbitMQ says one of two things, since two of its processes close the connection."""
    told = []
    for port, delete in (
        (node.port, lambda: node.ctl("delete_vhost", "w")),
        (broker.port, lambda: broker.ask(lambda it: it.delete_vhost("w"))),
    ):
        client = Guarded(port)
        client.log_in("u")
        client.enter("w")
        delete()
        told.append(client.line())
        client.close()
    why = "0 Connection.Close 320 CONNECTION_FORCED - vhost 'w' is"
    assert told[0] in (f"{why} down", f"{why} deleted")
    assert told[1] == f"{why} down"
