"""In confirm mode the judge accepts what some behaviour of the channel explains, and nothing else.

It is compared with the full set of explaining states, which is advanced event by event.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from ackproof.conform.events import Event, Kind

from tests.conform.channel_alone import Explanations
from tests.conform.streams import (
    CONFIRMING,
    ack,
    judged,
    nack,
    publish,
    returned,
)


def frames(published: int) -> list[Event]:
    """All that a broker could say of so many publishes."""
    return [
        frame
        for tag in range(1, published + 1)
        for frame in (ack(tag), ack(tag, True), nack(tag), nack(tag, True), returned(tag))
    ]


def explained(events: list[Event]) -> int | None:
    """Return the place of the first event that nothing explains."""
    states = Explanations()
    for place, event in enumerate(events):
        states = states.after(event)
        if not states:
            return place
    return None


def refused(events: list[Event]) -> int | None:
    """Return the place of the first event that the judge does not accept."""
    found = judged([*CONFIRMING, *events])
    return None if found is None else found.position - len(CONFIRMING)


def continuations(
    events: list[Event], states: Explanations, publishes: int, most: int
) -> Iterator[tuple[list[Event], bool]]:
    """Yield every stream that goes on from an explained one, and whether it is explained."""
    nexts = [publish(states.published + 1)] if states.published < publishes else []
    if sum(e.kind != Kind.PUBLISH for e in events) < most:
        nexts += frames(states.published)
    for event in nexts:
        longer, after = [*events, event], states.after(event)
        yield longer, bool(after)
        if after:
            yield from continuations(longer, after, publishes, most)


@pytest.mark.parametrize(("publishes", "most"), [(2, 4), (3, 5)])
def test_of_all_short_streams_exactly_those_are_accepted_that_the_channel_may_say(
    publishes: int, most: int
) -> None:
    for events, possible in continuations([], Explanations(), publishes, most):
        assert (refused(events) is None) == possible, events


def published(count: int, first: int = 1) -> list[Event]:
    """So many publishes."""
    return [publish(n) for n in range(first, first + count)]


#: Flushes that may have begun in several ways, between publishes that are seen meanwhile.
CORNERS = [
    [*published(3), ack(2), publish(4), ack(3), nack(1, True), nack(4)],
    [*published(3), ack(2), publish(4), ack(4), nack(1, True), nack(3)],
    [*published(2), ack(2), *published(2, 3), ack(4), nack(1, True), nack(3)],
    [*published(4), ack(2), nack(3, True), nack(4)],
    [*published(5), ack(2), ack(4), nack(3, True), nack(5)],
    [*published(5), ack(2, True), ack(4), nack(3, True), nack(5)],
    [*published(5), ack(1, True), ack(3), ack(5), nack(2, True), nack(4)],
    [*published(4), ack(1), publish(5), nack(5), nack(2, True)],
    [*published(5), ack(2), publish(6), ack(4), ack(6), nack(1, True), nack(3)],
    [*published(4), ack(2, True), *published(2, 5), ack(4), ack(6), nack(3)],
]


@pytest.mark.parametrize("events", CORNERS)
def test_of_the_beginnings_of_a_flush_those_are_kept_that_matter(events: list[Event]) -> None:
    assert refused(events) == explained(events)


def said(rng: random.Random, publishes: int, length: int) -> list[Event]:
    """Return a random stream that the channel may say."""
    events: list[Event] = []
    states = Explanations()
    for _ in range(length):
        nexts = frames(states.published)
        if states.published < publishes:
            nexts += [publish(states.published + 1)] * len(nexts) or [publish(1)]
        rng.shuffle(nexts)
        for event in nexts:
            after = states.after(event)
            if after:
                events.append(event)
                states = after
                break
    return events


@pytest.mark.parametrize("seed", range(15))
def test_longer_streams_that_the_channel_may_say_are_accepted(seed: int) -> None:
    events = said(random.Random(seed), 6, 16)
    assert refused(events) is None


def spoiled(rng: random.Random, events: list[Event]) -> list[Event]:
    """Drop a frame of the broker, say it twice, move it, change its tag, or what it says."""
    copy = list(events)
    places = [n for n, e in enumerate(copy) if e.kind != Kind.PUBLISH]
    place = rng.choice(places)
    frame = copy[place]
    match rng.randrange(5):
        case 0:
            del copy[place]
        case 1:
            copy.insert(rng.choice(places), frame)
        case 2:
            other = rng.choice(places)
            copy[place], copy[other] = copy[other], frame
        case 3:
            copy[place] = rng.choice([ack, nack])(rng.randint(1, 6), frame.multiple)
        case _:
            copy[place] = (nack if frame.kind == Kind.ACK else ack)(frame.tag, frame.multiple)
    return copy


@pytest.mark.parametrize("seed", range(40))
def test_a_spoiled_stream_is_caught_at_the_first_frame_that_nothing_explains(seed: int) -> None:
    rng = random.Random(seed)
    events = spoiled(rng, said(rng, 5, 14))
    assert refused(events) == explained(events)


def test_most_spoiled_streams_are_caught() -> None:
    rng = random.Random(0)
    found = [refused(spoiled(rng, said(rng, 4, 12))) for _ in range(40)]
    assert sum(place is not None for place in found) > len(found) // 2
