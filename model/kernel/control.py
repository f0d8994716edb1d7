"""The control block: what one worker of a search knows, as numbered 64-bit words.

Compiled functions get a worker's whole state as one address and keep it there between calls, so
that every function has the same short signature, and so that the thread that watches the search
can read how far it is. Words are in groups; addresses are plain integers.

A *number* identifies a state in the whole search: `local number * workers + worker`, where the
local number counts the states of that worker in the order in which it met them. A *log entry*
says how a state was first reached: `number of the predecessor << 24 | instance`.
"""

from ackproof.model.limits import MOST_PROPERTIES

# Storage of this worker's share of the states. The table, the two frontiers, the log and the
# levels are regions. LEVELS holds how many states were known as each level began; PEAK words hold
# the most states that a frontier has held, hence what it occupies.  LOGGED is the local number of
# the first state that the log has an entry of, where those before it are not needed any more.
(
    TABLE,
    BUCKETS,
    FULL_AT,
    COUNT,
    LOG,
    LOGGED,
    LEVELS,
    CURRENT,
    CURRENT_COUNT,
    CURRENT_PEAK,
    NEXT,
    NEXT_COUNT,
    NEXT_PEAK,
    LIMIT,
    # Progress through the current level. BASE is the local number of the first state of the
    # current frontier, INSPECTED how many states of the next one have had their properties looked
    # at, DEPTH the level of the current frontier (the initial states are level 1). With SURVEY a
    # search goes on after a violation.
    CURSOR,
    BASE,
    INSPECTED,
    DEPTH,
    MAX_DEPTH,
    SURVEY,
    VIOLATED,
    STATUS,
    # The model: addresses of its two functions, and of what they count and report.
    EXPAND,
    INSPECT,
    COUNTS,
    SEEN,
    VIOLATIONS,
    FIRST_STEPS,
    FIRST_STATES,
    INITIAL_COUNT,
    # Buffers, two of each: while one batch waits for its slots to arrive, the next is made.
    BATCH,
    STATES,
    STATES_ODD,
    ENTRIES,
    ENTRIES_ODD,
    VISITS,
    VISITS_ODD,
    # Working together: see `together`.
    WORKER,
    WORKERS,
    STOP,
    BARRIER,
    BARRIERS_PASSED,
    FLAGS,
    BOXES,
    BOX_BYTES,
    BOX_CAPACITY,
    ROUND,
    PAUSE,
    # Two dictionaries, see `collapse`: of the words of states, and of pairs of numbers.  UNNUMBERED
    # tells that there was no room in one, and OPENED has room for a batch of states.
    LEAVES,
    LEAVES_NUMBERS,
    LEAVES_SIZE,
    LEAVES_CAPACITY,
    PAIRS,
    PAIRS_NUMBERS,
    PAIRS_SIZE,
    PAIRS_CAPACITY,
    UNNUMBERED,
    OPENED,
    FIELDS,
) = range(59)

# Values of STATUS.
RUNNING, EXHAUSTED, VIOLATION_FOUND, DEPTH_REACHED, MEMORY_FULL, INTERRUPTED = range(6)

INSTANCE_BITS = 24
INSTANCE_MASK = (1 << INSTANCE_BITS) - 1
# The log entry of an initial state is negative, with its position in place of the instance.
ROOT = -1 << 62

# Words of a violation record, as generated code writes them after the two words of the header:
# position of a state, instance, and bits of the properties, MASK_WORDS words of them.
MASK_WORDS = MOST_PROPERTIES // 64
RECORD = 2 + MASK_WORDS
# Words kept for the first violation of a property: found, number of the state, instance.
FIRST = 3
PROPERTIES = 64 * MASK_WORDS

# States that a worker takes from a box at a time, and words between two workers' flags.
GROUP = 256
FLAG_STRIDE = 8
BOX_HEADER = 8

LINE_WORDS = 8

# The words of a dictionary: the addresses of its values and of its index, how many values there
# are, and for how many numbers the index is made, at first FIRST_CAPACITY. A key of two numbers has
# 31 bits for the first, and one that marks it.
VALUES, NUMBERS, SIZE, CAPACITY = range(4)
FIRST_CAPACITY = 1 << 4
MOST_NUMBERS = (1 << 31) - 1


def bucket_slots(words: int) -> int:
    """How many slots of that many words a bucket has: a cache line of them, or at least one."""
    return max(1, LINE_WORDS // words)
