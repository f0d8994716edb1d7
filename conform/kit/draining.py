"""Draining: the end of a run, when everything is settled, closed, and fetched from the queues.

Channels are closed first, so that what their clients have not settled comes back.  Then each queue
is emptied by basic.get, on the connection that it belongs to if it is exclusive; another one asks
for it, too, and must be refused, and finds nothing when the first has ended.

A message that is missing may be on its way back from a connection that was dropped; so queues are
asked again for a while, before anybody says that it is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from ackproof.conform.kit.clients import Clients
from ackproof.conform.kit.ledger import delayed, missing
from ackproof.conform.kit.operations import Do, Operation
from ackproof.conform.kit.owing import owed
from ackproof.conform.kit.stalled import Stalled
from ackproof.conform.kit.trace import Queue
from pamqp import commands

__all__ = ["Drain"]

#: The connection of the drain; those of programs have numbers up to 9.
_OWN = 10
_NOT_FOUND = 404
#: Seconds that messages may take to come back where everything ended in good order.
_SOON = 0.2
#: Seconds between two times that a queue is asked.
_AGAIN = 0.05
#: More messages than a program has; a queue that has more makes them itself.
_MOST = 10_000


class Drain:
    """Ends a run.

    Args:
        clients: those of the run.
        name: what a queue is called at the broker.
        late: seconds that it may take until something comes back from where a connection broke.
    """

    def __init__(
        self,
        clients: Clients,
        name: Callable[[str], str],
        late: float,
    ) -> None:
        self._clients = clients
        self._trace = clients.trace
        self._name = name
        self._late = late

    def settle(self) -> None:
        """Wait for what is owed, then close all channels.

        Raises:
            Stalled: an answer does not come.
        """
        for session in list(self._clients.living()):
            self._clients.settle(session)
        self._clients.wait_for_all()
        self._clients.wait_until(lambda: not self._owed())
        self._trace.owed = self._owed()
        for session in list(self._clients.living()):
            self._clients.close_session(session)

    def _owed(self) -> list[tuple[str, str]]:
        return owed(self._trace, list(self._clients.living()))

    def empty(self) -> None:
        """Fetch what is in the queues, and close all connections.

        Raises:
            Stalled: the broker does not answer.
        """
        exclusive = [queue for queue in self._trace.queues.values() if _owned(queue)]
        for queue in exclusive:
            queue.shared = self._trespass(queue) is None
        self._fetch_all()
        self._clients.close()
        for queue in exclusive:
            queue.outlived = self._trespass(queue) != _NOT_FOUND
        self._clients.close()

    def _trespass(self, queue: Queue) -> int | None:
        """Ask for a queue of another connection; return with which code that is refused, if so."""
        session = self._clients.session(_OWN, 1)
        session.trespass(Operation(Do.GET, queue=queue.name), self._name(queue.name))
        self._clients.wait_for(session)
        return self._trace.closes[-1].code if session.ended else None

    def _fetch_all(self) -> None:
        begun = time.monotonic()
        self._empty_once()
        while missing(self._trace):
            patience = self._late if delayed(self._trace) else _SOON
            if time.monotonic() - begun > patience:
                return
            time.sleep(_AGAIN)
            self._empty_once()

    def _empty_once(self) -> None:
        for queue in self._trace.queues.values():
            if queue.lives and (queue.blurred or queue.alive is not None):
                self._fetch(queue)

    def _fetch(self, queue: Queue) -> None:
        operation = Operation(Do.GET, queue=queue.name, no_ack=True)
        end = time.monotonic() + self._late
        for _ in range(_MOST):
            session = self._clients.session(_place_of(queue), 1)
            get = session.get(operation, self._name(queue.name))
            self._clients.wait_for(session)
            if session.ended and queue.crashed and time.monotonic() < end:
                time.sleep(_AGAIN)  # it may still be on its way up
            elif get.answer == "ok":
                queue.left += 1
            else:
                if session.ended and not queue.blurred:
                    queue.missing = f"{self._trace.closes[-1].code} {self._trace.closes[-1].text}"
                return
        raise Stalled(f"the queue {queue.name} has no end")

    def remove(self, exchanges: Iterable[str]) -> None:
        """Remove the queues and the exchanges of the run, as far as that is possible."""
        session = self._clients.session(_OWN, 1)
        for exchange in exchanges:
            if exchange:
                delete = commands.Exchange.Delete(exchange=exchange)
                session.say(Operation(Do.DELETE), delete, answered=True)
                self._clients.wait_for(session)
        for queue in self._trace.queues.values():
            if queue.lives:
                # Another channel if the last one was closed: what belongs to somebody is refused.
                session = self._clients.session(_OWN, 1)
                session.delete(Operation(Do.DELETE, queue=queue.name), self._name(queue.name))
                self._clients.wait_for(session)
        self._clients.close()


def _place_of(queue: Queue) -> int:
    """Return the number of the connection that may fetch from a queue."""
    return queue.lives[-1].declared.operation.connection if _owned(queue) else _OWN


def _owned(queue: Queue) -> bool:
    """Tell whether a queue belongs to a connection, for all that is known."""
    return not queue.blurred and queue.alive is not None and bool(queue.alive.owner)
