"""What is said on a channel, at random: as a broker and its client do, and as nobody does."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from ackproof.conform.events import Event, Kind
from ackproof.spec.wire import Complaint

#: Tags that are near, and some that are far.
_TAGS = (0, 1, 2, 3, 4, 5, 6, 7, 9, 40)
_TEXTS = ["", *(complaint.value for complaint in Complaint)]


def odd_talk(rng: random.Random) -> Event:
    """Return some event, whether it fits or not."""
    flags = ("multiple", "mandatory", "nowait", "no_ack", "shared", "redelivered")
    said: dict[str, Any] = {flag: rng.random() < 0.4 for flag in flags}
    return Event(
        rng.choice(list(Kind)),
        tag=rng.choice(_TAGS),
        prefetch=rng.randrange(3),
        consumer=rng.choice(["", "a", "b"]),
        digest=rng.choice("xyz"),
        text=rng.choice(_TEXTS),
        **said,
    )


def talk(rng: random.Random, length: int) -> Iterator[Event]:
    """Yield what is said on a channel that a good broker serves, of one of three kinds."""
    yield from (Event(Kind.OPEN), Event(Kind.OPEN_OK))
    kinds: list[Callable[[random.Random, int], Iterator[Event]]]
    kinds = [_confirming, _transactional, _consuming]
    yield from rng.choice(kinds)(rng, length)
    if rng.random() < 0.5:
        yield from (Event(Kind.CLOSE), Event(Kind.CLOSE_OK))


def _confirming(rng: random.Random, length: int) -> Iterator[Event]:
    """Publish, with some returned and all acked or nacked up to the last one of a window."""
    yield from (Event(Kind.SELECT), Event(Kind.SELECT_OK))
    last = 0
    for _ in range(length // 6 + 1):
        count = rng.randrange(2, 8)
        for number in range(last + 1, last + count + 1):
            yield Event(Kind.PUBLISH, mandatory=True, key="q", digest=str(number % 11))
        if rng.random() < 0.3:
            number = rng.randrange(last + 1, last + count + 1)
            yield Event(Kind.RETURN, key="q", digest=str(number % 11))
            yield Event(Kind.ACK, tag=last + count, multiple=True)
        else:
            yield Event(rng.choice([Kind.ACK, Kind.NACK]), tag=last + count, multiple=True)
        last += count


def _transactional(rng: random.Random, length: int) -> Iterator[Event]:
    """Publish and settle deliveries in transactions."""
    yield from (Event(Kind.TX_SELECT), Event(Kind.TX_SELECT_OK))
    yield from (Event(Kind.CONSUME, consumer="a"), Event(Kind.CONSUME_OK, consumer="a"))
    tag = 0
    for _ in range(length // 8 + 1):
        fresh = rng.randrange(4)
        for _ in range(fresh):
            tag += 1
            yield Event(Kind.DELIVER, tag=tag, consumer="a")
            yield Event(Kind.PUBLISH, mandatory=rng.random() < 0.5, digest=rng.choice("xyz"))
        if fresh and rng.random() < 0.6:
            yield Event(Kind.CONSUMER_ACK, tag=tag, multiple=True)
            yield Event(Kind.ROLLBACK)
            yield Event(Kind.ROLLBACK_OK)
        yield Event(Kind.CONSUMER_ACK, tag=0, multiple=True)
        yield from (Event(Kind.COMMIT), Event(Kind.COMMIT_OK))


def _consuming(rng: random.Random, length: int) -> Iterator[Event]:
    """Consume within a limit, by two consumers that come and go, and fetch."""
    yield from (Event(Kind.QOS, prefetch=2), Event(Kind.QOS_OK))
    tag, load, here = 0, {"a": [0], "b": [0]}, set[str]()
    for _ in range(length // 3 + 1):
        name = rng.choice("ab")
        if name not in here:
            yield Event(Kind.CONSUME, consumer=name)
            yield Event(Kind.CONSUME_OK, consumer=name)
            here.add(name)
            load[name] = []
        elif len(load[name]) < 2:
            tag += 1
            load[name].append(tag)
            yield Event(Kind.DELIVER, tag=tag, consumer=name)
        elif rng.random() < 0.2:
            here.discard(name)
            yield Event(Kind.STOP, consumer=name)
            yield Event(Kind.CANCEL_OK, consumer=name)
        elif rng.random() < 0.2:
            tag += 1
            yield Event(Kind.GET, no_ack=True)
            yield Event(Kind.GET_OK, tag=tag)
        else:
            yield Event(rng.choice([Kind.CONSUMER_ACK, Kind.CONSUMER_REJECT]), tag=load[name].pop())
