"""Lemmas of handing out: a queue marks what a consumer may have seen before (B7.4).

A master marks what it hands out.  It does not know what those before it did.  So what it has when
it starts again, or is promoted, counts as handed out; and so does what is still to come, if it was
sent while this was a mirror.  Whatever is sent later is new, and nobody has seen it.
"""

from __future__ import annotations

from ackproof.lang import assumption, lemma
from ackproof.spec.lemmas.asking import below_next
from ackproof.spec.sorts import Born, Msg, Queue, Replica, Seen, Status
from ackproof.spec.system import Confirms


@assumption
def HandedOutIsRecorded(s: Confirms) -> bool:
    """A queue may do without a record of what was handed out only where nobody has names (B7.4).

    RabbitMQ's always has one; without it, nothing that comes again is marked as redelivered.
    """
    return not s.tagged or all(s.replicas[r].marking for r in Replica)


@lemma("BatchIsNew", "BatchIsNumbered", "NumberedInFlight", "NumberedInStore")
def HandedIsPast(s: Confirms) -> bool:
    """What was handed out has a smaller number than what comes next, and was committed (A4.1)."""
    return all(
        below_next(s, m) and m not in s.transactions[Msg.owner(m)].batch
        for q in Queue
        for m in s.handed[q]
    )


@lemma("MemoryEndsWithItsProcess", "MirrorHandsNothingOut", "NothingIsSetAsideWithMirrors")
def PendingIsMarked(s: Confirms) -> bool:
    """What is with a consumer counts as handed out (B7.4)."""
    return all(
        s.replicas[r].pending <= s.replicas[r].delivered for r in Replica if s.replicas[r].marking
    )


@lemma(
    "JoinedIsNoMaster",
    publish=("NumberedInStore",),
    publish_again=("NumberedInStore",),
    dead_letter=("NumberedInStore",),
    publish_plain=("NumberedInStore",),
    tx_commit=("BatchIsNew",),
    restart=("EndedIsNotAsked",),
    promote=(
        "MirrorHandsNothingOut",
        "NothingIsSetAsideWithMirrors",
    ),
)
def ComingAgainIsMarked(s: Confirms) -> bool:
    """So does what a master has that is still to come to it: it had it as a mirror (D5.5)."""
    return all(
        m in s.replicas[r].delivered
        for r in Replica
        if s.replicas[r].marking and (s.replicas[r].born == Born.MASTER or s.replicas[r].promoted)
        if s.replicas[r].status == Status.RUNNING
        for m in s.replicas[r].holds()
        if m in s.casts[Msg.owner(m)].publishes[r]
    )


#: What it takes to know that only one process hands out what is in a queue.
_ALONE = ("ApartMeansParted", "QueuesBeginAsOne", "TwoLeadOnTwoSides")


@lemma(
    "JoinedIsNoMaster",
    "PendingIsMarked",
    publish=("HandedIsPast",),
    publish_again=("HandedIsPast",),
    dead_letter=("HandedIsPast",),
    publish_plain=("HandedIsPast",),
    tx_commit=("HandedIsPast", "BatchBelongs"),
    restart=("EndedIsNotAsked",),
    drain=("CalledIsNotAsked",),
    hand_out=(*_ALONE, "ComingAgainIsMarked"),
    hand_on=(*_ALONE, "ComingAgainIsMarked"),
    get=(*_ALONE, "ComingAgainIsMarked"),
)
def HandedIsMarked(s: Confirms) -> bool:
    """What a client has seen is marked while it is in the queue, or on its way to it (B7.4)."""
    return s.cluster.parted or all(
        m in s.replicas[r].delivered
        for r in Replica
        if s.replicas[r].marking and (s.replicas[r].born == Born.MASTER or s.replicas[r].promoted)
        if s.replicas[r].status == Status.RUNNING
        for m in s.handed[s.replicas[r].of]
        if m in s.replicas[r].ready
        or (m in s.casts[Msg.owner(m)].publishes[r] and s.replicas[r].seen[m] == Seen.ABSENT)
    )


#: What the properties of this group are proved with.
PROOFS = {
    "CancelSettlesNothing": (),
    "ClosingRecallsNothing": (),
    "EachTagIsSeenOnce": ("ConsumersAreOnOpenChannels", "SeenWasCounted"),
    "FetchedAgainIsMarked": ("HandedIsMarked", "HandedOutIsRecorded"),
    "FetchedIsTaken": ("OneMaster",),
    "MarkedWasFetched": (),
    "OneMessageAtATime": (),
    "OneQueueIsDeleted": (),
    "RecoverBringsAllBack": (),
    "RedeliveredIsMarked": (
        "ConsumersAreOnOpenChannels",
        "ConsumersEndWithTheirMaster",
        "HandedIsMarked",
        "HandedOutIsRecorded",
    ),
    "StartsWithAllItHad": (),
}
