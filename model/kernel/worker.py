"""What one worker of a search owns: its regions, buffers and control block.

Everything here is addresses and sizes; nothing is searched. A `Team` is the workers of one search
with what they share: the boxes in which they hand each other states, the flags they raise, and the
word by which the thread that watches tells them to stop.
"""

import ctypes
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType

import numpy as np
import numpy.typing as npt
from ackproof.model.kernel import control
from ackproof.model.kernel.control import bucket_slots
from ackproof.model.kernel.memory import HUGE_PAGE, Region

Words = npt.NDArray[np.int64]

_BUFFER_BYTES = 1 << 16
_BATCH_MOST = 32
_ROUND_SUCCESSORS = 1 << 15
_FIRST_BUCKETS = 1 << 4
# Behind the last slot a table needs room for one cluster, and behind a frontier `grow` puts one.
_CLUSTER_BYTES = 64 << 20


@dataclass(frozen=True)
class Model:
    """A compiled model: packed states of `words` 64-bit words, and functions on batches of them.

    `expand` and `inspect` are addresses of C functions, see `ackproof.model.kernel.search`;
    `inspect` is 0 if there is nothing to look at. A state has at most `fanout` successors,
    `actions` is how many counters `expand` keeps, and `seen_words` how many words of witness bits
    both set. `owner` is whatever keeps the machine code in memory.
    """

    words: int
    fanout: int
    expand: int
    inspect: int = 0
    actions: int = 1
    seen_words: int = 1
    owner: object = None

    def __post_init__(self) -> None:
        """Check what the driver takes for granted."""
        assert self.words > 0, "a state has at least one word"
        assert self.fanout > 0, "a state has room for at least one successor"
        assert self.expand != 0, "the address of `expand` is null"


class Worker:
    """Memory of one worker of `workers`, which may occupy `limit` bytes for its states."""

    def __init__(self, model: Model, index: int, workers: int, limit: int, initial: Words) -> None:
        self._model = model
        self._closing = ExitStack()
        self._kept: list[Words] = []
        self.block = self._words(control.FIELDS)
        self.seen = self._words(model.seen_words)
        self.counts = self._words(model.actions)
        self.first_steps = self._words(control.FIRST * control.PROPERTIES)
        self.first_states = self._words(control.FIRST * control.PROPERTIES)
        for field, value in (
            (control.WORKER, index),
            (control.WORKERS, workers),
            (control.LIMIT, limit),
            (control.EXPAND, model.expand),
            (control.INSPECT, model.inspect),
            (control.SEEN, self.seen.ctypes.data),
            (control.COUNTS, self.counts.ctypes.data),
            (control.FIRST_STEPS, self.first_steps.ctypes.data),
            (control.FIRST_STATES, self.first_states.ctypes.data),
        ):
            self.block[field] = value
        try:
            self._reserve(limit)
            self._buffers(initial if index == 0 else initial[:0])
        except BaseException:
            self.close()
            raise

    @property
    def address(self) -> int:
        """Address of the control block."""
        return int(self.block.ctypes.data)

    @property
    def bytes(self) -> int:
        """What the states of this worker occupy at this moment, in bytes."""
        field = self.block
        words = self._model.words
        table = field[control.BUCKETS] * bucket_slots(words) * words
        peaks = field[control.CURRENT_PEAK] + field[control.NEXT_PEAK]
        return int(8 * (table + words * peaks + field[control.COUNT] + field[control.DEPTH]))

    def entry(self, local: int) -> int:
        """The log entry of the state with this local number."""
        assert 0 <= local < self.block[control.COUNT]
        return ctypes.c_int64.from_address(int(self.block[control.LOG]) + 8 * local).value

    def level_starts(self) -> Words:
        """How many states the worker knew as each level began, the current one included."""
        levels = (ctypes.c_int64 * int(self.block[control.DEPTH])).from_address(
            int(self.block[control.LEVELS])
        )
        return np.array(levels, dtype=np.int64)

    def close(self) -> None:
        """Give the regions back."""
        self._closing.close()

    def _words(self, count: int) -> Words:
        """Zeroed words that live as long as the worker, on cache lines of their own."""
        memory = np.zeros(count + 16, dtype=np.int64)
        start = -(memory.ctypes.data // 8) % 8
        self._kept.append(memory)
        return memory[start : start + count]

    def _reserve(self, limit: int) -> None:
        for field, spare in (
            (control.TABLE, _CLUSTER_BYTES),
            (control.CURRENT, _CLUSTER_BYTES),
            (control.NEXT, _CLUSTER_BYTES),
            (control.LOG, HUGE_PAGE),
            (control.LEVELS, HUGE_PAGE),
        ):
            region = self._closing.enter_context(Region(limit + spare))
            self.block[field] = region.address
        self.block[control.BUCKETS] = _FIRST_BUCKETS

    def _buffers(self, initial: Words) -> None:
        model, block = self._model, self.block
        width = 8 * (model.words + 2)
        batch = max(1, min(_BATCH_MOST, _BUFFER_BYTES // (width * model.fanout)))
        capacity = max(batch * model.fanout, control.GROUP, len(initial))
        for side in range(2):
            states = self._words(capacity * model.words)
            entries = self._words(capacity)
            if side == 0:
                states[: initial.size] = initial.ravel()
                entries[: len(initial)] = control.ROOT + np.arange(len(initial))
            block[control.STATES + side] = states.ctypes.data
            block[control.ENTRIES + side] = entries.ctypes.data
            block[control.VISITS + side] = self._words(1 + capacity).ctypes.data
        records = batch * (model.fanout + 1)
        violations = self._words(2 + control.RECORD * records)
        violations[1] = records
        block[control.VIOLATIONS] = violations.ctypes.data
        block[control.BATCH] = batch
        block[control.INITIAL_COUNT] = len(initial)
        block[control.BOX_CAPACITY] = _ROUND_SUCCESSORS + capacity


class Team:
    """The workers of one search; a context manager that owns their memory.

    `initial` has one row of words for each initial state; together the workers may occupy `limit`
    bytes. Raises `memory.OutOfAddresses` if the system does not lend the addresses.
    """

    def __init__(
        self, model: Model, initial: Words, workers: int, limit: int, max_depth: int
    ) -> None:
        assert workers > 0
        self._closing = ExitStack()
        self._shared = np.zeros((2 + 2 * workers) * control.FLAG_STRIDE, dtype=np.int64)
        self.workers: list[Worker] = []
        try:
            for index in range(workers):
                worker = Worker(model, index, workers, limit // workers, initial)
                self._closing.callback(worker.close)
                worker.block[control.MAX_DEPTH] = max_depth
                self.workers.append(worker)
            self._connect(model)
        except BaseException:
            self._closing.close()
            raise

    def __enter__(self) -> "Team":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.close()

    def stop(self) -> None:
        """Ask all workers to come to an end soon."""
        self._shared[0] = 1

    def total(self, field: int) -> int:
        """Sum over the workers of one word of their control blocks."""
        return sum(int(worker.block[field]) for worker in self.workers)

    def _connect(self, model: Model) -> None:
        """Give all workers the addresses of what they share."""
        count = len(self.workers)
        line = 8 * control.FLAG_STRIDE
        start = self._shared.ctypes.data
        capacity = max(int(worker.block[control.BOX_CAPACITY]) for worker in self.workers)
        box_bytes = 8 * control.BOX_HEADER + 8 * capacity * (model.words + 1)
        boxes = 0
        if count > 1:
            boxes = self._closing.enter_context(Region(2 * count * count * box_bytes)).address
        for worker in self.workers:
            for field, value in (
                (control.STOP, start),
                (control.BARRIER, start + line),
                (control.FLAGS, start + 2 * line),
                (control.BOXES, boxes),
                (control.BOX_BYTES, box_bytes),
                (control.BOX_CAPACITY, capacity),
                (control.ROUND, max(1, _ROUND_SUCCESSORS // count)),
                (control.PAUSE, _sched_yield()),
            ):
                worker.block[field] = value


def _sched_yield() -> int:
    """Address of the C library's `sched_yield`."""
    function = ctypes.CDLL(None).sched_yield
    return ctypes.cast(function, ctypes.c_void_p).value or 0
