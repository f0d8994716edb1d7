"""How Spark is set up for a search: what must be so, and what is better so.

What a search depends on is set whatever else is configured: one task for each part, few rows to a
batch of Arrow, for a row holds many states, and nothing printed on a console.  All the rest gives
way to what a user has configured, in `spark-defaults.conf`, in PYSPARK_SUBMIT_ARGS or for
spark-submit.

A session that needs no other machine listens on loopback alone.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ackproof.pipeline.masters import is_local, is_loopback

__all__ = ["configured", "settings", "sql_settings"]

#: Rows of a search are megabytes of states each; so many of them make a batch.
ROWS_IN_A_BATCH = 16

#: A JVM has little to do here but to move bytes, and starts twice as fast when it compiles less.
_JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC"

#: A socket's path has at most 107 characters, 42 of which are its name.
_LONGEST = 64

_MIB = 1 << 20


def sql_settings(parts: int) -> dict[str, str]:
    """Return what each job of a search depends on; these belong to one session."""
    return {
        # Exactly one task for each part: adaptive execution would join small ones.
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": str(parts),
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(ROWS_IN_A_BATCH),
    }


def settings(
    master: str, parts: int, home: Path, scratch: Path, submitted: Iterable[str] = ()
) -> dict[str, str]:
    """Return the settings of a Spark that is started for a search.

    Args:
        master: the master's URL.
        parts: into how many parts the states are divided.
        home: Spark's own folder, for the configuration in it.
        scratch: a folder of this machine, for what is of no use afterwards.
        submitted: the names of what is set already by spark-submit.
    """
    needed = sql_settings(parts) | {
        # Two attempts at one part at a time would write the same files.
        "spark.speculation": "false",
        "spark.python.worker.reuse": "true",
        "spark.ui.showConsoleProgress": "false",
    }
    better = {
        "spark.driver.defaultJavaOptions": _JAVA_OPTIONS,
        "spark.executor.defaultJavaOptions": _JAVA_OPTIONS,
        "spark.locality.wait": "0s",
        "spark.port.maxRetries": "100",
        # Over TCP each task waits 40 ms for an acknowledgement that the other side puts off.
        "spark.python.unix.domain.socket.enabled": "true",
        # Where there is SQL there is a folder for tables, else made in the current one.
        "spark.sql.warehouse.dir": str(scratch),
    }
    if is_local(master):
        better["spark.driver.memory"] = f"{_driver_memory() // _MIB}m"
    if is_loopback(master):
        better |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        if len(str(scratch)) <= _LONGEST:
            better["spark.python.unix.domain.socket.dir"] = str(scratch)
    theirs = configured(home).union(submitted)
    return {key: value for key, value in better.items() if key not in theirs} | needed


def configured(home: Path, environment: Mapping[str, str] = os.environ) -> set[str]:
    """Return the names of what a user has configured for Spark.

    Args:
        home: Spark's own folder; its `conf` counts where SPARK_CONF_DIR names no other.
        environment: where SPARK_CONF_DIR and PYSPARK_SUBMIT_ARGS are read.
    """
    folder = Path(environment.get("SPARK_CONF_DIR") or home / "conf")
    keys = set(_submitted(environment.get("PYSPARK_SUBMIT_ARGS", "")))
    try:
        text = (folder / "spark-defaults.conf").read_text(errors="replace")
    except OSError:
        return keys
    lines = (line.strip() for line in text.splitlines())
    return keys | {re.split(r"[\s=:]", line)[0] for line in lines if line and line[0] not in "#!"}


def _submitted(arguments: str) -> Iterator[str]:
    """Yield the settings that the arguments of spark-submit make."""
    try:
        words = shlex.split(arguments)
    except ValueError:
        return
    for word, value in zip(words, [*words[1:], ""], strict=False):
        option, _, joined = word.partition("=")
        if option in ("--conf", "-c"):
            yield (joined or value).partition("=")[0].strip()
        elif option == "--driver-memory":
            yield "spark.driver.memory"


def _driver_memory() -> int:
    """Return a quarter of the machine's memory, in bytes; at least 1 GiB, at most 8."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1 << 30, min(8 << 30, total // 4))
