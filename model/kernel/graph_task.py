"""The words of a task about properties of runs: what to do, and where everything is.

Compiled code and what calls it agree on them; the latter does without the compiler.  There is a
task for each worker of a search, which is about the states in the table of that worker.
"""

# What to do, see `marks`, `spread`, `measures`, `classes`, `graph` and `retrace`.
MARK, SPREAD, RANK, LEARN, COUNT, CLASSIFY, DISMISS, JOIN, RETRACE = range(9)

# MODE is one of them. BLOCKS and MARKS are addresses of one word for each worker: its control
# block, and its marks; OWNER is the worker whose states these are, and SLOTS how many slots of its
# table have marks.
#
# WANTED has the bits of the properties that are asked for, and MARKED has the bits that a state
# gets a mark for at first. FALSIFY and MODEL are functions of the model. FAIR has a word for each
# instance, 0 unless it is fair. CODES has one, too: the bit that it has in what is enabled, or 0.
# There are LEVEL_COUNT measures from LEVELS on, FIXED has the bits of a state that they are about,
# and every STRIDE-th group of states is gone over. CLASSES is a table with CAPACITY entries,
# or so many bits where classes are counted.
#
# INPUT to VIOLATIONS are buffers for a batch of BATCH states. STEPS is where steps are written, at
# most MOST of them, DEGREES how many each state has, and FALSE which properties are false there.
# EARLIER and LATER are addresses of one word for each worker, where it has the states of a level,
# and of the next one; DEPTH is the number of the latter, and FOUND is where marked ones are noted.
#
# What comes out: FIRST is the number of states that have been given ids, DONE how many of what was
# asked for, and LOST how many states were not found, of which there are none. WRONG tells that a
# measure is none. LEARNT has the bits that some step sets, and those that one clears; ROSE and FELL
# tell whether there are ever more of them or fewer; FREQUENCY has a word for each instance. LESSONS
# has a word with the number of the steps that have shown that a measure is none, and then those of
# them that have room: the state before and the one after.
(
    MODE,
    OWNER,
    BLOCKS,
    MARKS,
    SLOTS,
    WANTED,
    MARKED,
    FALSIFY,
    MODEL,
    FAIR,
    CODES,
    LEVELS,
    LEVEL_COUNT,
    FIXED,
    CLASSES,
    CAPACITY,
    STRIDE,
    BATCH,
    INPUT,
    SOURCES,
    BITS,
    OUTPUT,
    MASKS,
    METAS,
    HASHES,
    SPACE,
    COUNTS,
    SEEN,
    VIOLATIONS,
    STEPS,
    MOST,
    DEGREES,
    FALSE,
    EARLIER,
    LATER,
    DEPTH,
    FOUND,
    FIRST,
    DONE,
    LOST,
    WRONG,
    LEARNT,
    ROSE,
    FELL,
    FREQUENCY,
    LESSONS,
    TASK_FIELDS,
) = range(47)

#: Slots whose marks are in one word.
GROUP_SLOTS = 64
#: Words for the marks of a group: the marks, and the id of the first state that has one.
GROUP_WORDS = 2

#: First bits of a record: an assertion is false, or something is not defined.  Then there is no
#: successor.
FAILS = 3

#: How many such steps have room.
MOST_LESSONS = 1 << 10

#: Bits for the fair instances that are enabled in a state; the others have none.
CODE_BITS = 32
CODE_MASK = (1 << CODE_BITS) - 1
