"""A Spark session for searches: opened quietly, or refused in one message.

Without a master Spark runs in a JVM on this machine, on all cores, and needs no set-up.  With one
it is a driver of that cluster.  A session that is already active in the process, as in a notebook,
is used as it is: it gets settings of its own for what a search depends on, and is not stopped.

Jobs run in a thread of their own, while the thread that asked waits where Ctrl-C reaches it; it
then cancels the job, and waits for its end, so that whoever catches the interruption finds Spark
idle and still answering.  While a job runs, the user is told when a cluster has no executor left.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from ackproof.pipeline import jvm
from ackproof.pipeline.aside import Aside
from ackproof.pipeline.java import require_packages
from ackproof.pipeline.masters import addresses, require_executor, require_master, watching
from ackproof.pipeline.settings import sql_settings
from ackproof.pipeline.starting import hush, start

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, Row, SparkSession

__all__ = ["DEFAULT_MASTER", "Session", "open_session"]

T = TypeVar("T")

DEFAULT_MASTER = "local[*]"


class Session:
    """An open Spark session; a context manager, which closes it.

    Attributes:
        spark: the session itself.
        master: the master that it runs on.
        log: the file that everything goes to that Spark has to say.
    """

    def __init__(
        self,
        spark: SparkSession,
        log: Path,
        say: Callable[[str], None],
        stop: Callable[[], None] | None = None,
    ) -> None:
        """Take over an open session, with what stops it if that is to be done."""
        self.spark = spark
        self.log = log
        self.master = str(spark.sparkContext.master)
        self._say = say
        self._stop = stop

    @property
    def parallelism(self) -> int:
        """How many tasks can run at a time, as far as is known now."""
        return self.run(lambda: int(self.spark.sparkContext.defaultParallelism))

    @property
    def hosts(self) -> set[str]:
        """The machines that have an executor, as far as is known now."""

        def ask() -> set[str]:
            context = self.spark.sparkContext
            known = context._jsc.sc().getExecutorMemoryStatus().keySet().mkString(" ").split()
            hosts = Counter(one.rpartition(":")[0] for one in known)
            # The driver is among them.
            hosts[context.getConf().get("spark.driver.host") or ""] -= 1
            return {host for host, executors in hosts.items() if executors > 0}

        return self.run(ask)

    @property
    def ui(self) -> str | None:
        """The address of Spark's own pages, or None if they are off."""
        return self.run(lambda: self.spark.sparkContext.uiWebUrl)

    def collect(self, frame: DataFrame, description: str = "") -> list[Row]:
        """Run the job that makes a frame, and return its rows.

        Args:
            frame: what to compute.
            description: what the job is called in Spark's pages.

        Raises:
            KeyboardInterrupt: Ctrl-C; the job is cancelled, and the session can go on.
        """
        return self.run(frame.collect, description)

    def run(self, job: Callable[[], T], description: str = "") -> T:
        """Run what starts jobs of Spark in a thread of its own, and return what it returns.

        Whatever speaks with Spark between levels belongs here: a conversation that Ctrl-C breaks
        off cannot be taken up again.

        Args:
            job: what to run; raises what it raises.
            description: what the jobs are called in Spark's pages.

        Raises:
            KeyboardInterrupt: Ctrl-C; the jobs are cancelled, and the session can go on.
        """
        tag = f"ackproof-{uuid.uuid4().hex}"

        def work() -> T:
            self.mark(tag, description)
            return job()

        with self.watching():
            aside = Aside(work)
            try:
                return aside.result()
            except BaseException:
                self._cancel(aside, tag)
                raise

    def watching(self) -> AbstractContextManager[None]:
        """Tell the user, as long as jobs run, when the cluster has no executor left."""
        return watching(self.spark.sparkContext, self._say)

    def _cancel(self, aside: Aside[T], tag: str) -> None:
        """Cancel what runs aside, until it has ended; a job may be just about to start."""
        with suppress(Exception):
            while aside.running:
                self.cancel(tag)
                aside.wait(0.2)

    def mark(self, tag: str, description: str) -> None:
        """Give the jobs that this thread starts from now on a tag and a description."""
        context = self.spark.sparkContext
        context.addJobTag(tag)
        context.setInterruptOnCancel(True)
        context.setJobDescription(description)

    def cancel(self, tag: str) -> None:
        """Cancel all jobs that have a tag; tasks that run are ended with their processes."""
        self.spark.sparkContext.cancelJobsWithTag(tag)

    def close(self) -> None:
        """Stop Spark, and end its JVM; a session that was found open stays open."""
        stop, self._stop = self._stop, None
        if stop is not None:
            stop()

    def __enter__(self) -> Session:
        """Return the session itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


def open_session(
    master: str | None,
    parts: int,
    log: Path,
    name: str,
    say: Callable[[str], None] = lambda text: None,
) -> Session:
    """Open a Spark session, or use the one that is open.

    Args:
        master: the master's URL; None for the one that was submitted to, or else for all cores of
            this machine.
        parts: into how many parts the states are divided, at least 1.
        log: the file that everything goes to that Spark has to say.
        name: what the application is called in Spark's pages.
        say: told in a line what differs from what was asked for, and what the work waits for.

    Raises:
        SparkUnavailable: something that is needed is missing, or the master does not answer.
    """
    require_packages()
    hush()
    from pyspark import SparkContext

    if (active := SparkContext._active_spark_context) is not None:
        return _joined(active, master, parts, log, say)
    submitted = jvm.submitted(log)
    asked = master or submitted.get("spark.master", DEFAULT_MASTER)
    require_master(asked)
    spark, stop = start(asked, parts, log, name, submitted)
    session = Session(spark, log, say, stop)
    try:
        if addresses(asked):
            require_executor(session.spark.sparkContext)
    except BaseException:
        session.close()
        raise
    return session


def _joined(
    active: SparkContext, master: str | None, parts: int, log: Path, say: Callable[[str], None]
) -> Session:
    """Return a session beside those that a process has open."""
    from pyspark.sql import SparkSession

    if master is not None and master != active.master:
        say(
            f"a Spark session is open in this process, on {active.master}; it is used, and "
            f"{master} is not"
        )
    if active.getConf().get("spark.speculation", "false") == "true":
        say(
            "the open Spark session has spark.speculation on, by which a part may be computed twice"
        )
    spark = SparkSession(active).newSession()
    for key, value in sql_settings(parts).items():
        spark.conf.set(key, value)
    return Session(spark, log, say)
