"""The second half of a level: each part finds out which of its candidates are new.

What the tasks of the first half have sent to a part is sorted, and of each state one copy is kept,
the one with the least entry: so what a level holds does not depend on who sent what when.  What the
part has seen before is taken away, the properties of the rest are looked at, and it is written:
a file of the states found on this level, with the links by which a path to each can be read, and
the index with them in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from ackproof.model.kernel.batches import States
from ackproof.model.kernel.control import INSTANCE_BITS, INSTANCE_MASK
from ackproof.pipeline.expanding import batches_of
from ackproof.pipeline.folder import Folder, RunFile
from ackproof.pipeline.index import Run, extended, fresh, read_run, write_run
from ackproof.pipeline.jobs import NOTES
from ackproof.pipeline.keeping import keep_what_is_loaded
from ackproof.pipeline.ordering import Numbers, Sorted, distinct
from ackproof.pipeline.places import Stored

__all__ = ["Settlement"]

_ENCODINGS = dict.fromkeys(("part", "row", "predecessor", "instance"), "DELTA_BINARY_PACKED")


@dataclass(frozen=True)
class Settlement:
    """The work of all parts on one level.

    Args:
        folder: the files of the search.
        level: the level that is found.
        runs: the runs that hold what was seen before, by part.
        metadata: what files of states say of themselves.
    """

    folder: Folder
    level: int
    runs: tuple[tuple[RunFile, ...], ...]
    metadata: dict[str, str]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Settle the one part whose rows these are; yield what it has to say."""
        keep_what_is_loaded()
        note = self.note(batches)
        if note is not None:
            yield pa.record_batch([[json.dumps(note)]], schema=NOTES)

    def note(self, batches: Iterable[pa.RecordBatch]) -> dict[str, Any] | None:
        """Settle the part whose rows these are; return what it has to say, None if there are none.

        The rows are as `ackproof.pipeline.expanding.MOVED` says.
        """
        kernel = batches_of(self.folder)
        part, states, entries, notes, moved = -1, [], [], [], 0
        for batch in batches:
            for row in batch.to_pylist():
                part = row["part"]
                moved += len(row["states"]) + len(row["entries"])
                if row["note"] is not None:
                    notes.append(json.loads(row["note"]))
                states.append(np.frombuffer(row["states"], np.uint64))
                entries.append(np.frombuffer(row["entries"], np.int64))
        if part < 0:
            return None
        candidates = np.concatenate(states).reshape(-1, kernel.code.words)
        found = self._new(part, distinct(candidates, np.concatenate(entries)))
        seen, false = kernel.inspect(found.states)
        runs = self._index(part, found)
        stored = self._write(part, found)
        return {
            "part": part,
            "rows": len(found),
            "seen": seen,
            "false": int(np.bitwise_or.reduce(false)) if len(false) else 0,
            "stored": stored.size,
            "seal": stored.seal,
            "runs": runs,
            "candidates": len(candidates),
            "shuffled": moved,
            "notes": notes,
        }

    def _new(self, part: int, candidates: Sorted) -> Sorted:
        """Return the candidates that the part has not seen."""
        runs = (read_run(self.folder.run(part, run.name), run.seal) for run in self.runs[part])
        return candidates.where(fresh(runs, candidates.prints, candidates.states))

    def _index(self, part: int, found: Sorted) -> list[RunFile]:
        """Add new states to what the part has seen; return its runs."""
        runs = list(self.runs[part])
        if not len(found):
            return runs
        run = Run.of(found.prints, found.states)
        first = f"{self.level:05d}"
        for _ in range(extended([known.rows for known in runs], len(run))):
            name, _, seal = runs.pop()
            run = read_run(self.folder.run(part, name), seal).merged(run)
            first = name.partition("-")[0]
        name = f"{first}-{self.level:05d}"
        stored = write_run(self.folder.run(part, name), run)
        return [*runs, RunFile(name, len(run), stored.seal)]

    def _write(self, part: int, found: Sorted) -> Stored:
        """Write the states that a part has found."""
        if not len(found):
            return Stored(0, "")
        table = _table(part, found.states, found.numbers).replace_schema_metadata(self.metadata)

        def write(place: Path) -> None:
            pq.write_table(
                table,
                place,
                use_dictionary=False,
                # Words are in a random order; the other columns take the bits that they need.
                column_encoding=_ENCODINGS | dict.fromkeys(_word_names(found.states), "PLAIN"),
                compression="zstd",
                write_page_checksum=True,
            )

        return self.folder.states(self.level, part).make(write)


def _word_names(states: States) -> list[str]:
    return [f"w{i}" for i in range(states.shape[1])]


def _table(part: int, states: States, entries: Numbers) -> pa.Table:
    """Return states with their links, as the tables of a search have them."""
    rootless = entries >= 0
    words = {
        name: np.ascontiguousarray(states[:, i]).view(np.int64)
        for i, name in enumerate(_word_names(states))
    }
    return pa.table(
        {
            "part": pa.array(np.full(len(states), part, np.int32)),
            "row": pa.array(np.arange(len(states), dtype=np.int64)),
            **{name: pa.array(column) for name, column in words.items()},
            "predecessor": pa.array(entries >> INSTANCE_BITS),
            "instance": pa.array(np.where(rootless, entries & INSTANCE_MASK, -1).astype(np.int32)),
        }
    )
