"""Who is connected to a broker, and whether anybody may be.

The broker does not know what a connection is.  It knows that it can close one, and has to when its
node pauses in a minority (A12.2, D9): then there are no clients until the partition is over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ackproof.impl.errors import HardError, SoftError

__all__ = ["SHUTDOWN", "ConnectionRegistry", "RegisteredConnection"]

#: What a client hears whose connection ends with the node.
SHUTDOWN = "broker forced connection closure with reason 'shutdown'"


class RegisteredConnection(Protocol):
    """A connection, as far as it has to be known here.

    Attributes:
        number: counted by the broker from 1.
    """

    number: int

    @property
    def user(self) -> str:
        """Return the name of who has logged in; empty if nobody has."""

    @property
    def opened(self) -> str | None:
        """Return the name of the virtual host that is open; None if none is."""

    def fail(self, error: HardError) -> None:
        """Close the connection and say why."""

    @property
    def called(self) -> str:
        """Return how the client calls its connection."""

    def fail_channels(self, error: SoftError, channel: int | None) -> list[int]:
        """Close all channels, or one, and say why; return the numbers of those that were open."""

    def sever(self, *, written: bool, reset: bool = False) -> None:
        """Break the connection, after what was said has been written, or before."""

    def silence(self, is_so: bool) -> None:
        """Say nothing more for now, or say it all."""

    def slow_down(self, pace: tuple[int, float] | None) -> None:
        """Say things in pieces of so many bytes, so many seconds apart; or at once, if None."""


class ConnectionRegistry:
    """The connections of a broker.

    Attributes:
        closed: there are none, and may be none for now.
    """

    def __init__(self) -> None:
        self.closed = False
        self._all: dict[RegisteredConnection, None] = {}

    def __contains__(self, client: RegisteredConnection) -> bool:
        return client in self._all

    def __iter__(self) -> Iterator[RegisteredConnection]:
        return iter(list(self._all))

    def add(self, client: RegisteredConnection) -> None:
        """A connection begins."""
        self._all[client] = None

    def remove(self, client: RegisteredConnection) -> None:
        """A connection has ended, for whatever reason."""
        self._all.pop(client, None)

    def close_all(self) -> None:
        """Close all connections, as when the node stops, and let no other ones begin."""
        self.closed = True
        for client in list(self._all):
            client.fail(HardError(320, SHUTDOWN))

    def close_those_in(self, vhost: str) -> None:
        """Close the connections in a virtual host, which is gone."""
        for client in list(self._all):
            if client.opened == vhost:
                client.fail(HardError(320, f"vhost '{vhost}' is down"))

    def close_those_of(self, user: str) -> None:
        """Close the connections of a user, who is gone."""
        for client in list(self._all):
            if client.user == user:
                client.fail(HardError(320, f"user '{user}' is deleted"))

    def reopen(self) -> None:
        """Let connections begin again."""
        self.closed = False
