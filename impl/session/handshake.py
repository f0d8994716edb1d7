"""How a connection begins: start, tune, open.

The server proposes, the client chooses, and what the client chose is either acceptable or a hard
error with the text that says which part was not.  Each function here takes the client's method and
returns what was agreed; the order of things is the session's business.

Two mechanisms are offered to log in with a password.  They say the same and differ in how it is
written: PLAIN separates name and password by null characters, AMQPLAIN has them in a field table.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ackproof.impl.access.directory import Directory, User
from ackproof.impl.errors import HardError
from ackproof.impl.limits import Limits
from ackproof.impl.version import VERSION
from ackproof.impl.wire.frames import FRAME_MIN
from ackproof.impl.wire.table_reader import TableError, read_table
from ackproof.impl.wire.texts import to_bytes
from pamqp import commands

__all__ = ["HEARTBEAT", "Tuned", "authenticate", "capabilities", "start", "tune", "tuned"]

#: Seconds between heartbeats, as the server proposes it.
HEARTBEAT = 60

_CAPABILITIES = (
    "publisher_confirms",
    "exchange_exchange_bindings",
    "basic.nack",
    "consumer_cancel_notify",
    "connection.blocked",
    "consumer_priorities",
    "authentication_failure_close",
    "per_consumer_qos",
    "direct_reply_to",
)


@dataclass(frozen=True)
class Tuned:
    """What both sides agreed on: a number, bytes, seconds; a heartbeat of 0 is none."""

    channel_max: int
    frame_max: int
    heartbeat: int


def start(version: str | None = None) -> commands.Connection.Start:
    """Return the method that opens the negotiation.

    Args:
        version: which RabbitMQ to say this is; None for what it is.
    """
    product, platform = ("ackproof", "Python") if version is None else ("RabbitMQ", "Erlang/OTP")
    return commands.Connection.Start(
        version_major=0,
        version_minor=9,
        server_properties={
            "product": product,
            "version": version or VERSION,
            "platform": platform,
            "capabilities": dict.fromkeys(_CAPABILITIES, True),
        },
        mechanisms=" ".join(_MECHANISMS),
        locales="en_US",
    )


def capabilities(client: Mapping[str, object]) -> frozenset[str]:
    """Return the capabilities among a client's properties, those that it says it has."""
    said = client.get("capabilities")
    if not isinstance(said, dict):
        return frozenset()
    return frozenset(str(name) for name, has in said.items() if has is True)


# -- who is there -------------------------------------------------------------------------------


def authenticate(
    reply: commands.Connection.StartOk,
    directory: Directory,
    refuses: Callable[[str], bool] = lambda _: False,
) -> User:
    """Find out who is there.

    Args:
        reply: the client's answer to start.
        directory: who may come in.
        refuses: tells whether a user is refused all the same.

    Raises:
        HardError: 403, nobody of that name has that password; 503, a mechanism that was not
            offered; 502, a response that is none of this mechanism.
    """
    mechanism = str(reply.mechanism)
    read = _MECHANISMS.get(mechanism)
    if read is None:
        raise HardError(503, f"unknown authentication mechanism '{mechanism}'")
    response = reply.response
    raw = response if isinstance(response, bytes) else str(response).encode()
    name, password = read(raw)
    user = directory.login(name, password)
    if user is None or refuses(name):
        raise HardError(
            403,
            f"Login was refused using authentication mechanism {mechanism}. "
            "For details see the broker logfile.",
        )
    return user


def _read_plain(response: bytes) -> tuple[str, str]:
    """Read a null character, the name, a null character and the password."""
    parts = response.split(b"\0")
    if len(parts) != 3 or parts[0]:
        # Not quoted: it may well have a password in it.
        raise HardError(502, f"response of {len(response)} bytes invalid for PLAIN")
    return _text(parts[1]), _text(parts[2])


def _read_amqplain(response: bytes) -> tuple[str, str]:
    """Read a field table without its length, with LOGIN and PASSWORD."""
    try:
        table, _ = read_table(struct.pack(">I", len(response)) + response, 0, depth_max=1)
    except TableError as error:
        raise HardError(502, f"response invalid for AMQPLAIN: {error}") from None
    return _field(table, "LOGIN"), _field(table, "PASSWORD")


def _field(table: Mapping[str, object], name: str) -> str:
    value = table.get(name)
    if not isinstance(value, str):
        raise HardError(502, "AMQPLAIN auth info is missing LOGIN or PASSWORD field")
    return _text(to_bytes(value))


def _text(data: bytes) -> str:
    """Return a text even for bytes that are none: nobody has it as a name or a password."""
    return data.decode(errors="replace")


_MECHANISMS: dict[str, Callable[[bytes], tuple[str, str]]] = {
    "PLAIN": _read_plain,
    "AMQPLAIN": _read_amqplain,
}


# -- what is agreed on --------------------------------------------------------------------------


def tune(limits: Limits) -> commands.Connection.Tune:
    """Return the server's limits."""
    return commands.Connection.Tune(limits.channels, limits.frame_max, HEARTBEAT)


def tuned(reply: commands.Connection.TuneOk, limits: Limits) -> Tuned:
    """Check the client's limits against the server's.

    Raises:
        HardError: 530, a limit is higher than the server's, or too low to speak AMQP.
    """
    channel_max, frame_max = int(reply.channel_max or 0), int(reply.frame_max or 0)
    _check_limit("channel_max", channel_max, limits.channels)
    _check_limit("frame_max", frame_max, limits.frame_max)
    if frame_max < FRAME_MIN:
        raise HardError(
            530,
            f"negotiated frame_max = {frame_max} is lower than the minimum allowed value "
            f"({FRAME_MIN})",
        )
    return Tuned(channel_max, frame_max, int(reply.heartbeat or 0))


def _check_limit(name: str, value: int, highest: int) -> None:
    """Zero means no limit to a client, which is more than the server allows."""
    if value == 0 or value > highest:
        said = value or "no limit"
        raise HardError(
            530, f"negotiated {name} = {said} is higher than the maximum allowed value ({highest})"
        )
