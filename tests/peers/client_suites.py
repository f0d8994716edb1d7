"""The integration tests of AMQP clients, as their authors wrote them, run against a broker.

They come in the source packages of the clients.  Each runs in a process of its own, against a
broker that nobody else has used, which listens on an address of the loopback network that is its
own: some of the tests know of no other ports than 5672 and, for TLS, 5671.

One suite cleans up through the HTTP API of RabbitMQ's management plugin, which neither broker has
here.  A server in this process stands in for the two calls it needs, and makes them by AMQP; to
all others it answers that there is no such thing.
"""

from __future__ import annotations

import http.server
import os
import subprocess
import sys
import tarfile
import threading
import urllib.parse
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pika
from pika.exceptions import AMQPError

from tests.peers.certificates import CERTIFICATE, KEY, certify, copy_where_wanted

__all__ = ["SUITES", "Suite", "outcomes", "prepared"]

PORT, TLS_PORT = 5672, 5671

#: Seconds that a suite may take, on a slow machine.
_PATIENCE = 900.0


@dataclass(frozen=True)
class Suite:
    """The tests of one client.

    Args:
        package: its source package.
        version: of the package.
        tests: what pytest is given, in the package's directory.
        path: where the tests import the client from, in that directory; empty if installed.
    """

    package: str
    version: str
    tests: tuple[str, ...]
    path: str = ""


SUITES = (
    Suite("amqp", "5.4.2", ("t/integration", "-k", "not default_certs")),
    Suite("kombu", "5.7.0", ("t/integration/test_py_amqp.py",)),
    Suite(
        "amqpstorm",
        "3.1.4",
        (
            "amqpstorm/tests/functional",
            "--ignore=amqpstorm/tests/functional/management",
            "--ignore=amqpstorm/tests/functional/test_web_based.py",
        ),
        path=".",
    ),
)


def prepared(folder: Path, hosts: Iterable[str]) -> Path:
    """Download the suites and install what they import into a folder; return it.

    Args:
        folder: where; certificates are made there too.
        hosts: the addresses of the brokers.
    """
    pinned = [f"{suite.package}=={suite.version}" for suite in SUITES]
    _pip("install", "--target", str(folder / "installed"), *pinned)
    for suite in SUITES:
        one = f"{suite.package}=={suite.version}"
        _pip("download", "--no-binary", suite.package, "--no-deps", "-d", str(folder), one)
        with tarfile.open(folder / f"{suite.package}-{suite.version}.tar.gz") as package:
            package.extractall(folder, filter="data")
    certify(folder, hosts)
    copy_where_wanted(folder, folder / f"{SUITES[0].package}-{SUITES[0].version}" / "t" / "certs")
    return folder


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"pip {' '.join(arguments)}\n{done.stderr}"


def outcomes(suite: Suite, folder: Path, host: str) -> dict[str, str]:
    """Run a suite against the broker on an address; return `passed` or the failure, by test.

    Raises:
        AssertionError: it was not run to its end; the text has the end of what pytest said.
        TimeoutExpired: it does not come to its end.
    """
    where = folder / f"{suite.package}-{suite.version}"
    report = folder / f"{suite.package}-{host}.xml"
    paths = [str(folder / "installed"), *([str(where / suite.path)] if suite.path else [])]
    with _management(host) as api:
        done = subprocess.run(
            [
                sys.executable,
                *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
                *("-o", "addopts=", f"--junitxml={report}", *suite.tests),
            ],
            cwd=where,
            env=_environment(folder, host, api) | {"PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    # 0: all passed; 1: some failed, which the report tells.
    assert done.returncode in (0, 1), f"{suite.package} on {host}: {done.stdout[-2000:]}"
    return dict(_read(report))


def _environment(folder: Path, host: str, api: str) -> dict[str, str]:
    """Return the environment in which every suite knows this broker and no other."""
    uri = f"amqp://guest:guest@{host}:{PORT}/%2F"
    return {
        **os.environ,
        "RABBITMQ_HOST": host,
        "RABBITMQ_5672_TCP": str(PORT),
        "RABBITMQ_5671_TCP": str(TLS_PORT),
        "AMQP_HOST": host,
        "AMQP_URI": uri,
        "AMQP_USERNAME": "guest",
        "AMQP_PASSWORD": "guest",
        "AMQP_HTTP_URL": api,
        "AMQP_SSL_HOST": host,
        "AMQP_SSL_URI": f"amqps://guest:guest@{host}:{TLS_PORT}/%2F",
        "AMQP_CAFILE": str(folder / CERTIFICATE),
        "AMQP_CERTFILE": str(folder / CERTIFICATE),
        "AMQP_KEYFILE": str(folder / KEY),
    }


def _read(report: Path) -> Iterator[tuple[str, str]]:
    for case in ET.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        bad = next((one for one in case if one.tag in ("failure", "error", "skipped")), None)
        yield name, "passed" if bad is None else f"{bad.tag}: {bad.get('message')}"


# -- what stands in for the management plugin ----------------------------------------------------


@contextmanager
def _management(host: str) -> Iterator[str]:
    """Serve the calls that delete a queue or an exchange; give the address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_DELETE(self) -> None:
            _, kind, _, name = self.path.strip("/").split("/", 3)
            self._answer(204 if _delete(host, kind, urllib.parse.unquote(name)) else 404)

        def do_GET(self) -> None:
            self._answer(404)

        def do_PUT(self) -> None:
            self._answer(404)

        def do_POST(self) -> None:
            self._answer(404)

        def _answer(self, status: int) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            text = b'{"error":"Object Not Found","reason":"Not Found"}' if status == 404 else b""
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            return None

    server = http.server.ThreadingHTTPServer((host, 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://{host}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _delete(host: str, kind: str, name: str) -> bool:
    """Delete a queue or an exchange by AMQP; tell whether that was possible."""
    connection = pika.BlockingConnection(pika.ConnectionParameters(host, PORT))
    try:
        channel = connection.channel()
        if kind == "queues":
            channel.queue_declare(name, passive=True)
            channel.queue_delete(name)
        else:
            channel.exchange_declare(name, passive=True)
            channel.exchange_delete(name)
    except AMQPError:
        return False
    finally:
        if connection.is_open:
            connection.close()
    return True
