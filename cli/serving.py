"""What `ackproof serve` does: a broker on a port, until it is told to stop.

The line that says it is ready comes when clients can connect, on standard output, with the port in
it, and after it one for the control API if there is one; everything else goes to standard error.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import resource
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ackproof.cli.inputs import InputError
from ackproof.cli.listening import reason, stop_signal
from ackproof.impl.access.users_file import UsersError, read_users
from ackproof.impl.node import Node, known_faults
from ackproof.impl.options import Options
from ackproof.impl.storage.disk import DiskError

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from ackproof.impl.access.directory import User
    from ackproof.impl.control.control_api import ControlApi
    from ackproof.impl.scenario.scenario import Scenario

__all__ = ["Listening", "Logging", "definitions_of", "run", "scenario_of", "tls_of", "users_of"]

_LOG = logging.getLogger(__name__)

#: Objects that come into being before it is looked for cycles.
_NEW_OBJECTS = 50_000


class Listening(NamedTuple):
    """Where the control API listens, and the token that it asks for, if it does."""

    host: str
    port: int
    token: str | None = None


class Logging(Enum):
    """How much is logged: what is wrong, who comes and goes as well, or everything."""

    QUIET = logging.WARNING
    USUAL = logging.INFO
    VERBOSE = logging.DEBUG


def run(
    options: Options,
    *,
    in_memory: bool = False,
    control: Listening | None = None,
    log: Logging = Logging.USUAL,
    stop_at_eof: bool = False,
) -> None:
    """Serve until the process is told to stop.

    Args:
        options: what the broker is to be; without a directory it gets a temporary one.
        in_memory: it gets none at all.
        control: where the control API listens, if there is to be one.
        log: how much is logged.
        stop_at_eof: stop when standard input ends, too.

    Raises:
        InputError: that cannot be.
    """
    others = max(log.value, logging.INFO)
    logging.basicConfig(level=others, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("ackproof").setLevel(log.value)
    _allow_files()
    if in_memory or options.directory is not None:
        where = "data is not kept" if in_memory else f"data in {options.directory}"
        asyncio.run(_serve(options, where, control, stop_at_eof))
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="ackproof-") as directory:
        kept_shortly = replace(options, directory=Path(directory))
        asyncio.run(_serve(kept_shortly, "data is not kept", control, stop_at_eof))


async def _serve(
    options: Options, where: str, control: Listening | None, stop_at_eof: bool
) -> None:
    try:
        node = Node(options)
    except (DiskError, ValueError) as error:
        raise InputError(str(error)) from None
    except OSError as error:
        raise InputError(
            f"cannot write the scenario {error.filename}: {error.strerror}; name another file"
        ) from None
    try:
        await _run(node, where, control, stop_at_eof)
    finally:
        node.close()
    if _LOG.isEnabledFor(logging.INFO):
        print("stopped", file=sys.stderr)


async def _run(node: Node, where: str, listening: Listening | None, stop_at_eof: bool) -> None:
    stop = stop_signal()
    if stop_at_eof:
        threading.Thread(
            target=_await_end_of_input, args=(asyncio.get_running_loop(), stop), daemon=True
        ).start()
    _spare_the_collector()
    host, port = node.options.host, node.options.port
    try:
        bound = await node.start()
    except OSError as error:
        raise InputError(f"cannot listen on {host}:{port}: {reason(error)}") from None
    control = said = None
    try:
        if listening is not None:
            control, said = await _start_control(node, listening, stop.set)
        print(f"ackproof broker ready on {host}:{bound}, {where}", flush=True)
        if said is not None:
            print(said, flush=True)
        if node.options.version is not None:
            _LOG.info("Server startup complete")  # what is waited for where RabbitMQ is expected
        await stop.wait()
    finally:
        if control is not None:
            await control.stop()
        await node.stop()


def _await_end_of_input(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """Stop when standard input has ended, whatever it is; what it says does not matter."""
    with suppress(OSError):  # there is none
        while os.read(0, 65536):
            pass
    with suppress(RuntimeError):  # it has stopped already
        loop.call_soon_threadsafe(stop.set)


async def _start_control(
    node: Node, where: Listening, stop: Callable[[], None]
) -> tuple[ControlApi, str]:
    """Serve the control API; return it, and the line that says so."""
    from ackproof.impl.control.control_api import ControlApi

    control = ControlApi(node, stop, where.token)
    try:
        bound = await control.start(where.host, where.port)
    except OSError as error:
        raise InputError(f"cannot listen on {where.host}:{where.port}: {reason(error)}") from None
    shown = f"[{where.host}]" if ":" in where.host else where.host
    return control, f"ackproof control ready on http://{shown}:{bound}"


def tls_of(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return what speaks TLS with these files.

    Raises:
        InputError: they cannot be used.
    """
    from ackproof.impl.server.tls_context import TlsError, load_tls

    try:
        return load_tls(certificate, key)
    except TlsError as error:
        raise InputError(str(error)) from None


def definitions_of(file: Path | None) -> dict[str, Any] | None:
    """Return the definitions of a file; None if there is no file.

    Raises:
        InputError: the file cannot be used.
    """
    if file is None:
        return None
    from ackproof.impl.administration.definitions import DefinitionsError, read_definitions
    from ackproof.impl.wire.json_text import parse_json

    try:
        document = parse_json(file.read_bytes())
        read_definitions(document)
    except OSError as error:
        raise InputError(f"cannot read the definitions of {file}: {error.strerror}") from None
    except DefinitionsError as error:
        raise InputError(f"{file}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is not JSON: {error}; give what RabbitMQ exports") from None
    return cast("dict[str, Any]", document)


def scenario_of(file: Path | None) -> Scenario | None:
    """Return the scenario of a file; None if there is no file.

    Raises:
        InputError: the file has none.
    """
    if file is None:
        return None
    from ackproof.impl.scenario.scenario import ScenarioError, read_scenario

    try:
        return read_scenario(file, known_faults())
    except ScenarioError as error:
        raise InputError(str(error)) from None


def users_of(file: Path | None) -> tuple[User, ...] | None:
    """Return who may log in; None if there is no file.

    Raises:
        InputError: the file cannot be used.
    """
    try:
        return None if file is None else read_users(file)
    except UsersError as error:
        raise InputError(str(error)) from None


def _allow_files() -> None:
    """Take as many open files as the system lets us have: each client is one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # a system may have a lower bound of its own
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _spare_the_collector() -> None:
    """Let Python look for cycles less often: what comes with a message leaves none."""
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
    gc.enable()
