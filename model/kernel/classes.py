"""Which parts of a region a fair run may stay in: found by what no cycle changes.

A fair run that stays in a region ends in a strongly connected component of it. So it suffices to
show of each component that one fair instance is enabled in all of its states, and leads out of it:
it is put off for ever. The states of a component are of one *class*: what measures are about is the
same in all of them (see `measures`). And what holds in a whole class holds in each component of it.

So for each class there is what fair instances are not enabled in some state of it, or do not lead
out of it for sure, a bit for each. A step leads out if it changes a measure, fails, or leads to
where no property is false. Where not all bits are set in the end, no run can stay. That takes to
expand each state of the region once, and neither a step nor a successor is looked up or kept.
How many classes there are is counted before, so that the table has room for so many and no more.

A class is known by 31 bits of a hash of what is fixed in it, in a table with one word for each: the
others are for the instances. If two classes are taken for one, no more can be shown of them, and
so it is with instances that have no bit, as there are more of them. What is left then is little,
and is looked at in other ways.
"""

from ackproof.model.kernel.collapse import state_of
from ackproof.model.kernel.control import INSTANCE_MASK, STOP, TABLE
from ackproof.model.kernel.graph_task import (
    BATCH,
    BITS,
    BLOCKS,
    CAPACITY,
    CLASSES,
    CLASSIFY,
    CODE_BITS,
    CODE_MASK,
    CODES,
    COUNT,
    FALSIFY,
    FIXED,
    GROUP_SLOTS,
    GROUP_WORDS,
    HASHES,
    INPUT,
    LEARN,
    LEVEL_COUNT,
    LEVELS,
    MARK,
    MARKS,
    MASKS,
    METAS,
    MODE,
    OUTPUT,
    OWNER,
    RANK,
    SLOTS,
    SOURCES,
    SPREAD,
    WANTED,
    WRONG,
)
from ackproof.model.kernel.intrinsics import (
    Shape,
    atomic_load,
    atomic_or,
    call_falsify,
    count_bits,
    finish,
    load,
    mix,
    native,
    prefetch,
    scale,
    store,
    swap,
)
from ackproof.model.kernel.marks import gather, mark, rank
from ackproof.model.kernel.measures import (
    enable,
    enable_failing,
    expand_batch,
    is_same,
    learn,
    measured,
    teach,
)
from ackproof.model.kernel.spread import spread

_SEED = 0x2545F4914F6CDD1D
_WORD_BITS = 64


@native
def class_of(shape: Shape, task: int, state: int) -> int:
    """Hash what measures are about: their bits and, if that is one, how many bits are set."""
    fixed = load(task, FIXED)
    mixed = _SEED
    total = 0
    for word in range(len(shape.words)):
        mixed = mix(mixed, load(state, word) & load(fixed, word))
        total += count_bits(load(state, word))
    return finish(mix(mixed, total & load(fixed, len(shape.words))))


@native
def entry_of(task: int, hashed: int) -> int:
    """Address of the entry where to begin to look for a class."""
    return load(task, CLASSES) + 8 * scale(hashed, load(task, CAPACITY))


@native
def name_of(hashed: int) -> int:
    """What a class is known by: bits of its hash, not all 0, where no instance has one."""
    return (hashed | 1) << CODE_BITS


@native
def exclude(task: int, hashed: int, missing: int) -> None:
    """Note in a class what is not enabled in a state of it."""
    name = name_of(hashed)
    address = entry_of(task, hashed)
    held = atomic_load(address)
    while True:
        if held == 0 and swap(address, 0, name | missing) != 0:
            return
        held = atomic_load(address)
        if held & ~CODE_MASK == name:
            if missing & ~held != 0:
                atomic_or(address, missing)
            return
        address += 8
        held = atomic_load(address)


@native
def leads_out(task: int, after: int) -> bool:
    """Whether no property is false in a state that is wanted."""
    masks = load(task, MASKS)
    call_falsify(load(task, FALSIFY), 1, after, masks)
    return load(masks, 0) & load(task, WANTED) == 0


@native
def look(shape: Shape, task: int, made: int) -> None:
    """Note which steps of a batch lead out of their classes."""
    metas, source, target = load(task, METAS), load(task, INPUT), load(task, OUTPUT)
    levels, count = load(task, LEVELS), load(task, LEVEL_COUNT)
    codes = load(task, CODES)
    for i in range(made):
        meta = load(metas, i)
        before = source + 8 * len(shape.words) * (meta >> 32)
        after = target + 8 * len(shape.words) * i
        way = measured(shape, levels, count, before, after)
        if way > 0:
            enable(task, meta >> 32, meta & INSTANCE_MASK)
        elif way < 0:
            if leads_out(task, after):
                enable(task, meta >> 32, meta & INSTANCE_MASK)
            else:
                store(task, WRONG, 1)
                teach(shape, task, before, after)
        elif (
            load(codes, meta & INSTANCE_MASK) != 0
            and not is_same(shape, before, after)
            and leads_out(task, after)
        ):
            enable(task, meta >> 32, meta & INSTANCE_MASK)
    enable_failing(task)


@native
def count(shape: Shape, task: int) -> None:
    """Set a bit for the class of each state of a worker, so that classes can be counted."""
    block = load(load(task, BLOCKS), load(task, OWNER))
    slot = 0
    while slot < load(task, SLOTS) and atomic_load(load(block, STOP)) == 0:
        some = gather(shape, task, slot)
        slot = load(load(task, SOURCES), load(task, BATCH))
        for i in range(some):
            hashed = class_of(shape, task, load(task, INPUT) + 8 * len(shape.words) * i)
            bit = scale(hashed, load(task, CAPACITY))
            atomic_or(load(task, CLASSES) + 8 * (bit // _WORD_BITS), 1 << (bit & _WORD_BITS - 1))


@native
def classify(shape: Shape, task: int) -> None:
    """Go over the region of a worker; ends when a measure is none."""
    block = load(load(task, BLOCKS), load(task, OWNER))
    sources, bits, hashes = load(task, SOURCES), load(task, BITS), load(task, HASHES)
    slot = 0
    while (
        slot < load(task, SLOTS) and load(task, WRONG) == 0 and atomic_load(load(block, STOP)) == 0
    ):
        count = gather(shape, task, slot)
        slot = load(sources, load(task, BATCH))
        for i in range(count):
            hashed = class_of(shape, task, load(task, INPUT) + 8 * len(shape.words) * i)
            store(hashes, i, hashed)
            prefetch(entry_of(task, hashed))
        look(shape, task, expand_batch(task, count))
        for i in range(count):
            exclude(task, load(hashes, i), ~load(bits, i) & CODE_MASK)


@native
def may_stay(task: int, hashed: int) -> bool:
    """Whether a fair run may stay in a class, for all that is known."""
    name = name_of(hashed)
    address = entry_of(task, hashed)
    while load(address, 0) & ~CODE_MASK != name:
        address += 8
    return load(address, 0) & CODE_MASK == CODE_MASK


@native
def is_any_left(task: int) -> bool:
    """Whether a fair run may stay in some class."""
    classes, entry = load(task, CLASSES), 0
    while entry < load(task, CAPACITY) or load(classes, entry) != 0:
        if load(classes, entry) & CODE_MASK == CODE_MASK:
            return True
        entry += 1
    return False


@native
def dismiss(shape: Shape, task: int) -> None:
    """Take the marks of a worker's states that cannot be stayed in."""
    marks = load(load(task, MARKS), load(task, OWNER))
    block = load(load(task, BLOCKS), load(task, OWNER))
    state = load(task, INPUT)
    some = is_any_left(task)
    for group in range(load(task, SLOTS) // GROUP_SLOTS):
        bits = load(marks, GROUP_WORDS * group) if some else 0
        left = 0
        for place in range(GROUP_SLOTS if bits != 0 else 0):
            if bits >> place & 1 != 0:
                held = 8 * len(shape.slot) * (GROUP_SLOTS * group + place)
                state_of(shape, block, load(block, TABLE) + held, state)
                if may_stay(task, class_of(shape, task, state)):
                    left |= 1 << place
        store(marks, GROUP_WORDS * group, left)


@native
def divide(shape: Shape, task: int) -> None:
    """Do what a task says, of all that is done to find what may be stayed in."""
    mode = load(task, MODE)
    if mode == MARK:
        mark(shape, task)
    elif mode == SPREAD:
        spread(shape, task)
    elif mode == RANK:
        rank(shape, task)
    elif mode == LEARN:
        learn(shape, task)
    elif mode == COUNT:
        count(shape, task)
    elif mode == CLASSIFY:
        classify(shape, task)
    else:
        dismiss(shape, task)
