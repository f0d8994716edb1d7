"""Listening, and what connections have in common: the shell that performs and does not decide.

Bytes that arrive go to a session, whatever sessions have to say goes to their sockets, and after
every piece of input the broker takes the steps that are due: that is `pump`.  What one socket needs
is in `ackproof.impl.connection`.

**Alarms.**  The broker holds contents of messages, and output that clients do not read.  When they
come to more than the limit, publishers are not listened to until it is less again (E4); confirms
go on, and so does everything that may free memory.  `block` does the same by hand.

**Too many clients.**  A connection too many is refused when it opens, with the protocol's words.  A
socket too many is closed at once: there is nobody yet who could be told.
"""

from __future__ import annotations

import asyncio
import logging
import math
import resource
import ssl

from ackproof.impl.broker import Broker
from ackproof.impl.connection import Connection
from ackproof.impl.errors import HardError
from ackproof.impl.limits import Limits
from ackproof.impl.session.session import Phase, Session
from ackproof.impl.storage.committer import SYNC_INTERVAL, Storage, committer
from ackproof.impl.users import Users

__all__ = ["Server"]

_LOG = logging.getLogger(__name__)

#: Seconds that a scheduler may hold something back for later input.
_HELD_BACK = 0.005
#: Seconds after which it is looked again whether memory is free that nobody has said is.
_LOOK_AGAIN = 0.05
#: Part of the limit below which an alarm is over, so that it does not flicker.
_LOW = 0.9
#: Steps that may fail before it is time to look at the sockets again.
_FAILURES = 100
#: Files that are kept for everything that is no client.
_OTHER_FILES = 64

_DEFAULT_LIMITS = Limits()
_DEFAULT_USERS = Users()


def _sockets_max() -> float:
    """Return how many sockets the system lets us have, less what else is opened."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return math.inf if files == resource.RLIM_INFINITY else max(1, files - _OTHER_FILES)


class Server:
    """Serves a broker on a TCP port.

    Args:
        storage: where the broker's journal is committed.
        interval: seconds between commits under load.
        users: who may come in.
        limits: how much clients may take.
    """

    def __init__(
        self,
        broker: Broker,
        storage: Storage,
        *,
        interval: float = SYNC_INTERVAL,
        users: Users = _DEFAULT_USERS,
        limits: Limits = _DEFAULT_LIMITS,
    ) -> None:
        self.broker = broker
        self.limits = limits
        self._users = users
        self._committer = committer(broker, storage, self.pump, interval)
        self._again: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None
        self._expiring: asyncio.TimerHandle | None = None
        self._due: float | None = None
        self._connections: dict[Session, Connection] = {}
        self._opened: set[Session] = set()
        self._clogged: set[Connection] = set()
        self._speaking: dict[Session, None] = {}
        self._alarms: dict[str, str] = {}
        self._listener: asyncio.Server | None = None
        self._sockets_max = _sockets_max()

    # -- its life -------------------------------------------------------------------------------

    async def start(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> int:
        """Listen; return the port, which the system chooses if 0 is given.

        Args:
            host: address to listen on.
            port: number of the port.
            tls: speak TLS with it, and nothing else; see `ackproof.impl.tls`.

        Raises:
            OSError: the address cannot be listened on.
        """
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(
            lambda: Connection(self),
            host,
            port,
            backlog=self.limits.handshakes,
            ssl=tls,
            ssl_handshake_timeout=self.limits.handshake if tls else None,
            ssl_shutdown_timeout=self.limits.closing if tls else None,
        )
        bound: int = self._listener.sockets[0].getsockname()[1]
        return bound

    async def stop(self) -> None:
        """Close every connection, commit what is left, and stop."""
        self._stop_listening()
        why = "broker forced connection closure with reason 'shutdown'"
        for session in list(self._connections):
            session.fail(HardError(320, why))
        self.pump()
        await self._committer.stop()
        for connection in list(self._connections.values()):
            connection.hang_up()
        self._stop_timers()

    async def kill(self) -> None:
        """Stop as a node does that crashes: nobody is told anything, nothing more is stored."""
        self._stop_listening()
        for connection in list(self._connections.values()):
            connection.break_off()
        while self._connections:
            await asyncio.sleep(0)
        await self._committer.stop(at_once=True)
        self._stop_timers()

    def _stop_listening(self) -> None:
        if self._listener is not None:
            self._listener.close()

    def _stop_timers(self) -> None:
        for timer in (self._again, self._looking, self._expiring):
            if timer is not None:
                timer.cancel()

    def pump(self) -> None:
        """Take the steps that are due, write what sessions have to say, think of the disk."""
        self._speak()
        while self._look_at_memory():
            self._speak()
        self._committer.poke()
        if self.broker.waiting and self._again is None:
            self._again = asyncio.get_running_loop().call_later(_HELD_BACK, self._pump_again)
        self._watch_the_clock()

    def _speak(self) -> None:
        self._run()
        while self._speaking:
            session, _ = self._speaking.popitem()
            connection = self._connections.get(session)
            if connection is not None:
                connection.write()
            if session in self._speaking:  # having written, it may be delivered to again
                self._run()

    def _run(self) -> None:
        """Take the steps that are due; where one fails, the others are taken all the same."""
        for _ in range(_FAILURES):
            try:
                self.broker.run(idle=True)
                return
            except Exception:
                _LOG.exception("internal error in a step, which is left out; the broker goes on")

    def _watch_the_clock(self) -> None:
        """Come back when something expires."""
        due = self.broker.due
        if due == self._due:
            return
        if self._expiring is not None:
            self._expiring.cancel()
            self._expiring = None
        self._due = due
        if due is not None:
            wait = max(0.0, due - self.broker.steps.clock())
            self._expiring = asyncio.get_running_loop().call_later(wait, self._expire)

    def _expire(self) -> None:
        self._due = self._expiring = None
        self.pump()

    def _pump_again(self) -> None:
        """What the scheduler held back for input that has not come is due."""
        self._again = None
        self.pump()

    # -- connections ----------------------------------------------------------------------------

    def accept(self, connection: Connection, peer: str) -> Session | None:
        """Begin a session for a new connection, unless there are too many."""
        shaking = len(self._connections) - len(self._opened)
        if shaking >= self.limits.handshakes or len(self._connections) >= self._sockets_max:
            _LOG.info("%s: closed at once, too many connections are being opened", peer)
            return None
        session = Session(
            self.broker,
            self._heard,
            users=self._users,
            limits=self.limits,
            peer=peer,
            admit=self._admit,
        )
        session.alarm(self._reason())
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

    def block(self, reason: str = "low on memory") -> None:
        """Stop listening to who publishes, until `unblock`; they hear why (E4)."""
        self._alarms["hand"] = reason
        self._announce()
        self.pump()

    def unblock(self) -> None:
        """Listen to everybody again, as far as `block` was the reason not to."""
        self._alarms.pop("hand", None)
        self._announce()
        self.pump()

    def clogged(self, connection: Connection, *, is_so: bool) -> None:
        """A client has stopped to read what it is sent, or reads again."""
        (self._clogged.add if is_so else self._clogged.discard)(connection)

    @property
    def memory(self) -> int:
        """Return the bytes of contents, and of output that clients do not read."""
        return self.broker.memory.used + sum(one.unsent for one in self._clogged)

    def _look_at_memory(self) -> bool:
        """Begin or end an alarm if it is time; tell whether that has changed something."""
        used, alarmed = self.memory, "memory" in self._alarms
        if alarmed and self._looking is None:
            loop = asyncio.get_running_loop()
            self._looking = loop.call_later(_LOOK_AGAIN, self._look_again)
        if alarmed == (used > self.limits.memory * (_LOW if alarmed else 1)):
            return False
        if alarmed:
            del self._alarms["memory"]
        else:
            self._alarms["memory"] = "low on memory"
        _LOG.info("memory alarm %s: %d bytes in use", "over" if alarmed else "set", used)
        self._announce()
        return True

    def _look_again(self) -> None:
        self._looking = None
        self.pump()

    def _reason(self) -> str:
        return " & ".join(dict.fromkeys(self._alarms.values()))

    def _announce(self) -> None:
        for session in list(self._connections):
            if session.phase is not Phase.CLOSED:
                session.alarm(self._reason())
