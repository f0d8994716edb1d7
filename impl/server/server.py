"""Listening, and what connections have in common: the shell that performs and does not decide.

Bytes that arrive go to a session, whatever sessions have to say goes to their sockets, and after
every piece of input the broker takes the steps that are due: that is `pump`.  What one socket needs
is in `ackproof.impl.server.connection`.  Nobody is busy for longer than a turn while others wait.

**Alarms.**  The broker holds contents of messages, and output that clients do not read.  When they
come to more than the limit there is an alarm (`ackproof.impl.server.resource_alarms`); confirms go
on, and so does everything that may free memory.

**Too many clients.**  A connection too many is refused when it opens, with the protocol's words.  A
socket too many is closed at once: there is nobody yet who could be told.
"""

from __future__ import annotations

import asyncio
import logging
import math
import resource
from typing import TYPE_CHECKING

from ackproof.impl.broker import Broker
from ackproof.impl.connection_registry import SHUTDOWN
from ackproof.impl.errors import HardError
from ackproof.impl.options import Options
from ackproof.impl.server.committer import committer
from ackproof.impl.server.connection import Connection
from ackproof.impl.server.free_space import FreeSpace
from ackproof.impl.server.listening_sockets import listening_sockets
from ackproof.impl.server.resource_alarms import ResourceAlarms
from ackproof.impl.server.tls_handshake import TlsHandshake
from ackproof.impl.server.wakeup_timers import WakeupTimers
from ackproof.impl.session.session import Phase, Session
from ackproof.impl.storage.batch_commit import Storage

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Sequence

    from ackproof.impl.staging.scenario_run import ScenarioRun

__all__ = ["Server"]

_LOG = logging.getLogger(__name__)

#: Steps that may fail before it is time to look at the sockets again.
_FAILURES = 100
#: Seconds for which a connection may be busy while others wait.  With a seed there is no such turn,
#: as what is said would depend on the clock.
_TURN = 0.005
#: Files that are kept for everything that is no client.
_OTHER_FILES = 64
#: Seconds between two complaints of the same.
_COMPLAINT = 10.0


def _sockets_max() -> float:
    """Return how many sockets the system lets us have, less what else is opened."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return math.inf if files == resource.RLIM_INFINITY else max(1, files - _OTHER_FILES)


class Server:
    """Serves a broker on a TCP port.

    Args:
        storage: where the broker's journal is committed.
        options: how often that is, who may come in, and how much clients may take.
        scenarios: watches the connections, and may have something happen to them; None for no one.
    """

    def __init__(
        self,
        broker: Broker,
        storage: Storage,
        options: Options,
        scenarios: ScenarioRun | None = None,
    ) -> None:
        self._scenarios = scenarios
        self.broker = broker
        self.limits = options.limits
        self._options = options
        self._alarms = ResourceAlarms(options.limits.memory, self._announce, self.pump)
        self._free_space = FreeSpace(
            options.directory,
            lambda free: self._alarms.look_at_disk(free, self.limits.disk_free),
        )
        self._committer = committer(
            broker, storage, self._committed, options.interval, self._alarms.disk_refuses
        )
        self._wakeups = WakeupTimers(broker, self.pump)
        self._connections: dict[Session, Connection] = {}
        self._opened: set[Session] = set()
        self._handshakes: set[TlsHandshake] = set()
        self._stopping = False
        self._clogged: set[Connection] = set()
        self._speaking: dict[Session, None] = {}
        self._listeners: list[asyncio.Server] = []
        self._sockets_max = _sockets_max()
        self._complains_again = 0.0

    # -- its life -------------------------------------------------------------------------------

    async def start(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> int:
        """Listen; return the port, which the system chooses if 0 is given.

        Args:
            host: name or address to listen on, which may stand for several.
            port: number of the port.
            tls: speak TLS with it, and nothing else; see `ackproof.impl.server.tls_context`.

        Raises:
            OSError: the address cannot be listened on.
        """
        return await self.start_on(listening_sockets(host, port), tls)

    async def start_on(
        self, sockets: Sequence[socket.socket], tls: ssl.SSLContext | None = None
    ) -> int:
        """Listen on sockets that are bound already; return the port.

        Args:
            sockets: one at least.
            tls: speak TLS with it, and nothing else.
        """
        loop = asyncio.get_running_loop()
        for one in sockets:
            listener = await loop.create_server(
                (lambda: Connection(self)) if tls is None else (lambda: TlsHandshake(self, tls)),
                sock=one,
                backlog=self.limits.handshakes,
            )
            self._listeners.append(listener)
        self._free_space.watch()
        bound: int = sockets[0].getsockname()[1]
        return bound

    def keep_listening(self) -> list[socket.socket]:
        """Return sockets on which clients wait for who comes after this server."""
        return [one.dup() for listener in self._listeners for one in listener.sockets]

    async def stop(self) -> None:
        """Close every connection, commit what is left, and stop."""
        await self._stop_listening()
        for session in list(self._connections):
            session.fail(HardError(320, SHUTDOWN))
        try:
            self.pump()
        finally:  # whatever becomes of the connections
            await self._committer.stop()
        for connection in list(self._connections.values()):
            connection.hang_up()
        self._stop_timers()

    async def kill(self) -> None:
        """Stop as a node does that crashes: nobody is told anything, nothing more is stored."""
        await self._stop_listening()
        for connection in list(self._connections.values()):
            connection.break_off()
        while self._connections:
            await asyncio.sleep(0)
        await self._committer.stop(at_once=True)
        self._stop_timers()

    async def _stop_listening(self) -> None:
        """Take no more clients, and turn those away whom the system has handed over already.

        A listener that is closed before a client is attached to it leaves that client alone with
        an open socket, so it only stops to take clients at first.
        """
        self._stopping = True
        loop = asyncio.get_running_loop()
        for listener in self._listeners:
            for one in listener.sockets:
                loop.remove_reader(one.fileno())
        await asyncio.sleep(0)
        for listener in self._listeners:
            listener.close()
        for handshake in list(self._handshakes):
            handshake.break_off()

    def _stop_timers(self) -> None:
        self._alarms.stop()
        self._free_space.stop()
        self._wakeups.stop()

    def pump(self, *, idle: bool = True) -> None:
        """Take the steps that are due, write what sessions have to say, think of the disk.

        Args:
            idle: there is no more input for now; then channels tell what is settled.
        """
        self._speak(idle)
        while self._alarms.look_at(self.memory):
            self._speak(idle)
        self._committer.poke()
        self._wakeups.arrange()
        if self._scenarios is not None:
            self._scenarios.look()

    def _committed(self) -> None:
        """A commit has returned, or was refused."""
        self._free_space.look()
        self.pump()

    def _speak(self, idle: bool) -> None:
        self._run(idle)
        while self._speaking:
            session, _ = self._speaking.popitem()
            connection = self._connections.get(session)
            if connection is not None:
                self._write(connection)
            if session in self._speaking:  # having written, it may be delivered to again
                self._run(idle)

    def _write(self, connection: Connection) -> None:
        """Write what a session has to say; where that fails, it is the end of that connection."""
        try:
            connection.write()
        except Exception:
            _LOG.exception("%s: cut, because of an internal error", connection.peer)
            connection.break_off()

    def _run(self, idle: bool) -> None:
        """Take the steps that are due; where one fails, the others are taken all the same."""
        for _ in range(_FAILURES):
            try:
                self.broker.run(idle=idle)
                return
            except Exception:
                _LOG.exception("internal error in a step, which is left out; the broker goes on")

    # -- connections ----------------------------------------------------------------------------

    def _has_room(self, peer: str) -> bool:
        """Tell whether there may be another socket: not for a node that stops, or has paused."""
        if self._stopping or self.broker.connections.closed:
            return False
        sockets = len(self._connections) + len(self._handshakes)
        opening = sockets - len(self._opened)
        if sockets >= self._sockets_max:
            self._out_of_files(peer, sockets)
            return False
        if opening >= self.limits.handshakes:
            _LOG.info("%s: closed at once, too many connections are being opened", peer)
            return False
        return True

    def _out_of_files(self, peer: str, sockets: int) -> None:
        """A client is turned away for want of files: say so, and not for each of many."""
        now = asyncio.get_running_loop().time()
        level = logging.DEBUG if now < self._complains_again else logging.WARNING
        self._complains_again = max(self._complains_again, now + _COMPLAINT)
        _LOG.log(
            level,
            "%s: closed at once: there are %d connections, and the system allows this process no "
            "more files; raise the limit of open files (ulimit -n)",
            peer,
            sockets,
        )

    def admit_handshake(self, handshake: TlsHandshake, peer: str) -> bool:
        """Let a TLS handshake begin, unless there are too many sockets; tell whether it may."""
        if not self._has_room(peer):
            return False
        self._handshakes.add(handshake)
        return True

    def end_handshake(self, handshake: TlsHandshake) -> None:
        """A TLS handshake has ended, well or not."""
        self._handshakes.discard(handshake)

    def accept(self, connection: Connection, peer: str, local: str) -> Session | None:
        """Begin a session for a new connection, unless there are too many."""
        if not self._has_room(peer):
            return None
        session = Session(
            self.broker,
            self._heard,
            limits=self.limits,
            peer=peer,
            name=f"{peer} -> {local}",
            admit=self._admit,
            turn=_TURN if self._options.seed is None else math.inf,
            watch=self._scenarios,
        )
        session.alarm(self._alarms.reason)
        self._connections[session] = connection
        return session

    def _admit(self, session: Session) -> None:
        """Let a connection open, unless there are too many."""
        most = self.limits.connections
        if len(self._opened) >= most:
            raise HardError(530, f"connection refused: node connection limit ({most}) is reached")
        self._opened.add(session)

    def dismiss(self, session: Session) -> None:
        """Forget a session whose connection is gone."""
        connection = self._connections.pop(session, None)
        if connection is not None:
            self._clogged.discard(connection)
        self._opened.discard(session)
        self._speaking.pop(session, None)

    def _heard(self, session: Session) -> None:
        self._speaking[session] = None

    @property
    def sessions(self) -> list[Session]:
        """Return the sessions of all connections, in the order in which they came."""
        return list(self._connections)

    # -- alarms ---------------------------------------------------------------------------------

    @property
    def alarm(self) -> str:
        """Return why publishers are not listened to; empty if they are."""
        return self._alarms.reason

    def block(self, reason: str = "low on memory") -> None:
        """Stop listening to who publishes, until `unblock`; they hear why (E4)."""
        self._alarms.set("hand", reason)
        self.pump()

    def unblock(self) -> None:
        """Listen to everybody again, as far as `block` was the reason not to."""
        self._alarms.clear("hand")
        self.pump()

    def clogged(self, connection: Connection, *, is_so: bool) -> None:
        """A client has stopped to read what it is sent, or reads again."""
        (self._clogged.add if is_so else self._clogged.discard)(connection)

    @property
    def memory(self) -> int:
        """Return the bytes of contents, and of output that clients do not read."""
        return self.broker.memory.used + sum(one.unsent for one in self._clogged)

    def _announce(self, reason: str) -> None:
        for session in list(self._connections):
            if session.phase is not Phase.CLOSED:
                session.alarm(reason)
