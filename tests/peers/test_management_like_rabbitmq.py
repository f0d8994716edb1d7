"""The management of this broker and of a real RabbitMQ: the same requests, the same answers.

What is asked is asked of both, one request after the other; the status is compared each time, and
what an answer says as far as both say it in the same words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bench.rabbitmq.node import Node
from bench.rabbitmq.site import free_port, site
from tests.impl.control.remote import remote
from tests.impl.management.asking import Asker

pytestmark = pytest.mark.peer

ALL = {"configure": ".*", "write": ".*", "read": ".*"}
HI = {"routing_key": "k", "payload": "hi", "payload_encoding": "string", "properties": {}}
ONCE = {"count": 5, "ackmode": "ack_requeue_false", "encoding": "auto"}
_E = "bindings/v/e/x/q/q"

#: Requests, and whether all that is answered must be the same.
ASKED: list[tuple[str, str, object, bool]] = [
    ("PUT", "vhosts/v", {}, True),
    ("PUT", "vhosts/v", {}, True),
    ("GET", "vhosts/none", None, True),
    ("PUT", "users/u", {"password": "p", "tags": "management"}, True),
    ("PUT", "users/u", {"password": "p"}, True),
    ("PUT", "users/u", b"{", True),
    ("GET", "users/none", None, True),
    ("PUT", "permissions/v/u", {"configure": "", "write": ""}, True),
    ("PUT", "permissions/v/none", ALL, True),
    ("PUT", "permissions/none/u", ALL, True),
    ("PUT", "permissions/v/guest", ALL, False),
    ("GET", "permissions/v/guest", None, True),
    ("GET", "permissions/v/u", None, True),
    ("PUT", "queues/v/q", {"durable": True}, True),
    ("PUT", "queues/v/q", {"durable": True}, True),
    ("PUT", "queues/v/q", {"durable": False}, True),
    ("PUT", "queues/v/q2", {"arguments": {"x-expires": -1}}, True),
    ("PUT", "queues/none/q", {}, False),
    ("GET", "queues/v/none", None, True),
    ("GET", "queues?columns=name,vhost,durable,arguments", None, True),
    ("PUT", "exchanges/v/x", {"type": "fanout"}, True),
    ("PUT", "exchanges/v/x", {"type": "direct"}, True),
    ("PUT", "exchanges/v/y", {"type": "fano"}, True),
    ("GET", "exchanges/v/x?columns=name,type,durable,internal", None, True),
    ("DELETE", "exchanges/v/amq.topic", None, True),
    ("DELETE", "exchanges/v/none", None, True),
    ("POST", _E, {"routing_key": "k"}, True),
    ("POST", _E, {"routing_key": "k"}, True),
    ("POST", "bindings/v/e/none/q/q", {}, True),
    ("POST", "bindings/v/e/x/q/none", {}, True),
    ("GET", "bindings/v", None, True),
    ("GET", _E, None, True),
    ("GET", "queues/v/q/bindings", None, True),
    ("GET", "exchanges/v/x/bindings/source", None, True),
    ("DELETE", f"{_E}/none", None, True),
    ("POST", "exchanges/v/x/publish", HI, True),
    ("POST", "exchanges/v/amq.default/publish", HI, True),
    ("POST", "exchanges/v/none/publish", HI, False),
    ("POST", "queues/v/q/get", ONCE, True),
    ("POST", "queues/v/q/get", ONCE, True),
    ("POST", "queues/v/q/get", {"count": 5}, True),
    ("DELETE", "queues/v/q/contents", None, True),
    ("DELETE", f"{_E}/k", None, True),
    ("GET", "definitions/v?columns=queues,exchanges,bindings", None, True),
    ("POST", "definitions", b"xx", False),
    ("POST", "definitions", {"queues": [{"name": "a", "vhost": "none", "durable": True}]}, False),
    ("GET", "healthchecks/node", None, True),
    ("GET", "health/checks/alarms", None, True),
    ("GET", "health/checks/port-listener/1", None, False),
    ("GET", "health/checks/protocol-listener/mqtt", None, False),
    ("GET", "aliveness-test/v", None, True),
    ("GET", "policies", None, True),
    ("GET", "nothing", None, True),
    ("POST", "overview", {}, True),
    ("DELETE", "queues/v/q", None, True),
    ("DELETE", "queues/v/q", None, True),
    ("DELETE", "permissions/v/guest", None, True),
    ("PUT", "queues/v/q", {}, False),
    ("DELETE", "connections/none", None, False),
    ("DELETE", "users/u", None, True),
    ("DELETE", "users/u", None, True),
    ("DELETE", "vhosts/v", None, True),
    ("DELETE", "vhosts/v", None, True),
]


@pytest.fixture(scope="module")
def theirs(installed: None) -> Iterator[Asker]:
    """The management of a RabbitMQ."""
    port = free_port()
    more = (f"management.tcp.port = {port}", "management.tcp.ip = 127.0.0.1")
    with (
        site() as here,
        here.names(),
        Node(here, "managed", more=more, plugins=["rabbitmq_management"]) as node,
    ):
        node.start()
        node.ready()
        yield Asker(port)


def test_both_answer_alike(theirs: Asker) -> None:
    with remote() as node:
        ours = Asker(node.control)
        for method, path, body, same in ASKED:
            asked = f"{method} {path} {body!r}"
            status, document = theirs.ask(method, path, body)
            ours_status, ours_document = ours.ask(method, path, body)
            assert (asked, ours_status) == (asked, status), ours_document
            if same:
                assert (asked, _plain(ours_document)) == (asked, _plain(document))


def _plain(document: Any) -> Any:
    """Return a document whose order does not matter."""
    if isinstance(document, list):
        return sorted(map(_plain, document), key=str)
    if isinstance(document, dict):
        return {name: _plain(document[name]) for name in sorted(document)}
    return document
