"""Ways to keep what a part of a search has seen, all of which find the same states to be new.

`Runs` are what the engine has, `Scan` and `Filtered` are here to be measured beside them
(`bench/seen.py`).  Each counts the bytes that it reads; of a mapped file that is the pages touched,
of 4 KiB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import starmap
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
from ackproof.pipeline.index import Run, extended, fresh, read_run, write_run
from ackproof.pipeline.ordering import Sorted, fingerprints
from ackproof.pipeline.places import LocalPlace
from ackproof.pipeline.states import LevelStates

__all__ = ["Filtered", "Runs", "Scan", "Way"]

Bits = npt.NDArray[np.bool_]

_PAGE = 4096
#: Bits of a Bloom filter for each state, and how many of them a state sets.
_BITS, _SET = 10, 4


class Way(Protocol):
    """One way to keep what was seen, in one part."""

    @property
    def read(self) -> int:
        """Bytes read so far."""
        ...

    def fresh(self, level: int, candidates: Sorted) -> Bits:
        """Return which candidates are new on a level."""
        ...

    def keep(self, level: int, found: Sorted) -> None:
        """Take in what was new on a level."""
        ...

    def account(self, level: int, candidates: Sorted) -> None:
        """Count the bytes that `fresh` has read; this is not timed."""
        ...


@dataclass
class Runs:
    """Sorted runs, as the engine has them."""

    folder: Path
    read: int = 0
    names: list[tuple[LocalPlace, str]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def fresh(self, level: int, candidates: Sorted) -> Bits:
        """Look candidates up in each run."""
        return fresh(starmap(read_run, self.names), candidates.prints, candidates.states)

    def keep(self, level: int, found: Sorted) -> None:
        """Write a run of what is new, with the runs in it that it takes in."""
        run = Run.of(found.prints, found.states)
        old = []
        for _ in range(extended(self.sizes, len(run))):
            old.append(self.names.pop())
            self.sizes.pop()
            self.read += old[-1][0].stat().st_size
            run = read_run(*old[-1]).merged(run)
        path = LocalPlace(self.folder / f"{level:05d}.arrow")
        self.names.append((path, write_run(path, run).seal))
        self.sizes.append(len(run))
        for path, _ in old:
            path.unlink()

    def account(self, level: int, candidates: Sorted) -> None:
        """Count the pages in which the lookups end."""
        left = np.ones(len(candidates), bool)
        for run in starmap(read_run, self.names):
            some = np.flatnonzero(left)
            rows = run.rows_of(candidates.prints[some], candidates.states[some])
            ends = np.searchsorted(run.prints, candidates.prints[some])
            columns = len(run.words)
            self.read += _pages(ends) + columns * _pages(rows[rows >= 0])
            left[some[rows >= 0]] = False


@dataclass
class Scan:
    """Nothing but the files of the states, all of which are read on each level.

    Args:
        levels: the states of the search.
        part: the part.
        words: words of a packed state.
    """

    levels: Sequence[LevelStates]
    part: int
    words: int
    read: int = 0

    def fresh(self, level: int, candidates: Sorted) -> Bits:
        """Join candidates with the states of each level before."""
        new = np.ones(len(candidates), bool)
        for before in self.levels[: level - 1]:
            states = before.read(self.part, self.words)
            prints = fingerprints(states)
            at = np.searchsorted(candidates.prints, prints)
            inside = np.flatnonzero(at < len(candidates))
            at, states = at[inside], states[inside]
            new[at[(candidates.states[at] == states).all(axis=1)]] = False
        return new

    def keep(self, level: int, found: Sorted) -> None:
        """Keep nothing: the search itself has written it."""

    def account(self, level: int, candidates: Sorted) -> None:
        """Count the bytes of the words in the files."""
        for before in self.levels[: level - 1]:
            share = before.rows[self.part] / max(1, sum(before.rows))
            files = (Path(str(before.path_of(file))) for file in before.files)
            self.read += round(share * sum(_bytes_of_words(path, self.words) for path in files))


@dataclass
class Filtered:
    """A Bloom filter in a file, and runs behind it.

    A state sets its bits in one word of 64, which is found by its fingerprint, so that candidates
    in their order go through the filter from its begin to its end.  The filter is as large as the
    whole search needs it, which a search cannot know.

    Args:
        runs: what is asked about what the filter may contain.
        parts: into how many parts states are divided.
        part: which of them this is.
        states: how many states it will have.
    """

    runs: Runs
    parts: int
    part: int
    states: int

    def __post_init__(self) -> None:
        """Begin with an empty filter."""
        self.path = self.runs.folder / "filter.npy"
        self._words = max(1, self.states * _BITS // 64)
        np.save(self.path, np.zeros(self._words, np.uint64))

    @property
    def read(self) -> int:
        """Bytes read so far."""
        return self.runs.read

    def fresh(self, level: int, candidates: Sorted) -> Bits:
        """Look up in the runs what the filter does not know to be new."""
        new = np.ones(len(candidates), bool)
        maybe = self._maybe(candidates)
        new[maybe] = self.runs.fresh(level, candidates.where(maybe))
        return new

    def keep(self, level: int, found: Sorted) -> None:
        """Add what is new to the filter and to the runs."""
        words, masks = self._places(found)
        filter_ = np.load(self.path)
        starts = np.flatnonzero(np.concatenate(([True], words[1:] != words[:-1])))
        filter_[words[starts]] |= np.bitwise_or.reduceat(masks, starts)
        np.save(self.path, filter_)
        self.runs.read += filter_.nbytes
        self.runs.keep(level, found)

    def account(self, level: int, candidates: Sorted) -> None:
        """Count the filter, and the pages of what passes it."""
        self.runs.read += 8 * self._words
        self.runs.account(level, candidates.where(self._maybe(candidates)))

    def _maybe(self, candidates: Sorted) -> Bits:
        words, masks = self._places(candidates)
        maybe: Bits = (np.load(self.path)[words] & masks) == masks
        return maybe

    def _places(self, states: Sorted) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        """Return for each state its word of the filter, and the bits that it has in it."""
        total = np.uint64(self.parts * self._words)
        high = (states.prints >> np.uint64(32)) * total >> np.uint64(32)
        first = np.uint64(self.part * self._words)
        masks = np.zeros(len(states), np.uint64)
        for i in range(_SET):
            bit = states.prints >> np.uint64(6 * i) & np.uint64(63)
            masks |= np.uint64(1) << bit
        return high - first, masks


def _pages(rows: npt.NDArray[np.int64]) -> int:
    """Return the bytes of the pages in which some rows of a column of 64 bits lie."""
    return len(np.unique(rows * 8 // _PAGE)) * _PAGE


def _bytes_of_words(path: Path, words: int) -> int:
    """Return the bytes that the words of the states take in a file."""
    names = {f"w{i}" for i in range(words)}
    with pq.ParquetFile(path) as file:
        groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
        columns = [g.column(i) for g in groups for i in range(g.num_columns)]
        return sum(c.total_compressed_size for c in columns if c.path_in_schema in names)
