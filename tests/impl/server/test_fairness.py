"""Whoever makes the broker work hard does not make others wait for all of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.impl.running import RunningBroker
from ackproof.impl.session.session import Session
from ackproof.impl.storage import journal
from pamqp import commands

from tests.impl.clients import HEADER, Wire, content, encode
from tests.impl.sockets import Bare, eventually

QUEUES = 100
MESSAGES = 400


def fanout(client: Bare, *, durable: bool) -> None:
    """Bind queues to an exchange that sends each message to all of them."""
    for number in range(QUEUES):
        queue = f"q{number}"
        client.send(encode(1, commands.Queue.Declare(queue=queue, durable=durable)))
        client.line()
        client.send(encode(1, commands.Queue.Bind(queue=queue, exchange="amq.fanout")))
        client.line()


def depth(broker: RunningBroker) -> int:
    """Return how many messages have come to the last of the queues."""
    return broker.depth(f"q{QUEUES - 1}")


@pytest.mark.parametrize("persistent", [False, True])
def test_others_have_their_turn_while_a_fanout_runs(tmp_path: Path, persistent: bool) -> None:
    with RunningBroker(tmp_path, recording=False) as broker:
        busy = Bare(broker.port).opened()
        fanout(busy, durable=persistent)
        message = encode(1, *content("", b"", exchange="amq.fanout", persistent=persistent))
        busy.send(message * MESSAGES)
        eventually(lambda: depth(broker) > 0)
        other = Bare(broker.port).opened()
        assert depth(broker) < MESSAGES, "it did not wait for all of them"
        eventually(lambda: depth(broker) == MESSAGES)
        other.close()
        busy.close()


def test_what_is_left_at_the_end_of_a_turn_is_processed_in_the_next_ones() -> None:
    wire = Wire().opened().with_queue("q", durable=False)
    short = Session(wire.broker, turn=0)
    taken = 0
    short.receive(opening() + encode(1, *content("q")) * 8)
    while short.unfinished:
        taken += 1
        short.go_on()
    assert taken > 9, "a turn is a frame or a whole publish, as short as it is"
    assert len(wire.broker.queues["q"].machine.ready) == 8


def opening() -> bytes:
    """Return all that a client says to open channel 1."""
    login = commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US")
    said = (login, commands.Connection.TuneOk(2047, 131072, 0), commands.Connection.Open())
    return HEADER + encode(0, *said) + encode(1, commands.Channel.Open())


def test_a_batch_takes_in_no_more_queues_when_it_has_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(journal, "_MOST", 3)
    wire = Wire().opened().with_queue("a").with_queue("b").with_queue("c").confirming()
    for name in "abc":
        for _ in range(2):
            wire.publish(1, name)
    batches = wire.broker.journal
    called: list[int] = []
    batches.after_commit(lambda: called.append(1))
    first = batches.take()
    assert {queue.name for queue, _ in first.messages} == {"a", "b"}
    wire.broker.committed(first)
    assert not called, "not all that was said before is on the disk"
    wire.broker.committed(batches.take())
    assert called
    assert not batches.pending
    assert wire.hear() == ["1 ack 6*"]


def test_a_batch_that_says_which_queues_there_are_is_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(journal, "_MOST", 1)
    wire = Wire().opened().with_queue("a").with_queue("b")
    wire.publish(1, "a")
    wire.publish(1, "b")
    wire.say(1, commands.Queue.Declare(queue="c", durable=True, nowait=True))
    assert len(wire.broker.journal.take().messages) == 2
