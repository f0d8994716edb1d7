"""The control API over a real socket: what it does, what it refuses, and what it bounds."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

import pytest
from ackproof.impl.node import Node
from ackproof.impl.oracle import control
from ackproof.impl.oracle.control import Control
from ackproof.impl.oracle.history import History
from pamqp import commands

from tests.impl.clients import content, encode
from tests.impl.sockets import Bare, eventually


class Remote:
    """A node in another thread, and its control API."""

    def __init__(self, ports: Future[tuple[int, int]]) -> None:
        self.port, self.control = ports.result()
        self.stopped = threading.Event()

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """Send a request; return the status and the object that it is answered with."""
        connection = http.client.HTTPConnection("127.0.0.1", self.control, timeout=30)
        text = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, text, headers)
        answer = connection.getresponse()
        assert answer.headers["Content-Type"] == "application/json"
        told = json.loads(answer.read())
        connection.close()
        return answer.status, told

    def fault(self, name: str, /, **arguments: Any) -> Any:
        """Ask for a fault that must be accepted."""
        assert self.ask("POST", f"/faults/{name}", arguments) == (200, {"fault": name})

    def raw(self, data: bytes) -> bytes:
        """Send bytes; return all that comes."""
        with socket.create_connection(("127.0.0.1", self.control), timeout=30) as client:
            client.sendall(data)
            return b"".join(iter(lambda: client.recv(65536), b""))


@contextmanager
def remote(seed: int | None = None) -> Iterator[Remote]:
    """Run a node with a control API."""
    ports: Future[tuple[int, int]] = Future()
    stopping: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        stop = asyncio.Event()
        stopping.set_result((asyncio.get_running_loop(), stop))
        node = Node(seed=seed, history=History(recording=True))
        api = Control(node, stop.set)
        try:
            ports.set_result((await node.start(), await api.start("127.0.0.1", 0)))
            await stop.wait()
            await api.stop()
            await node.stop()
        except BaseException as error:
            if not ports.done():
                ports.set_exception(error)
            raise
        finally:
            node.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        client = Remote(ports)
        yield client
    finally:
        loop, stop = stopping.result()
        if thread.is_alive() and not loop.is_closed():
            loop.call_soon_threadsafe(stop.set)
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def node() -> Iterator[Remote]:
    with remote() as running:
        yield running


def with_queue(node: Remote) -> Bare:
    """Return a client in confirm mode, with a durable queue."""
    client = Bare(node.port).opened()
    client.send(encode(1, commands.Queue.Declare(queue="q", durable=True)))
    assert client.line().startswith("1 Queue.DeclareOk q ")
    return client


def test_it_says_how_the_node_is(node: Remote) -> None:
    said = {"status": "ok", "port": node.port, "seed": None, "complaints": 0}
    assert node.ask("GET", "/health") == (200, said)
    assert node.ask("GET", "/check") == (200, {"passed": True, "complaints": []})


def test_it_shows_queues_and_what_has_happened() -> None:
    with remote() as node:
        client = with_queue(node)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        client.close()
        _, shown = node.ask("GET", "/queues")
        queue = {
            "vhost": "/",
            "name": "q",
            "durable": True,
            "running": True,
            "ready": 1,
            "unacked": 0,
            "unconfirmed": 0,
        }
        assert shown == {"queues": [queue]}
        _, told = node.ask("GET", "/history")
        publishes = [entry for entry in told["entries"] if entry["kind"] == "publish"]
        assert [entry["routing_key"] for entry in publishes] == ["q"]
        _, rest = node.ask("GET", f"/history?since={publishes[0]['number']}&limit=1")
        assert [entry["kind"] for entry in rest["entries"]] == ["commit"]


def test_faults_can_be_asked_for_by_name() -> None:
    with remote() as node:
        client = with_queue(node)
        node.fault("nack_next", routing_key="q", header={"kind": "big"})
        client.send(encode(1, *content("q", headers={"kind": "big"})))
        assert client.line() == "1 nack 1*"
        node.fault("hold_fsync")
        client.send(encode(1, *content("q")))
        client.send(encode(1, *content("none")))
        assert client.line() == "1 ack 3"
        node.fault("release_fsync")
        assert client.line() == "1 ack 2"
        node.fault("withhold_confirms")
        client.send(encode(1, *content("q")))
        node.fault("crash_queue", name="q")
        node.fault("release_confirms")
        assert client.line() in ("1 ack 4", "1 nack 4*")
        node.fault("drop_connection", when="after_confirm")
        client.send(encode(1, *content("none")))
        assert client.rest() == ["1 ack 5"]
        client.close()
        node.fault("restart_node")
        node.fault("delete_queue", name="q")
        assert node.ask("GET", "/queues") == (200, {"queues": []})
        node.fault("block", reason="a test")
        node.fault("unblock")
        node.fault("clear")
        assert node.ask("GET", "/check")[1]["passed"]


def test_the_order_can_be_drawn_by_a_seed() -> None:
    with remote() as node:
        assert node.ask("POST", "/schedule", {"seed": 7}) == (200, {"seed": 7})
        client = with_queue(node)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        assert node.ask("POST", "/schedule", {"seed": None}) == (200, {"seed": None})
        client.close()


def test_it_stops_when_asked() -> None:
    with remote() as node:
        client = Bare(node.port).opened()
        assert node.ask("POST", "/stop") == (202, {"status": "stopping"})
        assert client.rest()[-1].startswith("0 Connection.Close 320 ")
        client.close()


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "error"),
    [
        (
            "GET",
            "/nothing",
            None,
            404,
            "there is no /nothing; there are GET /health, GET /queues, GET /history, GET /check, "
            "POST /schedule, POST /stop, POST /faults/NAME",
        ),
        ("POST", "/health", None, 405, "ask for it with GET, not POST"),
        ("GET", "/faults/hold_fsync", None, 405, "ask for it with POST, not GET"),
        ("GET", "/history?since=-1", None, 400, "since is '-1'; send a number"),
        ("POST", "/faults/crash_queue", {}, 400, "missing a required argument: 'name'"),
        ("POST", "/faults/hold_fsync", {"n": 1}, 400, "unexpected keyword argument 'n'"),
        ("POST", "/faults/nack_next", {"n": "two"}, 400, "n is 'two'; it must be an integer"),
        ("POST", "/faults/nack_next", {"key": "q"}, 400, "publishes cannot be chosen by key; use"),
        ("POST", "/faults/crash_queue", {"name": "x"}, 404, "there is no queue 'x' to crash"),
        ("POST", "/faults/crash_queue", {"name": ["x"]}, 400, "crash_queue: ['x'] is no name"),
        ("POST", "/faults/delete_queue", {"name": {}}, 400, "delete_queue: {} is no name"),
        ("POST", "/faults/drop_connection", {"when": "now"}, 400, "when is 'now'; it must be one"),
        ("POST", "/faults/explode", {}, 404, "there is no fault 'explode'; there are block, clear"),
        ("POST", "/schedule", {}, 400, 'schedule takes {"seed": N} with an integer, or null'),
        ("POST", "/schedule", {"seed": True}, 400, "schedule takes"),
        ("POST", "/faults/hold_fsync", b"{", 400, "the body is not JSON"),
        ("POST", "/faults/hold_fsync", b"[" * 60000, 400, "the body is not JSON"),
        ("POST", "/faults/hold_fsync", [1], 400, 'send a JSON object, as in {"n": 1}'),
        ("POST", "/faults/hold_fsync", b"x" * 65537, 413, "send a body of 65536 bytes at most"),
    ],
)
def test_what_cannot_be_done_is_refused_with_what_to_do(
    node: Remote, method: str, path: str, body: object, status: int, error: str
) -> None:
    answer, told = node.ask(method, path, body)
    assert answer == status
    assert error in told["error"]


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
