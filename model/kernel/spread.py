"""Spreading marks: from where something is asked for to wherever it may still be missing.

Of what leads to something, the region is not all states where the answer is false, but those of
them that a run comes to after it was asked for, without an answer in between.  At first the states
have marks in which it is asked for and not answered; then, round by round, the states that their
steps lead to, as far as the answer is false there.  A round that adds none is the last one.

As long as marks have no ids, the word for these tells whose steps were taken.
"""

from ackproof.model.kernel.collapse import state_of
from ackproof.model.kernel.control import STOP, TABLE
from ackproof.model.kernel.graph_task import (
    BATCH,
    BLOCKS,
    DONE,
    FALSIFY,
    GROUP_SLOTS,
    GROUP_WORDS,
    INPUT,
    LOST,
    MARKS,
    MASKS,
    OUTPUT,
    OWNER,
    SLOTS,
    SOURCES,
    WANTED,
)
from ackproof.model.kernel.intrinsics import (
    Shape,
    atomic_load,
    atomic_or,
    call_falsify,
    load,
    lowest_bit,
    native,
    store,
)
from ackproof.model.kernel.marks import ask, found_slot, marks_of
from ackproof.model.kernel.measures import expand_batch

__all__ = ["spread"]

_SLOT_MASK = GROUP_SLOTS - 1


@native
def pick(shape: Shape, task: int, start: int) -> int:
    """Fill a batch with marked states whose steps were not taken, from a slot on; returns how many.

    From now on they were. It says with which slot to go on, behind the last of the sources.
    """
    marks = load(load(task, MARKS), load(task, OWNER))
    block = load(load(task, BLOCKS), load(task, OWNER))
    target = load(task, INPUT)
    count = 0
    slot = start
    while count < load(task, BATCH) and slot < load(task, SLOTS):
        at = GROUP_WORDS * (slot // GROUP_SLOTS)
        left = atomic_load(marks + 8 * at) & ~load(marks, at + 1)
        if left == 0:
            slot = GROUP_SLOTS * (slot // GROUP_SLOTS + 1)
            continue
        place = lowest_bit(left)
        store(marks, at + 1, load(marks, at + 1) | 1 << place)
        held = 8 * len(shape.slot) * (GROUP_SLOTS * (slot // GROUP_SLOTS) + place)
        state_of(shape, block, load(block, TABLE) + held, target + 8 * len(shape.words) * count)
        count += 1
    store(load(task, SOURCES), load(task, BATCH), slot)
    return count


@native
def touch(shape: Shape, task: int, place: int) -> int:
    """Mark a successor that was asked for; returns 1 if it had no mark."""
    slot = found_slot(shape, task, place)
    if slot < 0:
        store(task, LOST, load(task, LOST) + 1)
        return 0
    address = marks_of(task, place) + 8 * GROUP_WORDS * (slot // GROUP_SLOTS)
    bit = 1 << (slot & _SLOT_MASK)
    if atomic_load(address) & bit != 0 or atomic_or(address, bit) & bit != 0:
        return 0
    return 1


@native
def spread(shape: Shape, task: int) -> None:
    """Take the steps of a worker's marked states; DONE says how many others have a mark now."""
    block = load(load(task, BLOCKS), load(task, OWNER))
    masks = load(task, MASKS)
    slot = 0
    done = 0
    while slot < load(task, SLOTS) and atomic_load(load(block, STOP)) == 0:
        count = pick(shape, task, slot)
        slot = load(load(task, SOURCES), load(task, BATCH))
        made = expand_batch(task, count)
        call_falsify(load(task, FALSIFY), made, load(task, OUTPUT), masks)
        missing = 0
        for i in range(made):
            if load(masks, i) & load(task, WANTED) != 0:
                ask(shape, task, i, missing)
                missing += 1
        for place in range(missing):
            done += touch(shape, task, place)
    store(task, DONE, done)
