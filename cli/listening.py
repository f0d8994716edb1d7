"""What commands share that listen until they are told to stop."""

from __future__ import annotations

import asyncio
import os
import signal

from ackproof.cli.inputs import InputError

__all__ = ["address", "reason", "stop_signal"]

_PORT_MAX = 65535


def reason(error: OSError) -> str:
    """Return the system's words for an error; asyncio puts its own around them."""
    if error.errno and error.errno > 0:
        return os.strerror(error.errno)
    return error.strerror or str(error)


def stop_signal() -> asyncio.Event:
    """Return an event that is set when the process is told to stop."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


def address(option: str, text: str) -> tuple[str, int]:
    """Return host and port, as HOST:PORT; a host with colons is in brackets.

    Raises:
        InputError: it is not written like that.
    """
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > _PORT_MAX:
        raise InputError(f"{option} is {text!r}; give HOST:PORT, as in 127.0.0.1:5672")
    return host, int(port)
