"""A socket on which nobody speaks AMQP yet, because TLS is being agreed on.

Until that is done there is no connection, but there is a socket, and it counts as one that is being
opened, and has the same time for it.  When it is done, everything goes on as without TLS.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Protocol

from ackproof.impl.server.connection import Connection, ConnectionServer, named

if TYPE_CHECKING:
    import ssl

__all__ = ["TlsHandshake"]

_LOG = logging.getLogger(__name__)


class TlsServer(ConnectionServer, Protocol):
    """A server, as far as a TLS handshake has to know of it."""

    def admit_handshake(self, handshake: TlsHandshake, peer: str) -> bool:
        """Let a handshake begin, unless there are too many sockets; tell whether it may."""

    def end_handshake(self, handshake: TlsHandshake) -> None:
        """A handshake has ended, well or not."""


class TlsHandshake(asyncio.Protocol):
    """Agrees on TLS, and hands the socket over to a connection.

    Args:
        server: whose socket it is.
        tls: what to agree on.
    """

    def __init__(self, server: TlsServer, tls: ssl.SSLContext) -> None:
        self._server = server
        self._tls = tls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has connected; it may not stay, if there are too many."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._peer = named(transport)
        if not self._server.admit_handshake(self, self._peer):
            transport.abort()
            return
        self._task = asyncio.get_running_loop().create_task(self._shake_hands())

    def break_off(self) -> None:
        """Close the socket at once."""
        self._transport.abort()

    async def _shake_hands(self) -> None:
        limits = self._server.limits
        connection = Connection(self._server)
        try:
            secured = await asyncio.get_running_loop().start_tls(
                self._transport,
                connection,
                self._tls,
                server_side=True,
                ssl_handshake_timeout=limits.handshake,
                ssl_shutdown_timeout=limits.closing,
            )
        except OSError as error:  # those of ssl are such, and so is running out of time
            _LOG.info("%s: no TLS, %s", self._peer, error)
            secured = None
        finally:
            self._server.end_handshake(self)
        if secured is not None:
            connection.connection_made(secured)
