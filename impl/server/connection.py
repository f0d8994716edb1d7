"""One socket and its timers.

Bytes go from the socket to the session and back.  A client that does not read what it is sent is
not read from either, and a session that wants no input is not given any: then bytes stay with the
system, whose buffers are small, and in the end with the client.  So what one connection takes is
bounded, whatever the client does.

A client may also send what takes long to do.  Its session does some of that, and the rest when all
other sockets had their turn; until then it is not read from.

Time is bounded too: for opening the connection, for answering a close, and, if heartbeats were
agreed on, for silence.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import Callable
from functools import partial
from typing import Protocol

from ackproof.impl.limits import Limits
from ackproof.impl.server.trickle import Trickle
from ackproof.impl.session.session import Phase, Session

__all__ = ["Connection", "ConnectionServer", "named"]

_LOG = logging.getLogger(__name__)

#: Half intervals of silence after which the other side is gone.
_SILENT_TICKS = 4
#: A socket that does not linger is closed by a reset.
_NO_LINGER = struct.pack("ii", 1, 0)


class ConnectionServer(Protocol):
    """A server, as far as one connection has to know of it.

    Attributes:
        limits: how much clients may take.
    """

    limits: Limits

    def accept(self, connection: Connection, peer: str, local: str) -> Session | None:
        """Begin a session for a new connection, unless there are too many.

        Args:
            connection: the new one.
            peer: who is at the other end.
            local: which address this end has.
        """

    def dismiss(self, session: Session) -> None:
        """Forget a session whose connection is gone."""

    def clogged(self, connection: Connection, *, is_so: bool) -> None:
        """A client has stopped to read what it is sent, or reads again."""

    def pump(self, *, idle: bool = True) -> None:
        """Take the steps that are due, and write what sessions have to say.

        Args:
            idle: there is no more input for now.
        """


class Connection(asyncio.Protocol):
    """The shell of a session.

    Attributes:
        session: what happens on the connection; None if there are too many.
        peer: what logs call it.
    """

    def __init__(self, server: ConnectionServer) -> None:
        self.session: Session | None = None
        self.peer = "somebody"
        self._server = server
        self._heard = False
        self._said = False
        self._silent_ticks = 0
        self._clogged = False
        self._full = False
        self._closing = False
        self._ended = False
        self._lost = False
        self._early = b""
        self._has_turn = False
        self._timer: asyncio.TimerHandle | None = None
        self._trickle = Trickle(self._write_piece, self.write)

    def _write_piece(self, data: bytes) -> None:
        if self._transport.is_closing():
            return
        self._transport.write(data)
        if self._clogged and not self._full and self._trickle.size <= self._server.limits.unsent:
            self._unclog()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has connected.

        Whatever goes wrong here, the socket must not stay open without anybody behind it.
        """
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.peer = named(transport)
        if self._lost:
            return
        try:
            transport.set_write_buffer_limits(high=self._server.limits.unsent)
            self.session = self._server.accept(self, self.peer, named(transport, "sockname"))
        except Exception:
            _LOG.exception("%s: closed, because of an internal error", self.peer)
        if self.session is None:
            transport.abort()
            return
        self._limit(self._server.limits.handshake, "handshake not finished")
        if self._early:
            early, self._early = self._early, b""
            self.data_received(early)

    def connection_lost(self, _: Exception | None) -> None:
        """The socket is gone, for whatever reason."""
        self._lost = True
        if self._timer is not None:
            self._timer.cancel()
        self._trickle.stop()
        if self.session is not None:
            try:
                self.session.connection_lost()
            finally:
                self._server.dismiss(self.session)
                self._server.pump()

    def data_received(self, data: bytes) -> None:
        """Bytes have arrived; after a TLS handshake the first may come before anything else."""
        if self.session is None:
            self._early += data
            return
        self._heard = True
        self._take_turn(self.session, partial(self.session.receive, data))

    def _take_turn(self, session: Session, turn: Callable[[], None]) -> None:
        before = session.phase
        turn()
        # What is settled by now is told when there is no more input, as far as it has come.
        self._server.pump(idle=not session.unfinished)
        if session.phase is Phase.RUNNING and before is not Phase.RUNNING:
            self._start_heartbeat(session)
        self._part(session)
        self._throttle(session)

    def _go_on(self, session: Session) -> None:
        """Others had their turn."""
        self._has_turn = False
        if session.unfinished:
            self._take_turn(session, session.go_on)

    def eof_received(self) -> bool:
        """Close our side too; nobody sends half a connection in AMQP."""
        return False

    # -- flow -----------------------------------------------------------------------------------

    def pause_writing(self) -> None:
        """The client does not read: nor do we."""
        self._full = True
        self._set_clogged(True)

    def resume_writing(self) -> None:
        """The client reads again."""
        self._full = False
        if self._trickle.size <= self._server.limits.unsent:
            self._unclog()

    def _unclog(self) -> None:
        self._set_clogged(False)
        if self.session is not None:
            self.session.unclog()
        self._server.pump()

    def _set_clogged(self, is_so: bool) -> None:
        self._clogged = is_so
        self._server.clogged(self, is_so=is_so)
        if self.session is not None:
            self.session.clogged = is_so
            self._throttle(self.session)

    @property
    def unsent(self) -> int:
        """Return the bytes that the client has not taken yet."""
        return self._transport.get_write_buffer_size() + self._trickle.size

    def _throttle(self, session: Session) -> None:
        if self._transport.is_closing():
            return
        if session.unfinished and not self._has_turn:
            self._has_turn = True
            asyncio.get_running_loop().call_soon(self._go_on, session)
        if self._clogged or session.unfinished or not session.listens:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    # -- output, and the end --------------------------------------------------------------------

    def write(self) -> None:
        """Write what the session has to say; if those were its last words, close."""
        session = self.session
        if session is None:
            return
        output = session.take_output()
        if output and not self._transport.is_closing():
            self._said = True
            self._send(output, session)
        self._trickle.change(session.pace)
        if session.severed:
            self._break(session)
            return
        if self._trickle.pending:
            return
        self._part(session)
        self._throttle(session)

    def _send(self, output: bytes, session: Session) -> None:
        if session.pace is None and not self._trickle.pending:
            self._transport.write(output)
        else:
            self._trickle.send(output, session.pace or (len(output), 0.0))
            if self._trickle.size > self._server.limits.unsent and not self._clogged:
                self._set_clogged(True)

    def _break(self, session: Session) -> None:
        """Close the socket because a fault says so, by an end or by a reset."""
        self._trickle.stop()
        sock = self._transport.get_extra_info("socket")
        _LOG.info("%s: cut, because a fault was asked for", self.peer)
        if session.reset and sock is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
            self._transport.abort()
        else:
            self._transport.close()

    def _part(self, session: Session) -> None:
        """If the session is at its end, say that nothing more comes, and give the client time."""
        if session.phase in (Phase.CLOSING, Phase.CLOSED) and not self._closing:
            self._closing = True
            self._limit(self._server.limits.closing, "it did not hang up after a close")
        if session.phase is Phase.CLOSED and not self._ended and not self._transport.is_closing():
            self._ended = True
            if not self._transport.can_write_eof():
                self._transport.close()  # TLS has its own way to say so
                return
            try:
                self._transport.write_eof()
            except OSError:  # the client has gone already, and we are told of that later
                self._transport.abort()

    def break_off(self) -> None:
        """Close the socket at once; what was not written is lost."""
        self._transport.abort()

    def hang_up(self) -> None:
        """Close the socket; what was written goes out first."""
        self._transport.close()

    # -- timers ---------------------------------------------------------------------------------

    def _limit(self, seconds: float, complaint: str) -> None:
        """Cut the connection if it is still there after this time."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._cut, complaint)

    def _cut(self, complaint: str) -> None:
        _LOG.info("%s: cut, %s", self.peer, complaint)
        self._transport.abort()

    def _start_heartbeat(self, session: Session) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if session.heartbeat:
            self._tick(session)

    def _tick(self, session: Session) -> None:
        """Every half interval: speak if we were silent, cut after four in which they were.

        A client that we do not read from is not to blame for its silence, and one that does not
        read has enough to read.
        """
        heard = self._heard or not self._transport.is_reading()
        self._silent_ticks = 0 if heard else self._silent_ticks + 1
        if self._silent_ticks >= _SILENT_TICKS:
            self._cut("no heartbeat")
            return
        if not self._said and not self._clogged:
            session.beat()
            self.write()
        self._heard = self._said = False
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(session.heartbeat / 2, self._tick, session)


def named(transport: asyncio.BaseTransport, end: str = "peername") -> str:
    """Return how logs show who is at the other end of a socket, or at this one, the sockname."""
    address = transport.get_extra_info(end)
    if isinstance(address, tuple) and len(address) >= 2:
        return f"{address[0]}:{address[1]}"
    return str(address or "somebody")
