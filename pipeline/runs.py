"""Runs: a shortest one to a state, followed back from file to file.

Of each state its file says which state of the level before it was reached from, and by which step.
So a run takes one row of one file of each level.  Spark has this as a function of tables,
`path_to(level, position)`, which is evaluated where a task runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ackproof.pipeline.folder import Folder, Level
from ackproof.pipeline.states import LevelStates

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
            known = LevelStates.on(self.folder, self.levels[level - 1])
            predecessor, instance = known.link(position)
            first = predecessor < 0
            named = (None, None) if first else (self.actions[instance], self.steps[instance])
            found.append((level, position, *named))
            level, position = level - 1, predecessor
        return found[::-1]

    def table(self) -> type[Any]:
        """Return a class whose `eval` yields the rows of a run, as Spark wants it."""
        followed = self

        class PathTo:
            def eval(self, level: int | None, position: int | None) -> Iterator[_Row]:
                if level is not None and position is not None:
                    yield from followed.run_to(level, position)

        return PathTo
