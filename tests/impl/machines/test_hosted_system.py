"""The system that a broker runs is the specification's own, without what a broker never does."""

from __future__ import annotations

from typing import Any, cast

import pytest
from ackproof.impl.machines.hosted_system import HostedSystem, hosted_system, leave, translated
from ackproof.impl.machines.publication import channel_id, published
from ackproof.impl.wire.content import Message
from ackproof.lang import Event, NotEnabled
from ackproof.spec.sorts import Msg, Replica
from ackproof.spec.wire import Ack, SelectOk

HELLO = Message("", ("q",), False, True, b"\0\0", b"hello")
QUEUE = cast(Replica, 5)
CHANNEL = channel_id(1)


def with_a_queue(replicas: int = 1) -> tuple[HostedSystem, list[Event]]:
    """Return a system with a channel and a queue, and what the channel says."""
    system, said = hosted_system(replicas), list[Event]()
    families: Any = system
    families.channels.add(CHANNEL, said.append)
    families.channels[CHANNEL].next_seq = Msg.first(CHANNEL)
    families.replicas.add(QUEUE, of=QUEUE)
    return system, said


@pytest.mark.parametrize("replicas", [1, 3])
def test_a_message_goes_through_it_by_the_actions_of_the_specification(replicas: int) -> None:
    system, said = with_a_queue(replicas)
    msg = published(Msg.first(CHANNEL), HELLO, confirming=True)
    system.select(CHANNEL)
    system.publish(msg, {cast(Any, QUEUE)}, True, True)
    system.deliver(msg, QUEUE)
    with pytest.raises(NotEnabled):
        system.confirm_arrives(CHANNEL, QUEUE)
    system.sync(msg, QUEUE)
    system.drain(QUEUE)
    system.confirm_arrives(CHANNEL, QUEUE)
    system.flush(CHANNEL)
    assert said == [SelectOk(CHANNEL), Ack(CHANNEL, msg, False)]


def test_nothing_is_left_of_a_channel_that_has_left() -> None:
    system, _ = with_a_queue()
    system.select(CHANNEL)
    leave(system, CHANNEL)
    left = {*system.channels, *system.transactions, *system.casts}
    assert not left


def test_two_brokers_have_two_systems() -> None:
    one, _ = with_a_queue()
    assert one.replicas
    assert not hosted_system(1).replicas


def test_what_a_broker_never_does_is_impossible_in_it() -> None:
    alone, mirrored = translated(False), translated(True)
    assert {"alarm", "store_takes", "pass_by", "reader_bumped"} <= mirrored.impossible
    assert {"promote", "synchronise", "master_tells"} <= alone.impossible
    assert "promote" not in mirrored.impossible
    assert "credit_pair" not in alone.text
