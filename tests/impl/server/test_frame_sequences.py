"""What a publisher sees on a real socket: frame after frame, nothing more, nothing less."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from ackproof.impl.running import RunningBroker
from pamqp import commands, frame

from tests.impl.clients import content, encode
from tests.impl.sockets import Bare


@pytest.fixture
def broker() -> Iterator[RunningBroker]:
    with RunningBroker() as running:
        yield running
        running.check()


@pytest.fixture
def client(broker: RunningBroker) -> Iterator[Bare]:
    opened = Bare(broker.port).opened()
    yield opened
    opened.close()


def ask(client: Bare, method: frame.FrameTypes) -> str:
    """Send a method and return the answer; nothing else must come before it."""
    client.send(encode(1, method))
    return client.line()


def declare(client: Bare, queue: str, **arguments: object) -> None:
    method = commands.Queue.Declare(
        queue=queue,
        durable=True,
        arguments={name.replace("_", "-"): value for name, value in arguments.items()},  # type: ignore[misc]
    )
    assert ask(client, method) == f"1 Queue.DeclareOk {queue} 0"


def lines(client: Bare, count: int) -> list[str]:
    return [client.line() for _ in range(count)]


def said_no_more(client: Bare) -> bool:
    """Tell whether nothing comes before the answer to the next question."""
    return ask(client, commands.Basic.Qos()) == "1 Basic.QosOk"


def test_the_logged_example_is_acked_as_1(client: Bare) -> None:
    """Mandatory, persistent, a direct exchange, one queue: there is a log of it from 3.6."""
    assert ask(client, commands.Exchange.Declare(0, "logged")) == "1 Exchange.DeclareOk"
    declare(client, "q")
    assert ask(client, commands.Queue.Bind(0, "q", "logged", "key")) == "1 Queue.BindOk"
    client.send(encode(1, *content("key", exchange="logged", mandatory=True)))
    assert client.line() == "1 ack 1"
    assert said_no_more(client)


def mixed() -> bytes:
    """Return the mixed publish of the experiment X8, to the queues `full` and `q`."""
    return encode(
        1,
        *content("nowhere", b"1", mandatory=True),
        *content("nowhere", b"2"),
        *(one for text in (b"3", b"4", b"5") for one in content("full", text)),
        *(one for text in (b"6", b"7", b"8") for one in content("q", text, persistent=False)),
        *(one for text in (b"9", b"10", b"11") for one in content("q", text)),
    )


def test_mixed_publishes_are_settled_in_the_order_of_what_they_wait_for(
    broker: RunningBroker, client: Bare
) -> None:
    """As one write, and with the disk as slow as can be."""
    declare(client, "full", x_max_length=1, x_overflow="reject-publish")
    declare(client, "q")
    broker.hold_fsync()
    client.send(mixed())
    assert lines(client, 3) == ["1 return 312 nowhere", "1 header 1", "1 body b'1'"]
    at_once = settled(client, 7)
    assert at_once == {1: "ack", 2: "ack", 4: "nack", 5: "nack", 6: "ack", 7: "ack", 8: "ack"}
    assert said_no_more(client)
    broker.release_fsync()
    assert settled(client, 4, before=at_once) == dict.fromkeys((3, 9, 10, 11), "ack")
    assert said_no_more(client)


def settled(client: Bare, count: int, before: Iterable[int] = ()) -> dict[int, str]:
    """Return how publishes are settled, when there are so many.

    Args:
        client: who is told.
        count: how many.
        before: what was settled already, and must not be again.
    """
    found: dict[int, str] = {}
    while len(found) < count:
        _, kind, said = client.line().split()
        tag = int(said.rstrip("*"))
        assert tag not in {*found, *before}
        first = 1 if said.endswith("*") else tag
        found |= {one: kind for one in range(first, tag + 1) if one not in {*found, *before}}
    return found


def test_a_queue_that_crashes_nacks_what_it_had_not_confirmed(
    broker: RunningBroker, client: Bare
) -> None:
    declare(client, "q")
    broker.hold_fsync()
    client.send(encode(1, *content("q")))
    assert said_no_more(client)
    broker.crash_queue("q")
    assert client.line() == "1 nack 1*"
    broker.release_fsync()
    assert said_no_more(client)


def test_a_returned_message_is_acked_after_its_return(client: Bare) -> None:
    client.send(encode(1, *content("nowhere", mandatory=True)))
    assert lines(client, 4) == [
        "1 return 312 nowhere",
        "1 header 5",
        "1 body b'hello'",
        "1 ack 1",
    ]
    assert said_no_more(client)


def test_what_waits_for_one_fsync_is_acked_by_one_frame(
    broker: RunningBroker, client: Bare
) -> None:
    declare(client, "q")
    broker.hold_fsync()
    for _ in range(10):
        client.send(encode(1, *content("q")))
    assert said_no_more(client)
    broker.release_fsync()
    assert client.line() == "1 ack 10*"
    assert said_no_more(client)
