"""The JVM that drives Spark: started quietly, and ended when it is done with.

PySpark starts a JVM by Spark's own script, which reads the user's configuration.  Whatever the two
print, and whatever Spark and its Python workers log, goes to one file, and nothing of it to the
terminal.  The JVM is in a session of its own, so that Ctrl-C reaches Python alone, which then can
stop it in order; if Python is killed, the JVM sees its standard input end, and exits by itself.

Under `spark-submit` it is the other way round: the JVM has started Python, prints where that was
given, and ends when Python has ended.  It has been set up by then, and is neither started nor ended
here.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkConf

__all__ = ["end", "environment", "last_words", "launch", "submitted"]

#: Seconds that a JVM may take to exit when it was asked to.
_PATIENCE = 10.0


def launch(conf: SparkConf, log: Path) -> Any:
    """Start a JVM, and return the gateway to it.

    Args:
        conf: settings, among them some that only a JVM that is to be started can be given.
        log: the file that all of its output is appended to.

    Raises:
        pyspark.errors.PySparkRuntimeError: it ended instead of answering.
    """
    from pyspark.java_gateway import launch_gateway

    log.parent.mkdir(parents=True, exist_ok=True)
    launched: Callable[..., Any] = launch_gateway
    with log.open("ab") as file:
        return launched(conf, {"stdout": file, "stderr": file, "start_new_session": True})


def submitted(log: Path) -> dict[str, str]:
    """Join the JVM that has started this process, and return its settings; none if there is none.

    Args:
        log: the file in which a user looks for what Spark has to say; it will say where that is.
    """
    # spark-submit tells Python in this way where its JVM listens.
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return {}
    from pyspark import SparkConf, SparkContext

    SparkContext._ensure_initialized()
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as file:
        file.write("what Spark says is where spark-submit writes to\n")
    return dict(SparkConf().getAll())


def end(gateway: Any) -> None:
    """End a JVM that `launch` started, and wait until it is gone."""
    process: subprocess.Popen[bytes] = gateway.proc
    with suppress(Exception):
        gateway.shutdown()
    with suppress(OSError):
        assert process.stdin is not None
        process.stdin.close()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def last_words(log: Path, since: int) -> str:
    """Return the last line of a log that names an error, or an empty text.

    Args:
        log: the file.
        since: bytes of it that were there before.
    """
    try:
        with log.open("rb") as file:
            file.seek(since)
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    named = [line.strip() for line in lines if "Exception" in line or "Error" in line]
    return named[-1].removeprefix("Exception in thread ") if named else ""


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set variables of the environment for as long as something is started."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
