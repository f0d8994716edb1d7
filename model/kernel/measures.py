"""Measures: what no cycle of steps changes.

The *region* of a search is its marked states, those in which a property of runs is false. Most
steps between them cannot be part of a cycle, since they change what no cycle changes: they send,
lose, count. A measure is a set of bits of a state of which some are only ever set, and the others
only ever cleared, by any step between two states of the region that leaves the measures before it
alone; or it is the number of bits that are set, which only ever rises, or only ever falls, by such
steps: what is handed to and fro is lost at last. On a cycle no step changes any measure, since the
first measure that is changed would have to come back.

Which measures there are is learnt from a sample (`learn`); what goes by them holds every step of
the region against them, and so knows in the end that they are measures. A step that shows that one
is none is a lesson: it is learnt from together with the sample.
"""

from ackproof.model.kernel.control import INSTANCE_MASK, RECORD, STOP
from ackproof.model.kernel.graph_task import (
    BATCH,
    BITS,
    BLOCKS,
    CODES,
    COUNTS,
    FAILS,
    FELL,
    FREQUENCY,
    INPUT,
    LEARNT,
    LESSONS,
    LEVEL_COUNT,
    LEVELS,
    LOST,
    METAS,
    MODEL,
    MOST_LESSONS,
    OUTPUT,
    OWNER,
    ROSE,
    SEEN,
    SLOTS,
    SOURCES,
    VIOLATIONS,
)
from ackproof.model.kernel.intrinsics import (
    Shape,
    atomic_add,
    atomic_load,
    call_expand,
    count_bits,
    load,
    native,
    store,
)
from ackproof.model.kernel.marks import answer, ask, gather


@native
def expand_batch(task: int, count: int) -> int:
    """Expand the states of a batch; returns how many successors there are."""
    store(load(task, VIOLATIONS), 0, 0)
    return call_expand(
        load(task, MODEL),
        count,
        load(task, INPUT),
        load(task, OUTPUT),
        load(task, METAS),
        load(task, COUNTS),
        load(task, SEEN),
        load(task, VIOLATIONS),
    )


@native
def is_same(shape: Shape, before: int, after: int) -> bool:
    """Whether two states are one."""
    differing = 0
    for word in range(len(shape.words)):
        differing |= load(before, word) ^ load(after, word)
    return differing == 0


@native
def bits_gained(shape: Shape, before: int, after: int) -> int:
    """How many bits more are set in one state than in another."""
    gained = 0
    for word in range(len(shape.words)):
        gained += count_bits(load(after, word)) - count_bits(load(before, word))
    return gained


@native
def measured(shape: Shape, levels: int, count: int, before: int, after: int) -> int:
    """What a step does to the first measure that it changes: 1 if that is right, -1 if not, or 0.

    A measure has, for each word of a state, the bits that are only set and those that are only
    cleared, and then 1 or -1 if it is the number of bits, which only rises or falls.
    """
    width = 2 * len(shape.words) + 1
    for level in range(count):
        at = levels + 8 * width * level
        changed = 0
        wrong = 0
        for word in range(len(shape.words)):
            old, new = load(before, word), load(after, word)
            rising, falling = load(at, 2 * word), load(at, 2 * word + 1)
            changed |= (old ^ new) & (rising | falling)
            wrong |= (old & ~new & rising) | (new & ~old & falling)
        sign = load(at, width - 1)
        if sign != 0:
            gained = bits_gained(shape, before, after)
            changed |= gained
            wrong |= 1 if gained * sign < 0 else 0
        if wrong != 0:
            return -1
        if changed != 0:
            return 1
    return 0


@native
def enable(task: int, position: int, instance: int) -> None:
    """Note that an instance is enabled in a state of a batch, and leads away for good."""
    bits = load(task, BITS)
    code = load(load(task, CODES), instance)
    store(bits, position, load(bits, position) | code)


@native
def enable_failing(task: int) -> None:
    """Note that the steps of a batch that fail are enabled."""
    records = load(task, VIOLATIONS)
    for record in range(load(records, 0)):
        instance = load(records, RECORD * record + 3)
        if instance < INSTANCE_MASK and load(records, RECORD * record + 4) & FAILS != 0:
            enable(task, load(records, RECORD * record + 2), instance)


@native
def study(shape: Shape, task: int, before: int, after: int) -> None:
    """Learn from a step what it does."""
    learnt = load(task, LEARNT)
    for word in range(len(shape.words)):
        old, new = load(before, word), load(after, word)
        store(learnt, 2 * word, load(learnt, 2 * word) | (new & ~old))
        store(learnt, 2 * word + 1, load(learnt, 2 * word + 1) | (old & ~new))
    gained = bits_gained(shape, before, after)
    if gained > 0:
        store(task, ROSE, 1)
    if gained < 0:
        store(task, FELL, 1)


@native
def teach(shape: Shape, task: int, before: int, after: int) -> None:
    """Keep a step that shows that a measure is none."""
    lessons, words = load(task, LESSONS), len(shape.words)
    number = atomic_add(lessons, 1)
    if number < MOST_LESSONS:
        for word in range(words):
            store(lessons, 1 + 2 * words * number + word, load(before, word))
            store(lessons, 1 + 2 * words * number + words + word, load(after, word))


@native
def repeat(shape: Shape, task: int) -> None:
    """Learn from the steps that were kept."""
    lessons, words = load(task, LESSONS), len(shape.words)
    for number in range(min(load(lessons, 0), MOST_LESSONS)):
        before = lessons + 8 * (1 + 2 * words * number)
        after = before + 8 * words
        if measured(shape, load(task, LEVELS), load(task, LEVEL_COUNT), before, after) == 0:
            study(shape, task, before, after)


@native
def tally(task: int, instance: int) -> None:
    """Count how often an instance makes a step."""
    frequency = load(task, FREQUENCY)
    store(frequency, instance, load(frequency, instance) + 1)


@native
def learn(shape: Shape, task: int) -> None:
    """Learn from some states of a region what those steps do that change no measure yet."""
    block = load(load(task, BLOCKS), load(task, OWNER))
    levels, known = load(task, LEVELS), load(task, LEVEL_COUNT)
    slot = 0
    while slot < load(task, SLOTS) and atomic_load(load(block, STOP)) == 0:
        count = gather(shape, task, slot)
        slot = load(load(task, SOURCES), load(task, BATCH))
        made = expand_batch(task, count)
        for i in range(made):
            ask(shape, task, i, i)
        for i in range(made):
            meta = load(load(task, METAS), i)
            before = load(task, INPUT) + 8 * len(shape.words) * (meta >> 32)
            after = load(task, OUTPUT) + 8 * len(shape.words) * i
            tally(task, meta & INSTANCE_MASK)
            name = answer(shape, task, i)
            if name < 0:
                store(task, LOST, load(task, LOST) + 1)
            elif name > 0 and measured(shape, levels, known, before, after) == 0:
                study(shape, task, before, after)
    repeat(shape, task)
