"""Virtual hosts, users, permissions and definitions, as an administrator changes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from ackproof.impl.access.permissions import Permissions
from ackproof.impl.administration.definitions import (
    DefinitionsError,
    Entry,
    read_definitions,
    tags_of,
    user_of,
)
from ackproof.impl.administration.exporting import written, written_user
from ackproof.impl.management.answers import Answer, bad, created, done, missing
from ackproof.impl.management.listing import ONE, host_of, ok
from ackproof.impl.management.requests import Asked, refused
from ackproof.impl.node import Node

__all__ = ["ROUTES"]

Handler = Callable[[Node, Asked], Awaitable[Answer]]


def _administrator(handler: Handler) -> Handler:
    """Let a request be made by administrators only."""

    @wraps(handler)
    async def checked(node: Node, asked: Asked) -> Answer:
        if not asked.administers:
            raise refused("Not administrator user")
        return await handler(node, asked)

    return checked


# -- virtual hosts ------------------------------------------------------------------------------


async def _put_vhost(node: Node, asked: Asked) -> Answer:
    name = asked.names["vhost"]
    host = node.broker.vhosts.get(name)
    try:
        tags = tags_of(asked.body.get("tags")) if "tags" in asked.body else None
    except ValueError as error:
        raise bad(str(error)) from None
    description = asked.text("description", host.description if host else "")
    kept = host.tags if host else ()
    new = node.broker.declare_vhost(name, description, kept if tags is None else tags)
    if new:  # who has made it may use it
        node.broker.directory.grant(name, asked.user.name, Permissions())
    return created(new=new)


async def _delete_vhost(node: Node, asked: Asked) -> Answer:
    try:
        node.broker.delete_vhost(asked.names["vhost"])
    except LookupError:
        raise missing() from None
    except ValueError as error:
        raise bad(str(error)) from None
    return done()


# -- users --------------------------------------------------------------------------------------


async def _users(node: Node, _: Asked) -> Answer:
    return ok([written_user(user) for user in node.broker.directory.users.values()])


async def _user(node: Node, asked: Asked) -> Answer:
    user = node.broker.directory.users.get(asked.names["user"])
    if user is None:
        raise missing()
    return ok(written_user(user))


async def _put_user(node: Node, asked: Asked) -> Answer:
    if "tags" not in asked.body:
        raise bad("tags_not_present")
    directory, name = node.broker.directory, asked.names["user"]
    try:
        user = user_of(name, Entry(f"user {name!r}", dict(asked.body)))
    except DefinitionsError as error:
        raise bad(str(error)) from None
    return created(new=directory.put(user))


async def _delete_user(node: Node, asked: Asked) -> Answer:
    try:
        node.broker.delete_user(asked.names["user"])
    except LookupError:
        raise missing() from None
    return done()


# -- permissions --------------------------------------------------------------------------------


def _shown(vhost: str, user: str, permissions: Permissions) -> dict[str, Any]:
    return {
        "user": user,
        "vhost": vhost,
        "configure": permissions.configure,
        "write": permissions.write,
        "read": permissions.read,
    }


async def _permissions(node: Node, asked: Asked) -> Answer:
    """List permissions: those that a virtual host or a user has, if one is named."""
    vhost, user = asked.names.get("vhost"), asked.names.get("user")
    if vhost is not None:
        host_of(node, asked)
    return ok(
        [
            _shown(*one)
            for one in node.broker.directory.permissions
            if vhost in (None, one[0]) and user in (None, one[1])
        ]
    )


async def _permission(node: Node, asked: Asked) -> Answer:
    vhost, user = asked.names["vhost"], asked.names["user"]
    if not node.broker.directory.may_open(vhost, user):
        raise missing()
    permissions = node.broker.directory.access(vhost, user).permissions
    assert permissions is not None
    return ok(_shown(vhost, user, permissions))


async def _put_permission(node: Node, asked: Asked) -> Answer:
    broker, vhost, user = node.broker, asked.names["vhost"], asked.names["user"]
    asked.need("configure", "write", "read")
    configure, write, read = (asked.text(name) for name in ("configure", "write", "read"))
    if vhost not in broker.vhosts or user not in broker.directory.users:
        raise bad("vhost_or_user_not_found")
    try:
        permissions = Permissions(configure, write, read)
    except ValueError as error:
        raise bad(str(error)) from None
    return created(new=broker.directory.grant(vhost, user, permissions))


async def _delete_permission(node: Node, asked: Asked) -> Answer:
    if not node.broker.directory.revoke(asked.names["vhost"], asked.names["user"]):
        raise missing()
    return done()


# -- definitions --------------------------------------------------------------------------------


async def _export(node: Node, asked: Asked) -> Answer:
    vhost = asked.names.get("vhost")
    if vhost is not None:
        host_of(node, asked)
    return ok(written(node.broker, vhost))


async def _import(node: Node, asked: Asked) -> Answer:
    vhost = asked.names.get("vhost")
    if vhost is not None:
        host_of(node, asked)
    try:
        read_definitions(dict(asked.body), vhost).apply(node.broker)
    except DefinitionsError as error:
        raise bad(str(error)) from None
    return done()


_FOR_ADMINISTRATORS: dict[str, dict[str, Handler]] = {
    "users": {"GET": _users},
    "users/{user}": {"GET": _user, "PUT": _put_user, "DELETE": _delete_user},
    "users/{user}/permissions": {"GET": _permissions},
    "permissions": {"GET": _permissions},
    "permissions/{vhost}/{user}": {
        "GET": _permission,
        "PUT": _put_permission,
        "DELETE": _delete_permission,
    },
    "vhosts/{vhost}/permissions": {"GET": _permissions},
    "definitions": {"GET": _export, "POST": _import},
    "definitions/{vhost}": {"GET": _export, "POST": _import},
}
ROUTES: dict[str, dict[str, Handler]] = {
    **{
        path: {method: _administrator(handler) for method, handler in handlers.items()}
        for path, handlers in _FOR_ADMINISTRATORS.items()
    },
    "vhosts/{vhost}": {
        "GET": ONE["vhost"],
        "PUT": _administrator(_put_vhost),
        "DELETE": _administrator(_delete_vhost),
    },
}
