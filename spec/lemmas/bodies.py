"""Lemmas of files and bodies: what queues share is there as long as one of them needs it (C1.2).

A queue that has an entry in its index refers to the body, and the shared store collects what nobody
refers to.  So what the store has said once of a body, that it is on the disk, stays true.
"""

from __future__ import annotations

from ackproof.lang import Ranking, assumption, helpful, lemma, measure
from ackproof.spec.sorts import Born, Level, Msg, Replica
from ackproof.spec.system import Confirms


@assumption
def SharedBodiesAreOnOneNode(s: Confirms) -> bool:
    """Queues that share a store are on one node, which is not spoken of, and pay nothing (C1.2)."""
    return not any(s.replicas[r].store.apart for r in Replica) or (
        not s.credit
        and all(s.replicas[r].store.apart and s.replicas[r].born == Born.MASTER for r in Replica)
        and all(s.replicas[r].node is None for r in Replica)
    )


#: What it takes to know that nobody who shares a body is a mirror.
_NO_MIRRORS = ("JoinedIsNoMaster", "SharedBodiesAreOnOneNode")

#: What it takes to know that a body that is on the disk stays there.
BODIES = (*_NO_MIRRORS, "EntryRefers", "KnownBodyIsSynced", "StoringIsPossible")


@lemma(*_NO_MIRRORS)
def EntryRefers(s: Confirms) -> bool:
    """A queue whose index has a message refers to its body (C3.2)."""
    return all(
        r in s.bodies.referring[m]
        for r in Replica
        if s.replicas[r].store.apart
        for m in set(s.replicas[r].store.level)
    )


#: The steps in which the entries of processes that have ended go, too.
_CRASHES = {
    "crash_node": ("MemoryEndsWithItsProcess",),
    "stop_broker": ("MemoryEndsWithItsProcess",),
    "crash_machine": ("MemoryEndsWithItsProcess",),
}


@lemma(*_NO_MIRRORS, forget=("LeavingIsWritten",), synchronise=("LeavingIsWritten",), **_CRASHES)
def StoringIsPossible(s: Confirms) -> bool:
    """What a store has to confirm it has not on disk yet, or not its body (C2.1)."""
    return all(
        s.replicas[r].store.level[m] != Level.ABSENT
        and (
            s.replicas[r].store.level[m] != Level.SYNCED
            or (s.replicas[r].store.apart and m not in s.replicas[r].store.stored)
        )
        for r in Replica
        for m in s.replicas[r].store.unconfirmed
    )


@lemma()
def AwaitedBodyIsUnsynced(s: Confirms) -> bool:
    """A body that somebody waits for is not on the disk (C3.1)."""
    return all(
        s.replicas[r].store.apart and s.bodies.level[m] != Level.SYNCED
        for m in Msg
        for r in s.bodies.waiting[m]
    )


# -- why what nobody needs is gone in the end ---------------------------------------------------


@lemma(*_NO_MIRRORS, "EntryRefers")
def ReferredHasEntry(s: Confirms) -> bool:
    """A queue that refers to a body has the message in its index (C4.1)."""
    return all(
        s.replicas[r].store.apart and s.replicas[r].store.level[m] != Level.ABSENT
        for m in Msg
        for r in s.bodies.referring[m]
    )


@measure()
def BodyIsThere(s: Confirms, msg: Msg) -> bool:
    """A body that can be removed: it cannot get there a second time but by who refers to it."""
    return s.bodies.level[msg] != Level.ABSENT


@helpful("collect_body")
def ToBeCollected(s: Confirms, msg: Msg) -> bool:
    """A body that nobody refers to is removed (C5.1)."""
    return s.bodies.level[msg] != Level.ABSENT and not s.bodies.referring[msg]


RANKINGS = {
    "NeedlessBodyGoes": Ranking(
        measure=("BodyIsThere",), helpful=("ToBeCollected",), by=("ReferredHasEntry",)
    ),
}

#: What the properties of this group are proved with.
PROOFS = {
    "EntriesHaveBodies": (*_NO_MIRRORS, "EntryRefers"),
    "KnownBodyIsSynced": (
        *_NO_MIRRORS,
        "AwaitedBodyIsUnsynced",
        "EntryRefers",
        "StoringIsPossible",
    ),
    "MemoryEndsWithItsNode": (),
    "MemoryEndsWithItsProcess": (),
    "NoBodyFromNowhere": (*_NO_MIRRORS, "CastsBelong"),
    "UnstoredIsUnderWay": (*_NO_MIRRORS, "MemoryEndsWithItsProcess", "LeavingIsWritten"),
}
