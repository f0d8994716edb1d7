"""The engine that searches on Spark, from one machine without any set-up to a cluster.

It is what every engine is, a function from a bound program to an `Outcome`, and what it counts and
where it ends is as there.  Beside that it has a session, which serves all searches, and a folder
that outlives it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from ackproof.lang.binding import Bound
from ackproof.model.lower.compile import compile_kernel
from ackproof.model.outcome import Outcome, Progress
from ackproof.pipeline.errors import SearchFailed, SearchRefused, SparkUnavailable, StoreFailed
from ackproof.pipeline.findings import outcome
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.identity import Identity, folder_name, read_search
from ackproof.pipeline.lease import Lease
from ackproof.pipeline.levels import Search
from ackproof.pipeline.places import LocalPlace, Place
from ackproof.pipeline.sealed import FileChanged
from ackproof.pipeline.session import Session, open_session
from ackproof.pipeline.storage import placed

__all__ = ["SearchRefused", "SparkExplorer", "explorer"]

#: A level with fewer states before it is settled by the driver.
_SMALL = 1 << 13
#: Parts for each task that can run at once, if nobody says how many.
_PARTS_PER_TASK = 2
_MOST_PARTS = 1 << 16


def _silent(text: str) -> None:
    """Say nothing."""


def explorer(
    *,
    work: Path | str,
    master: str | None = None,
    partitions: int | None = None,
    resume: bool = False,
    say: Callable[[str], None] = _silent,
    small: int = _SMALL,
) -> SparkExplorer:
    """Return the engine that searches on Spark; to be closed in the end.

    Args:
        work: the folder that each search has a folder of its own in; the same on all machines, or
            the address of one in an object store.
        master: the address of a cluster; all cores of this machine when left out.
        partitions: into how many parts the states are divided; by the cores when left out.
        resume: whether to go on with the searches that are there.
        say: told in a line what a user wants to know at the start.
        small: levels with fewer states before them are settled without a job.

    Raises:
        SearchRefused: there are more parts than can be named, or there is no such store.
    """
    if partitions is not None and not 0 < partitions < _MOST_PARTS:
        raise SearchRefused(
            f"--partitions {partitions}: a search has 1 to {_MOST_PARTS - 1:,} partitions\n"
            "  instead: give a few for each core of the cluster"
        )
    try:
        place = placed(work).absolute()
    except StoreFailed as error:
        raise SearchRefused(str(error)) from None
    return SparkExplorer(place, master, partitions, resume, say, small)


@dataclass
class SparkExplorer:
    """Explores bound programs on Spark; one session serves them all.  See `explorer`."""

    work: Place
    master: str | None
    partitions: int | None
    resume: bool
    say: Callable[[str], None]
    small: int
    _session: Session | None = None
    _scratch: Path | None = None
    _failed: bool = False

    @property
    def session(self) -> Session:
        """The session, opened when it is first needed.

        Raises:
            SparkUnavailable: Java, PySpark or the cluster is missing.
        """
        if self._session is None:
            log = self._log()
            self._session = open_session(self.master, self.partitions or 1, log, "ackproof check")
            for remark in self._session.remarks:
                self.say(remark)
            if self._session.ui:
                self.say(f"Spark's own pages: {self._session.ui}")
        return self._session

    def _log(self) -> Path:
        """Return the file that Spark is to write to, which must be of this machine."""
        if isinstance(self.work, LocalPlace):
            return self.work / "spark.log"
        self._scratch = Path(mkdtemp(prefix="ackproof-check-"))
        return self._scratch / "spark.log"

    def close(self) -> None:
        """Close the session; a log outside of `work` stays if a message may have named it."""
        session, self._session = self._session, None
        if session is not None:
            session.close()
        if self._scratch is not None and not self._failed:
            rmtree(self._scratch, ignore_errors=True)

    def __call__(
        self,
        bound: Bound,
        *,
        workers: int = 1,
        memory: int | None = None,
        max_depth: int | None = None,
        survey: bool = False,
        progress: Callable[[Progress], None] | None = None,
    ) -> Outcome:
        """Explore a bound program.

        Args:
            bound: the program at the sizes of an instance.
            workers: no matter; the cluster has as many as it has.
            memory: bytes that the driver may use to decide properties of runs.
            max_depth: number of levels after which to stop.
            survey: whether to go on after a violation, and so to decide every property.
            progress: called when a level is finished.

        Raises:
            BindError: a state of this instance does not fit.
            SearchRefused: the folder has something else, or the search has changed, or a file has,
                or another driver is at work.
            SearchFailed: a job failed for good, or another driver has taken over.
            SparkUnavailable: Java, PySpark or the cluster is missing.
        """
        started = time.perf_counter()
        if bound.folded:
            raise SearchRefused(
                "states are not folded on Spark\n  instead: leave symmetry out, or use the kernel"
            )
        kernel = compile_kernel(bound)
        folder = Folder(self.work / folder_name(bound))
        with _refused():
            self.work.ready()
            if folder.search.exists() and not self.resume:
                raise SearchRefused(
                    f"{folder.root} holds a search already\n"
                    "  instead: add --resume to go on with it, or give another --work"
                )
            session = self._opened()
            self.say(f"the search is kept in {folder.root.address}")
            identity = Identity.of(bound, kernel, self._parts(folder, session))
            lease = Lease(folder)
        with lease, self._noted(), _remedied(folder):
            search = Search(session, folder, lease, kernel, identity, self.small, progress)
            search.begin()
            compiled = time.perf_counter() - started
            limit = search.run(max_depth, survey=survey)
            return outcome(search, limit, compiled, survey=survey, memory=memory)

    def _opened(self) -> Session:
        with self._noted():
            return self.session

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Keep in mind that something has failed, and what Spark has said may matter."""
        try:
            yield
        except (SearchFailed, SparkUnavailable):
            self._failed = True
            raise

    def _parts(self, folder: Folder, session: Session) -> int:
        """Return into how many parts states are divided: as it was, or by what can run at once."""
        if self.partitions is not None:
            return self.partitions
        if self.resume and folder.search.exists():
            return read_search(folder).parts
        return min(_PARTS_PER_TASK * session.parallelism, _MOST_PARTS - 1)


@contextmanager
def _refused() -> Iterator[None]:
    """Refuse to begin where a store does."""
    try:
        yield
    except StoreFailed as error:
        raise SearchRefused(str(error)) from None


@contextmanager
def _remedied(folder: Folder) -> Iterator[None]:
    """Say what to do about a file that was changed, and about a store that has failed."""
    try:
        yield
    except StoreFailed as error:
        raise SearchFailed(
            f"{error}\n  instead: once it is mended, add --resume to go on with the search"
        ) from None
    except FileChanged as error:
        raise SearchRefused(f"{error}\n  instead: {folder.remedy(error.path)}") from None
