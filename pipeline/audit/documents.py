"""The document of an audit whose rows are in tables: what their tallies come to.

It is the one that `ackproof.conform.audit` returns of the same recordings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
from ackproof.conform.account import Bounds
from ackproof.conform.capture.listening import Listening
from ackproof.conform.document import (
    AuditDocument,
    Confirms,
    Found,
    Messages,
    Range,
    Seen,
    concluded,
    latency_of,
    lost_of,
    ranks_of,
)
from ackproof.conform.recording import mark_in
from ackproof.conform.sources import called
from ackproof.pipeline.audit.batches import Recording
from ackproof.pipeline.audit.kept import Tally
from ackproof.pipeline.audit.tables import SUMS, TABLES, rows_in
from ackproof.pipeline.errors import StoreFailed
from ackproof.pipeline.places import Place
from ackproof.pipeline.storage import placed

__all__ = ["document_of", "recording_of"]


def recording_of(path: Place | Path | str, how: Listening | None = None) -> Recording:
    """Return a file as it is there now.

    Args:
        path: the file.
        how: how captures are read; if it is given, the recording has the mark of its key.

    Raises:
        OSError: it cannot be looked at.
    """
    place = placed(path)
    found = Recording(called(place), place.absolute().address, place.size())
    if how is None:
        return found
    try:
        return msgspec.structs.replace(found, key_mark=mark_in(place, how))
    except StoreFailed:
        # A task that reads it says what is wrong with it.
        return found


def document_of(
    recordings: Sequence[Recording],
    tallies: Mapping[str, Tally],
    violations: Iterable[pa.RecordBatch],
    latencies: Callable[[Sequence[int]], Mapping[int, float]],
    drained: bool,
) -> AuditDocument:
    """Return the document.

    Args:
        recordings: the files.
        tallies: what the rows of each table come to.
        violations: packed rows of that table.
        latencies: returns those of some ranks, of all confirms.
        drained: in the end all queues were empty, and all consumers were recorded.
    """
    names = [recording.name for recording in recordings]
    channels = dict.fromkeys(SUMS, 0) | tallies["channels"].sums
    most = tallies["channels"].most
    counted, quarantined = tallies["channels"].rows, tallies["quarantine"].rows
    seen = Seen(channels["events"], counted, channels["gaps"], quarantined)
    confirmed = channels["acked"] + channels["nacked"]
    times = latencies(ranks_of(confirmed)) if confirmed else {}
    confirms = Confirms(
        frames=channels["frames"],
        largest=most.get("largest", 0),
        window=most.get("window", 0),
        latency=latency_of(confirmed, times.__getitem__),
    )
    messages = _messages(channels, tallies["messages"].sums, drained)
    return concluded(names, seen, _found(violations), messages, confirms)


def _messages(channels: Mapping[str, int], told: Mapping[str, int], drained: bool) -> Messages:
    fates = dict.fromkeys(TABLES["messages"].names, 0) | dict(told)
    unseen = Bounds(fates["unseen_least"], fates["unseen_most"])
    return Messages(
        published=channels["published"],
        confirmed=channels["acked"],
        nacked=channels["nacked"],
        unsettled=channels["published"] - channels["acked"] - channels["nacked"],
        returned=channels["returned"],
        deliveries=channels["deliveries"],
        redelivered=channels["redelivered"],
        strangers=fates["strangers"],
        delivered=Range(fates["seen_least"], fates["seen_most"]),
        lost=lost_of(unseen, drained),
        duplicated=Range(fates["duplicated_least"], fates["duplicated_most"]),
    )


def _found(packed: Iterable[pa.RecordBatch]) -> list[Found]:
    rows = (row for batch in rows_in(iter(packed)) for row in batch.to_pylist())
    columns = Found.__struct_fields__
    return [Found(**{name: row[name] for name in columns}) for row in rows]
