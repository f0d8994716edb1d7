"""What is left of a region, with its steps, as arrays that `ackproof.model.liveness` understands.

The states are numbered from 0 in the order of their ids.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from ackproof.model.kernel import control, graph_task
from ackproof.model.kernel.tasks import NoRoom, Tasks
from ackproof.model.kernel.worker import Worker
from ackproof.model.liveness import Bits, Graph

__all__ = ["Area"]

Numbers = npt.NDArray[np.int64]

#: Bytes that the analysis takes for each step, at its peak.
STEP_BYTES = 64


class Area:
    """The marked states of a search, and their steps.

    Args:
        tasks: what is asked, with the states marked that matter.
        limit: bytes that it may take.

    Attributes:
        graph: the steps.
        bytes: what they took, at most.

    Raises:
        NoRoom: the bytes do not suffice.
    """

    def __init__(self, tasks: Tasks, limit: int) -> None:
        self._tasks = tasks
        self._sizes = [_marked(tasks, index) for index in range(len(tasks.tasks))]
        self._degrees = [np.zeros(size, np.int64) for size in self._sizes]
        self._false = [np.zeros(size, np.uint64) for size in self._sizes]
        most = limit // (STEP_BYTES * len(tasks.tasks))
        model, generated = tasks.question.model, tasks.team.generated
        for task, size, degrees, false in zip(
            tasks.tasks, self._sizes, self._degrees, self._false, strict=True
        ):
            # Every step of a batch is written before it turns out that there are too many.
            room = generated + (size + graph_task.GROUP_SLOTS) * model.fanout
            task[graph_task.STEPS] = tasks.region(room)
            task[graph_task.DEGREES] = degrees.ctypes.data
            task[graph_task.FALSE] = false.ctypes.data
            task[graph_task.MOST] = most
        tasks.all_at_once(graph_task.JOIN)
        if any(task[graph_task.DONE] > most for task in tasks.tasks):
            raise NoRoom
        self.graph = self._graph()
        self.bytes = STEP_BYTES * len(self.graph.targets)

    def false(self, bit: int) -> Bits:
        """Return in which states the property with a bit is false."""
        found: Bits = np.concatenate(self._false) >> np.uint64(bit) & np.uint64(1) == 1
        return found

    def _graph(self) -> Graph:
        """Return the steps that were written."""
        degrees = np.concatenate(self._degrees)
        starts = np.zeros(len(degrees) + 1, np.int64)
        np.cumsum(degrees, out=starts[1:])
        targets = np.empty(starts[-1], np.int32)
        instances = np.empty(starts[-1], np.int32)
        at = 0
        for task in self._tasks.tasks:
            steps = _array(task[graph_task.STEPS], task[graph_task.DONE])
            targets[at : at + len(steps)] = (steps >> control.INSTANCE_BITS) - 1
            instances[at : at + len(steps)] = steps & control.INSTANCE_MASK
            at += len(steps)
        return Graph(starts, targets, instances)

    # -- in which order the search found them ---------------------------------------------------

    def levels(self, initials: Sequence[bytes]) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield for each level its states, in the order in which the search found them.

        And for each of them its number in the search.

        Args:
            initials: the initial states, by their numbers.
        """
        tasks, words = self._tasks, self._tasks.question.model.words
        workers = tasks.team.workers
        widest = [_widest(worker.level_starts(), worker.block[control.COUNT]) for worker in workers]
        sides = [tasks.words(len(workers)), tasks.words(len(workers))]
        for side in sides:
            for index, size in enumerate(widest):
                side[index] = tasks.region(words * size)
        # The first level is not made of another one.
        for worker, place in zip(workers, sides[1], strict=True):
            for local in range(_first_level(worker)):
                state = initials[worker.entry(local) - control.ROOT]
                ctypes.memmove(place + len(state) * local, state, len(state))
        for task, size in zip(tasks.tasks, widest, strict=True):
            task[graph_task.FOUND] = tasks.region(2 * size)
        for depth in range(workers[0].block[control.DEPTH]):
            tasks.give(
                {
                    graph_task.DEPTH: depth,
                    graph_task.EARLIER: ctypes.addressof(sides[depth % 2]),
                    graph_task.LATER: ctypes.addressof(sides[1 - depth % 2]),
                }
            )
            tasks.all_at_once(graph_task.RETRACE)
            found = np.concatenate(
                [_array(t[graph_task.FOUND], 2 * t[graph_task.DONE]) for t in tasks.tasks]
            ).reshape(-1, 2)
            yield found[:, 0] - 1, found[:, 1]


def _marked(tasks: Tasks, index: int) -> int:
    """Return how many states of a worker have marks: their ids follow those of the last one."""
    before = tasks.tasks[index - 1][graph_task.FIRST] if index else 0
    return int(tasks.tasks[index][graph_task.FIRST] - before)


def _first_level(worker: Worker) -> int:
    """Return how many of the initial states a worker has: they are its first ones."""
    starts = worker.level_starts()
    return starts[1] if len(starts) > 1 else int(worker.block[control.COUNT])


def _widest(starts: list[int], count: int) -> int:
    """Return how many states the largest level has."""
    return max(end - start for start, end in zip(starts, [*starts[1:], count], strict=True))


def _array(address: int, count: int) -> Any:
    """Return that many words of memory as an array that must not outlive it."""
    return np.ctypeslib.as_array((ctypes.c_int64 * count).from_address(address))
