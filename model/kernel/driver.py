"""The search itself: level by level, by one worker.

Every state of a level is expanded before any of the next, so the first violation of a property is
reached by a shortest path, and what is known at the end of a level does not depend on who did what
in which order. That is why counts, depth and verdicts are the same for any number of workers.

A batch of the frontier is expanded into a buffer that stays in the cache, its successors are
hashed, and their buckets are asked for; they are looked up after the next batch has been made. New
states go to the next frontier, and their properties are looked at while they are still in the
cache.

What several workers do differently is in `together`; they share all but the last two functions.
"""

from ackproof.model.kernel.collapse import is_collapsed, state_of
from ackproof.model.kernel.control import (
    BASE,
    BATCH,
    COUNT,
    COUNTS,
    CURRENT,
    CURRENT_COUNT,
    CURRENT_PEAK,
    CURSOR,
    DEPTH,
    DEPTH_REACHED,
    ENTRIES,
    EXHAUSTED,
    EXPAND,
    FIRST,
    FIRST_STATES,
    FIRST_STEPS,
    FULL_AT,
    INITIAL_COUNT,
    INSPECT,
    INSPECTED,
    INSTANCE_BITS,
    INSTANCE_MASK,
    INTERRUPTED,
    LEVELS,
    MASK_WORDS,
    MAX_DEPTH,
    MEMORY_FULL,
    NEXT,
    NEXT_COUNT,
    NEXT_PEAK,
    OPENED,
    RECORD,
    RUNNING,
    SEEN,
    STATES,
    STATUS,
    STOP,
    SURVEY,
    VIOLATED,
    VIOLATION_FOUND,
    VIOLATIONS,
    VISITS,
    WORKER,
    WORKERS,
)
from ackproof.model.kernel.intrinsics import (
    Shape,
    atomic_load,
    call_expand,
    call_inspect,
    load,
    lowest_bit,
    native,
    store,
)
from ackproof.model.kernel.table import (
    insert,
    prepare,
)

MORE, HALT, FOUND, CROWDED = 1, 2, 4, 8


@native
def note(block: int, firsts: int, base: int) -> None:
    """Keep the first violation of each property from the records just written, and drop them.

    Records speak of positions in the batch; `base` is the local number of its first state.
    """
    records = load(block, VIOLATIONS)
    for record in range(load(records, 0)):
        at = 2 + RECORD * record
        for mask in range(MASK_WORDS):
            left = load(records, at + 2 + mask)
            while left != 0:
                first = FIRST * (64 * mask + lowest_bit(left))
                left &= left - 1
                if load(firsts, first) == 0:
                    local = base + load(records, at)
                    number = local * load(block, WORKERS) + load(block, WORKER)
                    store(firsts, first, 1)
                    store(firsts, first + 1, number)
                    store(firsts, first + 2, load(records, at + 1))
    store(records, 0, 0)
    store(block, VIOLATED, 1)


@native
def opened(shape: Shape, block: int, keys: int, count: int) -> int:
    """Where the states of a batch are of which a frontier has the keys."""
    if not is_collapsed(shape):
        return keys
    states = load(block, OPENED)
    for i in range(count):
        state_of(shape, block, keys + 8 * i, states + 8 * len(shape.words) * i)
    return states


@native
def expand(shape: Shape, block: int, parity: int) -> int:
    """Expand one batch of the current frontier into a buffer; returns how many successors."""
    cursor = load(block, CURSOR)
    count = min(load(block, BATCH), load(block, CURRENT_COUNT) - cursor)
    entries = load(block, ENTRIES + parity)
    made = call_expand(
        load(block, EXPAND),
        count,
        opened(shape, block, load(block, CURRENT) + 8 * len(shape.slot) * cursor, count),
        load(block, STATES + parity),
        entries,
        load(block, COUNTS),
        load(block, SEEN),
        load(block, VIOLATIONS),
    )
    base = load(block, BASE) + cursor
    if load(load(block, VIOLATIONS), 0) != 0:
        note(block, load(block, FIRST_STEPS), base)
    workers = load(block, WORKERS)
    worker = load(block, WORKER)
    for i in range(made):
        meta = load(entries, i)
        number = (base + (meta >> 32)) * workers + worker
        store(entries, i, (number << INSTANCE_BITS) | (meta & INSTANCE_MASK))
    store(block, CURSOR, cursor + count)
    return made


@native
def inspect(shape: Shape, block: int) -> None:
    """Look at the properties of the states that are new in the next frontier."""
    done = load(block, INSPECTED)
    end = load(block, NEXT_COUNT)
    known = load(block, COUNT)
    store(block, INSPECTED, end)
    if load(block, INSPECT) == 0:
        return
    room = load(load(block, VIOLATIONS), 1)
    if is_collapsed(shape):
        room = min(room, load(block, BATCH))
    while done < end:
        count = min(room, end - done)
        states = opened(shape, block, load(block, NEXT) + 8 * len(shape.slot) * done, count)
        records = load(block, VIOLATIONS)
        call_inspect(load(block, INSPECT), count, states, load(block, SEEN), records)
        if load(records, 0) != 0:
            note(block, load(block, FIRST_STATES), known - end + done)
        done += count


@native
def look_up(shape: Shape, block: int, parity: int, count: int) -> bool:
    """Insert the successors in a buffer; False if the memory limit does not allow it."""
    states = load(block, STATES + parity)
    entries = load(block, ENTRIES + parity)
    if not insert(shape, block, count, states, entries, load(block, VISITS + parity)):
        store(block, STATUS, MEMORY_FULL)
        return False
    inspect(shape, block)
    return True


@native
def advance(shape: Shape, block: int) -> None:
    """Make the next frontier the current one."""
    frontier, peak = load(block, CURRENT), load(block, CURRENT_PEAK)
    base = load(block, COUNT) - load(block, NEXT_COUNT)
    store(block, BASE, base)
    store(load(block, LEVELS), load(block, DEPTH), base)
    store(block, CURRENT, load(block, NEXT))
    store(block, CURRENT_COUNT, load(block, NEXT_COUNT))
    store(block, CURRENT_PEAK, load(block, NEXT_PEAK))
    store(block, NEXT, frontier)
    store(block, NEXT_PEAK, peak)
    store(block, NEXT_COUNT, 0)
    store(block, INSPECTED, 0)
    store(block, CURSOR, 0)
    store(block, DEPTH, load(block, DEPTH) + 1)


@native
def end_level(shape: Shape, block: int, flags: int) -> bool:
    """With everybody's flags at the end of a level: go on to the next one (True), or why not."""
    if flags & HALT == 0 and flags & MORE != 0:
        advance(shape, block)
    if flags & FOUND != 0:
        store(block, STATUS, VIOLATION_FOUND)
    elif flags & HALT != 0:
        if load(block, STATUS) == RUNNING:
            store(block, STATUS, INTERRUPTED)
    elif flags & MORE == 0:
        store(block, STATUS, EXHAUSTED)
    elif load(block, DEPTH) == load(block, MAX_DEPTH):
        store(block, STATUS, DEPTH_REACHED)
    return load(block, STATUS) == RUNNING


@native
def own_flags(block: int, more: bool) -> int:
    """What this worker has to say at the next meeting."""
    flags = MORE if more else 0
    if load(block, STATUS) != RUNNING or atomic_load(load(block, STOP)) != 0:
        flags |= HALT
    if load(block, VIOLATED) != 0 and load(block, SURVEY) == 0:
        flags |= FOUND
    if load(block, COUNT) + load(block, FULL_AT) // 128 > load(block, FULL_AT):
        flags |= CROWDED
    return flags


@native
def level_alone(shape: Shape, block: int) -> None:
    """Expand the current frontier; stops early if asked to, or if the memory is full."""
    parity = 0
    waiting = 0
    while load(block, CURSOR) < load(block, CURRENT_COUNT):
        if atomic_load(load(block, STOP)) != 0:
            return
        made = expand(shape, block, parity)
        prepare(shape, block, made, load(block, STATES + parity), load(block, VISITS + parity))
        if not look_up(shape, block, 1 - parity, waiting):
            return
        parity = 1 - parity
        waiting = made
    look_up(shape, block, 1 - parity, waiting)


@native
def alone(shape: Shape, block: int) -> None:
    """The whole search by one worker. The initial states wait in the first buffer."""
    count = load(block, INITIAL_COUNT)
    prepare(shape, block, count, load(block, STATES), load(block, VISITS))
    look_up(shape, block, 0, count)
    while end_level(shape, block, own_flags(block, load(block, NEXT_COUNT) > 0)):
        level_alone(shape, block)
