"""Large recordings, made of a real one many times over, with violations planted in them.

A broker is used by clients, and a proxy records that.  The recording is written again and again,
each time with connections, messages and times of its own; no message is published twice.  Half of
all events are of one channel, which a publisher opens, uses and closes over and over.

What is planted is an ack of a message that was never published, in the place of one that was.  Of
each it is known where it is, and that there is no other violation.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from ackproof.conform.events import Event, Kind
from ackproof.conform.judging.texts import Numbering
from ackproof.conform.judging.texts import mixed as numbers_mixed
from ackproof.conform.parquet import ParquetWriter
from ackproof.conform.recording import read
from ackproof.impl.running import RunningBroker
from ackproof.pipeline.audit.tables import WRITTEN
from pyarrow import compute, parquet

from tests.conform.through_a_proxy import proxied
from tests.conform.traffic import mixed, use

__all__ = ["Planted", "digests", "record"]

#: Messages that a publisher sends to three queues each, in the recording that is repeated.
_ROUNDS = 60
#: Copies in a row group, and of how many copies one has a violation.
_TOGETHER, _RATE = 32, 20
#: How far a planted ack is from all that were published.
_FAR = 100_000


@dataclass
class Planted:
    """Recordings, and what is planted in them.

    Attributes:
        paths: the files.
        events: how many events they have.
        places: of each violation the file, the connection, the channel, and the event's number.
    """

    paths: list[Path] = field(default_factory=list)
    events: int = 0
    places: set[tuple[str, str, int, int]] = field(default_factory=set)


def record(folder: Path, count: int, files: int = 8) -> Planted:
    """Write recordings of about so many events together."""
    folder.mkdir(parents=True)
    first = folder / "first.jsonl"
    with RunningBroker() as broker, proxied(broker.port, first) as recorded:
        use(recorded.port)
        mixed(recorded.port, _ROUNDS)
    assert not recorded.judgement.violations
    events = list(read(first))
    _name(events)
    whole = _table(folder, events)
    counts = Counter(whole["connection"].cast("string").to_pylist())
    busiest = counts.most_common(1)[0][0]
    busy = whole.filter(compute.equal(whole["connection"], busiest))
    found, rng = Planted(), random.Random(count)
    _write(found, folder / "hot.parquet", busy, count // 2, rng, hot=True)
    for number in range(files - 1):
        path = folder / f"r{number}.parquet"
        _write(found, path, whole, count // 2 // (files - 1), rng, hot=False)
    first.unlink()
    return found


def _name(events: list[Event]) -> None:
    """Give each message without an id one of its own; what comes back is told apart by its order.

    Clients have sent the same body many times, and only what has an id was consumed.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    for event in events:
        if event.kind in (Kind.PUBLISH, Kind.RETURN) and not event.message:
            said = event.kind, event.connection, str(event.channel), event.key, event.digest
            event.message = f"{event.key}{seen[said]}"
            seen[said] += 1


def _table(folder: Path, events: list[Event]) -> Any:
    """Return events as a recording has them, each channel in one piece."""
    path = folder / "first.parquet"
    sink = ParquetWriter(path)
    for event in sorted(events, key=lambda event: (event.connection, event.channel)):
        sink.write(event)
    sink.close()
    table = parquet.read_table(path)
    path.unlink()
    return table


def _write(
    found: Planted, path: Path, table: Any, count: int, rng: random.Random, hot: bool
) -> None:
    copies = max(count // len(table), 1)
    with parquet.ParquetWriter(path, table.schema, write_page_checksum=True) as file:
        for begin in range(0, copies, _TOGETHER):
            which = range(begin, min(begin + _TOGETHER, copies))
            made = [_copy(table, copy, path.stem, hot) for copy in which]
            for number, copy in enumerate(which):
                if rng.randrange(_RATE) == 0:
                    made[number], place = _spoilt(made[number], rng, copy)
                    found.places.add((str(path), *place))
            file.write_table(pa.concat_tables(made))
            found.events += sum(map(len, made))
    found.paths.append(path)


def _copy(table: Any, copy: int, file: str, hot: bool) -> Any:
    """Return the table as if its connections, or its channel, were used once more."""
    numbers, times = table["number"].to_numpy(), table["time"].to_numpy()
    names = table["connection"].cast("string")
    if not hot:
        names = compute.binary_join_element_wise(names, str(copy), "/")
    message = table["message"].cast("string")
    there = compute.not_equal(table["digest"].cast("string"), "")
    own = compute.binary_join_element_wise(message, f"{file}-{copy}", "/")
    new = {
        "connection": names,
        "number": pa.array(numbers + (copy * len(table) if hot else 0)),
        "time": pa.array(times + copy * (times[-1] - times[0] + 1)),
        "message": compute.if_else(there, own, message),
    }
    for name, values in new.items():
        place = table.schema.get_field_index(name)
        table = table.set_column(place, table.schema.field(name), _as(values, table, name))
    return table


def _as(values: Any, table: Any, name: str) -> Any:
    kind = table.schema.field(name).type
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return values.dictionary_encode() if pa.types.is_dictionary(kind) else values.cast(kind)


def _spoilt(table: Any, rng: random.Random, copy: int) -> tuple[Any, tuple[str, int, int]]:
    """Return a table with an ack of nothing in it, and where that is."""
    kinds = table["kind"].cast("string").to_pylist()
    row = rng.choice([row for row, kind in enumerate(kinds) if kind == Kind.ACK])
    tags = np.array(table["tag"].to_numpy())
    tags[row] += _FAR + copy
    column = table.schema.get_field_index("tag")
    spoilt = table.set_column(column, table.schema.field("tag"), pa.array(tags))
    said = (spoilt[name][row].as_py() for name in ("connection", "channel", "number"))
    return spoilt, tuple(said)


def digests(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Yield each table that an audit has left, with a digest of its rows in any order."""
    numbering = Numbering(bytes(16))
    for name in WRITTEN:
        count, digest = 0, 0
        for file in sorted((folder / name).glob("*.parquet")):
            for rows in parquet.ParquetFile(file).iter_batches():
                columns = [_numbers(numbering, column) for column in rows.columns]
                digest += int(numbers_mixed(*columns).view(np.uint64).sum())
                count += len(rows)
        yield name, count, digest % (1 << 64)


def _numbers(numbering: Numbering, column: Any) -> Any:
    """Return a number for each value of a column, by its text."""
    if pa.types.is_list(column.type):
        column = compute.binary_join(column, "\n")
    texts = column.cast("string").fill_null("")
    _, ends, data = texts.buffers()
    where = np.frombuffer(ends, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    text = where, np.frombuffer(data or b"", np.uint8)
    return numbering.pairs(text, text)[0]
