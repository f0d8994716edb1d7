"""What a client may say with bytes that are no UTF-8, or with numbers that no calendar has.

Each case is what is said on channel 1 of a connection that is open, as bytes, since no codec takes
all of it.
"""

from __future__ import annotations

import struct

from pamqp import commands

from tests.impl.clients import encode

__all__ = ["CARRIED", "DYING", "RAW", "REFUSED", "ROUTED", "fetched", "published"]

#: No UTF-8, at any place.
RAW = b"\xff\xfe\x80"

_FLAGS = commands.Basic.Properties.flags
_DECLARE = encode(1, commands.Queue.Declare(queue="q", exclusive=True))
_GET = encode(1, commands.Basic.Get(queue="q", no_ack=True))


def _frame(kind: int, payload: bytes) -> bytes:
    return struct.pack(">BHI", kind, 1, len(payload)) + payload + b"\xce"


def _short(content: bytes) -> bytes:
    return bytes((len(content),)) + content


def _table(*fields: bytes) -> bytes:
    content = b"".join(fields)
    return struct.pack(">I", len(content)) + content


def _text(content: bytes) -> bytes:
    return b"S" + _table(content)


def _method(index: int, *arguments: bytes) -> bytes:
    return _frame(1, struct.pack(">IH", index, 0) + b"".join(arguments))


def _header(properties: dict[str, bytes]) -> bytes:
    flags = sum(_FLAGS[name] for name in properties)
    said = (properties[name] for name in _FLAGS if name in properties)
    return struct.pack(">HHQH", 60, 0, 1, flags) + b"".join(said)


def published(
    properties: dict[str, bytes], key: bytes = b"q", exchange: bytes = b"", bits: bytes = b"\0"
) -> bytes:
    """Return a publish of one byte."""
    publish = _method(commands.Basic.Publish.index, _short(exchange), _short(key), bits)
    return publish + _frame(2, _header(properties)) + _frame(3, b"x")


def fetched(
    properties: dict[str, bytes],
    key: bytes = b"q",
    exchange: bytes = b"",
    *,
    redelivered: bool = False,
) -> bytes:
    """Return how a broker hands out that message, the only one in its queue."""
    arguments = struct.pack(">QB", 1, redelivered) + _short(exchange) + _short(key) + bytes(4)
    get_ok = struct.pack(">I", commands.Basic.GetOk.index) + arguments
    return _frame(1, get_ok) + _frame(2, _header(properties)) + _frame(3, b"x")


def _bound(exchange: str, key: str = "", arguments: bytes = bytes(4)) -> bytes:
    route = _short(b"q") + _short(exchange.encode()) + _short(key.encode())
    return _DECLARE + _method(commands.Queue.Bind.index, route, b"\0", arguments)


_OWN_TEXTS = [
    "content_type",
    "content_encoding",
    "correlation_id",
    "reply_to",
    "message_id",
    "message_type",
    "app_id",
    "cluster_id",
]
_AS_KEY = {"headers": _table(_short(RAW), b"I\0\0\0\1")}

#: Properties that a message keeps to the last byte.
CARRIED: dict[str, dict[str, bytes]] = {
    **{name: {name: _short(RAW)} for name in _OWN_TEXTS},
    **{
        f"a moment of {number}": {"timestamp": struct.pack(">Q", number)}
        for number in (0, 250_000_000_000_000, 2**63, 2**64 - 1)
    },
    "the name of a header": _AS_KEY,
    "a name in a header": {
        "headers": _table(_short(b"a"), b"F", _table(_short(RAW), b"t\1")),
    },
    "a text in a header": {"headers": _table(_short(b"a"), _text(RAW))},
    "a moment in a header": {"headers": _table(_short(b"a"), b"T" + b"\xff" * 8)},
}

#: Messages whose way depends on such bytes: what is done first, the publish, what it is then.
ROUTED: dict[str, bytes] = {
    "to everybody": _bound("amq.fanout") + published({}, RAW, b"amq.fanout") + _GET,
    "by words": _bound("amq.topic", "*.*") + published({}, RAW + b"." + RAW, b"amq.topic") + _GET,
    "by headers": _bound("amq.headers", arguments=_table(_short(RAW), b"I\0\0\0\1"))
    + published(_AS_KEY, b"", b"amq.headers")
    + _GET,
    "by a copy": _bound("amq.topic", "*.*")
    + published(
        {"headers": _table(_short(b"CC"), b"A", _table(_text(RAW + b"." + RAW)))},
        b"one",
        b"amq.topic",
    )
    + _GET,
    "nowhere": published({}, RAW, bits=b"\1"),
}

#: A queue whose messages die at once and get such a key; a message, and where it comes to.
DYING = (
    _method(
        commands.Queue.Declare.index,
        _short(b"dying"),
        b"\4",
        _table(
            *(_short(b"x-dead-letter-exchange"), _text(b"amq.topic")),
            *(_short(b"x-dead-letter-routing-key"), _text(RAW + b"." + RAW)),
            *(_short(b"x-message-ttl"), b"I\0\0\0\0"),
        ),
    )
    + _bound("amq.topic", "*.*")
    + published({}, b"dying")
)


def _named(index: int, *rest: bytes) -> bytes:
    return _method(index, _short(RAW), *rest)


#: What is refused, softly or not.
REFUSED: dict[str, bytes] = {
    "an expiration": _DECLARE + published({"expiration": _short(RAW)}),
    "a user": _DECLARE + published({"user_id": _short(RAW)}),
    "an exchange to publish to": published({}, exchange=RAW),
    "a queue": _named(commands.Queue.Declare.index, bytes(5)),
    "a queue to delete": _named(commands.Queue.Delete.index, b"\0"),
    "a queue to ask": _named(commands.Basic.Get.index, b"\0"),
    "an exchange": _named(commands.Exchange.Declare.index, _short(b"direct"), bytes(5)),
    "a binding": _DECLARE
    + _method(
        commands.Queue.Bind.index, _short(b"q"), _short(b"amq.direct"), _short(RAW), bytes(5)
    ),
    "a consumer": _DECLARE
    + _method(commands.Basic.Consume.index, _short(b"q"), _short(RAW), b"\2", bytes(4)),
    "the reason of a close": _method(commands.Channel.Close.index, _short(RAW), bytes(4)),
}
