"""A message stands in a queue where it arrived, and no message is looked at to find the first."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from ackproof.impl.machines.hosted_system import hosted_system
from ackproof.impl.machines.id_order import IdOrder
from ackproof.impl.machines.publication import channel_id, published
from ackproof.impl.machines.queue_order import PlacedSet, QueueOrder
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue, MirrorMembership
from ackproof.impl.wire.content import Message
from ackproof.spec.sorts import Msg


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
        queue.place(msg)
        machine.accept(msg, True, True)
    assert machine.head() == messages[0]
    machine.take(messages[0])
    assert machine.head() == messages[1]
    machine.requeue(messages[0])
    assert machine.head() == messages[0]
    assert not ready.walked


def test_a_mirror_hears_in_the_order_of_what_its_master_has_told() -> None:
    leader = HostedQueue(hosted_system(2), "q", 1, durable=True)
    membership = MirrorMembership(leader)
    mirrors = [HostedMirror(leader, number, number, late=False) for number in (2, 3)]
    for mirror in mirrors:
        membership.enter(mirror)
    one, other = mirrors
    for msg in (9, 4, 6):  # in the order in which they reached the master
        membership.tell(msg, None, membership.multicast.copies, mirrors)  # type: ignore[arg-type]
    assert isinstance(membership.multicast.order[one.key], IdOrder)
    assert membership.multicast.next_from_master(one.key) == 1
    for place in (1, 2):
        membership.multicast.learnt(place, one.key)  # type: ignore[arg-type]
    membership.equalise(mirrors)
    assert [told.msg for told in other.told] == [9, 4], "what one of them got, each gets"
