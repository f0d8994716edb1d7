"""The users of a broker, and what each may do in which virtual host.

Whoever has no permissions in a virtual host may not open it.  What changes here takes effect at
once, for those too who are connected; who is to lose a connection for it, the broker decides.

Everything is a *record*: a kind, a name, and a value fit for JSON.  In this form it goes to the
disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ackproof.impl.access.passwords import Password
from ackproof.impl.access.permissions import Access, Permissions

__all__ = ["GUEST", "Directory", "Record", "User"]


class Record(NamedTuple):
    """Something that is kept; a value of None says that it is not there any more."""

    kind: str
    name: tuple[str, ...]
    value: dict[str, Any] | None


@dataclass(frozen=True)
class User:
    """Somebody who may come in.

    Attributes:
        password: None for somebody who cannot log in.
        tags: what RabbitMQ's management calls a user, `administrator` for one.
    """

    name: str
    password: Password | None
    tags: tuple[str, ...] = ()

    @staticmethod
    def of(name: str, password: str, *tags: str) -> User:
        """Return a user by name and password."""
        return User(name, Password.of(password), tags)


#: Who is there if nobody else was named.
GUEST = User.of("guest", "guest", "administrator")
#: Compared with where there is nobody, so that the time taken does not tell.
_NOBODY = Password.of("")


class Directory:
    """Users by name, and their permissions.

    Args:
        keep: called with each record that changes.
    """

    def __init__(self, keep: Callable[[Record], None] = lambda _: None) -> None:
        self.users: dict[str, User] = {}
        self._access: dict[tuple[str, str], Access] = {}
        self._keep = keep

    def login(self, name: str, password: str) -> User | None:
        """Return the user of this name, if that is the password."""
        user = self.users.get(name)
        known = user.password if user is not None else None
        same = (known or _NOBODY).fits(password)
        return user if same and known is not None else None

    def access(self, vhost: str, user: str) -> Access:
        """Return what a user may do in a virtual host, for ever the same object."""
        key = (vhost, user)
        if key not in self._access:
            self._access[key] = Access(vhost, user, None)
        return self._access[key]

    def may_open(self, vhost: str, user: str) -> bool:
        """Tell whether a user may come into a virtual host."""
        access = self._access.get((vhost, user))
        return access is not None and access.permissions is not None

    @property
    def permissions(self) -> list[tuple[str, str, Permissions]]:
        """Return what there is: a virtual host, a user, and what that may do there."""
        return [
            (vhost, user, access.permissions)
            for (vhost, user), access in sorted(self._access.items(), key=lambda item: item[0])
            if access.permissions is not None
        ]

    def put(self, user: User) -> bool:
        """Let somebody in, or under other conditions; return whether it is somebody new."""
        new = user.name not in self.users
        if self.users.get(user.name) != user:
            self.users[user.name] = user
            self._keep(_record_of(user))
        return new

    def delete(self, name: str) -> None:
        """Let a user in no more.

        Raises:
            LookupError: there is no such user.
        """
        if name not in self.users:
            raise LookupError(f"there is no user {name!r}")
        for vhost, user, _ in self.permissions:
            if user == name:
                self.revoke(vhost, name)
        del self.users[name]
        self._keep(Record("user", (name,), None))

    def grant(self, vhost: str, user: str, permissions: Permissions) -> bool:
        """Let a user do that in a virtual host; return whether it could not come in before."""
        access = self.access(vhost, user)
        before = access.permissions
        if before != permissions:
            access.set(permissions)
            self._keep(_record_of_permissions(vhost, user, permissions))
        return before is None

    def revoke(self, vhost: str, user: str) -> bool:
        """Let a user do nothing more in a virtual host; return whether it could do anything."""
        if not self.may_open(vhost, user):
            return False
        self._access[vhost, user].set(None)
        self._keep(Record("permission", (vhost, user), None))
        return True

    def forget_vhost(self, name: str) -> None:
        """A virtual host is gone."""
        for vhost, user, _ in self.permissions:
            if vhost == name:
                self.revoke(vhost, user)

    # -- what is kept ---------------------------------------------------------------------------

    @property
    def records(self) -> list[Record]:
        """Return everything as records."""
        users = [_record_of(user) for user in self.users.values()]
        return users + [_record_of_permissions(*one) for one in self.permissions]

    def restore(self, records: Iterable[Record]) -> None:
        """Take in what was kept.

        Raises:
            ValueError, LookupError, TypeError: it is damaged.
        """
        for kind, name, value in records:
            if value is None:
                continue
            if kind == "user":
                self.users[name[0]] = _user(name[0], value)
            elif kind == "permission":
                self.access(*name).set(Permissions(**value))


def _record_of(user: User) -> Record:
    password = user.password
    value = {
        "hash": None if password is None else password.hashed,
        "algorithm": None if password is None else password.algorithm,
        "tags": list(user.tags),
    }
    return Record("user", (user.name,), value)


def _user(name: str, value: dict[str, Any]) -> User:
    hashed = value["hash"]
    password = None if hashed is None else Password(hashed, value["algorithm"])
    return User(name, password, tuple(value["tags"]))


def _record_of_permissions(vhost: str, user: str, permissions: Permissions) -> Record:
    value = {
        "configure": permissions.configure,
        "write": permissions.write,
        "read": permissions.read,
    }
    return Record("permission", (vhost, user), value)
