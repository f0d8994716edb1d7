"""TLS: a broker that speaks nothing else, and files that are not what they should be."""

from __future__ import annotations

import logging
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pika
import pytest
from ackproof.impl.limits import Limits
from ackproof.impl.running import RunningBroker
from ackproof.impl.server.tls_context import TlsError, load_tls

from tests.impl.clients import HEADER, heard
from tests.impl.sockets import Bare, eventually


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate for localhost, its key, and the key of another one."""
    folder = tmp_path_factory.mktemp("tls")
    for name in ("server", "other"):
        make = (
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
            f"-keyout {name}.key -out {name}.pem -days 2 -subj /CN=localhost "
            "-addext subjectAltName=DNS:localhost,IP:127.0.0.1"
        )
        subprocess.run(make.split(), cwd=folder, check=True, capture_output=True)
    encrypt = "openssl ec -in server.key -aes256 -passout pass:sesame -out locked.key"
    subprocess.run(encrypt.split(), cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def broker(files: Path, caplog: pytest.LogCaptureFixture) -> Iterator[RunningBroker]:
    """A broker that speaks TLS and must not log a warning."""
    context = load_tls(files / "server.pem", files / "server.key")
    limits = Limits(closing=3600)
    with caplog.at_level(logging.WARNING), RunningBroker(tls=context, limits=limits) as running:
        yield running
    # The records of a fixture's own phase are not those of the test.
    assert caplog.get_records("call") + caplog.records == []


def trusting(files: Path) -> ssl.SSLContext:
    """Return what a client needs that trusts the server's certificate."""
    return ssl.create_default_context(cafile=files / "server.pem")


def connect(broker: RunningBroker, context: ssl.SSLContext) -> Any:
    """Connect with pika, over TLS."""
    options = pika.SSLOptions(context, "localhost")
    return pika.BlockingConnection(
        pika.ConnectionParameters("127.0.0.1", broker.port, ssl_options=options)
    )


def test_a_client_publishes_over_tls(broker: RunningBroker, files: Path) -> None:
    connection = connect(broker, trusting(files))
    channel = connection.channel()
    channel.confirm_delivery()
    channel.queue_declare("q", durable=True)
    channel.basic_publish("", "q", bytes(1_000_000), pika.BasicProperties(delivery_mode=2))
    assert channel.queue_declare("q", passive=True).method.message_count == 1
    connection.close()
    eventually(lambda: not broker.ask(lambda _: broker._node._server.sessions))


def test_the_broker_closes_over_tls(broker: RunningBroker, files: Path) -> None:
    plain = Bare(broker.port)
    plain.socket = trusting(files).wrap_socket(plain.socket, server_hostname="localhost")
    plain.send(b"GET / HTTP/1.1\r\n\r\n")
    assert plain.rest() == ["protocol header"]
    plain.close()
    eventually(lambda: not broker.ask(lambda _: broker._node._server.sessions))


def test_who_does_not_speak_tls_is_not_answered(broker: RunningBroker) -> None:
    client = Bare(broker.port)
    client.send(HEADER)
    assert b"AMQP" not in client.socket.recv(100)
    client.close()


def test_who_does_not_trust_the_certificate_does_not_come_in(broker: RunningBroker) -> None:
    client = Bare(broker.port)
    with pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(client.socket, server_hostname="localhost")
    client.close()


def test_the_first_bytes_may_come_with_the_end_of_the_handshake(
    broker: RunningBroker, files: Path
) -> None:
    client, incoming, outgoing = Bare(broker.port), ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = trusting(files).wrap_bio(incoming, outgoing, server_hostname="localhost")
    with suppress(ssl.SSLWantReadError):
        tls.do_handshake()
    while True:
        client.send(outgoing.read())
        incoming.write(client.socket.recv(65536))
        with suppress(ssl.SSLWantReadError):
            tls.do_handshake()
            break
    tls.write(HEADER)
    client.send(outgoing.read())
    answer = b""
    while not answer:
        incoming.write(client.socket.recv(65536))
        with suppress(ssl.SSLWantReadError):
            answer = tls.read(65536)
    assert heard(answer) == ["0 Connection.Start"]
    client.close()


def test_handshakes_count_as_sockets_and_have_only_so_much_time(files: Path) -> None:
    context = load_tls(files / "server.pem", files / "server.key")
    with RunningBroker(tls=context, limits=Limits(handshakes=2, handshake=0.3)) as broker:
        silent = [Bare(broker.port), Bare(broker.port)]
        eventually(lambda: len(broker._node._server._handshakes) == 2)
        with suppress(ConnectionError):
            assert Bare(broker.port).socket.recv(1) == b""
        for client in silent:
            assert client.socket.recv(1) == b""
            client.close()
        assert broker.ask(lambda _: not broker._node._server._handshakes)
        connect(broker, trusting(files)).close()


def test_a_client_may_have_to_show_a_certificate(files: Path) -> None:
    context = load_tls(files / "server.pem", files / "server.key", files / "other.pem")
    with RunningBroker(tls=context) as broker:
        known = trusting(files)
        known.load_cert_chain(files / "other.pem", files / "other.key")
        connect(broker, known).close()
        with pytest.raises(pika.exceptions.AMQPError):
            connect(broker, trusting(files))


@pytest.mark.parametrize(
    ("certificate", "key", "why"),
    [
        ("none.pem", "server.key", "cannot read the certificate .*none.pem: No such file"),
        ("server.pem", "none.key", "cannot read the key .*none.key: No such file"),
        ("server.pem", "", "cannot read the key .*: Is a directory"),
        ("server.key", "server.key", "server.key holds no certificate in PEM; is it the key"),
        ("server.pem", "server.pem", "server.pem holds no private key in PEM"),
        ("server.pem", "other.key", "other.key is not the key of the certificate .*server.pem"),
        ("server.pem", "locked.key", "locked.key asks for a passphrase; store it without one"),
        ("broken.pem", "server.key", "broken.pem and .*server.key cannot be used: "),
    ],
)
def test_files_that_cannot_be_used_are_named(
    files: Path, certificate: str, key: str, why: str
) -> None:
    head = "-----BEGIN CERTIFICATE-----\n"
    (files / "broken.pem").write_text(f"{head}AAAA\n-----END CERTIFICATE-----\n")
    with pytest.raises(TlsError, match=why):
        load_tls(files / certificate, files / key)


def test_authorities_have_to_be_certificates(files: Path) -> None:
    with pytest.raises(TlsError, match=r"server\.key holds no certificates in PEM"):
        load_tls(files / "server.pem", files / "server.key", files / "server.key")
