"""Lemmas of following: all processes of a queue have the same, or have been told so (INV-D2).

A master tells all its mirrors what it takes in, and what leaves.  What one of them has then, when
all has arrived that it was told, all have; and nobody lags behind whoever was there from the start.
"""

from __future__ import annotations

from typing import Any

from ackproof.lang import helper, lemma
from ackproof.spec.lemmas.mirrors import LED, LEFT
from ackproof.spec.sorts import Born, Msg, Replica, Status
from ackproof.spec.system import Confirms

#: What it takes to know that what a master takes in, or is told of, is new to its queue.
_NEW = (*LED, "JoinedIsNoMaster", "UntoldIsNotStored", "UntoldIsUnheard")

#: What it takes to know that what leaves a master is there no more, and that all its mirrors hear.
_LEAVES = (*LED, "JoinedIsNoMaster", "MirrorHandsNothingOut", "PendingIsNotReady")

#: The steps with which something may leave a queue, each with what it takes to know that.
_SETTLES: dict[str, Any] = dict.fromkeys(
    (
        "ack_unknown",
        "acknowledge",
        "close",
        "close_consumers",
        "complete",
        "consumer_acks",
        "consumer_rejects",
        "drop",
        "get",
        "hand_out",
        "pause",
        "recover",
        "requeue",
        "select",
        "tx_commit",
        "tx_rollback",
        "tx_select",
    ),
    _LEAVES,
)

#: What it takes to know that the mirrors of a dead master keep the same of what it told them.
_EQUAL = (
    *LEFT,
    "CopiesComeInOrder",
    "MirrorsAreToldTheSame",
    "MirrorsWillHaveTheSame",
    "MirrorsLearnInOneOrder",
    "RemovedIsPresent",
    "ToldIsNotStored",
)

#: What it takes to know that no mirror is given what it lacks.
STAYS = ("JoinedIsNoMaster", "MirrorsStay", "NobodyLagsBehind")


@helper
def will_have(s: Confirms, msg: Msg, replica: Replica) -> bool:
    """Tell whether a process has a message when all that it was told has arrived (D1.3)."""
    return (
        msg in s.replicas[replica].holds() | s.multicast.copies[replica]
        and msg not in s.multicast.removals[replica]
    )


@lemma(
    deliver=("JoinedIsNoMaster", "LeaderIsToldNothing", "UntoldIsUnheard"),
    pass_by=("JoinedIsNoMaster", "LeaderIsToldNothing", "UntoldIsUnheard"),
    hand_on=("JoinedIsNoMaster", "LeaderIsToldNothing", "UntoldIsUnheard"),
)
def DiscardedIsNotCopied(s: Confirms) -> bool:
    """What was given away was not published (D2.1)."""
    return all(not s.multicast.discards[r] & s.multicast.copies[r] for r in Replica)


@lemma(
    **dict.fromkeys(
        ("deliver", "hand_on", "pass_by"), (*LED, "JoinedIsNoMaster", "UntoldIsUnheard")
    ),
    estrange=("MirrorsStay",),
)
def MirrorsAreToldTheSame(s: Confirms) -> bool:
    """What one mirror is told was published, no other one is told was not (D2.1)."""
    return all(
        m in s.multicast.copies[y] or m not in s.multicast.coming(y)
        for x in Replica
        for m in s.multicast.copies[x]
        for y in s.siblings(x)
    )


@lemma(
    "MasterHasTheSame",
    **{**_SETTLES, "deliver": _LEAVES, "hand_on": _LEAVES},
    master_tells=("DiscardedIsNotCopied", "RefusedIsNotCopied"),
    synchronise=STAYS,
    promote=(*_LEAVES, "MirrorsStay", "MirrorsWillHaveTheSame"),
    restart=("EndedIsNotAsked", *_LEAVES),
    delete_queue=("EndedIsNotAsked",),
    crash_queue=_EQUAL,
    lose_node=_EQUAL,
    estrange=("MirrorsStay",),
)
def RemovedIsPresent(s: Confirms) -> bool:
    """What a mirror is told to remove it has, or is told of (D4.15)."""
    return all(
        m in s.replicas[r].holds() | s.multicast.copies[r]
        for r in Replica
        for m in s.multicast.removals[r]
    )


@lemma(
    **_SETTLES,
    deliver=(*_NEW, *_LEAVES, "RemovedIsPresent"),
    pass_by=(*_NEW, *_LEAVES, "RemovedIsPresent"),
    hand_on=(*_NEW, *_LEAVES, "RemovedIsPresent"),
    master_tells=("DiscardedIsNotCopied", "RefusedIsNotCopied"),
    synchronise=STAYS,
    promote=(*_LEAVES, "MirrorsStay", "RemovedIsPresent"),
    restart=("EndedIsNotAsked", "MirrorsStay", "QueuesBeginAsOne"),
    crash_queue=_EQUAL,
    lose_node=_EQUAL,
    master_removes=("JoinedIsNoMaster", "MirrorHandsNothingOut"),
    estrange=("MirrorsStay",),
)
def MirrorsWillHaveTheSame(s: Confirms) -> bool:
    """What one mirror of a queue has when all has arrived, all of them have (INV-D2)."""
    return all(
        will_have(s, m, y)
        for m in Msg
        for x in Replica
        if s.replicas[x].status == Status.RUNNING and not s.replicas[x].led()
        if will_have(s, m, x)
        for y in s.siblings(x)
        if s.replicas[y].status == Status.RUNNING and not s.replicas[y].led()
    )


@lemma(
    "MirrorsWillHaveTheSame",
    **_SETTLES,
    deliver=(*_NEW, *_LEAVES, "RemovedIsPresent"),
    pass_by=(*_NEW, *_LEAVES, "RemovedIsPresent"),
    hand_on=(*_NEW, *_LEAVES, "RemovedIsPresent"),
    master_tells=("DiscardedIsNotCopied", "JoinedIsNoMaster", "RefusedIsNotCopied"),
    declare=("MasterIsNoMirror",),
    synchronise=STAYS,
    promote=(*_LEAVES, "MirrorsStay", "RemovedIsPresent"),
    restart=("EndedIsNotAsked", "MirrorsStay", "QueuesBeginAsOne"),
    crash_queue=_EQUAL,
    lose_node=_EQUAL,
    master_removes=("JoinedIsNoMaster", "MirrorHandsNothingOut"),
    estrange=("MirrorsStay",),
)
def MasterHasTheSame(s: Confirms) -> bool:
    """A mirror has what its master has, when all has arrived that it was told (INV-D2)."""
    return all(
        (m in s.replicas[x].holds()) == will_have(s, m, y)
        for m in Msg
        for x in Replica
        if s.replicas[x].leads()
        for y in s.siblings(x)
        if s.replicas[y].status == Status.RUNNING and not s.replicas[y].led()
    )


@lemma(promote=("MirrorsWillHaveTheSame", "MirrorHandsNothingOut"))
def NobodyLagsBehind(s: Confirms) -> bool:
    """Only who joined later ever has less than its master (D5.5, D7.2)."""
    return all(s.replicas[r].born == Born.LATER for r in s.unsynced)


#: What follows from what.
FOLLOWS = {
    "MirrorFollowsMaster": (
        "MasterHasTheSame",
        "JoinedIsNoMaster",
        "LeaderIsToldNothing",
        "MirrorHandsNothingOut",
    ),
}
