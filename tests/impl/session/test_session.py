"""How a connection ends, and what it does with bytes that should not be there."""

from __future__ import annotations

import logging
import struct

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.errors import HardError
from ackproof.impl.history.history import History
from ackproof.impl.limits import Limits
from ackproof.impl.session.methods import METHODS
from ackproof.impl.session.session import Phase
from ackproof.impl.session.session_channel import SessionChannel
from pamqp import body, commands, frame, header, heartbeat

from tests.impl.clients import HEADER, Wire, content, encode


def raw(kind: int, channel: int, payload: bytes, end: bytes = b"\xce") -> bytes:
    """Return a frame that need not be one."""
    return struct.pack(">BHI", kind, channel, len(payload)) + payload + end


UNREADABLE = {
    "zero bytes": (bytes(20), 501),
    "wrong end": (raw(1, 1, b"\0\x14\0\x0a\0", b"\0"), 501),
    "longer than agreed": (struct.pack(">BHI", 3, 1, 131073), 501),
    "longer than anything": (b"\x01\x00\x01\xff\xff\xff\xff", 501),
}
MALFORMED = UNREADABLE | {
    "unknown type": (raw(7, 1, b"x"), 501),
    "heartbeat on a channel": (raw(8, 1, b""), 505),
    "heartbeat with something to say": (raw(8, 0, b"xx"), 501),
    "content on channel 0": (raw(3, 0, b"x"), 505),
    "channel method on channel 0": (encode(0, commands.Channel.Open()), 504),
    "connection method on channel 1": (encode(1, commands.Connection.Open()), 503),
    "method for clients": (encode(1, commands.Channel.OpenOk()), 503),
    "no method": (raw(1, 1, b""), 501),
    "half a method": (raw(1, 1, b"\0\x3c"), 501),
    "unknown method": (raw(1, 1, struct.pack(">HH", 60, 999)), 503),
    "unknown class": (raw(1, 1, struct.pack(">HH", 999, 1)), 503),
    "missing arguments": (raw(1, 1, struct.pack(">HH", 60, 40)), 501),
    "cut arguments": (raw(1, 1, struct.pack(">HHHB", 60, 40, 0, 200) + b"x"), 501),
    "no UTF-8": (raw(1, 1, struct.pack(">HHHB", 50, 10, 0, 2) + b"\xff\xfe" + bytes(5)), 501),
    "cut header": (encode(1, content("q")[0]) + raw(2, 1, b"\0\x3c"), 501),
    "header of another class": (
        encode(1, content("q")[0]) + raw(2, 1, struct.pack(">HHQH", 50, 0, 0, 0)),
        505,
    ),
    "header without its property": (
        encode(1, content("q")[0]) + raw(2, 1, struct.pack(">HHQH", 60, 0, 0, 0x8000)),
        501,
    ),
    "header with more than its properties": (
        encode(1, content("q")[0]) + raw(2, 1, struct.pack(">HHQH", 60, 0, 0, 0) + b"more"),
        501,
    ),
    "header with a property that is none": (
        encode(1, content("q")[0]) + raw(2, 1, struct.pack(">HHQH", 60, 0, 0, 2)),
        501,
    ),
    "body too long": (
        encode(1, content("q")[0], header.ContentHeader(0, 3), body.ContentBody(b"four")),
        501,
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_input_closes_the_connection_with_its_code(case: str) -> None:
    data, code = MALFORMED[case]
    wire = Wire().opened()
    answer = wire.receive(data)
    assert len(answer) == 1
    assert answer[0].startswith(f"0 Connection.Close {code} "), answer
    assert wire.session.phase is (Phase.CLOSED if case in UNREADABLE else Phase.CLOSING)


def test_the_longest_frame_is_what_the_client_agreed_to() -> None:
    wire = Wire().opened(frame_max=4096)
    wire.say(1, *content("none")[:1], header.ContentHeader(0, 20000))
    assert wire.say(1, body.ContentBody(bytes(4088))) == []
    assert wire.say(1, body.ContentBody(bytes(4096))) == [], "if clients count like that"
    assert wire.say(1, body.ContentBody(bytes(4097))) == [
        "0 Connection.Close 501 FRAME_ERROR - "
        "type 3, all octets = <<>>: {frame_too_large,4097,4088}"
    ]


UNEXPECTED: dict[str, tuple[frame.FrameTypes, ...]] = {
    "a header without a publish": (header.ContentHeader(0, 1),),
    "a body without a publish": (body.ContentBody(b"x"),),
    "a body without a header": (content("q")[0], body.ContentBody(b"x")),
    "two headers": (content("q")[0], header.ContentHeader(0, 1), header.ContentHeader(0, 1)),
    "a method before the header": (content("q")[0], commands.Confirm.Select()),
    "a method before the body": (content("q")[0], header.ContentHeader(0, 1), commands.Tx.Select()),
}


@pytest.mark.parametrize("case", UNEXPECTED)
def test_a_frame_that_was_not_expected_is_505(case: str) -> None:
    wire = Wire().opened()
    answer = wire.say(1, *UNEXPECTED[case])
    assert len(answer) == 1
    assert answer[0].startswith("0 Connection.Close 505 UNEXPECTED_FRAME - expected "), answer


def test_after_a_hard_error_only_the_answer_to_the_close_matters() -> None:
    wire = Wire().opened()
    assert wire.say(1, commands.Channel.Open()) == [
        "0 Connection.Close 504 CHANNEL_ERROR - second 'channel.open' seen"
    ]
    assert wire.say(2, commands.Channel.Open()) == []
    assert wire.say(0, commands.Connection.Open()) == []
    assert wire.say(0, commands.Connection.CloseOk()) == []
    assert wire.session.phase is Phase.CLOSED


def test_closes_that_cross_are_answered() -> None:
    wire = Wire().opened()
    wire.say(1, commands.Channel.Open())
    assert wire.say(0, commands.Connection.Close(200, "bye", 0, 0)) == ["0 Connection.CloseOk"]
    assert wire.say(0, commands.Connection.CloseOk()) == []
    assert wire.session.phase is Phase.CLOSED


@pytest.mark.parametrize("times", [1, 2, 3])
def test_the_client_closes_and_is_answered_each_time_until_it_hangs_up(times: int) -> None:
    wire = Wire().opened().with_queue("q")
    bye = commands.Connection.Close(200, "bye", 0, 0)
    assert wire.say(0, *[bye] * times) == ["0 Connection.CloseOk"] * times
    assert wire.publish(1, "q") == []
    wire.session.connection_lost()
    assert wire.session.phase is Phase.CLOSED
    assert not wire.broker.queues["q"].machine.ready, "nothing else counts after that"


def test_heartbeats_are_taken_in_silence_and_given() -> None:
    wire = Wire().opened()
    assert wire.say(0, heartbeat.Heartbeat()) == []
    wire.session.beat()
    assert wire.hear() == ["0 heartbeat"]


def test_what_is_not_implemented_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(METHODS, commands.Basic.Get)
    wire = Wire().opened()
    assert wire.say(1, commands.Basic.Get(queue="q")) == [
        "0 Connection.Close 540 NOT_IMPLEMENTED - Basic.Get is not implemented"
    ]


def test_a_method_on_a_channel_that_is_not_open_is_504() -> None:
    wire = Wire().opened(1)
    assert wire.say(2, commands.Confirm.Select()) == [
        "0 Connection.Close 504 CHANNEL_ERROR - expected 'channel.open'"
    ]


def test_a_close_names_the_method_that_failed() -> None:
    wire = Wire().opened()
    wire.session.receive(encode(1, commands.Basic.Publish(immediate=True)))
    close = frame.unmarshal(wire.session.take_output())[2]
    assert isinstance(close, commands.Connection.Close)
    assert (close.class_id, close.method_id) == (60, 40)


def test_any_channel_number_will_do_but_not_more_channels_than_agreed() -> None:
    wire = Wire(limits=Limits(channels=2)).opened(1, 65535, channel_max=2)
    assert wire.say(7, commands.Channel.Open()) == [
        "0 Connection.Close 530 NOT_ALLOWED - "
        "number of channels opened (2) has reached the negotiated channel_max (2)"
    ]


def test_a_channel_that_was_closed_makes_room_for_another() -> None:
    wire = Wire().opened(1, channel_max=1)
    wire.say(1, commands.Channel.Close(200, "", 0, 0))
    assert wire.say(2, commands.Channel.Open()) == ["2 Channel.OpenOk"]


def test_a_bug_closes_the_connection_with_541_wherever_it_strikes(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="q", durable=True))
    assert wire.say(1, commands.Confirm.Select()) == [], "it waits for the disk"
    monkeypatch.setattr(SessionChannel, "receive", lambda *_: 1 / 0)
    assert wire.commit() == [
        "1 Queue.DeclareOk q 0",
        "0 Connection.Close 541 INTERNAL_ERROR - internal error",
    ]
    assert [record.exc_info is not None for record in caplog.records] == [True]


@pytest.mark.parametrize(
    ("said", "kept"), [("n" * 1000, "n" * 252 + "..."), (7, "no name"), ("me", "me")]
)
def test_a_connection_has_the_name_that_its_client_gives_it_if_it_is_one(
    said: object, kept: str
) -> None:
    history = History(recording=True)
    wire = Wire(Broker(history=history))
    wire.receive(HEADER)
    client = {"connection_name": said}
    wire.say(0, commands.Connection.StartOk(client, "PLAIN", "\0guest\0guest", "en_US"))  # type: ignore[arg-type]
    wire.say(0, commands.Connection.TuneOk(9, 131072, 0), commands.Connection.Open())
    assert [entry.facts["name"] for entry in history.of("connection_opened")] == [kept]


def test_what_is_logged_of_an_error_is_short(caplog: pytest.LogCaptureFixture) -> None:
    wire = Wire().opened()
    with caplog.at_level(logging.INFO):
        wire.session.fail(HardError(541, "z" * 100_000))
    assert "closed by the broker: 541 INTERNAL_ERROR - zz" in caplog.text
    assert len(caplog.text) < 1000


UNOPENED = "0 Connection.Close 504 CHANNEL_ERROR - expected 'channel.open'"
NO_HEADER = (
    "0 Connection.Close 505 UNEXPECTED_FRAME - expected content header for class 60, "
    "got non content header frame instead"
)
COMMITTING = (
    "0 Connection.Close 504 CHANNEL_ERROR - unexpected command while processing 'tx.commit'"
)


def test_a_publish_that_comes_whole_is_refused_where_one_in_pieces_is() -> None:
    wire = Wire().opened().with_queue("q")
    assert wire.say(7, *content("q")) == [UNOPENED]
    wire = Wire().opened().with_queue("q")
    assert wire.say(1, content("q")[0], *content("q")) == [NO_HEADER]
    wire = Wire().opened().with_queue("q")
    wire.say(1, commands.Tx.Select(), *content("q"))
    assert wire.say(1, commands.Tx.Commit(), *content("q")) == [COMMITTING]


def test_what_comes_whole_to_a_channel_that_has_failed_is_passed_over() -> None:
    wire = Wire().opened()
    closed = wire.say(1, *content("q", exchange="nowhere"), *content("q", exchange="nowhere"))
    assert closed == [
        "1 Channel.Close 404 NOT_FOUND - no exchange 'nowhere' in vhost '/'",
    ]
