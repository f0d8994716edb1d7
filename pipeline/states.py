"""The files of states of a level: each has a part, or neighbouring parts with few states.

A level is divided into as many parts as the search, however few states were found on it.  Whoever
settles several parts at once puts small neighbours into one file, in their order, so that there are
few files, and each is worth a request.  The manifest of the level says which parts
each file has; a state has the same position on its level wherever it lies.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from ackproof.model.kernel.batches import States
from ackproof.pipeline.folder import Folder, Level, StatesFile, offsets_of
from ackproof.pipeline.places import Place
from ackproof.pipeline.sealed import FileChanged, read_sealed

__all__ = ["LevelStates", "together"]

#: Parts share a file as long as they have no more states than these: some hundred kilobytes.
_SHARED = 1 << 14
#: Files that parts share and that a process remembers, as arrays of half a megabyte at most each.
_REMEMBERED = 256


def together(rows: Iterable[tuple[int, int]]) -> list[range]:
    """Divide parts among files: neighbours, and no file is without states.

    Args:
        rows: parts in their order, with how many states each has.
    """
    found: list[range] = []
    held = 0
    for part, own in rows:
        if own and found and held + own <= _SHARED:
            found[-1] = range(found[-1].start, part + 1)
            held += own
        elif own:
            found.append(range(part, part + 1))
            held = own
    return found


@dataclass(frozen=True)
class LevelStates:
    """What was found on a level, by files; a value that a task can be sent.

    Args:
        folder: the files of the search.
        level: the level.
        token: the number of the driver that has made it.
        rows: how many states each part has there.
        files: which files these are in.
    """

    folder: Folder
    level: int
    token: int
    rows: tuple[int, ...]
    files: tuple[StatesFile, ...]

    @staticmethod
    def on(folder: Folder, level: Level) -> LevelStates:
        """Return what a finished level has."""
        return LevelStates(folder, level.level, level.token, level.rows, level.files)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """The position of the first state of each part."""
        return offsets_of(self.rows)

    @cached_property
    def _states(self) -> int:
        """How many states there are."""
        return sum(self.rows)

    def path_of(self, file: StatesFile) -> Place:
        """Return where a file is."""
        return self.folder.states(self.level, file.first, self.token)

    def read(self, part: int, words: int) -> States:
        """Return the packed states of a part, in their order.

        Args:
            part: the part.
            words: words of 64 bits in a state.

        Raises:
            FileChanged: the file has others than it should.
        """
        if not self.rows[part]:
            return np.empty((0, words), np.uint64)
        file, rows = self._file_of(part)
        path = self.path_of(file)
        if rows == self.rows[part]:
            return _read(path, file.seal, words, rows)
        start = self.offsets[part] - self.offsets[file.first]
        # Whoever asks for a part asks for its neighbours next.
        shared = _remembered(path, file.seal, words, rows)
        return shared[start : start + self.rows[part]]

    def link(self, position: int) -> tuple[int, int]:
        """Return the position that a state was reached from, and the instance of the action.

        Args:
            position: that of the state on its level.

        Raises:
            FileChanged: the file is not what was written.
        """
        file, _ = self._file_of(bisect_right(self.offsets, position) - 1)
        data = pa.BufferReader(read_sealed(self.path_of(file), file.seal))
        row = position - self.offsets[file.first]
        table = pq.read_table(data, columns=["predecessor", "instance"]).slice(row, 1)
        return table.column("predecessor")[0].as_py(), table.column("instance")[0].as_py()

    def _file_of(self, part: int) -> tuple[StatesFile, int]:
        """Return the file that has a part, which has states, and how many states are in it."""
        behind = bisect_right(self.files, part, key=lambda file: file.first)
        file = self.files[behind - 1]
        last = behind == len(self.files)
        end = self._states if last else self.offsets[self.files[behind].first]
        return file, end - self.offsets[file.first]


def _read(path: Place, seal: str, words: int, rows: int) -> States:
    names = [f"w{i}" for i in range(words)]
    table = pq.read_table(pa.BufferReader(read_sealed(path, seal)), columns=names)
    if table.num_rows != rows:
        raise FileChanged(path, f"has {table.num_rows:,} states and not {rows:,}")
    columns: list[Any] = [column.to_numpy() for column in table.columns]
    found: States = np.stack(columns, axis=1).view(np.uint64)
    return found


@lru_cache(maxsize=_REMEMBERED)
def _remembered(path: Place, seal: str, words: int, rows: int) -> States:
    """Return the states of a file that has more parts than one; what has a seal never changes."""
    return _read(path, seal, words, rows)
