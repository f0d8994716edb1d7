"""Who may ask the control API, and in which words, and how long that may take."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ackproof.impl.control import control_api

from tests.impl.control.remote import Remote, remote
from tests.impl.sockets import eventually


@pytest.fixture(scope="module")
def node() -> Iterator[Remote]:
    with remote() as running:
        yield running


@pytest.mark.parametrize("host", ["example.org", "example.org:5680", "a.b:c"])
def test_a_page_that_has_made_its_name_lead_here_cannot_ask(node: Remote, host: str) -> None:
    status, told = node.ask("GET", "/history", Host=host)
    assert status == 403
    assert "as localhost" in told["error"]


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:80", "127.0.0.1:1", "[::1]:5680", "[::1]"]
)
def test_whoever_asks_by_address_is_answered(node: Remote, host: str) -> None:
    assert node.ask("GET", "/queues", Host=host)[0] == 200


def test_a_page_in_a_browser_cannot_ask(node: Remote) -> None:
    status, told = node.ask("POST", "/stop", Origin="http://example.org")
    assert status == 403
    assert told["error"].startswith("this is not for web pages; ask without a browser")


HEAD = b" HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    ("data", "status", "error"),
    [
        (b"hello\r\n\r\n", 400, "illegal request line"),
        (b"\x16\x03\x01", 400, "illegal request line"),
        (b"GET /health HTTP/1.1\r\n\r\n", 400, "Missing mandatory Host"),
        (b"GET http://[" + HEAD + b"\r\n", 400, "the address cannot be read"),
        (b"GET /health" + HEAD + b"no colon\r\n\r\n", 400, "illegal header line"),
        (b"GET /" + HEAD + b"X: " + b"x" * 9000 + b"\r\n\r\n", 431, "send 8192 bytes of head at m"),
        (b"POST /stop" + HEAD + b"Content-Length: -1\r\n\r\n", 400, "bad Content-Length"),
        (b"POST /stop" + HEAD + b"Content-Length: 65537\r\n\r\n", 413, "a body of 65536 bytes at"),
        (b"POST /stop" + HEAD + b"Transfer-Encoding: gzip\r\n\r\n", 501, "chunked is supported"),
    ],
)
def test_what_is_not_http_is_refused(node: Remote, data: bytes, status: int, error: str) -> None:
    answer, told = parsed(node.raw(data))
    assert answer == status
    assert error in told["error"]


def parsed(data: bytes) -> tuple[int, Any]:
    """Return status and object of an answer that ends the connection."""
    head, _, body = data.partition(b"\r\n\r\n")
    assert b"Connection: close" in head
    return int(head.split()[1]), json.loads(body)


def padded(size: int) -> bytes:
    """Return a request whose head has so many bytes."""
    start = b"GET /queues" + HEAD + b"X: "
    return start + b"x" * (size - len(start) - 4) + b"\r\n\r\n"


@pytest.mark.parametrize(("size", "status"), [(8192, 200), (8193, 431)])
@pytest.mark.parametrize("pieces", [1, 2])
def test_a_head_may_have_so_many_bytes_however_they_arrive(
    node: Remote, size: int, status: int, pieces: int
) -> None:
    data = padded(size)
    step = len(data) // pieces + 1
    with socket.create_connection(("127.0.0.1", node.control), timeout=30) as client:
        for start in range(0, len(data), step):
            client.sendall(data[start : start + step])
            time.sleep(0.01)
        assert client.recv(12) == b"HTTP/1.1 %d" % status


@pytest.mark.parametrize(
    "data", [b"GET /hea", b"POST /stop" + HEAD + b"Content-Length: 9\r\n\r\n{}"]
)
def test_a_request_that_ends_too_early_is_refused(node: Remote, data: bytes) -> None:
    with socket.create_connection(("127.0.0.1", node.control), timeout=30) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        answer, told = parsed(b"".join(iter(lambda: client.recv(65536), b"")))
    assert (answer, told) == (400, {"error": "the request ends before it is complete"})


def test_a_body_may_come_in_chunks(node: Remote) -> None:
    start = b"POST /schedule" + HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    assert parsed(node.raw(start + b'8\r\n{"seed":\r\n6\r\n null}\r\n0\r\n\r\n')) == (
        200,
        {"seed": None},
    )
    large = b"8000\r\n" + b" " * 0x8000 + b"\r\n"
    assert parsed(node.raw(start + 2 * large + b"1\r\n \r\n"))[0] == 413


def test_a_connection_is_for_one_request(node: Remote) -> None:
    answer = node.raw(2 * (b"GET /queues" + HEAD + b"\r\n"))
    assert parsed(answer) == (200, {"queues": []})


def test_who_asks_for_the_head_alone_is_sent_no_body(node: Remote) -> None:
    head, end, body = node.raw(b"HEAD /health" + HEAD + b"\r\n").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 405 ")
    assert (end, body) == (b"\r\n\r\n", b"")


def test_a_request_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_api, "_PATIENCE", 0.02)
    with remote() as node:
        assert node.raw(b"GET /health").startswith(b"HTTP/1.1 408 ")
        eventually(lambda: node.ask("GET", "/health")[0] == 200)


def test_a_client_that_leaves_is_no_trouble(caplog: pytest.LogCaptureFixture) -> None:
    with remote() as node:
        for data in (b"", b"GET", b"GET /health HTTP/1.1\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", node.control)) as client:
                client.sendall(data)
        assert node.ask("GET", "/health")[0] == 200
    assert not caplog.records
