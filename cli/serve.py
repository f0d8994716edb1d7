"""`ackproof serve`: the reference broker on a port, until it is told to stop.

The line that says it is ready comes when clients can connect, on standard output, with the port in
it; everything else goes to standard error.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["serve"]

_WRONG_INPUT = 2


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
    sync_interval: Annotated[
        float, typer.Option(help="Milliseconds between commits under load.", min=0.0)
    ] = 25.0,
) -> None:
    """Run the reference broker: AMQP 0-9-1 with confirms decided by the specification.

    Log in as guest with password guest, on virtual host /. Ctrl-C stops it.

    It takes the publishing side only: the default exchange, queue.declare, queue.delete,
    queue.purge, and confirms. There is no consuming yet; anything else is answered 540
    NOT_IMPLEMENTED.

    Example: ackproof serve --port 5672 --data ./broker-data
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    with ExitStack() as stack:
        if data is None:
            temporary = tempfile.TemporaryDirectory(prefix="ackproof-")
            directory = Path(stack.enter_context(temporary))
        else:
            directory = data
        asyncio.run(_serve(host, port, directory, sync_interval / 1000, kept=data is not None))


async def _serve(host: str, port: int, directory: Path, interval: float, *, kept: bool) -> None:
    from ackproof.impl.broker import Broker
    from ackproof.impl.disk import Disk, DiskError
    from ackproof.impl.server import Server

    try:
        disk = Disk(directory)
    except DiskError as error:
        raise _refused(str(error)) from None
    try:
        broker = Broker(stored=disk.recover())
        server = Server(broker, disk, interval=interval)
        stop = _stop_signal()
        try:
            bound = await server.start(host, port)
        except OSError as error:
            raise _refused(f"cannot listen on {host}:{port}: {_reason(error)}") from None
        where = f"data in {directory}" if kept else "data is not kept"
        typer.echo(f"ackproof broker ready on {host}:{bound}, {where}")
        await stop.wait()
        await server.stop()
    finally:
        disk.close()
    typer.echo("stopped", err=True)


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
