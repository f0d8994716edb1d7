"""Direct reply-to: an answer goes straight to the client that waits for it (A3 guard 6, A5.1).

A client that asks others for something may name a queue for the answers, or do without one.  It
consumes from the pseudo-queue `amq.rabbitmq.reply-to`, without acks, and publishes its requests
with that name in `reply_to`.  The broker puts a name in its place that stands for this channel and
for nothing else.  What anybody publishes to that name through the default exchange is delivered on
the channel at once.

No queue takes part.  For who publishes the answer it was routed nowhere: it is acked at once, and
returned if it is mandatory, whether or not somebody got it (A5.1).  Nothing of it is kept: an
answer to a channel that does not wait any more is gone.

A delivery shows the tag that the next one of the channel will have, and does not take it, since
nobody can acknowledge it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ackproof.impl.errors import SoftError
from ackproof.impl.wire.content import Message
from ackproof.impl.wire.encoded_fields import join_properties, split_properties
from ackproof.impl.wire.frames import encode_content, encode_method
from pamqp import commands

__all__ = [
    "PSEUDO_QUEUE",
    "ReplyConsumer",
    "ReplyConsumers",
    "addressed",
    "asks_for_reply",
    "encode_reply",
]

#: What a client consumes from, and names in `reply_to`.
PSEUDO_QUEUE = "amq.rabbitmq.reply-to"

_PREFIX = f"{PSEUDO_QUEUE}."
_REPLY_TO = "reply_to"
_ASKED = bytes((len(PSEUDO_QUEUE),)) + PSEUDO_QUEUE.encode()


@dataclass(frozen=True, eq=False)
class ReplyConsumer:
    """Who waits for answers on a channel.

    Attributes:
        tag: what the client knows it by.
        name: what the world knows it by.
        deliver: called with each answer.
    """

    tag: str
    name: str
    deliver: Callable[[Message], None]


class ReplyConsumers:
    """Everybody who waits for answers, by name; virtual hosts make no difference."""

    def __init__(self) -> None:
        self._waiting: dict[str, ReplyConsumer] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def enter(self, tag: str, token: str, deliver: Callable[[Message], None]) -> ReplyConsumer:
        """Return somebody new who waits.

        Args:
            tag: what the client knows it by.
            token: what nobody else has.
            deliver: called with each answer.
        """
        consumer = ReplyConsumer(tag, _PREFIX + token, deliver)
        self._waiting[consumer.name] = consumer
        return consumer

    def forget(self, consumer: ReplyConsumer) -> None:
        """Somebody does not wait any more."""
        self._waiting.pop(consumer.name, None)

    def deliver(self, message: Message) -> None:
        """Deliver a message that goes through the default exchange to those it is an answer for."""
        for name in sorted(set(message.routing_keys)):
            if (consumer := self._waiting.get(name)) is not None:
                consumer.deliver(message)

    def knows(self, name: str) -> bool:
        """Tell whether a name of this kind could be declared as a queue: somebody waits."""
        return name == PSEUDO_QUEUE or name in self._waiting


def asks_for_reply(properties: bytes) -> bool:
    """Tell whether the properties of a message name the pseudo-queue in `reply_to`.

    Args:
        properties: as the payload of a content header frame.
    """
    if _ASKED not in properties:  # few have it, and this is quick
        return False
    return split_properties(properties).get(_REPLY_TO) == _ASKED


def addressed(message: Message, consumer: ReplyConsumer | None) -> Message:
    """Return a message that asks for a reply, with the name of who waits for it.

    Raises:
        SoftError: 406, nobody waits on this channel (A3, guard 6).
    """
    if consumer is None:
        raise SoftError(406, "fast reply consumer does not exist")
    name = consumer.name.encode()
    properties = split_properties(message.properties)
    properties[_REPLY_TO] = bytes((len(name),)) + name
    return replace(message, properties=join_properties(message.properties, properties))


class _Deliver(commands.Basic.Deliver):
    """basic.deliver with any routing key; the codec refuses unusual ones."""

    def validate(self) -> None:
        """A key that was decoded can be encoded."""


def encode_reply(
    consumer: ReplyConsumer, tag: int, message: Message, channel: int, frame_max: int
) -> bytes:
    """Return the frames that deliver an answer.

    Args:
        consumer: who gets it.
        tag: of the next delivery on the channel.
        message: the answer.
        channel: number of the channel.
        frame_max: bytes of a whole frame, at most.
    """
    method = _Deliver(consumer.tag, tag, False, message.exchange, message.routing_keys[0])
    content = encode_content(message.properties, message.body, channel, frame_max)
    return encode_method(method, channel) + content
