"""A message stands in a queue where it arrived, and no message is looked at to find the first."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from ackproof.impl.machines.hosted_system import hosted_system
from ackproof.impl.machines.publication import channel_id, published
from ackproof.impl.machines.queue_order import PlacedSet, QueueOrder
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.wire.content import Message
from ackproof.spec.sorts import Msg
from hypothesis import given
from hypothesis import strategies as st


class Watched(PlacedSet):
    """A set that notes whether somebody goes through it."""

    walked = False

    def __iter__(self) -> Iterator[Msg]:
        self.walked = True
        return super().__iter__()


def message(number: int, channel: int = 1) -> Msg:
    """Return a message of a channel."""
    first: int = Msg.first(channel_id(channel))  # type: ignore[assignment]
    nothing = Message("", ("q",), False, True, b"\0\0", b"")
    return published(first + number - 1, nothing, confirming=True)  # type: ignore[arg-type]


def arrived(*messages: Msg) -> QueueOrder:
    """Return the order of messages that have arrived one after another."""
    order = QueueOrder()
    for msg in messages:
        order.arrive(msg, set())
    return order


def test_messages_stand_in_the_order_in_which_they_arrived_whoever_sent_them() -> None:
    one, two, other = message(1, channel=2), message(2, channel=2), message(1, channel=1)
    order = arrived(one, other, two)
    assert order.first({two, other}) == other
    assert order.before(one, other)
    assert not order.before(two, other)
    assert order.first(set()) is None


def test_one_that_comes_back_returns_to_its_place() -> None:
    one, two = message(1, channel=2), message(1)
    order = arrived(one, two)
    ready = PlacedSet(order, {one, two})
    ready.discard(one)
    assert ready.first() == two
    ready.add(one)
    assert ready.first() == one
    assert ready.sorted() == [one, two]


def test_one_that_has_left_and_arrives_again_comes_last() -> None:
    one, two = message(1), message(2)
    order = arrived(one, two)
    ready = PlacedSet(order, {one, two})
    ready.discard(one)
    order.leave({one})
    order.arrive(one, set())
    ready.add(one)
    assert ready.sorted() == [two, one]
    assert ready.first() == two


def test_whatever_leaves_a_set_is_not_its_first_any_more() -> None:
    messages = [message(number) for number in range(1, 9)]
    ready = PlacedSet(arrived(*messages), messages)
    ready.remove(messages[0])
    with pytest.raises(KeyError):
        ready.remove(messages[0])
    ready -= {messages[1], messages[0]}
    assert ready.sorted() == messages[2:]
    ready &= set(messages[3:6])
    assert (ready.first(), ready.sorted()) == (messages[3], messages[3:6])
    ready |= {messages[2]}
    assert ready.first() == messages[2]
    ready.clear()
    assert ready.first() is None
    assert not ready


def test_what_has_left_a_set_is_let_go_of_with_its_content() -> None:
    kept, gone = message(1), message(2)
    order = arrived(kept, gone)
    ready = PlacedSet(order, {kept, gone})
    before = sys.getrefcount(gone)
    ready.discard(gone)
    order.leave({gone})
    assert sys.getrefcount(gone) < before - 1


def test_nothing_is_remembered_of_what_is_present_no_more() -> None:
    one, two, three = message(1), message(2), message(3)
    order = arrived(one, two, three)
    order.leave({one})
    order.keep({three})
    assert order.places.keys() == {three}
    assert not order.ahead


def test_who_arrives_after_a_recovery_comes_after_what_was_there_before_it() -> None:
    old, new = message(9), message(1, channel=2)
    order = QueueOrder()
    order.take({old: 41})
    order.arrive(new, set())
    assert order.places[new] == 42


def test_a_queue_finds_its_head_and_takes_a_message_in_without_looking_at_the_others() -> None:
    queue = HostedQueue(hosted_system(1), "q", 1, durable=True)
    machine = queue.machine
    ready = machine.ready = Watched(queue.order)
    messages = [message(number) for number in range(1, 10)]
    ready.walked = False
    for msg in messages:
        queue.order.arrive(msg, set())
        machine.accept(msg, True, True)
    assert machine.head() == messages[0]
    machine.take(messages[0])
    assert machine.head() == messages[1]
    machine.requeue(messages[0])
    assert machine.head() == messages[0]
    assert not ready.walked


@given(st.data())
def test_the_first_of_a_set_are_those_that_stand_first(data: st.DataObject) -> None:
    order = QueueOrder()
    messages = [message(number) for number in range(1, 30)]
    for msg in data.draw(st.permutations(messages)):
        order.arrive(msg, set())
    ready = PlacedSet(order, messages)
    for msg in data.draw(st.lists(st.sampled_from(messages))):
        ready.remove(msg) if msg in ready else ready.add(msg)
    expected = sorted(ready, key=order.places.__getitem__)
    assert list(ready.ascending()) == ready.sorted() == expected
    most = data.draw(st.integers(0, 30))
    assert order.surplus(ready, most) == order.surplus(set(ready), most)
    assert order.surplus(ready, most) == set(expected[: max(len(ready) - most, 0)])


def test_a_message_that_gets_another_place_stands_there() -> None:
    one, two = message(1), message(2)
    order = arrived(one, two)
    ready, stood = PlacedSet(order, {one, two}), order.places[one]
    order.arrive(one, set())
    ready.move(one, stood)
    assert ready.sorted() == [two, one]
    ready.discard(one)
    assert ready.sorted() == [two]


def test_what_leaves_while_somebody_takes_note_is_noted() -> None:
    one, two = message(1), message(2)
    ready = PlacedSet(arrived(one, two), {one, two})
    ready.note()
    ready.discard(one)
    assert ready.noted() == [one]
    ready.discard(two)
    assert ready.noted() == []


def test_what_leaves_together_is_noted_in_the_order_of_the_queue() -> None:
    messages = [message(number) for number in (5, 3, 9, 1)]
    ready = PlacedSet(arrived(*messages), messages)
    ready.note()
    for msg in sorted(messages):
        ready.discard(msg)
    assert ready.noted() == messages
