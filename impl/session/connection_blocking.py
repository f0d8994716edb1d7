"""What an alarm means to one connection (E4).

While the broker is short of something, who goes on publishing is not listened to any more, nothing
of what it says, and hears why, if it has said that it knows what that means.  Who does not publish
is left alone.  When the alarm is over, all are listened to again.
"""

from __future__ import annotations

from ackproof.impl.errors import shortened
from ackproof.impl.session.connection_methods import NegotiatedConnection, Phase
from pamqp import base, commands

__all__ = ["ConnectionBlocking"]


class ConnectionBlocking:
    """The alarm that there may be, and whether the client is blocked for it.

    Attributes:
        blocked: the client has published during an alarm, which is not over.
    """

    def __init__(self, session: NegotiatedConnection) -> None:
        self.blocked = False
        self._session = session
        self._reason = ""

    @property
    def alarmed(self) -> bool:
        """Tell whether there is an alarm."""
        return bool(self._reason)

    def set(self, reason: str) -> bool:
        """An alarm begins, or changes, or is over if there is no reason any more.

        Returns:
            Whether the client was blocked, and is not any more.
        """
        self._reason = reason
        if reason or not self.blocked:
            return False
        self.blocked = False
        self._tell(commands.Connection.Unblocked())
        return True

    def published(self) -> None:
        """A piece of a content has come; during an alarm the client is blocked for that."""
        if self._reason and self._session.phase is Phase.RUNNING:
            self.blocked = True
            self._tell(commands.Connection.Blocked(shortened(self._reason)))

    def _tell(self, method: base.Frame) -> None:
        session = self._session
        if session.phase is Phase.RUNNING and "connection.blocked" in session.capabilities:
            session.reply(method)
