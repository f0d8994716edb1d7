"""The engine that searches on Spark, from one machine without any set-up to a cluster.

It has a session, which serves all searches of a command; each of them has a folder, see
`ackproof.pipeline.kept`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from ackproof.model.lower.compile import Kernel
from ackproof.pipeline.crew import Crew
from ackproof.pipeline.errors import SearchFailed, SearchRefused, SparkUnavailable
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.jobs import OnSpark
from ackproof.pipeline.kept import SHARE, KeepingExplorer, place_for, silent
from ackproof.pipeline.places import LocalPlace
from ackproof.pipeline.session import Session, open_session

__all__ = ["SearchRefused", "SparkExplorer", "explorer"]

#: A level with fewer states before it is settled by the driver.
_SMALL = 1 << 13


def explorer(
    *,
    work: Path | str,
    master: str | None = None,
    partitions: int | None = None,
    resume: bool = False,
    say: Callable[[str], None] = silent,
    small: int = _SMALL,
    share: int = SHARE,
) -> SparkExplorer:
    """Return the engine that searches on Spark; to be closed in the end.

    Args:
        work: the folder that each search has a folder of its own in; the same on all machines, or
            the address of one in an object store.
        master: the address of a cluster; all cores of this machine when left out.
        partitions: into how many parts the states are divided; by the cores when left out.
        resume: whether to go on with the searches that are there.
        say: told in a line what a user wants to know at the start, and what a job waits for.
        small: levels with fewer states before them are settled without a job.
        share: states of a level that a task has at least, if there are as many.

    Raises:
        SearchRefused: there are more parts than can be named, or there is no such store.
    """
    place = place_for(work, partitions)
    return SparkExplorer(
        work=place,
        partitions=partitions,
        resume=resume,
        say=say,
        small=small,
        share=share,
        master=master,
    )


@dataclass(kw_only=True)
class SparkExplorer(KeepingExplorer):
    """Explores bound programs on Spark; one session serves them all.

    Args:
        master: the address of a cluster.
    """

    master: str | None = None
    opened: Session | None = None
    _scratch: Path | None = None
    _failed: bool = False

    @property
    def session(self) -> Session:
        """The session, opened when it is first needed.

        Raises:
            SparkUnavailable: Java, PySpark or the cluster is missing.
        """
        if self.opened is None:
            log = self._log()
            parts = self.partitions or 1
            self.opened = open_session(self.master, parts, log, "ackproof check", self.say)
            if self.opened.ui:
                self.say(f"Spark's own pages: {self.opened.ui}")
        return self.opened

    def _log(self) -> Path:
        """Return the file that Spark is to write to, which must be of this machine."""
        if isinstance(self.work, LocalPlace):
            return self.work / "spark.log"
        self._scratch = Path(mkdtemp(prefix="ackproof-check-"))
        return self._scratch / "spark.log"

    def close(self) -> None:
        """Close the session; a log outside of `work` stays if a message may have named it."""
        session, self.opened = self.opened, None
        if session is not None:
            session.close()
        if self._scratch is not None and not self._failed:
            rmtree(self._scratch, ignore_errors=True)

    @contextmanager
    def crew(
        self, folder: Folder, kernel: Kernel, workers: int, memory: int | None
    ) -> Iterator[Crew]:
        """Yield the tasks of the session."""
        del folder, kernel, workers, memory
        try:
            yield OnSpark(self.session)
        except (SearchFailed, SparkUnavailable):
            # What Spark has said may matter.
            self._failed = True
            raise
