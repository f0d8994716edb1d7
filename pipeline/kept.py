"""The engines that keep a search in a folder: what is the same for all, whoever does the work.

Each is what every engine is, a function from a bound program to an `Outcome`, and what it counts
and where it ends is as there.  Beside that each search has a folder that outlives it, in which
another run, of this engine or of another, may go on.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ackproof.lang.binding import Bound
from ackproof.model.lower.compile import Kernel, compile_kernel
from ackproof.model.outcome import Outcome, Progress
from ackproof.pipeline.crew import Crew
from ackproof.pipeline.errors import SearchFailed, SearchRefused, StoreFailed
from ackproof.pipeline.findings import outcome
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.identity import Identity, folder_name, read_search
from ackproof.pipeline.lease import Lease
from ackproof.pipeline.levels import Search
from ackproof.pipeline.places import Place
from ackproof.pipeline.sealed import FileChanged
from ackproof.pipeline.storage import placed

__all__ = ["SHARE", "KeepingExplorer", "place_for", "silent"]

#: Parts for each task that can run at once, if nobody says how many.
_PARTS_PER_TASK = 2
_MOST_PARTS = 1 << 16
#: States of a level that a task has at least, if nobody says how many: a tenth of a second's work.
SHARE = 1 << 12


def silent(text: str) -> None:
    """Say nothing."""


def place_for(work: Path | str, partitions: int | None) -> Place:
    """Return the place of the folder that searches have their folders in.

    Args:
        work: its path or its address.
        partitions: into how many parts the states of a search are to be divided.

    Raises:
        SearchRefused: there are more parts than can be named, or there is no such store.
    """
    if partitions is not None and not 0 < partitions < _MOST_PARTS:
        raise SearchRefused(
            f"--partitions {partitions}: a search has 1 to {_MOST_PARTS - 1:,} partitions\n"
            "  instead: give a few for each core of the cluster"
        )
    try:
        return placed(work).absolute()
    except StoreFailed as error:
        raise SearchRefused(str(error)) from None


@dataclass(kw_only=True)
class KeepingExplorer(ABC):
    """Explores bound programs, each in a folder of its own.

    Args:
        work: where these folders are.
        partitions: into how many parts the states are divided; as many as suit the crew if None.
        resume: whether to go on with the searches that are there.
        say: told in a line what a user wants to know at the start.
        small: levels with fewer states before them are settled without the crew.
        share: states of a level that a task has at least, if there are as many.
    """

    work: Place
    partitions: int | None = None
    resume: bool = False
    say: Callable[[str], None] = field(default=silent)
    small: int = 0
    share: int = SHARE

    @abstractmethod
    def crew(
        self, folder: Folder, kernel: Kernel, workers: int, memory: int | None
    ) -> AbstractContextManager[Crew]:
        """Return who does the work of a search.

        Args:
            folder: its files.
            kernel: the compiled model.
            workers: how many threads of this process may work.
            memory: bytes of this process that may be used; most of what there is if None.
        """
        ...

    @abstractmethod
    def close(self) -> None:
        """Close what was opened for all searches."""
        ...

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
            workers: threads of this process that may work; a cluster has as many as it has.
            memory: bytes that this process may use.
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
                "states are not folded where a search is kept in files\n"
                "  instead: leave out --symmetry, or --work and all that goes with it"
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
        with self.crew(folder, kernel, workers, memory) as crew:
            self.say(f"the search is kept in {folder.root.address}")
            with _refused():
                identity = Identity.of(bound, kernel, self._parts(folder, crew))
                lease = Lease(folder)
            with lease, _remedied(folder):
                search = Search(
                    crew, folder, lease, kernel, identity, self.small, self.share, progress
                )
                search.begin()
                compiled = time.perf_counter() - started
                limit = search.run(max_depth, survey=survey)
                return outcome(search, limit, compiled, survey=survey, memory=memory)

    def _parts(self, folder: Folder, crew: Crew) -> int:
        """Return into how many parts states are divided: as it was, or by what can run at once."""
        if self.partitions is not None:
            return self.partitions
        if self.resume and folder.search.exists():
            return read_search(folder).parts
        return min(_PARTS_PER_TASK * crew.parallelism, _MOST_PARTS - 1)


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
