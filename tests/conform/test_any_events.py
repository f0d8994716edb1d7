"""Whatever comes on a channel is judged and followed; nothing of it is an error of the judge's."""

from __future__ import annotations

import random
from typing import Any

from ackproof.conform.account import Account
from ackproof.conform.columns import columns_of
from ackproof.conform.events import Event, Kind
from ackproof.conform.judgement import Judgement
from ackproof.conform.streams import Streams

from tests.exploring import chance, examples

#: Tags that a broker or a client gets right, and tags that AMQP can carry.
_TAGS = (0, 1, 2, 3, 5, 1 << 63, (1 << 64) - 1)


def anything(rng: random.Random, number: int) -> Event:
    """Return some event of a channel, whether it fits or not."""
    flags = ("multiple", "mandatory", "nowait", "no_ack", "shared", "redelivered")
    said: dict[str, Any] = {flag: rng.random() < 0.4 for flag in flags}
    return Event(
        rng.choice(list(Kind)),
        channel=1,
        number=number,
        tag=rng.choice(_TAGS),
        prefetch=rng.randrange(3),
        consumer=rng.choice(["", "a", "b"]),
        digest=rng.choice("xyz"),
        queue="q",
        text=rng.choice(["", "unknown delivery tag"]),
        **said,
    )


def test_no_event_is_too_odd_to_be_judged() -> None:
    rng = chance("any events")
    for _ in range(examples(500)):
        number, events = 0, []
        for _ in range(rng.randrange(60)):
            number += rng.choice([1, 1, 1, 2])
            events.append(anything(rng, number))
        judgement, streams, account = Judgement(), Streams(), Account()
        for event in events:
            judgement.take(event)
        for facts in streams.take(columns_of(events)) if events else ():
            account.add(facts)
        assert judgement.events == streams.events == len(events)
        assert judgement.gaps == streams.gaps
        assert judgement.violations == streams.violations
        assert account.sums().unseen.least <= account.sums().unseen.most
