"""The region of a search: the states in which a property of runs is false, with their steps.

What a finished search holds is asked for the region as arrays, which `ackproof.model.liveness`
understands. The states are numbered from 0 in the order of workers, and of when each found them.
"""

import ctypes
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from ackproof.model.kernel import control, graph_task
from ackproof.model.kernel.control import bucket_slots
from ackproof.model.kernel.memory import Arena, Region
from ackproof.model.kernel.objects import connector
from ackproof.model.kernel.worker import CLUSTER_BYTES, Model, Team, Worker
from ackproof.model.liveness import Graph

__all__ = ["Area", "TooManySteps", "area_of"]

Words = npt.NDArray[np.int64]

_BATCH = 64
#: Bytes that the analysis takes for each step, at its peak.
STEP_BYTES = 64


class TooManySteps(MemoryError):
    """The steps between the states of a region do not fit into the memory allowed."""


@dataclass(frozen=True)
class Area:
    """A region.

    Args:
        graph: its states and steps.
        masks: for each state which properties are false there, a bit for each.
        depths: for each state the length of the shortest path to it.
        numbers: for each state its number in the search.
        bytes: what this took, at most.
    """

    graph: Graph
    masks: npt.NDArray[np.uint64]
    depths: Words
    numbers: Words
    bytes: int


def area_of(
    team: Team, model: Model, falsify: int, instances: int, fair: Iterable[int], limit: int
) -> Area:
    """Return the region of a search that has seen every state, and has kept them.

    `falsify` is the address of the function that tells what is false in a state; there are
    `instances` instances, of which `fair` are fair, and `limit` bytes to put it all in.

    Raises `TooManySteps` if they do not suffice.
    """
    masks = [_masks(worker, falsify) for worker in team.workers]
    ids = _ids(masks)
    owners = np.concatenate([np.full(len(m), w) for w, m in enumerate(masks)])
    inside = np.concatenate([m != 0 for m in masks])
    locals_ = np.concatenate([np.arange(len(m)) for m in masks])
    depths = np.concatenate(
        [_depths(worker, len(m)) for worker, m in zip(team.workers, masks, strict=True)]
    )
    found = _steps(team, model, ids, instances, fair, limit)
    return Area(
        graph=found,
        masks=np.concatenate(masks)[inside],
        depths=depths[inside],
        numbers=locals_[inside] * len(team.workers) + owners[inside],
        bytes=STEP_BYTES * len(found.targets),
    )


def _masks(worker: Worker, falsify: int) -> npt.NDArray[np.uint64]:
    """What is false in each state of a worker."""
    count = worker.block[control.COUNT]
    masks = np.zeros(count, np.uint64)
    shape = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
    shape(falsify)(count, worker.kept, masks.ctypes.data)
    return masks


def _ids(masks: list[npt.NDArray[np.uint64]]) -> list[Words]:
    """The ids of the states of each worker: 1, 2, 3… where something is false, else 0."""
    found, last = [], 0
    for mask in masks:
        false = mask != 0
        found.append(np.where(false, last + np.cumsum(false), 0).astype(np.int64))
        last += int(np.count_nonzero(false))
    return found


def _depths(worker: Worker, count: int) -> Words:
    """On which level each state of a worker was found, the initial one's being 0."""
    starts = np.array(worker.level_starts(), np.int64)
    return (np.searchsorted(starts, np.arange(count), side="right") - 1).astype(np.int64)


def _steps(
    team: Team, model: Model, ids: list[Words], instances: int, fair: Iterable[int], limit: int
) -> Graph:
    """The steps between the states that have ids."""
    flags = np.zeros(max(instances, 1), np.int64)
    flags[list(fair)] = 1
    run = connector(model.words)
    count = len(team.workers)
    with ExitStack() as closing, ThreadPoolExecutor(count) as pool:
        tasks = _Tasks(closing, team, model, ids, flags, limit // (STEP_BYTES * count))
        list(pool.map(run, tasks.addresses))
        tasks.join()
        list(pool.map(run, tasks.addresses))
        return tasks.graph()


class _Tasks:
    """One task for each worker, with the memory for all of them; see `graph`."""

    def __init__(
        self,
        closing: ExitStack,
        team: Team,
        model: Model,
        ids: list[Words],
        fair: Words,
        most: int,
    ) -> None:
        self._ids = ids
        self._most = most
        self._closing = closing
        self._model = model
        self._generated = team.generated
        count = len(team.workers)
        arena = Arena(64 * (count + 1) * (graph_task.TASK_FIELDS + 4))
        closing.callback(arena.close)
        blocks, slots = arena.take(count), arena.take(count)
        self._tasks = [arena.take(graph_task.TASK_FIELDS) for _ in team.workers]
        self._degrees = [np.zeros(np.count_nonzero(i), np.int64) for i in ids]
        for index, worker in enumerate(team.workers):
            words = worker.block[control.BUCKETS] * bucket_slots(model.words)
            blocks[index] = worker.address
            slots[index] = self._region(8 * words + CLUSTER_BYTES)
            task = self._tasks[index]
            for field, value in (
                (graph_task.OWNER, index),
                (graph_task.BLOCKS, ctypes.addressof(blocks)),
                (graph_task.SLOTS, ctypes.addressof(slots)),
                (graph_task.KEPT, worker.kept),
                (graph_task.COUNT, worker.block[control.COUNT]),
                (graph_task.IDS, ids[index].ctypes.data),
                (graph_task.FAIR, fair.ctypes.data),
                (graph_task.MODEL, model.expand),
                (graph_task.DEGREES, self._degrees[index].ctypes.data),
            ):
                task[field] = value

    @property
    def addresses(self) -> list[int]:
        """The address of each task."""
        return [ctypes.addressof(task) for task in self._tasks]

    def _region(self, size: int) -> int:
        return self._closing.enter_context(Region(size)).address

    def join(self) -> None:
        """Make the tasks ones that join steps."""
        model = self._model
        made = _BATCH * model.fanout
        # A record for each step that fails, and one for each state.
        records = made + _BATCH
        for task in self._tasks:
            failing = task[graph_task.COUNT] * model.fanout
            for field, words in (
                (graph_task.INPUT, _BATCH * model.words),
                (graph_task.SOURCES, _BATCH + 1),
                (graph_task.OUTPUT, made * model.words),
                (graph_task.METAS, made),
                (graph_task.HASHES, 2 * made),
                (graph_task.COUNTS, model.actions),
                (graph_task.SEEN, model.seen_words),
                (graph_task.VIOLATIONS, 2 + 3 * records),
                (graph_task.STEPS, self._generated + made + failing),
            ):
                task[field] = self._region(8 * words)
            _room(task[graph_task.VIOLATIONS], records)
            task[graph_task.BATCH] = _BATCH
            task[graph_task.MOST] = self._most
            task[graph_task.JOINING] = 1

    def graph(self) -> Graph:
        """The steps that were joined."""
        assert not any(task[graph_task.LOST] for task in self._tasks), (
            "a complete search has all states"
        )
        if any(task[graph_task.DONE] > self._most for task in self._tasks):
            raise TooManySteps
        degrees = np.concatenate(self._degrees)
        starts = np.zeros(len(degrees) + 1, np.int64)
        np.cumsum(degrees, out=starts[1:])
        targets = np.empty(starts[-1], np.int32)
        instances = np.empty(starts[-1], np.int32)
        at = 0
        for task in self._tasks:
            steps = _array(task[graph_task.STEPS], task[graph_task.DONE])
            targets[at : at + len(steps)] = (steps >> control.INSTANCE_BITS) - 1
            instances[at : at + len(steps)] = steps & control.INSTANCE_MASK
            at += len(steps)
        return Graph(starts, targets, instances)


def _room(address: int, records: int) -> None:
    """Say for how many records there is room."""
    (ctypes.c_int64 * 2).from_address(address)[1] = records


def _array(address: int, count: int) -> Any:
    """That many words of memory as an array that must not outlive it."""
    return np.ctypeslib.as_array((ctypes.c_int64 * count).from_address(address))
