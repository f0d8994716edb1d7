"""Reading the steps between some states from the tables of a finished search.

A search keeps states, not steps. What is left of a region that a run may stay in (see `classes`)
has marks, and the steps that leave these states are made once more: for each one a word, `id of the
successor << 24 | instance`, those of a state next to each other. A state without a mark has the id
0.

A step that does not change the state is none, and one to a state without a mark is of interest only
if its instance is fair. A fair step that fails, because an assertion is false, leads nowhere, and
counts as one that leaves: a run cannot stay where it must happen. Everybody's marks have to be in
place before steps are joined; the tables are only read, so that all workers can join at once.
"""

from ackproof.model.kernel.control import INSTANCE_BITS, INSTANCE_MASK, RECORD, STOP
from ackproof.model.kernel.graph_task import (
    BATCH,
    BLOCKS,
    DEGREES,
    DONE,
    FAILS,
    FAIR,
    FALSE,
    FALSIFY,
    INPUT,
    JOIN,
    LOST,
    METAS,
    MODE,
    MOST,
    OWNER,
    SLOTS,
    SOURCES,
    STEPS,
    VIOLATIONS,
)
from ackproof.model.kernel.intrinsics import (
    Shape,
    atomic_load,
    call_falsify,
    load,
    native,
    store,
)
from ackproof.model.kernel.marks import answer, ask, gather
from ackproof.model.kernel.measures import expand_batch
from ackproof.model.kernel.retrace import retrace

__all__ = ["connect"]


@native
def write(shape: Shape, task: int, made: int, first: int) -> None:
    """Write the steps of a batch, of which `first` is the number of the first state."""
    metas = load(task, METAS)
    record = 0
    for i in range(made):
        name = answer(shape, task, i)
        if name < 0:
            store(task, LOST, load(task, LOST) + 1)
            continue
        position = load(metas, i) >> 32
        record = fail(task, record, position, first)
        if name != load(load(task, SOURCES), position):
            note(task, name, load(metas, i) & INSTANCE_MASK, first + position)
    fail(task, record, load(task, BATCH), first)


@native
def fail(task: int, record: int, position: int, first: int) -> int:
    """Write the steps that fail in the states up to a position; returns the next record."""
    records = load(task, VIOLATIONS)
    while record < load(records, 0) and load(records, RECORD * record + 2) <= position:
        instance = load(records, RECORD * record + 3)
        if instance < INSTANCE_MASK and load(records, RECORD * record + 4) & FAILS != 0:
            note(task, 0, instance, first + load(records, RECORD * record + 2))
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
    """Write the steps that leave marked states; ends early when there are too many."""
    block = load(load(task, BLOCKS), load(task, OWNER))
    slot = 0
    first = 0
    while (
        slot < load(task, SLOTS)
        and load(task, DONE) <= load(task, MOST)
        and atomic_load(load(block, STOP)) == 0
    ):
        count = gather(shape, task, slot)
        slot = load(load(task, SOURCES), load(task, BATCH))
        call_falsify(load(task, FALSIFY), count, load(task, INPUT), load(task, FALSE) + 8 * first)
        made = expand_batch(task, count)
        for i in range(made):
            ask(shape, task, i, i)
        write(shape, task, made, first)
        first += count


@native
def connect(shape: Shape, task: int) -> None:
    """Do what a task says: join steps, or make the states of a level again."""
    if load(task, MODE) == JOIN:
        join(shape, task)
    else:
        retrace(shape, task)
