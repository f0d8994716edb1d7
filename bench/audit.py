"""How fast recordings are judged, and how fast bytes become events.

The traffic is that of one channel in confirm mode and its consumer: a window of 100 messages, acked
singly and by one with `multiple`, each delivered and acked.  It is made in pieces outside of the
time that is measured, so that what is measured is the judge, and not the memory of a long list.

Seven things are measured at 10^4, 10^5 and 10^6 events: the judge alone, asked one event at a time;
a recording in Parquet that is read and judged, and one that is accounted for, too, both up to 10^7;
one in JSON Lines that is; bytes that become events one at a time, as in a proxy; and captures, up
to 10^7, that become columns, and that are audited, of full packets and of small ones.  All is
compiled before.  Beside each is what a peer takes for the part that both do, as a ratio: msgspec
reads the same lines without a look at what they say, pyarrow reads the same columns, pamqp cuts the
same bytes into frames, and dpkt reads the packets of the same file and takes them apart.

    python bench/audit.py
    python bench/audit.py --quick
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import dpkt
import msgspec
import numpy as np
import pyarrow
from ackproof.conform.audit import audit
from ackproof.conform.capture.listening import Listening
from ackproof.conform.decoding import ConnectionDecoder
from ackproof.conform.events import Event, Kind
from ackproof.conform.judge import ChannelJudge
from ackproof.conform.recording import read_columns, writer
from ackproof.conform.streams import Streams
from ackproof.impl.wire.frames import PROTOCOL_HEADER, encode_content, encode_method
from pamqp import commands, frame, header
from pyarrow import compute, parquet

from bench.capture import FULL, write_capture

WINDOW = 100
_PIECE = 10_000
_BODY = b"a body of some length"
#: Bytes of data in a small packet, about those of a message.
_SMALL = 90


def traffic() -> Iterator[Event]:
    """Yield the events of a channel, without end."""
    yield from (Event(Kind.OPEN), Event(Kind.OPEN_OK), Event(Kind.SELECT), Event(Kind.SELECT_OK))
    yield from (Event(Kind.CONSUME, consumer="c", queue="q"), Event(Kind.CONSUME_OK, consumer="c"))
    last = 0
    while True:
        for tag in range(last + 1, last + WINDOW + 1):
            yield Event(Kind.PUBLISH, mandatory=True, key="q", digest=f"{tag:032}", size=21)
            yield Event(Kind.DELIVER, tag=tag, consumer="c", key="q", digest=f"{tag:032}", size=21)
            yield Event(Kind.CONSUMER_ACK, tag=tag)
        yield Event(Kind.ACK, tag=last + WINDOW // 2)
        yield Event(Kind.ACK, tag=last + WINDOW, multiple=True)
        last += WINDOW


def judged(count: int) -> float:
    """Return the seconds that a judge takes for so many events."""
    source, judge, seconds = traffic(), ChannelJudge(), 0.0
    for _ in range(count // _PIECE):
        events = list(islice(source, _PIECE))
        start = time.perf_counter()
        for event in events:
            judge.take(event)
        seconds += time.perf_counter() - start
    assert judge.violation is None
    return seconds


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that something takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def record(path: Path, count: int) -> None:
    """Write a recording of so many events."""
    sink = writer(path)
    for number, event in enumerate(islice(traffic(), count), 1):
        event.connection, event.channel, event.number = "c1", 1, number
        sink.write(event)
    sink.close()


def record_columns(path: Path, count: int) -> None:
    """Write a recording in Parquet of about so many events, window by window, without objects."""
    first = list(islice(traffic(), 6 + 3 * WINDOW + 2))
    for number, event in enumerate(first, 1):
        event.connection, event.channel, event.number = "c1", 1, number
    record_events(path, first)
    whole = parquet.read_table(path)
    window = whole.slice(6)
    windows, together = count // len(window), 300
    with parquet.ParquetWriter(path, whole.schema, write_page_checksum=True) as file:
        file.write_table(whole.slice(0, 6))
        for done in range(0, windows, together):
            file.write_table(_repeated(window, done, min(together, windows - done)))


def _repeated(window: pyarrow.Table, done: int, times: int) -> pyarrow.Table:
    """Return a window so many times, as if so many had been before."""
    which = np.repeat(np.arange(done, done + times), len(window))
    table = pyarrow.concat_tables([window] * times)
    tags, numbers = (table.column(name).to_numpy() for name in ("tag", "number"))
    tags = tags + which * WINDOW
    new = {"tag": tags, "number": numbers + which * len(window)}
    place = np.arange(len(which)) % len(window) // 3 + 1
    said = np.where(tags == which * WINDOW, place + tags, tags)
    new["digest"] = compute.utf8_lpad(pyarrow.array(said).cast("string"), 32, "0")
    for name, values in new.items():
        column = table.schema.get_field_index(name)
        table = table.set_column(column, table.schema.field(name), pyarrow.array(values))
    return table


def record_events(path: Path, events: list[Event]) -> None:
    """Write events."""
    sink = writer(path)
    for event in events:
        sink.write(event)
    sink.close()


def judged_columns(path: Path) -> None:
    """Read a recording and judge it."""
    streams = Streams()
    for columns in read_columns(path):
        streams.take(columns)
    assert not streams.violations


def columnar(counts: list[int]) -> None:
    """Print the lines of recordings in Parquet."""
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "r.parquet")
            record_columns(path, count)
            events = parquet.read_metadata(path).num_rows
            theirs = timed(lambda path=path: parquet.read_table(path))  # type: ignore[misc]
            seconds = timed(lambda path=path: judged_columns(path))  # type: ignore[misc]
            row("judged, Parquet", events, seconds, "pyarrow", theirs)
            seconds = timed(lambda path=path: audit([path]))  # type: ignore[misc]
            row("audited, Parquet", events, seconds, "pyarrow", theirs)


def parsed(path: Path) -> None:
    """Read the lines of a recording, and nothing else."""
    decoder = msgspec.json.Decoder(Event)
    with path.open("rb") as file:
        next(file)
        for line in file:
            decoder.decode(line)


def stream(count: int) -> bytes:
    """Return so many publishes as bytes of a client."""
    properties = commands.Basic.Properties(message_id="m", delivery_mode=2)
    said = header.ContentHeader(0, len(_BODY), properties).marshal()
    publish = encode_method(commands.Basic.Publish(0, "", "q", True), 1)
    return (publish + encode_content(said, _BODY, 1, 131072)) * count


def decoded(data: bytes) -> None:
    """Make events of bytes, as a proxy does."""
    decoder = ConnectionDecoder("c", b"key")
    decoder.from_client(PROTOCOL_HEADER)
    for start in range(0, len(data), 1 << 16):
        decoder.from_client(data[start : start + (1 << 16)])


def cut(count: int) -> None:
    """Make frames of the same bytes, by pamqp alone."""
    message = stream(1)
    for _ in range(count):
        done = 0
        while done < len(message):
            taken, _, _ = frame.unmarshal(message[done:])
            done += taken


def taken_apart(path: Path) -> None:
    """Read the packets of a capture, and take apart each, by dpkt alone."""
    with path.open("rb") as file:
        for _, packet in dpkt.pcap.Reader(file):
            dpkt.ethernet.Ethernet(packet)


def captures(counts: list[int]) -> None:
    """Print the lines of captures: of full packets, and of those with one event each, about."""
    for count, size in product(counts, (FULL, _SMALL)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "c.pcap")
            write_capture(path, count, size)
            events = heard(path)
            seconds = timed(lambda path=path: heard(path))  # type: ignore[misc]
            theirs = timed(lambda path=path: taken_apart(path)) if count < 10**7 else None  # type: ignore[misc]
            which = "packets" if size == FULL else "small packets"
            row(f"decoded, {which}", events, seconds, "dpkt", theirs)
            seconds = timed(lambda path=path: audit([path]))  # type: ignore[misc]
            row(f"audited, {which}", events, seconds, "", None)


def heard(path: Path) -> int:
    """Make events of a capture; return how many there are."""
    return sum(columns.numbers.shape[1] for columns in read_columns(path, Listening(b"key")))


def row(name: str, count: int, seconds: float, peer: str, theirs: float | None) -> None:
    """Print a line of the table."""
    ratio = "" if theirs is None else f"{seconds / theirs:>6.1f} times {peer}"
    print(f"{name:<24} {count:>10,} {count / seconds:>11,.0f} {ratio}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="speed of the audit")
    parser.add_argument("--quick", action="store_true", help="without the largest number")
    counts = [10**4, 10**5] if parser.parse_args().quick else [10**4, 10**5, 10**6]
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors")
    print(f"{'':<24} {'events':>10} {'a second':>11}   time")
    judged(_PIECE)
    for count in counts:
        row("judged one by one", count, judged(count), "", None)
    columnar([10**4])
    columnar(counts if len(counts) == 2 else [*counts, 10**7])
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            lines = Path(folder, "r.jsonl")
            record(lines, count)
            seconds = timed(lambda path=lines: audit([path]))  # type: ignore[misc]
            theirs = timed(lambda path=lines: parsed(path))  # type: ignore[misc]
            row("audited, JSON Lines", count, seconds, "msgspec", theirs)
    for count in counts:
        data = stream(count)
        seconds = timed(lambda data=data: decoded(data))  # type: ignore[misc]
        theirs = timed(lambda count=count: cut(count))  # type: ignore[misc]
        row("decoded from bytes", count, seconds, "pamqp", theirs)
    captures([10**4])
    captures(counts if len(counts) == 2 else [*counts, 10**7])


if __name__ == "__main__":
    main()
