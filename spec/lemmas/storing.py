"""Lemmas of storing: what is said to be on disk is there, or has left the queue (INV-C1, INV-B5).

A store confirms what it has synced, and what was removed before.  A process passes that on, and
keeps a note of it while its channel has still to call; what it was told was given away it never
has.  Nobody stores a message twice, so what is on disk stays there while the queue has it.
"""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.lemmas.bodies import BODIES
from ackproof.spec.lemmas.following import STAYS
from ackproof.spec.sorts import Level, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms

#: What it takes to know that what a process puts into its queue was never there.
_NEW = (
    "JoinedIsNoMaster",
    "LeaderIsToldNothing",
    "ToldIsNotStored",
    "UntoldIsNotStored",
)

#: What it takes to know that what leaves a queue is not with a consumer as well.
_GONE = ("MirrorHandsNothingOut", "PendingIsNotReady")


@lemma(
    *_NEW,
    *_GONE,
    synchronise=STAYS,
)
def LeavingIsWritten(s: Confirms) -> bool:
    """What is about to leave the files is in them, confirmed, and in the queue no more (C5.2)."""
    return all(
        s.replicas[r].store.lazy
        and (
            s.replicas[r].store.level[m] == Level.WRITTEN
            or s.replicas[r].store.level[m] == Level.SYNCED
        )
        and m not in s.replicas[r].store.unconfirmed
        and m not in s.replicas[r].holds()
        and s.replicas[r].status == Status.RUNNING
        for r in Replica
        for m in s.replicas[r].store.leaving
    )


@lemma(
    *_NEW,
    *_GONE,
    *BODIES,
    "ConfirmedByStoreIsSafe",
    "LeavingIsWritten",
    synchronise=STAYS,
    restart=("EndedIsNotAsked",),
    master_tells=("ToldIsNew",),
)
def NotedIsSynced(s: Confirms) -> bool:
    """So is what a mirror has noted; what it knows to be given away it has not (D4.6, D4.12)."""
    return all(
        m not in s.replicas[r].holds()
        or (
            s.replicas[r].seen[m] != Seen.DISCARDED
            and (s.replicas[r].seen[m] != Seen.CONFIRMED or s.synced(m, r))
        )
        for r in Replica
        for m in Msg
    )


PROOFS = {
    "ConfirmedByStoreIsSafe": (
        *_NEW,
        *_GONE,
        *STAYS,
        *BODIES,
        "CalledIsNotAsked",
        "MemoryEndsWithItsProcess",
        "LeavingIsWritten",
        "NotedIsSynced",
    ),
    "CastMeansSynced": (
        *_NEW,
        *_GONE,
        *STAYS,
        *BODIES,
        "CalledIsNotAsked",
        "ConfirmedByStoreIsSafe",
        "LeavingIsWritten",
        "NotedIsSynced",
        "NumberedInFlight",
        "ToldIsUnanswered",
        "UntoldIsUnanswered",
    ),
}
