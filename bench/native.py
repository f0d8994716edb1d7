"""How fast the specification runs as plain Python.

The machines of one channel and one queue, no sockets and no disk.  A message is published,
delivered, synced, settled and consumed; the confirms of a window are drained and flushed together.
Counted are the actions of `ackproof.spec.system` that were taken, each of which calls one to four
handlers.  The same at 10^4, 10^5 and 10^6 messages, since no step may cost more as more messages
have gone through, nor may anything remain of them.

What the broker makes of it, `bench/broker.py` measures.

    python bench/native.py
    python bench/native.py --quick
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from pathlib import Path
from typing import cast

from ackproof.spec.channel import Channel
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.network import Network
from ackproof.spec.sorts import Msg, Queue, Replica

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
    """Print the table."""
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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="native speed of the specification")
    parser.add_argument(
        "--quick", action="store_true", help="without the largest number of messages"
    )
    quick = parser.parse_args().quick
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors")
    report_native([10**4, 10**5] if quick else [10**4, 10**5, 10**6])


if __name__ == "__main__":
    main()
