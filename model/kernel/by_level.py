"""A search that is held at the end of each level, and may begin with what another one has found.

The driver is the one of every search (`driver`, `together`).  It is told to end with the next
level, and is started again for the one after: all that it knows is in the workers' blocks.  States
that are known already are given to it in batches, as initial states are, and so come to the workers
that they belong to; only those of the last level wait to be expanded.

Whoever holds a search takes what it found on a level, with the entries of the log, before the next
one.  So the log is of one level only, and what the search needs of the levels before is the states
in its tables.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import reduce
from operator import or_
from types import TracebackType

import numpy as np
from ackproof.model.kernel import control
from ackproof.model.kernel.control import MOST_NUMBERS, SIZE, VALUES
from ackproof.model.kernel.memory import Words
from ackproof.model.kernel.objects import driver
from ackproof.model.kernel.stepping import Numbers, States, bits_of
from ackproof.model.kernel.tasks import NoRoom
from ackproof.model.kernel.worker import Model, Team, Worker

__all__ = ["LevelSearch", "LevelShare", "Taken"]

#: States that are given to the workers at once.
_GIVEN = 1 << 16
_LOW = (1 << 32) - 1
#: Seconds after which an interruption is noticed.
_POLL = 0.5


@dataclass(frozen=True)
class LevelShare:
    """What one worker has found on the last level, in the order in which it did.

    The arrays may be the search's own memory, and are good until it goes on.

    Args:
        states: packed, shape (states, words).
        entries: how each was reached: of a state that was made here, the number of its predecessor
            and the instance, see `control`; of one that was given, the number that came with it.
        first: the local number of the first one.
    """

    states: States
    entries: Numbers
    first: int


@dataclass(frozen=True)
class Taken:
    """The steps that led to a level.

    Args:
        counts: how many there were, by action.
        seen: bits of what was witnessed on the way and on the level.
        of_steps: bits of the properties of steps that some step breaks.
        of_states: bits of the properties of states that are false on the level.
        cut: how many states of the level before are cut, and led nowhere.
    """

    counts: Numbers
    seen: int
    of_steps: int
    of_states: int
    cut: int


class LevelSearch:
    """A search by levels; a context manager, which owns its memory.

    Args:
        model: the compiled model.
        workers: how many threads search.
        limit: bytes that the states may occupy, with all that goes with them.

    Raises:
        OutOfAddresses: the system does not lend the addresses for that much memory.
    """

    def __init__(self, model: Model, workers: int, limit: int) -> None:
        room = memoryview(array("q", bytes(8 * _GIVEN * model.words)))
        self.team = Team(model, room, workers, limit, 0, survey=True)
        self._run = driver(model.words, model.slot_words, workers)
        self._words, self._slot_words = model.words, model.slot_words
        self._logs = [worker.block[control.LOG] for worker in self.team.workers]
        # The first worker has room for the states that are given, and gives them to the others.
        self._giver = self.team.workers[0].block
        self._giver[control.INITIAL_COUNT] = 0

    def __enter__(self) -> LevelSearch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.team.__exit__(kind, error, trace)

    @property
    def states(self) -> int:
        """How many states are known."""
        return self.team.total(control.COUNT)

    @property
    def bytes(self) -> int:
        """What they occupy."""
        return self.team.bytes

    # -- what is known already ------------------------------------------------------------------

    def give(self, states: States, numbers: Numbers, *, waiting: bool) -> None:
        """Take states for known that were found before, in the order of their levels.

        Args:
            states: packed, and none that is known.
            numbers: one for each; those of the states that wait are the entries of the share.
            waiting: whether they are of the last level, and so are to be expanded.

        Raises:
            NoRoom: they do not fit into the memory allowed.
        """
        known = self.states
        inspects = [worker.block[control.INSPECT] for worker in self.team.workers]
        for worker in self.team.workers:
            worker.block[control.INSPECT] = 0
        for start in range(0, len(states), _GIVEN):
            some = np.ascontiguousarray(states[start : start + _GIVEN])
            self._given(some, np.ascontiguousarray(numbers[start : start + _GIVEN]))
            if not waiting:
                self._keep_known()
        for worker, address in zip(self.team.workers, inspects, strict=True):
            worker.block[control.INSPECT] = address
        assert self.states == known + len(states), "a state is found once"

    def _given(self, states: States, numbers: Numbers) -> None:
        block = self._giver
        ctypes.memmove(block[control.STATES], states.ctypes.data, states.nbytes)
        ctypes.memmove(block[control.ENTRIES], numbers.ctypes.data, numbers.nbytes)
        block[control.INITIAL_COUNT] = len(states)
        self._drive(1)
        block[control.INITIAL_COUNT] = 0
        for worker in self.team.workers:
            _retreat(worker)

    def _keep_known(self) -> None:
        """Let what waits be known only."""
        for worker in self.team.workers:
            worker.block[control.NEXT_COUNT] = worker.block[control.INSPECTED] = 0
        self._clear_logs()

    def _clear_logs(self) -> None:
        for worker, log in zip(self.team.workers, self._logs, strict=True):
            block = worker.block
            # Entries are found by the number of a state; the next one has the first place.
            block[control.LOG] = log - 8 * block[control.COUNT]
            block[control.LOGGED] = block[control.COUNT]

    # -- levels ---------------------------------------------------------------------------------

    def shares(self) -> Sequence[LevelShare]:
        """Return the last level, as far as each worker has it."""
        return [self._share(worker) for worker in self.team.workers]

    def _share(self, worker: Worker) -> LevelShare:
        block = worker.block
        count, first = block[control.NEXT_COUNT], block[control.COUNT] - block[control.NEXT_COUNT]
        held = _array(block[control.NEXT], count * self._slot_words)
        states = held if self._slot_words == self._words else _opened(block, held, self._words)
        entries = _array(block[control.LOG] + 8 * first, count)
        return LevelShare(states.view(np.uint64).reshape(count, self._words), entries, first)

    def step(self) -> Taken:
        """Expand the last level; what that leads to, and was not known, is the last one then.

        Raises:
            NoRoom: there is too much of it for the memory allowed; the search cannot go on.
            KeyboardInterrupt: Ctrl-C; the search cannot go on.
        """
        before = [(np.array(worker.counts, np.int64), worker.cut) for worker in self.team.workers]
        self._clear_logs()
        for worker in self.team.workers:
            for words in (worker.seen, worker.first_steps, worker.first_states):
                ctypes.memset(ctypes.addressof(words), 0, ctypes.sizeof(words))
        self._drive(2)
        counts, cut = np.zeros(len(before[0][0]), np.int64), 0
        for worker, (known, was) in zip(self.team.workers, before, strict=True):
            counts += np.array(worker.counts, np.int64) - known
            cut += worker.cut - was
            if worker.block[control.STATUS] == control.EXHAUSTED:
                worker.block[control.CURRENT_COUNT] = 0
            else:
                _retreat(worker)
        return Taken(
            counts=counts,
            seen=reduce(or_, (bits_of(worker.seen) for worker in self.team.workers)),
            of_steps=reduce(or_, (_firsts(worker.first_steps) for worker in self.team.workers)),
            of_states=reduce(or_, (_firsts(worker.first_states) for worker in self.team.workers)),
            cut=cut,
        )

    def _drive(self, levels: int) -> None:
        """Have all workers go on for so many levels, the one that waits being the first."""
        for worker in self.team.workers:
            block = worker.block
            block[control.STATUS] = control.RUNNING
            block[control.MAX_DEPTH] = block[control.DEPTH] + levels
            block[control.CURRENT_COUNT] = block[control.CURSOR] = 0
        with ThreadPoolExecutor(len(self.team.workers)) as pool:
            try:
                pending = {pool.submit(self._run, w.address) for w in self.team.workers}
                while pending:
                    done, pending = wait(pending, _POLL)
                    for future in done:
                        future.result()
            except BaseException:
                self.team.stop()
                raise
        if any(w.block[control.STATUS] == control.MEMORY_FULL for w in self.team.workers):
            raise NoRoom


def _retreat(worker: Worker) -> None:
    """Take back the last `advance` of the driver: what is to be expanded next waits again."""
    block = worker.block
    for one, other in (
        (control.CURRENT, control.NEXT),
        (control.CURRENT_PEAK, control.NEXT_PEAK),
    ):
        block[one], block[other] = block[other], block[one]
    block[control.NEXT_COUNT] = block[control.INSPECTED] = block[control.CURRENT_COUNT]
    block[control.CURRENT_COUNT] = block[control.CURSOR] = 0
    block[control.DEPTH] -= 1


def _opened(block: Words, keys: Numbers, words: int) -> Numbers:
    """Return the states that have these keys, see `collapse`."""
    leaves, pairs = (
        _array(block[part + VALUES], block[part + SIZE] + 1)
        for part in (control.LEAVES, control.PAIRS)
    )
    widths = [words]
    while widths[-1] > 2:
        widths.append((widths[-1] + 1) // 2)
    numbers = np.stack([keys >> 32 & MOST_NUMBERS, keys & _LOW], axis=1)
    for width in reversed(widths[:-1]):
        alone = width % 2
        values = pairs[numbers[:, alone:]]
        parts = np.stack([values >> 32, values & _LOW], axis=2).reshape(len(keys), width - alone)
        numbers = np.concatenate([numbers[:, :alone], parts], axis=1)
    found: Numbers = leaves[numbers].reshape(-1)
    return found


def _firsts(words: Words) -> int:
    """Return bits of the properties of which a first violation is noted."""
    return sum(1 << bit for bit in range(control.PROPERTIES) if words[control.FIRST * bit])


def _array(address: int, count: int) -> Numbers:
    found: Numbers = np.ctypeslib.as_array((ctypes.c_int64 * count).from_address(address))
    return found
