"""Who settles small levels: the driver, in its memory, for a job takes longer to begin.

What was seen on such levels it remembers, and looks it up there and in the index.  So they cost one
file of states, or a few, and no files of the index, however many parts there are.  When somebody
else is to go on, or it is to remember too much, the index takes in what it lacks, from the files of
states (`ackproof.pipeline.checking`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from ackproof.model.kernel.batches import States
from ackproof.pipeline.crew import Here, Notes
from ackproof.pipeline.expanding import MOVED, Expansion, batches_of
from ackproof.pipeline.folder import Level
from ackproof.pipeline.index import Run, added
from ackproof.pipeline.ordering import fingerprints, parts_of
from ackproof.pipeline.settling import Settlement
from ackproof.pipeline.states import LevelStates

__all__ = ["Alone"]


class Alone(Here):
    """The driver of a search, as its crew."""

    indexes = False
    remembers: int | None = 1 << 20

    def __init__(self) -> None:
        super().__init__()
        self._runs: list[list[Run]] = []
        #: The levels that it remembers, by the last before them and the last of them.
        self._levels = (0, 0)

    def first(self, states: States, settlement: Settlement) -> Notes:
        """Settle the initial states."""
        parts = parts_of(fingerprints(states), settlement.parts)
        moved = []
        for part in np.unique(parts):
            own = states[parts == part]
            entries = np.full(len(own), -1, np.int64)
            row = [[0], [int(part)], [own.tobytes()], [entries.tobytes()], [None]]
            moved.append(pa.record_batch(row, schema=MOVED))
        return self._settle((), moved, settlement)

    def level(self, known: Sequence[Level], expansion: Expansion, settlement: Settlement) -> Notes:
        """Make a level whose candidates fit into memory."""
        moved = (row for task in range(expansion.tasks) for row in expansion.moves(task))
        return self._settle(known, moved, settlement)

    def _settle(
        self, known: Sequence[Level], moved: Iterable[pa.RecordBatch], settlement: Settlement
    ) -> Notes:
        self._remember(known, settlement)
        settled = settlement.settled(moved, self._runs)
        notes = settlement.written(settled, index=False)
        for of in settled:
            if len(of.found):
                added(self._runs[of.part], Run.of(of.found.prints, of.found.states))
        self._levels = self._levels[0], settlement.level
        return notes

    def forget(self) -> None:
        """Remember nothing, while others make levels."""
        self._runs = []

    def _remember(self, known: Sequence[Level], settlement: Settlement) -> None:
        """Remember what was seen on levels that are not in the index, and nothing else."""
        levels = (known[-1].indexed, known[-1].level) if known else (0, 0)
        if levels == self._levels and self._runs:
            return
        self._levels, self._runs = levels, [[] for _ in range(settlement.parts)]
        words = batches_of(settlement.folder).code.words
        for level in known[levels[0] :]:
            found = LevelStates.on(settlement.folder, level)
            for part in range(settlement.parts):
                if level.rows[part]:
                    states = found.read(part, words)
                    added(self._runs[part], Run.of(fingerprints(states), states))
