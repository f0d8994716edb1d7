"""The master that a search runs on: which machines it means, and whether it is there.

Spark tries for a minute to reach a master that does not answer, and waits for ever for a cluster
that gives no executor.  Both are one error here, and a soon one.
"""

from __future__ import annotations

import re
import socket
import time
from ipaddress import ip_address
from typing import TYPE_CHECKING

from ackproof.pipeline.errors import SparkUnavailable

if TYPE_CHECKING:
    from pyspark import SparkContext

__all__ = ["addresses", "is_local", "is_loopback", "require_executor", "require_master"]

#: Seconds that a master may take to answer, and a cluster to give the first executor.
ANSWER, EXECUTOR = 5.0, 60.0


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
    status = context._jsc.sc()
    deadline = time.monotonic() + EXECUTOR
    # The driver itself is the one that is always there.
    while status.getExecutorMemoryStatus().size() < 2:
        if time.monotonic() > deadline:
            raise SparkUnavailable(
                f"--master: {context.master} gave no executor within {EXECUTOR:.0f} s\n"
                "  instead: start a worker with a free core and "
                f"{context.getConf().get('spark.executor.memory', '1g')} of memory, or ask for less"
            )
        time.sleep(0.05)
