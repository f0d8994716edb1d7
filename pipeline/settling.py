"""The second half of a level: each part finds out which of its candidates are new.

What the tasks of the first half have sent to a part is sorted, and of each state one copy is kept,
the one with the least entry: so what a level holds does not depend on who sent what when.  What the
part has seen before is taken away, the properties of the rest are looked at, and it is written:
a file of the states found on this level, with the links by which a path to each can be read, and
the index with them in it.  Parts that are settled by the same task share files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from ackproof.model.kernel.control import INSTANCE_BITS, INSTANCE_MASK
from ackproof.model.kernel.stepping import bits_of
from ackproof.pipeline.expanding import batches_of
from ackproof.pipeline.folder import Folder, RunFile, StatesFile
from ackproof.pipeline.index import Run, appended, fresh, read_run
from ackproof.pipeline.keeping import keep_what_is_loaded
from ackproof.pipeline.notes import NOTES
from ackproof.pipeline.ordering import Sorted, distinct
from ackproof.pipeline.states import together

__all__ = ["Settled", "Settlement", "noted", "union"]

#: Rows in a group, at least, if there are as many.
_GROUP = 1 << 16

_ENCODINGS = dict.fromkeys(("part", "row", "predecessor", "instance"), "DELTA_BINARY_PACKED")


@dataclass(frozen=True)
class Settled:
    """What a part has found on a level.

    Args:
        part: the part.
        found: the states that were not seen before, with entries.
        seen: bits of what is witnessed in them.
        false: bits of the properties that are false in some of them.
        candidates: how many states the part was sent.
        moved: how many bytes it was sent.
        notes: what tasks of the first half have told it.
    """

    part: int
    found: Sorted
    seen: int
    false: int
    candidates: int
    moved: int
    notes: list[dict[str, Any]]


@dataclass(frozen=True)
class Settlement:
    """The work of all parts on one level.

    Args:
        folder: the files of the search.
        level: the level that is found.
        token: the number of the driver.
        runs: the index of what was seen before, by part.
        metadata: what files of states say of themselves.
    """

    folder: Folder
    level: int
    token: int
    runs: tuple[tuple[RunFile, ...], ...]
    metadata: dict[str, str]

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return len(self.runs)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Settle the parts whose rows these are; yield what there is to be noted."""
        keep_what_is_loaded()
        for note in self.written(self.settled(batches), index=True):
            yield pa.record_batch([[json.dumps(note)]], schema=NOTES)

    def settled(
        self, batches: Iterable[pa.RecordBatch], more: Sequence[Sequence[Run]] = ()
    ) -> list[Settled]:
        """Settle the parts whose rows these are; return what each has found, in their order.

        Args:
            batches: the rows, as `ackproof.pipeline.expanding.MOVED` says.
            more: for each part what was seen that is not in its index.
        """
        moved: dict[int, list[dict[str, Any]]] = {}
        for batch in batches:
            for row in batch.to_pylist():
                moved.setdefault(row["part"], []).append(row)
        return [self._settled(part, moved.pop(part), more) for part in sorted(moved)]

    def _settled(
        self, part: int, rows: Sequence[dict[str, Any]], more: Sequence[Sequence[Run]]
    ) -> Settled:
        kernel = batches_of(self.folder)
        states = np.frombuffer(b"".join(row["states"] for row in rows), np.uint64)
        entries = np.frombuffer(b"".join(row["entries"] for row in rows), np.int64)
        once = distinct(states.reshape(-1, kernel.code.words), entries)
        runs = (read_run(self.folder.run(part, run.name), run.seal) for run in self.runs[part])
        new = fresh(chain(runs, more[part] if more else ()), once.prints, once.states)
        found = once.where(new)
        seen, false = kernel.inspect(found.states)
        return Settled(
            part=part,
            found=found,
            seen=seen,
            false=bits_of(np.bitwise_or.reduce(false)),
            candidates=len(entries),
            moved=states.nbytes + entries.nbytes,
            notes=[json.loads(row["note"]) for row in rows if row["note"] is not None],
        )

    def written(self, settled: Sequence[Settled], *, index: bool) -> list[dict[str, Any]]:
        """Write what parts have found; return what is to be noted, by files.

        Args:
            settled: what they have found, in the order of the parts.
            index: whether it is added to their index, too.
        """
        found = {of.part: of for of in settled if len(of.found)}
        parts = together((part, len(of.found)) for part, of in found.items())
        files = [[found[part] for part in file if part in found] for file in parts]
        files.append([of for of in settled if of.part not in found])
        return [self._written(file, index=index) for file in files if file]

    def _written(self, settled: Sequence[Settled], *, index: bool) -> dict[str, Any]:
        """Write what parts have found into one file; return what is to be noted of it."""
        return noted(
            [self.keep((of.part, of.found) for of in settled)],
            seen=union([of.seen for of in settled]),
            false=union([of.false for of in settled]),
            candidates=sum(of.candidates for of in settled),
            shuffled=sum(of.moved for of in settled),
            notes=[note for of in settled for note in of.notes],
            runs=[(of.part, self._indexed(of)) for of in settled] if index else (),
        )

    def _indexed(self, of: Settled) -> list[RunFile]:
        """Add what a part has found to its index; return its runs."""
        run, runs = Run.of(of.found.prints, of.found.states), self.runs[of.part]
        return appended(self.folder, of.part, runs, run, self.level, self.level)

    def keep(self, found: Iterable[tuple[int, Sorted]]) -> dict[str, Any]:
        """Write states of neighbouring parts into one file, if there are any.

        Args:
            found: the states in their order, in pieces, each with its part; their numbers are
                entries: positions of predecessors, with instances.

        Returns:
            what is to be noted: how many states each part has, the file, and its bytes.
        """
        pieces = ((part, piece) for part, piece in found if len(piece))
        first = next(pieces, None)
        if first is None:
            return {"rows": [], "files": [], "stored": 0}
        rows: Counter[int] = Counter()

        def write(place: Path) -> None:
            schema = _table(first[0], 0, first[1]).schema.with_metadata(self.metadata)
            with pq.ParquetWriter(
                place,
                schema,
                use_dictionary=False,
                # Words are in a random order; the other columns take the bits that they need.
                column_encoding=_ENCODINGS | dict.fromkeys(_word_names(first[1]), "PLAIN"),
                compression="zstd",
                write_page_checksum=True,
            ) as file:
                for tables in _row_groups(chain([first], pieces), rows):
                    file.write_table(pa.concat_tables(tables).cast(schema))

        stored = self.folder.states(self.level, first[0], self.token).make(write)
        files = [StatesFile(first[0], stored.seal)]
        return {"rows": list(rows.items()), "files": files, "stored": stored.size}


def _row_groups(
    pieces: Iterable[tuple[int, Sorted]], rows: Counter[int]
) -> Iterator[list[pa.Table]]:
    """Yield tables that are to be a group of rows in a file; count the rows of each part.

    Pieces that are small go together, for a group of rows takes a few kilobytes.
    """
    waiting: list[pa.Table] = []
    size = 0
    for part, piece in pieces:
        waiting.append(_table(part, rows[part], piece))
        rows[part] += len(piece)
        size += len(piece)
        if size >= _GROUP:
            yield waiting
            waiting, size = [], 0
    if waiting:
        yield waiting


def noted(
    kept: Sequence[dict[str, Any]],
    *,
    seen: int,
    false: int,
    notes: list[dict[str, Any]],
    candidates: int = 0,
    shuffled: int = 0,
    runs: Sequence[tuple[int, list[RunFile]]] = (),
) -> dict[str, Any]:
    """Return what the driver is told of a level, or of some parts of it.

    Args:
        kept: the files that states were written into, as `Settlement.keep` notes them.
        seen: bits of what is witnessed in the states.
        false: bits of the properties that are false in some of them.
        notes: what was counted of the steps that lead to them.
        candidates: how many states parts were sent.
        shuffled: how many bytes they were sent.
        runs: the index of parts, where it has the states.
    """
    return {
        "rows": [of for file in kept for of in file["rows"]],
        "files": [of for file in kept for of in file["files"]],
        "stored": sum(file["stored"] for file in kept),
        "seen": seen,
        "false": false,
        "notes": notes,
        "candidates": candidates,
        "shuffled": shuffled,
        "runs": runs,
    }


def union(masks: Sequence[int]) -> int:
    """Return the bits of all masks."""
    found = 0
    for mask in masks:
        found |= mask
    return found


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
