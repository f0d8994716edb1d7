"""Reading a path to a state from the links that a search has kept: one look at each level."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq
from ackproof.pipeline.folder import Folder, Level
from ackproof.pipeline.sealed import read_sealed

__all__ = ["path_to"]


def path_to(
    folder: Folder, levels: Sequence[Level], level: int, part: int, row: int
) -> tuple[tuple[int, int], tuple[int, ...]]:
    """Return a shortest run to a state: where it begins, and the numbers of its steps.

    It begins in an initial state, which is given by its part and row on the first level.

    Args:
        folder: the files of a search.
        levels: its levels.
        level: the level of the state.
        part: the part of the state.
        row: the row of the state in the file of that part.
    """
    taken: list[int] = []
    while level > 1:
        seal = levels[level - 1].seals[part]
        predecessor, instance = _link(read_sealed(folder.states(level, part), seal), row)
        taken.append(instance)
        level -= 1
        offsets = levels[level - 1].offsets
        # Parts without states begin where the next one does: the last of those is meant.
        part = bisect_right(offsets, predecessor) - 1
        row = predecessor - offsets[part]
    return (part, row), tuple(reversed(taken))


def _link(states: pa.Buffer, row: int) -> tuple[int, int]:
    """Return the position of the predecessor of a state, and the instance that led on from it."""
    with pq.ParquetFile(pa.BufferReader(states)) as file:
        group = 0
        while row >= file.metadata.row_group(group).num_rows:
            row -= file.metadata.row_group(group).num_rows
            group += 1
        found = file.read_row_group(group, ["predecessor", "instance"]).slice(row, 1).to_pylist()[0]
    return int(found["predecessor"]), int(found["instance"])
