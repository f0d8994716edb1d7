"""The states of a finished search once more, in the order in which it found them.

The tables of a search do not tell when a state was found; the log does, by how it was made. So the
states of a level are made again of those of the level before, each by the step that the log names,
and kept in the order of their numbers for as long as it takes to make the next level. That costs as
much as to expand them, and no more memory than the frontiers of the search.
"""

from ackproof.model.kernel.collapse import is_collapsed, key_of
from ackproof.model.kernel.control import COUNT, INSTANCE_BITS, INSTANCE_MASK, LOG, WORKERS
from ackproof.model.kernel.control import DEPTH as LEVELS_KNOWN
from ackproof.model.kernel.control import LEVELS as STARTS
from ackproof.model.kernel.graph_task import (
    BLOCKS,
    COUNTS,
    DEPTH,
    DONE,
    EARLIER,
    FOUND,
    LATER,
    MARKS,
    METAS,
    MODEL,
    OUTPUT,
    OWNER,
    SEEN,
    SPACE,
    VIOLATIONS,
)
from ackproof.model.kernel.intrinsics import Shape, call_expand, load, native, store
from ackproof.model.kernel.marks import id_of, slot_of
from ackproof.model.kernel.table import fingerprint


@native
def remake(shape: Shape, task: int, entry: int, made: int, same: bool) -> int:
    """Expand the predecessor that an entry of the log names, unless it is the one before.

    Returns how many successors there are: they are in the output.
    """
    if same:
        return made
    number = entry >> INSTANCE_BITS
    workers = load(load(load(task, BLOCKS), 0), WORKERS)
    owner = number % workers
    start = load(load(load(load(task, BLOCKS), owner), STARTS), load(task, DEPTH) - 1)
    state = load(load(task, EARLIER), owner) + 8 * len(shape.words) * (number // workers - start)
    store(load(task, VIOLATIONS), 0, 0)
    return call_expand(
        load(task, MODEL),
        1,
        state,
        load(task, OUTPUT),
        load(task, METAS),
        load(task, COUNTS),
        load(task, SEEN),
        load(task, VIOLATIONS),
    )


@native
def retrace(shape: Shape, task: int) -> None:
    """Make the states of a worker on a level, and note the ids and numbers of those with marks."""
    words = len(shape.words)
    owner, depth = load(task, OWNER), load(task, DEPTH)
    block = load(load(task, BLOCKS), owner)
    marks, found = load(load(task, MARKS), owner), load(task, FOUND)
    target = load(load(task, LATER), owner)
    start = load(load(block, STARTS), depth)
    end = load(block, COUNT)
    if depth + 1 < load(block, LEVELS_KNOWN):
        end = load(load(block, STARTS), depth + 1)
    made, before, done = 0, -1, 0
    for local in range(start, end):
        entry = load(load(block, LOG), local)
        state = target + 8 * words * (local - start)
        if depth > 0:
            number = entry >> INSTANCE_BITS
            made = remake(shape, task, entry, made, number == before)
            before = number
            for i in range(made):
                if load(load(task, METAS), i) & INSTANCE_MASK == entry & INSTANCE_MASK:
                    for word in range(words):
                        store(state, word, load(load(task, OUTPUT), i * words + word))
        key = state
        if is_collapsed(shape):
            key = load(task, SPACE)
            key_of(shape, block, state, key)
        slot = slot_of(shape, block, key, fingerprint(shape.slot, key, 0))
        name = id_of(marks, slot) if slot >= 0 else 0
        if name != 0:
            store(found, 2 * done, name)
            store(found, 2 * done + 1, local * load(block, WORKERS) + owner)
            done += 1
    store(task, DONE, done)
