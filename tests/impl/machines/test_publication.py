"""To the machines a message is an integer; wherever it is kept, its content is at hand."""

from __future__ import annotations

from ackproof.impl.machines.publication import (
    channel_id,
    confirming,
    content_of,
    name_of,
    published,
    shares,
)
from ackproof.impl.wire.content import Message
from ackproof.spec.queue import QueueMaster
from ackproof.spec.sorts import Level, Msg

HELLO = Message("", ("q",), False, True, b"\0\0", b"hello")
FIRST = Msg.first(channel_id(7))


def test_what_a_machine_hands_out_carries_what_it_was_given() -> None:
    queue = QueueMaster()
    queue.accept(published(FIRST, HELLO, confirming=True), True, True)
    head = queue.head()
    assert head is not None
    assert content_of(head) is HELLO
    assert confirming(head)


def test_a_plain_number_is_the_same_message_to_sets_and_maps() -> None:
    msg, queue = published(FIRST, HELLO, confirming=False), QueueMaster()
    queue.accept(msg, True, False)
    assert FIRST in queue.ready
    assert queue.store.level[FIRST] is Level.BUFFERED
    assert msg == FIRST


def test_a_message_says_whose_it_is() -> None:
    other = published(Msg.first(channel_id(9)), HELLO, confirming=True)
    msgs = [FIRST, Msg.succ(FIRST), other]
    divided = dict(shares(msgs))  # type: ignore[arg-type]
    assert divided == {7: {FIRST, Msg.succ(FIRST)}, 9: {other}}
    assert [name_of(msg) for msg in msgs] == ["7.1", "7.2", "9.1"]  # type: ignore[arg-type]
