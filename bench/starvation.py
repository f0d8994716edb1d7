"""How long others wait while one client makes the broker work hard, here and at RabbitMQ.

One client publishes small messages, without waiting, to an exchange that sends each of them to
very many queues.  Meanwhile another one opens a connection, closes it, and begins again; what is
shown is the longest time that this took, beside what it takes when nobody else is there.

    python bench/starvation.py
    python bench/starvation.py --quick
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

from pamqp import commands

if __name__ == "__main__":  # run as a script, with its own directory as the first to import from
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench.broker import ours, theirs
from bench.process import Missing
from bench.raw import RawClient

__all__ = ["Waits", "waits"]

_EXCHANGE = "starvation"
#: Seconds in which the other client is alone.
_ALONE = 1.0


class Waits(NamedTuple):
    """Seconds: until all was confirmed; the longest wait of another client meanwhile, and alone."""

    whole: float
    longest: float
    alone: float


class _Other:
    """A client that opens connections, one after another, in a thread."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._over = False
        self._longest = 0.0
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._over:
            began = time.monotonic()
            with RawClient(self._port):
                self._longest = max(self._longest, time.monotonic() - began)

    def longest(self) -> float:
        """Return the longest wait since this was asked last."""
        longest, self._longest = self._longest, 0.0
        return longest

    def stop(self) -> float:
        """Stop when the connection that is being opened is open; return the longest wait."""
        self._over = True
        self._thread.join()
        return self._longest


def waits(port: int, *, messages: int, queues: int, persistent: bool) -> Waits:
    """Publish to a fanout, and see how long somebody else waits.

    Args:
        port: of a broker on the loopback interface.
        messages: how many are published, without waiting.
        queues: how many get each of them.
        persistent: whether they are, in durable queues.
    """
    with RawClient(port, size=10) as client:
        declare = commands.Exchange.Declare(exchange=_EXCHANGE, exchange_type="fanout")
        client.call("Exchange.DeclareOk", declare)
        for number in range(queues):
            queue = f"{_EXCHANGE}-{number}"
            client.declare(queue, durable=persistent)
            bind = commands.Queue.Bind(queue=queue, exchange=_EXCHANGE)
            client.call("Queue.BindOk", bind)
        client.call("Confirm.SelectOk", commands.Confirm.Select())
        other = _Other(port)
        time.sleep(_ALONE)
        alone = other.longest()
        began = time.monotonic()
        client.publish("", messages, messages, persistent=persistent, exchange=_EXCHANGE)
        whole = time.monotonic() - began
        longest = other.stop()
        for number in range(queues):
            delete = commands.Queue.Delete(queue=f"{_EXCHANGE}-{number}")
            client.call("Queue.DeleteOk", delete)
        client.call("Exchange.DeleteOk", commands.Exchange.Delete(exchange=_EXCHANGE))
    return Waits(whole, longest, alone)


def main() -> int:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description="how long others wait while a fanout runs")
    parser.add_argument("--quick", action="store_true", help="a tenth of the messages")
    messages = 200 if parser.parse_args().quick else 2_000
    queues = 500
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors")
    print(f"{messages:,} messages of 10 bytes to a fanout of {queues} queues; seconds\n")
    print(f"{'':<12}{'':<12}{'whole':>8}{'longest wait':>16}{'alone':>8}")
    for start in (ours, theirs):
        try:
            with start() as broker:
                for persistent in (False, True):
                    kind = "persistent" if persistent else "transient"
                    found = waits(
                        broker.port, messages=messages, queues=queues, persistent=persistent
                    )
                    print(
                        f"{broker.name:<12}{kind:<12}{found.whole:>8.2f}"
                        f"{found.longest:>16.3f}{found.alone:>8.3f}",
                        flush=True,
                    )
        except Missing as problem:
            print(f"not compared: {problem}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
