"""A recording proxy: between clients and a broker, it passes all bytes on and notes what they say.

Bytes are noted before they are passed on.  So what a client says is noted before the broker can
answer it, and what the broker says before the client can, which is all that a judge asks for.  They
are passed on as they came, whether they are understood or not.

Passing on waits for the receiver: whoever does not read is not read from either.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from ackproof.conform.decoding import ConnectionDecoder
from ackproof.conform.events import Event
from ackproof.conform.judgement import Judgement
from ackproof.conform.recording import Sink
from ackproof.conform.violations import Violation

__all__ = ["Proxy", "told"]

_CHUNK = 1 << 16
#: Seconds between two times at which the file is brought up to date.
_FLUSH = 1.0
#: Seconds that one side may still speak after the other has ended.
_LINGER = 2.0

_Decode = Callable[[bytes, float], list[Event]]


class Proxy:
    """Listens, connects, passes on, and records.

    Args:
        upstream: host and port of the broker.
        sink: where events go.
        key: key of the digests.
        judgement: judges what is recorded, if it is given.
        tell: is told of each violation, and of what is not understood.

    Attributes:
        connections: how many there were.
        events: how many events were recorded.
    """

    def __init__(
        self,
        upstream: tuple[str, int],
        sink: Sink,
        key: bytes,
        judgement: Judgement | None = None,
        tell: Callable[[str], None] = print,
    ) -> None:
        self.connections = self.events = 0
        self._upstream = upstream
        self._sink = sink
        self._key = key
        self._judgement = judgement
        self._tell = tell
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._flushing: asyncio.Task[None] | None = None

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port.

        Raises:
            OSError: the address cannot be listened on.
        """
        self._server = await asyncio.start_server(self._accept, host, port)
        self._flushing = asyncio.create_task(self._flush())
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    async def close(self) -> None:
        """End all connections; what was recorded is in the file."""
        tasks = [task for task in (*self._tasks, self._flushing) if task is not None]
        if self._server is not None:
            self._server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._sink.flush()

    async def _flush(self) -> None:
        while True:
            await asyncio.sleep(_FLUSH)
            self._sink.flush()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with contextlib.suppress(asyncio.CancelledError):
            await self._serve(reader, writer)
        self._tasks.discard(task)
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        decoder = ConnectionDecoder(f"c{self.connections}", self._key)
        try:
            broker, to_broker = await asyncio.open_connection(*self._upstream)
        except OSError as error:
            host, port = self._upstream
            self._tell(f"{decoder.name}: no connection to {host}:{port}: {error.strerror or error}")
            return
        try:
            ways = (
                asyncio.create_task(self._pass_on(reader, to_broker, decoder, decoder.from_client)),
                asyncio.create_task(self._pass_on(broker, writer, decoder, decoder.from_broker)),
            )
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                await asyncio.wait(ways, timeout=_LINGER)
            finally:
                for way in ways:
                    way.cancel()
                for end in await asyncio.gather(*ways, return_exceptions=True):
                    if isinstance(end, Exception):
                        self._tell(f"{decoder.name}: ended, since nothing can be recorded: {end}")
        finally:
            to_broker.close()
            if self._judgement is not None:
                self._judgement.forget(decoder.name)

    async def _pass_on(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        decoder: ConnectionDecoder,
        decode: _Decode,
    ) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await source.read(_CHUNK):
                self._note(decoder, decode(data, time.time()))
                target.write(data)
                await target.drain()
            if target.can_write_eof():
                target.write_eof()

    def _note(self, decoder: ConnectionDecoder, events: list[Event]) -> None:
        for event in events:
            self._sink.write(event)
            self.events += 1
            violation = None if self._judgement is None else self._judgement.take(event)
            if violation is not None:
                self._tell(told(violation))
        if decoder.problem is not None and not decoder.told:
            decoder.told = True
            self._tell(f"{decoder.name}: not understood from here on: {decoder.problem}")


def told(violation: Violation) -> str:
    """Return a violation, with the channel that it is on."""
    event = violation.event
    return f"{event.connection}, channel {event.channel}: {violation}"
