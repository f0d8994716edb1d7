"""The account: what became of messages, exactly where they differ, as bounds where they do not."""

from __future__ import annotations

import itertools

import msgspec
import pytest
from ackproof.conform.account import Account, Bounds
from ackproof.conform.columns import columns_of
from ackproof.conform.events import Event, Kind
from ackproof.conform.streams import Streams

from tests.conform.streams import ack, nack, publish, returned

OPEN = [Event(Kind.OPEN), Event(Kind.OPEN_OK)]
CONFIRMING = [*OPEN, Event(Kind.SELECT), Event(Kind.SELECT_OK)]
CONSUMING = [*OPEN, Event(Kind.CONSUME, consumer="c", queue="q")]


def delivered(number: int, marked: bool = False) -> Event:
    """That message, handed out."""
    return Event(Kind.DELIVER, consumer="c", digest=str(number), redelivered=marked)


def heard(found: Account, channel: int, events: list[Event]) -> None:
    """Let an account take what passes on a channel."""
    numbered = [
        msgspec.structs.replace(event, channel=channel, number=number)
        for number, event in enumerate(events, 1)
    ]
    for facts in Streams().take(columns_of(numbered)):
        found.add(facts)


def account(published: list[Event], consumed: list[Event]) -> Account:
    """The account of a channel that publishes and one that consumes."""
    found = Account()
    heard(found, 1, [*CONFIRMING, *published])
    heard(found, 2, [*CONSUMING, *consumed])
    return found


def test_each_message_is_counted_where_it_ended() -> None:
    found = account(
        [
            *(publish(n) for n in range(1, 7)),
            returned(6),
            ack(2, True),
            nack(3),
            ack(4),
            ack(6),
        ],
        [delivered(1), delivered(3)],
    )
    assert (found.published, found.acked, found.nacked, found.returned) == (6, 4, 1, 1)
    assert found.unsettled() == 1
    assert found.sums().seen == Bounds(2, 2)
    assert found.sums().unseen == Bounds(2, 2), "2 and 4; 6 was returned, 3 nacked, 5 is unknown"
    assert found.sums().duplicated == Bounds(0, 0)
    assert found.sums().strangers == 0


def test_a_second_delivery_is_a_duplicate_unless_it_is_marked() -> None:
    published = [publish(1), publish(2), ack(2, True)]
    found = account(published, [delivered(1), delivered(1), delivered(2), delivered(2, True)])
    assert found.sums().duplicated == Bounds(1, 1)
    assert (found.deliveries, found.redelivered) == (4, 1)


def test_a_message_of_two_queues_is_no_duplicate() -> None:
    found = account([publish(1), ack(1)], [delivered(1)])
    heard(found, 3, [*OPEN, Event(Kind.GET, queue="other"), Event(Kind.GET_OK, digest="1")])
    assert found.sums().duplicated == Bounds(0, 0)
    assert found.sums().seen == Bounds(1, 1)


def test_a_delivery_of_what_nobody_was_seen_to_publish_is_a_stranger() -> None:
    found = account([], [delivered(1), delivered(1)])
    assert found.sums().strangers == 2
    assert found.sums().unseen == Bounds(0, 0)


def test_a_commit_confirms_and_a_rollback_does_not() -> None:
    found = Account()
    events = [
        *OPEN,
        Event(Kind.TX_SELECT),
        publish(1),
        Event(Kind.ROLLBACK),
        publish(2),
        Event(Kind.COMMIT),
        Event(Kind.COMMIT_OK),
        publish(3),
    ]
    heard(found, 1, events)
    assert (found.published, found.acked) == (3, 1)
    assert found.sums().unseen == Bounds(1, 1)


def test_of_a_channel_whose_beginning_is_missing_no_confirm_is_attributed() -> None:
    found = Account()
    heard(found, 1, [publish(1), ack(1), Event(Kind.DELIVER, digest="1")])
    assert (found.published, found.acked, found.deliveries) == (1, 0, 1)


def outcomes(copies: int, acked: int, times: int) -> set[tuple[int, int]]:
    """How many of alike messages may be unseen and delivered twice, of all that could have been.

    Each of so many deliveries is of some copy, any copies were acked.
    """
    found = set()
    for whose in itertools.product(range(copies), repeat=times):
        for confirmed in itertools.combinations(range(copies), acked):
            unseen = len(set(confirmed) - set(whose))
            found.add((unseen, times - len(set(whose))))
    return found


@pytest.mark.parametrize("copies", [1, 2, 3])
@pytest.mark.parametrize("times", [0, 1, 2, 4])
def test_bounds_of_messages_that_look_alike_are_the_best_possible(copies: int, times: int) -> None:
    for acked in range(copies + 1):
        settled = [ack(n) if n <= acked else nack(n) for n in range(1, copies + 1)]
        found = account([publish(1) for _ in range(copies)] + settled, [delivered(1)] * times)
        possible = outcomes(copies, acked, times)
        unseen = [a for a, _ in possible]
        twice = [b for _, b in possible]
        assert found.sums().unseen == Bounds(min(unseen), max(unseen)), (copies, acked, times)
        assert found.sums().duplicated == Bounds(min(twice), max(twice)), (copies, acked, times)
