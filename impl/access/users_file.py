"""A file of users: a line of NAME:PASSWORD for each."""

from __future__ import annotations

from pathlib import Path

from ackproof.impl.access.directory import User

__all__ = ["UsersError", "read_users"]


class UsersError(Exception):
    """A file of users cannot be used; the text says where it is wrong, and what to do."""


def read_users(file: Path) -> tuple[User, ...]:
    """Return the users of a file, all of them administrators.

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
        users[name] = User.of(name, password, "administrator")
    if not users:
        raise UsersError(f"{file} names no user; write a line of NAME:PASSWORD for each")
    return tuple(users.values())
