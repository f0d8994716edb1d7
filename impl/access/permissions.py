"""What a user may do in a virtual host: three regular expressions over names.

To declare or delete something takes permission to *configure* it; to publish to an exchange, or to
change where something gets its messages from, to *write* to it; to consume, to purge, or to bind
to an exchange, to *read* it.  An expression is searched for in the name; an empty one fits no name.
The default exchange goes by the name `amq.default` here.

Whoever publishes asks for each message.  So the exchanges that somebody may write to are
remembered, until the permissions change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ackproof.impl.errors import SoftError

__all__ = ["EVERYTHING", "Access", "Kind", "Permissions"]

#: What permissions are about.
Kind = Literal["queue", "exchange"]

_NOTHING = re.compile(r"(?!)")
_ALL = ".*"
#: The name under which the default exchange is permitted.
_DEFAULT_EXCHANGE = "amq.default"
#: Names that are remembered, at most.
_REMEMBERED = 1_000


@dataclass(frozen=True)
class Permissions:
    """Three regular expressions.

    Raises:
        ValueError: one of them is none.
    """

    configure: str = _ALL
    write: str = _ALL
    read: str = _ALL

    def __post_init__(self) -> None:
        for name in ("configure", "write", "read"):
            expression = getattr(self, name)
            try:
                re.compile(expression)
            except (re.error, OverflowError, RecursionError) as error:
                raise ValueError(
                    f"{name} is {expression!r}, which is no regular expression: {error}"
                ) from None


class Access:
    """What one user may do in one virtual host; it changes with the user's permissions.

    Attributes:
        writable: exchanges, some of those that the user is known to be permitted to write to.
        permissions: what the user may do; None if it may not even come in.
    """

    def __init__(self, vhost: str, user: str, permissions: Permissions | None) -> None:
        self.writable: set[str] = set()
        self._vhost = vhost
        self._user = user
        self.permissions = permissions
        self.set(permissions)

    def set(self, permissions: Permissions | None) -> None:
        """From now on, permit this."""
        self.permissions = permissions
        self.writable.clear()
        asked = permissions or Permissions("", "", "")
        self._configure = _compiled(asked.configure)
        self._write = _compiled(asked.write)
        self._read = _compiled(asked.read)

    def check_configure(self, kind: Kind, name: str) -> None:
        """Check that the user may declare or delete something.

        Raises:
            SoftError: 403, it may not.
        """
        self._check(self._configure, kind, name)

    def check_read(self, kind: Kind, name: str) -> None:
        """Check that the user may take messages from a queue, or bind to an exchange.

        Raises:
            SoftError: 403, it may not.
        """
        self._check(self._read, kind, name)

    def check_write(self, kind: Kind, name: str) -> None:
        """Check that the user may publish to an exchange, or bind something.

        Raises:
            SoftError: 403, it may not.
        """
        self._check(self._write, kind, name)

    def check_publish(self, exchange: str) -> None:
        """Check that the user may publish to an exchange, and remember it.

        Raises:
            SoftError: 403, it may not.
        """
        self._check(self._write, "exchange", exchange)
        if len(self.writable) >= _REMEMBERED:
            self.writable.clear()
        self.writable.add(exchange)

    def _check(self, expression: re.Pattern[str], kind: Kind, name: str) -> None:
        if kind == "exchange" and not name:
            name = _DEFAULT_EXCHANGE
        if expression.search(name) is None:
            raise SoftError(
                403,
                f"access to {kind} '{name}' in vhost '{self._vhost}' refused for user "
                f"'{self._user}'",
            )


def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression) if expression else _NOTHING


#: What the broker itself may do.
EVERYTHING = Access("", "", Permissions())
