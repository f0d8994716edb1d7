"""The specification runs natively for as long as one likes: nothing remains of what is done."""

from __future__ import annotations

import gc
import tracemalloc

from bench.native import QUEUE, Traffic, growing


def test_nothing_remains_of_messages_that_went_through() -> None:
    traffic = growing()
    tracemalloc.start()
    held = [held_after(traffic, windows=20) for _ in range(3)]
    tracemalloc.stop()
    assert traffic.left_over() == 0
    assert traffic.last == 6_000
    # Other threads of the process take some thousand bytes now and then.
    assert held[2] - held[1] < 6_000, "2,000 messages went through"


def held_after(traffic: Traffic, windows: int) -> int:
    """Return how many bytes there are after that many windows of 100 messages."""
    for _ in range(windows):
        traffic.window(100)
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def test_what_is_still_open_is_counted() -> None:
    traffic = growing()
    msg = traffic.message(1)
    traffic.system.publish(msg, {QUEUE}, True, True)
    assert traffic.left_over() > 0
