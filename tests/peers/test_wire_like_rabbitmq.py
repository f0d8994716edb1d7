"""What a client does wrong is answered by this broker as by a real RabbitMQ, word for word.

Left out is what RabbitMQ itself has no good answer to: methods that it does not know, and
properties that it cannot read, end it in a crash of the connection; it waits for ever for a body
that was longer than was said; a body that is too large, it takes in before it refuses it.
"""

from __future__ import annotations

import socket
import struct
from typing import Any

import pytest
from pamqp import body, commands, header

from tests.impl.clients import HEADER, Wire, content, encode, heard
from tests.impl.session.test_session import UNEXPECTED, raw

pytestmark = pytest.mark.peer

_PATIENCE = 10.0

PUBLISH = encode(1, content("q")[0])
ABLE: Any = {"capabilities": {"authentication_failure_close": True}}


def start_ok(mechanism: str = "PLAIN", response: str = "\0guest\0guest") -> bytes:
    """Return a login."""
    return encode(0, commands.Connection.StartOk(ABLE, mechanism, response, "en_US"))


def long_login(size: int) -> bytes:
    """Return a login whose arguments and index have so many bytes."""
    start_ok = commands.Connection.StartOk({"x": ""}, "PLAIN", "\0guest\0guest", "en_US")
    start_ok.client_properties = {"x": "x" * (size + 8 - len(encode(0, start_ok)))}
    return encode(0, start_ok)


def tune_ok(channel_max: int = 2047, frame_max: int = 131072) -> bytes:
    """Return the client's choice of limits."""
    return encode(0, commands.Connection.TuneOk(channel_max, frame_max, 0))


def opening(vhost: str = "/") -> bytes:
    """Return everything up to the opening of a virtual host."""
    return HEADER + start_ok() + tune_ok() + encode(0, commands.Connection.Open(vhost))


_IS_OPEN = "1 Channel.OpenOk"
OPENED = opening() + encode(1, commands.Channel.Open())

#: What is said from the first byte on.
SAID = {
    "a wrong password": HEADER + start_ok(response="\0guest\0wrong"),
    "a wrong password by AMQPLAIN": HEADER
    + start_ok("AMQPLAIN", "\x05LOGINS\0\0\0\x05guest\x08PASSWORDS\0\0\0\x05wrong"),
    "a virtual host that is not there": opening("none"),
    "another protocol": b"AMQP\x00\x01\x00\x00",
    "a new secret": opening() + encode(0, commands.Connection.UpdateSecret("a", "b")),
    "no protocol": b"GET / HTTP/1.1\r\n\r\n",
    "a channel too many": HEADER
    + start_ok()
    + tune_ok(channel_max=1)
    + encode(0, commands.Connection.Open())
    + encode(7, commands.Channel.Open())
    + encode(1, commands.Channel.Open()),
    "a login as long as a frame may be": HEADER + long_login(4096),
    "a login that is longer": HEADER + long_login(4097),
    "a frame above what was agreed": HEADER
    + start_ok()
    + tune_ok(frame_max=4096)
    + encode(0, commands.Connection.Open())
    + raw(3, 1, bytes(4097)),
}

#: What is said on channel 1 of a connection that is open.
WRONG = {
    "unknown type of frame": raw(7, 1, b"x"),
    "zero bytes": bytes(20),
    "wrong end mark": raw(1, 1, b"\0\x14\0\x0a\0", b"\0"),
    "longer than anything": b"\x03\x00\x01\xff\xff\xff\xff",
    "heartbeat on a channel": raw(8, 1, b""),
    "heartbeat with something to say": raw(8, 0, b"xx"),
    "content on channel 0": raw(3, 0, b"x"),
    "method of a channel on channel 0": encode(0, commands.Channel.Open()),
    "method of the connection on a channel": encode(1, commands.Connection.Open()),
    "method for clients": encode(1, commands.Channel.OpenOk()),
    "close-ok to no close": encode(0, commands.Connection.CloseOk()),
    "start-ok once more": start_ok(),
    "no method": raw(1, 1, b""),
    "half a method": raw(1, 1, b"\0\x3c"),
    "missing arguments": raw(1, 1, struct.pack(">HH", 60, 40)),
    "cut arguments": raw(1, 1, struct.pack(">HHHB", 60, 40, 0, 200) + b"x"),
    "a name that is no UTF-8": raw(
        1, 1, struct.pack(">HHHB", 50, 10, 0, 2) + b"\xff\xfe" + bytes(5)
    ),
    "cut header": PUBLISH + raw(2, 1, b"\0\x3c"),
    "header of another class": PUBLISH + raw(2, 1, struct.pack(">HHQH", 50, 0, 0, 0)),
    "a header with a weight": PUBLISH + raw(2, 1, struct.pack(">HHQH", 60, 7, 1, 0)),
    "a ticket for the broker": raw(1, 1, b"\0\x1e\0\x0b\0\1"),
    "a close that nobody waits for": encode(1, commands.Channel.CloseOk()),
    "a channel that is not open, closed": encode(7, commands.Channel.Close(200, "", 0, 0)),
    "a publish that is not completed": PUBLISH + encode(0, commands.Connection.Close(0, "", 0, 0)),
    "a channel that is not open": encode(2, commands.Confirm.Select()),
    "content on a channel that is not open": raw(3, 2, b"x"),
    "a channel opened twice": encode(1, commands.Channel.Open()),
    "flow stopped": encode(1, commands.Channel.Flow(False)),
    "close": encode(0, commands.Connection.Close(200, "", 0, 0)),
    "close, twice": encode(0, *[commands.Connection.Close(200, "", 0, 0)] * 2),
    "close of a channel": encode(1, commands.Channel.Close(200, "", 0, 0)),
    **{what: encode(1, *frames) for what, frames in UNEXPECTED.items()},
    "a payload as long as a frame": PUBLISH
    + encode(1, header.ContentHeader(0, 131073), body.ContentBody(bytes(131072)))
    + encode(1, commands.Confirm.Select()),
}

CASES = SAID | {what: OPENED + said for what, said in WRONG.items()}


def of_the_other(said: bytes, count: int, port: int) -> list[str]:
    """Return the first so many lines that the other broker says to that.

    What is wrong is said when the channel is known to be open: RabbitMQ may lose an answer that is
    on its way when it closes the connection.
    """
    lines: list[str] = []
    begun = said.startswith(OPENED)
    with socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE) as client:
        received = b""
        client.sendall(OPENED if begun else said)
        while len(lines) < count:
            more = client.recv(65536)
            if not more:
                break
            received += more
            lines += heard(received[: _whole(received)])
            received = received[_whole(received) :]
            if begun and _IS_OPEN in lines:
                client.sendall(said.removeprefix(OPENED))
                begun = False
    return lines


def _whole(data: bytes) -> int:
    """Return where the last frame ends that has come in entirely."""
    at = 0
    while len(data) >= at + 8:
        size = 8
        if not data.startswith(b"AMQP", at):
            size += int.from_bytes(data[at + 3 : at + 7], "big")
        if len(data) < at + size:
            break
        at += size
    return at


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_answered_in_the_same_words(case: str, port: int) -> None:
    ours = Wire().receive(CASES[case])
    assert of_the_other(CASES[case], len(ours), port) == ours
