"""How a connection begins: start, tune, open.

The server proposes, the client chooses, and what the client chose is either acceptable or a hard
error with the text that says which part was not.  Each function here takes the client's method and
returns what was agreed; the order of things is the session's business.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

from ackproof.impl.errors import HardError
from ackproof.impl.frames import FRAME_MAX
from pamqp import commands

__all__ = ["CHANNEL_MAX", "HEARTBEAT", "Login", "Tuned", "authenticate", "start", "tune", "tuned"]

CHANNEL_MAX = 2047
#: Seconds between heartbeats, as the server proposes it.
HEARTBEAT = 60
_FRAME_MIN = 4096


@dataclass(frozen=True)
class Login:
    """Who the client is, and whether it wants to be told when it may not come in."""

    user: str
    wants_close: bool
    accepted: bool


@dataclass(frozen=True)
class Tuned:
    """What both sides agreed on: a number, bytes, seconds; a heartbeat of 0 is none."""

    channel_max: int
    frame_max: int
    heartbeat: int


def start() -> commands.Connection.Start:
    """Return the method that opens the negotiation."""
    return commands.Connection.Start(
        version_major=0,
        version_minor=9,
        server_properties={
            "product": "ackproof",
            "version": _version(),
            "platform": "Python",
            "capabilities": {
                "publisher_confirms": True,
                "basic.nack": True,
                "authentication_failure_close": True,
            },
        },
        mechanisms="PLAIN",
        locales="en_US",
    )


def _version() -> str:
    try:
        return metadata.version("ackproof")
    except metadata.PackageNotFoundError:
        return "unknown"


def authenticate(reply: commands.Connection.StartOk, users: Mapping[str, str]) -> Login:
    """Check who is there.

    Args:
        reply: the client's answer to start.
        users: passwords by user name.

    Raises:
        HardError: 503, a mechanism that was not offered; 502, a response that is no PLAIN one.
    """
    if reply.mechanism != "PLAIN":
        raise HardError(503, f"unknown authentication mechanism '{reply.mechanism}'")
    parts = str(reply.response).split("\0")
    if len(parts) != 3:
        raise HardError(502, "the response to PLAIN is not an authority, a user and a password")
    _, user, password = parts
    known = users.get(user)
    accepted = known is not None and hmac.compare_digest(known.encode(), password.encode())
    capabilities = (reply.client_properties or {}).get("capabilities")
    wants_close = isinstance(capabilities, dict) and bool(
        capabilities.get("authentication_failure_close")
    )
    return Login(user, wants_close, accepted)


def tune() -> commands.Connection.Tune:
    """Return the server's limits."""
    return commands.Connection.Tune(CHANNEL_MAX, FRAME_MAX, HEARTBEAT)


def tuned(reply: commands.Connection.TuneOk) -> Tuned:
    """Check the client's limits against the server's.

    Raises:
        HardError: 530, a limit is higher than the server's, or too low to speak AMQP.
    """
    channel_max, frame_max = int(reply.channel_max or 0), int(reply.frame_max or 0)
    _check_limit("channel_max", channel_max, CHANNEL_MAX)
    _check_limit("frame_max", frame_max, FRAME_MAX)
    if frame_max < _FRAME_MIN:
        raise HardError(
            530,
            f"negotiated frame_max = {frame_max} is lower than the minimum allowed value "
            f"({_FRAME_MIN})",
        )
    return Tuned(channel_max, frame_max, int(reply.heartbeat or 0))


def _check_limit(name: str, value: int, highest: int) -> None:
    """Zero means no limit to a client, which is more than the server allows."""
    if value == 0 or value > highest:
        said = value or "no limit"
        raise HardError(
            530, f"negotiated {name} = {said} is higher than the maximum allowed value ({highest})"
        )
