"""Where a broker can be reached, and who is turned away for want of files."""

from __future__ import annotations

import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from ackproof.impl.running import RunningBroker
from ackproof.impl.server.listening_sockets import listening_sockets

from tests.impl.sockets import Bare


def has_ipv6() -> bool:
    """Tell whether the loopback address of IPv6 can be listened on here."""
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="there is no IPv6 here")


@needs_ipv6
@pytest.mark.parametrize("host", ["localhost", "::", ""])
@pytest.mark.parametrize("client", ["127.0.0.1", "::1"])
def test_a_broker_is_reached_by_both_families(host: str, client: str) -> None:
    with (
        RunningBroker(host=host) as broker,
        socket.create_connection((client, broker.port), timeout=30) as one,
    ):
        one.sendall(b"AMQP\0\0\x09\x01")
        assert one.recv(1) == b"\1", "the first byte of a method"


@needs_ipv6
@pytest.mark.parametrize(("host", "client"), [("127.0.0.1", "::1"), ("::1", "127.0.0.1")])
def test_an_address_is_that_address_and_no_other(host: str, client: str) -> None:
    with RunningBroker(host=host) as broker, pytest.raises(OSError, match="refused"):
        socket.create_connection((client, broker.port), timeout=30)


@needs_ipv6
def test_a_port_that_is_taken_on_one_address_is_taken() -> None:
    with socket.socket(socket.AF_INET6) as other:
        other.bind(("::1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            listening_sockets("localhost", port)


def test_a_host_that_is_not_there_is_an_error() -> None:
    with pytest.raises(OSError, match=r"known|resolution"):
        listening_sockets("there.is.no.such.host.invalid", 0)


@contextmanager
def few_files(count: int) -> Iterator[None]:
    """Let this process have so many open files, and no more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_who_is_turned_away_for_want_of_files_is_told_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with few_files(66), RunningBroker() as broker:  # room for two
        clients = [Bare(broker.port).opened() for _ in range(2)]
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", broker.port), timeout=30) as late:
                assert late.recv(1) == b"", "closed at once"
        assert clients[0].socket.fileno() > 0
    warnings = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert len(warnings) == 1
    assert "there are 2 connections" in warnings[0]
    assert "ulimit -n" in warnings[0]
