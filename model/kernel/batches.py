"""The kernel on arrays: packed states go in, and their successors come out, each only once.

A search of its own is not needed for that: the compiled search, begun at all the states of a batch
and ended after one level, has the successors in its next frontier, each with a log entry that names
the state and the instance that it was made by.  The table that it fills on the way is what removes
duplicates, at the search's own speed; successors that are themselves in the batch are left out,
too.

A batch holds what a search of any kind wants to know of one part of a level, without knowing the
rest: so a level can be cut anywhere.  What is needed to do this in another process is text and
numbers, a `Code`; there LLVM makes functions of it again.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from ackproof.model.kernel import control
from ackproof.model.kernel.objects import driver
from ackproof.model.kernel.stepping import Numbers, States, Stepper, bits_of
from ackproof.model.kernel.worker import Model, Team, Worker
from ackproof.model.lower.compile import Kernel, machine_code

__all__ = ["Batches", "Code", "States", "Successors"]

#: Bytes for the successors of a batch, with the table that tells them apart.
_BATCH_BYTES = 1 << 30


@dataclass(frozen=True)
class Code:
    """A compiled model as text and numbers, from which any process can make functions.

    Args:
        text: the LLVM text.
        words: words of 64 bits in a packed state.
        fanout: the most successors of a state.
        actions: how many counters there are.
        seen_words: words of witness bits.
        of_runs: whether there are properties of runs, and so a function `falsify`.
    """

    text: str
    words: int
    fanout: int
    actions: int
    seen_words: int
    of_runs: bool

    @staticmethod
    def of(kernel: Kernel) -> Code:
        """Return what another process needs of a kernel."""
        return Code(
            text=kernel.ir_text,
            words=kernel.words,
            fanout=kernel.fanout,
            actions=max(1, kernel.n_counts),
            seen_words=kernel.tables.seen_words,
            of_runs=bool(kernel.tables.run_bits),
        )


@dataclass(frozen=True)
class Successors:
    """What the states of a batch lead to.

    Args:
        states: the successors that are not in the batch, each once.
        sources: for each of them the row of a state of the batch that it was made of.
        instances: and the number of the action instance that made it.
        counts: enabled steps by action, duplicates included.
        seen: bits of what was witnessed on the way.
        broken: bits of the properties of steps that some step breaks.
        cut: how many states of the batch are cut, and lead nowhere.
    """

    states: States
    sources: Numbers
    instances: Numbers
    counts: Numbers
    seen: int
    broken: int
    cut: int


class Batches:
    """A kernel that is given batches; threads may share it."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self._engine = machine_code(code.text)
        self._model = Model(
            words=code.words,
            fanout=code.fanout,
            expand=self._engine.get_function_address("expand"),
            actions=code.actions,
            seen_words=code.seen_words,
            owner=self._engine,
        )
        self._run = driver(code.words, code.words, 1)
        self._stepper = Stepper(
            self._engine, code.words, code.fanout, code.actions, code.seen_words, code.of_runs
        )

    # -- successors -----------------------------------------------------------------------------

    def successors(self, states: States) -> Iterator[Successors]:
        """Yield the successors of some states; of parts of them, where all take too much memory.

        Args:
            states: distinct packed states.
        """
        if not len(states):
            return
        found = self._level(np.ascontiguousarray(states))
        if found is not None:
            yield found
            return
        assert len(states) > 1, "the successors of one state fit"
        half = len(states) // 2
        yield from self.successors(states[:half])
        for rest in self.successors(states[half:]):
            yield Successors(
                rest.states,
                rest.sources + half,
                rest.instances,
                rest.counts,
                rest.seen,
                rest.broken,
                rest.cut,
            )

    def _level(self, states: States) -> Successors | None:
        """Return the successors of a batch; None if there are too many."""
        with Team(self._model, memoryview(states.data), 1, _BATCH_BYTES, 2, survey=True) as team:
            worker = team.workers[0]
            self._run(worker.address)
            if worker.block[control.STATUS] == control.MEMORY_FULL:
                return None
            return self._found(worker, len(states))

    def _found(self, worker: Worker, count: int) -> Successors:
        block, words = worker.block, self.code.words
        log = _words(block[control.LOG], block[control.COUNT])
        # The states of the batch have numbers in the order in which the table had room for them.
        rows, entries = log[:count] - control.ROOT, log[count:]
        advanced = len(entries) > 0
        at = block[control.CURRENT] if advanced else block[control.NEXT]
        made = _words(at, len(entries) * words).reshape(len(entries), words)
        firsts = worker.first_steps
        return Successors(
            states=made.view(np.uint64),
            sources=rows[entries >> control.INSTANCE_BITS],
            instances=entries & control.INSTANCE_MASK,
            counts=np.array(worker.counts, np.int64),
            seen=bits_of(worker.seen),
            broken=sum(
                1 << bit for bit in range(control.PROPERTIES) if firsts[control.FIRST * bit]
            ),
            cut=worker.cut,
        )

    @property
    def slice(self) -> int:
        """How many states `steps` should be given at once."""
        return self._stepper.slice

    # -- every step, and properties of states ---------------------------------------------------

    def steps(self, states: States) -> tuple[States, Numbers, Numbers, Numbers]:
        """Return all steps of a few states, and what they break; see `Steps`.

        Returns:
            the successors, their sources and instances, and the records.
        """
        found = self._stepper.steps(states)
        return found.states, found.sources, found.instances, found.records

    def inspect(self, states: States) -> tuple[int, Numbers]:
        """Look at the properties of some states; see `Stepper`."""
        return self._stepper.inspect(states)

    def falsify(self, states: States) -> Numbers:
        """Return for each state bits of the properties of runs that are false in it."""
        return self._stepper.falsify(states)


def _words(address: int, count: int) -> Numbers:
    """Return that many words of memory, copied."""
    found = np.ctypeslib.as_array((ctypes.c_int64 * count).from_address(address))
    return np.array(found, np.int64)
