"""Queues, exchanges and bindings, declared and deleted by way of the management."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from urllib.parse import quote

from ackproof.impl.management import views
from ackproof.impl.management.answers import Answer, bad, created, done, missing
from ackproof.impl.management.direct_connection import DirectConnection, method
from ackproof.impl.management.listing import ONE, host_of
from ackproof.impl.management.requests import Asked
from ackproof.impl.node import Node
from ackproof.impl.topology.definitions import Binding
from pamqp import base, commands

__all__ = ["ROUTES"]

Handler = Callable[[Node, Asked], Awaitable[Answer]]


async def _ask(node: Node, asked: Asked, asking: base.Frame) -> None:
    """Call a method as the user who asks."""
    async with DirectConnection(node, asked.user, host_of(node, asked)) as direct:
        await direct.ask(asking)


async def _put_queue(node: Node, asked: Asked) -> Answer:
    name = asked.names["name"]
    new = name not in host_of(node, asked).queues
    declare = method(
        commands.Queue.Declare,
        queue=name,
        durable=asked.truth("durable"),
        auto_delete=asked.truth("auto_delete"),
        arguments=dict(asked.table()),
    )
    await _ask(node, asked, declare)
    return created(new=new)


async def _delete_queue(node: Node, asked: Asked) -> Answer:
    name = asked.names["name"]
    if name not in host_of(node, asked).queues:
        raise missing()
    only = {which: which in asked.query for which in ("if-unused", "if-empty")}
    unused, empty = only["if-unused"], only["if-empty"]
    await _ask(
        node, asked, method(commands.Queue.Delete, queue=name, if_unused=unused, if_empty=empty)
    )
    return done()


async def _purge(node: Node, asked: Asked) -> Answer:
    name = asked.names["name"]
    if name not in host_of(node, asked).queues:
        raise missing()
    await _ask(node, asked, method(commands.Queue.Purge, queue=name))
    return done()


async def _put_exchange(node: Node, asked: Asked) -> Answer:
    name = asked.names["name"]
    new = not host_of(node, asked).topology.has(name)
    declare = method(
        commands.Exchange.Declare,
        exchange=name,
        exchange_type=asked.text("type", "direct"),
        durable=asked.truth("durable"),
        auto_delete=asked.truth("auto_delete"),
        internal=asked.truth("internal"),
        arguments=dict(asked.table()),
    )
    await _ask(node, asked, declare)
    return created(new=new)


async def _delete_exchange(node: Node, asked: Asked) -> Answer:
    name = asked.names["name"]
    if not host_of(node, asked).topology.has(name):
        raise missing()
    unused = "if-unused" in asked.query
    await _ask(node, asked, method(commands.Exchange.Delete, exchange=name, if_unused=unused))
    return done()


# -- bindings -----------------------------------------------------------------------------------


async def _bind(node: Node, asked: Asked) -> Answer:
    to = asked.names["destination"]
    key, arguments = asked.text("routing_key", ""), dict(asked.table())
    _between(node, asked)
    said = {"routing_key": key, "arguments": arguments}
    if asked.names["kind"] == "q":
        await _ask(node, asked, method(commands.Queue.Bind, **_queue_ends(asked), **said))
    else:
        await _ask(node, asked, method(commands.Exchange.Bind, **_exchange_ends(asked), **said))
    made = [one for one in _between(node, asked) if (one.key, one.arguments) == (key, arguments)]
    shown = views.shown_binding(made[-1])["properties_key"] if made else "~"
    place = f"{quote(to, safe='')}/{quote(shown, safe='~')}"
    return Answer(HTTPStatus.CREATED, None, (("Location", place),))


async def _unbind(node: Node, asked: Asked) -> Answer:
    wanted = asked.names["key"]
    found = [
        one for one in _between(node, asked) if views.shown_binding(one)["properties_key"] == wanted
    ]
    if not found:
        raise missing()
    said = {"routing_key": found[0].key, "arguments": dict(found[0].arguments)}
    if asked.names["kind"] == "q":
        await _ask(node, asked, method(commands.Queue.Unbind, **_queue_ends(asked), **said))
    else:
        await _ask(node, asked, method(commands.Exchange.Unbind, **_exchange_ends(asked), **said))
    return done()


def _queue_ends(asked: Asked) -> dict[str, str]:
    return {"queue": asked.names["destination"], "exchange": asked.names["source"]}


def _exchange_ends(asked: Asked) -> dict[str, str]:
    return {"destination": asked.names["destination"], "source": asked.names["source"]}


def _between(node: Node, asked: Asked) -> list[Binding]:
    """Return the bindings between the two ends that a request names.

    Raises:
        Refusal: 400, there is no such kind of end.
    """
    kind, source = asked.names["kind"], asked.names["source"]
    if kind not in ("q", "e"):
        raise bad("a binding leads to q, a queue, or to e, an exchange")
    to = views.destination(kind, asked.names["destination"])
    bindings = host_of(node, asked).topology.bindings
    return [one for one in bindings if (one.source, one.destination) == (source, to)]


ROUTES: dict[str, dict[str, Handler]] = {
    "queues/{vhost}/{name}": {"GET": ONE["queue"], "PUT": _put_queue, "DELETE": _delete_queue},
    "queues/{vhost}/{name}/contents": {"DELETE": _purge},
    "exchanges/{vhost}/{name}": {
        "GET": ONE["exchange"],
        "PUT": _put_exchange,
        "DELETE": _delete_exchange,
    },
    "bindings/{vhost}/e/{source}/{kind}/{destination}": {"GET": ONE["between"], "POST": _bind},
    "bindings/{vhost}/e/{source}/{kind}/{destination}/{key}": {"DELETE": _unbind},
}
