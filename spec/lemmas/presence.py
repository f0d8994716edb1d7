"""Lemmas of presence: what a process says of a message it has, transient or not (INV-B5, INV-D4).

A process of a queue answers for a message when it has it, and the message stays until it leaves the
queue.  That is so of what is never on a disk, too, as long as the process runs; if it goes down,
nobody counts on its word for a transient message any more.
"""

from __future__ import annotations

from typing import Any

from ackproof.lang import lemma
from ackproof.spec.lemmas.asking import below_next
from ackproof.spec.lemmas.keeping import FRESH
from ackproof.spec.lemmas.mirrors import ARRIVES, ENDS, HEALED, LED, LEFT, LINE, LINED, at
from ackproof.spec.sorts import Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms

#: What leaves a process, or is put in its place, in the steps of mirrors.
_FOLLOWS: dict[str, Any] = {
    "master_removes": ("RemovedIsNotHeld",),
    "synchronise": (
        "AllHaveTheSame",
        "LeaderIsSynchronised",
        "JoinedIsNoMaster",
        "LeaderIsToldNothing",
        "MirrorHandsNothingOut",
        "NothingIsSetAsideWithMirrors",
    ),
}


@lemma(
    **FRESH,
    **_FOLLOWS,
    tx_commit=("BatchIsUnheard",),
    restart=("EndedIsNotAsked",),
)
def LearntIsPresent(s: Confirms) -> bool:
    """What a mirror knows to be published it has, as long as its queue must (D4.6)."""
    return all(
        m in s.replicas[r].holds()
        for r in Replica
        if s.replicas[r].status == Status.RUNNING
        for m in Msg
        if s.replicas[r].seen[m] == Seen.PUBLISHED or s.replicas[r].seen[m] == Seen.CALLED
        if s.replicas[r].of in s.holders[m]
    )


@lemma()
def LostIsAway(s: Confirms) -> bool:
    """A node that was given up is on the other side of a partition (A12.7)."""
    return s.cluster.lost <= s.cluster.away


@lemma(promote=("CalledIsStored",))
def AwaitedIsStored(s: Confirms) -> bool:
    """Only for what must be on disk a process waits (B2.2)."""
    return all(
        s.replicas[r].durable and m in s.persistent for r in Replica for m in s.replicas[r].awaiting
    )


@lemma(
    "EndedIsNotAsked",
    "GivenUpIsNotAsked",
    "LostIsAway",
    drain=("AwaitedIsStored", "CalledIsStored"),
    publish_in_tx=("NumberedInFlight",),
    master_tells=("JoinedIsNoMaster", "LonelyIsMaster"),
)
def LastWordsAreHeard(s: Confirms) -> bool:
    """What a process has said of what is on no disk its channel hears before its end (O1)."""
    return all(
        not s.given_up(r)
        and (s.replicas[r].status == Status.RUNNING or s.casts[Msg.owner(m)].downs[r] is not None)
        for r in Replica
        for m in s.replicas[r].outbox
        if m not in s.persistent or not s.replicas[r].durable
    )


@lemma(
    **{
        **FRESH,
        **_FOLLOWS,
        "tx_commit": ("BatchBelongs", "BatchIsUnanswered"),
        "restart": ("CastIsSafe", "LastWordsAreHeard"),
        "publish_in_tx": ("NumberedInFlight",),
        "drain": ("StoredIsSafe",),
        "deliver": ("DiscardedIsNotHeld", "LearntIsPresent", "NotedIsSafe"),
        "deliver_to_mirror": ("DiscardedIsNotHeld", "LearntIsPresent", "NotedIsSafe"),
        "master_tells": ("RemovedIsNotHeld",),
    }
)
def CastIsPresent(s: Confirms) -> bool:
    """What a running process has confirmed it has, as long as its queue must (D4.20)."""
    return all(
        m in s.replicas[r].holds() or s.replicas[r].of not in s.holders[m]
        for r in Replica
        if s.replicas[r].status == Status.RUNNING
        for m in s.replicas[r].outbox
    )


@lemma()
def VouchingIsMirrored(s: Confirms) -> bool:
    """It is kept who has confirmed where several do (INV-B5)."""
    return all(s.mirrored(r) for m in Msg for r in s.vouchers[m])


@lemma("BatchIsNew", "NumberedInStore")
def BackedIsPast(s: Confirms) -> bool:
    """What a mirror was given has a smaller number than what comes next, and was committed."""
    return all(
        below_next(s, m) and m not in s.transactions[Msg.owner(m)].batch for m in Msg if s.backed[m]
    )


@lemma(
    **{
        **FRESH,
        **_FOLLOWS,
        **{publish: (*needed, "BackedIsPast") for publish, needed in FRESH.items()},
        "tx_commit": ("BackedIsPast", "BatchBelongs", "BatchIsUnheld"),
        "restart": ("AnsweredIsSafe", "VouchingIsMirrored"),
        "confirm_arrives": ("CastIsPresent",),
    }
)
def AnsweredIsPresent(s: Confirms) -> bool:
    """What a running process has confirmed, or was given, it has, as long as its queue must."""
    return all(
        m in s.replicas[r].holds()
        for m in Msg
        for r in s.vouchers[m] | s.backed[m]
        if s.replicas[r].status == Status.RUNNING and s.replicas[r].of in s.holders[m]
    )


@lemma(
    **{
        "join": (*LED, *LINED["join"]),
        "declare": LINED["declare"],
        "synchronise": (
            *LED,
            "AllHaveTheSame",
            "JoinedIsNoMaster",
            "MirrorHandsNothingOut",
            "NothingIsSetAsideWithMirrors",
        ),
        "catch_up": (
            *LED,
            "AllHaveTheSame",
            "MirrorHandsNothingOut",
            "NothingIsSetAsideWithMirrors",
        ),
        **{publish: (*needed, "BackedIsPast") for publish, needed in FRESH.items()},
    },
    tx_commit=("BackedIsPast", "BatchBelongs", "BatchIsUnheld"),
    **at(ARRIVES, *LED),
    master_tells=("RefusedIsNotCopied", "RemovedIsNotHeld"),
    master_removes=("RemovedIsNotHeld",),
    confirm_arrives=("AllHaveTheSame", "CastIsPresent", "UnstartedHasNothing"),
    restart=(*LINE, "AnsweredIsSafe", "VouchingIsMirrored", "UnstartedHasNothing"),
    **at(ENDS, *LEFT, "AnsweredIsPresent", "ToldIsNotStored"),
    heal=HEALED,
)
def AnsweredIsShared(s: Confirms) -> bool:
    """What one has confirmed, or was given, all that are synchronised have, or hear of (INV-D4)."""
    return all(
        m in s.replicas[y].holds() | s.multicast.copies[y]
        for m in Msg
        for x in s.vouchers[m] | s.backed[m]
        if s.replicas[x].status == Status.RUNNING and s.replicas[x].of in s.holders[m]
        for y in s.siblings(x)
        if s.knows(x, y) and s.runs(y) and y not in s.unsynced
    )


#: What follows from what.
FOLLOWS = {
    "AckedIsAvailable": (
        "AnsweredIsPresent",
        "AnsweredIsShared",
        "LeaderIsSynchronised",
        "ApartMeansParted",
        "LeaderIsToldNothing",
    ),
    "CastMeansPresent": ("CastIsPresent",),
}
