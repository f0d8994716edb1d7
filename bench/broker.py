"""The reference broker beside RabbitMQ, in one run, with the same client.

*Publishing*: confirmed messages per second, 1 KiB, a durable queue, for a window of so many
unconfirmed.  *Consuming*: messages that are there already, acknowledged one by one, or every 50 at
once.  *Starting*: seconds from the start of the process until a connection is open, both compiled
beforehand, as they are where they are installed.  *Memory*: resident, with nothing in it, and at
its peak after all that.

The two take turns, so what else the machine does hits both.

    python bench/broker.py
    python bench/broker.py --quick
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pamqp import commands

if __name__ == "__main__":  # run as a script, with its own directory as the first to import from
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench.process import Failed, Missing
from bench.rabbitmq.node import Node
from bench.rabbitmq.site import site, version
from bench.raw import RawClient

_PUBLISHING = {
    "persistent, window 1": (True, 1, 2_000),
    "persistent, window 100": (True, 100, 50_000),
    "persistent, window 1,000": (True, 1_000, 100_000),
    "transient, window 1,000": (False, 1_000, 100_000),
}
_CONSUMING = {"each acknowledged": 1, "every 50 acknowledged": 50}
_TO_CONSUME = 50_000


@dataclass(frozen=True)
class Running:
    """A broker process: where it listens, how long it took to start, and its process."""

    name: str
    port: int
    started: float
    pid: int

    def mib(self, field: str) -> float:
        """Return a figure of the process's memory, in MiB: `VmRSS` now, `VmHWM` at the peak."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
        raise Failed(f"the kernel does not say {field} of process {self.pid}")


@contextmanager
def ours() -> Iterator[Running]:
    """Run the reference broker, the second time: the first one compiles its modules."""
    with tempfile.TemporaryDirectory() as compiled:
        with _started(compiled):
            pass
        with _started(compiled) as running:
            yield running


@contextmanager
def _started(compiled: str) -> Iterator[Running]:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "ackproof.cli", "serve", "--port", "0", "--data", folder]
        began = time.perf_counter()
        process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert process.stdout is not None
            ready = process.stdout.readline()
            if not ready:
                raise Failed("the reference broker does not start; see `ackproof serve`")
            port = int(ready.split(",")[0].rsplit(":", 1)[1])
            RawClient(port).__exit__(None, None, None)
            yield Running("ackproof", port, time.perf_counter() - began, process.pid)
        finally:
            process.terminate()
            process.wait()


@contextmanager
def theirs() -> Iterator[Running]:
    """Run RabbitMQ."""
    with site() as here, here.names(), Node(here, "bench") as node:
        began = time.perf_counter()
        node.start()
        _until_open(node.port)
        yield Running("RabbitMQ", node.port, time.perf_counter() - began, node.pid)


def _until_open(port: int) -> None:
    """Wait until a connection can be opened."""
    give_up = time.monotonic() + 120
    while True:
        try:
            with RawClient(port):
                return
        except (OSError, Failed):
            if time.monotonic() > give_up:
                raise
            time.sleep(0.01)


def measure(brokers: list[Running], once: Callable[[Running], float], runs: int) -> list[float]:
    """Return the median of each broker, which take turns."""
    rates: list[list[float]] = [[] for _ in brokers]
    for _ in range(runs):
        for found, broker in zip(rates, brokers, strict=True):
            found.append(once(broker))
    return [statistics.median(found) for found in rates]


def publishing(broker: Running, persistent: bool, window: int, messages: int) -> float:
    """Return confirmed messages per second, to an empty queue."""
    with RawClient(broker.port) as client:
        client.declare("publish")
        client.call("Confirm.SelectOk", commands.Confirm.Select())
        rate = client.publish("publish", messages, window, persistent=persistent)
        client.call("Queue.DeleteOk", commands.Queue.Delete(queue="publish"))
    return rate


def consuming(broker: Running, every: int, messages: int) -> float:
    """Return messages per second, from a queue that has them all."""
    with RawClient(broker.port) as client:
        client.declare("consume")
        client.call("Confirm.SelectOk", commands.Confirm.Select())
        client.publish("consume", messages, 1_000, persistent=True)
    with RawClient(broker.port) as client:
        return client.consume("consume", messages, 1_000, every)


def row(name: str, ours: float, theirs: float, form: str) -> None:
    """Print a line of the table."""
    print(f"{name:<34}{ours:>12{form}}{theirs:>18{form}}{ours / theirs:>9.2f}")


def main() -> int:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description="the reference broker beside RabbitMQ")
    parser.add_argument("--quick", action="store_true", help="a tenth of the messages, once each")
    quick = parser.parse_args().quick
    scale, runs = (10, 1) if quick else (1, 3)
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors")
    try:
        with ExitStack() as stack:
            theirs_running = stack.enter_context(theirs())
            brokers = [stack.enter_context(ours()), theirs_running]
            print(f"{'':<34}{'ackproof':>12}{'RabbitMQ ' + version():>18}{'ratio':>9}")
            row("seconds to start", *(b.started for b in brokers), ".2f")
            row("MiB at rest", *(b.mib("VmRSS") for b in brokers), ",.0f")
            for name, (persistent, window, messages) in _PUBLISHING.items():
                once = partial(
                    publishing, persistent=persistent, window=window, messages=messages // scale
                )
                row(f"confirmed/s, {name}", *measure(brokers, once, runs), ",.0f")
            for name, every in _CONSUMING.items():
                once = partial(consuming, every=every, messages=_TO_CONSUME // scale)
                row(f"consumed/s, {name}", *measure(brokers, once, runs), ",.0f")
            row("MiB at the peak", *(b.mib("VmHWM") for b in brokers), ",.0f")
    except (Failed, Missing) as error:
        print(f"bench/broker.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
