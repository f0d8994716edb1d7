"""Why a mutant that nothing notices is no mistake: the reasons that several have."""

from __future__ import annotations

__all__ = [
    "ALL_COMING",
    "ALL_LEAD",
    "ALONE",
    "ANYTIME",
    "AT_ONCE",
    "CLIENTS_OWN",
    "COUNTED",
    "DELETION",
    "DRAINED",
    "EITHER",
    "ENDS_NEXT",
    "FEWER",
    "FOUND",
    "HEARS",
    "HOOK",
    "IGNORED",
    "LEADS_FIRST",
    "MACHINE",
    "MARKED",
    "NAMELESS",
    "NOTHING",
    "NOT_APART",
    "NOT_ASKED",
    "NOT_AWAITED",
    "NOT_LENT",
    "NOT_OPEN",
    "NOT_RETRYING",
    "NO_COPY",
    "NO_MEMORY",
    "NO_PLACE",
    "NO_SURPLUS",
    "ONLY_MIRRORS",
    "OWN_CHANNEL",
    "SENT_IN_ORDER",
    "SEPARATE",
    "STILLBORN",
    "SWITCH",
    "SYSTEM",
    "TOGETHER",
    "TOLD",
    "TWO_IN_ONE",
    "UNMARKED",
    "UNUSED",
    "all_of",
]

SYSTEM = "The action that calls it requires the same."
FEWER = "An unroutable publish without a number; a frame less where no numbers are left."
FOUND = "Routing finds every queue that exists here; some eras say otherwise of it (A5.4)."
AT_ONCE = "A removal may reach the disk at once."
IGNORED = "A queue that is told of a body that it does not wait for ignores that (C2.7)."
NOTHING = "It is a step that changes nothing."
NO_PLACE = "Nobody asks for the place of what has left, and what arrives has its place anew."
NO_MEMORY = "What has ended has nothing in memory (`MemoryEndsWithItsProcess`)."
MACHINE = "The process that it calls requires the same."
NO_SURPLUS = "There is nothing over the limit then that could be dropped."
UNMARKED = "Nobody asks for it where nothing is marked."
SWITCH = "It switches on in an instance what is on in others."
ONLY_MIRRORS = "Only mirrors are unsynchronised."
HOOK = "It does nothing here; whoever keeps the answer goes on from it."
CLIENTS_OWN = "A client says it, and nobody counts what clients say."
ALONE = "It is asked for a process that does not run."
NOT_OPEN = "A closed channel is in no mode (`ClosedHasNoTransaction`), nor asks for one."
MARKED = "Nobody asks of a message that is routed nowhere whether it is persistent."
HEARS = "A channel hears once more of somebody's end, and waits for nobody there."
EITHER = "Two processes are on the same side, or on two, whichever is named first."
NOT_ASKED = "Nobody asks for it where no process of the queue is waited for, and none is by then."
TOLD = "Only mirrors that run are told anything (`LeaderIsToldNothing`, `EndedIsNotAsked`)."
TWO_IN_ONE = "Where there is room it is two steps in one, `deliver` and `hand_out` (B3.2)."
SEPARATE = "Queues that share bodies are on one node; in no instance they lose a process by itself."
NAMELESS = "Where no consumer has a name nobody asks whether their channels are open."
STILLBORN = "A process that ends before it has started is one that ends as it starts."
ANYTIME = (
    "Where nothing runs, a failure ends channels and writes bodies, as other steps do at any time."
)
DRAINED = "The drain confirms what is CALLED, whoever leads (D4.13, D6.1)."
NOT_AWAITED = "The drain ignores what is not awaited (B6.1)."
COUNTED = "The message that the frame names is counted in any case."
NOT_RETRYING = "Where nobody publishes again nothing waits for that."
OWN_CHANNEL = "Only where consumers have a channel of their own an instance has it fail."
ALL_LEAD = "Whoever takes in, takes back or begins to lead is its queue's master."
NOT_LENT = "Only a master that runs has handed anything out."
NOT_APART = "Where bodies do not lie apart nobody refers to any."
ENDS_NEXT = "The process ends next, and what is buffered with it."
SENT_IN_ORDER = "What comes from one channel comes in the order of its numbers (O2)."
UNUSED = "Nobody asks it of what masters have told."
ALL_COMING = "It is asked of all that is coming, and of nothing else."
DELETION = "A normal end is a deletion here; in some eras a mirror ends so, too."
LEADS_FIRST = "Whoever asks has asked before whether it leads, and a deleted queue has no mirrors."
NO_COPY = "A courier is asked about copies only, and keeps what it was told of a copy."
STARTED = (
    "A consumer that is started where it is stays there, and nothing changes.  RabbitMQ closes the "
    "connection (F3.1), which is not spoken of here."
)
TOGETHER = "In no instance a courier has copies answered together of which one was answered before."


def all_of(reason: str, *mutants: str) -> dict[str, str]:
    """Give several mutants of one method the same reason."""
    return dict.fromkeys(mutants, reason)
