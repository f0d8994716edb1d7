"""`ackproof record`: a proxy that records what passes between clients and a broker."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from ackproof.cli.inputs import InputError, clean_exit
from ackproof.cli.keys import KeyFile, key_of
from ackproof.cli.listening import address, reason, stop_signal

if TYPE_CHECKING:
    from ackproof.conform.proxy import Proxy
    from ackproof.conform.recording import Sink

__all__ = ["record"]

_HELP = """
Record what passes between clients and a broker.

Clients connect to the proxy as they would to the broker. All bytes are passed on as they come; the
methods among them are written to FILE, as JSON Lines, or as Parquet if its name ends like that.
Bodies are kept as size and keyed digest, and nothing of a login. Ctrl-C stops it.

`ackproof audit` judges the recording later. With `--judge`, each channel is judged while it is
recorded, and a violation is said at once.

Exit codes: 0 if it was told to stop, 1 if a violation was found by then, 2 if the input is wrong.

Examples:

    ackproof record --upstream 127.0.0.1:5672 traffic.jsonl

    ackproof record --listen 0.0.0.0:5673 --upstream broker:5672 --judge traffic.parquet
"""

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="Where to record; a new file.", show_default=False),
]
Listen = Annotated[
    str, typer.Option(metavar="HOST:PORT", help="Where clients connect to; port 0 is any port.")
]
Upstream = Annotated[str, typer.Option(metavar="HOST:PORT", help="The broker.")]
Judge = Annotated[bool, typer.Option("--judge", help="Judge each channel while it is recorded.")]


@clean_exit
def record(
    file: File,
    listen: Listen = "127.0.0.1:5673",
    upstream: Upstream = "127.0.0.1:5672",
    judge: Judge = False,
    key: KeyFile = None,
) -> int:
    """Record; the text of the help is in `_HELP`."""
    from ackproof.conform.capture.files import ENDINGS
    from ackproof.conform.events import Event, Kind
    from ackproof.conform.judgement import Judgement
    from ackproof.conform.keys import key_mark
    from ackproof.conform.proxy import Proxy
    from ackproof.conform.recording import writer
    from ackproof.conform.schema import RecordingError

    here, there = address("--listen", listen), address("--upstream", upstream)
    secret = key_of(key)
    if file.exists():
        raise InputError(f"{file} is there already; give the name of a new file, or remove it")
    if file.suffix in ENDINGS:
        raise InputError(f"{file} is named like a capture of packets; end it in .jsonl or .parquet")
    try:
        sink = writer(file, key_mark(secret))
    except RecordingError as error:
        raise InputError(str(error)) from None
    judgement = Judgement() if judge else None
    if judge:
        # What judges is compiled with the first event; no client is to wait for that.
        Judgement().take(Event(Kind.OPEN, number=1))
    proxy = Proxy(there, sink, secret, judgement, lambda text: print(text, flush=True))
    try:
        asyncio.run(_run(proxy, sink, here, there))
    except InputError:
        file.unlink()  # nothing was recorded, and the name is free for the next try
        raise
    print(f"recorded {proxy.events:,} events of {proxy.connections:,} connections in {file}")
    if judgement is None:
        return 0
    found = len(judgement.violations)
    print(f"{found} violations" if found else "no violation")
    return 1 if found else 0


record.__doc__ = _HELP


async def _run(proxy: Proxy, sink: Sink, here: tuple[str, int], there: tuple[str, int]) -> None:
    stop = stop_signal()
    try:
        try:
            port = await proxy.start(*here)
        except OSError as error:
            raise InputError(f"cannot listen on {here[0]}:{here[1]}: {reason(error)}") from None
        said = f"ackproof proxy ready on {here[0]}:{port}, to {there[0]}:{there[1]}"
        print(said, flush=True)
        await stop.wait()
        await proxy.close()
    finally:
        sink.close()
    print("stopped", file=sys.stderr)
