"""How fast the specification runs as plain Python.

The system of the specification, translated for a program with one channel and one queue: no
sockets and no disk.  What is called are its own actions.  A message is published, delivered,
synced, settled and consumed; the confirms of a window are drained, arrive and are flushed together.
The same at 10^4, 10^5 and 10^6 messages, since no step may cost more as more messages have gone
through, nor may anything remain of them.

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

from ackproof.impl.machines.queue_order import PlacedSet, QueueOrder
from ackproof.model.native.families import assemble
from ackproof.model.native.translate import translate
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.sorts import Born, ChannelId, Consumer, Msg, Node, Queue, Replica
from ackproof.spec.system import Confirms

CHANNEL = cast(ChannelId, 1)
QUEUE = cast(Queue, "q")
PROCESS = cast(Replica, "r")
PER_MESSAGE = ("publish", "deliver", "sync", "take", "acknowledge")
PER_WINDOW = ("drain", "confirm_arrives", "flush")
GOAL = 200_000


def resident_mib() -> float:
    """Return the resident memory of this process, in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


# -- the specification alone ----------------------------------------------------------------------


def translated() -> Confirms:
    """Return the system, without mirrors, credit, consumers by name, and partitions."""
    off = ("credit", "transactional", "tagged", "shared", "plain_publishes")
    classes = translate(
        Confirms,
        constants={
            **{f"Confirms.{name}": False for name in off},
            "Channel.carries_for": None,
            "QueueProcess.born": Born.MASTER,
            "QueueProcess.dead_of": None,
            "Store.apart": False,
        },
        without=["expire", "dead_letter", "let_go"],
        empty=[Node, Consumer],
        growing=True,
        replaced={Arrivals: QueueOrder},
    ).classes
    return assemble(Confirms, {**classes, Arrivals: QueueOrder})


class Traffic:
    """Messages of one channel, through one queue to a consumer."""

    def __init__(self, system: Confirms) -> None:
        self.system = system
        system.channels[CHANNEL].next_seq = Msg.first(CHANNEL)
        system.select(CHANNEL)
        self.last = 0

    def message(self, number: int) -> Msg:
        """Return the message of the channel with a number."""
        first: int = cast(int, Msg.first(CHANNEL))
        return cast(Msg, first + number - 1)

    def window(self, size: int) -> None:
        """Take `size` messages from the publisher to the consumer."""
        system = self.system
        messages = [self.message(self.last + i) for i in range(1, size + 1)]
        self.last += size
        for msg in messages:
            system.publish(msg, {QUEUE}, True, True)
            system.deliver(msg, PROCESS)
        for msg in messages:
            system.sync(msg, PROCESS)
        system.drain(PROCESS)
        system.confirm_arrives(CHANNEL, PROCESS)
        system.flush(CHANNEL)
        for msg in messages:
            system.take(msg, PROCESS)
            system.acknowledge(msg, PROCESS)
            # A program knows when nobody will ask of a message again.
            system.persistent.discard(msg)

    def left_over(self) -> int:
        """Count what the system still holds."""
        system = self.system
        channel, queue, casts = system.channels[CHANNEL], system.replicas[PROCESS], system.casts
        waited = (channel.unconfirmed, channel.vouched, channel.confirmed)
        carried = (casts[CHANNEL].publishes, casts[CHANNEL].downs, system.persistent)
        stored = (queue.pending, queue.awaiting, queue.outbox, queue.seen, queue.store.level)
        return sum(len(part) for part in (*waited, *carried, queue.ready, *stored))


def growing() -> Traffic:
    """Return a channel and a queue of the translated system."""
    system = translated()
    queue = system.replicas.add(PROCESS, of=QUEUE)  # type: ignore[attr-defined]
    queue.ready = PlacedSet(queue.order)
    return Traffic(system)


def native(messages: int, window: int) -> tuple[float, float, float, int]:
    """Return steps per second, memory before and after in MiB, and what is left over."""
    traffic = growing()
    before = resident_mib()
    start = time.perf_counter()
    for _ in range(messages // window):
        traffic.window(window)
    seconds = time.perf_counter() - start
    steps = messages * len(PER_MESSAGE) + messages // window * len(PER_WINDOW)
    return steps / seconds, before, resident_mib(), traffic.left_over()


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
