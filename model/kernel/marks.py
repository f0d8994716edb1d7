"""Marks on the states of a finished search: which of them a question is about.

A search keeps its states in tables, and nothing else is as large.  So a set of states is a bit for
each slot, and the *id* of a state in the set is how many come before it, from 1 on, in the order of
workers and slots.  For 64 slots there is a word of bits and one with the id of the first of them,
so that to find the id of a state costs one access to memory besides the one to its bucket.

The tables are only read.  All workers can mark their states at once; they get their ids in turns.
"""

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
def slot_of(shape: Shape, block: int, state: int, hashed: int) -> int:
    """Number of the slot that holds a state; -1 if it is not in the table."""
    words = len(shape)
    size = bucket_bytes(shape)
    index = scale(hashed, load(block, BUCKETS))
    bucket = load(block, TABLE) + index * size
    found = matches(shape, bucket, state)
    while found == 0:
        if vacancies(shape, bucket) != 0:
            return -1
        bucket += size
        index += 1
        found = matches(shape, bucket, state)
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
    hashed = fingerprint(shape, load(task, OUTPUT), index)
    first = load(load(task, BLOCKS), 0)
    # The same choice of an owner as `together` makes.
    owner = scale(hashed << 32, load(first, WORKERS))
    hashes = load(task, HASHES)
    store(hashes, 3 * place, index)
    store(hashes, 3 * place + 1, hashed)
    store(hashes, 3 * place + 2, owner)
    block = load(load(task, BLOCKS), owner)
    bucket = scale(hashed, load(block, BUCKETS))
    size = bucket_bytes(shape)
    prefetch(load(block, TABLE) + bucket * size)
    group = bucket * (size // (8 * len(shape))) // GROUP_SLOTS
    prefetch(load(load(task, MARKS), owner) + 8 * GROUP_WORDS * group)


@native
def answer(shape: Shape, task: int, place: int) -> int:
    """Id of a successor that was asked for; 0 without a mark, -1 if it is in no table."""
    hashes = load(task, HASHES)
    index, owner = load(hashes, 3 * place), load(hashes, 3 * place + 2)
    block = load(load(task, BLOCKS), owner)
    state = load(task, OUTPUT) + 8 * len(shape) * index
    slot = slot_of(shape, block, state, load(hashes, 3 * place + 1))
    return -1 if slot < 0 else id_of(load(load(task, MARKS), owner), slot)


@native
def mark(shape: Shape, task: int) -> None:
    """Mark the states of which some bit is true that is MARKED; SLOTS and DONE say how many."""
    words = len(shape)
    block = load(load(task, BLOCKS), load(task, OWNER))
    marks = load(load(task, MARKS), load(task, OWNER))
    target, places, masks = load(task, INPUT), load(task, SOURCES), load(task, MASKS)
    slot = load(block, TABLE)
    # Behind the last bucket is what has found no room in it, without a gap.
    least = load(block, BUCKETS) * (bucket_bytes(shape) // (8 * words))
    group = 0
    done = 0
    count = 1
    while count > 0 or GROUP_SLOTS * group < least:
        count = 0
        for place in range(GROUP_SLOTS):
            if load(slot, words - 1) != 0:
                for word in range(words):
                    store(target, count * words + word, load(slot, word))
                store(places, count, place)
                count += 1
            slot += 8 * words
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
    words = len(shape)
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
        for word in range(words):
            store(target, count * words + word, load(table + 8 * words * slot, word))
        store(sources, count, id_of(marks, slot))
        store(bits, count, 0)
        count += 1
        slot += 1
    store(sources, room, slot)
    return count
