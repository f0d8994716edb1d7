"""A tap: a relay that keeps what both sides of each connection say, in the order it has seen it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ackproof.conform.decoding import ConnectionDecoder
from ackproof.conform.events import Event

__all__ = ["KEY", "Dialogue", "events_of", "tapped"]

KEY = b"a key of tests"
CLIENT, BROKER = 0, 1
_PATIENCE = 30

#: What was said on one connection: by whom, and the bytes, in pieces as they were read.
Dialogue = list[tuple[int, bytes]]


class Tap:
    """Where to connect to, and what was said."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.dialogues: list[Dialogue] = []


@contextmanager
def tapped(upstream: int) -> Iterator[Tap]:
    """Relay connections to a local port."""
    threads: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        tap = Tap(server.getsockname()[1])

        def accept() -> None:
            with suppress(OSError):
                while True:
                    client, _ = server.accept()
                    broker = socket.create_connection(("127.0.0.1", upstream))
                    dialogue: Dialogue = []
                    tap.dialogues.append(dialogue)
                    for side, ends in ((CLIENT, (client, broker)), (BROKER, (broker, client))):
                        threads.append(
                            threading.Thread(target=_pass_on, args=(side, *ends, dialogue))
                        )
                        threads[-1].start()

        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield tap
        finally:
            server.shutdown(socket.SHUT_RDWR)
            accepting.join(_PATIENCE)
            for thread in threads:
                thread.join(_PATIENCE)


def _pass_on(side: int, source: socket.socket, target: socket.socket, dialogue: Dialogue) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            dialogue.append((side, data))
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def events_of(dialogue: Dialogue, name: str = "c") -> list[Event]:
    """The events that a proxy makes of it."""
    decoder = ConnectionDecoder(name, KEY)
    decode = (decoder.from_client, decoder.from_broker)
    return [event for side, data in dialogue for event in decode[side](data)]
