"""Lemmas of storing: what is said to be on disk is there, or has left the queue (INV-C1, INV-B5).

A store confirms what it has synced, and what was removed before.  A process passes that on, and
keeps a note of it while its channel has still to call; what it was told was given away it never
has.  Nobody stores a message twice, so what is on disk stays there while the queue has it.
"""

from __future__ import annotations

from ackproof.lang import Ranking, helpful, lemma, measure
from ackproof.spec.lemmas.bodies import BODIES
from ackproof.spec.sorts import Level, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms

#: What it takes to know that what a process puts into its queue was never there.
_NEW = (
    "JoinedIsNoMaster",
    "LeaderIsSynchronised",
    "LeaderIsToldNothing",
    "ToldIsNotStored",
    "UntoldIsNotStored",
)

#: What it takes to know that what a mirror is given was never there.
STAYS = (
    "JoinedIsNoMaster",
    "LeaderIsSynchronised",
    "LeaderIsToldNothing",
    "GoneFromOneIsGoneFromAll",
    "MirrorHandsNothingOut",
    "NothingIsSetAsideWithMirrors",
)

#: What it takes to know that what leaves a queue is not with a consumer as well.
_GONE = (
    "MirrorHandsNothingOut",
    "NothingIsSetAsideWithMirrors",
    "PendingIsNotReady",
    "SetAsideIsNeither",
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


@lemma("MailIsUnwritten")
def MailIsToBeStored(s: Confirms) -> bool:
    """What is on its way to a store is persistent, and the queue durable (C2.1)."""
    return all(
        m in s.persistent and s.replicas[r].durable for r in Replica for m in s.mailboxes[r].writes
    )


@lemma(*_NEW, *_GONE, "LeavingIsWritten", synchronise=STAYS)
def FiledIsHeldOrLeaving(s: Confirms) -> bool:
    """What is in the files of a process that runs it has, or they are about to lose it (C5.2)."""
    return all(
        m in s.replicas[r].holds() or m in s.replicas[r].store.leaving
        for r in Replica
        if s.replicas[r].status == Status.RUNNING
        for m in set(s.replicas[r].store.level)
    )


@measure()
def EntryIsThere(s: Confirms, msg: Msg, replica: Replica) -> bool:
    """An entry that is of no use: it cannot get there a second time but with its message."""
    return s.replicas[replica].store.level[msg] != Level.ABSENT


@helpful("forget", "MemoryEndsWithItsProcess", "LeavingIsWritten")
def ToBeForgotten(s: Confirms, msg: Msg, replica: Replica) -> bool:
    """The removal of an entry reaches the disk (C5.2)."""
    return msg in s.replicas[replica].store.leaving


RANKINGS = {
    "RemovedIsForgotten": Ranking(
        measure=("EntryIsThere",), helpful=("ToBeForgotten",), by=("FiledIsHeldOrLeaving",)
    ),
}

PROOFS = {
    "LeavingIsWritten": (*_NEW, *_GONE, *STAYS, "MemoryEndsWithItsProcess"),
    "MailIsUnwritten": (
        *_NEW,
        *_GONE,
        *STAYS,
        "LeavingIsWritten",
        "MailIsToBeStored",
        "MemoryEndsWithItsProcess",
    ),
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
