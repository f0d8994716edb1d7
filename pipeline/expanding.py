"""The first half of a level: the states of the last one are expanded, each part's by some task.

A task reads its share, has the kernel make the successors, a batch at a time, and puts together
those that belong to one part.  What it yields goes through the shuffle: many states to a row, as
they are in memory, for what costs there is the row and not its bytes.  With each state goes an
*entry*, the position of the state that it was made of and the number of the instance that made it.

Duplicates within a batch never leave the task.  The more parts a task reads at once, the fewer
there are that it does not see, so there are only as many tasks as can run at the same time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
from ackproof.model.kernel.batches import Batches, States, Successors
from ackproof.model.kernel.control import INSTANCE_BITS
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.identity import code_of
from ackproof.pipeline.keeping import keep_what_is_loaded
from ackproof.pipeline.ordering import Numbers, fingerprints, parts_of
from ackproof.pipeline.states import LevelStates

__all__ = ["MOVED", "Expansion", "batches_of", "shares"]

#: What goes through the shuffle: states and entries for a part, and which task settles that; or,
#: with a note, what was counted.
MOVED = pa.schema(
    [
        ("task", pa.int32()),
        ("part", pa.int32()),
        ("states", pa.binary()),
        ("entries", pa.binary()),
        ("note", pa.string()),
    ]
)

#: Bytes of states in one row, at most.
_ROW_BYTES = 4 << 20
#: States that a task expands at once.
_BATCH = 1 << 19


def batches_of(folder: Folder) -> Batches:
    """Return the kernel of a search; a process makes it once."""
    # A process may outlive the search, and there may be another one in its folder.
    return _batches(folder, *folder.kernel.arrived().stamp())


@lru_cache(maxsize=2)
def _batches(folder: Folder, *written: int) -> Batches:
    return Batches(code_of(folder))


def shares(parts: int, tasks: int) -> list[range]:
    """Divide parts among tasks, so that each has neighbours and about as many as the others."""
    ends = [parts * task // tasks for task in range(tasks + 1)]
    return [range(a, b) for a, b in pairwise(ends)]


@dataclass(frozen=True)
class Expansion:
    """The work of all tasks on one level; each is told which it is.

    Args:
        level: the states that are expanded.
        tasks: how many tasks there are.
        settling: how many tasks settle what they find; each has neighbouring parts.
    """

    level: LevelStates
    tasks: int
    settling: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Do the tasks whose numbers come, in a column `id`."""
        keep_what_is_loaded()
        for batch in batches:
            for task in batch.column("id").to_pylist():
                yield from self.moves(task)

    def moves(self, task: int) -> Iterator[pa.RecordBatch]:
        """Do one task: yield what it moves to other parts, and at the end what it has counted."""
        kernel = batches_of(self.level.folder)
        counts, seen, broken, cut = np.zeros(kernel.code.actions, np.int64), 0, 0, 0
        states, positions = self._share(task, kernel.code.words)
        for start in range(0, len(states), _BATCH):
            some = positions[start : start + _BATCH]
            for found in kernel.successors(states[start : start + _BATCH]):
                counts += found.counts
                seen |= found.seen
                broken |= found.broken
                cut += found.cut
                yield from self._moved(found, some)
        if len(states):
            told = {"counts": counts.tolist(), "seen": seen, "broken": broken, "cut": cut}
            note = json.dumps(told)
            part = shares(len(self.level.rows), self.tasks)[task][0]
            yield self._row(part, b"", b"", note)

    def _share(self, task: int, words: int) -> tuple[States, Numbers]:
        """Return the states of a task's parts, and their positions in the level."""
        own = shares(len(self.level.rows), self.tasks)[task]
        states = np.concatenate([self.level.read(part, words) for part in own])
        return states, np.arange(len(states)) + self.level.offsets[own[0]]

    def _moved(self, found: Successors, positions: Numbers) -> Iterator[pa.RecordBatch]:
        """Yield successors by the part that they belong to."""
        parts = len(self.level.rows)
        entries = positions[found.sources] << INSTANCE_BITS | found.instances
        targets = parts_of(fingerprints(found.states), parts).astype(np.uint16)
        # Numbers of 16 bits are sorted without comparing them.
        order = np.argsort(targets, kind="stable")
        states, entries = found.states[order], entries[order]
        ends = np.searchsorted(targets[order], np.arange(parts + 1, dtype=np.int64))
        most = max(1, _ROW_BYTES // (8 * states.shape[1]))
        for part in range(parts):
            for start in range(ends[part], ends[part + 1], most):
                end = min(start + most, ends[part + 1])
                yield self._row(part, states[start:end].tobytes(), entries[start:end].tobytes())

    def _row(
        self, part: int, states: bytes, entries: bytes, note: str | None = None
    ) -> pa.RecordBatch:
        task = part * self.settling // len(self.level.rows)
        return pa.record_batch([[task], [part], [states], [entries], [note]], schema=MOVED)
