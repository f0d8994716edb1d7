"""What an engine says of one exploration, the same for every engine.

Counts follow TLC: `generated` counts the initial state and every enabled step, also those that
lead to a known state; `levels` counts the initial state as the first level.  After a violation an
engine finishes the level it is expanding and stops, so that all counts are the same for any
engine and any number of workers.  A *survey* goes on instead, to the end, and so decides every
property at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

__all__ = ["Limit", "Outcome", "Progress"]


class Limit(Enum):
    """Why an exploration stopped before the state space was exhausted."""

    DEPTH = "depth"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"


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
class Outcome:
    """What one exploration found.

    Args:
        engine: which engine it was.
        workers: how many threads it used.
        states: distinct states.
        generated: see above.
        level_sizes: new states per level, the initial state's first.
        per_action: enabled steps by action name, 0 included.
        violations: for each violated property a shortest path, as numbers of action instances.
        witnessed: names of the `@reachable` properties that were reached.
        limit: why it stopped early, or None.
        seconds: time taken by the search; `compile_seconds` comes on top of it.
        memory: bytes that the search held at its peak.
        exhausted: whether every reachable state was seen, so that what was not violated holds.
        cycles: for each violated property of runs (`@eventually`) what happens over and over after
            its path, back to the state at its end; empty where the run stays there.
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

    @property
    def levels(self) -> int:
        """The number of levels, the initial state's included."""
        return len(self.level_sizes)
