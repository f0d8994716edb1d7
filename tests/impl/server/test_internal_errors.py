"""A fault in the broker itself stops one step, or one connection; everything else goes on."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.node import Node
from ackproof.impl.options import Options
from ackproof.impl.running import RunningBroker
from ackproof.impl.server.connection import Connection
from ackproof.impl.session.session import Phase, Session
from ackproof.impl.storage.journal import Batch, Journal
from pamqp import commands

from tests.impl.clients import Wire, content, encode
from tests.impl.faults.faulty_clients import with_queue
from tests.impl.sockets import Bare, blocking, eventually


class Breaks:
    """Lets a step fail, once."""

    def __init__(self, step: str) -> None:
        self._step: str | None = step

    def before(self, step: str, _: tuple[Any, ...]) -> None:
        """Fail if this is the step."""
        if step == self._step:
            self._step = None
            raise RuntimeError("a fault of the broker")

    def fail(self, *_: Any) -> None:
        """Fail, whoever calls."""
        raise RuntimeError("a fault of the broker")

    def after(self, step: str, arguments: tuple[Any, ...]) -> None:
        """The step was taken."""

    def not_taken(self, step: str, arguments: tuple[Any, ...]) -> None:
        """It was not."""

    def committed(self, batch: Batch) -> None:
        """A commit has returned."""


class BreaksAtCommits(Breaks):
    """Fails whenever a commit has returned."""

    def committed(self, _: Batch) -> None:
        """A commit has returned."""
        self.fail()


@pytest.mark.parametrize("step", ["sync", "drain", "confirm_arrives", "flush"])
def test_where_a_step_fails_its_connection_stays_and_others_are_served(
    step: str, caplog: pytest.LogCaptureFixture
) -> None:
    with RunningBroker() as broker, blocking(broker.port) as other:
        unlucky, lucky = Bare(broker.port).opened(), Bare(broker.port).opened()
        for name in ("q", "other"):
            other.queue_declare(name, durable=True)
        broker.ask(lambda b: b.steps.observe(Breaks(step)))
        unlucky.send(encode(1, *content("q")))
        eventually(lambda: "a fault of the broker" in caplog.text)
        lucky.send(encode(1, *content("other")))
        assert lucky.line() == "1 ack 1"
        unlucky.send(encode(1, commands.Channel.Close(200, "", 0, 0)))
        assert unlucky.line() == "1 Channel.CloseOk"
        unlucky.close()
        lucky.close()


def test_where_a_session_cannot_begin_the_socket_is_closed_and_others_are_served(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with RunningBroker() as broker:
        with monkeypatch.context() as patch:
            patch.setattr(Session, "alarm", Breaks("alarm").fail)
            unlucky = Bare(broker.port)
            with suppress(ConnectionError):
                assert unlucky.line() == ""
        assert "closed, because of an internal error" in caplog.text
        Bare(broker.port).opened().close()
        unlucky.close()


def test_a_socket_that_was_taken_right_before_a_restart_is_closed() -> None:
    with RunningBroker() as broker:
        before = broker.ask(lambda _: broker._node._server)
        broker.restart_node()
        transport = Mock(asyncio.Transport)
        broker.ask(lambda _: Connection(before).connection_made(transport))
        transport.abort.assert_called_once_with()
        assert before.sessions == []


@pytest.mark.parametrize("turns", range(5))
def test_one_who_connects_right_before_a_kill_is_not_left_alone(turns: int) -> None:
    async def scene() -> bytes:
        node = Node(Options())
        await node.start()
        client = socket.create_connection(("127.0.0.1", node.port))
        client.setblocking(False)
        for _ in range(turns):  # the system hands it over, it is attached, and its session begins
            await asyncio.sleep(0)
        await node._server.kill()
        gc.disable()  # a socket that is lost would be closed with the rest of the rubbish
        try:
            return await asyncio.wait_for(asyncio.get_running_loop().sock_recv(client, 1), 30)
        except ConnectionResetError:
            return b""
        finally:
            gc.enable()
            node.close()
            client.close()

    assert asyncio.run(scene()) == b""


def test_where_one_connection_fails_at_the_end_the_last_commit_is_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with RunningBroker(tmp_path, interval=3600) as broker:
        with_queue(broker).close()
        broker.hold_fsync()
        client = Bare(broker.port).opened()
        client.send(encode(1, *content("q")))
        eventually(lambda: broker.depth("q") == 1)
        monkeypatch.setattr(Connection, "write", Breaks("none").fail)
    with RunningBroker(tmp_path) as broker:
        assert broker.depth("q") == 1
    assert "cut, because of an internal error" in caplog.text


def test_a_client_that_has_gone_before_it_is_told_so_is_no_error() -> None:
    transport = Mock(asyncio.Transport)
    transport.is_closing.return_value = False
    transport.write_eof.side_effect = OSError("Transport endpoint is not connected")
    with RunningBroker() as broker:

        def part(_: Broker) -> None:
            connection = Connection(broker._node._server)
            connection.connection_made(transport)
            assert connection.session is not None
            connection.session.phase = Phase.CLOSED
            connection._part(connection.session)
            connection.connection_lost(None)

        broker.ask(part)
    transport.abort.assert_called_once_with()


def test_where_one_who_waits_for_a_commit_fails_the_others_hear_of_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    journal = Journal()
    heard: list[str] = []
    journal.after_commit(Breaks("callback").fail)
    journal.after_commit(lambda: heard.append("committed"))
    journal.committed(journal.take())
    assert heard == ["committed"]
    assert "a fault of the broker" in caplog.text


def test_where_one_who_watches_commits_fails_publishes_are_confirmed_all_the_same(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with RunningBroker() as broker, blocking(broker.port) as channel:
        channel.queue_declare("q", durable=True)
        broker.ask(lambda b: b.steps.observe(BreaksAtCommits("none")))
        client = Bare(broker.port).opened()
        for tag in (1, 2):
            client.send(encode(1, *content("q")))
            assert client.line() == f"1 ack {tag}"
        client.close()
    assert "internal error after a commit; the broker goes on" in caplog.text


def test_where_closing_one_channel_fails_the_others_are_closed_all_the_same() -> None:
    wire = Wire(Broker()).opened(1, 2)
    wire.say(1, commands.Queue.Declare(queue="exclusive", exclusive=True))
    wire.say(2, commands.Queue.Declare(queue="q"))
    wire.publish(1, "q")
    assert wire.say(2, commands.Basic.Get(queue="q"))
    wire.broker.steps.observe(Breaks("close"))
    wire.session.connection_lost()
    assert list(wire.broker.queues) == ["q"]
    assert len(wire.broker.queues["q"].machine.ready) == 1, "what was unacked is back"


def test_a_connection_that_a_fault_cuts_is_told_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO), RunningBroker(tmp_path) as broker:
        client = with_queue(broker)
        broker.drop_connection(when="before_confirm")
        client.send(encode(1, *content("q")))
        assert client.rest() == []
        client.close()
    assert caplog.text.count("cut, because a fault was asked for") == 1
