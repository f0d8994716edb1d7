"""Who may come in, and where: names, passwords, and the virtual hosts that each may open."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["GUEST", "User", "Users", "UsersError", "read_users"]


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


class UsersError(Exception):
    """A file of users cannot be used; the text says where it is wrong, and what to do."""


def read_users(file: Path) -> Users:
    """Return the users of a file, who may open every virtual host.

    It has a line of NAME:PASSWORD for each, in UTF-8; a password may have colons in it.  Empty
    lines, and those that begin with #, are for the reader.

    Raises:
        UsersError: it cannot be read, or does not say that.
    """
    try:
        lines = file.read_text("utf-8").splitlines()
    except OSError as error:
        raise UsersError(f"cannot read the users of {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsersError(f"{file} is not UTF-8; write a line of NAME:PASSWORD for each") from None
    users: dict[str, User] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, password = line.partition(":")
        if not name or not colon:
            raise UsersError(f"{file}, line {number} is no user; write NAME:PASSWORD")
        if name in users:
            raise UsersError(f"{file}, line {number}: there is a user {name!r} already")
        users[name] = User(name, password)
    if not users:
        raise UsersError(f"{file} names no user; write a line of NAME:PASSWORD for each")
    return Users(users.values())
