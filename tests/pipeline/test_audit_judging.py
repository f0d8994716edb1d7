"""A part has room for what is in flight, however long a channel is."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pyarrow as pa
import pytest
from ackproof.conform.columns import columns_of
from ackproof.conform.events import Event, Kind
from ackproof.pipeline.audit.judging import Judging
from ackproof.pipeline.audit.segments import segments_of
from ackproof.pipeline.audit.sending import SEGMENTS

_SEGMENT = 200


def hot() -> Iterator[Event]:
    """Yield the events of one channel that publishes and gets acks, without end."""
    number = 0

    def event(kind: Kind, **said: object) -> Event:
        nonlocal number
        number += 1
        return Event(kind, channel=1, number=number, **said)  # type: ignore[arg-type]

    yield from (event(k) for k in (Kind.OPEN, Kind.OPEN_OK, Kind.SELECT, Kind.SELECT_OK))
    tag = 0
    while True:
        for _ in range(10):
            tag += 1
            yield event(Kind.PUBLISH, digest=f"{tag:032}")
        yield event(Kind.ACK, tag=tag, multiple=True)


def segments(events: int) -> Iterator[pa.RecordBatch]:
    """Yield so many events as they come from the shuffle."""
    said = hot()
    for first in range(0, events, _SEGMENT):
        columns = columns_of(list(islice(said, _SEGMENT)))
        for segment in segments_of(np.arange(first, first + _SEGMENT), columns):
            row = [0, 0, *segment, None, None]
            yield pa.record_batch([[value] for value in row], schema=SEGMENTS)


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
def test_a_channel_four_times_as_long_takes_no_more_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ackproof.pipeline.audit.facts._MOST", 1 << 12)
    peak(1_000)  # what is compiled is loaded once
    allowed = 1.2 * peak(20_000)
    # Whatever else the process does meanwhile is counted, too: a channel that takes more does so
    # each time.
    assert any(peak(80_000) < allowed for _ in range(3))
