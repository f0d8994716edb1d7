"""Chatter: what two sides say to each other in AMQP 0-9-1, drawn at random, as frames.

It has all that a scanner has to know of: methods that it reads and others, contents that come in
any number of frames and between those of other channels, texts of any bytes, tables, heartbeats,
frames of the connection itself; and, where it is asked for, what is no AMQP 0-9-1 at all.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from random import Random
from typing import Any

from ackproof.conform.columns import Columns, columns_of
from ackproof.conform.events import Event
from ackproof.conform.judging import stream
from ackproof.conform.judging.texts import HERE
from ackproof.impl.wire.frames import encode_content, encode_heartbeat, encode_method
from pamqp import base, commands, header

__all__ = ["said_by", "same", "spoiled"]

Drawn = Callable[[Random], Any]

_TEXTS = ["", "q", "a.longer.key", "é", "\udcff\udc80", "x" * 200, "c", "c2"]
#: Stands for bytes that are not UTF-8, which the codec cannot write.
_ODD = "<<<>>>"
_TABLES: list[dict[str, Any]] = [
    {},
    {"a": 1, "b": "text", "c": {"d": [1, 2, {"e": True}]}, "f": None, "g": 1.5},
    {"é": Decimal("1.5"), "t": datetime(2020, 1, 1, tzinfo=UTC), "big": 1 << 40},
    {"deep": [[[[[[[[[1]]]]]]]]]},
]


def _text(rng: Random) -> str:
    return rng.choice(_TEXTS)


def _plain(rng: Random) -> str:
    return rng.choice(["", "q", "c", "é"])


def _tag(rng: Random) -> int:
    return rng.choice([0, 1, 2, 7, 2**40, 2**63 - 1, 2**63, 2**64 - 1])


def _bit(rng: Random) -> bool:
    return rng.random() < 0.5


def _with(method: base.Frame, **fields: Any) -> base.Frame:
    """A method with fields that the codec refuses where it is made, and clients send."""
    for name, value in fields.items():
        setattr(method, name, value)
    return method


def _routed(rng: Random, method: base.Frame, **fields: Any) -> base.Frame:
    return _with(method, exchange=_text(rng), routing_key=_text(rng), **fields)


_C = commands
#: What a client says without a content; and with one.
_ASKED: list[Drawn] = [
    lambda r: _C.Channel.Open(),
    lambda r: _C.Channel.Close(200, "", 0, 0),
    lambda r: _C.Channel.CloseOk(),
    lambda r: _C.Confirm.Select(_bit(r)),
    lambda r: _C.Tx.Select(),
    lambda r: _C.Tx.Commit(),
    lambda r: _C.Tx.Rollback(),
    lambda r: _C.Basic.Ack(_tag(r), _bit(r)),
    lambda r: _C.Basic.Nack(_tag(r), _bit(r), _bit(r)),
    lambda r: _C.Basic.Reject(_tag(r), _bit(r)),
    lambda r: _with(_C.Basic.Get(), queue=_plain(r), no_ack=_bit(r)),
    lambda r: _C.Basic.Qos(0, r.randrange(9), _bit(r)),
    lambda r: _C.Basic.Recover(True),
    lambda r: _with(_C.Basic.Consume(), queue=_plain(r), no_ack=_bit(r), arguments={"x": 1}),
    lambda r: _C.Basic.Cancel(_plain(r), _bit(r)),
    lambda r: _C.Queue.Declare(0, "q", arguments={"x-max-length": 3}),
    lambda r: _C.Queue.Delete(0, "q"),
    lambda r: _C.Basic.Deliver("c", 1, False, "", "q"),
]
_SENT: list[Drawn] = [lambda r: _routed(r, _C.Basic.Publish(), mandatory=_bit(r))]
_ANSWERED: list[Drawn] = [
    lambda r: _C.Channel.OpenOk(),
    lambda r: _C.Channel.Close(406, "PRECONDITION_FAILED - unknown delivery tag 7", 60, 80),
    lambda r: _C.Channel.CloseOk(),
    lambda r: _C.Confirm.SelectOk(),
    lambda r: _C.Tx.SelectOk(),
    lambda r: _C.Tx.CommitOk(),
    lambda r: _C.Tx.RollbackOk(),
    lambda r: _C.Basic.Ack(_tag(r), _bit(r)),
    lambda r: _C.Basic.Nack(_tag(r), _bit(r), False),
    lambda r: _C.Basic.Reject(_tag(r), _bit(r)),
    lambda r: _C.Basic.GetEmpty(),
    lambda r: _C.Basic.QosOk(),
    lambda r: _C.Basic.RecoverOk(),
    lambda r: _C.Basic.ConsumeOk(_plain(r)),
    lambda r: _C.Basic.CancelOk(_plain(r)),
    lambda r: _C.Basic.Cancel(_plain(r), True),
    lambda r: _C.Queue.DeclareOk("q", 0, 0),
    lambda r: _C.Basic.Publish(0, "", "q"),
]
_SERVED: list[Drawn] = [
    lambda r: _routed(r, _C.Basic.Deliver(_plain(r), _tag(r), _bit(r), "", "")),
    lambda r: _routed(r, _C.Basic.GetOk(_tag(r), _bit(r), "", "", 3)),
    lambda r: _routed(r, _C.Basic.Return(312, "NO_ROUTE", "", "")),
]
_SIDES = [(_ASKED, _SENT), (_ANSWERED, _SERVED)]


def _content(rng: Random, channel: int) -> list[bytes]:
    """The frames of a content."""
    body = rng.randbytes(rng.choice([0, 0, 1, 21, 21, 127, 128, 129, 256, 300, 1000]))
    said: dict[str, Any] = {}
    if rng.random() < 0.7:
        said["message_id"] = rng.choice(["m", "another", _ODD, "é", "x" * 200])
    if rng.random() < 0.4:
        said["delivery_mode"] = rng.choice([1, 2])
    if rng.random() < 0.3:
        said["headers"] = rng.choice(_TABLES)
    if rng.random() < 0.2:
        said |= {"content_type": "t", "priority": 3, "timestamp": datetime(2020, 1, 1, tzinfo=UTC)}
    if rng.random() < 0.2:
        said |= {"correlation_id": _ODD, "reply_to": "r", "expiration": "5", "app_id": "a"}
    properties = commands.Basic.Properties(**said)
    with_texts = header.ContentHeader(0, len(body), properties).marshal()
    whole = encode_content(with_texts, body, channel, rng.choice([16, 40, 137, 4096]))
    return _frames(whole.replace(_ODD.encode(), b"\xff\x80\xc3(a\xfe"))


def _frames(data: bytes) -> list[bytes]:
    found = []
    while data:
        size = 8 + int.from_bytes(data[3:7], "big")
        found.append(data[:size])
        data = data[size:]
    return found


def _beginnings(data: bytes) -> list[int]:
    """Where frames begin, as far as they are frames."""
    found = [0]
    while (at := found[-1]) + 8 < len(data) and data[at] in (1, 2, 3, 8):
        found.append(min(at + 8 + int.from_bytes(data[at + 3 : at + 7], "big"), len(data)))
    return found


def said_by(rng: Random, side: int, count: int) -> bytes:
    """What a side says on some channels: so many methods, with their contents."""
    queues: dict[int, list[bytes]] = {channel: [] for channel in (1, 2, 3, 65_535)}
    bare, carrying = _SIDES[side]
    for _ in range(count):
        channel = rng.choice(list(queues))
        if rng.random() < 0.5:
            queues[channel].append(_method(rng.choice(bare)(rng), channel))
        else:
            queues[channel].append(_method(rng.choice(carrying)(rng), channel))
            queues[channel] += _content(rng, channel)
    found = []
    while any(queues.values()):
        if rng.random() < 0.05:
            found.append(rng.choice([encode_heartbeat(), _method(_C.Connection.CloseOk(), 0)]))
        found.append(rng.choice([queue for queue in queues.values() if queue]).pop(0))
    return b"".join(found)


def _method(method: base.Frame, channel: int) -> bytes:
    return encode_method(method, channel)


def spoiled(rng: Random, data: bytes) -> bytes:
    """The same with something in it that may be no AMQP 0-9-1."""
    found = bytearray(data)
    for _ in range(rng.choice([1, 1, 3])):
        place = rng.randrange(len(found))
        how = rng.randrange(4)
        if how == 0:
            found[place] ^= 1 << rng.randrange(8)
        elif how == 1:
            del found[place : place + rng.randrange(1, 20)]
        elif how == 2:
            found[place:place] = rng.randbytes(rng.randrange(1, 20))
        else:
            # A whole frame where no such frame may come, or of a type that there is not.
            stray = struct.pack(">BHI", rng.choice([2, 3, 3, 3, 4, 8]), rng.randrange(1, 4), 2)
            place = rng.choice(_beginnings(bytes(found)))
            found[place:place] = stray + b"xx\xce"
        if not found:
            break
    return bytes(found)


_LAST_OF_TEXTS = (stream.CONSUMER, stream.QUEUE)


def same(columns: Columns, events: list[Event]) -> None:
    """Assert that columns are those of some events, in any order of their connections."""
    wanted = columns_of(events, HERE)
    assert columns.numbers.tolist() == wanted.numbers.tolist()
    assert columns.channels.tolist() == wanted.channels.tolist()
    for found, of in ((columns.message, wanted.message), (columns.digest, wanted.digest)):
        assert found[0].tolist() == of[0].tolist()
        assert found[1].tobytes() == of[1].tobytes()
    for row, event in enumerate(events):
        said = columns.event(row)
        assert (said.kind, said.connection, said.channel) == (
            event.kind,
            event.connection,
            event.channel,
        )
        assert (said.number, said.time, said.tag) == (event.number, event.time, event.tag)
        assert said.consumer == event.consumer
        for column, text in zip(_LAST_OF_TEXTS, (event.consumer, event.queue), strict=True):
            number = int(columns.numbers[column, row])
            assert (columns.names[number] if number else "") == text
