"""Reading the steps between some states from the tables of a finished search.

A search keeps states, not steps. Where properties of runs are checked, the steps that leave the
states in which one of them is false are made once more: these states, the *region*, have got
*ids*, 1, 2, 3…, and the other ones have id 0. A task goes over the states of one worker:

- `place` looks up each state of the region in the table and writes its id beside the table, at the
  number of its slot;
- `join` expands the states of the region, looks up their successors, and writes for each step
  `id of the successor << 24 | instance`, the steps of a state next to each other.

A step that does not change the state is none, and one that leaves the region is of interest only
if its instance is fair. A fair step that fails, because an assertion is false, leads nowhere, and
counts as one that leaves: a run cannot stay where it must happen. Everybody's ids have to be in
place before steps are joined; the tables are only read, so that all workers can do either at once.
"""

from ackproof.model.kernel.control import BUCKETS, INSTANCE_BITS, INSTANCE_MASK, TABLE, WORKERS
from ackproof.model.kernel.graph_task import (
    BATCH,
    BLOCKS,
    COUNT,
    COUNTS,
    DEGREES,
    DONE,
    FAIR,
    HASHES,
    IDS,
    INPUT,
    JOINING,
    KEPT,
    LOST,
    METAS,
    MODEL,
    MOST,
    OUTPUT,
    OWNER,
    SEEN,
    SLOTS,
    SOURCES,
    STEPS,
    VIOLATIONS,
)
from ackproof.model.kernel.intrinsics import (
    Shape,
    call_expand,
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

__all__ = ["connect"]

#: Bits of a record: an assertion is false, or something is not defined; there is no successor.
FAILS = 3


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
def place(shape: Shape, task: int) -> None:
    """Write the ids of the states of the region at the numbers of their slots."""
    block = load(load(task, BLOCKS), load(task, OWNER))
    slots = load(load(task, SLOTS), load(task, OWNER))
    kept = load(task, KEPT)
    for local in range(load(task, COUNT)):
        name = load(load(task, IDS), local)
        if name != 0:
            slot = slot_of(
                shape, block, kept + 8 * len(shape) * local, fingerprint(shape, kept, local)
            )
            if slot < 0:
                store(task, LOST, load(task, LOST) + 1)
            else:
                store(slots, slot, name)


@native
def gather(shape: Shape, task: int, start: int) -> int:
    """Fill a batch with states of the region, from a local number on; returns how many."""
    words = len(shape)
    room = load(task, BATCH)
    kept, ids = load(task, KEPT), load(task, IDS)
    target, sources = load(task, INPUT), load(task, SOURCES)
    count = 0
    local = start
    end = load(task, COUNT)
    while count < room and local < end:
        name = load(ids, local)
        if name != 0:
            for word in range(words):
                store(target, count * words + word, load(kept, local * words + word))
            store(sources, count, name)
            count += 1
        local += 1
    store(sources, room, local)
    return count


@native
def ask(shape: Shape, task: int, made: int) -> None:
    """Hash the successors of a batch, and ask the memory for their buckets."""
    output, hashes = load(task, OUTPUT), load(task, HASHES)
    workers = load(load(load(task, BLOCKS), 0), WORKERS)
    for i in range(made):
        hashed = fingerprint(shape, output, i)
        store(hashes, 2 * i, hashed)
        # The same choice of an owner as `together` makes.
        owner = scale(hashed << 32, workers)
        store(hashes, 2 * i + 1, owner)
        block = load(load(task, BLOCKS), owner)
        index = scale(hashed, load(block, BUCKETS))
        prefetch(load(block, TABLE) + index * bucket_bytes(shape))


@native
def write(shape: Shape, task: int, made: int, first: int) -> None:
    """Write the steps of a batch, of which `first` is the number of the first state."""
    output, metas, hashes = load(task, OUTPUT), load(task, METAS), load(task, HASHES)
    record = 0
    for i in range(made):
        owner = load(hashes, 2 * i + 1)
        block = load(load(task, BLOCKS), owner)
        slot = slot_of(shape, block, output + 8 * len(shape) * i, load(hashes, 2 * i))
        if slot < 0:
            store(task, LOST, load(task, LOST) + 1)
            continue
        name = load(load(load(task, SLOTS), owner), slot)
        position = load(metas, i) >> 32
        record = fail(task, record, position, first)
        if name != load(load(task, SOURCES), position):
            note(task, name, load(metas, i) & INSTANCE_MASK, first + position)
    fail(task, record, load(task, BATCH), first)


@native
def fail(task: int, record: int, position: int, first: int) -> int:
    """Write the steps that fail in the states up to a position; returns the next record."""
    records = load(task, VIOLATIONS)
    while record < load(records, 0) and load(records, 3 * record + 2) <= position:
        instance = load(records, 3 * record + 3)
        if instance < INSTANCE_MASK and load(records, 3 * record + 4) & FAILS != 0:
            note(task, 0, instance, first + load(records, 3 * record + 2))
        record += 1
    return record


@native
def note(task: int, name: int, instance: int, state: int) -> None:
    """Write a step of a state, to the one with this id, unless it is of no interest."""
    if name != 0 or load(load(task, FAIR), instance) != 0:
        done, degrees = load(task, DONE), load(task, DEGREES)
        store(load(task, STEPS), done, (name << INSTANCE_BITS) | instance)
        store(degrees, state, load(degrees, state) + 1)
        store(task, DONE, done + 1)


@native
def join(shape: Shape, task: int) -> None:
    """Write the steps that leave the states of the region; ends early when there are too many."""
    local = 0
    first = 0
    while local < load(task, COUNT) and load(task, DONE) <= load(task, MOST):
        count = gather(shape, task, local)
        local = load(load(task, SOURCES), load(task, BATCH))
        store(load(task, VIOLATIONS), 0, 0)
        made = call_expand(
            load(task, MODEL),
            count,
            load(task, INPUT),
            load(task, OUTPUT),
            load(task, METAS),
            load(task, COUNTS),
            load(task, SEEN),
            load(task, VIOLATIONS),
        )
        ask(shape, task, made)
        write(shape, task, made, first)
        first += count


@native
def connect(shape: Shape, task: int) -> None:
    """Do what a task says: place ids, or join steps."""
    if load(task, JOINING) == 0:
        place(shape, task)
    else:
        join(shape, task)
