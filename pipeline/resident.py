"""A search by threads of this process: what it has seen is in memory, and its levels in files.

Levels are made by the compiled search itself (`ackproof.model.kernel.by_level`), and written down
as any other crew does: each part's states in the order of their fingerprints, with the position of
the state before.  So every level is a checkpoint, and whoever looks states up in files can go on
after it.  The index that this takes is not made here: it is made of the states when somebody needs
it (`ackproof.pipeline.checking`).

Who goes on with what is there begins by reading all of it into memory.  What the memory holds is
the states of all levels, each once, and of the last one how it was reached; all else is in files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from ackproof.model.kernel.batches import States
from ackproof.model.kernel.by_level import LevelSearch, LevelShare
from ackproof.model.kernel.control import INSTANCE_BITS, INSTANCE_MASK
from ackproof.model.kernel.engine import model_of, runs_of
from ackproof.model.kernel.tasks import NoRoom
from ackproof.model.lower.compile import Kernel
from ackproof.pipeline.crew import Crowded, Here, Notes
from ackproof.pipeline.expanding import Expansion
from ackproof.pipeline.folder import Folder, Level
from ackproof.pipeline.ordering import Numbers, Sorted, fingerprints, parts_of
from ackproof.pipeline.settling import Settlement, noted
from ackproof.pipeline.states import LevelStates, together

__all__ = ["Resident"]

#: The share of the memory allowed that the search itself may take; the rest is for writing a level.
_SEARCH = 0.85
#: States of a level that are divided at once, and that are sorted at once, about; and into how many
#: ranges they can be divided.
_PIECE, _RANGE, _MOST_RANGES = 1 << 22, 1 << 20, 1 << 16

#: A position on a level; one of more states takes more memory than any machine has.
_Place = np.uint32
Places = npt.NDArray[_Place]


@dataclass(frozen=True)
class _Piece:
    """Some neighbours in what a worker has found on a level, by ranges of fingerprints.

    Args:
        share: what the worker has found.
        start: where they begin in it.
        before: how many states the workers before have found.
        order: which of them are in which range, from `start` on.
        ends: for each range where it begins in `order`; and where the last one ends.
    """

    share: LevelShare
    start: int
    before: int
    order: npt.NDArray[np.uint32]
    ends: Numbers

    @staticmethod
    def of(share: LevelShare, start: int, before: int, ranges: int) -> _Piece:
        """Divide a piece among so many ranges."""
        prints = fingerprints(share.states[start : start + _PIECE])
        targets = parts_of(prints, ranges).astype(np.uint16)
        # Numbers of 16 bits are sorted without comparing them.
        order = np.argsort(targets, kind="stable").astype(np.uint32)
        ends = np.concatenate([[0], np.cumsum(np.bincount(targets, minlength=ranges))])
        return _Piece(share, start, before, order, ends)

    def rows(self, number: int) -> Numbers:
        """Return where the states of a range are in the share."""
        found: Numbers = self.order[self.ends[number] : self.ends[number + 1]].astype(np.int64)
        return found + self.start


@dataclass(frozen=True)
class _Divided:
    """A level by parts, and each part by ranges that are sorted one after the other.

    A part is a range of fingerprints, and so it consists of ranges of a finer division.

    Args:
        pieces: what the workers have found.
        finer: how many ranges each part has.
        sizes: how many states each range has.
    """

    pieces: Sequence[_Piece]
    finer: int
    sizes: Numbers

    @staticmethod
    def of(shares: Sequence[LevelShare], parts: int, crew: Here) -> _Divided:
        """Divide what workers have found."""
        counts = [len(share.states) for share in shares]
        finer = max(1, min(_MOST_RANGES // parts, sum(counts) // (parts * _RANGE)))
        befores = np.cumsum([0, *counts[:-1]]).tolist()
        cuts = [
            (share, start, before)
            for share, before in zip(shares, befores, strict=True)
            for start in range(0, len(share.states), _PIECE)
        ]
        pieces = crew.each(lambda cut: _Piece.of(*cut, parts * finer), cuts)
        sizes = np.zeros(parts * finer, np.int64)
        for piece in pieces:
            sizes += np.diff(piece.ends)
        return _Divided(pieces, finer, sizes)

    @property
    def rows(self) -> list[int]:
        """How many states each part has."""
        found: list[int] = self.sizes.reshape(-1, self.finer).sum(axis=1).tolist()
        return found

    def part(self, part: int) -> Iterator[tuple[int, Sorted, Numbers]]:
        """Yield the states of a part in their order, in pieces.

        With each piece comes the position of its first state on the level, and where its states are
        among all that were found.
        """
        for number in range(part * self.finer, (part + 1) * self.finer):
            if self.sizes[number]:
                yield int(self.sizes[:number].sum()), *_sorted(self.pieces, number)


def _sorted(pieces: Sequence[_Piece], number: int) -> tuple[Sorted, Numbers]:
    """Return the states of a range in their order, and where they are among all of the level."""
    found = [(piece, piece.rows(number)) for piece in pieces]
    states: States = np.concatenate([piece.share.states[rows] for piece, rows in found])
    entries = np.concatenate([piece.share.entries[rows] for piece, rows in found])
    places = np.concatenate([piece.before + rows for piece, rows in found])
    prints = fingerprints(states)
    order = np.argsort(prints)
    if (prints[order[1:]] == prints[order[:-1]]).any():
        # Different states with one fingerprint are in the order of their words.
        order = np.lexsort((*states.T, prints))
    return Sorted(prints[order], states[order], entries[order]), places[order]


class Resident(Here):
    """The crew of one search.

    Args:
        folder: its files.
        kernel: the compiled model.
        threads: how many work at once.
        memory: bytes that it may take.
        collapsed: whether states are held as keys, in less memory and more time.
    """

    indexes = False
    remembers: int | None = None

    def __init__(
        self,
        folder: Folder,
        kernel: Kernel,
        threads: int,
        memory: int,
        *,
        collapsed: bool = False,
    ) -> None:
        super().__init__(threads)
        self._folder, self._kernel, self._memory = folder, kernel, memory
        self._model = model_of(kernel, collapsed)
        self.engine = "collapsed" if collapsed else "kernel"
        self._closing = ExitStack()
        self._search: LevelSearch | None = None
        #: The position on its level of each state that waits, by workers and their numbers.
        self._positions: list[Places] = []
        self.bytes = 0

    def close(self) -> None:
        """Give the memory back."""
        self._search = None
        self._closing.close()

    # -- what is there already ------------------------------------------------------------------

    def _held(self, known: Sequence[Level]) -> LevelSearch:
        """Return the search, which has all levels that are finished in memory.

        Raises:
            NoRoom: they are too much for the memory allowed.
        """
        if self._search is not None:
            return self._search
        limit = int(_SEARCH * self._memory)
        search = LevelSearch(self._model, self.parallelism, limit)
        self._closing.enter_context(search)
        for level in known:
            self._give(search, level, waiting=level is known[-1])
        self._positions = [share.entries.astype(_Place) for share in search.shares()]
        self._search = search
        self._note(search)
        return search

    def _give(self, search: LevelSearch, level: Level, *, waiting: bool) -> None:
        found, offsets = LevelStates.on(self._folder, level), level.offsets
        for part, rows in enumerate(level.rows):
            states = found.read(part, self._kernel.words)
            numbers = offsets[part] + np.arange(rows, dtype=np.int64)
            search.give(states, numbers, waiting=waiting)

    def _note(self, search: LevelSearch, more: int = 0) -> None:
        self.bytes = max(self.bytes, search.bytes + more)

    # -- levels ---------------------------------------------------------------------------------

    def level(self, known: Sequence[Level], expansion: Expansion, settlement: Settlement) -> Notes:
        """Make a level in memory, and write it down; return what is to be noted of it."""
        try:
            search = self._held(known)
            firsts = [share.first for share in search.shares()]
            taken = search.step()
        except NoRoom:
            raise Crowded from None
        shares, positions = search.shares(), self._positions
        level = _Divided.of(shares, settlement.parts, self)
        places = np.empty(level.sizes.sum(), _Place)

        def linked(part: int) -> Iterator[Sorted]:
            for position, found, at in level.part(part):
                places[at] = np.arange(position, position + len(at))
                yield replace(found, numbers=_linked(found.numbers, positions, firsts))

        def write(parts: range) -> dict[str, Any]:
            return settlement.keep((part, piece) for part in parts for piece in linked(part))

        kept = self.each(write, together(enumerate(level.rows)))
        self._positions = np.split(places, np.cumsum([len(s.states) for s in shares])[:-1])
        self._note(search, 3 * places.nbytes)
        counted = {
            "counts": taken.counts.tolist(),
            "seen": taken.seen,
            "broken": taken.of_steps,
            "cut": taken.cut,
        }
        return [noted(kept, seen=taken.seen, false=taken.of_states, notes=[counted])]

    # -- properties of runs ---------------------------------------------------------------------

    def holds(self, known: Sequence[Level]) -> bool:
        """Tell whether no fair run can stay where a property is false, by classes of states."""
        try:
            search = self._held(known)
        except NoRoom:
            return False
        runs = runs_of(self._kernel, self._model, self._memory)
        assert runs is not None, "there are properties of runs"
        found = runs.holds(search.team)
        self.bytes = max(self.bytes, runs.bytes)
        return found


def _linked(entries: Numbers, positions: Sequence[Places], firsts: Sequence[int]) -> Numbers:
    """Return entries with positions in the place of the numbers of states in the search."""
    workers = len(positions)
    numbers, instances = entries >> INSTANCE_BITS, entries & INSTANCE_MASK
    linked = np.empty(len(entries), np.int64)
    for worker, (own, first) in enumerate(zip(positions, firsts, strict=True)):
        of_worker = numbers % workers == worker if workers > 1 else slice(None)
        linked[of_worker] = own[numbers[of_worker] // workers - first]
    return linked << INSTANCE_BITS | instances
