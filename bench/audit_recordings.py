"""Large recordings, made of a real one many times over, with violations planted in them.

A broker is used by clients, and a proxy records that.  The recording is written again and again,
each time with connections, messages, bodies and times of its own; no message is published twice.
Half of all events are of one channel, which a publisher opens, uses and closes over and over.

A file is what the recorder would have written: it has row groups of the same size, each sorted by
channel, and seals.  Each message has a digest of its own, as messages with different bodies have,
for digests are most of what is in a recording and cannot be compressed.

What is planted is an ack of a message that was never published, or of one that was acked before, in
the place of one that was right.  Of each it is known where it is, and that there is no other
violation.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from ackproof.conform.events import Event, Kind
from ackproof.conform.judging.texts import Numbering
from ackproof.conform.judging.texts import mixed as numbers_mixed
from ackproof.conform.parquet import GROUP, schema_of
from ackproof.conform.parquet_seals import add_seals
from ackproof.conform.recording import read
from ackproof.impl.running import RunningBroker
from ackproof.pipeline.audit.tables import WRITTEN
from pyarrow import compute, parquet

from tests.conform.through_a_proxy import proxied
from tests.conform.traffic import mixed, use

__all__ = ["Planted", "digests", "record"]

#: Messages that a publisher sends to three queues each, in the recording that is repeated.
_ROUNDS = 60
#: Of how many copies one has a violation.
_RATE = 20
#: How far a planted ack is from all that were published.
_FAR = 100_000
#: Bytes of a digest, and the two digits of each byte.
_DIGEST = 16
_DIGITS = np.frombuffer(b"".join(b"%02x" % byte for byte in range(256)), np.uint16)


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
    whole = pa.Table.from_pylist(list(map(msgspec.structs.asdict, events)), schema_of(pa))
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


def _write(
    found: Planted, path: Path, table: Any, count: int, rng: random.Random, hot: bool
) -> None:
    with parquet.ParquetWriter(path, table.schema, write_page_checksum=True) as file:
        for group in _groups(_copies(found, path, table, max(count // len(table), 1), rng, hot)):
            file.write_table(_sorted(group))
            found.events += len(group)
    add_seals(path, parquet.read_metadata(path))
    found.paths.append(path)


def _copies(
    found: Planted, path: Path, table: Any, copies: int, rng: random.Random, hot: bool
) -> Iterator[Any]:
    """Yield copies of a table, some with a violation, and note where it is."""
    bodies = compute.binary_join_element_wise(table["message"], table["digest"], "/")
    codes = bodies.combine_chunks().dictionary_encode()
    for copy in range(copies):
        made = _copy(table, codes, copy, path.stem, hot)
        if rng.randrange(_RATE) == 0:
            made, place = _spoilt(made, rng, copy)
            found.places.add((str(path), *place))
        yield made


def _groups(copies: Iterable[Any]) -> Iterator[Any]:
    """Yield row groups: what a recorder has kept when it has as many events as it keeps."""
    kept, rows = list[Any](), 0
    for copy in copies:
        kept.append(copy)
        rows += len(copy)
        while rows >= GROUP:
            whole = pa.concat_tables(kept)
            yield whole.slice(0, GROUP)
            kept, rows = [whole.slice(GROUP)], rows - GROUP
    if rows:
        yield pa.concat_tables(kept)


def _sorted(group: Any) -> Any:
    """Return a row group as a recorder sorts it: by channel."""
    connections = group["connection"].combine_chunks().dictionary_encode()
    ranks = np.argsort(np.argsort(connections.dictionary.to_pylist()))[connections.indices]
    return group.take(np.lexsort((group["number"], group["channel"], ranks)))


def _copy(table: Any, bodies: Any, copy: int, file: str, hot: bool) -> Any:
    """Return the table as if its connections, or its channel, were used once more.

    Args:
        table: the events, in the order in which they were recorded.
        bodies: of each its message, encoded as a dictionary: the same message has the same body.
        copy: which time it is.
        file: what the file is called.
        hot: it is one channel that is used again.
    """
    numbers, times = table["number"].to_numpy(), table["time"].to_numpy()
    names, message, digest = table["connection"], table["message"], table["digest"]
    if not hot:
        names = compute.binary_join_element_wise(names, str(copy), "/")
    there = compute.not_equal(digest, "")
    own = compute.binary_join_element_wise(message, f"{file}-{copy}", "/")
    drawn = _drawn(len(bodies.dictionary), np.random.default_rng([zlib.crc32(file.encode()), copy]))
    new = {
        "connection": names,
        "number": pa.array(numbers + (copy * len(table) if hot else 0)),
        "time": pa.array(times + copy * (times[-1] - times[0] + 1)),
        "message": compute.if_else(there, own, message),
        "digest": compute.if_else(there, drawn.take(bodies.indices), digest),
    }
    for name, values in new.items():
        table = table.set_column(table.schema.get_field_index(name), name, values)
    return table


def _drawn(count: int, rng: np.random.Generator) -> Any:
    """Return so many digests, as a recorder writes them."""
    digits = _DIGITS[rng.integers(0, 256, count * _DIGEST, np.uint8)]
    ends = np.arange(0, 2 * _DIGEST * count + 1, 2 * _DIGEST, dtype=np.int32)
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(digits))


def _spoilt(table: Any, rng: random.Random, copy: int) -> tuple[Any, tuple[str, int, int]]:
    """Return a table with an ack in it that is wrong, and where that is."""
    acks, tags = _acks(table), np.array(table["tag"].to_numpy())
    again = [(row, before) for before, row in acks if before is not None]
    if again and rng.randrange(2):
        row, before = rng.choice(again)
        tags[row] = tags[before]
    else:
        row = rng.choice(acks)[1]
        tags[row] += _FAR + copy
    column = table.schema.get_field_index("tag")
    spoilt = table.set_column(column, table.schema.field("tag"), pa.array(tags))
    said = (spoilt[name][row].as_py() for name in ("connection", "channel", "number"))
    return spoilt, tuple(said)


def _acks(table: Any) -> list[tuple[int | None, int]]:
    """Return the row of each ack, behind that of the ack before it on its channel."""
    last, found = dict[tuple[str, int], int](), list[tuple[int | None, int]]()
    rows = zip(
        *(table[name].to_pylist() for name in ("kind", "connection", "channel")), strict=True
    )
    for row, (kind, *channel) in enumerate(rows):
        if kind == Kind.ACK:
            found.append((last.get(tuple(channel)), row))
            last[tuple(channel)] = row
    return found


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
