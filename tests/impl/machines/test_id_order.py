"""A message stands in a queue where its id says, and no message is looked at to find the first."""

from __future__ import annotations

from collections.abc import Iterator

from ackproof.impl.machines.id_order import IdOrder
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue, MirrorMembership
from ackproof.lang import OrderedSet
from ackproof.spec.sorts import Msg


class Watched(OrderedSet[Msg]):
    """A set that notes whether somebody goes through it."""

    walked = False

    def __iter__(self) -> Iterator[Msg]:
        self.walked = True
        return super().__iter__()


def ids(*numbers: int) -> set[Msg]:
    """Return messages by their ids."""
    return set(numbers)  # type: ignore[misc]


def test_the_first_is_the_least_and_the_last_the_greatest() -> None:
    order, among = IdOrder(), ids(7, 3, 5)
    assert (order.first(among), order.last(among)) == (3, 7)
    assert (order.first(set()), order.last(set())) == (None, None)
    assert [m for m in sorted(among) if order.before(m, 5)] == [3]  # type: ignore[arg-type]


def test_nothing_is_remembered_of_what_comes_and_goes() -> None:
    order = IdOrder()
    order.arrive(2, ids(1))  # type: ignore[arg-type]
    assert not order.ahead
    order.keep(ids(1, 2))
    order.leave(ids(1))
    assert order.first(ids(1, 2)) == 1


def test_a_queue_finds_its_head_and_takes_a_message_in_without_looking_at_the_others() -> None:
    machine = HostedQueue("q", 1, durable=True).machine
    ready = machine.ready = Watched()
    ready.walked = False
    for number in range(1, 10):
        machine.accept(number, True, True)  # type: ignore[arg-type]
    assert machine.head() == 1
    machine.take(1)  # type: ignore[arg-type]
    assert machine.head() == 2
    machine.requeue(1)  # type: ignore[arg-type]
    assert machine.head() == 1
    assert not ready.walked


def test_a_mirror_hears_in_the_order_of_what_its_master_has_told() -> None:
    leader = HostedQueue("q", 1, durable=True)
    membership = MirrorMembership(leader)
    mirrors = [HostedMirror(leader, number, number, late=False) for number in (2, 3)]
    for mirror in mirrors:
        membership.enter(mirror)
    one, other = mirrors
    for msg in (9, 4, 6):  # in the order in which they reached the master
        membership.tell(msg, None, membership.multicast.copies, mirrors)  # type: ignore[arg-type]
    assert membership.multicast.next_from_master(one.key) == 1
    for place in (1, 2):
        membership.multicast.learnt(place, one.key)  # type: ignore[arg-type]
    membership.equalise(mirrors)
    assert [told.msg for told in other.told] == [9, 4], "what one of them got, each gets"
