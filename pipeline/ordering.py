"""Fingerprints: the order of packed states, and which part of a search each belongs to.

A fingerprint is 64 bits that depend on all of a state.  States are kept in the order of their
fingerprints, and where these are equal in the order of their words, so that two states are the same
only if all their bits are.  A *part* is a range of fingerprints, all of about the same size: what
is sorted lies in the order of the parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from ackproof.model.kernel.batches import States

__all__ = [
    "Fingerprints",
    "Numbers",
    "Sorted",
    "distinct",
    "fingerprints",
    "first_of",
    "parts_of",
]

Fingerprints = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]

_SEED = np.uint64(0x2545F4914F6CDD1D)
#: The multipliers and shifts of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_GAMMA = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Sorted:
    """Distinct states in their order, with a number for each.

    Args:
        prints: the fingerprints, which do not decrease.
        states: packed, shape (states, words).
        numbers: for each state the least of the numbers that came with it.
    """

    prints: Fingerprints
    states: States
    numbers: Numbers

    def __len__(self) -> int:
        return len(self.prints)

    def where(self, kept: npt.NDArray[np.bool_]) -> Sorted:
        """Return some of the states."""
        return Sorted(self.prints[kept], self.states[kept], self.numbers[kept])


def fingerprints(states: States) -> Fingerprints:
    """Return 64 bits for each packed state, every one depending on all of the state."""
    mixed = np.full(len(states), _SEED)
    for word in range(states.shape[1]):
        mixed ^= states[:, word]
        mixed += _GAMMA
        mixed ^= mixed >> np.uint64(30)
        mixed *= _FIRST
        mixed ^= mixed >> np.uint64(27)
        mixed *= _SECOND
        mixed ^= mixed >> np.uint64(31)
    return mixed


def parts_of(prints: Fingerprints, parts: int) -> Fingerprints:
    """Return the part that each fingerprint falls into, of so many (fewer than 2^31)."""
    return ((prints >> np.uint64(32)) * np.uint64(parts)) >> np.uint64(32)


def first_of(part: int, parts: int) -> np.uint64:
    """Return the least fingerprint that falls into a part."""
    return np.uint64(-(-(part << 32) // parts) << 32)


def distinct(states: States, numbers: Numbers) -> Sorted:
    """Return states in their order, each once, with the least of its numbers."""
    prints = fingerprints(states)
    order = np.argsort(prints)
    prints, states, numbers = prints[order], states[order], numbers[order]
    again = prints[1:] == prints[:-1]
    if not again.any():
        return Sorted(prints, states, numbers)
    if (again & (states[1:] != states[:-1]).any(axis=1)).any():
        # Different states with one fingerprint may lie in any order; put equal ones together.
        order = np.lexsort((*states.T, prints))
        prints, states, numbers = prints[order], states[order], numbers[order]
        again = (prints[1:] == prints[:-1]) & (states[1:] == states[:-1]).all(axis=1)
    starts = np.flatnonzero(np.concatenate(([True], ~again)))
    return Sorted(prints[starts], states[starts], np.minimum.reduceat(numbers, starts))
