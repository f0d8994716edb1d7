"""How fast the specification runs as plain Python, and the broker that it drives.

Two tables.

*Steps of the specification*: the machines of one channel and one queue, no sockets and no disk.  A
message is published, delivered, synced, settled and consumed; the confirms of a window are drained
and flushed together.  Counted are the actions of `ackproof.spec.system` that were taken, each of
which calls one to four handlers.  The same at 10^4, 10^5 and 10^6 messages, since no step may cost
more as more messages have gone through, nor may anything remain of them.

*Messages through a socket*: a broker process of its own, a client that has marshalled its frames
beforehand, a durable queue, persistent messages of 1 KiB.  A window is how many may be
unconfirmed.

    python bench/native.py
    python bench/native.py --quick
"""

from __future__ import annotations

import argparse
import os
import platform
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from ackproof.spec.channel import Channel
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.network import Network
from ackproof.spec.sorts import Msg, Queue, Replica
from pamqp import base, body, commands, frame, header

QUEUE = cast(Replica, "q")
PER_MESSAGE = ("publish", "deliver", "sync", "confirm_arrives", "take", "acknowledge")
PER_WINDOW = ("drain", "flush")
GOAL = 200_000


def resident_mib() -> float:
    """Return the resident memory of this process, in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


# -- the specification alone ----------------------------------------------------------------------


class Machines:
    """One channel, one queue, and what is between them."""

    def __init__(self) -> None:
        self.channel = Channel()
        self.network = Network()
        self.queue = QueueProcess(of=cast(Queue, "q"))
        self.channel.select()
        self.last = 0

    def window(self, size: int) -> None:
        """Take `size` messages from the publisher to the consumer."""
        channel, network, queue = self.channel, self.network, self.queue
        messages = [cast(Msg, self.last + i) for i in range(1, size + 1)]
        self.last += size
        for msg in messages:
            network.cast(msg, QUEUE)
            channel.publish({QUEUE}, True)
            arriving = network.next_for(QUEUE)
            assert arriving is not None
            network.receive(arriving, QUEUE)
            queue.accept(arriving, True, True)
        for msg in messages:
            queue.store.sync(msg)
        queue.drain()
        for msg in queue.outbox:
            channel.settle(msg, QUEUE, {QUEUE})
        queue.posted()
        channel.flush()
        for msg in messages:
            queue.take(msg)
            queue.acknowledge(msg)

    def left_over(self) -> int:
        """Count what the machines still hold."""
        channel, queue = self.channel, self.queue
        waited = (channel.unconfirmed, channel.vouched, channel.confirmed)
        carried = (self.network.publishes, self.network.downs)
        stored = (queue.pending, queue.awaiting, queue.outbox, queue.seen, queue.store.level)
        return sum(len(part) for part in (*waited, *carried, queue.ready, *stored))


def native(messages: int, window: int) -> tuple[float, float, float, int]:
    """Return steps per second, memory before and after in MiB, and what is left over."""
    machines = Machines()
    before = resident_mib()
    start = time.perf_counter()
    for _ in range(messages // window):
        machines.window(window)
    seconds = time.perf_counter() - start
    steps = messages * len(PER_MESSAGE) + messages // window * len(PER_WINDOW)
    return steps / seconds, before, resident_mib(), machines.left_over()


def report_native(counts: list[int]) -> None:
    """Print the first table."""
    print(f"steps of the specification per second (goal {GOAL:,})")
    print(
        f"{'window':>7} {'messages':>10} {'steps/s':>9} {'MiB before':>10} {'after':>6} {'left':>5}"
    )
    for window in (1, 100, 1000):
        for messages in counts:
            rate, before, after, left = native(messages, window)
            print(
                f"{window:>7} {messages:>10,} {rate:>9,.0f} {before:>10.1f} {after:>6.1f} {left:>5}"
            )


# -- through a socket -----------------------------------------------------------------------------


@contextmanager
def broker() -> Iterator[int]:
    """Run a broker process; give its port."""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "ackproof.cli.serve", "--port", "0", "--data", directory]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert process.stdout is not None
        try:
            ready = process.stdout.readline()
            yield int(ready.split(",")[0].rsplit(":", 1)[1])
        finally:
            process.terminate()
            process.wait()


class Client:
    """A publisher that has its frames ready and reads nothing but confirms."""

    _ACK = struct.Struct(">BHIHHQB")

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""
        self._socket.sendall(b"AMQP\x00\x00\x09\x01")
        self._await()
        self._call(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US"))
        self._send(0, commands.Connection.TuneOk(2047, 131072, 0))
        self._call(0, commands.Connection.Open())
        self._call(1, commands.Channel.Open())
        self._call(1, commands.Queue.Declare(queue="bench", durable=True))
        self._call(1, commands.Confirm.Select())

    def _send(self, channel: int, method: base.Frame) -> None:
        self._socket.sendall(frame.marshal(method, channel))

    def _await(self) -> None:
        while not frame_complete(self._rest):
            self._rest += self._socket.recv(65536)
        self._rest = b""

    def _call(self, channel: int, method: base.Frame) -> None:
        self._send(channel, method)
        self._await()

    def publish(self, messages: int, window: int) -> float:
        """Publish with a window; return confirmed messages per second."""
        one = b"".join(
            frame.marshal(part, 1)
            for part in (
                commands.Basic.Publish(exchange="", routing_key="bench"),
                header.ContentHeader(0, 1024, commands.Basic.Properties(delivery_mode=2)),
                body.ContentBody(bytes(1024)),
            )
        )
        sent = acked = 0
        start = time.perf_counter()
        while acked < messages:
            more = min(window - (sent - acked), messages - sent)
            if more > 0:
                self._socket.sendall(one * more)
                sent += more
            acked = self._confirmed(acked)
        return messages / (time.perf_counter() - start)

    def _confirmed(self, acked: int) -> int:
        """Read some acks; return how many messages are acked in all (acks come in order)."""
        data = self._rest + self._socket.recv(65536)
        whole = len(data) - len(data) % (self._ACK.size + 1)
        for at in range(0, whole, self._ACK.size + 1):
            _, _, _, class_id, method_id, tag, _ = self._ACK.unpack_from(data, at)
            assert (class_id, method_id) == (60, 80), "the broker sent something other than an ack"
            acked = tag
        self._rest = data[whole:]
        return acked

    def close(self) -> None:
        """Break the connection."""
        self._socket.close()


def frame_complete(data: bytes) -> bool:
    """Tell whether data holds a whole frame."""
    return len(data) >= 7 and len(data) >= 8 + int.from_bytes(data[3:7], "big")


def report_sockets(messages: dict[int, int], repeats: int) -> None:
    """Print the second table."""
    print("confirmed messages per second through a socket (1 KiB, persistent, one publisher)")
    print(f"{'window':>7} {'messages':>10} {'median':>8} {'lowest':>8} {'highest':>8}")
    for window, count in messages.items():
        rates = []
        for _ in range(repeats):
            with broker() as port:
                client = Client(port)
                rates.append(client.publish(count, window))
                client.close()
        middle = statistics.median(rates)
        print(f"{window:>7} {count:>10,} {middle:>8,.0f} {min(rates):>8,.0f} {max(rates):>8,.0f}")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="native speed of the specification and the broker")
    parser.add_argument("--quick", action="store_true", help="a tenth of the messages, once each")
    quick = parser.parse_args().quick
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors")
    report_native([10**4, 10**5] if quick else [10**4, 10**5, 10**6])
    scale = 10 if quick else 1
    report_sockets(
        {1: 5_000 // scale, 100: 100_000 // scale, 1000: 200_000 // scale}, 1 if quick else 3
    )


if __name__ == "__main__":
    main()
