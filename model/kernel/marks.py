"""Marks on the states of a finished search: which of them a question is about.

A search keeps its states in tables, and nothing else is as large.  So a set of states is a bit for
each slot, and the *id* of a state in the set is how many come before it, from 1 on, in the order of
workers and slots.  For 64 slots there is a word of bits and one with the id of the first of them,
so that to find the id of a state costs one access to memory besides the one to its bucket.

The tables are only read.  All workers can mark their states at once; they get their ids in turns.
"""

from ackproof.model.kernel.collapse import is_collapsed, key_of, state_of
from ackproof.model.kernel.control import BUCKETS, TABLE, WORKERS
from ackproof.model.kernel.graph_task import (
    BATCH,
    BITS,
    BLOCKS,
    DONE,
    FALSIFY,
    FIRST,
    GROUP_SLOTS,
    GROUP_WORDS,
    HASHES,
    INPUT,
    MARKED,
    MARKS,
    MASKS,
    OUTPUT,
    OWNER,
    SLOTS,
    SOURCES,
    SPACE,
    STRIDE,
)
from ackproof.model.kernel.intrinsics import (
    Shape,
    call_falsify,
    count_bits,
    load,
    lowest_bit,
    matches,
    native,
    prefetch,
    scale,
    store,
    vacancies,
)
from ackproof.model.kernel.table import bucket_bytes, fingerprint

_SLOT_MASK = GROUP_SLOTS - 1


@native
def slot_of(shape: Shape, block: int, key: int, hashed: int) -> int:
    """Number of the slot that holds what is at an address; -1 if it is not in the table."""
    words = len(shape.slot)
    if load(key, words - 1) == 0:
        return -1
    size = bucket_bytes(shape)
    index = scale(hashed, load(block, BUCKETS))
    bucket = load(block, TABLE) + index * size
    found = matches(shape.slot, bucket, key)
    while found == 0:
        if vacancies(shape.slot, bucket) != 0:
            return -1
        bucket += size
        index += 1
        found = matches(shape.slot, bucket, key)
    return index * (size // (8 * words)) + lowest_bit(found) // words


@native
def id_of(marks: int, slot: int) -> int:
    """Id of the state in a slot; 0 if it has no mark."""
    at = GROUP_WORDS * (slot // GROUP_SLOTS)
    bits = load(marks, at)
    place = slot & _SLOT_MASK
    if bits >> place & 1 == 0:
        return 0
    return load(marks, at + 1) + count_bits(bits & ((1 << place) - 1))


@native
def ask(shape: Shape, task: int, index: int, place: int) -> None:
    """Hash a successor of a batch, and ask the memory for its bucket and its mark."""
    hashed = fingerprint(shape.words, load(task, OUTPUT), index)
    first = load(load(task, BLOCKS), 0)
    # The same choice of an owner as `together` makes.
    owner = scale(hashed << 32, load(first, WORKERS))
    block = load(load(task, BLOCKS), owner)
    noted = load(task, HASHES) + 32 * place
    store(noted, 0, load(task, OUTPUT) + 8 * len(shape.words) * index)
    if is_collapsed(shape):
        store(noted, 3, key_of(shape, block, load(noted, 0), load(task, SPACE)))
        store(noted, 0, noted + 24)
        hashed = fingerprint(shape.slot, noted, 3)
    store(noted, 1, hashed)
    store(noted, 2, owner)
    bucket = scale(hashed, load(block, BUCKETS))
    size = bucket_bytes(shape)
    prefetch(load(block, TABLE) + bucket * size)
    group = bucket * (size // (8 * len(shape.slot))) // GROUP_SLOTS
    prefetch(load(load(task, MARKS), owner) + 8 * GROUP_WORDS * group)


@native
def found_slot(shape: Shape, task: int, place: int) -> int:
    """Slot of a successor that was asked for; -1 if it is in no table."""
    noted = load(task, HASHES) + 32 * place
    block = load(load(task, BLOCKS), load(noted, 2))
    return slot_of(shape, block, load(noted, 0), load(noted, 1))


@native
def marks_of(task: int, place: int) -> int:
    """Address of the marks of the owner of a successor that was asked for."""
    return load(load(task, MARKS), load(load(task, HASHES), 4 * place + 2))


@native
def answer(shape: Shape, task: int, place: int) -> int:
    """Id of a successor that was asked for; 0 without a mark, -1 if it is in no table."""
    slot = found_slot(shape, task, place)
    return -1 if slot < 0 else id_of(marks_of(task, place), slot)


@native
def mark(shape: Shape, task: int) -> None:
    """Mark the states of which some bit is true that is MARKED; SLOTS and DONE say how many."""
    words = len(shape.words)
    block = load(load(task, BLOCKS), load(task, OWNER))
    marks = load(load(task, MARKS), load(task, OWNER))
    target, places, masks = load(task, INPUT), load(task, SOURCES), load(task, MASKS)
    slot = load(block, TABLE)
    # Behind the last bucket is what has found no room in it, without a gap.
    least = load(block, BUCKETS) * (bucket_bytes(shape) // (8 * len(shape.slot)))
    group = 0
    done = 0
    count = 1
    while count > 0 or GROUP_SLOTS * group < least:
        count = 0
        for place in range(GROUP_SLOTS):
            if load(slot, len(shape.slot) - 1) != 0:
                state_of(shape, block, slot, target + 8 * words * count)
                store(places, count, place)
                count += 1
            slot += 8 * len(shape.slot)
        bits = 0
        if count > 0:
            call_falsify(load(task, FALSIFY), count, target, masks)
        for i in range(count):
            if load(masks, i) & load(task, MARKED) != 0:
                bits |= 1 << load(places, i)
        store(marks, GROUP_WORDS * group, bits)
        store(marks, GROUP_WORDS * group + 1, 0)
        done += count_bits(bits)
        group += 1
    store(task, SLOTS, GROUP_SLOTS * group)
    store(task, DONE, done)


@native
def rank(shape: Shape, task: int) -> None:
    """Give the marked states of a worker their ids, which begin after FIRST."""
    marks = load(load(task, MARKS), load(task, OWNER))
    last = load(task, FIRST)
    for group in range(load(task, SLOTS) // GROUP_SLOTS):
        store(marks, GROUP_WORDS * group + 1, last + 1)
        last += count_bits(load(marks, GROUP_WORDS * group))
    store(task, FIRST, last)


@native
def gather(shape: Shape, task: int, start: int) -> int:
    """Fill a batch with marked states and their ids, from a slot on; returns how many.

    After the ids it says with which slot to go on.
    """
    words = len(shape.words)
    block = load(load(task, BLOCKS), load(task, OWNER))
    marks = load(load(task, MARKS), load(task, OWNER))
    table = load(block, TABLE)
    target, sources, bits = load(task, INPUT), load(task, SOURCES), load(task, BITS)
    room, end = load(task, BATCH), load(task, SLOTS)
    count = 0
    slot = start
    while count < room and slot < end:
        group = slot // GROUP_SLOTS
        left = load(marks, GROUP_WORDS * group) & (-1 << (slot & _SLOT_MASK))
        if left == 0:
            slot = GROUP_SLOTS * (group + load(task, STRIDE))
            continue
        slot = GROUP_SLOTS * group + lowest_bit(left)
        held = table + 8 * len(shape.slot) * slot
        state_of(shape, block, held, target + 8 * words * count)
        store(sources, count, id_of(marks, slot))
        store(bits, count, 0)
        count += 1
        slot += 1
    store(sources, room, slot)
    return count
