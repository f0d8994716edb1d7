"""Measures on arrays: what no cycle of steps changes, learnt from some steps of a region.

What a measure is, and why it tells which states can be in one cycle, is said in
`ackproof.model.kernel.measures`, which does in compiled code, over the table of a search, what is
done here over arrays of steps, wherever these are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from ackproof.model.kernel.batches import States
from ackproof.pipeline.ordering import Fingerprints, fingerprints

__all__ = ["Measure", "changes", "classes_of", "learnt"]

#: How many measures are looked for.
_MEASURES = 16

Words = npt.NDArray[np.uint64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Measure:
    """What is only ever set, and only ever cleared, by steps that leave the measures before alone.

    Args:
        rising: for each word of a state the bits that are only set.
        falling: and those that are only cleared.
        sign: 1 or -1 if it is the number of bits that are set, which only rises or falls; else 0.
    """

    rising: tuple[int, ...]
    falling: tuple[int, ...]
    sign: int = 0

    @property
    def fixed(self) -> Words:
        """The bits that it is about, for each word."""
        return np.array(self.rising, np.uint64) | np.array(self.falling, np.uint64)

    def judge(self, before: States, after: States) -> tuple[Bools, Bools]:
        """Return which steps change it as they may, and which as they must not."""
        rising, falling = np.array(self.rising, np.uint64), np.array(self.falling, np.uint64)
        lost = before & ~after & rising | after & ~before & falling
        changed: Bools = np.bitwise_or.reduce((before ^ after) & self.fixed, axis=1) != 0
        wrong: Bools = np.bitwise_or.reduce(lost, axis=1) != 0
        if self.sign:
            gained = _gained(before, after)
            changed |= gained != 0
            wrong |= gained * self.sign < 0
        return changed & ~wrong, wrong


def _gained(before: States, after: States) -> npt.NDArray[np.int64]:
    """Return how many bits more are set after each step."""
    counts = np.bitwise_count(after).astype(np.int64) - np.bitwise_count(before)
    gained: npt.NDArray[np.int64] = counts.sum(axis=1)
    return gained


def changes(measures: tuple[Measure, ...], before: States, after: States) -> tuple[Bools, Bools]:
    """Return of which steps the first measure that they change is changed as it may be, or not."""
    right, wrong = np.zeros(len(before), bool), np.zeros(len(before), bool)
    left = np.arange(len(before))
    for measure in measures:
        good, bad = measure.judge(before[left], after[left])
        right[left[good]], wrong[left[bad]] = True, True
        left = left[~(good | bad)]
    return right, wrong


def learnt(before: States, after: States) -> tuple[Measure, ...]:
    """Return the measures of some steps, each learnt from those that the ones before leave alone.

    Args:
        before: the states in which the steps begin.
        after: and those to which they lead.
    """
    found: list[Measure] = []
    while len(before) and len(found) < _MEASURES:
        measure = _of(before, after)
        if measure is None:
            break
        found.append(measure)
        right, _ = measure.judge(before, after)
        before, after = before[~right], after[~right]
    return tuple(found)


def _of(before: States, after: States) -> Measure | None:
    """Return a measure that some steps change; None if there is none."""
    rose = np.bitwise_or.reduce(after & ~before, axis=0)
    fell = np.bitwise_or.reduce(before & ~after, axis=0)
    rising, falling = rose & ~fell, fell & ~rose
    if rising.any() or falling.any():
        return Measure(tuple(rising.tolist()), tuple(falling.tolist()))
    gained = _gained(before, after)
    more, less = bool((gained > 0).any()), bool((gained < 0).any())
    nothing = (0,) * before.shape[1]
    return Measure(nothing, nothing, 1 if more else -1) if more != less else None


def classes_of(measures: tuple[Measure, ...], states: States) -> Fingerprints:
    """Return a number for each state that depends on what measures are about, and on no more.

    Two classes may have the same number; no more is said of both together than of each.
    """
    fixed = np.zeros(states.shape[1], np.uint64)
    for measure in measures:
        fixed |= measure.fixed
    about = [states & fixed]
    if any(measure.sign for measure in measures):
        about.append(np.bitwise_count(states).sum(axis=1, dtype=np.uint64)[:, None])
    return fingerprints(np.concatenate(about, axis=1))
