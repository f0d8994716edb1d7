"""A connection without a socket, by which the management does what a client could do.

Whoever asks the management to declare, bind, publish or get asks for what AMQP has methods for,
with all that they check and refuse.  So those methods are called, in a session of the user who
asks; the texts of errors are the session's, and nothing of it is said twice.
"""

from __future__ import annotations

import asyncio
import struct
from http import HTTPStatus
from typing import Any, TypeVar, cast

from ackproof.impl.access.directory import User
from ackproof.impl.management.answers import Refusal, bad
from ackproof.impl.management.waiting import until
from ackproof.impl.node import Node
from ackproof.impl.session.session import Phase, Session
from ackproof.impl.vhost.virtual_host import VirtualHost
from ackproof.impl.wire.frames import BODY, HEADER, METHOD, FrameReader, Received
from pamqp import base, commands, frame

__all__ = ["DirectConnection", "method"]

M = TypeVar("M", bound=base.Frame)

_CHANNEL = 1
#: Bytes of a frame: all that there may be, so that a body is one.
_FRAME_MAX = 0xFFFFFFFF
_REFUSED, _NOT_FOUND = 403, 404


def method(kind: type[M], **arguments: Any) -> M:
    """Return a method of the protocol with any names; the codec refuses unusual ones."""
    return cast(M, _unchecked(kind)(**arguments))


def _unchecked(kind: type[base.Frame]) -> type[base.Frame]:
    return type(kind.__name__, (kind,), {"validate": lambda _: None})


class DirectConnection:
    """A session of a user in a virtual host, with one channel.

    Args:
        node: whose broker it is about.
        user: who asks.
        host: where.
    """

    def __init__(self, node: Node, user: User, host: VirtualHost) -> None:
        self._node = node
        self._said, self._over = asyncio.Event(), node.over
        self._reader = FrameReader(_FRAME_MAX)
        broker = node.broker
        session = Session(broker, lambda _: self._said.set(), node.options.limits, "management")
        session.number = broker.history.next_connection()
        session.login, session.vhost = user, host
        session.access = broker.directory.access(host.name, user.name)
        session.phase, session.channels.most, session.frame_max = Phase.RUNNING, 1, _FRAME_MAX
        self._session = session
        facts = {"name": "management", "user": user.name, "vhost": host.name}
        broker.history.note("connection_opened", connection=session.number, **facts)

    async def __aenter__(self) -> DirectConnection:
        await self.ask(commands.Channel.Open())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._session.connection_lost()
        self._node.pump()

    async def ask(self, *frames: frame.FrameTypes) -> list[Received]:
        """Send frames, the last of them a request; return all that is said up to its answer.

        Raises:
            Refusal: the channel or the connection was closed for that, or no answer comes.
        """
        self.tell(*frames)
        heard: list[Received] = []
        while not _answered(heard):
            await until(self._said, self._over, "the broker does not answer")
            self._said.clear()
            heard += self._heard()
        for one in heard:
            _check(one)
        return heard

    def tell(self, *frames: frame.FrameTypes) -> None:
        """Send frames that are not answered.

        Raises:
            Refusal: something in them is too long, or too large.
        """
        try:
            data = b"".join(frame.marshal(one, _CHANNEL) for one in frames)
        except (ValueError, TypeError, OverflowError, struct.error) as error:
            raise bad(f"that cannot be said in AMQP: {error}") from None
        self._session.receive(data)
        self._node.pump()

    def _heard(self) -> list[Received]:
        self._reader.feed(self._session.take_output())
        return list(iter(self._reader.next, None))


def _answered(heard: list[Received]) -> bool:
    """Tell whether there is an answer, all of it: a method that is no return, and its content."""
    waits = True
    left = 0
    for one in heard:
        if one.kind == METHOD:
            waits = one.method_index == commands.Basic.Return.index
            content = one.method_index in (commands.Basic.GetOk.index, commands.Basic.Return.index)
            left = 1 if content else 0
        elif one.kind == HEADER:
            left = 1 if int.from_bytes(one.payload[4:12], "big") else 0
        elif one.kind == BODY:
            left = 0
    return not waits and not left


def _check(received: Received) -> None:
    """Refuse what was answered by a close."""
    if received.kind != METHOD or received.method_index not in _CLOSES:
        return
    close = _CLOSES[received.method_index]()
    close.unmarshal(received.payload[4:])
    code, text = close.reply_code, str(close.reply_text).partition(" - ")[2]
    if code == _REFUSED:
        raise Refusal(HTTPStatus.UNAUTHORIZED, "not_authorised", "Access refused.")
    if code == _NOT_FOUND:
        raise Refusal(HTTPStatus.NOT_FOUND, "not_found", text)
    raise bad(text)


_CLOSES: dict[int, type[commands.Channel.Close] | type[commands.Connection.Close]] = {
    close.index: close for close in (commands.Channel.Close, commands.Connection.Close)
}
