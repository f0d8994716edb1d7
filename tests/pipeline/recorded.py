"""Recordings to audit: channels of several kinds in several files, and violations planted there.

All of what is drawn is explained by the specification, but for what is planted: an ack that comes
again.  Messages go from channel to channel and from file to file, some of them look alike, some
are handed out twice; channels are opened again, events are recorded twice or missing.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copyfile

import msgspec
from ackproof.conform.events import Event, Kind
from ackproof.conform.recording import writer

from tests.conform.streams import unsummed

__all__ = ["Recorded", "drawn", "spoiled"]

_OPEN = [Event(Kind.OPEN), Event(Kind.OPEN_OK)]


@dataclass
class Recorded:
    """Recordings, and where violations are in them.

    Attributes:
        paths: the files.
        planted: of each violation the file, the connection, the channel, and the event's number.
    """

    paths: list[Path] = field(default_factory=list)
    planted: set[tuple[str, str, int, int]] = field(default_factory=set)


def drawn(folder: Path, rng: random.Random, files: int = 3, rounds: int = 12) -> Recorded:
    """Draw recordings, half of them in Parquet; the first channel has half of all events."""
    folder.mkdir(parents=True, exist_ok=True)
    found = Recorded()
    for number in range(files):
        path = folder / f"r{number}.{'parquet' if number % 2 else 'jsonl'}"
        channels = {
            ("hot" if number + channel == 0 else f"c{channel % 2}", channel): _channel(
                rng, 15 * rounds if number + channel == 0 else rounds
            )
            for channel in range(6)
        }
        _record(path, channels, rng, found)
    return found


def _channel(rng: random.Random, rounds: int) -> list[tuple[Event, bool]]:
    """Return the events of a channel, and which of them are violations."""
    makes = rng.choice([_confirming, _confirming, _transactional, _consuming, _unknown])
    events = [(event, False) for event in makes(rng, rounds)]
    if makes is _confirming and rng.random() < 0.7:
        last = next((e for e, _ in reversed(events) if e.kind == Kind.ACK), None)
        if last is not None:
            events.append((msgspec.structs.replace(last, multiple=False), True))
            events += [(event, False) for event in _confirming(rng, 1)]
    return events


def _publish(rng: random.Random) -> Event:
    number = rng.randrange(60)
    return Event(Kind.PUBLISH, message=f"m{number % 40}", digest=str(number), key="q")


def _confirming(rng: random.Random, rounds: int) -> Iterator[Event]:
    yield from (*_OPEN, Event(Kind.SELECT), Event(Kind.SELECT_OK))
    last = 0
    for _ in range(rounds):
        size = rng.randrange(2, 6)
        yield from (_publish(rng) for _ in range(size))
        kind = rng.choice([Kind.ACK, Kind.ACK, Kind.NACK])
        if size > 3 and rng.random() < 0.5:
            last, size = last + 1, size - 1
            yield Event(kind, tag=last, multiple=kind == Kind.NACK)
            yield Event(Kind.BROKER_OTHER)
        last += size
        yield Event(Kind.ACK if size > 2 else kind, tag=last, multiple=True)


def _transactional(rng: random.Random, rounds: int) -> Iterator[Event]:
    yield from (*_OPEN, Event(Kind.TX_SELECT), Event(Kind.TX_SELECT_OK))
    for _ in range(rounds):
        yield from (_publish(rng) for _ in range(rng.randrange(3)))
        if rng.random() < 0.7:
            yield from (Event(Kind.COMMIT), Event(Kind.COMMIT_OK))
        else:
            yield from (Event(Kind.ROLLBACK), Event(Kind.ROLLBACK_OK))


def _consuming(rng: random.Random, rounds: int) -> Iterator[Event]:
    queue = rng.choice("qp")
    yield from (*_OPEN, Event(Kind.CONSUME, consumer="t", queue=queue))
    yield Event(Kind.CONSUME_OK, consumer="t")
    for tag in range(1, 4 * rounds):
        said = _publish(rng)
        marked = rng.random() < 0.2
        yield Event(
            Kind.DELIVER,
            tag=tag,
            consumer="t",
            redelivered=marked,
            message=said.message,
            digest=said.digest,
        )
        yield Event(Kind.CONSUMER_ACK, tag=tag)


def _unknown(rng: random.Random, rounds: int) -> Iterator[Event]:
    for tag in range(1, rounds):
        yield _publish(rng)
        yield Event(Kind.ACK, tag=tag)


def _record(
    path: Path,
    channels: dict[tuple[str, int], list[tuple[Event, bool]]],
    rng: random.Random,
    found: Recorded,
) -> None:
    """Write channels to a file, one among the other; now and then an event twice."""
    sink, left = writer(path), {key: iter(events) for key, events in channels.items()}
    numbers = dict.fromkeys(channels, 0)
    while left:
        key = rng.choice(list(left))
        event, wrong = next(left[key], (None, False))
        if event is None:
            del left[key]
            continue
        numbers[key] += 1
        connection, channel = key
        place = {"connection": connection, "channel": channel, "number": numbers[key]}
        seen = msgspec.structs.replace(event, time=rng.random() * 9, **place)
        if wrong:
            found.planted.add((str(path), *key, numbers[key]))
        elif event.kind == Kind.BROKER_OTHER and rng.random() < 0.2:
            continue  # it is missing, and nothing is known of its channel from there on
        for _ in range(1 + (rng.random() < 0.05)):
            sink.write(seen)
    sink.close()
    found.paths.append(path)


def spoiled(path: Path, rng: random.Random) -> tuple[Path, dict[int, str]]:
    """Return a recording in JSON Lines beside another, with bad lines, and where they are."""
    bad = ["{", '{"kind":"Bark"}', '{"kind":3}', "", '{"kind":"Ack","channel":70000,"number":1}']
    spoilt = Path(copyfile(path, path.with_name(f"spoilt-{path.name}")))
    out, places, at = [], {}, 0
    for number, line in enumerate(unsummed(spoilt).read_text().splitlines()):
        if number and rng.random() < 0.1:
            text = rng.choice(bad)
            places[at] = text
            out.append(text)
            at += len(text) + 1
        out.append(line)
        at += len(line) + 1
    spoilt.write_text("\n".join([*out, ""]))
    assert json.loads(out[0])
    return spoilt, places
