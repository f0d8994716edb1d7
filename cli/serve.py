"""`ackproof serve`: the reference broker on a port, until it is told to stop.

The line that says it is ready comes when clients can connect, on standard output, with the port in
it, and after it one for the control API if there is one; everything else goes to standard error.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from ackproof.impl.node import Node
    from ackproof.impl.oracle.control import Control

__all__ = ["serve"]

_WRONG_INPUT = 2
#: Objects that come into being before it is looked for cycles.
_NEW_OBJECTS = 50_000
#: Entries of the history that are kept for the control API.
_REMEMBERED = 100_000


@dataclass(frozen=True)
class _Options:
    """What was asked for."""

    host: str
    port: int
    directory: Path | None
    kept: bool
    interval: float
    seed: int | None
    control: int | None
    recording: bool
    lockstep: bool
    immediate: bool
    replicas: int
    tls: ssl.SSLContext | None


def serve(
    port: Annotated[
        int, typer.Option(help="TCP port; 0 lets the system choose one.", min=0, max=65535)
    ] = 5672,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    data: Annotated[
        Path | None,
        typer.Option(
            help="Directory for durable queues and persistent messages; "
            "without it, a temporary one that is removed at the end.",
        ),
    ] = None,
    in_memory: Annotated[
        bool,
        typer.Option("--in-memory", help="Keep everything in memory; nothing waits for a disk."),
    ] = False,
    sync_interval: Annotated[
        float, typer.Option(help="Milliseconds between commits under load.", min=0.0)
    ] = 25.0,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Take steps in any order that the specification allows, drawn by this number."
        ),
    ] = None,
    replicas: Annotated[
        int,
        typer.Option(
            help="Processes of each durable queue, a master and mirrors, each with its own store.",
            min=1,
            max=9,
        ),
    ] = 1,
    control: Annotated[
        int | None,
        typer.Option(
            help="Port for the control API, on the loopback address; 0 lets the system choose.",
            min=0,
            max=65535,
        ),
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(help="Speak TLS with this certificate, a PEM file.")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(help="The private key to that certificate, a PEM file.")
    ] = None,
    lockstep: Annotated[
        bool,
        typer.Option(
            "--lockstep",
            help="Take each step by the specification's own system as well, and complain where "
            "they differ; slow.",
        ),
    ] = False,
    immediate: Annotated[
        bool,
        typer.Option(
            "--immediate",
            help="Take messages that are published as immediate, as brokers before RabbitMQ 3.0 "
            "did: what no consumer can take at once is returned.",
        ),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Log everything that happens, a line for each.")
    ] = False,
) -> None:
    """Run the reference broker: AMQP 0-9-1 with confirms decided by the specification.

    Log in as guest with password guest, on virtual host /. Ctrl-C stops it. What it does not
    implement is answered 540 NOT_IMPLEMENTED.

    Example: ackproof serve --port 5672 --data ./broker-data
    """
    level = logging.DEBUG if verbose else logging.INFO
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("ackproof").setLevel(level)
    if lockstep and replicas > 1:
        raise _refused("--lockstep compares queues without mirrors; choose it or --replicas")
    if in_memory and data is not None:
        raise _refused("--in-memory keeps nothing in --data; choose one of the two")
    with ExitStack() as stack:
        directory = data
        if data is None and not in_memory:
            temporary = tempfile.TemporaryDirectory(prefix="ackproof-")
            directory = Path(stack.enter_context(temporary))
        options = _Options(
            host,
            port,
            directory,
            data is not None,
            sync_interval / 1000,
            seed,
            control,
            verbose or control is not None,
            lockstep,
            immediate,
            replicas,
            _tls(tls_cert, tls_key),
        )
        asyncio.run(_serve(options))


async def _serve(options: _Options) -> None:
    from ackproof.impl.node import Node
    from ackproof.impl.oracle.history import History
    from ackproof.impl.storage.disk import DiskError

    history = History(recording=options.recording, limit=_REMEMBERED)
    try:
        node = Node(
            options.directory,
            host=options.host,
            port=options.port,
            seed=options.seed,
            interval=options.interval,
            history=history,
            lockstep=options.lockstep,
            immediate=options.immediate,
            tls=options.tls,
            replicas=options.replicas,
        )
    except DiskError as error:
        raise _refused(str(error)) from None
    try:
        await _run(node, options)
    finally:
        node.close()
    typer.echo("stopped", err=True)


async def _run(node: Node, options: _Options) -> None:
    stop = _stop_signal()
    _spare_the_collector()
    try:
        bound = await node.start()
    except OSError as error:
        raise _refused(
            f"cannot listen on {options.host}:{options.port}: {_reason(error)}"
        ) from None
    control = said = None
    try:
        if options.control is not None:
            control, said = await _start_control(node, options.control, stop.set)
        where = f"data in {options.directory}" if options.kept else "data is not kept"
        typer.echo(f"ackproof broker ready on {options.host}:{bound}, {where}")
        if said is not None:
            typer.echo(said)
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
    if certificate is None and key is None:
        return None
    from ackproof.impl.tls import TlsError, load_tls

    if certificate is None or key is None:
        raise _refused("TLS needs both --tls-cert and --tls-key")
    try:
        return load_tls(certificate, key)
    except TlsError as error:
        raise _refused(str(error)) from None


def _spare_the_collector() -> None:
    """Let Python look for cycles less often: what comes with a message leaves none."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


def _reason(error: OSError) -> str:
    """Return the system's words for an error; asyncio puts its own around them."""
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)


def _stop_signal() -> asyncio.Event:
    """Return an event that is set when the process is told to stop."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


def _refused(message: str) -> typer.Exit:
    typer.echo(f"ackproof serve: {message}", err=True)
    return typer.Exit(_WRONG_INPUT)


if __name__ == "__main__":
    typer.run(serve)
