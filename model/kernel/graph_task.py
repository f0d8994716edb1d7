"""The words of a task that `graph` does: where everything is that it reads and writes.

Compiled code and what calls it agree on them; the latter does without the compiler.
"""

# Words of a task. BLOCKS and SLOTS are addresses of one word for each worker: its control block,
# and its ids by slot. OWNER is the worker whose states these are, KEPT their address, COUNT how
# many there are, and IDS the address of their ids. FAIR has a word for each instance, 0 unless it
# is fair. INPUT to HASHES are buffers for a batch. STEPS is where steps are written, at most MOST
# of them, and DEGREES how many each state of the region has. DONE and LOST are results: how many
# steps were written, and how many states were not found, of which there are none.
(
    JOINING,
    OWNER,
    BLOCKS,
    SLOTS,
    KEPT,
    COUNT,
    IDS,
    FAIR,
    MODEL,
    BATCH,
    INPUT,
    SOURCES,
    OUTPUT,
    METAS,
    HASHES,
    COUNTS,
    SEEN,
    VIOLATIONS,
    STEPS,
    MOST,
    DEGREES,
    DONE,
    LOST,
    TASK_FIELDS,
) = range(24)
