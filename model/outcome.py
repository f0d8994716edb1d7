"""What an engine says of one exploration, the same for every engine.

Counts follow TLC: `generated` counts the initial states and every enabled step, also those that
lead to a known state; `levels` counts the initial states as the first level.  After a violation an
engine finishes the level it is expanding and stops, so that all counts are the same for any
engine and any number of workers.  A *survey* goes on instead, to the end, and so decides every
property at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from ackproof.lang.binding import Bound

__all__ = ["Kept", "Limit", "Outcome", "Progress", "unjudged"]


class Limit(Enum):
    """Why an exploration stopped before the state space was exhausted, or all was decided.

    That is so with `SYMMETRY`: every state was seen, up to the names of elements, and properties of
    runs are not judged among such states.
    """

    DEPTH = "depth"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"
    SYMMETRY = "symmetry"


@dataclass(frozen=True)
class Progress:
    """How far an exploration is: counts so far, states still to expand, bytes, seconds."""

    states: int
    generated: int
    queue: int
    levels: int
    memory: int
    seconds: float


@dataclass(frozen=True)
class Kept:
    """What a search keeps in files, and which cluster it ran on.

    Args:
        master: the address of the cluster, `local[2]` if all of it is this machine; None if the
            search was made by threads of this process.
        partitions: how many parts the states are in.
        folder: the directory that the search keeps everything in.
        stored: bytes in that directory.
        resumed: levels that were there already when this run began; 0 if it began anew.
    """

    master: str | None
    partitions: int
    folder: str
    stored: int
    resumed: int = 0


@dataclass(frozen=True)
class Outcome:
    """What one exploration found.

    Args:
        engine: which engine it was.
        workers: how many threads it used; on a cluster, how many tasks could run at once.
        states: distinct states.
        generated: see above.
        level_sizes: new states per level, the initial states first.
        per_action: enabled steps by action name, 0 included.
        violations: for each violated property a shortest path, as numbers of action instances.
        witnessed: names of the `@reachable` properties that were reached.
        limit: why it stopped early, or None.
        seconds: time taken by the search; `compile_seconds` comes on top of it.
        memory: bytes that the search held at its peak; on a cluster, what the properties of runs
            took of the memory of this process.
        exhausted: whether every reachable state was seen, so that what was not violated holds; but
            properties of runs, if there is a limit all the same, for they are judged after that.
        cycles: for each violated property of runs (`@eventually`) what happens over and over after
            its path, back to the state at its end; empty where the run stays there.
        kept: what it keeps in files, or None if it keeps nothing.
        cut: states that were not expanded since a constraint is false there.
        needed: bytes that the properties of runs would take, where that is more than was allowed
            and is known; else 0.
        starts: for each violated property whose path does not begin in the first initial state, the
            number of the one that it begins in; see `ackproof.model.beginnings`.
    """

    engine: str
    workers: int
    states: int
    generated: int
    level_sizes: tuple[int, ...]
    per_action: Mapping[str, int]
    violations: Mapping[str, tuple[int, ...]]
    witnessed: frozenset[str]
    limit: Limit | None
    seconds: float
    compile_seconds: float
    memory: int
    exhausted: bool = False
    cycles: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    kept: Kept | None = None
    cut: int = 0
    starts: Mapping[str, int] = field(default_factory=dict)
    needed: int = 0

    @property
    def initial(self) -> int:
        """How many initial states there are."""
        return self.level_sizes[0] if self.level_sizes else 0

    @property
    def levels(self) -> int:
        """The number of levels, that of the initial states included."""
        return len(self.level_sizes)


def unjudged(bound: Bound, exhausted: bool) -> Limit | None:
    """Return the limit of a search that has judged no properties of runs, if there are some."""
    of_runs = any(p.of_runs for p in bound.properties)
    return Limit.SYMMETRY if bound.folded and exhausted and of_runs else None
