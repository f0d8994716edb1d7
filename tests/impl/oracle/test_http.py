"""Who may ask the control API, and in which words, and how long that may take."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from ackproof.impl.oracle import control

from tests.impl.oracle.remote import Remote, remote
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


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"hello\r\n\r\n", b"400"),
        (b"GET http://[ HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 9000 + b"\r\n\r\n", b"431"),
        (b"POST /stop HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"411"),
        (b"POST /stop HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST /stop HTTP/1.1\r\nContent-Length: 9999999999999\r\n\r\n", b"413"),
    ],
)
def test_what_is_not_http_is_refused(node: Remote, data: bytes, status: bytes) -> None:
    assert node.raw(data).startswith(b"HTTP/1.1 " + status)


def test_a_request_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "_PATIENCE", 0.02)
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
