"""What one worker of a search owns: its regions, buffers and control block.

Everything here is addresses and sizes; nothing is searched. A `Team` is the workers of one search
with what they share: the boxes in which they hand each other states, the flags they raise, and the
word by which the thread that watches tells them to stop.
"""

import ctypes
from array import array
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType

from ackproof.model.kernel import control
from ackproof.model.kernel.control import bucket_slots
from ackproof.model.kernel.memory import HUGE_PAGE, Arena, Region, words_at

_BUFFER_BYTES = 1 << 18
_BATCH_MOST = 32
_ROUND_SUCCESSORS = 1 << 15
_FIRST_BUCKETS = 1 << 4
# Behind the last slot a table needs room for one cluster, and behind a frontier `grow` puts one.
CLUSTER_BYTES = 64 << 20
# Words that go unused because every piece of an arena begins a cache line.
_ARENA_SPARE = 256


@dataclass(frozen=True)
class Model:
    """A compiled model: packed states of `words` 64-bit words, and functions on batches of them.

    `expand` and `inspect` are addresses of C functions, see `ackproof.model.kernel.search`;
    `inspect` is 0 if there is nothing to look at, and so is `falsify`, which tells the properties
    of runs that are false in a state. A state has at most `fanout` successors. `expand` counts how
    often each of `actions` was taken, and behind that the states that it was given and did not
    expand, since they are cut. `seen_words` is how many words of witness bits both set, and `owner`
    is whatever keeps the machine code in memory. With `collapsed` the tables of a search hold keys
    of states, see `collapse`.
    """

    words: int
    fanout: int
    expand: int
    inspect: int = 0
    falsify: int = 0
    actions: int = 1
    seen_words: int = 1
    owner: object = None
    collapsed: bool = False

    def __post_init__(self) -> None:
        """Check what the driver takes for granted."""
        assert self.words > 0, "a state has at least one word"
        assert self.fanout > 0, "a state has room for at least one successor"
        assert self.expand != 0, "the address of `expand` is null"

    @property
    def slot_words(self) -> int:
        """How many words a table holds of a state."""
        return 1 if self.collapsed else self.words

    @property
    def visit_words(self) -> int:
        """How many words the visit of a state takes, with what its key is made of."""
        return 1 + self.words if self.slot_words < self.words else 1


@dataclass(frozen=True)
class _Sizes:
    """How many of what a worker needs for a model, in entries."""

    batch: int
    capacity: int
    records: int
    arena: int

    @staticmethod
    def of(model: Model, initial: int) -> "_Sizes":
        """A batch is made small enough that its successors are likely to stay in the cache."""
        width = model.words + 1 + model.visit_words
        batch = max(1, min(_BATCH_MOST, _BUFFER_BYTES // (8 * width * model.fanout)))
        capacity = max(batch * model.fanout, control.GROUP, initial)
        records = batch * (model.fanout + 1)
        arena = 2 * capacity * width + batch * model.words + control.RECORD * records
        arena += model.actions + 1 + model.seen_words + 2 * control.FIRST * control.PROPERTIES
        return _Sizes(batch, capacity, records, arena + control.FIELDS + _ARENA_SPARE)


class Worker:
    """Memory of one worker of `workers`, which may occupy `limit` bytes for its states."""

    def __init__(
        self, model: Model, index: int, workers: int, limit: int, initial: memoryview
    ) -> None:
        self._words, self._slot_words = model.words, model.slot_words
        self._visit_words = model.visit_words
        self._regions: dict[int, Region] = {}
        self._closing = ExitStack()
        sizes = _Sizes.of(model, initial.nbytes // (8 * model.words))
        arena = Arena(sizes.arena)
        self._closing.callback(arena.close)
        self.block = arena.take(control.FIELDS)
        self.seen = arena.take(model.seen_words)
        self._counters = arena.take(model.actions + 1)
        self.counts = words_at(ctypes.addressof(self._counters), model.actions)
        self.first_steps = arena.take(control.FIRST * control.PROPERTIES)
        self.first_states = arena.take(control.FIRST * control.PROPERTIES)
        for field, value in (
            (control.WORKER, index),
            (control.WORKERS, workers),
            (control.LIMIT, limit),
            (control.SEEN, ctypes.addressof(self.seen)),
            (control.COUNTS, ctypes.addressof(self.counts)),
            (control.FIRST_STEPS, ctypes.addressof(self.first_steps)),
            (control.FIRST_STATES, ctypes.addressof(self.first_states)),
        ):
            self.block[field] = value
        self.use(model)
        try:
            self._reserve(limit)
            self._buffers(arena, sizes, initial if index == 0 else initial[:0])
        except BaseException:
            self.close()
            raise

    @property
    def address(self) -> int:
        """Address of the control block."""
        return ctypes.addressof(self.block)

    def use(self, model: Model) -> None:
        """Call the functions of a model from the next batch on."""
        self.block[control.EXPAND] = model.expand
        self.block[control.INSPECT] = model.inspect

    @property
    def cut(self) -> int:
        """How many states it was given to expand that are cut."""
        return self._counters[-1]

    @property
    def bytes(self) -> int:
        """What the states of this worker occupy at this moment, in bytes."""
        field, slot = self.block, self._slot_words
        table = field[control.BUCKETS] * bucket_slots(slot) * slot
        table += field[control.LEAVES_SIZE] + field[control.PAIRS_SIZE]
        table += (field[control.LEAVES_CAPACITY] + field[control.PAIRS_CAPACITY]) // 2
        frontiers = slot * (field[control.CURRENT_PEAK] + field[control.NEXT_PEAK])
        log = field[control.COUNT] - field[control.LOGGED]
        return 8 * (table + frontiers + log + field[control.DEPTH])

    def entry(self, local: int) -> int:
        """The log entry of the state with this local number."""
        count = self.block[control.COUNT]
        assert 0 <= local < count
        return words_at(self.block[control.LOG], count)[local]

    def level_starts(self) -> list[int]:
        """How many states the worker knew as each level began, the current one included."""
        return list(words_at(self.block[control.LEVELS], self.block[control.DEPTH]))

    def clear_frontiers(self) -> None:
        """Give the memory of both frontiers back: the search is finished, and nothing waits."""
        assert self.block[control.NEXT_COUNT] == 0
        for field, peak in (
            (control.CURRENT, control.CURRENT_PEAK),
            (control.NEXT, control.NEXT_PEAK),
        ):
            self._regions[field].clear()
            self.block[peak] = 0

    def close(self) -> None:
        """Give the regions back."""
        self._closing.close()

    def _reserve(self, limit: int) -> None:
        for field, spare in (
            (control.TABLE, CLUSTER_BYTES),
            (control.CURRENT, CLUSTER_BYTES),
            (control.NEXT, CLUSTER_BYTES),
            (control.LOG, HUGE_PAGE),
            (control.LEVELS, HUGE_PAGE),
        ):
            self._region(field, limit + spare)
        self.block[control.BUCKETS] = _FIRST_BUCKETS
        if self._slot_words < self._words:
            for part in (control.LEAVES, control.PAIRS):
                self._region(part + control.VALUES, limit + CLUSTER_BYTES)
                self._region(part + control.NUMBERS, limit + CLUSTER_BYTES)
                self.block[part + control.CAPACITY] = control.FIRST_CAPACITY

    def _region(self, field: int, size: int) -> None:
        region = self._regions[field] = self._closing.enter_context(Region(size))
        self.block[field] = region.address

    def _buffers(self, arena: Arena, sizes: _Sizes, initial: memoryview) -> None:
        block, count = self.block, initial.nbytes // (8 * self._words)
        for side in range(2):
            states = arena.take(sizes.capacity * self._words)
            entries = arena.take(sizes.capacity)
            visits = arena.take(1 + self._visit_words * sizes.capacity)
            block[control.STATES + side] = ctypes.addressof(states)
            block[control.ENTRIES + side] = ctypes.addressof(entries)
            block[control.VISITS + side] = ctypes.addressof(visits)
            if side == 0:
                memoryview(states).cast("B")[: initial.nbytes] = initial.cast("B")
                roots = memoryview(array("q", range(control.ROOT, control.ROOT + count)))
                memoryview(entries).cast("B")[: roots.nbytes] = roots.cast("B")
        block[control.OPENED] = ctypes.addressof(arena.take(sizes.batch * self._words))
        violations = arena.take(2 + control.RECORD * sizes.records)
        violations[1] = sizes.records
        block[control.VIOLATIONS] = ctypes.addressof(violations)
        block[control.BATCH] = sizes.batch
        block[control.INITIAL_COUNT] = count
        block[control.BOX_CAPACITY] = _ROUND_SUCCESSORS + sizes.capacity


class Team:
    """The workers of one search; a context manager that owns their memory.

    `initial` is the 64-bit words of the initial states, one state after the other. `model` is what
    they call at present. Together the workers may occupy `limit` bytes, and with `survey` they go
    on after a violation. Raises `memory.OutOfAddresses` if the system does not lend the addresses.
    """

    def __init__(
        self,
        model: Model,
        initial: memoryview,
        workers: int,
        limit: int,
        max_depth: int,
        survey: bool = False,
    ) -> None:
        assert workers > 0
        self._closing = ExitStack()
        shared = Arena((2 + 2 * workers) * control.FLAG_STRIDE)
        self._closing.callback(shared.close)
        self._shared = shared.take((2 + 2 * workers) * control.FLAG_STRIDE)
        self.workers: list[Worker] = []
        self.model = model
        self._used = [model]
        try:
            for index in range(workers):
                worker = Worker(model, index, workers, limit // workers, initial)
                self._closing.callback(worker.close)
                worker.block[control.MAX_DEPTH] = max_depth
                worker.block[control.SURVEY] = survey
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

    def use(self, model: Model) -> None:
        """Go on with the same model compiled in another way, whose functions do the same."""
        self.model = model
        self._used.append(model)  # Somebody may be in the other's machine code yet.
        for worker in self.workers:
            worker.use(model)

    def stop(self) -> None:
        """Ask all workers to come to an end soon."""
        self._shared[0] = 1

    @property
    def is_stopped(self) -> bool:
        """Whether they were asked to."""
        return bool(self._shared[0])

    def total(self, field: int) -> int:
        """Sum over the workers of one word of their control blocks."""
        return sum(worker.block[field] for worker in self.workers)

    @property
    def bytes(self) -> int:
        """What the states of all workers occupy at this moment."""
        return sum(worker.bytes for worker in self.workers)

    @property
    def generated(self) -> int:
        """How many steps were taken so far."""
        return sum(sum(worker.counts) for worker in self.workers)

    def _connect(self, model: Model) -> None:
        """Give all workers the addresses of what they share."""
        count = len(self.workers)
        line = 8 * control.FLAG_STRIDE
        start = ctypes.addressof(self._shared)
        capacity = max(worker.block[control.BOX_CAPACITY] for worker in self.workers)
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
