"""Definitions: what goes out comes in again, and what is wrong is named by its place."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from ackproof.impl.administration.definitions import DefinitionsError, read_definitions
from ackproof.impl.administration.exporting import written
from ackproof.impl.broker import Broker
from ackproof.impl.running import RunningBroker

DOCUMENT: dict[str, Any] = {
    "rabbit_version": "3.10.8",
    "users": [
        {
            "name": "u",
            "password_hash": "5GSA8VbdQjnf9WUGniaj84sc7C/ypOpXu/L3YKveTaYAG4mO",
            "hashing_algorithm": "rabbit_password_hashing_sha256",
            "tags": ["management"],
            "limits": {},
        }
    ],
    "vhosts": [{"name": "/"}, {"name": "v"}],
    "permissions": [{"user": "u", "vhost": "v", "configure": ".*", "write": ".*", "read": ""}],
    "global_parameters": [{"name": "internal_cluster_id", "value": "some"}],
    "policies": [],
    "queues": [
        {
            "name": "q",
            "vhost": "v",
            "durable": True,
            "auto_delete": False,
            "arguments": {"x-max-length": 5, "x-overflow": "reject-publish"},
        },
    ],
    "exchanges": [
        {
            "name": "x",
            "vhost": "v",
            "type": "topic",
            "durable": True,
            "auto_delete": False,
            "internal": False,
            "arguments": {},
        }
    ],
    "bindings": [
        {
            "source": "x",
            "vhost": "v",
            "destination": "q",
            "destination_type": "queue",
            "routing_key": "a.#",
            "arguments": {"n": [1, {"k": None}], "f": 1.5},
        },
        {
            "source": "amq.fanout",
            "vhost": "v",
            "destination": "x",
            "destination_type": "exchange",
            "routing_key": "",
            "arguments": {},
        },
    ],
}
NOTHING = {"user": "u", "vhost": "/", "configure": "", "write": "", "read": ""}
ENTRIES = ("users", "permissions", "queues", "exchanges")


def test_what_goes_out_is_what_came_in() -> None:
    broker = Broker(users=())
    read_definitions(DOCUMENT).apply(broker)
    out = json.loads(json.dumps(written(broker)))
    assert {name: out[name] for name in ENTRIES} == {name: DOCUMENT[name] for name in ENTRIES}
    by_source = sorted(out["bindings"], key=lambda one: one["destination_type"], reverse=True)
    assert by_source == DOCUMENT["bindings"]
    assert [host["name"] for host in out["vhosts"]] == ["/", "v"]


def test_what_is_there_stays_as_it_is() -> None:
    broker = Broker(users=())
    read_definitions(DOCUMENT).apply(broker)
    queue = broker.vhosts["v"].queues["q"]
    other = {**DOCUMENT, "queues": [{"name": "q", "vhost": "v", "durable": False}]}
    read_definitions(other).apply(broker)
    assert broker.vhosts["v"].queues["q"] is queue


def test_one_virtual_host_goes_out_without_its_name() -> None:
    broker = Broker(users=())
    read_definitions(DOCUMENT).apply(broker)
    out = written(broker, "v")
    assert "users" not in out
    again = Broker(vhosts=["w"])
    read_definitions(out, "w").apply(again)
    assert written(again, "w") == out


def test_a_broker_begins_with_them_and_a_restart_keeps_what_has_changed(tmp_path: Path) -> None:
    with RunningBroker(tmp_path, definitions=DOCUMENT) as broker:
        users = broker.ask(lambda it: list(it.directory.users))
        assert users == ["u"], "who is named comes in, and guest does not"
        broker.ask(lambda it: it.declare_vhost("w"))
        stored = threading.Event()
        broker.ask(lambda it: it.journal.after_commit(stored.set))
        assert stored.wait(30)
        broker.restart_node()
        assert set(broker.ask(lambda it: list(it.vhosts))) == {"/", "v", "w"}
    with RunningBroker(tmp_path) as broker:
        assert set(broker.ask(lambda it: list(it.vhosts))) == {"/", "v", "w"}
        assert broker.ask(lambda it: list(it.directory.users)) == ["u"]
        assert broker.queues()[0]["vhost"] == "v"
        broker.check()


def test_a_virtual_host_that_an_option_adds_later_is_open_to_all_who_may_log_in(
    tmp_path: Path,
) -> None:
    with RunningBroker(tmp_path, definitions=DOCUMENT):
        pass
    for vhosts in (["late"], []):
        with RunningBroker(tmp_path, vhosts=vhosts) as broker:
            assert broker.ask(lambda it: it.directory.may_open("late", "u"))
            assert not broker.ask(lambda it: it.directory.may_open("/", "u"))


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ([], "definitions must be an object, as RabbitMQ exports it"),
        ({"queues": {}}, "queues must be a list"),
        ({"queues": [1]}, r"queues\[0\] must be an object"),
        ({"queues": [{"vhost": "/"}]}, r"queues\[0\]: name must be a text"),
        ({"queues": [{"name": "q"}]}, r"queues\[0\]: vhost must be a text"),
        (
            {"queues": [{"name": "q", "vhost": "/", "durable": 1}]},
            r"queues\[0\]: durable must be true or false",
        ),
        (
            {"queues": [{"name": "q", "vhost": "/", "arguments": {"n": 2**63}}]},
            r"queues\[0\]: 9223372036854775808 is too large",
        ),
        ({"users": [{"name": "u", "password_hash": "?"}]}, r"users\[0\]: a password hash must be"),
        (
            {"users": [{"name": "u", "password_hash": "aaaa", "hashing_algorithm": "none"}]},
            r"users\[0\]: there is no hashing algorithm 'none'",
        ),
        ({"users": [{"name": "u", "tags": 1}]}, r"users\[0\]: tags must be a list of texts"),
        (
            {
                "permissions": [
                    {"user": "u", "vhost": "/", "configure": "(", "write": "", "read": ""}
                ]
            },
            r"permissions\[0\]: configure is '\(', which is no regular expression",
        ),
        ({"queues": [{"name": "q" * 256, "vhost": "/"}]}, r"queues\[0\]: name has more than 255"),
        (
            {"exchanges": [{"name": "é" * 128, "vhost": "/", "type": "fanout"}]},
            "more than 255 bytes",
        ),
        ({"queues": [{"name": "\ud800", "vhost": "/"}]}, r"queues\[0\]: name is no text of UTF-8"),
        ({"vhosts": [{"name": ""}]}, r"vhosts\[0\]: name is empty"),
        (
            {"bindings": [{"source": "x", "vhost": "/", "destination_type": "y"}]},
            r"bindings\[0\]: destination_type must be queue or exchange",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(document: object, why: str) -> None:
    with pytest.raises(DefinitionsError, match=why):
        read_definitions(document)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"queues": [{"name": "q", "vhost": "none"}]}, "there is no virtual host 'none'; name it"),
        (
            {
                "permissions": [
                    {"user": "u", "vhost": "/", "configure": "", "write": "", "read": ""}
                ]
            },
            "permissions in '/': there is no user 'u'",
        ),
        (
            {"queues": [{"name": "q", "vhost": "/", "arguments": {"x-expires": -1}}]},
            "queue 'q' cannot be: PRECONDITION_FAILED - invalid arg 'x-expires'",
        ),
        (
            {"bindings": [{"source": "x", "vhost": "/", "destination": "q", "routing_key": ""}]},
            "a binding of 'q' cannot be: NOT_FOUND - no queue 'q'",
        ),
        (
            {"exchanges": [{"name": "x", "vhost": "/", "type": "x-random"}]},
            "exchange 'x' in vhost '/' cannot be: COMMAND_INVALID - unknown exchange type",
        ),
    ],
)
def test_what_cannot_be_made_is_said(document: dict[str, Any], why: str) -> None:
    with pytest.raises(DefinitionsError, match=why):
        read_definitions(document).apply(Broker())


def test_what_is_left_out_is_said(caplog: pytest.LogCaptureFixture) -> None:
    read_definitions({"policies": [{"name": "ha"}], "parameters": []})
    assert caplog.messages == ["definitions: policies are left out, as they are not implemented"]
