"""A recording proxy in a thread, for tests whose clients wait for their answers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ackproof.conform.judgement import Judgement
from ackproof.conform.proxy import Proxy
from ackproof.conform.recording import writer

KEY = b"a key of tests"
_PATIENCE = 30


class Recorded:
    """What a proxy has recorded, once it has ended.

    Attributes:
        port: where it listens.
        said: what it has told.
        judgement: what it has found.
    """

    def __init__(self) -> None:
        self.port = 0
        self.said: list[str] = []
        self.judgement = Judgement()


@contextmanager
def proxied(upstream: int, file: Path) -> Iterator[Recorded]:
    """Record what passes between clients and a local port, into a file."""
    recorded = Recorded()
    sink = writer(file)
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def run() -> None:
        proxy = Proxy(("127.0.0.1", upstream), sink, KEY, recorded.judgement, recorded.said.append)
        recorded.port = await proxy.start("127.0.0.1", 0)
        ready.set()
        await over.wait()
        await proxy.close()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    try:
        assert ready.wait(_PATIENCE)
        yield recorded
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(_PATIENCE)
        loop.close()
        sink.close()
