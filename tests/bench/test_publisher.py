"""The publisher keeps every frame, in order, from a broker that says what the test wants."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from pamqp import commands, frame

from bench.process import Failed
from bench.rabbitmq.frames import Splitter
from bench.rabbitmq.publisher import Publisher

#: What a client says, and the answer.
ANSWERS: dict[str, frame.FrameTypes] = {
    "Connection.StartOk": commands.Connection.Tune(2047, 131072, 60),
    "Connection.Open": commands.Connection.OpenOk(),
    "Channel.Open": commands.Channel.OpenOk(),
    "Confirm.Select": commands.Confirm.SelectOk(),
}


class Broker:
    """Answers one client, counts its publishes, and says the script after so many of them."""

    def __init__(self, publishes: int, script: Sequence[frame.FrameTypes], piece: int) -> None:
        self.publishes = publishes
        self.script = script
        self.piece = piece
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.server.getsockname()[1]

    def serve(self) -> None:
        client, _ = self.server.accept()
        with client:
            client.recv(8, socket.MSG_WAITALL)
            client.sendall(frame.marshal(commands.Connection.Start(server_properties={}), 0))
            splitter = Splitter()
            while data := client.recv(65536):
                for one in splitter.feed(data):
                    self.answer(client, one)
                    if self.publishes == 0:
                        self.say(client)
                        return

    def answer(self, client: socket.socket, one: frame.FrameTypes) -> None:
        if isinstance(one, commands.Basic.Publish):
            self.publishes -= 1
        elif (reply := ANSWERS.get(getattr(one, "name", ""))) is not None:
            client.sendall(frame.marshal(reply, 1))

    def say(self, client: socket.socket) -> None:
        said = b"".join(frame.marshal(one, 1) for one in self.script)
        for start in range(0, len(said), self.piece):
            client.sendall(said[start : start + self.piece])


@contextmanager
def publisher(*script: frame.FrameTypes, after: int, piece: int = 1000) -> Iterator[Publisher]:
    """A publisher in confirm mode, whose broker says the script after so many publishes."""
    broker = Broker(after, script, piece)
    thread = threading.Thread(target=broker.serve, daemon=True)
    thread.start()
    with broker.server, Publisher(broker.port) as made:
        made.select()
        yield made
    thread.join(5)


def ack(tag: int, *, multiple: bool = False) -> commands.Basic.Ack:
    return commands.Basic.Ack(tag, multiple)


def test_the_replies_of_the_handshake_are_not_among_the_confirms() -> None:
    with publisher(ack(1), after=1) as one:
        assert one.confirms() == ()
        assert [f.kind for f in one.frames()][-1] == "Confirm.SelectOk"


@pytest.mark.parametrize("piece", [1, 13, 1000])
def test_every_frame_is_kept_in_order(piece: int) -> None:
    script = (commands.Basic.Nack(2, False), ack(1), ack(4, multiple=True))
    with publisher(*script, after=4, piece=piece) as one:
        one.publish("q", 4, persistent=True)
        assert one.settles(4, seconds=10)
        assert [str(f) for f in one.confirms()] == ["nack 2", "ack 1", "ack 4 multiple"]
        times = [f.seconds for f in one.confirms()]
        assert times == sorted(times)


def test_what_was_said_before_the_connection_broke_is_kept() -> None:
    with publisher(ack(1), after=2) as one:
        one.publish("q", 2, persistent=False)
        with pytest.raises(Failed, match=r"the connection is lost.*ack 1"):
            one.settles(2, seconds=10)
        assert [str(f) for f in one.confirms()] == ["ack 1"]


def test_what_is_not_said_in_time_is_not_settled() -> None:
    with publisher(ack(1), after=2) as one:
        one.publish("q", 1, persistent=True)
        assert not one.settles(1, seconds=0.1)


def test_a_broker_that_refuses_is_quoted() -> None:
    refusal = commands.Channel.Close(404, "NOT_FOUND", 60, 40)
    with publisher(refusal, after=1) as one:
        one.publish("q", 1, persistent=True)
        with pytest.raises(Failed, match=r"refuses: Channel\.Close 404 NOT_FOUND"):
            one.declare("q")
