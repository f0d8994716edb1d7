"""What the specification's events look like on the wire.

Most events that the spec emits are one frame each.  A return and a delivery carry a message, with
the properties and the body it came with (A6.2).

Deliveries are the one thing that a broker says as often as it is told anything, so they are put
together here and not by the codec.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import cast

from ackproof.impl.machines.channels import ConsumingChannel
from ackproof.impl.steps.immediate import Declined
from ackproof.impl.wire.content import Message
from ackproof.impl.wire.frames import METHOD, encode_content, encode_method
from ackproof.impl.wire.texts import to_bytes
from ackproof.lang import Event
from ackproof.spec.sorts import Msg
from ackproof.spec.wire import (
    Ack,
    Cancel,
    CancelOk,
    CommitOk,
    Deliver,
    GetEmpty,
    GetOk,
    Nack,
    RecoverOk,
    Return,
    RollbackOk,
    SelectOk,
    TxSelectOk,
)
from pamqp import base, commands

__all__ = ["encode_consumer_event", "encode_event"]

_NO_ROUTE = (312, "NO_ROUTE")
_NO_CONSUMERS = (313, "NO_CONSUMERS")

#: The methods that say what happened and no more.
_BARE: dict[type[Event], base.Frame] = {
    CommitOk: commands.Tx.CommitOk(),
    RollbackOk: commands.Tx.RollbackOk(),
    SelectOk: commands.Confirm.SelectOk(),
    TxSelectOk: commands.Tx.SelectOk(),
}

_PREFIX = struct.Struct(">BHIHH")
_TAG = struct.Struct(">QB")
_COUNT = struct.Struct(">I")
_END = b"\xce"
_BASIC, _DELIVER, _GET_OK = 60, 60, 71


class _Return(commands.Basic.Return):
    """basic.return from any exchange that a client could name; the codec refuses unusual names."""

    def validate(self) -> None:
        """A name that was decoded can be encoded."""


def encode_event(
    event: Event,
    message: Message | None,
    tag: Callable[[Msg], int],
    channel: int,
    frame_max: int,
) -> bytes:
    """Return the frames that tell a publisher of an event.

    Args:
        event: what the channel tells.
        message: the message that is being published; a return needs it.
        tag: returns the number by which the publisher knows a message.
        channel: number of the channel.
        frame_max: bytes of a whole frame, at most.
    """
    if isinstance(event, Ack):
        return encode_method(commands.Basic.Ack(tag(event.tag), event.multiple), channel)
    if isinstance(event, Nack):
        nack = commands.Basic.Nack(tag(event.tag), event.multiple, requeue=False)
        return encode_method(nack, channel)
    if type(event) in _BARE:
        return encode_method(_BARE[type(event)], channel)
    assert isinstance(event, Return), f"{event} is no event of the specification"
    assert message is not None, f"{event} outside a publish"
    why = _NO_CONSUMERS if isinstance(message, Declined) else _NO_ROUTE
    method = _Return(*why, message.exchange, message.routing_keys[0])
    content = encode_content(message.properties, message.body, channel, frame_max)
    return encode_method(method, channel) + content


def encode_consumer_event(
    event: Event, consuming: ConsumingChannel, channel: int, frame_max: int
) -> bytes:
    """Return the frames that tell a client of an event of its consumers.

    Args:
        event: what happened.
        consuming: the channel as its consumers know it; a delivery shows the message that it shows.
        channel: number of the channel.
        frame_max: bytes of a whole frame, at most.
    """
    if isinstance(event, Deliver):
        tag = _short(consuming.tag_of(event.consumer))
        return _delivery(event, _DELIVER, tag, b"", consuming.shown, channel, frame_max)
    if isinstance(event, GetOk):
        count = _COUNT.pack(consuming.remaining)
        return _delivery(event, _GET_OK, b"", count, consuming.shown, channel, frame_max)
    if isinstance(event, GetEmpty):
        return encode_method(commands.Basic.GetEmpty(), channel)
    if isinstance(event, RecoverOk):
        return encode_method(commands.Basic.RecoverOk(), channel)
    if isinstance(event, CancelOk):
        return encode_method(commands.Basic.CancelOk(consuming.tag_of(event.consumer)), channel)
    assert isinstance(event, Cancel), f"{event} is no event of consumers"
    cancel = commands.Basic.Cancel(consuming.tag_of(event.consumer), nowait=True)
    return encode_method(cancel, channel)


def _delivery(
    event: Deliver | GetOk,
    method: int,
    before: bytes,
    after: bytes,
    message: Message | None,
    channel: int,
    frame_max: int,
) -> bytes:
    """Return the frames of a method that carries a message: its tag, where it came from, itself."""
    assert message is not None, f"{event} without a message"
    tag = _TAG.pack(cast(int, event.tag), event.redelivered)
    route = _short(message.exchange) + _short(message.routing_keys[0])
    arguments = before + tag + route + after
    size = len(arguments) + 4
    head = _PREFIX.pack(METHOD, channel, size, _BASIC, method) + arguments + _END
    return head + encode_content(message.properties, message.body, channel, frame_max)


@lru_cache(1024)
def _short(text: str) -> bytes:
    encoded = to_bytes(text)
    return bytes((len(encoded),)) + encoded
