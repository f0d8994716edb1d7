"""Sockets and timers around the broker: the shell that performs and does not decide.

Bytes that arrive go to the session, whatever the sessions have to say goes to their sockets, and
after every piece of input the broker takes the steps that are due.  A client that does not read
what it is sent is not read from either, so its share of memory is bounded by its socket.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from ackproof.impl.broker import Broker
from ackproof.impl.committer import SYNC_INTERVAL, Committer, Storage
from ackproof.impl.errors import HardError
from ackproof.impl.session import USERS, Phase, Session

__all__ = ["Server"]

_LOG = logging.getLogger(__name__)

#: Seconds for everything up to connection.open.
_HANDSHAKE = 10.0
#: Seconds that a client may take to answer a close.
_CLOSING = 5.0


class Server:
    """Serves a broker on a TCP port.

    Args:
        storage: where the broker's journal is committed.
        interval: seconds between commits under load.
        users: passwords by user name.
    """

    def __init__(
        self,
        broker: Broker,
        storage: Storage,
        *,
        interval: float = SYNC_INTERVAL,
        users: Mapping[str, str] = USERS,
    ) -> None:
        self.broker = broker
        self._users = users
        self._committer = Committer(broker, storage, self.pump, interval)
        self._connections: dict[Session, Connection] = {}
        self._speaking: dict[Session, None] = {}
        self._listener: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port, which the system chooses if 0 is given.

        Raises:
            OSError: the address cannot be listened on.
        """
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(lambda: Connection(self), host, port)
        bound: int = self._listener.sockets[0].getsockname()[1]
        return bound

    async def stop(self) -> None:
        """Close every connection, commit what is left, and stop."""
        if self._listener is not None:
            self._listener.close()
        for session in list(self._connections):
            session.fail(HardError(320, "broker is shutting down"))
        self.pump()
        await self._committer.stop()
        for connection in list(self._connections.values()):
            connection.hang_up()

    def pump(self) -> None:
        """Take the steps that are due, write what sessions have to say, think of the disk."""
        self.broker.run(idle=True)
        while self._speaking:
            session, _ = self._speaking.popitem()
            connection = self._connections.get(session)
            if connection is not None:
                connection.write()
        self._committer.poke()

    def admit(self, connection: Connection) -> Session:
        """Begin a session for a new connection."""
        session = Session(self.broker, self._heard, self._users)
        self._connections[session] = connection
        return session

    def dismiss(self, session: Session) -> None:
        """Forget a session whose connection is gone."""
        self._connections.pop(session, None)
        self._speaking.pop(session, None)

    def _heard(self, session: Session) -> None:
        self._speaking[session] = None


class Connection(asyncio.Protocol):
    """One socket and its timers."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._heard = False
        self._said = False
        self._silent_ticks = 0
        self._clogged = False
        self._closing = False
        self._ended = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has connected."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.session = self._server.admit(self)
        self._limit(_HANDSHAKE, "handshake not finished")

    def connection_lost(self, _: Exception | None) -> None:
        """The socket is gone, for whatever reason."""
        if self._timer is not None:
            self._timer.cancel()
        self.session.connection_lost()
        self._server.dismiss(self.session)
        self._server.pump()

    def data_received(self, data: bytes) -> None:
        """Bytes have arrived."""
        self._heard = True
        before = self.session.phase
        try:
            self.session.receive(data)
        except Exception:
            _LOG.exception("internal error; the connection is closed, others are not affected")
            self.session.fail(HardError(541, "internal error"))
        self._server.pump()
        after = self.session.phase
        if after is Phase.RUNNING and before is not Phase.RUNNING:
            self._start_heartbeat()
        self._part()
        self._throttle()

    def eof_received(self) -> bool:
        """Close our side too; nobody sends half a connection in AMQP."""
        return False

    def pause_writing(self) -> None:
        """The client does not read: nor do we."""
        self._clogged = True
        self._throttle()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._clogged = False
        self._throttle()

    def _throttle(self) -> None:
        if self._transport.is_closing():
            return
        if self._clogged or self.session.waiting:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def write(self) -> None:
        """Write what the session has to say; if those were its last words, close."""
        output = self.session.take_output()
        if output and not self._transport.is_closing():
            self._said = True
            self._transport.write(output)
        self._part()
        self._throttle()

    def _part(self) -> None:
        """If the session is at its end, say that nothing more comes, and give the client time."""
        phase = self.session.phase
        if phase in (Phase.CLOSING, Phase.CLOSED) and not self._closing:
            self._closing = True
            self._limit(_CLOSING, "close not answered")
        if phase is Phase.CLOSED and not self._ended and not self._transport.is_closing():
            self._ended = True
            self._transport.write_eof()

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
        _LOG.info("%s: cut, %s", self._transport.get_extra_info("peername"), complaint)
        self._transport.abort()

    def _start_heartbeat(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self.session.heartbeat:
            self._tick()

    def _tick(self) -> None:
        """Every half interval: speak if we were silent, cut after four in which they were.

        A client that we do not read from is not to blame for its silence.
        """
        heard = self._heard or not self._transport.is_reading()
        self._silent_ticks = 0 if heard else self._silent_ticks + 1
        if self._silent_ticks >= 4:
            self._cut("no heartbeat")
            return
        if not self._said:
            self.session.beat()
            self.write()
        self._heard = self._said = False
        half = self.session.heartbeat / 2
        self._timer = asyncio.get_running_loop().call_later(half, self._tick)
