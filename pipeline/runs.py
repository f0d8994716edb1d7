"""Runs: a shortest one to a state, followed back from file to file.

Of each state its file says which state of the level before it was reached from, and by which step.
So a run takes one row of one file of each level.  Spark has this as a function of tables,
`path_to(level, position)`, which is evaluated where a task runs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from ackproof.pipeline.folder import Folder, Level
from ackproof.pipeline.sealed import read_sealed

__all__ = ["PATH", "Followed"]

#: The columns of `path_to`, and their types in SQL.
PATH = {"level": "int", "position": "bigint", "action": "string", "step": "string"}

_Row = tuple[int, int, str | None, str | None]


@dataclass(frozen=True)
class Followed:
    """The states of a search, by what has led to them.

    Args:
        folder: the files of the search.
        levels: the finished levels.
        actions: the action of each instance of one.
        steps: what the step is called.
    """

    folder: Folder
    levels: tuple[Level, ...]
    actions: list[str]
    steps: list[str]

    def run_to(self, level: int, position: int) -> list[_Row]:
        """Return the states of a shortest run to a state; none if there is no such state.

        Raises:
            FileChanged: a file of states is not what was written.
        """
        found: list[_Row] = []
        while 1 <= level <= len(self.levels) and 0 <= position < self.levels[level - 1].states:
            predecessor, instance = self._links(self.levels[level - 1], position)
            first = predecessor < 0
            named = (None, None) if first else (self.actions[instance], self.steps[instance])
            found.append((level, position, *named))
            level, position = level - 1, predecessor
        return found[::-1]

    def _links(self, level: Level, position: int) -> tuple[int, int]:
        """Return the position that a state was reached from, and the instance of the action."""
        part = bisect_right(level.offsets, position) - 1
        path, seal = self.folder.states(level.level, part), level.seals[part]
        states = pq.read_table(
            pa.BufferReader(read_sealed(path, seal)), columns=["row", "predecessor", "instance"]
        )
        rows = states.filter(pa.compute.field("row") == position - level.offsets[part])
        return rows.column("predecessor")[0].as_py(), rows.column("instance")[0].as_py()

    def table(self) -> type[Any]:
        """Return a class whose `eval` yields the rows of a run, as Spark wants it."""
        followed = self

        class PathTo:
            def eval(self, level: int | None, position: int | None) -> Iterator[_Row]:
                if level is not None and position is not None:
                    yield from followed.run_to(level, position)

        return PathTo
