"""The region of a search: where a property of runs is false, and what of it may be stayed in.

Of what leads to something, that is where the answer is missing since it was asked for (`spread`).

This is what decides most questions, and it keeps no step. It first learns from a sample which
measures there are (`measures`), and goes over the region once, by classes (`classes`). If a step
shows that something is no measure, it begins again, and has learnt from that step, too; after some
of them, from a larger sample. The last sample is the region, of which what is learnt is true.
"""

import ctypes
import math
from contextlib import ExitStack
from itertools import count

from ackproof.model.kernel import graph_task
from ackproof.model.kernel.memory import Region, Words, words_at
from ackproof.model.kernel.tasks import NoRoom, Tasks

__all__ = ["left_over", "mark"]

#: How many states a sample has, at first; how often it is enough to learn from what was wrong; and
#: how many times as many states the next sample has.
SAMPLE, PATIENCE, LARGER = 1 << 11, 1 << 4, 1 << 3

#: How many measures are looked for.
_MEASURES = 16


def left_over(tasks: Tasks, limit: int) -> tuple[int, int]:
    """Mark what of the region a fair run may stay in, as far as that can be told.

    Args:
        tasks: what is asked.
        limit: bytes that it may take.

    Returns:
        how many states have marks, and how many bytes it took. If none has, every property holds
        that is asked for.

    Raises:
        NoRoom: the bytes do not suffice.
    """
    left, taken = mark(tasks), tasks.mark_bytes
    if taken > limit:
        raise NoRoom
    if left:
        left, largest = _by_classes(tasks, left, limit - taken)
        taken += largest
    return left, taken


def mark(tasks: Tasks) -> int:
    """Mark the region; return how many states it has."""
    tasks.all_at_once(graph_task.MARK)
    while tasks.question.asked is not None:
        tasks.all_at_once(graph_task.SPREAD)
        if tasks.total(graph_task.DONE) == 0:
            break
    return tasks.rank()


def _capacity(tasks: Tasks, region: int) -> int:
    """Return how many entries a table of classes needs.

    Each class sets a bit of so many as there are states.  How many classes there are follows from
    how many bits are not set ("linear counting"), nearly.  If there are more, looking for one takes
    longer, and nothing else.
    """
    with Region(region // 8 + 8) as bits:
        tasks.give({graph_task.CLASSES: bits.address, graph_task.CAPACITY: region})
        tasks.all_at_once(graph_task.COUNT)
        words = memoryview(words_at(bits.address, region // 64 + 1)).cast("B")
        free = region - int.from_bytes(words, "little").bit_count()
    classes = math.ceil(region * math.log(region / max(free, 1)))
    return min(classes, region) * 5 // 4 + 1


def _by_classes(tasks: Tasks, region: int, limit: int) -> tuple[int, int]:
    """Take the marks from classes that cannot be stayed in.

    Returns:
        how many states have one yet, and how many bytes that took.
    """
    learning, sample, taken = _Learning(tasks, region), SAMPLE, 0
    for attempt in count(1):
        learning.learn(sample)
        capacity = _capacity(tasks, region)
        taken = max(taken, 8 * capacity, region // 8)
        if taken > limit:
            raise NoRoom
        with ExitStack() as closing:
            # Behind the last entry there is as much room as it takes.
            table = closing.enter_context(Region(8 * (capacity + region + 1)))
            tasks.give({graph_task.CLASSES: table.address, graph_task.CAPACITY: capacity})
            tasks.all_at_once(graph_task.CLASSIFY)
            if tasks.total(graph_task.WRONG) == 0:
                tasks.all_at_once(graph_task.DISMISS)
                return tasks.rank(), taken
        if attempt % PATIENCE == 0:
            sample *= LARGER
    raise AssertionError("what the whole region teaches is right")


class _Learning:
    """Learns measures from samples of a region."""

    def __init__(self, tasks: Tasks, region: int) -> None:
        self._tasks = tasks
        self._region = region
        self._width = 2 * tasks.question.model.words + 1
        instances = max(tasks.question.instances, 1)
        self._levels = tasks.words(self._width * _MEASURES)
        self._learnt = tasks.words(self._width - 1)
        self._fixed = tasks.words(tasks.question.model.words + 1)
        self._codes = tasks.words(instances)
        self._frequency = tasks.words(instances)
        lessons = tasks.words(1 + 2 * tasks.question.model.words * graph_task.MOST_LESSONS)
        for field, words in (
            (graph_task.LEVELS, self._levels),
            (graph_task.LEARNT, self._learnt),
            (graph_task.FIXED, self._fixed),
            (graph_task.CODES, self._codes),
            (graph_task.FREQUENCY, self._frequency),
            (graph_task.LESSONS, lessons),
        ):
            tasks.give({field: ctypes.addressof(words)})

    def learn(self, sample: int) -> None:
        """Learn measures from so many states, each from the steps that those before it leave."""
        tasks, levels = self._tasks, 0
        # All is learnt from everybody's states, or from some of one of them.
        whole = sample >= self._region
        stride = 1 if whole else max(1, self._region // sample)
        tasks.give({graph_task.STRIDE: stride, graph_task.LEVEL_COUNT: 0, graph_task.WRONG: 0})
        _clear(self._fixed)
        while levels < _MEASURES:
            _clear(self._learnt)
            tasks.give({graph_task.ROSE: 0, graph_task.FELL: 0})
            tasks.in_turns(graph_task.LEARN, None if whole else [0])
            if levels == 0:
                self._encode()
            measure = self._measure(tasks.total(graph_task.ROSE), tasks.total(graph_task.FELL))
            if not any(measure):
                break
            for at, part in enumerate(measure):
                self._levels[self._width * levels + at] = part
            self._fix(measure)
            levels += 1
            tasks.give({graph_task.LEVEL_COUNT: levels})
        tasks.give({graph_task.STRIDE: 1})

    def _measure(self, rose: int, fell: int) -> list[int]:
        """Return a measure of the steps that were seen, all 0 if there is none."""
        found = [0] * self._width
        for at in range(0, self._width - 1, 2):
            rising, falling = self._learnt[at], self._learnt[at + 1]
            found[at], found[at + 1] = rising & ~falling, falling & ~rising
        if not any(found) and bool(rose) != bool(fell):
            found[-1] = 1 if rose else -1
        return found

    def _fix(self, measure: list[int]) -> None:
        """Note what a measure is about."""
        for word in range(len(self._fixed) - 1):
            self._fixed[word] |= measure[2 * word] | measure[2 * word + 1]
        if measure[-1]:
            self._fixed[len(self._fixed) - 1] = -1

    def _encode(self) -> None:
        """Give the fair instances that make most steps a bit each."""
        _clear(self._codes)
        often = {n: self._frequency[n] for n in self._tasks.question.fair}
        chosen = sorted(often, key=lambda n: -often[n])[: graph_task.CODE_BITS]
        for bit, instance in enumerate(chosen):
            self._codes[instance] = 1 << bit


def _clear(words: Words) -> None:
    ctypes.memset(ctypes.addressof(words), 0, ctypes.sizeof(words))
