"""The control API over a real socket: what it does, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.impl.storage.disk import Disk, DiskError
from ackproof.impl.storage.stored import Stored
from pamqp import commands

from tests.impl.clients import content, encode
from tests.impl.control.remote import Remote, remote
from tests.impl.sockets import Bare, eventually


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


def test_what_was_asked_for_is_a_scenario_that_can_be_played() -> None:
    with remote() as node:
        node.fault("nack_next", skip=1)
        client = with_queue(node)
        node.fault("crash_queue", name="q")
        assert node.ask("POST", "/schedule", {"seed": 5})[0] == 200
        _, scenario = node.ask("GET", "/scenario")
        after = {"1": {"sent": {"queue.declare": 1}, "heard": {"queue.declare-ok": 1}}}
        faults = [
            {"fault": "nack_next", "arguments": {"skip": 1}},
            {"after": after, "fault": "crash_queue", "arguments": {"name": "q"}},
            {"fault": "schedule", "arguments": {"seed": 5}},
        ]
        assert scenario == {"scenario": 1, "options": {}, "faults": faults}
        told = {"error": "there were connections, and a scenario counts them from the first; "}
        status, said = node.ask("POST", "/scenario", scenario)
        assert (status, said["error"].partition("reset")[0]) == (409, told["error"])
        node.ask("POST", "/reset")
        assert client.rest() == []
        assert node.ask("POST", "/scenario", scenario) == (200, {"faults": 3})
        with_queue(node).close()
        eventually(lambda: node.ask("GET", "/scenario")[1] == scenario)
        status, said = node.ask("POST", "/scenario", {"scenario": 1, "faults": [{}]})
        assert (status, said["error"][:30]) == (400, 'fault 1: there is no fault "";')
        status, said = node.ask("GET", "/stop")
        assert (status, said["error"]) == (405, "ask for it with POST, not GET")


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


def test_confirms_can_be_reordered() -> None:
    with remote() as node:
        client = with_queue(node)
        node.fault("reorder_confirms", n=3, order=[2, 3, 1], routing_key="q")
        for _ in range(3):
            client.send(encode(1, *content("q")))
        assert [client.line() for _ in range(3)] == ["1 ack 2", "1 ack 3", "1 ack 1"]
        client.close()


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
            "GET /faults, POST /schedule, GET /scenario, POST /scenario, POST /reset, "
            "POST /stop, POST /faults/NAME, and /api",
        ),
        ("POST", "/health", None, 405, "ask for it with GET, not POST"),
        ("GET", "/faults/hold_fsync", None, 405, "ask for it with POST, not GET"),
        ("GET", "/history?since=-1", None, 400, "since is '-1'; send a number"),
        (
            "POST",
            "/faults/crash_queue",
            {},
            400,
            "crash_queue: missing a required argument: 'name'; it takes name and may take vhost",
        ),
        (
            "POST",
            "/faults/block",
            {"why": "so"},
            400,
            "block: got an unexpected keyword argument 'why'; it may take reason",
        ),
        ("POST", "/faults/hold_fsync", {"n": 1}, 400, "unexpected keyword argument 'n'"),
        ("POST", "/faults/nack_next", {"n": "two"}, 400, "n is 'two'; it must be an integer"),
        (
            "POST",
            "/faults/nack_next",
            {"key": "q"},
            400,
            "unexpected argument 'key'; it may take n, ",
        ),
        ("POST", "/faults/crash_queue", {"name": "x"}, 404, "there is no queue 'x' to crash"),
        ("POST", "/faults/crash_queue", {"name": ["x"]}, 400, "crash_queue: ['x'] is no name"),
        ("POST", "/faults/delete_queue", {"name": {}}, 400, "delete_queue: {} is no name"),
        ("POST", "/faults/drop_connection", {"when": "now"}, 400, "when is 'now'; it must be one"),
        ("POST", "/faults/reorder_confirms", {"n": 1}, 400, "n is 1; it must be from 2 to 1000"),
        ("POST", "/faults/reorder_confirms", {"order": 7}, 400, "order is 7; it must be reversed"),
        ("POST", "/faults/reorder_confirms", {"order": [3, 1]}, 400, "the numbers from 1 to 2"),
        ("POST", "/faults/fail_writes", {"n": 0}, 400, "n is 0; it must be 1 or more"),
        ("POST", "/faults/hold_fsync", {"n": 1}, 400, "it takes no arguments"),
        (
            "POST",
            "/faults/explode",
            {},
            404,
            "there is no fault 'explode'; there are block, cancel_consumer, clear",
        ),
        ("POST", "/faults/nack_next", {"self": 1}, 400, "unexpected argument 'self'; it may take"),
        ("POST", "/faults/nack-next", {}, 404, "no fault 'nack-next'; did you mean nack_next? "),
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


def test_a_node_that_cannot_start_again_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(_: Disk) -> Stored:
        raise DiskError("it is damaged")

    with remote() as node:
        with monkeypatch.context() as patch:
            patch.setattr(Disk, "recover", damaged)
            asked = node.ask("POST", "/faults/restart_node")
            assert asked == (503, {"error": "restart_node: it is damaged"})
        node.fault("restart_node")
