"""Who does the work of a search: threads of this process, or whatever else can be asked.

A search divides its work by parts, and what is done for each is a value that can be sent anywhere:
a question (`ask`), or the two halves of a level (`level`).  A *crew* has it done.  What comes back
is a few numbers for each part, so that the driver of a large level holds no more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from ackproof.pipeline.expanding import Expansion
from ackproof.pipeline.folder import Level
from ackproof.pipeline.settling import Settlement

__all__ = ["Crew", "Crowded", "Here", "Notes", "Question"]

T = TypeVar("T")
U = TypeVar("U")

Notes = list[dict[str, Any]]


class Question(Protocol):
    """What is asked of a part: a value that a task can be sent."""

    def __call__(self, part: int) -> dict[str, Any]:
        """Answer for a part; numbers and texts only."""
        ...


class Crowded(Exception):
    """A level is not made, since what it takes is more than is allowed; the next run may do it."""


class Crew(Protocol):
    """Whoever does the work of a search.

    Attributes:
        engine: what an outcome says that the engine was.
        master: the address of the cluster that works; None if it is this process.
        indexes: whether levels are made with the index.
        remembers: of how many states that are not in the index it can tell that they were seen;
            None if it needs no index.
        bytes: what is held in memory of this process.
    """

    engine: str
    master: str | None
    indexes: bool
    remembers: int | None

    @property
    def bytes(self) -> int: ...

    @property
    def parallelism(self) -> int:
        """How many tasks can run at once."""
        ...

    def ask(self, question: Question, parts: int, description: str) -> Notes:
        """Ask all parts something; return what they answer, by part.

        Args:
            question: what to ask.
            parts: how many parts there are.
            description: what it is for, in words.
        """
        ...

    def level(self, known: Sequence[Level], expansion: Expansion, settlement: Settlement) -> Notes:
        """Make a level; return what is noted of it, by `ackproof.pipeline.settling.noted`.

        Args:
            known: the levels before it.
            expansion: what is to be done to the states of the last one.
            settlement: what is to be done to those that they lead to.

        Raises:
            Crowded: it would take more memory than is allowed.
        """
        ...

    def holds(self, known: Sequence[Level]) -> bool:
        """Tell whether every property of runs is known to hold, without a look at single steps.

        Args:
            known: all levels of a search that is finished.
        """
        ...


class Here:
    """Threads of this process; how they make a level is for others to say.

    Args:
        threads: how many.
    """

    engine = "kernel"
    master: str | None = None
    bytes = 0

    def __init__(self, threads: int = 1) -> None:
        self.parallelism = threads

    def ask(self, question: Question, parts: int, description: str) -> Notes:
        """Ask all parts something, as many at once as there are threads."""
        del description
        return self.each(lambda part: {"part": part, **question(part)}, range(parts))

    def each(self, work: Callable[[T], U], pieces: Sequence[T]) -> list[U]:
        """Do some work for each of some pieces; return what comes of it, in their order."""
        if self.parallelism == 1:
            return [work(piece) for piece in pieces]
        with ThreadPoolExecutor(self.parallelism) as pool:
            return list(pool.map(work, pieces))

    def holds(self, known: Sequence[Level]) -> bool:
        """Nothing is known but by its steps."""
        del known
        return False
