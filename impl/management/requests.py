"""A request to the management: who asks, for what, and with what.

`rabbitmqadmin` sends every value as a text, so `"true"` is true here, and `"5"` is 5.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from ackproof.impl.access.directory import Directory, User
from ackproof.impl.administration.json_tables import table_of
from ackproof.impl.management.answers import Refusal, bad
from ackproof.impl.wire.tables import Table

__all__ = ["ADMINISTRATOR", "Asked", "identified"]

ADMINISTRATOR = "administrator"
_MONITORING = (ADMINISTRATOR, "monitoring")
_MANAGEMENT = (*_MONITORING, "policymaker", "management")
_CHALLENGE = (("WWW-Authenticate", 'Basic realm="RabbitMQ Management"'),)
_TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True)
class Asked:
    """What is asked for.

    Attributes:
        user: who asks.
        names: what stands in the path, by name.
        body: the JSON that came along.
        query: what stands behind the path.
        reason: for closing a connection; empty if none is said.
    """

    user: User
    names: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, list[str]] = field(default_factory=dict)
    reason: str = ""

    @property
    def administers(self) -> bool:
        """Tell whether it is an administrator who asks."""
        return ADMINISTRATOR in self.user.tags

    @property
    def monitors(self) -> bool:
        """Tell whether it is somebody who may see what belongs to others."""
        return any(tag in self.user.tags for tag in _MONITORING)

    def need(self, *names: str) -> None:
        """Check that the body has these."""
        absent = [f"{{key_missing,{name}}}" for name in names if self.body.get(name) is None]
        if absent:
            raise bad(f"[{','.join(absent)}]")

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text that must be there, if there is no default."""
        value = self.body.get(name, default)
        if value is None:
            raise bad(f"[{{key_missing,{name}}}]")
        if not isinstance(value, str):
            raise bad(f"{name} must be a text")
        return value

    def truth(self, name: str, default: bool = False) -> bool:
        """Return a yes or no."""
        value = self.body.get(name, default)
        value = _TRUTHS.get(value, value) if isinstance(value, str) else value
        if not isinstance(value, bool):
            raise bad(f"{name} must be true or false")
        return value

    def number(self, name: str, default: int | None = None) -> int:
        """Return a number that is not negative, and must be there if there is no default."""
        value = self.body.get(name, default)
        if value is None:
            raise bad(f"[{{key_missing,{name}}}]")
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            value = int(value)
        if type(value) is not int or value < 0:
            raise bad(f"{name} must be a number")
        return value

    def table(self, name: str = "arguments") -> Table:
        """Return an object as a field table, empty if there is none."""
        value = self.body.get(name) or {}
        if not isinstance(value, dict):
            raise bad(f"{name} must be an object")
        try:
            return table_of(value)
        except ValueError as error:
            raise bad(str(error)) from None


def identified(authorization: str, directory: Directory) -> User:
    """Return who asks, by what the request says under `Authorization`.

    Raises:
        Refusal: 401, nobody is named, or nobody is there of that name and password, or it is not
            somebody who may use the management.
    """
    scheme, _, encoded = authorization.partition(" ")
    try:
        name, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        name = password = ""
    user = directory.login(name, password) if scheme.lower() == "basic" else None
    if user is None:
        raise Refusal(HTTPStatus.UNAUTHORIZED, "not_authorized", "Login failed", _CHALLENGE)
    if not any(tag in _MANAGEMENT for tag in user.tags):
        raise refused("Not management user")
    return user


def refused(reason: str) -> Refusal:
    """Return the refusal of what somebody may not do."""
    return Refusal(HTTPStatus.UNAUTHORIZED, "not_authorised", reason, _CHALLENGE)
