"""The search by several workers, each with a table, a frontier and a log of its own.

A state belongs to the worker that its hash names. A round: each worker expands some of its frontier
and puts each successor in a box for its owner; all meet at a barrier; each then empties the boxes
addressed to it. There are two sets of boxes, so that filling the next one may begin while others
still empty the last: one barrier a round is enough. Before it, everybody raises flags (more to do,
must stop, found a violation, table almost full); after it, everybody reads the same flags, and so
decides the same.
"""

from ackproof.model.kernel.control import (
    BARRIER,
    BARRIERS_PASSED,
    BOX_BYTES,
    BOX_CAPACITY,
    BOX_HEADER,
    BOXES,
    CURRENT_COUNT,
    CURSOR,
    ENTRIES,
    FLAG_STRIDE,
    FLAGS,
    FULL_AT,
    GROUP,
    INITIAL_COUNT,
    MEMORY_FULL,
    NEXT_COUNT,
    PAUSE,
    ROUND,
    STATES,
    STATUS,
    VISITS,
    WORKER,
    WORKERS,
)
from ackproof.model.kernel.driver import (
    CROWDED,
    HALT,
    MORE,
    end_level,
    expand,
    inspect,
    own_flags,
)
from ackproof.model.kernel.intrinsics import (
    Shape,
    atomic_add,
    atomic_load,
    load,
    native,
    pause,
    scale,
    store,
)
from ackproof.model.kernel.table import (
    fingerprint,
    insert,
    make_room,
    prepare,
)

_SPINS = 256


@native
def meet(block: int, parity: int, flags: int) -> int:
    """Wait for all workers to have come this far; returns the union of their flags.

    `parity` alternates from one meeting to the next: nobody can raise flags for the meeting after
    the next before everybody has read those of this one.
    """
    workers = load(block, WORKERS)
    row = load(block, FLAGS) + 8 * FLAG_STRIDE * workers * parity
    store(row, FLAG_STRIDE * load(block, WORKER), flags)
    passed = load(block, BARRIERS_PASSED) + 1
    store(block, BARRIERS_PASSED, passed)
    barrier = load(block, BARRIER)
    atomic_add(barrier, 1)
    spins = 0
    while atomic_load(barrier) < passed * workers:
        spins += 1
        if spins > _SPINS:
            pause(load(block, PAUSE))
    union = 0
    for worker in range(workers):
        union |= load(row, FLAG_STRIDE * worker)
    return union


@native
def box(block: int, parity: int, source: int, target: int) -> int:
    """Address of the box in which `source` puts states for `target`."""
    workers = load(block, WORKERS)
    index = (parity * workers + source) * workers + target
    return load(block, BOXES) + load(block, BOX_BYTES) * index


@native
def scatter(shape: Shape, block: int, parity: int, count: int) -> None:
    """Put the states of the first buffer in the boxes of their owners."""
    words = len(shape.words)
    states, entries = load(block, STATES), load(block, ENTRIES)
    workers = load(block, WORKERS)
    row = box(block, parity, load(block, WORKER), 0)
    size = load(block, BOX_BYTES)
    back = BOX_HEADER + load(block, BOX_CAPACITY) * words
    for i in range(count):
        # The home bucket is made of the high bits, so the owner has to come from the low ones.
        target = row + size * scale(fingerprint(shape.words, states, i) << 32, workers)
        filled = load(target, 0)
        for word in range(words):
            store(target, BOX_HEADER + filled * words + word, load(states, i * words + word))
        store(target, back + filled, load(entries, i))
        store(target, 0, filled + 1)


@native
def fill(shape: Shape, block: int, parity: int) -> None:
    """Expand a round's worth of the current frontier into empty boxes."""
    for target in range(load(block, WORKERS)):
        store(box(block, parity, load(block, WORKER), target), 0, 0)
    made = 0
    while made < load(block, ROUND) and load(block, CURSOR) < load(block, CURRENT_COUNT):
        count = expand(shape, block, 0)
        scatter(shape, block, parity, count)
        made += count


@native
def empty(shape: Shape, block: int, parity: int) -> None:
    """Insert everything that has been put in the boxes for this worker."""
    width = 8 * len(shape.words)
    capacity = load(block, BOX_CAPACITY)
    for source in range(load(block, WORKERS)):
        address = box(block, parity, source, load(block, WORKER))
        count = load(address, 0)
        states = address + 8 * BOX_HEADER
        entries = states + width * capacity
        prepare(shape, block, min(GROUP, count), states, load(block, VISITS))
        side = 0
        for start in range(0, count, GROUP):
            after = start + GROUP
            ahead = max(0, min(GROUP, count - after))
            prepare(shape, block, ahead, states + width * after, load(block, VISITS + 1 - side))
            size = min(GROUP, count - start)
            visits = load(block, VISITS + side)
            if not insert(shape, block, size, states + width * start, entries + 8 * start, visits):
                store(block, STATUS, MEMORY_FULL)
                return
            inspect(shape, block)
            side = 1 - side


@native
def together(shape: Shape, block: int) -> None:
    """The whole search by one of several workers. The first one brings the initial states."""
    parity = 0
    fill(shape, block, parity)
    scatter(shape, block, parity, load(block, INITIAL_COUNT))
    meet(block, parity, 0)
    empty(shape, block, parity)
    parity = 1
    flags = meet(block, parity, own_flags(block, load(block, NEXT_COUNT) > 0))
    while end_level(shape, block, flags):
        working = True
        while working:
            parity = 1 - parity
            fill(shape, block, parity)
            more = load(block, CURSOR) < load(block, CURRENT_COUNT)
            flags = meet(block, parity, own_flags(block, more))
            if flags & CROWDED != 0:
                # All tables are about as full. They grow at once, so that nobody waits in turn.
                make_room(shape, block, load(block, FULL_AT) // 64)
            empty(shape, block, parity)
            working = flags & MORE != 0 and flags & HALT == 0
        parity = 1 - parity
        flags = meet(block, parity, own_flags(block, load(block, NEXT_COUNT) > 0))
