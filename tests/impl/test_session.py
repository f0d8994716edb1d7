"""How a connection begins and ends, and what it does with bytes that should not be there."""

from __future__ import annotations

import struct

import pytest
from ackproof.impl.session import Phase
from pamqp import base, body, commands, frame, header, heartbeat
from pamqp.common import FieldTable

from tests.impl.wire import HEADER, Wire, content, encode


def started(**reply: str) -> tuple[Wire, list[str]]:
    """Return a session that was sent a start-ok, and its answer to it."""
    wire = Wire()
    assert wire.receive(HEADER) == ["0 Connection.Start"]
    said = {"mechanism": "PLAIN", "response": "\0guest\0guest", **reply}
    properties: FieldTable = {"capabilities": {"authentication_failure_close": True}}
    start_ok = commands.Connection.StartOk(properties, said["mechanism"], said["response"], "en_US")
    return wire, wire.say(0, start_ok)


def test_a_connection_opens_step_by_step() -> None:
    wire, answer = started()
    assert answer == ["0 Connection.Tune"]
    assert wire.say(0, commands.Connection.TuneOk(2047, 131072, 60)) == []
    assert wire.session.heartbeat == 60
    assert wire.say(0, commands.Connection.Open()) == ["0 Connection.OpenOk"]


def test_a_connection_opens_from_single_bytes() -> None:
    wire = Wire()
    lines = []
    data = HEADER + encode(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US"))
    for byte in data:
        lines += wire.receive(bytes([byte]))
    assert lines == ["0 Connection.Start", "0 Connection.Tune"]


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\r\n", b"AMQP\x00\x01\x00\x00", b"A\xff", b"\x00"]
)
def test_any_other_protocol_is_answered_with_ours_and_closed(data: bytes) -> None:
    wire = Wire()
    assert wire.receive(data) == ["protocol header"]
    assert wire.session.phase is Phase.CLOSED
    assert wire.receive(HEADER) == []


@pytest.mark.parametrize("response", ["\0guest\0wrong", "\0nobody\0guest"])
def test_a_wrong_login_is_refused_with_403(response: str) -> None:
    _, answer = started(response=response)
    assert answer == [
        "0 Connection.Close 403 ACCESS_REFUSED - "
        "Login was refused using authentication mechanism PLAIN."
    ]


def test_a_client_that_does_not_understand_a_refusal_is_cut_off() -> None:
    wire = Wire()
    wire.receive(HEADER)
    answer = wire.say(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0wrong", "en_US"))
    assert answer == []
    assert wire.session.phase is Phase.CLOSED


def test_a_mechanism_that_was_not_offered_is_refused() -> None:
    _, answer = started(mechanism="EXTERNAL")
    assert answer == [
        "0 Connection.Close 503 COMMAND_INVALID - unknown authentication mechanism 'EXTERNAL'"
    ]


def test_a_response_without_user_and_password_is_a_syntax_error() -> None:
    _, answer = started(response="guest")
    assert len(answer) == 1
    assert answer[0].startswith("0 Connection.Close 502 SYNTAX_ERROR - ")


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        ((2048, 131072, 0), "channel_max = 2048 is higher than the maximum allowed value (2047)"),
        ((0, 131072, 0), "channel_max = no limit is higher than the maximum allowed value (2047)"),
        ((2047, 131073, 0), "frame_max = 131073 is higher than the maximum allowed value (131072)"),
        ((2047, 4095, 0), "frame_max = 4095 is lower than the minimum allowed value (4096)"),
    ],
)
def test_limits_that_the_server_did_not_offer_are_refused(
    limits: tuple[int, int, int], why: str
) -> None:
    wire, _ = started()
    answer = wire.say(0, commands.Connection.TuneOk(*limits))
    assert answer == [f"0 Connection.Close 530 NOT_ALLOWED - negotiated {why}"]


def test_another_virtual_host_is_not_found() -> None:
    wire, _ = started()
    wire.say(0, commands.Connection.TuneOk(2047, 131072, 0))
    answer = wire.say(0, commands.Connection.Open("other"))
    assert answer == ["0 Connection.Close 530 NOT_ALLOWED - vhost other not found"]


def test_nothing_may_come_before_its_time() -> None:
    wire = Wire()
    wire.receive(HEADER)
    answer = wire.say(0, commands.Connection.Open())
    assert answer[0].startswith("0 Connection.Close 503 COMMAND_INVALID")
    wire, _ = started()
    answer = wire.say(1, commands.Channel.Open())
    assert answer[0].startswith("0 Connection.Close 504 CHANNEL_ERROR")


def raw(kind: int, channel: int, payload: bytes, end: bytes = b"\xce") -> bytes:
    """Return a frame that need not be one."""
    return struct.pack(">BHI", kind, channel, len(payload)) + payload + end


UNREADABLE = {
    "unknown type": (raw(7, 1, b"x"), 501),
    "zero bytes": (bytes(20), 501),
    "wrong end": (raw(1, 1, b"\0\x14\0\x0a\0", b"\0"), 501),
    "longer than agreed": (struct.pack(">BHI", 3, 1, 131072), 501),
    "longer than anything": (b"\x01\x00\x01\xff\xff\xff\xff", 501),
}
MALFORMED = UNREADABLE | {
    "heartbeat on a channel": (raw(8, 1, b""), 501),
    "content on channel 0": (raw(3, 0, b"x"), 505),
    "no method": (raw(1, 1, b""), 503),
    "half a method": (raw(1, 1, b"\0\x3c"), 503),
    "unknown method": (raw(1, 1, struct.pack(">HH", 60, 999)), 503),
    "unknown class": (raw(1, 1, struct.pack(">HH", 999, 1)), 503),
    "missing arguments": (raw(1, 1, struct.pack(">HH", 60, 40)), 502),
    "cut arguments": (raw(1, 1, struct.pack(">HHHB", 60, 40, 0, 200) + b"x"), 502),
    "no UTF-8": (raw(1, 1, struct.pack(">HHHB", 60, 40, 0, 2) + b"\xff\xfe\0\0"), 502),
    "cut header": (encode(1, content("q")[0]) + raw(2, 1, b"\0\x3c"), 502),
    "header of another class": (
        encode(1, content("q")[0]) + raw(2, 1, struct.pack(">HHQH", 50, 0, 0, 0)),
        505,
    ),
    "body too long": (
        encode(1, content("q")[0], header.ContentHeader(0, 3), body.ContentBody(b"four")),
        501,
    ),
    "channel too high": (encode(2048, commands.Channel.Open()), 504),
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
    wire.say(1, *content("none")[:1], header.ContentHeader(0, 8178))
    assert wire.say(1, body.ContentBody(bytes(4088))) == []
    assert wire.say(1, body.ContentBody(bytes(4089))) == [
        "0 Connection.Close 501 FRAME_ERROR - a frame of 4097 bytes, larger than negotiated 4096"
    ]


def nested(depth: int) -> bytes:
    """Return a field table that many levels deep."""
    table = struct.pack(">I", 0)
    for _ in range(depth):
        inner = b"\x01kF" + table
        table = struct.pack(">I", len(inner)) + inner
    return table


def test_a_table_nested_ten_thousand_deep_is_refused() -> None:
    wire = Wire().opened()
    payload = struct.pack(">HHH", 50, 10, 0) + b"\x01q" + b"\0" + nested(10_000)
    answer = wire.receive(raw(1, 1, payload))
    assert len(answer) == 1
    assert answer[0].startswith("0 Connection.Close 502 SYNTAX_ERROR")


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
    assert wire.session.phase is Phase.CLOSED


def test_the_client_closes_and_is_answered() -> None:
    wire = Wire().opened()
    assert wire.say(0, commands.Connection.Close(200, "bye", 0, 0)) == ["0 Connection.CloseOk"]
    assert wire.session.phase is Phase.CLOSED


def test_heartbeats_are_taken_in_silence_and_given() -> None:
    wire = Wire().opened()
    assert wire.say(0, heartbeat.Heartbeat()) == []
    wire.session.beat()
    assert wire.hear() == ["0 heartbeat"]


NOT_YET: list[base.Frame] = [
    commands.Basic.Consume(queue="q"),
    commands.Basic.Get(queue="q"),
    commands.Basic.Qos(),
    commands.Exchange.Declare(exchange="x"),
    commands.Queue.Bind(queue="q", exchange="x"),
    commands.Tx.Select(),
]


@pytest.mark.parametrize("method", NOT_YET, ids=lambda method: method.name)
def test_what_is_not_implemented_says_so(method: base.Frame) -> None:
    wire = Wire().opened()
    assert wire.say(1, method) == [
        f"0 Connection.Close 540 NOT_IMPLEMENTED - {method.name} is not implemented"
    ]


def test_a_method_on_a_channel_that_is_not_open_is_504() -> None:
    wire = Wire().opened(1)
    assert wire.say(2, commands.Confirm.Select()) == [
        "0 Connection.Close 504 CHANNEL_ERROR - expected 'channel.open' before Confirm.Select"
    ]


def test_a_close_names_the_method_that_failed() -> None:
    wire = Wire().opened()
    wire.session.receive(encode(1, commands.Basic.Consume(queue="q")))
    close = frame.unmarshal(wire.session.take_output())[2]
    assert isinstance(close, commands.Connection.Close)
    assert (close.class_id, close.method_id) == (60, 20)
