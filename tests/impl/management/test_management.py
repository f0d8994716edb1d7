"""The management over a real socket: what it shows, changes and refuses."""

from __future__ import annotations

import base64
import math
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from pamqp import commands

from tests.impl.clients import content, encode
from tests.impl.control.remote import Remote, remote
from tests.impl.management.asking import Asker, named
from tests.impl.sockets import Bare, eventually

GET = {"count": 1, "ackmode": "ack_requeue_true", "encoding": "auto"}
ALL = {"configure": ".*", "write": ".*", "read": ".*"}


@pytest.fixture
def node() -> Iterator[Remote]:
    with remote() as running:
        yield running


@pytest.fixture
def guest(node: Remote) -> Asker:
    return Asker(node.control)


def test_what_a_client_has_made_is_shown(node: Remote, guest: Asker) -> None:
    client = Bare(node.port).opened()
    declare = commands.Queue.Declare(queue="q", durable=True, arguments={"x-max-length": 5})
    bind = commands.Queue.Bind(queue="q", exchange="amq.topic", routing_key="a.#")
    client.send(encode(1, declare, bind))
    assert [client.line(), client.line()] == ["1 Queue.DeclareOk q 0", "1 Queue.BindOk"]
    client.send(encode(1, *content("q"), commands.Basic.Consume(queue="q", consumer_tag="c")))
    eventually(lambda: guest.get(f"queues/{named('/', 'q')}")["consumers"] == 1)
    queue = guest.get(f"queues/{named('/', 'q')}")
    shown = {name: queue[name] for name in ("name", "durable", "arguments", "state")}
    assert shown == {
        "name": "q",
        "durable": True,
        "arguments": {"x-max-length": 5},
        "state": "running",
    }
    assert guest.get("queues?columns=messages,messages_unacknowledged") == [
        {"messages": 1, "messages_unacknowledged": 1}
    ]
    bound = [one["routing_key"] for one in guest.get("bindings") if one["source"]]
    assert bound == ["a.#"]
    (connection,) = guest.get("connections")
    assert connection["name"].endswith(f" -> 127.0.0.1:{node.port}")
    assert (connection["user"], connection["vhost"], connection["channels"]) == ("guest", "/", 1)
    (channel,) = guest.get("channels")
    assert (channel["confirm"], channel["messages_unacknowledged"]) == (True, 1)
    (consumer,) = guest.get("consumers")
    assert (consumer["consumer_tag"], consumer["queue"]["name"]) == ("c", "q")
    assert guest.get("overview")["queue_totals"]["messages"] == 1
    client.close()


def test_a_connection_is_closed_with_a_reason(node: Remote, guest: Asker) -> None:
    for headers, reason in (({}, "Closed via management plugin"), ({"X-Reason": "why"}, "why")):
        client = Bare(node.port).opened()
        (connection,) = guest.get("connections")
        path = f"connections/{named(connection['name'])}"
        assert guest.ask("DELETE", path, **headers) == (204, None)
        assert client.line() == f"0 Connection.Close 320 CONNECTION_FORCED - {reason}"
        assert guest.ask("DELETE", path)[0] == 404
        client.close()
    assert guest.get("connections") == []


def test_virtual_hosts_users_and_permissions_are_made(node: Remote, guest: Asker) -> None:
    assert [guest.put("vhosts/v"), guest.put("vhosts/v", description="d")] == [201, 204]
    assert guest.get("vhosts/v")["description"] == "d"
    assert guest.put("users/u", password="p", tags="management") == 201
    u = Asker(node.control, "u", "p")
    assert u.get("vhosts") == []
    assert guest.put("permissions/v/u", **ALL) == 201
    assert [host["name"] for host in u.get("vhosts")] == ["v"]
    assert guest.get("permissions/v/u") == {"user": "u", "vhost": "v", **ALL}
    assert guest.ask("DELETE", "permissions/v/u") == (204, None)
    assert guest.ask("GET", "permissions/v/u")[0] == 404
    assert guest.ask("DELETE", "users/u") == (204, None)
    assert u.ask("GET", "vhosts")[0] == 401
    assert guest.ask("DELETE", "vhosts/v") == (204, None)
    assert guest.ask("DELETE", "vhosts/v")[0] == 404


def test_what_is_put_is_there_after_a_crash(node: Remote, guest: Asker) -> None:
    guest.put("vhosts/v")
    guest.put("permissions/v/guest", **ALL)
    guest.put("queues/v/q", durable=True)
    node.fault("restart_node")
    assert [queue["name"] for queue in guest.get("queues/v")] == ["q"]


def test_messages_are_published_and_got(guest: Asker) -> None:
    vhost = named("/")
    guest.put(f"queues/{vhost}/q")
    publish = f"exchanges/{vhost}/amq.default/publish"
    message = {
        "routing_key": "q",
        "payload": base64.b64encode(b"\xff\x00").decode(),
        "payload_encoding": "base64",
        "properties": {"type": "t", "headers": {"n": 1}, "timestamp": 5},
    }
    assert guest.ask("POST", publish, message) == (200, {"routed": True})
    assert guest.ask("POST", publish, {**message, "routing_key": "none"}) == (
        200,
        {"routed": False},
    )
    for mode, redelivered, left in (
        ("ack_requeue_true", False, 1),
        ("reject_requeue_true", True, 1),
        ("ack_requeue_false", True, 0),
    ):
        asked = {"count": "2", "ackmode": mode, "encoding": "auto"}
        _, (got,) = guest.ask("POST", f"queues/{vhost}/q/get", asked)
        assert got["payload"] == message["payload"]
        assert got["payload_encoding"] == "base64"
        assert got["properties"] == message["properties"]
        assert got["redelivered"] is redelivered
        assert guest.get(f"queues/{vhost}/q")["messages"] == left


def test_bindings_have_keys_by_which_they_are_removed(guest: Asker) -> None:
    vhost = named("/")
    guest.put(f"queues/{vhost}/q")
    path = f"bindings/{vhost}/e/amq.direct/q/q"
    for body in ({"routing_key": "k"}, {"routing_key": "k", "arguments": {"a": 1}}, {}):
        assert guest.ask("POST", path, body) == (201, None)
    keys = [one["properties_key"] for one in guest.get(path)]
    assert keys[0] == "k"
    assert keys[1].startswith("k~")
    assert keys[2] == "~"
    for key in keys:
        assert guest.ask("DELETE", f"{path}/{named(key)}") == (204, None)
    assert guest.get(path) == []


def test_definitions_go_out_and_come_in(node: Remote, guest: Asker) -> None:
    guest.put("vhosts/v")
    guest.put("permissions/v/guest", **ALL)
    guest.put("queues/v/q", durable=True)
    out = guest.get("definitions")
    with remote() as other:
        there = Asker(other.control)
        assert there.ask("POST", "definitions", out) == (204, None)
        again = there.get("definitions")
        assert again == out
        only = there.get("definitions/v")
        assert [queue["name"] for queue in only["queues"]] == ["q"]


def test_whoever_waits_until_it_is_ready_hears_that_it_is(node: Remote, guest: Asker) -> None:
    well = (
        "healthchecks/node",
        "health/checks/alarms",
        "health/checks/virtual-hosts",
        f"health/checks/port-listener/{node.port}",
        "health/checks/protocol-listener/amqp091",
        f"aliveness-test/{named('/')}",
    )
    for path in well:
        assert guest.get(path)["status"] == "ok"
    assert guest.ask("GET", "health/checks/port-listener/1")[0] == 503
    node.fault("block", reason="a test")
    assert guest.ask("GET", "health/checks/alarms")[0] == 503


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "reason"),
    [
        ("GET", "nothing", None, 404, "Not Found"),
        ("GET", "queues/none", None, 404, "Not Found"),
        ("PUT", "queues/%2F/q", {"durable": "maybe"}, 400, "durable must be true or false"),
        ("PUT", "queues/%2F/q", {"arguments": 1}, 400, "arguments must be an object"),
        ("PUT", "queues/%2F/q", {"arguments": {"n": 2**70}}, 400, "too large for an argument"),
        ("PUT", "queues/%2F/" + "q" * 300, {}, 400, "that cannot be said in AMQP"),
        ("PUT", "queues/%2F/q", b"{", 400, "not_json"),
        ("PUT", "queues/%2F/q", [1], 400, "not_json"),
        ("PUT", "users/u", {"password": "p"}, 400, "tags_not_present"),
        ("PUT", "users/u", {"password": 1, "tags": ""}, 400, "password must be a text"),
        ("PUT", "vhosts/v", {"tags": 5}, 400, "tags must be a list of texts"),
        (
            "PUT",
            "permissions/%2F/guest",
            {"write": "("},
            400,
            "[{key_missing,configure},{key_missing,read}]",
        ),
        ("DELETE", "vhosts/%2F", None, 400, "the virtual host / is always there"),
        ("POST", "definitions", {"queues": 5}, 400, "queues must be a list"),
        (
            "POST",
            "queues/%2F/q/get",
            {"count": -1, "ackmode": "x", "encoding": "auto"},
            400,
            "count must be a number",
        ),
        (
            "POST",
            "exchanges/%2F/amq.default/publish",
            {"routing_key": "k", "payload": "?", "payload_encoding": "base64"},
            400,
            "the payload is not base64",
        ),
        (
            "POST",
            "exchanges/%2F/amq.default/publish",
            {"routing_key": "k", "payload": "", "properties": {"priority": 999}},
            400,
            "the properties cannot be sent",
        ),
        ("PUT", "users/u", b'{"password": "\\ud800", "tags": ""}', 400, "not_json"),
        ("POST", "definitions", b'{"queues": [{"name": "\\ud800"}]}', 400, "not_json"),
        ("GET", "queues?page=0", None, 400, "page is from 1, and page_size from 1 to 500"),
        ("POST", "bindings/%2F/e/amq.direct/x/q", {}, 400, "a binding leads to q, a queue"),
    ],
)
def test_what_makes_no_sense_is_refused(
    guest: Asker, method: str, path: str, body: object, status: int, reason: str
) -> None:
    answer = guest.ask(method, path, body)
    assert answer[0] == status, answer
    assert reason in answer[1]["reason"]


def test_who_may_not_is_refused(node: Remote, guest: Asker) -> None:
    guest.put("users/plain", password="p", tags="")
    guest.put("users/u", password="p", tags="management")
    plain, u = Asker(node.control, "plain", "p"), Asker(node.control, "u", "p")
    assert plain.ask("GET", "overview")[1]["reason"] == "Not management user"
    for method, path in (("GET", "users"), ("PUT", "vhosts/v"), ("GET", "definitions")):
        assert u.ask(method, path)[1]["reason"] == "Not administrator user"
    assert u.ask("GET", "queues/%2F")[1]["reason"] == "User not authorised to access virtual host"
    assert Asker(node.control, "guest", "x").ask("GET", "overview")[1]["reason"] == "Login failed"
    guest.put("permissions/%2F/u", configure="^c", write="", read="")
    assert u.put("queues/%2F/q") == 401
    assert u.put("queues/%2F/c") == 201
    assert guest.ask("POST", "overview") == (405, None)


def test_who_may_look_at_connections_may_close_only_their_own(node: Remote, guest: Asker) -> None:
    client = Bare(node.port).opened()
    guest.put("users/mon", password="p", tags="monitoring")
    guest.put(f"permissions/{named('/')}/mon", configure="", write="", read="")
    watcher = Asker(node.control, "mon", "p")
    (connection,) = watcher.get("connections")
    path = f"connections/{named(connection['name'])}"
    assert watcher.ask("DELETE", path)[0] == 401
    assert guest.ask("DELETE", path)[0] == 204
    client.close()


def test_rabbitmqadmin_works(node: Remote) -> None:
    program = shutil.which("rabbitmqadmin")
    if program is None:
        pytest.skip("rabbitmqadmin is not installed")

    def admin(*words: str) -> str:
        command = ["python3", program, "--port", str(node.control), "--format", "tsv", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    admin("declare", "vhost", "name=v")
    admin("declare", "user", "name=u", "password=p", "tags=administrator")
    for user in ("u", "guest"):
        admin("declare", "permission", "vhost=v", f"user={user}", *(f"{n}=.*" for n in ALL))
    inside = ("--vhost", "v", "--username", "u", "--password", "p")
    admin(*inside, "declare", "queue", "name=q", "durable=true")
    admin(*inside, "declare", "exchange", "name=x", "type=topic")
    admin(*inside, "declare", "binding", "source=x", "destination=q", "routing_key=a.#")
    admin(*inside, "publish", "exchange=x", "routing_key=a.b", "payload=hello")
    assert admin(*inside, "list", "queues", "name", "messages").split() == [
        "name", "messages", "q", "1",
    ]  # fmt: skip
    assert "hello" in admin(*inside, "get", "queue=q", "ackmode=ack_requeue_false")
    admin(*inside, "purge", "queue", "name=q")
    admin(
        *inside, "delete", "binding", "source=x", "destination_type=queue", "destination=q",
        "properties_key=a.#",
    )  # fmt: skip
    admin(*inside, "delete", "exchange", "name=x")
    admin(*inside, "delete", "queue", "name=q")
    assert "ackproof" in admin("show", "overview")
    admin("delete", "vhost", "name=v")
    admin("delete", "user", "name=u")
    assert node.ask("GET", "/check")[1]["passed"]


@pytest.mark.parametrize("how", ["/reset", "/faults/restart_node"])
def test_a_request_that_is_under_way_hears_that_the_broker_has_ended(
    node: Remote, guest: Asker, how: str
) -> None:
    assert node.ask("POST", "/faults/fail_writes", {"n": 1000})[0] == 200
    with ThreadPoolExecutor() as threads:
        under_way = threads.submit(guest.ask, "PUT", f"queues/{named('/', 'q')}", {"durable": True})
        eventually(lambda: guest.get("queues") != [])
        assert node.ask("POST", how)[0] == 200
        status, said = under_way.result()
    assert status == 503
    assert "stopped or started again meanwhile; ask again" in said["reason"]


def test_a_name_that_is_no_text_is_refused(guest: Asker) -> None:
    for kind in ("queues", "exchanges"):
        assert guest.ask("PUT", f"{kind}/%2F/%FF", {"type": "fanout"})[0] == 400


def test_a_number_beyond_all_is_refused(guest: Asker) -> None:
    body = b'{"type": "fanout", "arguments": {"x": 1e400}}'
    assert guest.ask("PUT", f"exchanges/{named('/', 'e')}", body)[0] == 400


def test_a_header_that_is_no_number_is_answered_in_json(node: Remote, guest: Asker) -> None:
    client = Bare(node.port).opened()
    client.send(encode(1, commands.Queue.Declare(queue="q")))
    assert client.line() == "1 Queue.DeclareOk q 0"
    client.send(encode(1, *content("q", headers={"x": math.nan, "y": [math.inf, 1.5]})))
    assert client.line() == "1 ack 1"
    (got,) = guest.ask("POST", f"queues/{named('/', 'q')}/get", GET)[1]
    assert got["properties"]["headers"] == {"x": "nan", "y": ["inf", 1.5]}
    client.close()
