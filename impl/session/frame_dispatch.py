"""What comes in on a connection: frames, and who processes them.

Bytes are cut into frames, and each frame goes to its channel, or to channel 0, which is the
connection itself.  Frames are taken one at a time, and only while the session listens: what came
after a method that has to wait for the disk waits with it.

One frame may cost a thousand times as much as another, by what it makes the broker do.  So what
comes in together is not processed together: when a *turn* has lasted long enough, what is left
waits until others had theirs.  A turn ends, too, where a scenario has something happen between two
methods.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import Protocol

from ackproof.impl.errors import HardError, octets
from ackproof.impl.session import connection_methods, handshake
from ackproof.impl.session.connection_blocking import ConnectionBlocking
from ackproof.impl.session.connection_methods import NegotiatedConnection, Phase
from ackproof.impl.session.watching import Watch
from ackproof.impl.wire.decoding import decode_method
from ackproof.impl.wire.frames import (
    BODY,
    FRAME_MIN,
    HEADER,
    HEARTBEAT,
    METHOD,
    PROTOCOL_HEADER,
    FrameReader,
    Received,
)
from pamqp import commands

__all__ = ["FrameDispatch"]

_LOG = logging.getLogger(__name__)


class DispatchedConnection(NegotiatedConnection, Protocol):
    """A connection, as far as its input has to know of it.

    Attributes:
        blocking: whether the client is blocked because of an alarm.
        watch: is told of what is sent, and may hold input up; None if nobody is.
    """

    blocking: ConnectionBlocking
    watch: Watch | None

    @property
    def listens(self) -> bool:
        """Tell whether input is wanted now."""

    def end(self) -> None:
        """Nothing more comes, and nothing more is said but what is waiting to be written."""

    def part(self) -> None:
        """The client has closed the connection, and is to hang up."""


class FrameDispatch:
    """The frames of one connection.

    Args:
        session: the connection.
        turn: seconds after which others have their turn.

    Attributes:
        reader: cuts bytes into frames, small ones until another size is agreed on.
        unfinished: a turn has ended before all was processed that has come.
    """

    def __init__(self, session: DispatchedConnection, turn: float) -> None:
        self.reader = FrameReader(FRAME_MIN)
        self.unfinished = False
        self._session = session
        self._turn = turn

    def process(self) -> None:
        """Process what has come, as long as the session listens and its turn lasts."""
        session = self._session
        self.unfinished = False
        ends = time.monotonic() + self._turn
        if session.phase is Phase.HEADER and not self._greet():
            return
        watch = session.watch
        handle = self._handle if watch is None else partial(self._handle_watched, watch)
        while session.listens and session.phase is not Phase.CLOSED:
            if watch is not None and watch.due:
                self.unfinished = True
                return
            try:
                if watch is not None or not self._take_whole_publish():
                    received = self.reader.next()
                    if received is None:
                        return
                    handle(received)
                if time.monotonic() > ends:
                    self.unfinished = True
                    return
            except HardError as error:
                session.fail(error)
            except Exception:
                _LOG.exception("%s: internal error; no other connection is affected", session.peer)
                session.fail(HardError(541, "internal error"))

    def _greet(self) -> bool:
        session = self._session
        header = self.reader.protocol_header()
        if header:
            session.phase = Phase.START
            session.reply(handshake.start(session.broker.version))
        elif header is False:
            _LOG.info("%s: does not speak AMQP 0-9-1; told so, and closed", session.peer)
            session.send(PROTOCOL_HEADER)
            session.phase = Phase.CLOSED
        return bool(header)

    def _take_whole_publish(self) -> bool:
        """Process the publish that comes next, if it has come whole and nothing is unusual.

        During an alarm it is not taken: a client is blocked as soon as it publishes (E4).
        """
        session, whole = self._session, self.reader.whole_publish()
        if whole is None or session.phase is not Phase.RUNNING or session.blocking.alarmed:
            return False
        channel = session.channels.get(whole.channel)
        message = None if channel is None else channel.whole_message(whole)
        if channel is None or message is None:
            return False
        self.reader.take(whole)
        channel.publish(message)
        return True

    def _handle(self, received: Received) -> None:
        session = self._session
        if session.phase is Phase.CLOSING:
            self._handle_closing(received)
        elif received.kind == HEARTBEAT:
            if received.channel:
                raise _unexpected(received)
        elif received.channel == 0:
            self._handle_connection(received)
        elif session.phase is not Phase.RUNNING:
            raise HardError(504, f"channel {received.channel} used before the connection is open")
        else:
            session.channels.find(received.channel).receive(received)
            if received.kind in (HEADER, BODY):
                session.blocking.published()

    def _handle_watched(self, watch: Watch, received: Received) -> None:
        """Process a frame, and tell of the method that it completes, if it does."""
        before = self._assembling(received)
        self._handle(received)
        if received.kind == METHOD and not self._assembling(received):
            watch.sent(self._session.number, received.method_index)
        elif before and not self._assembling(received):
            watch.sent(self._session.number, commands.Basic.Publish.index)

    def _assembling(self, received: Received) -> bool:
        """Tell whether the content of a publish is still to come on a channel."""
        channel = self._session.channels.get(received.channel)
        return channel is not None and channel.assembly is not None

    def _handle_closing(self, received: Received) -> None:
        """Wait for the answer to our close, or for the client to hang up; closes are answered."""
        if received.kind != METHOD or received.channel:
            return
        index = received.method_index
        if index == commands.Connection.CloseOk.index:
            self._session.end()
        elif index == commands.Connection.Close.index:
            self._session.reply(commands.Connection.CloseOk())

    def _handle_connection(self, received: Received) -> None:
        if received.kind != METHOD:
            raise _unexpected(received)
        session = self._session
        try:
            method = decode_method(received, session.limits.table_depth)
            if not isinstance(method, commands.Connection.Close):
                connection_methods.handle(session, method)
                return
        except HardError as error:
            session.fail(error, received.method_index)
            return
        _LOG.info("%s: closed by the client", session.peer)
        session.reply(commands.Connection.CloseOk())
        session.part()


def _unexpected(received: Received) -> HardError:
    """Return the error for a type of frame that has no business on its channel."""
    what = f"type {received.kind}, all octets = {octets(received.payload)}"
    return HardError(505, what)
