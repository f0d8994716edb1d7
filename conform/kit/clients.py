"""The clients of a run: their connections and sessions, and how they wait.

All of them live in one thread, which reads from every connection while it waits for anything.  What
must come and does not, for as long as the patience is, ends the run: nothing is concluded from that
but that nothing came.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from math import inf

from ackproof.conform.events import Event
from ackproof.conform.judgement import Judgement
from ackproof.conform.kit.connection import Connection, ConnectionBroken, readable
from ackproof.conform.kit.operations import Do, Operation
from ackproof.conform.kit.session import Session
from ackproof.conform.kit.stalled import Stalled
from ackproof.conform.kit.trace import Close, Said, Trace
from ackproof.conform.kit.url import Address
from pamqp import commands

__all__ = ["Clients"]

_SYNC = Operation(Do.WAIT)
#: Reply code of a connection that an operator has ended.
_FORCED = 320
#: Seconds after which what a fault holds back is released, if somebody waits.
_HELD = 0.1
#: Seconds between two attempts to connect to a node that comes back.
_AGAIN = 0.05


class Clients:
    """Connections and sessions by their numbers.

    Args:
        address: the broker.
        trace: where what happens is entered.
        key: key of the digests.
        patience: seconds to wait for what must come.

    Attributes:
        judgement: judges each channel.
        release: releases what a fault holds back, if there is such a thing.
        suspended: the node is among that, so nobody can log in.
    """

    def __init__(self, address: Address, trace: Trace, key: bytes, patience: float) -> None:
        self.judgement = Judgement()
        self.patience = patience
        self.trace = trace
        self.release: Callable[[], None] | None = None
        self.suspended = False
        self._address = address
        self._key = key
        self._connections: dict[int, Connection] = {}
        self._sessions: dict[tuple[str, int], Session] = {}
        self._names = 0
        self._opened = 0
        self._restarting = False

    # -- opening ------------------------------------------------------------------------------

    def session(self, connection: int, channel: int) -> Session:
        """Return the session of a channel, which is opened if it is not.

        Raises:
            Stalled: it cannot be.
        """
        wire = self._connection(connection)
        found = self._sessions.get((wire.name, channel))
        if found is not None and not found.ended:
            return found
        self._opened += 1
        session = Session(self.trace, wire, self._opened, channel)
        session.on_end = self._blur
        self._sessions[wire.name, channel] = session
        session.say(_SYNC, commands.Channel.Open(), answered=True)
        self.wait_for(session)
        return session

    def _connection(self, number: int) -> Connection:
        wire = self._connections.get(number)
        if wire is None or wire.broken:
            wire = self._connections[number] = self._connect()
        return wire

    def _connect(self) -> Connection:
        if self.suspended and self.release is not None:
            self.release()
        self._names += 1
        end = time.monotonic() + self.patience
        while True:
            try:
                return Connection(
                    self._address,
                    f"c{self._names}",
                    self._key,
                    self._note,
                    self._hear,
                    self.patience,
                )
            except ConnectionBroken as error:
                if not self._restarting or time.monotonic() > end:
                    raise Stalled(str(error)) from None
                time.sleep(_AGAIN)

    def _note(self, event: Event) -> None:
        self.judgement.take(event)

    def _hear(self, event: Event) -> None:
        session = self._sessions.get((event.connection, event.channel))
        if session is not None:
            session.hear(event)

    def _blur(self, session: Session) -> None:
        """Nobody knows which queues there are, if it is unknown what became of what was asked."""
        for queue in self.trace.queues.values():
            parts = [said for life in queue.lives for said in life.parts()]
            if any(said.session == session.number and said.known == inf for said in parts):
                queue.blurred = True

    def _orphan(self, wire: Connection) -> None:
        """Nobody knows when the queues end that belong to a connection which has broken."""
        for queue in self.trace.queues.values():
            if queue.alive is not None and queue.alive.owner == wire.name:
                queue.blurred = True

    # -- waiting ------------------------------------------------------------------------------

    def living(self) -> Iterator[Session]:
        """Yield the sessions that have not ended."""
        yield from [s for s in self._sessions.values() if not s.ended]

    def send(self) -> None:
        """Send what is not sent yet, on all connections."""
        for wire in self._connections.values():
            wire.send()

    def listen(self, seconds: float) -> None:
        """Send everything, and take what comes, for so long at most."""
        self.send()
        for wire in readable(self._connections.values(), seconds):
            wire.read()
        self._look_for_ends()

    def _look_for_ends(self) -> None:
        for number, wire in list(self._connections.items()):
            if wire.problem is not None:
                raise Stalled(f"what the broker says cannot be understood: {wire.problem}")
            if wire.broken:
                del self._connections[number]
                self._ended(wire)

    def _ended(self, wire: Connection) -> None:
        self._orphan(wire)
        for session in list(self.living()):
            if session.connection is wire:
                session.broke()
        wire.drop()
        if wire.closed is not None and wire.closed[0] != _FORCED:
            self.trace.closes.append(Close(wire.name, *wire.closed, False))
        said = f": {wire.closed[0]} {wire.closed[1]}" if wire.closed else ""
        raise Stalled(f"the connection {wire.name} has ended{said}")

    def wait_until(self, true: Callable[[], bool]) -> bool:
        """Take what comes until something is true; tell whether it is, in the end."""
        self.send()
        begun = time.monotonic()
        while not true():
            waited = time.monotonic() - begun
            if waited > self.patience:
                return False
            if waited > _HELD and self.release is not None:
                self.release()
            self.listen(_HELD)
        return True

    def wait_for(self, session: Session) -> None:
        """Wait for the answer that a session waits for.

        Raises:
            Stalled: none comes.
        """
        if not self.wait_until(lambda: not session.waits):
            blocked = session.connection.blocked
            why = "the broker has blocked the connection" if blocked else "no answer has come"
            raise Stalled(f"{why} for {self.patience:g} s")

    def make_known(self, said: Said) -> None:
        """Wait until it is known that something was processed, or until that cannot be."""
        for session in self.living():
            if said.session == session.number and said.known == inf:
                self.ask(session)
                self.wait_for(session)

    def ask(self, session: Session) -> None:
        """Ask for something that changes nothing; its answer shows how far the broker is."""
        self.wait_for(session)
        if not session.ended:
            passive = commands.Exchange.Declare(exchange="amq.direct", passive=True)
            session.say(_SYNC, passive, answered=True)

    def wait_for_all(self) -> None:
        """Wait until all that was said is known to be processed."""
        for session in list(self.living()):
            if not session.certain():
                self.ask(session)
        for session in list(self.living()):
            self.wait_for(session)

    def settle(self, session: Session) -> None:
        """Wait until all that a session has published is settled."""
        if self.wait_until(lambda: bool(session.ended) or not session.open):
            return
        self.ask(session)
        self.wait_for(session)
        for message in session.open.values():
            message.overdue = not session.connection.blocked
        if session.connection.blocked:
            raise Stalled("the broker has blocked the connection")

    # -- the end ------------------------------------------------------------------------------

    def close_session(self, session: Session) -> None:
        """Close a channel in good order."""
        self.wait_for(session)
        if not session.ended:
            session.close(_SYNC)
            if not self.wait_until(lambda: bool(session.ended)):
                raise Stalled(f"no channel.close-ok has come for {self.patience:g} s")

    def drop(self, number: int) -> None:
        """End a connection without a word, if there is such a connection."""
        wire = self._connections.pop(number, None)
        if wire is not None:
            self._orphan(wire)
            wire.send()
            wire.drop()
            for session in list(self.living()):
                if session.connection is wire:
                    session.broke()

    def restarted(self) -> None:
        """The node has restarted, so all connections have ended."""
        self._restarting = True
        for number in list(self._connections):
            self.drop(number)

    def abandon(self) -> None:
        """End all connections without a word; the next one to be opened is another."""
        for number in list(self._connections):
            self._connections.pop(number).drop()
        for session in list(self.living()):
            session.broke()

    def close(self) -> None:
        """End all connections, in good order where that is possible."""
        for wire in self._connections.values():
            wire.close()
        self._connections.clear()
