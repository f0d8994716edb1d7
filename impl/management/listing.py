"""What the management lists, and whether the node is well."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from ackproof.impl.errors import HardError
from ackproof.impl.management import views
from ackproof.impl.management.answers import Answer, done, missing
from ackproof.impl.management.requests import Asked, refused
from ackproof.impl.node import Node
from ackproof.impl.session.session import Session
from ackproof.impl.topology.definitions import Exchange
from ackproof.impl.vhost.virtual_host import VirtualHost

__all__ = ["ONE", "ROUTES", "host_of", "ok"]

_DEFAULT_EXCHANGE = "amq.default"
_PROTOCOLS = ("amqp", "amqp091")


def ok(document: Any) -> Answer:
    """Return an answer with a document."""
    return Answer(HTTPStatus.OK, document)


def host_of(node: Node, asked: Asked) -> VirtualHost:
    """Return the virtual host that a request names.

    Raises:
        Refusal: 404, there is none; 401, it is not open to who asks.
    """
    name = asked.names["vhost"]
    host = node.broker.vhosts.get(name)
    if host is None:
        raise missing()
    if not (asked.administers or node.broker.directory.may_open(name, asked.user.name)):
        raise refused("User not authorised to access virtual host")
    return host


def _hosts(node: Node, asked: Asked) -> list[VirtualHost]:
    """Return the virtual hosts that a request is about: the one it names, or all that are open."""
    if "vhost" in asked.names:
        return [host_of(node, asked)]
    directory = node.broker.directory
    return [
        host
        for host in node.broker.vhosts.values()
        if asked.administers or directory.may_open(host.name, asked.user.name)
    ]


def _sessions(node: Node, asked: Asked) -> list[Session]:
    """Return the connections that a request is about: those that who asks may see."""
    among = {host.name for host in _hosts(node, asked)}
    return [
        session
        for session in node.sessions
        if session.vhost.name in among and (asked.monitors or session.user == asked.user.name)
    ]


# -- the node -----------------------------------------------------------------------------------


async def _overview(node: Node, _: Asked) -> Answer:
    return ok(views.overview(node))


async def _nodes(node: Node, _: Asked) -> Answer:
    return ok([views.node_view(node)])


async def _node(node: Node, asked: Asked) -> Answer:
    if asked.names["node"] != views.NODE:
        raise missing()
    return ok(views.node_view(node))


async def _cluster_name(_: Node, __: Asked) -> Answer:
    return ok({"name": views.NODE})


async def _whoami(_: Node, asked: Asked) -> Answer:
    return ok({"name": asked.user.name, "tags": list(asked.user.tags)})


async def _nothing(_: Node, __: Asked) -> Answer:
    """Answer for what there is none of here."""
    return ok([])


async def _well(_: Node, __: Asked) -> Answer:
    return ok({"status": "ok"})


async def _alarms(node: Node, _: Asked) -> Answer:
    reason = node.alarm
    if reason:
        return _unwell("There are alarms in effect in the cluster", alarms=[reason])
    return ok({"status": "ok"})


async def _port(node: Node, asked: Asked) -> Answer:
    port = asked.names["port"]
    if port == str(node.port):
        return ok({"status": "ok", "port": node.port})
    return _unwell("No active listener", missing=port, ports=[node.port])


async def _protocol(_: Node, asked: Asked) -> Answer:
    protocol = asked.names["protocol"]
    if protocol in _PROTOCOLS:
        return ok({"status": "ok", "protocol": "amqp"})
    return _unwell("No active listener", missing=protocol, protocols=["amqp", "http"])


def _unwell(reason: str, **facts: Any) -> Answer:
    document = {"status": "failed", "reason": reason, **facts}
    return Answer(HTTPStatus.SERVICE_UNAVAILABLE, document)


# -- what there is ------------------------------------------------------------------------------


async def _vhosts(node: Node, asked: Asked) -> Answer:
    return ok([views.vhost(host) for host in _hosts(node, asked)])


async def _vhost(node: Node, asked: Asked) -> Answer:
    return ok(views.vhost(host_of(node, asked)))


async def _queues(node: Node, asked: Asked) -> Answer:
    return ok([views.queue(one) for host in _hosts(node, asked) for one in host.queues.values()])


async def _queue(node: Node, asked: Asked) -> Answer:
    queue = host_of(node, asked).queues.get(asked.names["name"])
    if queue is None:
        raise missing()
    return ok(views.queue(queue))


async def _exchanges(node: Node, asked: Asked) -> Answer:
    exchanges = [one for host in _hosts(node, asked) for one in _exchanges_of(host)]
    return ok([views.exchange(one) for one in exchanges])


def _exchanges_of(host: VirtualHost) -> Iterable[Exchange]:
    return host.topology.graph.exchanges.values()


async def _exchange(node: Node, asked: Asked) -> Answer:
    return ok(views.exchange(_named(node, asked)))


def _named(node: Node, asked: Asked) -> Exchange:
    """Return the exchange that a request names."""
    name = asked.names["name"]
    exchanges = host_of(node, asked).topology.graph.exchanges
    exchange = exchanges.get("" if name == _DEFAULT_EXCHANGE else name)
    if exchange is None:
        raise missing()
    return exchange


async def _bindings(node: Node, asked: Asked) -> Answer:
    return ok([one for host in _hosts(node, asked) for one in views.bindings(host)])


def _bindings_where(
    fits: Callable[[dict[str, Any], str], bool],
) -> Callable[[Node, Asked], Any]:
    async def answer(node: Node, asked: Asked) -> Answer:
        name = asked.names["name"]
        name = "" if name == _DEFAULT_EXCHANGE else name
        shown = views.bindings(host_of(node, asked))
        return ok([one for one in shown if fits(one, name)])

    return answer


async def _bindings_between(node: Node, asked: Asked) -> Answer:
    kind = {"q": "queue", "e": "exchange"}.get(asked.names["kind"])
    source = asked.names["source"]
    ends = {
        "source": "" if source == _DEFAULT_EXCHANGE else source,
        "destination": asked.names["destination"],
        "destination_type": kind,
    }
    shown = views.bindings(host_of(node, asked))
    return ok([one for one in shown if ends.items() <= one.items()])


# -- who is there -------------------------------------------------------------------------------


async def _connections(node: Node, asked: Asked) -> Answer:
    return ok([views.connection(session) for session in _sessions(node, asked)])


def _session(node: Node, asked: Asked) -> Session:
    found = [one for one in _sessions(node, asked) if one.name == asked.names["name"]]
    if not found:
        raise missing()
    return found[0]


async def _connection(node: Node, asked: Asked) -> Answer:
    return ok(views.connection(_session(node, asked)))


async def _close(node: Node, asked: Asked) -> Answer:
    session = _session(node, asked)
    if not (asked.administers or session.user == asked.user.name):
        raise refused("User not authorised to close the connection")
    session.fail(HardError(320, asked.reason or "Closed via management plugin"))
    return done()


async def _channels(node: Node, asked: Asked) -> Answer:
    return ok(
        [
            views.channel(session, number, one)
            for session in _sessions(node, asked)
            for number, one in session.channels.items()
        ]
    )


async def _consumers(node: Node, asked: Asked) -> Answer:
    return ok(views.consumers(_sessions(node, asked)))


def _of(name: str) -> Callable[[dict[str, Any], str], bool]:
    return lambda one, asked: one[name] == asked


def _into(kind: str) -> Callable[[dict[str, Any], str], bool]:
    return lambda one, name: (one["destination_type"], one["destination"]) == (kind, name)


ROUTES: dict[str, dict[str, Callable[[Node, Asked], Any]]] = {
    "overview": {"GET": _overview},
    "nodes": {"GET": _nodes},
    "nodes/{node}": {"GET": _node},
    "cluster-name": {"GET": _cluster_name},
    "whoami": {"GET": _whoami},
    "extensions": {"GET": _nothing},
    "policies": {"GET": _nothing},
    "policies/{vhost}": {"GET": _nothing},
    "operator-policies": {"GET": _nothing},
    "parameters": {"GET": _nothing},
    "global-parameters": {"GET": _nothing},
    "topic-permissions": {"GET": _nothing},
    "vhost-limits": {"GET": _nothing},
    "healthchecks/node": {"GET": _well},
    "healthchecks/node/{node}": {"GET": _well},
    "health/checks/alarms": {"GET": _alarms},
    "health/checks/local-alarms": {"GET": _alarms},
    "health/checks/virtual-hosts": {"GET": _well},
    "health/checks/node-is-mirror-sync-critical": {"GET": _well},
    "health/checks/node-is-quorum-critical": {"GET": _well},
    "health/checks/port-listener/{port}": {"GET": _port},
    "health/checks/protocol-listener/{protocol}": {"GET": _protocol},
    "vhosts": {"GET": _vhosts},
    "queues": {"GET": _queues},
    "queues/{vhost}": {"GET": _queues},
    "queues/{vhost}/{name}/bindings": {"GET": _bindings_where(_into("queue"))},
    "exchanges": {"GET": _exchanges},
    "exchanges/{vhost}": {"GET": _exchanges},
    "exchanges/{vhost}/{name}/bindings/source": {"GET": _bindings_where(_of("source"))},
    "exchanges/{vhost}/{name}/bindings/destination": {"GET": _bindings_where(_into("exchange"))},
    "bindings": {"GET": _bindings},
    "bindings/{vhost}": {"GET": _bindings},
    "connections": {"GET": _connections},
    "connections/{name}": {"GET": _connection, "DELETE": _close},
    "vhosts/{vhost}/connections": {"GET": _connections},
    "channels": {"GET": _channels},
    "vhosts/{vhost}/channels": {"GET": _channels},
    "consumers": {"GET": _consumers},
    "consumers/{vhost}": {"GET": _consumers},
}
#: What is shown of one thing, beside how it is changed.
ONE = {
    "vhost": _vhost,
    "queue": _queue,
    "exchange": _exchange,
    "between": _bindings_between,
}
