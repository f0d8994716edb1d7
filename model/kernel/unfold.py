"""Runs among folded states, as runs of the program.

A search of folded states finds a run among states with canonical names: each step leads from one of
them to a state whose canonical names are those of the next.  The program itself takes the same
steps under other names.  So a run is gone through once more from the initial state that it is of:
of the steps that are possible there, the first is taken that leads to a state which, under its
canonical names, is the next one.  As elements are not told apart, there is one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from ackproof.lang.binding import Bound
from ackproof.model.beginnings import initial_states
from ackproof.model.kernel.search import Kind, Violation
from ackproof.model.kernel.stepping import Stepper, Steps, bits_of
from ackproof.model.lower.compile import Kernel
from ackproof.model.plain import PlainMachine, State

__all__ = ["Unfolding"]


class Unfolding:
    """The initial states of a search that is folded, and what its runs are in the program.

    Args:
        bound: the program.
        kernel: the program compiled.
    """

    def __init__(self, bound: Bound, kernel: Kernel) -> None:
        self._bound, self._kernel = bound, kernel
        self._fold = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)(kernel.fold)
        tables, actions = kernel.tables, max(1, kernel.n_counts)
        self._stepper = Stepper(
            kernel.engine, kernel.words, kernel.fanout, actions, tables.seen_words, of_runs=False
        )
        #: The folded initial states, each with the number of the first one that it stands for.
        self._first: dict[tuple[int, ...], int] = {}
        for number, row in enumerate(self.folded(kernel.initials)):
            self._first.setdefault(row, number)

    @property
    def initials(self) -> list[tuple[int, ...]]:
        """The initial states under their canonical names, each once."""
        return list(self._first)

    def folded(self, states: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
        """Return packed states under their canonical names."""
        rows = np.array(states, np.uint64)
        self._fold(len(rows), rows.ctypes.data)
        return [tuple(map(int, row)) for row in rows]

    def violation(self, found: Violation) -> Violation:
        """Return a violation whose run is one of the program, from one of its initial states."""
        start = self.initials[found.initial]
        number = self._first[start]
        run = _Run(
            self._bound, self._kernel, self._stepper, start, initial_states(self._bound)[number]
        )
        with run.machine:
            of_step = found.kind is Kind.STEP
            trace = [run.take(instance) for instance in found.trace[: -1 if of_step else None]]
            trace += [run.broken(found.property)] if of_step else []
        return Violation(found.kind, found.property, number, tuple(trace))


class _Run:
    """A run that is gone through: where it is among folded states, and where in the program."""

    def __init__(
        self, bound: Bound, kernel: Kernel, stepper: Stepper, folded: tuple[int, ...], state: State
    ) -> None:
        self.machine = PlainMachine(bound)
        self._pack, self._stepper = kernel.layout.pack, stepper
        self._folded, self._state = np.array([folded], np.uint64), state

    def take(self, instance: int) -> int:
        """Take a step that an instance makes among folded states; return which it is here."""
        leads = self._stepper.steps(self._folded)
        self._folded = leads.states[leads.instances == instance][:1]
        steps = self._steps()
        same = (steps.states == self._folded).all(axis=1)
        number = int(steps.instances[same].min())
        step = self.machine.step(self._state, number)
        assert step is not None, "the kernel takes no step that plain Python does not"
        assert step.after is not None, "nor one that breaks something"
        self._state = step.after
        return number

    def broken(self, bit: int) -> int:
        """Return a step that breaks a property of steps here."""
        records: list[list[int]] = self._steps().records.tolist()
        return min(number for _, number, *masks in records if bits_of(masks) >> bit & 1)

    def _steps(self) -> Steps:
        return self._stepper.steps(np.array([self._pack(self._state)], np.uint64))
