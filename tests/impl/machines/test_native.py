"""The machines run natively for as long as one likes: nothing remains of what is done."""

from __future__ import annotations

import gc
import tracemalloc

from bench.native import Machines


def test_nothing_remains_of_messages_that_went_through() -> None:
    machines = Machines()
    machines.window(100)
    gc.collect()
    tracemalloc.start()
    for _ in range(100):
        machines.window(100)
    gc.collect()
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert machines.left_over() == 0
    assert machines.last == 10_100
    assert grown < 100_000, "10,000 messages went through"


def test_what_is_still_open_is_counted() -> None:
    machines = Machines()
    machines.channel.publish({"q"}, True)  # type: ignore[arg-type]
    assert machines.left_over() == 1
