"""The seen-set: an exact hash table of packed states that grows in place.

A slot holds a whole packed state, or its key (see `collapse`), and an all-zero slot is empty (a
valid state has the top bit of its last word set, and so has a key), so two states are the same only
if all their bits are. The slots of a cache line form a bucket, which is compared with a state at
once; a full bucket sends what does not fit to the next one, without wrapping: behind the last
bucket there is as much reserved memory as it takes.

A state's home bucket is `hash * buckets >> 64`, which is *monotone in the hash* for any number of
buckets. Growing by any factor therefore moves no state down, nor past one that has a larger hash,
and can be done where the table is: from the top, one run at a time, a run being a bucket with the
full buckets before it, each taken out and put back at its new home. Buckets above are already
final, buckets below stay below. That allows small steps (a factor of 1.3), which is what keeps the
table between 65 and 85 percent full, without ever holding two tables.

Memory latency is hidden by looking up in two passes: `prepare` hashes a batch and asks for the
buckets, `insert` comes back after another batch has been expanded in the meantime.

What is in the slots is called keys here, also where they are the states.
"""

from ackproof.model.kernel.collapse import is_collapsed, make_keys, parts_bytes
from ackproof.model.kernel.control import (
    BUCKETS,
    COUNT,
    CURRENT_PEAK,
    DEPTH,
    FULL_AT,
    LIMIT,
    LINE_WORDS,
    LOG,
    LOGGED,
    NEXT,
    NEXT_COUNT,
    NEXT_PEAK,
    TABLE,
    UNNUMBERED,
)
from ackproof.model.kernel.intrinsics import (
    Shape,
    Zeros,
    finish,
    load,
    lowest_bit,
    matches,
    mix,
    native,
    prefetch,
    scale,
    store,
    vacancies,
)

_SEED = 0x2545F4914F6CDD1D
_BATCH_BITS = 24
_BATCH_MASK = (1 << _BATCH_BITS) - 1
_SMALL_BUCKETS = 1 << 14


@native
def fingerprint(words: Zeros, states: int, index: int) -> int:
    """Hash of so many words at `index`: 64 bits, every one depending on all of them."""
    mixed = _SEED
    for word in range(len(words)):
        mixed = mix(mixed, load(states, index * len(words) + word))
    return finish(mixed)


@native
def bucket_bytes(shape: Shape) -> int:
    """Size of a bucket: a cache line, or a slot if that is more."""
    return 8 * len(shape.slot) * max(1, LINE_WORDS // len(shape.slot))


@native
def prepare(shape: Shape, block: int, count: int, states: int, visits: int) -> None:
    """Make the keys of `count` states, and ask the memory for the buckets to visit first."""
    if is_collapsed(shape):
        held = bucket_bytes(shape) * load(block, BUCKETS) + 8 * load(block, COUNT)
        room = load(block, LIMIT) - held - others(shape, block, count)
        make_keys(shape, block, count, states, keys_of(shape, count, states, visits), room)
    aim(shape, block, count, states, visits)


@native
def keys_of(shape: Shape, count: int, states: int, visits: int) -> int:
    """Where the keys of a batch are: behind its visits, or they are the states."""
    return visits + 8 * (1 + count) if is_collapsed(shape) else states


@native
def aim(shape: Shape, block: int, count: int, states: int, visits: int) -> None:
    """Let the visits of a batch begin at the home buckets, and ask the memory for these."""
    size = bucket_bytes(shape)
    table = load(block, TABLE)
    buckets = load(block, BUCKETS)
    keys = keys_of(shape, count, states, visits)
    store(visits, 0, buckets)
    for i in range(count):
        home = scale(fingerprint(shape.slot, keys, i), buckets)
        store(visits, i + 1, home << _BATCH_BITS | i)
        prefetch(table + home * size)
        if size != 8 * LINE_WORDS:
            prefetch(table + home * size + 8 * LINE_WORDS - 8)


@native
def insert(shape: Shape, block: int, count: int, states: int, entries: int, visits: int) -> bool:
    """Add the states that are new to the table, the next frontier and the log.

    `visits` is what `prepare` has made of the states, for the table as it was then (the first word
    tells how large), and is overwritten.

    False, and nothing done, if that could take more memory than the worker may have.
    """
    if load(block, UNNUMBERED) != 0 or not make_room(shape, block, count):
        return False
    if load(visits, 0) != load(block, BUCKETS):
        aim(shape, block, count, states, visits)
    keys = keys_of(shape, count, states, visits)
    waiting = count
    while waiting > 0:
        waiting = visit(shape, block, waiting, keys, entries, visits + 8)
    return True


@native
def visit(shape: Shape, block: int, count: int, keys: int, entries: int, visits: int) -> int:
    """Look for `count` states in one bucket each, and insert those that are new and have room.

    A visit is `bucket << 24 | position of the state in the batch`. Where a bucket is full of other
    states, the memory is asked for the next one, and the state waits until all others have had
    their turn. Returns how many are waiting: their visits come first now.
    """
    words = len(shape.slot)
    size = bucket_bytes(shape)
    table = load(block, TABLE)
    known = load(block, COUNT)
    log = load(block, LOG) + 8 * known
    frontier = load(block, NEXT) + 8 * words * load(block, NEXT_COUNT)
    fresh = 0
    waiting = 0
    for i in range(count):
        visited = load(visits, i)
        index = visited & _BATCH_MASK
        key = keys + 8 * words * index
        bucket = table + (visited >> _BATCH_BITS) * size
        if matches(shape.slot, bucket, key) != 0:
            continue
        vacant = vacancies(shape.slot, bucket)
        if vacant == 0:
            prefetch(bucket + size)
            store(visits, waiting, visited + (1 << _BATCH_BITS))
            waiting += 1
            continue
        offset = lowest_bit(vacant)
        for word in range(words):
            store(bucket, offset + word, load(key, word))
            store(frontier, fresh * words + word, load(key, word))
        store(log, fresh, load(entries, index))
        fresh += 1
    store(block, COUNT, known + fresh)
    store(block, NEXT_COUNT, load(block, NEXT_COUNT) + fresh)
    store(block, NEXT_PEAK, max(load(block, NEXT_PEAK), load(block, NEXT_COUNT)))
    return waiting


@native
def make_room(shape: Shape, block: int, count: int) -> bool:
    """Make sure that `count` more states fit; False if the memory limit is in the way."""
    size = bucket_bytes(shape)
    needed = load(block, COUNT) + count
    besides = others(shape, block, count)
    buckets = load(block, BUCKETS)
    if size * buckets + 8 * needed + besides > load(block, LIMIT):
        return False
    if needed <= load(block, FULL_AT):
        return True
    slots = size // (8 * len(shape.slot))
    # Where fewer states share a bucket, more of them would have to be looked for in the next one.
    percent = 85 if slots >= 4 else 70
    while needed * 100 > buckets * slots * percent:
        # While it is small, a table costs nothing, and copying it often would.
        buckets = buckets * 4 if buckets < _SMALL_BUCKETS else buckets * 13 // 10
    # The log of a full table has to fit as well. When the last step is cut short by the limit,
    # the table is filled as far as probing still ends soon.
    ceiling = (load(block, LIMIT) - besides) // (size + 8 * slots)
    if buckets <= ceiling:
        store(block, FULL_AT, buckets * slots * percent // 100)
    else:
        buckets = max(ceiling, load(block, BUCKETS))
        store(block, FULL_AT, buckets * slots * 95 // 100)
    if buckets > load(block, BUCKETS):
        grow(shape, block, buckets)
    return needed <= load(block, FULL_AT)


@native
def others(shape: Shape, block: int, count: int) -> int:
    """What there will be besides the table, and a log that has an entry of each state."""
    frontiers = 8 * len(shape.slot) * (load(block, CURRENT_PEAK) + load(block, NEXT_PEAK) + count)
    levels = 8 * load(block, DEPTH)
    return frontiers + levels + parts_bytes(block) - 8 * load(block, LOGGED)


@native
def grow(shape: Shape, block: int, buckets: int) -> None:
    """Spread the table over more buckets than it has now."""
    size = bucket_bytes(shape)
    table = load(block, TABLE)
    # Memory behind the next frontier is free, and in the cache soon after if it is not now.
    scratch = load(block, NEXT) + 8 * len(shape.slot) * load(block, NEXT_COUNT)
    end = load(block, BUCKETS)
    while load(table + size * end, len(shape.slot) - 1) != 0:
        end += 1
    store(block, BUCKETS, buckets)
    while end > 0:
        start = end - 1
        while start > 0 and vacancies(shape.slot, table + size * (start - 1)) == 0:
            start -= 1
        count = take(shape, table + size * start, table + size * end, scratch)
        for i in range(count):
            bucket = table + scale(fingerprint(shape.slot, scratch, i), buckets) * size
            put(shape, bucket, scratch + 8 * len(shape.slot) * i)
        end = start


@native
def take(shape: Shape, start: int, end: int, target: int) -> int:
    """Move all keys from the slots between two addresses to `target`; returns how many."""
    words = len(shape.slot)
    count = 0
    for slot in range(start, end, 8 * words):
        if load(slot, words - 1) != 0:
            for word in range(words):
                store(target, count * words + word, load(slot, word))
                store(slot, word, 0)
            count += 1
    return count


@native
def put(shape: Shape, bucket: int, key: int) -> None:
    """Put a key that is not in the table in the first free slot from `bucket` on.

    Slot by slot: keys come in the order of their hashes, so what would be loaded as a whole has
    been written in parts a moment ago, and a processor waits for that to reach the cache.
    """
    words = len(shape.slot)
    while load(bucket, words - 1) != 0:
        bucket += 8 * words
    for word in range(words):
        store(bucket, word, load(key, word))
