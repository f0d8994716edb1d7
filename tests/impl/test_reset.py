"""A reset: nothing and nobody is left, and the broker is as at its start."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from ackproof.impl.access.directory import User
from ackproof.impl.running import RunningBroker
from ackproof.impl.storage.disk import Disk, DiskError
from pamqp import commands
from pika.exceptions import ChannelClosedByBroker

from tests.impl.clients import content, encode
from tests.impl.control.remote import remote
from tests.impl.faults.faulty_clients import with_queue
from tests.impl.processes import start
from tests.impl.sockets import Bare, blocking, eventually


def use(broker: RunningBroker) -> Bare:
    """Leave something of everything in a broker; return a client that is connected."""
    client = with_queue(broker)
    client.send(
        encode(1, commands.Exchange.Declare(exchange="e", exchange_type="fanout", durable=True))
    )
    client.send(encode(1, commands.Queue.Bind(queue="q", exchange="e")))
    client.send(encode(1, *content("q")))
    assert [client.line() for _ in range(3)][-1] == "1 ack 1"
    broker.ask(lambda there: there.declare_vhost("later"))
    broker.ask(lambda there: there.directory.put(User.of("later", "x")))
    broker.block()
    broker.hold_fsync()
    return client


@pytest.mark.parametrize("options", [{}, {"replicas": 3}, {"seed": 3}, {"lockstep": True}], ids=str)
@pytest.mark.parametrize("on_disk", [False, True], ids=["in memory", "on disk"])
def test_nothing_is_left(tmp_path: Path, options: dict[str, Any], on_disk: bool) -> None:
    directory = tmp_path / "data" if on_disk else None
    definitions = {"queues": [{"vhost": "/", "name": "given", "durable": True}]}
    with RunningBroker(
        directory, vhosts=["v"], definitions={"vhosts": [{"name": "/"}], **definitions}, **options
    ) as broker:
        port = broker.port
        for _ in range(3):
            client = use(broker)
            assert broker.reset() == {"complaints": [], "unstruck": []}
            assert client.rest() == []
            assert broker.port == port
            assert [queue["name"] for queue in broker.queues()] == ["given"]
            assert broker.depth("given") == 0
            assert {one.kind for one in broker.history} <= {"queue_declared", "commit"}
            assert broker.armed() == []
            assert broker.ask(lambda there: sorted(there.vhosts)) == ["/", "v"]
            assert broker.ask(lambda there: list(there.directory.users)) == ["guest"]
            assert broker.scenario().faults == ()
            with blocking(broker.port) as channel, pytest.raises(ChannelClosedByBroker):
                channel.exchange_declare("e", passive=True)
        broker.check()


def test_a_kill_after_it_brings_nothing_back(tmp_path: Path) -> None:
    with RunningBroker(tmp_path / "data", replicas=3) as broker:
        use(broker).close()
        broker.reset()
    with RunningBroker(tmp_path / "data", replicas=3) as broker:
        assert broker.queues() == []
    process, port = start(tmp_path / "other", "--control", "0")
    assert process.stdout is not None
    control = process.stdout.readline().rsplit(":", 1)[1].strip()
    client = Bare(port).opened()
    client.send(encode(1, commands.Queue.Declare(queue="q", durable=True)))
    client.line()
    client.send(encode(1, *content("q")))
    assert client.line() == "1 ack 1"
    assert posted(int(control), "/reset") == 200
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with RunningBroker(tmp_path / "other") as broker:
        assert broker.queues() == []


def posted(port: int, path: str) -> int:
    """Ask the control API for something; return the status of the answer."""
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", path)
    return connection.getresponse().status


def test_what_there_was_to_complain_of_is_told_since_nobody_can_ask_any_more() -> None:
    with RunningBroker() as broker:
        broker.nack_next(routing_key="none")
        broker.ask(
            lambda there: there.history.note("ack", connection=1, channel=1, tag=1, multiple=False)
        )
        told = broker.reset()
        assert told["unstruck"] == ["nack_next(routing_key='none')"]
        assert "publish 1 is acked and was never published" in told["complaints"][0]
        assert broker.reset() == {"complaints": [], "unstruck": []}
        broker.check()


def test_it_is_asked_for_over_http_and_takes_milliseconds() -> None:
    with remote() as node:
        node.fault("nack_next")
        answer = {"reset": True, "complaints": [], "unstruck": ["nack_next()"]}
        assert node.ask("POST", "/reset") == (200, answer)
        assert node.ask("GET", "/faults") == (200, {"faults": [], "unstruck": []})
        assert node.ask("GET", "/history") == (200, {"entries": []})
        times = []
        for _ in range(10):
            client = Bare(node.port).opened()
            began = time.monotonic()
            assert node.ask("POST", "/reset")[0] == 200
            times.append(time.monotonic() - began)
            assert client.rest() == []
        assert min(times) < 0.1


def test_who_connects_meanwhile_is_not_turned_away() -> None:
    with RunningBroker() as broker:
        stop, refused = threading.Event(), []

        def knock() -> None:
            while not stop.is_set():
                try:
                    Bare(broker.port).close()
                except ConnectionRefusedError as error:
                    refused.append(error)

        thread = threading.Thread(target=knock)
        thread.start()
        for _ in range(50):
            broker.reset()
        stop.set()
        thread.join()
        assert refused == []


def test_a_disk_that_cannot_be_erased_is_told_and_the_broker_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Disk) -> None:
        raise DiskError("it is damaged")

    with RunningBroker(tmp_path / "data") as broker:
        with_queue(broker).close()
        monkeypatch.setattr(Disk, "erase", refuse)
        with pytest.raises(DiskError, match="it is damaged"):
            broker.reset()
        eventually(lambda: broker.depth("q") == 0)
        monkeypatch.undo()
        broker.reset()
        assert broker.queues() == []
