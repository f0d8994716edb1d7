"""The steps of a search, made anew: where each of them begins, what it is called, where it leads.

A search keeps of each state the step that led there first, and of the other steps their number.
But its folder has the compiled model, which says of a packed state all steps that it has, so they
can be had again, for as many states as somebody asks about: `successors` makes a function of packed
states for an engine of SQL, with a list of steps for each state.  Where a step leads is then looked
up by the words of the state.

Neither the specification nor a compiler of it takes part, so it does not matter what has become of
the specification since.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from ackproof.pipeline.expanding import batches_of
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.sealed import FileChanged

__all__ = ["STEPS", "list_type", "successors"]

#: The columns of the table, and their types in SQL.
STEPS = {
    "level": "int",
    "position": "bigint",
    "action": "string",
    "step": "string",
    "to_level": "int",
    "to_position": "bigint",
}


def list_type(words: int) -> pa.DataType:
    """Return the type of a list of steps: the number of each one's instance, and what it makes.

    Args:
        words: words of 64 bits in a state.
    """
    made = [(f"w{i}", pa.int64()) for i in range(words)]
    return pa.list_(pa.struct([("instance", pa.int32()), *made]))


def successors(folder: Folder, words: int) -> Callable[..., pa.Array]:
    """Return a function that lists the steps of packed states; it has a column for each word.

    It raises `FileChanged` if the compiled model is not what the search has written, or is gone,
    and `ValueError` if what it is given is no column for each word.

    Args:
        folder: the files of the search, with the compiled model.
        words: words of 64 bits in a state.
    """
    of = list_type(words)

    def listed(*columns: pa.Array) -> pa.Array:
        if [column.type for column in columns] != [pa.int64()] * words:
            raise ValueError(f"successors takes a state, w0 to w{words - 1}, as bigint")
        if not folder.kernel.exists():
            raise FileChanged(folder.kernel, "is missing; with --resume the search makes it again")
        kernel = batches_of(folder)
        read = [column.to_numpy(zero_copy_only=False) for column in columns]
        states = np.stack(read, axis=1).view(np.uint64)
        starts = range(0, len(states), kernel.slice)
        found = [kernel.steps(states[start : start + kernel.slice]) for start in starts]
        if not found:
            return pa.array([], of)
        made, rows, instances, _ = map(list, zip(*found, strict=True))
        sources = np.concatenate([r + start for r, start in zip(rows, starts, strict=True)])
        ends = np.searchsorted(sources, np.arange(len(states) + 1)).astype(np.int32)
        numbers = np.concatenate(instances).astype(np.int32)
        fields = [numbers, *(word.copy() for word in np.concatenate(made).view(np.int64).T)]
        steps = pa.StructArray.from_arrays(fields, fields=list(of.value_type))
        return pa.ListArray.from_arrays(ends, steps, type=of)

    return listed
