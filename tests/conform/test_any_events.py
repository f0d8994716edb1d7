"""Whatever comes on a channel is judged and followed; nothing of it is an error of the judge's."""

from __future__ import annotations

import random
from typing import Any

from ackproof.conform.account import Account
from ackproof.conform.events import Event, Kind
from ackproof.conform.judgement import Judgement

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
        account, number, length = Account(), 0, rng.randrange(60)
        judgement = Judgement(lambda event, account=account: account.take("r", event))  # type: ignore[misc]
        for _ in range(length):
            number += rng.choice([1, 1, 1, 2])
            judgement.take(anything(rng, number))
        assert judgement.events == length
        assert account.sum("unseen").least <= account.sum("unseen").most
