"""A conversation: the bytes of both sides, once, in causal order, and what is missing is said."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from ackproof.conform.capture.conversation import Conversation, Lost, Piece
from ackproof.conform.capture.files import Packet
from ackproof.conform.capture.segments import Segment, segment_of

from tests.conform.capture.spoiling import cut, lost, overlapping, shuffled
from tests.conform.capture.tap import Dialogue
from tests.conform.capture.wires import Sent, captured, sent
from tests.exploring import chance, seeds

FIRST = (1_000, 2**32 - 500)


def spoken(random: Random) -> Dialogue:
    """Anything that two sides can say."""
    return [(random.randrange(2), random.randbytes(random.randrange(1, 90))) for _ in range(60)]


def packets_of(segments: Sequence[Sent]) -> list[Segment]:
    """What packets say."""
    found = [segment_of(Packet(time, 1, data)) for time, data in captured(segments)]
    return [segment for segment in found if segment is not None]


def followed(segments: Sequence[Sent]) -> tuple[Conversation, list[Piece | Lost]]:
    """All that follows from segments."""
    heard = packets_of(segments)
    conversation = Conversation(heard[0])
    items: list[Piece | Lost] = []
    for segment in heard:
        items += conversation.take(segment)
    return conversation, items + list(conversation.finish())


def sides(conversation: Conversation, items: Sequence[Piece | Lost]) -> tuple[bytes, bytes]:
    """What the client said, and the broker."""
    client = [address[1] for address in conversation.addresses].index(40_000)
    said = [
        b"".join(i.data for i in items if isinstance(i, Piece) and i.side == side)
        for side in (0, 1)
    ]
    return said[client], said[1 - client]


def whole(dialogue: Dialogue) -> tuple[bytes, bytes]:
    """What was really said."""
    client, broker = (b"".join(d for s, d in dialogue if s == side) for side in (0, 1))
    return client, broker


def assert_causal(items: Sequence[Piece | Lost]) -> None:
    """No side answers what it cannot have heard; a gap excuses it."""
    next_: list[int | None] = [None, None]
    for item in items:
        if isinstance(item, Lost):
            next_ = [None, None]
            continue
        before, other = next_[item.side], next_[1 - item.side]
        assert before is None or item.start == before
        assert other is None or item.received <= other or item.received == other + 1
        next_[item.side] = item.start + len(item.data)


@pytest.mark.parametrize("far", [0, 1, 5, 30])
@pytest.mark.parametrize("size", [1, 7, 1400])
def test_whatever_order_packets_come_in_and_how_often(far: int, size: int) -> None:
    for seed in seeds(15):
        random = chance("order", seed, far, size)
        dialogue = spoken(random)
        segments = shuffled(overlapping(sent(dialogue, size, FIRST), random), random, far)
        conversation, items = followed(segments)
        assert sides(conversation, items) == whole(dialogue)
        assert not any(isinstance(item, Lost) for item in items)
        assert conversation.addresses[conversation.client or 0][1] == 40_000
        assert_causal(items)


def test_what_is_missing_is_said_and_all_else_is_there() -> None:
    for seed in seeds(150):
        random = chance("missing", seed)
        dialogue = spoken(random)
        segments = sent(dialogue, 40, FIRST)
        left = cut(segments, random) if seed % 3 == 0 else lost(segments, random)
        if seed % 2:
            left = shuffled(left, random, 10)
        if not any(segment.data for segment in left):
            continue
        conversation, items = followed(left)
        found = sides(conversation, items)
        kept = [sum(len(s.data) for s in left if s.side == side) for side in (0, 1)]
        assert [len(side) for side in found] == kept
        if found != whole(dialogue) and left[-1].flags & 1:
            assert any(isinstance(item, Lost) for item in items)
        assert_causal(items)


def test_the_beginning_of_a_side_is_where_its_syn_says_even_if_that_comes_late() -> None:
    dialogue: Dialogue = [(0, b"one"), (1, b"two"), (0, b"three")]
    segments = sent(dialogue)
    for syn in (segments[0], segments[1]):
        late = [*(s for s in segments if s is not syn), syn]
        conversation, items = followed(late)
        assert sides(conversation, items) == whole(dialogue)
        assert not any(isinstance(item, Lost) for item in items)


def test_a_capture_that_lacks_a_packet_is_waited_for_no_longer_than_need_be() -> None:
    dialogue: Dialogue = [(0, b"x" * 10)] * 3000
    segments = [s for n, s in enumerate(sent(dialogue, 10)) if n != 100]
    heard = packets_of(segments)
    conversation = Conversation(heard[0])
    for number, segment in enumerate(heard):
        if any(isinstance(item, Lost) for item in conversation.take(segment)):
            assert number < 1200
            return
    raise AssertionError("it is not said before the end")


def test_a_long_capture_out_of_order_is_not_given_up() -> None:
    random = chance("long")
    dialogue: Dialogue = [(0, b"x" * 10)] * 3000
    conversation, items = followed(shuffled(sent(dialogue, 10), random, 200))
    assert sides(conversation, items) == whole(dialogue)
    assert not any(isinstance(item, Lost) for item in items)


def test_a_side_may_go_on_when_the_other_has_ended() -> None:
    begin = sent([(0, b"all of it")])[:-2]
    end = Sent(0, 1010, 2**32 - 499, flags=17)
    answer = Sent(1, 2**32 - 499, 1011, b"an answer")
    for segments in (
        [*begin, end, answer],
        [*begin, answer, end],
        [*begin[:-1], end, begin[-1], answer],
    ):
        conversation, items = followed(segments)
        assert sides(conversation, items) == (b"all of it", b"an answer")
        assert not any(isinstance(item, Lost) for item in items)


def test_the_next_connection_of_the_same_ports_is_another_one() -> None:
    dialogue: Dialogue = [(0, b"one"), (1, b"two")]
    first, second = (packets_of(sent(dialogue, first=n)) for n in (FIRST, (5_000_000, 77)))
    conversation = Conversation(first[0])
    for segment in first:
        assert conversation.continues(segment)
        list(conversation.take(segment))
    assert all(conversation.continues(segment) for segment in first)  # captured twice
    assert not conversation.continues(second[0])


def test_numbers_go_on_beyond_all_that_fits_into_their_bits() -> None:
    (begin, *_), data = packets_of(sent([])), bytes(1 << 20)
    conversation, total = Conversation(begin), 0
    list(conversation.take(begin))
    list(conversation.take(packets_of(sent([]))[1]))
    while total < 3 << 31:
        low = (begin.seq + 1 + total) % 2**32
        segment = begin._replace(seq=low, ack=None, begins=False, data=data)
        assert conversation.continues(segment)
        (piece,) = conversation.take(segment)
        assert isinstance(piece, Piece)
        assert piece.start == begin.seq + 1 + total
        total += len(data)


def test_what_is_missing_at_the_end_is_known_from_who_had_received_it() -> None:
    segments = sent([(0, b"one"), (1, b"two"), (1, b"three")])
    conversation, items = followed([s for s in segments if s.data != b"three"])
    broker = 1 - (conversation.client or 0)
    assert isinstance(items[-1], Lost)
    assert items[-1].side == broker
    _, items = followed(segments)
    assert not any(isinstance(item, Lost) for item in items)
