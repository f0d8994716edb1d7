"""The channel judge, rule by rule: what it accepts, and what it says of the rest."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest
from ackproof.conform.events import Event, Kind
from ackproof.conform.judge import ChannelJudge
from ackproof.spec.wire import Complaint

from tests.conform.streams import (
    CONFIRMING,
    TRANSACTIONAL,
    ack,
    deliver,
    judged,
    nack,
    name_of,
    of,
    publish,
    returned,
    settle,
)

CONSUMING = [of(Kind.CONSUME, consumer="c"), of(Kind.CONSUME_OK, consumer="c")]
TWO = [*CONFIRMING, publish(1), publish(2)]

#: What each stream breaks with its last event; None is nothing.
STREAMS: dict[str, tuple[list[Event], str | None]] = {
    "an ack of what was published": ([*TWO, ack(1)], None),
    "an ack of what was not": ([*TWO, ack(3)], "NoPhantomConfirm"),
    "an ack of number 0": ([*TWO, ack(0, True)], "NoPhantomConfirm"),
    "an ack without confirm mode": ([publish(1), ack(1)], "NoPhantomConfirm"),
    "a second ack": ([*TWO, ack(2, True), ack(1)], "SettledOnce"),
    "an ack after a nack": ([*TWO, nack(1, True), ack(1)], "NeverBothAckAndNack"),
    "a nack after an ack": ([*TWO, ack(1), nack(1, True)], "NeverBothAckAndNack"),
    "a second nack": ([*TWO, nack(1, True), nack(1, True)], "RefusedOnce"),
    "a publish before confirm mode has no number": (
        [publish(0), *CONFIRMING, publish(1), ack(1)],
        None,
    ),
    "confirm mode is asked for again and counts on": (
        [*TWO, *CONFIRMING, publish(3), ack(3)],
        None,
    ),
    "an ack before confirm.select-ok": (
        [of(Kind.SELECT), publish(1), ack(1)],
        "A1.1",
    ),
    "a return, and its ack": ([*TWO, returned(1), ack(1)], None),
    "a return after the ack": ([*TWO, ack(1), returned(1)], "ReturnPrecedesAck"),
    "a return after the nack": ([*TWO, nack(1, True), returned(1)], "ReturnPrecedesNack"),
    "a return after a later ack": ([*TWO, ack(2), returned(1)], "A6.1"),
    "a return of what is not mandatory": (
        [*CONFIRMING, publish(1, mandatory=False), returned(1)],
        "ReturnedIsUnroutable",
    ),
    "a nack of what was returned": ([*TWO, returned(1), nack(1, True)], "UnroutableIsConfirmed"),
    "an ack that leaves out what was returned": (
        [*TWO, returned(1), ack(2)],
        "UnroutableIsConfirmed",
    ),
    "returned messages that look alike are not told apart": (
        [*CONFIRMING, publish(1), publish(1), returned(1), nack(2)],
        None,
    ),
    "one return more than messages": (
        [*CONFIRMING, publish(1), publish(1), returned(1), returned(1), returned(1)],
        "ReturnedIsUnroutable",
    ),
    "a lone ack with multiple": ([*TWO, ack(2, True), publish(3), ack(3, True)], "A11.2"),
    "a single nack with nothing below": ([*TWO, nack(1)], "NoNeedlessNack"),
    "a return in a transaction": (
        [*TRANSACTIONAL, publish(1), returned(1)],
        "NothingBeforeCommit",
    ),
    "a return at a commit": (
        [*TRANSACTIONAL, publish(1), of(Kind.COMMIT), returned(1), of(Kind.COMMIT_OK)],
        None,
    ),
    "a return after commit-ok": (
        [*TRANSACTIONAL, publish(1), of(Kind.COMMIT), of(Kind.COMMIT_OK), returned(1)],
        "A6.1",
    ),
    "a return of what was rolled back": (
        [*TRANSACTIONAL, publish(1), of(Kind.ROLLBACK), returned(1)],
        "ReturnedIsUnroutable",
    ),
    "an ack in a transaction": ([*TRANSACTIONAL, publish(1), ack(1)], "NoAckInTransaction"),
    "a nack in a transaction": ([*TRANSACTIONAL, publish(1), nack(1)], "NoNackInTransaction"),
    "commit-ok that nobody asked for": ([*TRANSACTIONAL, of(Kind.COMMIT_OK)], "A13.4"),
    "confirms and transactions": (
        [*CONFIRMING, of(Kind.TX_SELECT), of(Kind.TX_SELECT_OK)],
        "ConfirmXorTransaction",
    ),
    "transactions and confirms": (
        [*TRANSACTIONAL, of(Kind.SELECT), of(Kind.SELECT_OK)],
        "ConfirmXorTransaction",
    ),
    "a commit of nothing": ([of(Kind.COMMIT), of(Kind.COMMIT_OK)], "A1.4"),
    "a complaint with its cause": (
        [
            *CONFIRMING,
            of(Kind.TX_SELECT),
            of(Kind.CHANNEL_CLOSE, text=Complaint.CONFIRM_TO_TX.value),
        ],
        None,
    ),
    "a complaint without": (
        [*CONFIRMING, of(Kind.CHANNEL_CLOSE, text=Complaint.CONFIRM_TO_TX.value)],
        "ConfirmXorTransaction",
    ),
    "deliveries with tags in order": ([*CONSUMING, deliver(1), deliver(2)], None),
    "a delivery with an old tag": ([*CONSUMING, deliver(1), deliver(1)], "DeliveryTagsIncrease"),
    "a delivery that leaves a tag out": ([*CONSUMING, deliver(2)], "F1.1"),
    "a get takes a tag too": (
        [*CONSUMING, deliver(1), of(Kind.GET), of(Kind.GET_OK, tag=1)],
        "GetTakesATag",
    ),
    "a consumer that nobody asked for": ([of(Kind.CONSUME_OK, consumer="c")], "B7.6"),
    "a consumer that has started twice": (
        [*CONSUMING, of(Kind.CONSUME_OK, consumer="c")],
        "B7.6",
    ),
    "a consumer that has started under another name": (
        [of(Kind.CONSUME, consumer="c"), of(Kind.CONSUME_OK, consumer="d")],
        "B7.6",
    ),
    "a consumer whose start is not to be answered": (
        [of(Kind.CONSUME, consumer="c", nowait=True), of(Kind.CONSUME_OK, consumer="c")],
        "B7.6",
    ),
    "a consumer that the broker names": (
        [
            of(Kind.CONSUME),
            of(Kind.CONSUME_OK, consumer="d"),
            of(Kind.DELIVER, consumer="d", tag=1),
        ],
        None,
    ),
    "a consumer that is started again": (
        [
            *CONSUMING,
            of(Kind.STOP, consumer="c"),
            of(Kind.CONSUME, consumer="c"),
            of(Kind.CANCEL_OK, consumer="c"),
            of(Kind.CONSUME_OK, consumer="c"),
        ],
        None,
    ),
    "a delivery to nobody": ([deliver(1)], "B7.6"),
    "a delivery after cancel-ok": (
        [*CONSUMING, of(Kind.STOP, consumer="c"), of(Kind.CANCEL_OK, consumer="c"), deliver(1)],
        "B7.6",
    ),
    "one delivery more than asked for": (
        [of(Kind.QOS, prefetch=1), of(Kind.QOS_OK), *CONSUMING, deliver(1), deliver(2)],
        "PrefetchRespected",
    ),
    "room again after an ack": (
        [of(Kind.QOS, prefetch=1), of(Kind.QOS_OK), *CONSUMING, deliver(1), settle(1), deliver(2)],
        None,
    ),
    "a shared limit": (
        [
            of(Kind.QOS, prefetch=1, shared=True),
            of(Kind.QOS_OK),
            *CONSUMING,
            deliver(1),
            deliver(2),
        ],
        "SharedPrefetchRespected",
    ),
    "a shared limit that one of each consumer has lifted": (
        [
            of(Kind.QOS, prefetch=1, shared=True),
            of(Kind.QOS_OK),
            of(Kind.QOS, prefetch=2),
            of(Kind.QOS_OK),
            *CONSUMING,
            deliver(1),
            deliver(2),
        ],
        None,
    ),
    "a shared limit after one of each consumer": (
        [
            of(Kind.QOS, prefetch=2),
            of(Kind.QOS_OK),
            of(Kind.QOS, prefetch=1, shared=True),
            of(Kind.QOS_OK),
            *CONSUMING,
            deliver(1),
            deliver(2),
        ],
        "SharedPrefetchRespected",
    ),
    "a smaller limit that the broker may not have read": (
        [
            of(Kind.QOS, prefetch=2, shared=True),
            of(Kind.QOS_OK),
            *CONSUMING,
            of(Kind.QOS, prefetch=1, shared=True),
            deliver(1),
            deliver(2),
        ],
        None,
    ),
    "an ack of what may have been recovered": (
        [
            *CONSUMING,
            deliver(1),
            of(Kind.RECOVER),
            settle(1),
            of(Kind.RECOVER_OK),
            of(Kind.CHANNEL_CLOSE, text=Complaint.UNKNOWN_TAG.value),
        ],
        None,
    ),
    "an ack of what was recovered": (
        [
            *CONSUMING,
            deliver(1),
            of(Kind.RECOVER),
            of(Kind.RECOVER_OK),
            settle(1),
            of(Kind.GET),
            of(Kind.GET_EMPTY),
        ],
        "UnknownTagClosesChannel",
    ),
    "room for others after a recover": (
        [
            of(Kind.QOS, prefetch=1),
            of(Kind.QOS_OK),
            *CONSUMING,
            deliver(1),
            of(Kind.RECOVER),
            of(Kind.RECOVER_OK),
            deliver(2),
        ],
        None,
    ),
    "what is settled in a transaction counts until it commits": (
        [
            of(Kind.QOS, prefetch=1),
            of(Kind.QOS_OK),
            *TRANSACTIONAL,
            *CONSUMING,
            deliver(1),
            settle(1),
            deliver(2),
        ],
        "PrefetchRespected",
    ),
    "and no longer": (
        [
            of(Kind.QOS, prefetch=1),
            of(Kind.QOS_OK),
            *TRANSACTIONAL,
            *CONSUMING,
            deliver(1),
            settle(1),
            of(Kind.COMMIT),
            of(Kind.COMMIT_OK),
            deliver(2),
        ],
        None,
    ),
    "a commit that fails": (
        [
            *TRANSACTIONAL,
            publish(1),
            of(Kind.COMMIT),
            of(Kind.CHANNEL_CLOSE, text=Complaint.PARTIAL_COMPLETION.value),
        ],
        None,
    ),
    "a commit that fails, and nobody asked for it": (
        [*TRANSACTIONAL, of(Kind.CHANNEL_CLOSE, text=Complaint.PARTIAL_COMPLETION.value)],
        "A13.5",
    ),
    "close-ok that nobody asked for": ([*TWO, of(Kind.CLOSE_OK)], "A14.1"),
    "an unknown tag that may be under way": (
        [*CONSUMING, settle(1), of(Kind.CHANNEL_CLOSE, text=Complaint.UNKNOWN_TAG.value)],
        None,
    ),
    "an unknown tag that nobody minds": (
        [*CONSUMING, deliver(1), settle(1), settle(1), of(Kind.GET), of(Kind.GET_EMPTY)],
        "UnknownTagClosesChannel",
    ),
    "an unknown tag, and confirms of what came later": (
        [*TWO, *CONSUMING, deliver(1), settle(1), settle(1), publish(3), ack(3)],
        "UnknownTagClosesChannel",
    ),
    "what was rolled back can be acked again": (
        [
            *TRANSACTIONAL,
            *CONSUMING,
            deliver(1),
            settle(1),
            of(Kind.ROLLBACK),
            of(Kind.ROLLBACK_OK),
            settle(1),
            of(Kind.COMMIT),
            of(Kind.COMMIT_OK),
        ],
        None,
    ),
    "a frame after channel.close": (
        [*TWO, of(Kind.CHANNEL_CLOSE), ack(1)],
        "A2.6",
    ),
    "a frame after close-ok": ([*TWO, of(Kind.CLOSE), of(Kind.CLOSE_OK), ack(1)], "A2.6"),
    "a frame before close-ok": ([*TWO, of(Kind.CLOSE), ack(1), of(Kind.CLOSE_OK)], None),
    "a channel that is opened again counts from 1": (
        [
            *TWO,
            of(Kind.CLOSE),
            of(Kind.CLOSE_OK),
            of(Kind.OPEN),
            of(Kind.OPEN_OK),
            *CONFIRMING,
            publish(3),
            ack(1),
        ],
        None,
    ),
}


@pytest.mark.parametrize("what", STREAMS)
def test_what_the_last_event_breaks(what: str) -> None:
    events, name = STREAMS[what]
    found = judged(events)
    assert (None if found is None else found.name) == name
    assert found is None or found.position == len(events) - 1


#: What frames prove of a channel whose beginning is missing.
FROM_THE_MIDDLE: dict[str, tuple[list[Event], str | None]] = {
    "acks of what nobody saw published": ([ack(17), ack(40, True), nack(41)], None),
    "a number that is settled twice": ([ack(17), ack(17)], "SettledOnce"),
    "a number below what is settled": ([ack(17, True), nack(4)], "RefusedOnce"),
    "answers to what nobody saw asked": ([of(Kind.COMMIT_OK), of(Kind.SELECT_OK)], None),
    "returns of what nobody saw published": ([returned(5)], None),
    "deliveries to whoever it is": ([deliver(7, "x"), deliver(8, "y")], None),
    "a delivery that comes twice": ([deliver(7), deliver(7)], "DeliveryTagsIncrease"),
    "an unknown tag may be known": ([settle(3), of(Kind.GET), of(Kind.GET_EMPTY)], None),
    "an ack in what is known to be a transaction": (
        [of(Kind.TX_SELECT), of(Kind.TX_SELECT_OK), ack(1)],
        "NoAckInTransaction",
    ),
    "nothing comes after the end": ([of(Kind.CHANNEL_CLOSE), ack(1)], "A2.6"),
    "everything is known of the next channel": (
        [ack(9), of(Kind.OPEN), of(Kind.OPEN_OK), *CONFIRMING, ack(1)],
        "NoPhantomConfirm",
    ),
}


@pytest.mark.parametrize("what", FROM_THE_MIDDLE)
def test_an_unknown_start_widens_what_is_possible(what: str) -> None:
    events, name = FROM_THE_MIDDLE[what]
    assert name_of(events, known=False) == name


def test_after_a_gap_nothing_is_known() -> None:
    assert name_of([*TWO, of(Kind.GAP), ack(40), deliver(3)]) is None


@pytest.mark.parametrize("events", [events for events, name in STREAMS.values() if name is None])
def test_what_is_accepted_from_the_beginning_is_accepted_from_anywhere(events: list[Event]) -> None:
    for start in range(len(events)):
        assert name_of(events[start:], known=False) is None


@pytest.mark.slow
def test_what_is_mandatory_and_never_heard_of_again_is_forgotten_in_the_end() -> None:
    judge, most = ChannelJudge(), 1 << 20
    for number in (0, *[1] * most, 2):
        judge.take(publish(number))
    assert judge.take(returned(0)) is None
    assert judge.take(returned(2)) is None


def test_only_the_first_violation_of_a_channel_is_told() -> None:
    judge = ChannelJudge()
    found = [judge.take(event) for event in [*TWO, ack(3), ack(4)]]
    assert [n for n, violation in enumerate(found) if violation] == [4]
    assert judge.violation is found[4]


def test_a_violation_says_where_and_what_and_why() -> None:
    assert str(judged([*TWO, ack(3)])) == (
        "event 5, Ack: NoPhantomConfirm (INV-A6): 3 is settled, and 2 were published"
    )


def stream(length: int) -> Iterator[Event]:
    """A stream with a window of ten, acks of all forms, and deliveries."""
    yield from [*CONFIRMING, *CONSUMING]
    for number in range(1, length + 1):
        yield publish(number)
        yield deliver(number)
        yield settle(number)
        if number % 10 == 0:
            yield ack(number - 1)
            yield ack(number, True)


def room(length: int) -> int:
    """Return how many bytes a judge takes at most."""
    judge = ChannelJudge()
    tracemalloc.start()
    for event in stream(length):
        assert judge.take(event) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_judge_has_room_for_what_is_in_flight_only() -> None:
    assert room(40_000) < 2 * room(10_000)
