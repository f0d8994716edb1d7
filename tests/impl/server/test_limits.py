"""How much of everything a client may take, and what it is told when it wants more."""

from __future__ import annotations

import gc
import logging
import resource
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.errors import HardError
from ackproof.impl.limits import Limits
from ackproof.impl.memory import Memory
from ackproof.impl.running import RunningBroker
from ackproof.impl.server.server import Server
from ackproof.impl.wire.content import Message
from pamqp import body, commands, frame, header
from pamqp.common import FieldTable

from tests.impl.clients import HEADER, Wire, content, encode
from tests.impl.sockets import Bare, eventually

#: Bytes that are read from one socket before anybody looks at the memory.
READ_AT_ONCE = 256 << 10
BLOCKED: FieldTable = {"capabilities": {"connection.blocked": True}}


@pytest.fixture
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing may be logged as a warning or worse."""
    with caplog.at_level(logging.WARNING):
        yield
        # The records of a fixture's own phase are not those of the test.
        assert caplog.get_records("call") == []


def server(broker: RunningBroker) -> Server:
    """Return what listens for a broker."""
    return broker._node._server


def start_ok(client: FieldTable | None = None) -> frame.FrameTypes:
    """Return a login as guest, of a client with these properties."""
    return commands.Connection.StartOk(client or {}, "PLAIN", "\0guest\0guest", "en_US")


# -- what a bound may be ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        ({"connections": 0}, "connections is 0; it must be 1 or more"),
        ({"channels": 65536}, "channels is 65536; it must be from 1 to 65535"),
        ({"frame_max": 4095}, "frame_max is 4095; it must be from 4096 to 4294967295"),
        ({"queues": 0}, "queues is 0; it must be 1 or more"),
        ({"table_depth": 500}, "table_depth is 500; it must be from 1 to 128"),
        ({"handshake": 0}, "handshake and closing are seconds, and must be more than 0"),
        ({"unacked_for": 0}, "unacked_for is seconds, and must be more than 0"),
        ({"memory": 100, "body_size": 100}, r"memory \(100\) must be more than body_size \(100\)"),
    ],
)
def test_a_bound_that_cannot_be_kept_is_refused(bounds: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Limits(**bounds)


def test_a_body_that_is_too_large_is_refused_by_its_header() -> None:
    wire = Wire(limits=Limits(body_size=1000)).opened()
    publish, _, _ = content("q")
    assert wire.say(1, publish, header.ContentHeader(0, 1001)) == [
        "1 Channel.Close 406 PRECONDITION_FAILED - "
        "message size 1001 is larger than configured max size 1000"
    ]
    assert wire.say(1, body.ContentBody(bytes(1001))) == [], "it is on its way, and is ignored"
    assert wire.say(1, commands.Channel.CloseOk()) == []
    assert wire.say(1, commands.Channel.Open()) == ["1 Channel.OpenOk"]


# -- memory -------------------------------------------------------------------------------------


def test_memory_is_given_back_with_the_last_reference() -> None:
    memory = Memory()
    share = memory.take(1000)
    share.grow(500)
    also = share
    del share
    assert memory.used >= 1500
    del also
    assert memory.used == 0


def test_a_message_counts_itself_for_as_long_as_anybody_has_it() -> None:
    memory = Memory()
    message = Message("", ("q",), False, False, bytes(14), b"hello", memory)
    first = memory.used
    changed = replace(message, properties=bytes(64))
    assert memory.used == 2 * first + 50
    message.count_in(memory)
    assert memory.used == 2 * first + 50, "it is counted"
    del message
    assert memory.used == first + 50
    del changed
    assert memory.used == 0


def test_memory_may_be_given_back_by_any_thread() -> None:
    memory = Memory()
    shares = [memory.take(1) for _ in range(5000)]

    def drop(mine: list[object]) -> None:
        mine.clear()

    threads = [threading.Thread(target=drop, args=(shares[n::4],)) for n in range(4)]
    shares.clear()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    del threads, thread
    gc.collect()
    assert memory.used == 0


def test_a_content_counts_from_its_first_byte_to_its_last_reader() -> None:
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="q"))
    publish, head, _ = content("q", bytes(10_000))
    wire.say(1, publish, head, body.ContentBody(bytes(4_000)))
    assert 4_000 < wire.broker.memory.used < 10_000
    wire.say(1, body.ContentBody(bytes(6_000)))
    assert 10_000 < wire.broker.memory.used < 12_000
    wire.say(1, commands.Queue.Purge(queue="q"))
    gc.collect()
    assert wire.broker.memory.used == 0


def test_a_body_may_come_in_very_many_pieces_and_empty_ones_take_nothing() -> None:
    wire = Wire().opened()
    publish, head, _ = content("none", b"hello", mandatory=True)
    wire.say(1, publish, head)
    empty = encode(1, body.ContentBody(b"")) * 1000
    wire.receive(empty)
    tracemalloc.start()
    for _ in range(20):
        wire.receive(empty)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < 20_000
    wire.say(1, *(body.ContentBody(bytes([byte])) for byte in b"hell"))
    assert wire.say(1, body.ContentBody(b"o"))[-1] == "1 body b'hello'"


def test_a_content_that_never_ends_counts_until_its_connection_does() -> None:
    wire = Wire().opened()
    publish, head, _ = content("q", bytes(10_000))
    wire.say(1, publish, head, body.ContentBody(bytes(9_000)))
    assert wire.broker.memory.used > 9_000
    wire.session.connection_lost()
    gc.collect()
    assert wire.broker.memory.used == 0


# -- alarms, for one session --------------------------------------------------------------------


def publishing(client: FieldTable | None = BLOCKED) -> Wire:
    """Return a session in confirm mode, of a client with these properties."""
    wire = Wire()
    wire.receive(HEADER)
    wire.say(0, start_ok(client), commands.Connection.TuneOk(2047, 131072, 0))
    wire.say(0, commands.Connection.Open())
    wire.say(1, commands.Channel.Open(), commands.Confirm.Select())
    return wire


def test_who_publishes_during_an_alarm_is_blocked_and_hears_why() -> None:
    wire = publishing()
    wire.session.alarm("low on memory")
    assert wire.hear() == [], "who does not publish is left alone"
    assert wire.say(1, commands.Confirm.Select()) == ["1 Confirm.SelectOk"]
    assert wire.publish(1, "none") == ["0 Connection.Blocked"]
    assert not wire.session.listens
    assert wire.publish(1, "none") == []
    assert wire.say(1, commands.Confirm.Select()) == [], "nothing at all is read from it"
    wire.session.alarm("")
    assert wire.hear() == ["0 Connection.Unblocked", "1 ack 2*", "1 Confirm.SelectOk"]


def test_a_client_that_does_not_know_of_blocking_is_blocked_without_a_word() -> None:
    wire = publishing({})
    wire.session.alarm("low on memory")
    assert wire.publish(1, "none") == []
    wire.session.alarm("")
    assert wire.hear() == ["1 ack 1"]


def test_confirms_go_on_while_the_publisher_is_blocked() -> None:
    wire = publishing().with_queue("q")
    wire.publish(1, "q")
    wire.session.alarm("low on memory")
    assert wire.publish(1, "q") == ["0 Connection.Blocked"]
    assert wire.commit() == ["1 ack 1"]


def test_an_alarm_that_changes_its_reason_is_the_same_alarm() -> None:
    wire = publishing()
    wire.session.alarm("low on memory")
    wire.publish(1, "none")
    wire.session.alarm("low on memory & low on disk")
    assert wire.hear() == []
    assert wire.session.blocking.blocked


def test_a_blocked_client_can_be_closed_and_its_answer_is_heard() -> None:
    wire = publishing()
    wire.session.alarm("low on memory")
    wire.publish(1, "")
    wire.session.fail(HardError(320, "enough"))
    assert wire.hear() == ["0 Connection.Close 320 CONNECTION_FORCED - enough"]
    assert wire.session.listens
    wire.session.alarm("")
    assert wire.hear() == [], "a connection that closes is not told of anything else"


# -- alarms, for everybody ----------------------------------------------------------------------


def publisher(broker: RunningBroker) -> Bare:
    """Return a bare client in confirm mode that can be blocked."""
    client = Bare(broker.port)
    for said in (
        HEADER,
        encode(0, start_ok(BLOCKED)),
        encode(0, commands.Connection.TuneOk(2047, 131072, 0), commands.Connection.Open()),
        encode(1, commands.Channel.Open()),
        encode(1, commands.Confirm.Select()),
    ):
        client.send(said)
        client.line()
    return client


def test_a_broker_can_be_blocked_by_hand(quiet: None) -> None:
    with RunningBroker() as broker:
        client = publisher(broker)
        broker.block("for a test")
        client.send(encode(1, *content("none")))
        assert client.line() == "0 Connection.Blocked"
        late = publisher(broker)
        late.send(encode(1, *content("none")))
        assert late.line() == "0 Connection.Blocked", "and so is who comes later"
        broker.unblock()
        for blocked in (client, late):
            assert blocked.line() == "0 Connection.Unblocked"
            assert blocked.line() == "1 ack 1"
            blocked.close()


def test_a_blocked_client_is_not_read_from(quiet: None) -> None:
    with RunningBroker() as broker:
        client = publisher(broker)
        broker.block()
        client.socket.setblocking(False)
        one = encode(1, *content("none", bytes(100_000)))
        sent = stuck = 0
        while stuck < 20:
            try:
                sent += client.socket.send(one)
                stuck = 0
            except BlockingIOError:
                stuck += 1
                time.sleep(0.01)
            assert sent < 100 << 20, "the broker takes everything, and keeps it"
        client.close()
        broker.unblock()
        eventually(lambda: not broker.ask(lambda _: server(broker).sessions))


def test_when_memory_is_full_publishers_wait_until_there_is_some_again(quiet: None) -> None:
    size = 100_000
    with RunningBroker(limits=Limits(memory=10 * size, body_size=size)) as broker:
        helper, client = publisher(broker), publisher(broker)
        helper.send(encode(1, commands.Queue.Declare(queue="q")))
        helper.line()
        one = encode(1, *content("q", bytes(size), persistent=False))
        sent = threading.Thread(target=lambda: client.send(one * 30))
        sent.start()
        lines: list[str] = []
        while "0 Connection.Blocked" not in lines:
            lines.append(client.line())
        most = 10 * size + READ_AT_ONCE + 2 * size
        assert broker.ask(lambda _: server(broker).memory) < most
        depth = 0
        while depth < 30:
            purge = commands.Queue.Purge(queue="q")
            helper.send(encode(1, purge))
            assert helper.line() == "1 Queue.PurgeOk"
            depth = _covered(lines)
            if depth < 30:
                lines.append(client.line())
        sent.join()
        assert lines.count("0 Connection.Blocked") - lines.count("0 Connection.Unblocked") in (0, 1)
        eventually(lambda: not broker.ask(lambda _: server(broker)._alarms.reason))
        helper.close()
        client.close()


def _covered(lines: list[str]) -> int:
    """Return the highest tag that was acked."""
    tags = [line.split()[2].rstrip("*") for line in lines if line.startswith("1 ack ")]
    return max(map(int, tags), default=0)


# -- too many of what clients declare -------------------------------------------------------------


def limited(**bounds: int) -> Wire:
    """Open a connection to a broker with these bounds."""
    limits = Limits(**bounds)  # type: ignore[arg-type]
    return Wire(Broker(limits=limits), limits=limits).opened()


def test_a_queue_too_many_is_refused_and_one_that_is_there_is_not() -> None:
    wire = limited(queues=1)
    assert wire.say(1, commands.Queue.Declare(queue="a")) == ["1 Queue.DeclareOk a 0"]
    assert wire.say(1, commands.Queue.Declare(queue="a")) == ["1 Queue.DeclareOk a 0"]
    assert wire.say(1, commands.Queue.Declare(queue="b")) == [
        "1 Channel.Close 406 PRECONDITION_FAILED - cannot declare queue 'b': "
        "queue limit in vhost '/' (1) is reached"
    ]


def test_a_queue_that_is_deleted_makes_room() -> None:
    wire = limited(queues=1)
    wire.say(1, commands.Queue.Declare(queue="a"))
    wire.say(1, commands.Queue.Delete(queue="a"))
    assert wire.say(1, commands.Queue.Declare(queue="b")) == ["1 Queue.DeclareOk b 0"]


def test_an_exchange_too_many_is_refused_not_counting_those_that_are_always_there() -> None:
    wire = limited(exchanges=1)
    assert wire.say(1, commands.Exchange.Declare(exchange="a")) == ["1 Exchange.DeclareOk"]
    assert wire.say(1, commands.Exchange.Declare(exchange="b")) == [
        "1 Channel.Close 406 PRECONDITION_FAILED - cannot declare exchange 'b': "
        "exchange limit in vhost '/' (1) is reached"
    ]


def test_a_binding_too_many_is_refused_until_there_is_room() -> None:
    wire = limited(bindings=1)
    wire.say(1, commands.Queue.Declare(queue="a"))

    def bind(key: str) -> list[str]:
        return wire.say(1, commands.Queue.Bind(queue="a", exchange="amq.direct", routing_key=key))

    assert bind("k") == bind("k") == ["1 Queue.BindOk"]
    wire.say(1, commands.Queue.Unbind(queue="a", exchange="amq.direct", routing_key="k"))
    assert bind("l") == ["1 Queue.BindOk"]
    assert bind("m") == [
        "1 Channel.Close 406 PRECONDITION_FAILED - cannot bind queue 'a': "
        "binding limit in vhost '/' (1) is reached"
    ]


def test_a_consumer_too_many_is_refused() -> None:
    wire = limited(consumers=1).with_queue("a")
    assert wire.say(1, commands.Basic.Consume(queue="a", consumer_tag="c")) == [
        "1 Basic.ConsumeOk c"
    ]
    assert wire.say(1, commands.Basic.Consume(queue="a", consumer_tag="d")) == [
        "0 Connection.Close 530 NOT_ALLOWED - reached maximum (1) of consumers per channel"
    ]


# -- too many clients ---------------------------------------------------------------------------


def test_a_connection_too_many_is_refused_when_it_opens(quiet: None) -> None:
    with RunningBroker(limits=Limits(connections=1)) as broker:
        first, second = Bare(broker.port).opened(), Bare(broker.port)
        for said in (HEADER, encode(0, start_ok())):
            second.send(said)
            second.line()
        second.send(
            encode(0, commands.Connection.TuneOk(2047, 131072, 0), commands.Connection.Open())
        )
        assert second.line() == (
            "0 Connection.Close 530 NOT_ALLOWED - "
            "connection refused: node connection limit (1) is reached"
        )
        second.close()
        first.close()
        eventually(lambda: not broker.ask(lambda _: server(broker).sessions))
        third = Bare(broker.port).opened()
        third.send(encode(1, *content("none")))
        assert third.line() == "1 ack 1"
        third.close()


def test_a_socket_too_many_is_closed_at_once(quiet: None) -> None:
    with RunningBroker(limits=Limits(handshakes=3)) as broker:
        opened = Bare(broker.port).opened()
        silent = [Bare(broker.port) for _ in range(3)]
        eventually(lambda: len(broker.ask(lambda _: server(broker).sessions)) == 4)
        assert Bare(broker.port).line() == ""
        silent.pop().close()
        eventually(lambda: len(broker.ask(lambda _: server(broker).sessions)) == 3)
        Bare(broker.port).opened().close()
        for client in (opened, *silent):
            client.close()


@pytest.mark.parametrize(("files", "comes_in"), [(resource.RLIM_INFINITY, True), (66, False)])
def test_the_system_bounds_the_sockets_too(
    files: int, comes_in: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    with RunningBroker() as broker:
        there = [Bare(broker.port).opened(), Bare(broker.port).opened()]
        another = Bare(broker.port)
        answer = ""
        with suppress(ConnectionError):
            another.send(HEADER)
            answer = another.line()
        assert (answer == "0 Connection.Start") == comes_in
        for client in (another, *there):
            client.close()
