"""What `ackproof serve` does: a broker on a port, until it is told to stop.

The line that says it is ready comes when clients can connect, on standard output, with the port in
it, and after it one for the control API if there is one; everything else goes to standard error.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ackproof.cli.serve_options import Asked
from ackproof.impl.limits import Limits
from ackproof.impl.node import Node
from ackproof.impl.options import Options
from ackproof.impl.storage.disk import DiskError
from ackproof.impl.users import Users, UsersError, read_users

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from ackproof.impl.oracle.control import Control

__all__ = ["run"]

_WRONG_INPUT = 2
#: Objects that come into being before it is looked for cycles.
_NEW_OBJECTS = 50_000


def run(asked: Asked) -> None:
    """Serve as it was asked for, until the process is told to stop.

    Raises:
        SystemExit: what was asked for cannot be; standard error says why.
    """
    level = logging.DEBUG if asked.verbose else logging.INFO
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("ackproof").setLevel(level)
    _refuse_contradictions(asked)
    if asked.data is not None or asked.in_memory:
        asyncio.run(_serve(asked, _options(asked, asked.data)))
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="ackproof-") as directory:
        asyncio.run(_serve(asked, _options(asked, Path(directory))))


def _refuse_contradictions(asked: Asked) -> None:
    if asked.in_memory and asked.data is not None:
        raise _refused("--in-memory keeps nothing in --data; choose one of the two")
    if (asked.tls_cert is None) != (asked.tls_key is None):
        raise _refused("TLS needs both --tls-cert and --tls-key")
    if asked.memory_limit <= asked.max_message_size:
        raise _refused(
            f"--memory-limit is {asked.memory_limit}, and --max-message-size "
            f"{asked.max_message_size}: one message could fill the memory, and would then wait "
            "for itself; give a larger limit, or a smaller size"
        )


def _options(asked: Asked, directory: Path | None) -> Options:
    """Return what the node is to be; it keeps what happens for those who can ask for it."""
    return Options(
        directory,
        host=asked.host,
        port=asked.port,
        seed=asked.seed,
        interval=asked.sync_interval / 1000,
        recording=asked.verbose or asked.control is not None,
        lockstep=asked.lockstep,
        tls=_tls(asked.tls_cert, asked.tls_key),
        users=_users(asked.users),
        limits=Limits(
            connections=asked.max_connections,
            channels=asked.max_channels,
            queues=asked.max_queues,
            body_size=asked.max_message_size,
            memory=asked.memory_limit,
        ),
        immediate=asked.immediate,
        replicas=asked.replicas,
    )


async def _serve(asked: Asked, options: Options) -> None:
    try:
        node = Node(options)
    except DiskError as error:
        raise _refused(str(error)) from None
    try:
        await _run(node, asked)
    finally:
        node.close()
    print("stopped", file=sys.stderr)


async def _run(node: Node, asked: Asked) -> None:
    stop = _stop_signal()
    _spare_the_collector()
    try:
        bound = await node.start()
    except OSError as error:
        raise _refused(f"cannot listen on {asked.host}:{asked.port}: {_reason(error)}") from None
    control = said = None
    try:
        if asked.control is not None:
            control, said = await _start_control(node, asked.control, stop.set)
        where = "data is not kept" if asked.data is None else f"data in {asked.data}"
        print(f"ackproof broker ready on {asked.host}:{bound}, {where}", flush=True)
        if said is not None:
            print(said, flush=True)
        await stop.wait()
    finally:
        if control is not None:
            await control.stop()
        await node.stop()


async def _start_control(node: Node, port: int, stop: Callable[[], None]) -> tuple[Control, str]:
    """Serve the control API; return it, and the line that says so."""
    from ackproof.impl.oracle.control import Control

    control = Control(node, stop)
    try:
        bound = await control.start(_LOOPBACK, port)
    except OSError as error:
        raise _refused(f"cannot listen on {_LOOPBACK}:{port}: {_reason(error)}") from None
    return control, f"ackproof control ready on http://{_LOOPBACK}:{bound}"


_LOOPBACK = "127.0.0.1"


def _tls(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    if certificate is None or key is None:
        return None
    from ackproof.impl.tls import TlsError, load_tls

    try:
        return load_tls(certificate, key)
    except TlsError as error:
        raise _refused(str(error)) from None


def _users(file: Path | None) -> Users:
    try:
        return Users() if file is None else read_users(file)
    except UsersError as error:
        raise _refused(str(error)) from None


def _spare_the_collector() -> None:
    """Let Python look for cycles less often: what comes with a message leaves none."""
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
    gc.enable()


def _reason(error: OSError) -> str:
    """Return the system's words for an error; asyncio puts its own around them."""
    if error.errno and error.errno > 0:
        return os.strerror(error.errno)
    return error.strerror or str(error)


def _stop_signal() -> asyncio.Event:
    """Return an event that is set when the process is told to stop."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


def _refused(message: str) -> SystemExit:
    print(f"ackproof serve: {message}", file=sys.stderr)
    return SystemExit(_WRONG_INPUT)
