"""Publisher confirms as a client sees them, frame by frame, without sockets and without a clock."""

from __future__ import annotations

import gc

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.machines.publication import name_of
from pamqp import commands, frame
from pamqp.body import ContentBody
from pamqp.header import ContentHeader

from tests.impl.clients import Wire, content, encode


def test_a_persistent_message_is_acked_when_the_disk_has_it_and_not_before() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    assert wire.publish(1, "q") == []
    batch = wire.broker.journal.take()
    assert wire.hear() == []
    wire.broker.committed(batch)
    assert wire.hear() == ["1 ack 1"]


def test_messages_that_are_safe_together_are_acked_together() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    for _ in range(5):
        wire.publish(1, "q")
    assert wire.commit() == ["1 ack 5*"]


def test_a_transient_message_is_acked_at_once() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    assert wire.publish(1, "q", persistent=False) == ["1 ack 1"]


def test_a_persistent_message_in_a_transient_queue_is_acked_at_once() -> None:
    wire = Wire().opened().with_queue("q", durable=False).confirming()
    assert wire.publish(1, "q") == ["1 ack 1"]


def test_multiple_never_reaches_a_message_that_is_still_open() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    wire.publish(1, "q")
    assert wire.publish(1, "q", persistent=False) == ["1 ack 2"]
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 3*"]


def test_a_mandatory_message_that_finds_no_queue_is_returned_then_acked() -> None:
    wire = Wire().opened().confirming()
    assert wire.publish(1, "none", mandatory=True) == [
        "1 return 312 none",
        "1 header 5",
        "1 body b'hello'",
        "1 ack 1",
    ]


def test_without_mandatory_it_is_only_acked() -> None:
    wire = Wire().opened().confirming()
    assert wire.publish(1, "none") == ["1 ack 1"]


def test_outside_confirm_mode_it_is_only_returned() -> None:
    wire = Wire().opened()
    assert wire.publish(1, "none") == []
    assert wire.publish(1, "none", mandatory=True)[0] == "1 return 312 none"


def test_an_empty_mandatory_message_is_returned_without_a_body() -> None:
    wire = Wire().opened()
    answer = wire.say(1, *content("none", b"", mandatory=True))
    assert answer == ["1 return 312 none", "1 header 0"]


def test_a_returned_message_is_cut_to_frames_that_the_client_takes() -> None:
    wire = Wire().opened(frame_max=4096)
    publish, header, _ = content("none", bytes(5000), mandatory=True)
    pieces = [ContentBody(bytes(4088)), ContentBody(bytes(912))]
    wire.session.receive(encode(1, publish, header, *pieces))
    sizes = []
    data = wire.session.take_output()
    while data:
        size = frame.unmarshal(data)[0]
        sizes.append(size)
        data = data[size:]
    assert sizes[2:] == [4096, 920]


def test_a_returned_message_has_the_properties_it_came_with_but_for_bcc() -> None:
    wire = Wire().opened()
    headers: dict[str, object] = {"CC": ["a"], "BCC": ["b"], "kept": "yes"}
    wire.session.receive(encode(1, *content("none", mandatory=True, headers=headers)))
    data = wire.session.take_output()
    header = frame.unmarshal(data[frame.unmarshal(data)[0] :])[2]
    assert isinstance(header, ContentHeader)
    assert header.properties.headers == {"CC": ["a"], "kept": "yes"}


def test_what_is_published_before_confirm_mode_takes_no_number() -> None:
    wire = Wire().opened().with_queue("q")
    wire.publish(1, "q")
    wire.publish(1, "none", mandatory=True)
    wire.confirming()
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 1"]


def test_asking_for_confirm_mode_twice_is_answered_twice_and_resets_nothing() -> None:
    wire = Wire().opened().confirming()
    assert wire.publish(1, "none") == ["1 ack 1"]
    wire.confirming()
    assert wire.publish(1, "none") == ["1 ack 2"]


def test_asking_without_waiting_is_not_answered() -> None:
    wire = Wire().opened()
    assert wire.say(1, commands.Confirm.Select(nowait=True)) == []
    assert wire.publish(1, "none") == ["1 ack 1"]


def test_several_channels_number_independently() -> None:
    wire = Wire().opened(1, 2).with_queue("q").confirming(1, 2)
    wire.publish(1, "q")
    wire.publish(2, "q")
    wire.publish(1, "q")
    assert sorted(wire.commit()) == ["1 ack 2*", "2 ack 1"]
    wire.publish(2, "q")
    assert wire.commit() == ["2 ack 2"]


def test_channels_of_several_connections_number_independently() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    other = Wire(wire.broker).opened().confirming()
    wire.publish(1, "q")
    wire.publish(1, "q")
    other.publish(1, "q")
    assert wire.commit() == ["1 ack 2*"]
    assert other.hear() == ["1 ack 1"]


def test_a_message_for_several_queues_is_acked_when_all_of_them_have_it() -> None:
    wire = Wire().opened().with_queue("a").with_queue("b", durable=False).confirming()
    wire.say(1, *content("a", headers={"CC": ["b", "a"], "BCC": ["none"]}))
    assert wire.hear() == [], "b has it and a is still writing"
    assert wire.commit() == ["1 ack 1"]
    assert [len(wire.broker.queues[name].machine.ready) for name in "ab"] == [1, 1]


def test_a_queue_that_crashes_nacks_what_was_outstanding_and_is_there_again() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    wire.publish(1, "q")
    wire.publish(1, "q")
    wire.broker.crash_queue("q")
    assert wire.hear() == ["1 nack 2*"]
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 3"]


def test_a_crash_loses_what_was_buffered_and_spares_what_was_written() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    wire.publish(1, "q")
    batch = wire.broker.journal.take()
    wire.publish(1, "q")
    assert wire.publish(1, "q", persistent=False) == ["1 ack 3"]
    wire.broker.crash_queue("q")
    assert wire.hear() == ["1 nack 2*"]
    ready = wire.broker.queues["q"].machine.ready
    assert len(ready) == 1, "the one that was on its way to the disk"
    wire.broker.committed(batch)
    assert wire.commit() == [], "it was nacked, and is not acked as well"
    assert len(ready) == 1
    assert not wire.broker.journal.pending


def test_a_crash_settles_only_what_waits_for_that_queue() -> None:
    wire = Wire().opened().with_queue("a").with_queue("b").confirming()
    wire.publish(1, "a")
    wire.publish(1, "b")
    wire.broker.crash_queue("b")
    assert wire.hear() == ["1 nack 2"]
    assert wire.commit() == ["1 ack 1"]


def test_a_message_for_two_queues_is_nacked_if_one_of_them_crashes() -> None:
    wire = Wire().opened().with_queue("a").with_queue("b").confirming()
    wire.say(1, *content("a", headers={"CC": ["b"]}))
    wire.broker.crash_queue("b")
    assert wire.hear() == ["1 nack 1*"]
    assert wire.commit() == []
    assert len(wire.broker.queues["a"].machine.ready) == 1


def test_a_crash_is_told_to_every_channel_that_waits() -> None:
    wire = Wire().opened(1, 2).with_queue("q").confirming(1, 2)
    other = Wire(wire.broker).opened().confirming()
    wire.publish(1, "q")
    wire.publish(2, "q")
    other.publish(1, "q")
    wire.broker.crash_queue("q")
    assert sorted(wire.hear()) == ["1 nack 1*", "2 nack 1*"]
    assert other.hear() == ["1 nack 1*"]


def test_deleting_a_queue_acks_what_waits_for_it() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    wire.publish(1, "q")
    assert wire.say(1, commands.Queue.Delete(queue="q")) == ["1 ack 1"]
    assert wire.commit() == ["1 Queue.DeleteOk"]


def test_a_queue_of_the_same_name_is_another_queue() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    wire.publish(1, "q")
    wire.say(1, commands.Queue.Delete(queue="q"))
    wire.commit()
    wire.with_queue("q")
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 2"]
    assert len(wire.broker.queues["q"].machine.ready) == 1


def test_purging_a_queue_confirms_what_was_not_yet_written() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    wire.publish(1, "q")
    wire.publish(1, "q")
    assert wire.say(1, commands.Queue.Purge(queue="q")) == ["1 Queue.PurgeOk", "1 ack 2*"]
    assert not wire.broker.queues["q"].buffered


def test_purging_while_the_disk_writes_confirms_once() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    wire.publish(1, "q")
    batch = wire.broker.journal.take()
    assert wire.say(1, commands.Queue.Purge(queue="q")) == ["1 Queue.PurgeOk", "1 ack 1"]
    wire.broker.committed(batch)
    assert wire.hear() == []
    assert [name_of(msg) for _, msg in wire.broker.journal.take().removed] == ["2.1"]


def test_a_commit_that_fails_confirms_nothing_until_it_succeeds() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    wire.publish(1, "q")
    batch = wire.broker.journal.take()
    wire.broker.journal.failed(batch)
    wire.publish(1, "q")
    assert wire.hear() == []
    again = wire.broker.journal.take()
    assert again is batch
    wire.broker.committed(again)
    assert wire.hear() == ["1 ack 1"]
    assert wire.commit() == ["1 ack 2"]


def test_the_close_of_a_channel_drops_its_confirms_and_the_message_stays() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    wire.publish(1, "q")
    assert wire.say(1, commands.Channel.Close(0, "", 0, 0)) == ["1 Channel.CloseOk"]
    assert wire.commit() == []
    assert len(wire.broker.queues["q"].machine.ready) == 1


def test_what_is_settled_is_told_before_the_close_is_answered() -> None:
    wire = Wire().opened().confirming()
    wire.session.receive(encode(1, *content("none"), commands.Channel.Close(0, "", 0, 0)))
    assert wire.hear() == ["1 ack 1", "1 Channel.CloseOk"]


def test_a_reopened_channel_numbers_from_one() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    wire.publish(1, "q")
    wire.say(1, commands.Channel.Close(0, "", 0, 0))
    wire.say(1, commands.Channel.Open())
    wire.confirming()
    wire.publish(1, "q")
    assert wire.commit() == ["1 ack 1"]


def test_a_lost_connection_leaves_nothing_behind() -> None:
    wire = Wire().opened(1, 2).with_queue("q").confirming(1, 2)
    for _ in range(10):
        wire.publish(1, "q")
        wire.publish(2, "q")
    wire.session.connection_lost()
    wire.commit()
    queue = wire.broker.queues["q"]
    assert not queue.machine.owes()
    assert not queue.watchers
    assert len(queue.machine.ready) == 20


def test_nothing_is_kept_of_messages_that_are_confirmed_and_gone() -> None:
    wire = Wire().opened().with_queue("q").confirming()

    def objects() -> int:
        gc.collect()
        return len(gc.get_objects())

    def round_trip() -> None:
        wire.publish(1, "q")
        wire.commit()
        wire.say(1, commands.Queue.Purge(queue="q"))

    for _ in range(300):
        round_trip()
    before = objects()
    for _ in range(300):
        round_trip()
    assert objects() - before < 100
    queue = wire.broker.queues["q"]
    assert not queue.buffered
    assert not queue.machine.owes()


def test_crashing_a_queue_that_is_not_there_says_which_are() -> None:
    broker = Broker()
    Wire(broker).opened().with_queue("orders")
    with pytest.raises(LookupError) as raised:
        broker.crash_queue("order")
    assert str(raised.value) == "there is no queue 'order' to crash; there are: orders"
