"""Methods of channel 0: what a connection says about itself, phase by phase.

A connection waits for the protocol header, for start-ok, for tune-ok, for open, and then it is
open.  Each of these methods may come in one phase only.  What is agreed on, `handshake` says; here
it becomes the state of the session.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, Protocol

from ackproof.impl.access.directory import User
from ackproof.impl.errors import HardError, shortened
from ackproof.impl.session import handshake
from ackproof.impl.session.channel_connection import ChannelConnection
from ackproof.impl.session.channel_table import ChannelTable
from pamqp import base, commands
from pamqp.common import FieldTable

__all__ = ["NegotiatedConnection", "Phase", "handle", "may_be_told"]

_LOG = logging.getLogger(__name__)


class Phase(Enum):
    """What the session waits for, or that nothing more comes."""

    HEADER = auto()
    START = auto()
    TUNE = auto()
    OPEN = auto()
    RUNNING = auto()
    CLOSING = auto()
    CLOSED = auto()


class NegotiatedConnection(ChannelConnection, Protocol):
    """A connection, as far as the methods of channel 0 have to know of it.

    Attributes:
        capabilities: what the client says that it can do.
        channels: those that are in use, by number.
        client: what the client says about itself.
        frame_max: bytes that a frame may have.
        heartbeat: seconds that were agreed on, 0 for none.
        login: who has come in.
        peer: what logs call the connection.
        phase: how far the connection is.
    """

    capabilities: frozenset[str]
    channels: ChannelTable
    client: FieldTable
    frame_max: int
    heartbeat: int
    login: User | None
    peer: str
    phase: Phase

    def admit(self) -> None:
        """Let the connection open; raise HardError if it must not."""

    def reply(self, method: base.Frame) -> None:
        """Send a method of channel 0."""


def handle(session: NegotiatedConnection, method: base.Frame) -> None:
    """Process a method of channel 0, other than close.

    Raises:
        HardError: 504, it has no business in this phase; or what the method itself is refused for.
    """
    process = _METHODS.get((session.phase, type(method)))
    if process is None:
        state = session.phase.name.lower()
        raise HardError(504, f"unexpected method in connection state {state}")
    process(session, method)


def may_be_told(session: NegotiatedConnection, error: HardError) -> bool:
    """Tell whether the client hears of an error; before the connection is open, of few."""
    if session.phase is Phase.START:
        return error.code == 403 and "authentication_failure_close" in session.capabilities
    return session.phase is Phase.RUNNING or (session.phase is Phase.OPEN and error.code == 530)


def _authenticate(session: NegotiatedConnection, reply: commands.Connection.StartOk) -> None:
    session.number = session.broker.history.next_connection()
    session.client = reply.client_properties or {}
    session.capabilities = handshake.capabilities(session.client)
    session.login = handshake.authenticate(
        reply, session.broker.directory, session.broker.faults.refuses_login
    )
    session.phase = Phase.TUNE
    session.reply(handshake.tune(session.limits))


def _tune(session: NegotiatedConnection, reply: commands.Connection.TuneOk) -> None:
    agreed = handshake.tuned(reply, session.limits)
    session.frame_max = agreed.frame_max
    session.channels.most = agreed.channel_max
    session.heartbeat = agreed.heartbeat
    session.phase = Phase.OPEN


def _open(session: NegotiatedConnection, method: commands.Connection.Open) -> None:
    vhost = session.broker.vhosts.get(str(method.virtual_host))
    if vhost is None:
        raise HardError(530, f"vhost {method.virtual_host} not found")
    directory = session.broker.directory
    if not directory.may_open(vhost.name, session.user):
        raise HardError(530, f"access to vhost '{vhost.name}' refused for user '{session.user}'")
    session.admit()
    session.vhost = vhost
    session.access = directory.access(vhost.name, session.user)
    session.phase = Phase.RUNNING
    session.reply(commands.Connection.OpenOk())
    name = _name(session.client)
    _LOG.info("%s (%r): opened by %s on vhost %s", session.peer, name, session.user, vhost.name)
    session.broker.history.note(
        "connection_opened",
        connection=session.number,
        name=name,
        user=session.user,
        vhost=vhost.name,
    )


def _name(client: FieldTable) -> str:
    """Return how a client calls its connection, which may be anything, as far as others want it."""
    said = client.get("connection_name")
    return shortened(said) if isinstance(said, str) else "no name"


def _update_secret(session: NegotiatedConnection, _: commands.Connection.UpdateSecret) -> None:
    """As in RabbitMQ, who has logged in with a password stays so, whatever it is now."""
    session.reply(commands.Connection.UpdateSecretOk())


_METHODS: dict[tuple[Phase, type[base.Frame]], Callable[[NegotiatedConnection, Any], None]] = {
    (Phase.START, commands.Connection.StartOk): _authenticate,
    (Phase.TUNE, commands.Connection.TuneOk): _tune,
    (Phase.OPEN, commands.Connection.Open): _open,
    (Phase.RUNNING, commands.Connection.UpdateSecret): _update_secret,
}
