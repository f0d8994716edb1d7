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
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from ackproof.model.kernel.control import INSTANCE_BITS, INSTANCE_MASK
from ackproof.pipeline.expanding import batches_of
from ackproof.pipeline.folder import Folder, RunFile
from ackproof.pipeline.index import Run, extended, fresh, read_run, write_run
from ackproof.pipeline.keeping import keep_what_is_loaded
from ackproof.pipeline.notes import NOTES
from ackproof.pipeline.ordering import Sorted, distinct

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

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return len(self.runs)

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
        return {
            **self.keep(part, [found]),
            "seen": seen,
            "false": int(np.bitwise_or.reduce(false)) if len(false) else 0,
            "runs": self._index(part, found),
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

    def keep(self, part: int, found: Iterable[Sorted]) -> dict[str, Any]:
        """Write the states that a part has found, if any; return what is to be noted of the file.

        Args:
            part: the part.
            found: the states in their order, in pieces; their numbers are entries: positions of
                predecessors, with instances.
        """
        pieces = (piece for piece in found if len(piece))
        first = next(pieces, None)
        if first is None:
            return {"part": part, "rows": 0, "stored": 0, "seal": ""}
        rows = 0

        def write(place: Path) -> None:
            nonlocal rows
            schema = _table(part, 0, first).schema.with_metadata(self.metadata)
            with pq.ParquetWriter(
                place,
                schema,
                use_dictionary=False,
                # Words are in a random order; the other columns take the bits that they need.
                column_encoding=_ENCODINGS | dict.fromkeys(_word_names(first), "PLAIN"),
                compression="zstd",
                write_page_checksum=True,
            ) as file:
                for piece in chain([first], pieces):
                    file.write_table(_table(part, rows, piece).cast(schema))
                    rows += len(piece)

        stored = self.folder.states(self.level, part).make(write)
        return {"part": part, "rows": rows, "stored": stored.size, "seal": stored.seal}


def _word_names(found: Sorted) -> list[str]:
    return [f"w{i}" for i in range(found.states.shape[1])]


def _table(part: int, first: int, found: Sorted) -> pa.Table:
    """Return states with their links, as the tables of a search have them, from a row on."""
    states, entries = found.states, found.numbers
    rootless = entries >= 0
    words = {
        name: np.ascontiguousarray(states[:, i]).view(np.int64)
        for i, name in enumerate(_word_names(found))
    }
    return pa.table(
        {
            "part": pa.array(np.full(len(states), part, np.int32)),
            "row": pa.array(np.arange(first, first + len(states), dtype=np.int64)),
            **{name: pa.array(column) for name, column in words.items()},
            "predecessor": pa.array(entries >> INSTANCE_BITS),
            "instance": pa.array(np.where(rootless, entries & INSTANCE_MASK, -1).astype(np.int32)),
        }
    )
