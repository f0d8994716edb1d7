"""What a part of a search has seen: a few sorted runs, each a file that is mapped into memory.

To know whether a state is new, a level asks for its fingerprint in each run, by bisection: it
touches the pages that it needs and leaves the rest alone.  What a level finds becomes a run of its
own, and takes in the runs before it that are not much larger.  So there are never more runs than
the logarithm of the number of states, a state is copied as often at most, and nothing is read
because it was once seen.

A run is a file in Arrow's format of streams: the fingerprints, which do not decrease, and the words
of the states.  It has a seal, with which a process compares it before it first looks something up
in it.  Its name says which levels it holds, and it never changes, so a task that is run twice does
no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from ackproof.model.kernel.batches import States
from ackproof.pipeline.folder import Folder, RunFile
from ackproof.pipeline.ordering import Fingerprints
from ackproof.pipeline.places import Place, Stored

__all__ = [
    "Run",
    "added",
    "appended",
    "extended",
    "fresh",
    "read_run",
    "read_table",
    "write_run",
    "write_table",
]

#: A level's run takes in the one before it unless that is more than so many times as large.
_RATIO = 2


@dataclass(frozen=True)
class Run:
    """States in the order of their fingerprints; arrays that may be a file's."""

    prints: Fingerprints
    words: tuple[Fingerprints, ...]

    @staticmethod
    def of(prints: Fingerprints, states: States) -> Run:
        """Return states, sorted already, as a run."""
        return Run(prints, tuple(states[:, word] for word in range(states.shape[1])))

    def __len__(self) -> int:
        return len(self.prints)

    def rows_of(self, prints: Fingerprints, states: States) -> npt.NDArray[np.int64]:
        """Return for each state its row here, -1 if it is not here."""
        rows = np.full(len(prints), -1, np.int64)
        if not len(self):
            return rows
        at = np.searchsorted(self.prints, prints)
        open_ = np.arange(len(prints))
        while len(open_):
            # Different states may have one fingerprint: look on while it is the same.
            at, open_ = at[at < len(self)], open_[at < len(self)]
            same = self.prints[at] == prints[open_]
            at, open_ = at[same], open_[same]
            equal = np.ones(len(at), bool)
            for word, column in enumerate(self.words):
                equal &= column[at] == states[open_, word]
            rows[open_[equal]] = at[equal]
            at, open_ = at[~equal] + 1, open_[~equal]
        return rows

    def merged(self, other: Run) -> Run:
        """Return the states of two runs that have none in common."""
        at = np.searchsorted(self.prints, other.prints) + np.arange(len(other))
        total = len(self) + len(other)
        own = np.ones(total, bool)
        own[at] = False

        def both(a: Fingerprints, b: Fingerprints) -> Fingerprints:
            out = np.empty(total, np.uint64)
            out[at], out[own] = b, a
            return out

        pairs = zip(self.words, other.words, strict=True)
        return Run(both(self.prints, other.prints), tuple(both(a, b) for a, b in pairs))


def fresh(runs: Iterable[Run], prints: Fingerprints, states: States) -> npt.NDArray[np.bool_]:
    """Return which of some states are in none of the runs; states are in their order."""
    new = np.ones(len(prints), bool)
    for run in runs:
        left = np.flatnonzero(new)
        new[left] = run.rows_of(prints[left], states[left]) < 0
    return new


def added(runs: list[Run], run: Run) -> None:
    """Add to the runs in memory one with other states, which takes in those before it."""
    for _ in range(extended([len(known) for known in runs], len(run))):
        run = runs.pop().merged(run)
    runs.append(run)


def extended(sizes: Sequence[int], fresh: int) -> int:
    """Return how many of the last runs, with so many states each, a new one should take in."""
    taken = 0
    for size in reversed(sizes):
        if size > _RATIO * fresh:
            break
        fresh += size
        taken += 1
    return taken


def appended(
    folder: Folder, part: int, runs: Sequence[RunFile], run: Run, first: int, last: int
) -> list[RunFile]:
    """Add what a part has found on some levels to its index; return its runs.

    Args:
        folder: the files of the search.
        part: the part.
        runs: those that it has.
        run: the states; if there are none, nothing is written.
        first: the first of these levels.
        last: the last of them.

    Raises:
        FileChanged: a run that this one takes in is not as it was written.
    """
    left = list(runs)
    if not len(run):
        return left
    begin = f"{first:05d}"
    for _ in range(extended([known.rows for known in left], len(run))):
        name, _, seal = left.pop()
        run = read_run(folder.run(part, name), seal).merged(run)
        begin = name.partition("-")[0]
    name = f"{begin}-{last:05d}"
    stored = write_run(folder.run(part, name), run)
    return [*left, RunFile(name, len(run), stored.seal)]


def write_run(path: Place, run: Run, *, lasting: bool = True) -> Stored:
    """Write a run; the file is there with all of it, or not at all."""
    words = {f"w{i}": np.ascontiguousarray(word) for i, word in enumerate(run.words)}
    return write_table(path, {"fingerprint": run.prints, **words}, lasting=lasting)


def read_run(path: Place, seal: str) -> Run:
    """Return a run whose arrays are the file itself, mapped into memory.

    Args:
        path: the file.
        seal: its seal.

    Raises:
        FileChanged: it is not as it was written.
    """
    columns = [_array(column) for column in read_table(path, seal).columns]
    return Run(columns[0], tuple(columns[1:]))


def write_table(
    path: Place, columns: Mapping[str, npt.NDArray[Any]], *, lasting: bool = True
) -> Stored:
    """Write columns of numbers; the file is there with all of them, or not at all.

    Args:
        path: the file: a stream in Arrow's format.
        columns: by name.
        lasting: whether it is to outlast this run of a search.
    """
    arrays = [pa.array(np.ascontiguousarray(column)) for column in columns.values()]
    batch = pa.record_batch(arrays, list(columns))

    def write(place: Path) -> None:
        with pa.OSFile(str(place), "wb") as file, pa.ipc.new_stream(file, batch.schema) as out:
            out.write_batch(batch)

    return path.make(write, lasting=lasting, near=True)


def read_table(path: Place, seal: str) -> pa.Table:
    """Return columns that are the file itself, mapped into memory.

    Raises:
        FileChanged: it is not as it was written.
    """
    return pa.ipc.open_stream(path.mapped(seal)).read_all()


def _array(column: Any) -> Fingerprints:
    chunks = column.chunks
    if not chunks:
        return np.empty(0, np.uint64)
    assert len(chunks) == 1, "a run is written as one batch"
    found: Fingerprints = chunks[0].to_numpy(zero_copy_only=True)
    return found
