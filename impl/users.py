"""Who may come in, and where: names, passwords, and the virtual hosts that each may open."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

__all__ = ["GUEST", "User", "Users"]


@dataclass(frozen=True)
class User:
    """Somebody with a password.

    Attributes:
        vhosts: names of the virtual hosts that may be opened; None stands for all of them.
    """

    name: str
    password: str = field(repr=False)
    vhosts: frozenset[str] | None = None

    def may_open(self, vhost: str) -> bool:
        """Tell whether a virtual host of this name may be opened."""
        return self.vhosts is None or vhost in self.vhosts


#: Who is there if nobody else was named.
GUEST = User("guest", "guest", frozenset({"/"}))


class Users:
    """A table of users.

    Args:
        users: everybody, each name once.

    Raises:
        ValueError: a name comes twice.
    """

    def __init__(self, users: Iterable[User] = (GUEST,)) -> None:
        table: dict[str, User] = {}
        for user in users:
            if user.name in table:
                raise ValueError(f"there are two users of the name {user.name!r}")
            table[user.name] = user
        self._table: Mapping[str, User] = table

    def login(self, name: str, password: str) -> User | None:
        """Return the user of this name, if that is the password."""
        user = self._table.get(name)
        known = "" if user is None else user.password
        # Compared even where there is nobody, so that the time taken does not tell.
        same = hmac.compare_digest(known.encode(), password.encode())
        return user if same else None
