"""Starting Spark in a JVM of this process, and stopping it again without a trace.

A start that is interrupted leaves no JVM behind.  PySpark takes Ctrl-C for itself, prints some of
what it raises, and warns of packages that are of no use here; all of that is undone.  Where
something fails, its reason is in the JVM's exception, or in what the JVM wrote before it ended; one
line of it is told, and where the rest is.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from ackproof.pipeline import jvm
from ackproof.pipeline.aside import Aside
from ackproof.pipeline.errors import SparkUnavailable
from ackproof.pipeline.java import find_java
from ackproof.pipeline.masters import is_loopback
from ackproof.pipeline.settings import settings

if TYPE_CHECKING:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

__all__ = ["hush", "start"]

#: Loggers of PySpark that print to standard error what is raised as well.
_LOUD = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def start(
    master: str, parts: int, log: Path, name: str, submitted: Mapping[str, str]
) -> tuple[SparkSession, Callable[[], None]]:
    """Start a JVM and a session in it; return the session, and what stops both.

    Where PySpark has a JVM already, from a session that was stopped or from spark-submit, that one
    is used, and goes on.

    Args:
        master: the master's URL.
        parts: into how many parts the states are divided.
        log: the file that everything goes to that Spark has to say.
        name: what the application is called in Spark's pages.
        submitted: the settings of spark-submit, if that has started this process.

    Raises:
        SparkUnavailable: it does not start.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.find_spark_home import _find_spark_home
    from pyspark.sql import SparkSession

    variables = _variables(master)
    home = Path(_find_spark_home())
    scratch = Path(mkdtemp(prefix="ackproof-spark-"))
    values = settings(master, parts, home, scratch, submitted)
    values |= {"spark.master": master, "spark.app.name": name}
    conf = SparkConf(loadDefaults=bool(submitted)).setAll(list(values.items()))
    gateway = context = None
    said = log.stat().st_size if log.exists() else 0
    try:
        with jvm.environment(variables):
            if SparkContext._gateway is None:
                gateway = _launched(conf, log)
            context = _opened(conf, gateway)
        spark = SparkSession(context)
    except BaseException as error:
        _stop(gateway, context, scratch)
        if not isinstance(error, Exception):
            raise
        raise SparkUnavailable(
            f"Spark: it did not start on {master}: {_reason(error, log, said)}\n"
            f"  instead: what it said is in {log}"
        ) from error
    return spark, partial(_stop, gateway, context, scratch)


def _launched(conf: SparkConf, log: Path) -> Any:
    """Launch a JVM; if that is interrupted, end it when it is there, for only then it can be."""
    aside = Aside(lambda: jvm.launch(conf, log))
    try:
        return aside.result()
    except KeyboardInterrupt:
        with suppress(Exception):
            jvm.end(aside.result())
        raise


def _opened(conf: SparkConf, gateway: Any) -> SparkContext:
    """Open a context; if that is interrupted, end its JVM, or stop it when it is open."""
    from pyspark import SparkContext

    # PySpark takes interruptions for itself if this is done in the main thread.
    aside = Aside(lambda: SparkContext(conf=conf, gateway=gateway))
    try:
        return aside.result()
    except KeyboardInterrupt:
        with suppress(Exception):
            if gateway is not None:
                jvm.end(gateway)
            aside.result().stop()
        raise


def _variables(master: str) -> dict[str, str]:
    """Return the variables that Spark is started with."""
    values = {"JAVA_HOME": str(find_java().home)}
    if is_loopback(master):
        values |= {"SPARK_LOCAL_IP": "127.0.0.1"}
        # Workers of another machine have a Python of their own.
        values |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    return {key: os.environ.get(key) or value for key, value in values.items()}


def hush() -> None:
    """Keep PySpark from printing errors that it raises as well, and what is of no use to a user."""
    # Nothing here touches pandas, which PySpark loads all the same.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    from pyspark.logger import PySparkLogger

    for name in _LOUD:
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL + 1)


def _stop(gateway: Any, context: SparkContext | None, scratch: Path) -> None:
    """Stop a context, end its JVM if that is ours, and leave all as it was before."""
    from pyspark import SparkContext

    if context is not None:
        with suppress(Exception):
            context.stop()
    if gateway is not None:
        jvm.end(gateway)
        SparkContext._gateway = SparkContext._jvm = None
    rmtree(scratch, ignore_errors=True)


def _reason(error: Exception, log: Path, said: int) -> str:
    """Say in one line why Spark did not start."""
    exception = getattr(error, "java_exception", None)
    if exception is not None:
        with suppress(Exception):
            return _line(str(exception.toString()))
    return _line(jvm.last_words(log, said) or str(error))


def _line(text: str) -> str:
    """Return the first line of a message, without the name of its class."""
    first = text.strip().partition("\n")[0]
    return re.sub(r"^(?:Caused by: |\"\S+\" )?(?:[\w$]+\.)+[\w$]*(?:Exception|Error): ", "", first)
