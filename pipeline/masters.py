"""The master that a search runs on: which machines it means, and whether it is there.

Spark tries for a minute to reach a master that does not answer, and waits for ever for a cluster
that gives no executor.  Both are one error here, and a soon one.  A cluster that loses its last
executor later may get another one, so that a job which waits for it is not ended: the user is told.
"""

from __future__ import annotations

import math
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING

from ackproof.pipeline.errors import SparkUnavailable

if TYPE_CHECKING:
    from pyspark import SparkContext

__all__ = ["addresses", "is_local", "is_loopback", "require_executor", "require_master", "watching"]

#: Seconds that a master may take to answer, and a cluster may be without an executor.
ANSWER, EXECUTOR = 5.0, 60.0

#: Seconds between two looks at a cluster while a job runs.
_LOOK = 1.0


def is_local(master: str) -> bool:
    """Tell whether Spark runs in this process's own JVM: local, local[2], local[*, 3]."""
    return re.match(r"local(\[|-cluster\[|$)", master) is not None


def addresses(master: str) -> list[tuple[str, int]]:
    """Return host and port of each master that spark://a:7077,b:7077 names; else none."""
    found = []
    for item in master.removeprefix("spark://").split(",") if "spark://" in master else ():
        host, _, port = item.rpartition(":")
        if port.isdecimal() and 0 < int(port) < 65536:
            found.append((host.strip("[]"), int(port)))
    return found


def is_loopback(master: str) -> bool:
    """Tell whether a master and so all of its cluster is on this machine alone."""
    hosts = [host for host, _ in addresses(master)]
    return is_local(master) or (bool(hosts) and all(map(_is_loopback_host, hosts)))


def _is_loopback_host(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def require_master(master: str) -> None:
    """Return if a standalone master answers; other kinds of master are left to Spark.

    Raises:
        SparkUnavailable: nothing answers there; Spark itself would try for a minute.
    """
    if master.startswith("sc://"):
        raise SparkUnavailable(
            f"--master: {master} is Spark Connect, which the Spark engine cannot use\n"
            "  instead: give the address of the cluster itself, such as spark://host:7077"
        )
    if not is_local(master) and not re.match(r"spark://|k8s://|yarn$", master):
        raise SparkUnavailable(
            f"--master: {master} is no address of a Spark master\n"
            "  instead: give local[N], spark://host:7077, yarn or k8s://…"
        )
    masters = addresses(master)
    if master.startswith("spark://") and not masters:
        raise SparkUnavailable(
            f"--master: {master} names no host and port\n  instead: write spark://host:7077"
        )
    refusals = [_refusal(*address) for address in masters]
    if refusals and all(refusals):
        raise SparkUnavailable(
            f"--master: nothing answers at {master}: {refusals[0]}\n"
            "  instead: start the master there, or give the address that its log names"
        )


def _refusal(host: str, port: int) -> str:
    """Return why nobody can be reached at an address; an empty text if somebody can."""
    try:
        socket.create_connection((host, port), ANSWER).close()
    except OSError as error:
        return str(error.strerror or error)
    return ""


def require_executor(context: SparkContext) -> None:
    """Wait until a cluster has given the first executor.

    Raises:
        SparkUnavailable: it gives none; Spark itself would wait for ever.
    """
    if context.getConf().get("spark.dynamicAllocation.enabled", "false") == "true":
        return
    deadline = time.monotonic() + EXECUTOR
    while not _has_executor(context):
        if time.monotonic() > deadline:
            raise SparkUnavailable(
                f"--master: {context.master} gave no executor within {EXECUTOR:.0f} s\n"
                "  instead: start a worker with a free core and "
                f"{context.getConf().get('spark.executor.memory', '1g')} of memory, or ask for less"
            )
        time.sleep(0.05)


def _has_executor(context: SparkContext) -> bool:
    # The driver itself is the one that is always there.
    return int(context._jsc.sc().getExecutorMemoryStatus().size()) > 1


@contextmanager
def watching(context: SparkContext, say: Callable[[str], None]) -> Iterator[None]:
    """Tell, as long as jobs run, when a cluster has been without an executor for some time.

    Args:
        context: where they run.
        say: told in a line, once each time that the last executor is lost.
    """
    master = str(context.master)
    if is_local(master):
        yield
        return
    done = threading.Event()
    # Whoever waits for the jobs may be interrupted, and must not be in a call to the JVM then.
    arguments = (lambda: _has_executor(context), master, say, done)
    threading.Thread(target=_watch, args=arguments, name="ackproof watch", daemon=True).start()
    try:
        yield
    finally:
        done.set()


def _watch(
    has_executor: Callable[[], bool], master: str, say: Callable[[str], None], done: threading.Event
) -> None:
    """Look again and again whether there is an executor, until the jobs are done."""
    seen = time.monotonic()
    # When the session is stopped there is nobody to ask any more.
    with suppress(Exception):
        while not done.wait(_LOOK):
            if has_executor():
                seen = time.monotonic()
            elif time.monotonic() - seen >= EXECUTOR and not done.is_set():
                seen = math.inf
                say(
                    f"{master} has had no executor for {EXECUTOR:.0f} s: start a worker, and the "
                    "work goes on; or press Ctrl-C, and go on later, check with --resume, audit "
                    "with --add"
                )
