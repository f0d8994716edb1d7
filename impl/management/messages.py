"""Messages by way of the management: publish one, get some, and see whether both work."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from ackproof.impl.administration.json_tables import to_json
from ackproof.impl.management.answers import Answer, Refusal, bad
from ackproof.impl.management.direct_connection import DirectConnection, method
from ackproof.impl.management.listing import host_of, ok
from ackproof.impl.management.requests import Asked
from ackproof.impl.node import Node
from ackproof.impl.wire.decoding import read_properties, split_header
from ackproof.impl.wire.frames import BODY, HEADER, METHOD, Received
from pamqp import base, body, commands, frame, header

__all__ = ["ROUTES"]

Handler = Callable[[Node, Asked], Awaitable[Answer]]

_DEFAULT_EXCHANGE = "amq.default"
_ALIVENESS = "aliveness-test"
#: What may be done with a message that is got: whether it is acknowledged by that, and if not,
#: whether it goes back.
_ACKMODES = {
    "ack_requeue_true": (False, True),
    "ack_requeue_false": (True, False),
    "reject_requeue_true": (False, True),
    "reject_requeue_false": (False, False),
}
_ENCODINGS = ("auto", "base64")
_MOST = 10_000
_TEXTS = (
    "content_type",
    "content_encoding",
    "correlation_id",
    "reply_to",
    "expiration",
    "message_id",
    "message_type",
    "user_id",
    "app_id",
    "cluster_id",
)
_NUMBERS = ("delivery_mode", "priority", "timestamp")


async def _publish(node: Node, asked: Asked) -> Answer:
    name = asked.names["name"]
    message = _message(
        "" if name == _DEFAULT_EXCHANGE else name,
        asked.text("routing_key"),
        _payload(asked),
        _properties(asked),
    )
    async with DirectConnection(node, asked.user, host_of(node, asked)) as direct:
        direct.tell(*message)
        try:
            heard = await direct.ask(commands.Channel.Close(0, "", 0, 0))
        except Refusal as refusal:
            if refusal.status is HTTPStatus.NOT_FOUND:
                raise bad(f"404 NOT_FOUND - {refusal}") from None
            raise
    return ok({"routed": not any(_is(one, commands.Basic.Return) for one in heard)})


def _message(
    exchange: str, key: str, payload: bytes, properties: commands.Basic.Properties
) -> list[frame.FrameTypes]:
    publish = method(commands.Basic.Publish, exchange=exchange, routing_key=key, mandatory=True)
    content = [body.ContentBody(payload)] if payload else []
    return [publish, header.ContentHeader(0, len(payload), properties), *content]


def _payload(asked: Asked) -> bytes:
    text, encoding = asked.text("payload"), asked.text("payload_encoding", "string")
    if encoding == "string":
        return text.encode()
    if encoding != "base64":
        raise bad("payload_encoding must be string or base64")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise bad("the payload is not base64") from None


def _properties(asked: Asked) -> commands.Basic.Properties:
    """Return the properties of a message; those that RabbitMQ does not know are left out."""
    said = asked.body.get("properties") or {}
    if not isinstance(said, dict):
        raise bad("properties must be an object")
    known = Asked(asked.user, body={("message_type" if n == "type" else n): said[n] for n in said})
    found: dict[str, Any] = {name: known.text(name) for name in _TEXTS if name in known.body}
    found |= {name: known.number(name) for name in _NUMBERS if name in known.body}
    if "timestamp" in found:
        try:
            found["timestamp"] = datetime.fromtimestamp(found["timestamp"], UTC)
        except (ValueError, OverflowError, OSError):
            raise bad("timestamp is no moment in seconds since 1970") from None
    if "headers" in known.body:
        found["headers"] = dict(known.table("headers"))
    try:
        properties = commands.Basic.Properties(**found)
        properties.marshal()
    except (ValueError, TypeError, OverflowError, struct.error) as error:
        raise bad(f"the properties cannot be sent: {error}") from None
    return properties


async def _get(node: Node, asked: Asked) -> Answer:
    asked.need("count", "ackmode", "encoding")
    count, mode = asked.number("count"), asked.text("ackmode")
    encoding = asked.text("encoding")
    if mode not in _ACKMODES:
        raise bad(f"ackmode must be one of {', '.join(_ACKMODES)}")
    if encoding not in _ENCODINGS:
        raise bad(f"encoding must be one of {', '.join(_ENCODINGS)}")
    no_ack, requeue = _ACKMODES[mode]
    most = asked.number("truncate", 0) or None
    got: list[dict[str, Any]] = []
    async with DirectConnection(node, asked.user, host_of(node, asked)) as direct:
        get = method(commands.Basic.Get, queue=asked.names["name"], no_ack=no_ack)
        for _ in range(min(count, _MOST)):
            heard = await direct.ask(get)
            if _is(heard[0], commands.Basic.GetEmpty):
                break
            got.append(_shown(heard, encoding, most))
        if got and not no_ack:
            direct.tell(commands.Basic.Nack(0, multiple=True, requeue=requeue))
    return ok(got)


def _shown(heard: list[Received], encoding: str, most: int | None) -> dict[str, Any]:
    """Return a message that was got."""
    said = commands.Basic.GetOk()
    said.unmarshal(heard[0].payload[4:])
    properties: dict[str, Any] = {}
    payload = b""
    for one in heard[1:]:
        if one.kind == HEADER:
            properties = _as_named(read_properties(split_header(one.payload)[2]))
        elif one.kind == BODY:
            payload = one.payload
    text, shown_as = _text(payload[:most], encoding)
    return {
        "payload_bytes": len(payload),
        "redelivered": bool(said.redelivered),
        "exchange": said.exchange,
        "routing_key": said.routing_key,
        "message_count": said.message_count,
        "properties": properties or [],
        "payload": text,
        "payload_encoding": shown_as,
    }


def _as_named(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties under the names that the management has for them."""
    return {
        ("type" if name == "message_type" else name): to_json(value)
        for name, value in properties.items()
    }


def _text(payload: bytes, encoding: str) -> tuple[str, str]:
    if encoding == "auto":
        try:
            return payload.decode(), "string"
        except UnicodeDecodeError:
            pass
    return base64.b64encode(payload).decode(), "base64"


def _is(received: Received, kind: type[base.Frame]) -> bool:
    return received.kind == METHOD and received.method_index == kind.index


async def _alive(node: Node, asked: Asked) -> Answer:
    """Publish a message to a queue that is made for it, and get it."""
    declare = commands.Queue.Declare(queue=_ALIVENESS)
    get = method(commands.Basic.Get, queue=_ALIVENESS, no_ack=True)
    async with DirectConnection(node, asked.user, host_of(node, asked)) as direct:
        await direct.ask(declare)
        direct.tell(*_message("", _ALIVENESS, b"test", commands.Basic.Properties()))
        heard = await direct.ask(get)
        if not _is(heard[0], commands.Basic.GetOk):
            raise bad("the message that was published is not there")
    return ok({"status": "ok"})


ROUTES: dict[str, dict[str, Handler]] = {
    "exchanges/{vhost}/{name}/publish": {"POST": _publish},
    "queues/{vhost}/{name}/get": {"POST": _get},
    "aliveness-test/{vhost}": {"GET": _alive},
}
