"""A node in another thread, with its control API."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from ackproof.impl.control.control_api import ControlApi
from ackproof.impl.node import Node
from ackproof.impl.options import Options

__all__ = ["Remote", "remote"]


class Remote:
    """A node in another thread, and its control API."""

    def __init__(self, ports: Future[tuple[int, int]]) -> None:
        self.port, self.control = ports.result()
        self.stopped = threading.Event()

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """Send a request; return the status and the object that it is answered with."""
        connection = http.client.HTTPConnection("127.0.0.1", self.control, timeout=30)
        text = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, text, headers)
        answer = connection.getresponse()
        assert answer.headers["Content-Type"] == "application/json"
        told = json.loads(answer.read())
        connection.close()
        return answer.status, told

    def fault(self, name: str, /, **arguments: Any) -> Any:
        """Ask for a fault that must be accepted."""
        assert self.ask("POST", f"/faults/{name}", arguments) == (200, {"fault": name})

    def raw(self, data: bytes) -> bytes:
        """Send bytes; return all that comes."""
        with socket.create_connection(("127.0.0.1", self.control), timeout=30) as client:
            client.sendall(data)
            return b"".join(iter(lambda: client.recv(65536), b""))


@contextmanager
def remote(seed: int | None = None) -> Iterator[Remote]:
    """Run a node with a control API."""
    ports: Future[tuple[int, int]] = Future()
    stopping: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        stop = asyncio.Event()
        stopping.set_result((asyncio.get_running_loop(), stop))
        node = Node(Options(seed=seed))
        api = ControlApi(node, stop.set)
        try:
            ports.set_result((await node.start(), await api.start("127.0.0.1", 0)))
            await stop.wait()
            await api.stop()
            await node.stop()
        except BaseException as error:
            if not ports.done():
                ports.set_exception(error)
            raise
        finally:
            node.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        client = Remote(ports)
        yield client
    finally:
        loop, stop = stopping.result()
        if thread.is_alive() and not loop.is_closed():
            loop.call_soon_threadsafe(stop.set)
        thread.join(30)
        assert not thread.is_alive()
