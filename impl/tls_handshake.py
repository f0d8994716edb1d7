"""A socket on which nobody speaks AMQP yet, because TLS is being agreed on.

Until that is done there is no connection, but there is a socket, and it counts as one that is being
opened, and has the same time for it.  When it is done, everything goes on as without TLS.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from ackproof.impl.connection import Connection, named

if TYPE_CHECKING:
    import ssl

    from ackproof.impl.server import Server

__all__ = ["TlsHandshake"]

_LOG = logging.getLogger(__name__)


class TlsHandshake(asyncio.Protocol):
    """Agrees on TLS, and hands the socket over to a connection.

    Args:
        server: whose socket it is.
        tls: what to agree on.
    """

    def __init__(self, server: Server, tls: ssl.SSLContext) -> None:
        self._server = server
        self._tls = tls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has connected; it may not stay, if there are too many."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._peer = named(transport)
        if not self._server.knock(self, self._peer):
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
            self._server.let_go(self)
        if secured is not None:
            connection.connection_made(secured)
