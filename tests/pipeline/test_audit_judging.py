"""A part has room for what is in flight, however long a channel is."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pyarrow as pa
import pytest
from ackproof.conform.events import Event, Kind
from ackproof.pipeline.audit.judging import Judging
from ackproof.pipeline.audit.reading import SEGMENTS
from msgspec.json import encode

_SEGMENT = 200


def hot() -> Iterator[bytes]:
    """Yield the lines of one channel that publishes and gets acks, without end."""
    number = 0

    def line(kind: Kind, **said: object) -> bytes:
        nonlocal number
        number += 1
        return encode(Event(kind, channel=1, number=number, **said)) + b"\n"  # type: ignore[arg-type]

    yield from (line(k) for k in (Kind.OPEN, Kind.OPEN_OK, Kind.SELECT, Kind.SELECT_OK))
    tag = 0
    while True:
        for _ in range(10):
            tag += 1
            yield line(Kind.PUBLISH, digest=f"{tag:032}")
        yield line(Kind.ACK, tag=tag, multiple=True)


def segments(events: int) -> Iterator[pa.RecordBatch]:
    """Yield so many events as they come from the shuffle."""
    lines = hot()
    for first in range(0, events, _SEGMENT):
        places = np.arange(first, first + _SEGMENT).tobytes()
        joined = b"".join(islice(lines, _SEGMENT))
        row = [[0], [0], ["c"], [1], [first], [places], [joined], [None]]
        yield pa.record_batch(row, schema=SEGMENTS)


def peak(events: int) -> int:
    """Return the most bytes that judging so many events has taken of Python."""
    tracemalloc.start()
    try:
        for _ in Judging(("r",))(segments(events)):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_channel_four_times_as_long_takes_no_more_memory() -> None:
    peak(1_000)  # what is compiled is loaded once
    allowed = 1.2 * peak(40_000)
    # Whatever else the process does meanwhile is counted, too: a channel that takes more does so
    # each time.
    assert any(peak(160_000) < allowed for _ in range(3))
