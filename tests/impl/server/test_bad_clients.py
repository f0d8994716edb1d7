"""Clients that break off, flood, stall or talk nonsense: an answer if one is due, and no trace."""

from __future__ import annotations

import gc
import logging
import select
import socket
import time
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from ackproof.impl.limits import Limits
from ackproof.impl.running import RunningBroker
from ackproof.impl.session.session import Session
from ackproof.impl.vhost.virtual_host import VirtualHost
from pamqp import body, commands

from tests.exploring import chance, examples
from tests.impl.clients import HEADER, content, encode
from tests.impl.processes import start
from tests.impl.session.test_session import MALFORMED
from tests.impl.sockets import Bare, eventually


@pytest.fixture
def broker(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[RunningBroker]:
    """A broker that must not log a warning, whatever is done to it, and must not wait to close."""
    limits = Limits(closing=3600)
    with caplog.at_level(logging.WARNING), RunningBroker(tmp_path, limits=limits) as running:
        yield running
        assert running.ask(lambda _: 1) == 1
    # The records of a fixture's own phase are not those of the test.
    assert caplog.get_records("call") + caplog.records == []


def all_sessions(broker: RunningBroker) -> list[Session]:
    """Return the sessions of all connections that the broker knows of."""
    return broker.ask(lambda _: broker._node._server.sessions)


def sessions(broker: RunningBroker) -> int:
    """Count the connections that the broker knows of."""
    return len(all_sessions(broker))


def test_the_wrong_protocol_is_answered_and_closed(broker: RunningBroker) -> None:
    client = Bare(broker.port)
    client.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert client.rest() == ["protocol header"]
    client.close()


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_input_is_answered_by_a_close(broker: RunningBroker, case: str) -> None:
    data, code = MALFORMED[case]
    client = Bare(broker.port).opened()
    client.send(data)
    assert client.line().startswith(f"0 Connection.Close {code} ")
    client.send(encode(0, commands.Connection.CloseOk()))
    assert client.line() == "", "and the connection is closed"
    client.close()
    eventually(lambda: sessions(broker) == 0)


def test_a_client_may_break_off_at_any_byte(broker: RunningBroker) -> None:
    start_ok = commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US")
    everything = (
        HEADER
        + encode(0, start_ok, commands.Connection.TuneOk(2047, 131072, 0))
        + encode(0, commands.Connection.Open())
        + encode(1, commands.Channel.Open(), commands.Confirm.Select(), *content("none"))
    )
    for cut in range(0, len(everything), 7):
        client = Bare(broker.port)
        client.send(everything[:cut])
        client.close()
    eventually(lambda: sessions(broker) == 0)


def test_random_bytes_are_refused(broker: RunningBroker) -> None:
    dice = chance("mutations")
    for _ in range(examples(40)):
        client = Bare(broker.port).opened()
        whole = encode(1, commands.Queue.Declare(queue="q"), *content("q"))
        mutated = bytearray(whole * 3)
        for _ in range(dice.randint(1, 6)):
            mutated[dice.randrange(len(mutated))] = dice.randrange(256)
        client.send(bytes(mutated))
        client.socket.shutdown(socket.SHUT_WR)
        client.rest()
        client.close()
    eventually(lambda: sessions(broker) == 0)


def test_others_are_not_affected(broker: RunningBroker) -> None:
    good = Bare(broker.port).opened()
    for case in MALFORMED.values():
        bad = Bare(broker.port).opened()
        bad.send(case[0])
        bad.close()
    good.send(encode(1, *content("none")))
    assert good.line() == "1 ack 1"
    good.close()


def test_a_client_that_does_not_read_is_not_read_from(broker: RunningBroker) -> None:
    slow = Bare(broker.port).opened()
    slow.socket.setblocking(False)
    one = encode(1, *content("none", b"x" * 1000, mandatory=True)) * 64
    rest = memoryview(one)
    sent = stuck = 0
    while stuck < 40:
        try:
            taken = slow.socket.send(rest)
            rest = rest[taken:] or memoryview(one)
            sent += taken
            stuck = 0
        except BlockingIOError:
            stuck += 1
            time.sleep(0.01)
        assert sent < 100 << 20, "the broker took everything and keeps the answers"
    quick = Bare(broker.port).opened()
    quick.send(encode(1, *content("none")))
    assert quick.line() == "1 ack 1", "and nobody else has to wait"
    quick.close()
    slow.close()
    eventually(lambda: sessions(broker) == 0)


def test_a_client_that_reads_again_gets_everything(broker: RunningBroker) -> None:
    client = Bare(broker.port).opened()
    one = encode(1, *content("none", b"x" * 1000, mandatory=True))
    count = 3000
    client.socket.setblocking(False)
    data = memoryview(one * count)
    answer = b""
    while len(data):
        readable, writable, _ = select.select([client.socket], [client.socket], [])
        if writable:
            data = data[client.socket.send(data) :]
        elif readable:
            answer += client.socket.recv(1 << 20)
    client.socket.setblocking(True)
    client.send(encode(0, commands.Connection.Close(200, "", 0, 0)))
    while not answer.endswith(encode(0, commands.Connection.CloseOk())):
        answer += client.socket.recv(1 << 20)
    assert answer.count(b"x" * 1000) == count
    client.close()


def test_a_client_that_does_not_wait_for_a_queue_is_read_from_again(
    broker: RunningBroker,
) -> None:
    client = Bare(broker.port).opened()
    client.send(encode(1, commands.Queue.Declare(queue="q", durable=True, nowait=True)))
    eventually(lambda: broker.ask(lambda b: "q" in b.queues and not b.journal.pending))
    client.send(encode(1, *content("q")))
    assert client.line() == "1 ack 1"
    client.close()


def test_a_session_and_its_channels_are_forgotten(broker: RunningBroker) -> None:
    client = Bare(broker.port).opened()
    client.send(encode(1, commands.Queue.Declare(queue="q", durable=True)))
    client.line()
    client.send(encode(1, *content("q")))
    assert client.line() == "1 ack 1"

    (session,) = map(weakref.ref, all_sessions(broker))
    assert session() is not None
    client.close()
    eventually(lambda: sessions(broker) == 0)
    eventually(lambda: gc.collect() >= 0 and session() is None)


def test_a_silent_client_is_cut_when_heartbeats_were_agreed(broker: RunningBroker) -> None:
    client = Bare(broker.port).opened(heartbeat=1)
    lines = client.rest()
    assert set(lines) == {"0 heartbeat"}
    assert len(lines) >= 2
    client.close()


def test_a_client_that_beats_is_kept(broker: RunningBroker) -> None:
    client = Bare(broker.port).opened(heartbeat=1)
    beat = b"\x08\x00\x00\x00\x00\x00\x00\xce"
    for _ in range(4):
        assert client.line() == "0 heartbeat"
        client.send(beat)
    client.close()


def test_a_client_that_does_not_answer_a_close_is_cut() -> None:
    with RunningBroker(limits=Limits(closing=0.05)) as running:
        client = Bare(running.port).opened()
        client.send(encode(1, commands.Channel.Open()))
        assert client.line().startswith("0 Connection.Close 504 ")
        eventually(lambda: sessions(running) == 0)
        client.close()


def test_a_client_that_does_not_hang_up_after_its_close_is_cut() -> None:
    with RunningBroker(limits=Limits(closing=0.05)) as running:
        client = Bare(running.port).opened()
        client.send(encode(0, commands.Connection.Close(200, "", 0, 0)))
        assert client.rest() == ["0 Connection.CloseOk"]
        client.close()


def test_a_client_that_does_not_say_who_it_is_is_cut() -> None:
    with RunningBroker(limits=Limits(handshake=0.5)) as running:
        client = Bare(running.port)
        client.send(HEADER)
        assert client.line() == "0 Connection.Start"
        eventually(lambda: sessions(running) == 0)
        client.close()


def test_a_bug_closes_one_connection_with_541(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    with RunningBroker() as running:
        good = Bare(running.port).opened()
        bad = Bare(running.port).opened()
        with monkeypatch.context() as patch:
            patch.setattr(VirtualHost, "declare", broken)
            bad.send(encode(1, commands.Queue.Declare(queue="q")))
            assert bad.line() == "0 Connection.Close 541 INTERNAL_ERROR - internal error"
        good.send(encode(1, *content("none")))
        assert good.line() == "1 ack 1"
        good.close()
        bad.close()
    assert [record.exc_info is not None for record in caplog.records] == [True]


# -- many, slow and large -----------------------------------------------------------------------


def test_who_says_nothing_more_after_half_a_sentence_is_given_up(broker: RunningBroker) -> None:
    for said in (HEADER[:5], HEADER, HEADER + b"\x01\0\0\0"):
        client = Bare(broker.port)
        client.send(said)
        client.socket.shutdown(socket.SHUT_WR)
        client.rest()
        client.close()
    client = Bare(broker.port).opened()
    client.send(encode(1, *content("none"))[:-3])
    client.socket.shutdown(socket.SHUT_WR)
    assert client.rest() == []
    client.close()
    eventually(lambda: sessions(broker) == 0)


def test_a_handshake_byte_by_byte_is_cut_in_the_end() -> None:
    everything = HEADER + encode(0, commands.Connection.StartOk({}, "PLAIN", "x" * 9999, "en_US"))
    with RunningBroker(limits=Limits(handshake=0.2)) as running:
        client = Bare(running.port)
        with suppress(OSError):
            for byte in everything:
                client.send(bytes([byte]))
                time.sleep(0.01)
            raise AssertionError("it was listened to until the end")
        client.close()
        eventually(lambda: sessions(running) == 0)


def test_frames_that_never_end_do_not_hold_up_others(broker: RunningBroker) -> None:
    good = Bare(broker.port).opened()
    slow = [Bare(broker.port).opened() for _ in range(50)]
    publish, head, _ = content("none", bytes(100_000))
    for client in slow:
        client.send(encode(1, publish, head) + b"\x03\0\x01\0\0\xff\xff" + bytes(1000))
    for byte in encode(1, *content("none")):
        for client in slow[:3]:
            client.send(bytes([byte]))
    good.send(encode(1, *content("none")))
    assert good.line() == "1 ack 1"
    for client in (good, *slow):
        client.close()
    eventually(lambda: sessions(broker) == 0)
    eventually(lambda: gc.collect() >= 0 and broker.ask(lambda b: b.memory.used) == 0)


def test_five_hundred_connections_at_once(broker: RunningBroker) -> None:
    clients = [Bare(broker.port) for _ in range(500)]
    eventually(lambda: sessions(broker) == 500)
    for client in clients:
        client.opened()
    for client in clients:
        client.send(encode(1, *content("none")))
    assert {client.line() for client in clients} == {"1 ack 1"}
    for client in clients:
        client.close()
    eventually(lambda: sessions(broker) == 0)


def test_a_body_of_128_mib_takes_less_than_three_times_its_size(tmp_path: Path) -> None:
    size = 134217728
    process, port = start(tmp_path)
    client, other = Bare(port).opened(), Bare(port).opened()
    client.send(encode(1, commands.Queue.Declare(queue="q")))
    assert client.line().startswith("1 Queue.DeclareOk")
    before = resident(process.pid)
    publish, head, _ = content("q", persistent=False)
    head.body_size = size  # type: ignore[union-attr]
    client.send(encode(1, publish, head))
    piece = bytes(131064)
    for start_at in range(0, size, len(piece)):
        client.send(encode(1, body.ContentBody(piece[: size - start_at])))
    assert client.line() == "1 ack 1"
    assert size < resident(process.pid) - before < 3 * size
    other.send(encode(1, *content("none")))
    assert other.line() == "1 ack 1"
    client.close()
    other.close()
    process.terminate()
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors


def resident(process: int) -> int:
    """Return the most bytes that a process has had in memory."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024
