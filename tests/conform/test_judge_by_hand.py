"""The judge says what one does that is written by hand, over Python's own objects, event by event.

`by_hand` follows the same theory with dictionaries and queues of Python's, and knows nothing of the
arrays in which the judge keeps its books.  Whatever is said on a channel, both name the same event,
the same property and the same reason.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from ackproof.conform.events import Event, Kind
from ackproof.conform.judge import ChannelJudge
from ackproof.conform.violations import Violation

from tests.conform.by_hand.judge import ChannelJudge as JudgeByHand
from tests.conform.talk import odd_talk, talk
from tests.exploring import chance, examples


def same(events: Iterable[Event], known: bool = True) -> list[Violation]:
    """Judge by both, and return the violations, which must be the same."""
    judge, by_hand, found = ChannelJudge(known), JudgeByHand(known), []
    for event in events:
        violation = judge.take(event)
        assert violation == by_hand.take(event), event
        if violation is not None:
            found.append(violation)
    return found


def test_what_brokers_and_clients_say_is_judged_the_same() -> None:
    rng = chance("talk of a channel")
    names = [v.name for _ in range(examples(150)) for v in same(talk(rng, rng.randrange(200)))]
    assert not names


def test_spoiled_talk_is_refused_for_the_same_reason() -> None:
    rng = chance("spoiled talk")
    names = set()
    for _ in range(examples(400)):
        events = list(talk(rng, 120))
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(events))
            events[place : place + rng.randrange(2)] = [odd_talk(rng)]
        names |= {violation.name for violation in same(events, rng.random() < 0.8)}
    assert len(names) > 12, names


def test_anything_at_all_is_judged_the_same() -> None:
    rng = chance("any talk")
    for _ in range(examples(400)):
        same((odd_talk(rng) for _ in range(rng.randrange(80))), rng.random() < 0.5)


@pytest.mark.parametrize("window", [5, 100, 5000])
def test_there_is_room_for_whatever_is_in_flight(window: int) -> None:
    rng = random.Random(window)
    events = [Event(Kind.OPEN), Event(Kind.OPEN_OK), Event(Kind.SELECT), Event(Kind.SELECT_OK)]
    events += [Event(Kind.CONSUME, consumer="c"), Event(Kind.CONSUME_OK, consumer="c")]
    for tag in range(1, window + 1):
        events.append(Event(Kind.PUBLISH, mandatory=tag % 3 == 0, digest=str(tag % 50)))
        events.append(Event(Kind.DELIVER, tag=tag, consumer="c"))
    events += [Event(Kind.NACK, tag=tag) for tag in range(2, window, 7)]
    events += [
        Event(Kind.CONSUMER_ACK, tag=tag) for tag in rng.sample(range(1, window + 1), window)
    ]
    events += [Event(Kind.NACK, tag=window, multiple=True), Event(Kind.NACK, tag=2)]
    (violation,) = same(events)
    assert violation.name in ("RefusedOnce", "NoNeedlessNack")
