"""A compiled model, called on arrays: every step of some packed states, and what they break.

The functions that a search calls on its frontier are called here on states of anybody's choice.
Nothing is removed and nothing remembered: `ackproof.model.kernel.batches` makes parts of a search
of it, and `ackproof.model.walks` goes its own way.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from ackproof.model.kernel import control

__all__ = ["Numbers", "States", "Stepper", "Steps", "bits_of"]

#: Packed states, one in each row: shape (states, words).
States = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]

#: Steps that are written down at once.
_STEPS = 1 << 19
#: States whose properties are looked at in one call.
_LOOK = 4096


@dataclass(frozen=True)
class Steps:
    """All steps of some states, in the order of the states.

    Args:
        states: where they lead, duplicates included.
        sources: for each of them the row of the state that it begins in.
        instances: and the number of the action instance that makes it.
        records: what is broken, one in each row: row of a state, number of an instance
            (`search.DEADLOCK` for none), words of bits of the properties.
        seen: bits of what was witnessed.
    """

    states: States
    sources: Numbers
    instances: Numbers
    records: Numbers
    seen: int


class Stepper:
    """The functions of a compiled model.

    Args:
        engine: what holds the functions.
        words: words of 64 bits in a packed state.
        fanout: the most successors of a state.
        actions: how many counters there are.
        seen_words: words of witness bits.
        of_runs: whether there are properties of runs, and so a function `falsify`.
    """

    def __init__(
        self, engine: Any, words: int, fanout: int, actions: int, seen_words: int, of_runs: bool
    ) -> None:
        address = engine.get_function_address
        self._engine = engine
        self._words, self._fanout = words, fanout
        self._actions, self._seen_words = actions, seen_words
        self._inspect = _function(address("inspect"), 4)
        self._expand = _function(address("expand"), 7)
        self._falsify = _function(address("falsify"), 3) if of_runs else None

    @property
    def slice(self) -> int:
        """How many states `steps` should be given at once."""
        return max(1, min(_LOOK, _STEPS // max(1, self._fanout)))

    def steps(self, states: States) -> Steps:
        """Return all steps of a few states, and what they break."""
        count, words = len(states), self._words
        source = np.ascontiguousarray(states)
        made = np.empty((count * self._fanout, words), np.uint64)
        metas = np.empty(len(made), np.int64)
        counts, seen = np.zeros(self._actions + 1, np.int64), np.zeros(self._seen_words, np.int64)
        records = _records(count * (self._fanout + 1))
        written = self._expand(
            count, *(a.ctypes.data for a in (source, made, metas, counts, seen, records))
        )
        metas = metas[:written]
        return Steps(
            made[:written],
            metas >> 32,
            metas & control.INSTANCE_MASK,
            _written(records),
            bits_of(seen),
        )

    def inspect(self, states: States) -> tuple[int, Numbers]:
        """Look at the properties of some states.

        Returns:
            bits of what was witnessed; and for each state words of bits of the properties that are
            false.
        """
        seen = np.zeros(self._seen_words, np.int64)
        false = np.zeros((len(states), control.MASK_WORDS), np.int64)
        records = _records(_LOOK)
        for start in range(0, len(states), _LOOK):
            some = np.ascontiguousarray(states[start : start + _LOOK])
            records[0] = 0
            self._inspect(len(some), *(a.ctypes.data for a in (some, seen, records)))
            found = _written(records)
            false[start + found[:, 0]] = found[:, 2:]
        return bits_of(seen), false

    def falsify(self, states: States) -> Numbers:
        """Return for each state bits of the properties of runs that are false in it."""
        masks = np.zeros(len(states), np.int64)
        source = np.ascontiguousarray(states)
        if self._falsify is not None and len(states):
            self._falsify(len(states), source.ctypes.data, masks.ctypes.data)
        return masks


def bits_of(words: Any) -> int:
    """Return words of bits as one integer."""
    return sum((int(word) & (1 << 64) - 1) << 64 * i for i, word in enumerate(words))


def _function(address: int, parameters: int) -> Any:
    """Return a C function whose parameters and result are all as wide as an address."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * (parameters - 1))(
        address
    )


def _records(room: int) -> Numbers:
    records = np.zeros(2 + control.RECORD * room, np.int64)
    records[1] = room
    return records


def _written(records: Numbers) -> Numbers:
    """Return the records that generated code has written, one in each row."""
    return records[2 : 2 + control.RECORD * records[0]].reshape(-1, control.RECORD)
