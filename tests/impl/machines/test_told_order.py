"""A mirror hears in the order of what its master has told."""

from __future__ import annotations

from typing import cast

from ackproof.impl.machines.hosted_system import hosted_system
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue, MirrorMembership
from ackproof.impl.machines.told_order import ToldOrder
from ackproof.spec.sorts import Msg

FOUR, SIX, NINE = (cast(Msg, number) for number in (4, 6, 9))


def test_what_was_told_first_is_heard_first_and_each_gets_what_one_of_them_got() -> None:
    system = hosted_system(2)
    leader = HostedQueue(system, "q", 1, durable=True)
    membership = MirrorMembership(leader)
    one, other = (HostedMirror(leader, number, number, late=False) for number in (2, 3))
    for mirror in (one, other):
        membership.enter(mirror)
    for msg in (NINE, FOUR, SIX):  # in the order in which they reached the master
        for mirror in (one, other):
            system.multicast.tell_publish(msg, mirror.key)
    assert isinstance(system.multicast.order[one.key], ToldOrder)
    assert system.multicast.next_from_master(one.key) == NINE
    for msg in (NINE, FOUR):
        system.multicast.learnt(msg, one.key)
    system.multicast.equalise({one.key, other.key})
    assert system.multicast.next_from_master(one.key) is None
    assert system.multicast.copies[other.key] == {NINE, FOUR}
    assert system.multicast.next_from_master(other.key) == NINE


def test_a_message_that_is_told_of_again_comes_after_the_others() -> None:
    order = ToldOrder()
    for msg in (FOUR, SIX, FOUR):
        order.arrive(msg, set())
    assert order.first(set()) == SIX
    assert order.before(SIX, FOUR)
    order.leave({SIX})
    assert order.first(set()) == FOUR
    order.keep(set())
    assert order.first(set()) is None
