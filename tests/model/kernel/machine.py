"""Calling a compiled program's two functions from Python, one state at a time."""

import ctypes
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ackproof.lang.binding import Bound
from ackproof.model.kernel.control import RECORD
from ackproof.model.kernel.stepping import bits_of
from ackproof.model.lower.compile import Kernel, compile_kernel

State = tuple[Any, ...]


@dataclass
class Expanded:
    """What `expand` says of one state: successors and broken properties by instance."""

    successors: dict[int, State] = field(default_factory=dict)
    broken: dict[int, set[str]] = field(default_factory=dict)
    witnessed: set[str] = field(default_factory=set)
    counts: list[int] = field(default_factory=list)


class Machine:
    """The compiled functions of a bound program, on states as data."""

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.kernel: Kernel = compile_kernel(bound)
        word = ctypes.c_int64
        self._expand = ctypes.CFUNCTYPE(word, *[word] * 7)(self.kernel.expand)
        self._inspect = ctypes.CFUNCTYPE(word, *[word] * 4)(self.kernel.inspect)

    def expand(self, states: list[State]) -> list[Expanded]:
        """Everything about the steps of each of some states; witnesses are with the first."""
        kernel, count = self.kernel, len(states)
        packed = self._packed(states)
        successors = np.zeros((count * kernel.fanout, kernel.words), dtype=np.uint64)
        metas = np.zeros(count * kernel.fanout, dtype=np.int64)
        counts = np.zeros(kernel.n_counts, dtype=np.int64)
        seen = np.zeros(kernel.tables.seen_words, dtype=np.uint64)
        records = self._records(count * (kernel.fanout + 1))
        arrays = (packed, successors, metas, counts, seen, records)
        written = self._expand(count, *(array.ctypes.data for array in arrays))
        result = [Expanded() for _ in states]
        for meta, words in zip(metas[:written], successors[:written], strict=True):
            after = kernel.layout.unpack([int(word) for word in words])
            assert int(meta) & 0xFFFFFFFF not in result[int(meta) >> 32].successors
            result[int(meta) >> 32].successors[int(meta) & 0xFFFFFFFF] = after
        for index, instance, *masks in self._written(records):
            names = self._names(bits_of(masks), kernel.tables.step_bits)
            result[index].broken.setdefault(instance, set()).update(names)
        result[0].witnessed = self._names(int(seen[0]), kernel.tables.seen_bits)
        result[0].counts = [int(n) for n in counts]
        return result

    def inspect(self, states: list[State]) -> tuple[list[set[str]], set[str]]:
        """The invariants that each state breaks, and what some state witnesses."""
        packed = self._packed(states)
        seen = np.zeros(self.kernel.tables.seen_words, dtype=np.uint64)
        records = self._records(len(states))
        self._inspect(len(states), packed.ctypes.data, seen.ctypes.data, records.ctypes.data)
        broken: list[set[str]] = [set() for _ in states]
        for index, _, *masks in self._written(records):
            broken[index] |= self._names(bits_of(masks), self.kernel.tables.state_bits)
        return broken, self._names(int(seen[0]), self.kernel.tables.seen_bits)

    def _packed(self, states: list[State]) -> np.ndarray[Any, np.dtype[np.uint64]]:
        return np.array([self.kernel.layout.pack(state) for state in states], dtype=np.uint64)

    def _records(self, room: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        records = np.zeros(2 + RECORD * room, dtype=np.int64)
        records[1] = room
        return records

    def _written(self, records: np.ndarray[Any, np.dtype[np.int64]]) -> list[list[int]]:
        rows: list[list[int]] = records[2:].reshape(-1, RECORD)[: int(records[0])].tolist()
        return rows

    def _names(self, mask: int, names: dict[int, str]) -> set[str]:
        return {name for bit, name in names.items() if mask >> bit & 1}
