"""The engine that searches in memory of this process and keeps what it finds in a folder.

It needs neither Java nor Spark, and is about as fast as a search that keeps nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ackproof.model.lower.compile import Kernel
from ackproof.model.resources import default_memory
from ackproof.pipeline.crew import Crew
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.kept import KeepingExplorer, place_for, silent
from ackproof.pipeline.resident import Resident

__all__ = ["LocalExplorer", "explorer"]


def explorer(
    *,
    work: Path | str,
    partitions: int | None = None,
    resume: bool = False,
    collapsed: bool = False,
    say: Callable[[str], None] = silent,
) -> LocalExplorer:
    """Return the engine that keeps searches of this process.

    Args:
        work: the folder that each search has a folder of its own in, or its address.
        partitions: into how many parts the states are divided; by the threads when left out.
        resume: whether to go on with the searches that are there.
        collapsed: whether states are held as keys, in less memory and more time.
        say: told in a line what a user wants to know at the start.

    Raises:
        SearchRefused: there are more parts than can be named, or there is no such store.
    """
    place = place_for(work, partitions)
    return LocalExplorer(
        work=place, partitions=partitions, resume=resume, say=say, collapsed=collapsed
    )


@dataclass(kw_only=True)
class LocalExplorer(KeepingExplorer):
    """Explores bound programs by threads of this process.

    Args:
        collapsed: whether states are held as keys, in less memory and more time.
    """

    collapsed: bool = False

    @contextmanager
    def crew(
        self, folder: Folder, kernel: Kernel, workers: int, memory: int | None
    ) -> Iterator[Crew]:
        """Yield the threads, with what they have seen in memory."""
        limit = default_memory() if memory is None else memory
        with closing(Resident(folder, kernel, workers, limit, collapsed=self.collapsed)) as crew:
            yield crew

    def close(self) -> None:
        """Nothing stays open."""
