"""The tasks of a question about properties of runs: one for each worker, and how they are done.

Here is memory and who does what; what is done is said in `marks`, `spread`, `measures`,
`classes`, `graph` and `retrace`. No other library is needed: most searches that ask have their
answer without one.
"""

import ctypes
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

from ackproof.model.kernel import control, graph_task
from ackproof.model.kernel.control import bucket_slots
from ackproof.model.kernel.memory import Arena, Region, Words, words_at
from ackproof.model.kernel.objects import connector, divider
from ackproof.model.kernel.worker import CLUSTER_BYTES, Model, Team

__all__ = ["NoRoom", "Question", "Tasks"]

#: Bytes for the successors of a batch, so that they are likely to stay in the cache.
_BUFFER_BYTES = 1 << 18
_BATCH_MOST = graph_task.GROUP_SLOTS


class NoRoom(MemoryError):
    """What a question needs does not fit into the memory allowed."""


@dataclass(frozen=True)
class Question:
    """What is asked of the runs of a model.

    Args:
        model: the model.
        wanted: the bits of the properties that are asked for.
        asked: the bit of where something is asked for that shall be answered, of a property that
            leads to something; it is the only one then. None for others.
        instances: how many action instances there are.
        fair: the numbers of those that must happen.
    """

    model: Model
    wanted: int
    instances: int
    fair: frozenset[int]
    asked: int | None = None


class Tasks:
    """The tasks of all workers of a search that has seen every state; a context manager."""

    def __init__(self, team: Team, question: Question) -> None:
        self.team = team
        self.question = question
        self.closing = ExitStack()
        count = len(team.workers)
        arena = Arena(16 * (count + 1) * (graph_task.TASK_FIELDS + 8))
        self.closing.callback(arena.close)
        self._blocks, self._marks = arena.take(count), arena.take(count)
        self.tasks = [arena.take(graph_task.TASK_FIELDS) for _ in team.workers]
        fair = self.words(max(question.instances, 1))
        for instance in question.fair:
            fair[instance] = 1
        for index, worker in enumerate(team.workers):
            self._blocks[index] = worker.address
            self._marks[index] = self.region(self._mark_words(index))
            self._buffers(index)
        self.give(
            {
                graph_task.BLOCKS: ctypes.addressof(self._blocks),
                graph_task.MARKS: ctypes.addressof(self._marks),
                graph_task.WANTED: _signed(question.wanted),
                graph_task.MARKED: _signed(
                    question.wanted if question.asked is None else question.asked
                ),
                graph_task.FALSIFY: question.model.falsify,
                graph_task.MODEL: question.model.expand,
                graph_task.FAIR: ctypes.addressof(fair),
                graph_task.STRIDE: 1,
            }
        )

    def __enter__(self) -> "Tasks":
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.close()

    # -- memory ---------------------------------------------------------------------------------

    def region(self, words: int) -> int:
        """Return the address of so many words, which cost nothing until they are written."""
        return self.closing.enter_context(Region(8 * max(words, 1))).address

    def words(self, count: int) -> Words:
        """Return so many words."""
        return words_at(self.region(count), count)

    @property
    def mark_bytes(self) -> int:
        """How many bytes the marks take."""
        slots = self.total(graph_task.SLOTS)
        return 8 * graph_task.GROUP_WORDS * slots // graph_task.GROUP_SLOTS

    def _mark_words(self, index: int) -> int:
        words = self.question.model.slot_words
        slots = self.team.workers[index].block[control.BUCKETS] * bucket_slots(words)
        slots += CLUSTER_BYTES // (8 * words)
        return graph_task.GROUP_WORDS * (slots // graph_task.GROUP_SLOTS + 1)

    def _buffers(self, index: int) -> None:
        model = self.question.model
        width = 8 * (model.words + 2)
        batch = max(1, min(_BATCH_MOST, _BUFFER_BYTES // (width * model.fanout)))
        made = max(batch * model.fanout, graph_task.GROUP_SLOTS)
        # A record for each step that fails, and one for each state.
        records = made + batch
        task = self.tasks[index]
        task[graph_task.OWNER] = index
        task[graph_task.BATCH] = batch
        for field, words in (
            (graph_task.INPUT, _BATCH_MOST * model.words),
            (graph_task.SOURCES, _BATCH_MOST + 1),
            (graph_task.BITS, _BATCH_MOST),
            (graph_task.OUTPUT, made * model.words),
            (graph_task.MASKS, made),
            (graph_task.METAS, made),
            (graph_task.HASHES, 4 * made),
            (graph_task.SPACE, model.words),
            (graph_task.COUNTS, model.actions + 1),
            (graph_task.SEEN, model.seen_words),
            (graph_task.VIOLATIONS, 2 + control.RECORD * records),
        ):
            task[field] = self.region(words)
        words_at(task[graph_task.VIOLATIONS], 2)[1] = records

    # -- what is done ---------------------------------------------------------------------------

    def give(self, values: Mapping[int, int]) -> None:
        """Write some words of all tasks."""
        for task in self.tasks:
            for field, value in values.items():
                task[field] = value

    def total(self, field: int) -> int:
        """Return the sum of one word of all tasks."""
        return sum(task[field] for task in self.tasks)

    def all_at_once(self, mode: int) -> None:
        """Have all workers do something, each in a thread; an interruption ends it soon."""
        self._do(mode, self.tasks)

    def in_turns(self, mode: int, which: Iterable[int] | None = None) -> None:
        """Have some workers do something, one after the other."""
        for index in range(len(self.tasks)) if which is None else which:
            self._do(mode, [self.tasks[index]])

    def rank(self) -> int:
        """Give the marked states their ids; return how many there are."""
        last = 0
        for index, task in enumerate(self.tasks):
            task[graph_task.FIRST] = last
            self.in_turns(graph_task.RANK, [index])
            last = task[graph_task.FIRST]
        return last

    def _do(self, mode: int, tasks: Iterable[Words]) -> None:
        for task in tasks:
            task[graph_task.MODE] = mode
            task[graph_task.DONE] = 0
        made_by = connector if mode in (graph_task.JOIN, graph_task.RETRACE) else divider
        model = self.question.model
        run = made_by(model.words, model.slot_words)
        with ThreadPoolExecutor(len(self.tasks)) as pool:
            running = [pool.submit(run, ctypes.addressof(task)) for task in tasks]
            try:
                for future in running:
                    future.result()
            except BaseException:
                self.team.stop()
                raise
        # What was stopped has not seen every state, and must not be taken for an answer.
        if self.team.is_stopped:
            raise KeyboardInterrupt
        assert self.total(graph_task.LOST) == 0, "a complete search has all states"


def _signed(bits: int) -> int:
    """Return 64 bits as a word holds them."""
    return bits - (1 << 64) if bits >> 63 else bits
