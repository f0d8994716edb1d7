"""Faults of connections, channels, consumers and logins, over real sockets."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from ackproof.impl.running import RunningBroker
from pamqp import commands

from tests.impl.clients import HEADER, content, encode
from tests.impl.faults.faulty_clients import with_queue
from tests.impl.sockets import Bare, eventually


@pytest.fixture
def broker() -> Iterator[RunningBroker]:
    with RunningBroker() as running:
        yield running
        running.check()


def logged_in(port: int, **properties: Any) -> tuple[Bare, str]:
    """Return a client that has said who it is, and the answer to that."""
    client = Bare(port)
    client.send(HEADER)
    client.line()
    client.send(encode(0, commands.Connection.StartOk(properties, "PLAIN", "\0guest\0guest", "x")))
    return client, client.line()


def test_a_connection_is_closed_with_any_code_and_text(broker: RunningBroker) -> None:
    client = Bare(broker.port).opened()
    broker.close_connection(code=541, text="INTERNAL_ERROR - so it is")
    assert client.rest() == ["0 Connection.Close 541 INTERNAL_ERROR - so it is"]
    client.close()


def test_one_of_two_connections_is_closed_by_its_name(broker: RunningBroker) -> None:
    other = Bare(broker.port).opened()
    client, _ = logged_in(broker.port, connection_name="mine")
    opening = (commands.Connection.TuneOk(2047, 131072, 0), commands.Connection.Open())
    client.send(encode(0, *opening))
    client.line()
    broker.close_connection(connection="mine")
    assert client.line() == "0 Connection.Close 320 CONNECTION_FORCED - a fault"
    other.send(encode(1, *content("none")))
    assert other.line() == "1 ack 1"
    with pytest.raises(LookupError, match=r"there is no connection 'mine'; there are: 1 \(\)"):
        broker.close_connection(connection="mine")
    client.close()
    other.close()


def test_a_channel_is_closed_and_the_connection_goes_on(broker: RunningBroker) -> None:
    client = with_queue(broker)
    client.send(encode(2, commands.Channel.Open()))
    client.line()
    broker.close_channel(code=404, text="NOT_FOUND - nothing", channel=1)
    assert client.line() == "1 Channel.Close 404 NOT_FOUND - nothing"
    client.send(encode(2, commands.Confirm.Select()))
    assert client.line() == "2 Confirm.SelectOk"
    with pytest.raises(LookupError, match="there is no open channel 1"):
        broker.close_channel(channel=1)
    client.close()


@pytest.mark.parametrize("reset", [False, True])
def test_a_connection_ends_or_is_reset(broker: RunningBroker, reset: bool) -> None:
    client = Bare(broker.port).opened()
    broker.cut_connection(reset=reset)
    if reset:
        with pytest.raises(ConnectionResetError):
            client.line()
    else:
        assert client.line() == ""
    client.close()


def test_nothing_is_said_in_silence_and_all_of_it_afterwards(broker: RunningBroker) -> None:
    client = Bare(broker.port).opened(heartbeat=1)
    broker.silence()
    client.send(encode(1, *content("none")))
    client.socket.settimeout(1.5)
    with pytest.raises(TimeoutError):
        client.line()
    client.socket.settimeout(60)
    broker.end_silence()
    lines = iter(client.line, "")
    assert next(line for line in lines if line != "0 heartbeat") == "1 ack 1"
    client.close()


@pytest.mark.parametrize("by", ["closed by the client", "closed by the broker"])
def test_what_ends_in_silence_says_so_afterwards(broker: RunningBroker, by: str) -> None:
    client = Bare(broker.port).opened()
    broker.silence()
    if by == "closed by the client":
        client.send(encode(0, commands.Connection.Close(200, "", 0, 0)))
        eventually(lambda: not broker.ask(lambda it: list(it.connections)))
    else:
        broker.close_connection()
    broker.end_silence()
    said = "0 Connection.CloseOk" if "client" in by else "0 Connection.Close 320"
    assert client.line().startswith(said)
    client.close()


def test_output_comes_in_pieces_and_slowly(broker: RunningBroker) -> None:
    client = Bare(broker.port).opened()
    broker.slow_output(size=3, seconds=0.05)
    began = time.monotonic()
    client.send(encode(1, *content("none")))
    assert len(client.socket.recv(100)) == 3
    frame = encode(1, commands.Basic.Ack(1))
    assert frame.endswith(client._exactly(len(frame) - 3))
    assert time.monotonic() - began > 0.05 * (len(frame) // 3 - 1)
    client.close()


def test_what_waits_in_pieces_is_said_at_once_when_faults_are_cleared(
    broker: RunningBroker,
) -> None:
    client = Bare(broker.port).opened()
    broker.slow_output(size=3, seconds=3600)
    client.send(encode(1, *content("none")))
    assert len(client.socket.recv(100)) == 3
    broker.clear_faults()
    frame = encode(1, commands.Basic.Ack(1))
    assert frame.endswith(client._exactly(len(frame) - 3))
    client.close()


def test_a_client_that_is_told_slowly_is_one_that_reads_slowly(broker: RunningBroker) -> None:
    client = with_queue(broker)
    for _ in range(100):
        client.send(encode(1, *content("q", bytes(50_000), persistent=False)))
    eventually(lambda: broker.depth("q") == 100)
    broker.slow_output(size=1, seconds=1)
    consume = commands.Basic.Consume(queue="q", consumer_tag="c", no_ack=True)
    client.send(encode(1, consume))
    eventually(lambda: broker.depth("q") < 100)
    time.sleep(0.5)
    assert broker.depth("q") > 50, "nobody has taken them"
    broker.clear_faults()
    while broker.depth("q"):
        client.line()
    client.close()


def test_a_close_in_pieces_arrives_whole(broker: RunningBroker) -> None:
    client = Bare(broker.port).opened()
    broker.slow_output(size=7)
    broker.close_connection()
    assert client.rest() == ["0 Connection.Close 320 CONNECTION_FORCED - a fault"]
    client.close()


def test_a_login_is_refused_though_the_password_is_right(broker: RunningBroker) -> None:
    able: Any = {"authentication_failure_close": True}
    broker.refuse_login(user="guest")
    client, answer = logged_in(broker.port, capabilities=able)
    assert answer.startswith("0 Connection.Close 403 ACCESS_REFUSED - Login was refused using")
    client.close()
    client, answer = logged_in(broker.port)
    assert answer == "0 Connection.Tune"
    client.close()


def consuming(broker: RunningBroker, *, hears: bool = True) -> Bare:
    """Return a client with a consumer on a queue with one message, which it was given."""
    able: Any = {"consumer_cancel_notify": hears}
    client, _ = logged_in(broker.port, capabilities=able)
    opening = (commands.Connection.TuneOk(2047, 131072, 0), commands.Connection.Open())
    declare = commands.Queue.Declare(queue="q")
    client.send(encode(0, *opening) + encode(1, commands.Channel.Open(), declare))
    client.send(encode(1, commands.Basic.Consume(queue="q", consumer_tag="c"), *content("q")))
    lines = [client.line() for _ in range(7)]
    assert lines[4] == "1 deliver c 1 {}"
    return client


def test_a_consumer_is_cancelled_and_may_settle_what_it_has(broker: RunningBroker) -> None:
    client = consuming(broker)
    broker.cancel_consumer("q")
    assert client.line() == "1 Basic.Cancel c"
    client.send(encode(1, commands.Basic.Ack(1), commands.Queue.Purge(queue="q")))
    assert client.line() == "1 Queue.PurgeOk"
    assert broker.queues()[0]["unacked"] == 0
    with pytest.raises(LookupError, match="queue 'q' has no consumers"):
        broker.cancel_consumer("q")
    client.close()


def test_who_does_not_want_to_hear_of_cancelled_consumers_does_not(broker: RunningBroker) -> None:
    client = consuming(broker, hears=False)
    broker.cancel_consumer("q")
    client.send(encode(1, commands.Queue.Purge(queue="q")))
    assert client.line() == "1 Queue.PurgeOk"
    client.close()


def test_what_a_lost_ack_was_about_comes_once_more(broker: RunningBroker) -> None:
    client = consuming(broker)
    broker.lose_acks()
    client.send(encode(1, commands.Basic.Ack(1)))
    assert client.line() == "1 deliver c 2 {} again"
    assert client.line() == "1 header 5"
    client.line()
    client.send(encode(1, commands.Basic.Ack(2)))
    eventually(lambda: broker.queues()[0]["unacked"] == 0)
    client.close()


def test_confirms_are_late_by_so_much(broker: RunningBroker) -> None:
    client = with_queue(broker)
    broker.delay_confirms(seconds=0.3)
    began = time.monotonic()
    client.send(encode(1, *content("q"), *content("q")))
    assert client.line() == "1 ack 2*"
    assert time.monotonic() - began >= 0.3
    client.close()


def test_what_never_struck_is_known_by_name(broker: RunningBroker) -> None:
    client = with_queue(broker)
    broker.nack_next(routing_key="q")
    broker.drop_connection(routing_key="none", n=None)
    broker.refuse_login()
    broker.crash_next(probability=0.0)
    client.send(encode(1, *content("q")))
    assert client.line() == "1 nack 1*"
    assert broker.unstruck() == ["drop_connection(routing_key='none')", "refuse_login()"]
    struck = {one["fault"]: (one["struck"], one["left"]) for one in broker.armed()}
    assert struck["nack_next"] == (1, 0)
    assert struck["drop_connection"] == (0, None)
    broker.clear_faults()
    assert broker.armed() == []
    client.close()


@pytest.mark.parametrize(
    ("fault", "arguments", "why"),
    [
        ("close_connection", {"code": 70000}, "code is 70000; it must be a number from 0 to 65535"),
        ("close_connection", {"text": 1}, "text is 1; it must be a text"),
        ("close_connection", {"connection": True}, "connection is True; it must be a number or a"),
        ("close_channel", {"channel": "1"}, "channel is '1'; it must be a number"),
        ("cut_connection", {"reset": 1}, "reset is 1; it must be true or false"),
        ("slow_output", {"size": 0}, "size is 0; it must be from 1 to"),
        ("slow_output", {"seconds": -1}, "seconds is -1; it must be from 0 to 3600"),
        ("refuse_login", {"user": 1}, "user is 1; it must be a text"),
        ("refuse_login", {"n": 0}, "n is 0; it must be 1 or more"),
        ("lose_acks", {"n": "x"}, "n is 'x'; it must be an integer or null"),
        ("delay_confirms", {"seconds": "x"}, "seconds is 'x'; it must be from 0 to 3600"),
    ],
)
def test_what_cannot_be_is_refused(
    broker: RunningBroker, fault: str, arguments: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        getattr(broker, fault)(**arguments)
