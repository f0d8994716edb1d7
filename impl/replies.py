"""What the specification's events look like on the wire.

The spec emits four events, and each is one frame, but for a return, which carries the message that
could not be routed, with the properties and the body it came with (A6.2).
"""

from __future__ import annotations

from typing import cast

from ackproof.impl.content import Message
from ackproof.impl.frames import encode_content, encode_method
from ackproof.spec.lang import Event
from ackproof.spec.wire import Ack, Nack, Return, SelectOk
from pamqp import commands

__all__ = ["encode_event"]

_NO_ROUTE = 312


def encode_event(event: Event, message: Message | None, channel: int, frame_max: int) -> bytes:
    """Return the frames that tell a publisher of an event.

    Args:
        event: what the channel tells.
        message: the message that is being published; a return needs it.
        channel: number of the channel.
        frame_max: bytes of a whole frame, at most.
    """
    if isinstance(event, Ack):
        return encode_method(commands.Basic.Ack(cast(int, event.tag), event.multiple), channel)
    if isinstance(event, Nack):
        nack = commands.Basic.Nack(cast(int, event.tag), event.multiple, requeue=False)
        return encode_method(nack, channel)
    if isinstance(event, SelectOk):
        return encode_method(commands.Confirm.SelectOk(), channel)
    assert isinstance(event, Return), f"{event} is no event of the specification"
    assert message is not None, f"{event} outside a publish"
    method = commands.Basic.Return(_NO_ROUTE, "NO_ROUTE", message.exchange, message.routing_keys[0])
    content = encode_content(message.properties, message.body, channel, frame_max)
    return encode_method(method, channel) + content
