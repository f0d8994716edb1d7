"""Lemmas of keeping: all processes of a queue have what the queue must have (INV-D2, INV-B5).

What a process has not heard of it has not stored, and has not answered for; what it has been told
it stores once.  So a message is with all processes of its queue, or on its way to them from the
master, until it leaves the queue.
"""

from __future__ import annotations

from typing import Any

from ackproof.lang import lemma
from ackproof.spec.lemmas.asking import below_next
from ackproof.spec.lemmas.mirrors import CALLS, FIRST, LED, LEFT
from ackproof.spec.sorts import Level, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms


@lemma("NumberedInStore", deliver=("NumberedInFlight",), hand_on=("NumberedInFlight",))
def NumberedInRemovals(s: Confirms) -> bool:
    """What mirrors are told to remove has a smaller number than what comes next (A4.1)."""
    return all(below_next(s, m) for r in Replica for m in s.multicast.removals[r])


@lemma(
    "BatchIsNew",
    publish_in_tx=("NumberedInFlight", "NumberedInRemovals"),
    deliver=("BatchIsNumbered",),
    pass_by=("BatchIsNumbered",),
    hand_on=("BatchIsNumbered",),
)
def BatchRemovesNothing(s: Confirms) -> bool:
    """Nobody removes what a transaction holds back, and nobody gives it away (A13.1)."""
    return all(
        m not in s.transactions[Msg.owner(m)].batch
        for r in Replica
        for m in s.multicast.removals[r] | s.multicast.discards[r]
    )


FRESH: dict[str, Any] = dict.fromkeys(
    ("publish", "publish_again", "publish_plain"),
    ("NumberedInFlight", "NumberedInStore", "NumberedInRemovals", "NumberedInGhosts"),
)


@lemma(
    **FRESH,
    tx_commit=("BatchBelongs", "BatchRemovesNothing"),
)
def RemovedIsNotHeld(s: Confirms) -> bool:
    """What mirrors are told to remove has left the queue (D4.15)."""
    return all(
        s.replicas[r].of not in s.holders[m]
        for r in Replica
        for m in s.multicast.removals[r] | s.multicast.discards[r]
    )


@lemma(
    "RemovedIsNotHeld",
    **FRESH,
    tx_commit=("BatchIsUnheard",),
)
def DiscardedIsNotHeld(s: Confirms) -> bool:
    """What a mirror knows to be discarded is in no queue (D4.6)."""
    return all(
        s.replicas[r].of not in s.holders[m]
        for r in Replica
        for m in Msg
        if s.replicas[r].seen[m] == Seen.DISCARDED
    )


UNTOLD: dict[str, Any] = {
    **FRESH,
    "drain": (*CALLS, "UntoldIsUnheard"),
    "promote": (*CALLS, "UntoldIsUnheard"),
    "restart": ("EndedIsNotAsked", "MirrorsStay", "QueuesBeginAsOne"),
    "deliver": (*LED, "UntoldIsUnheard"),
    "pass_by": LED,
    "hand_on": LED,
    "deliver_to_mirror": (*CALLS, "UntoldIsUnheard"),
    "master_tells": (*FIRST, "UntoldIsLater", "UntoldIsUnheard"),
    "estrange": ("MirrorsStay",),
    "notice": LED,
    "delete_queue": ("EndedIsNotAsked",),
    "crash_node": ("EndedIsNotAsked",),
    "crash_machine": ("EndedIsNotAsked",),
}


@lemma(
    **UNTOLD,
    tx_commit=("BatchIsNew",),
    crash_queue=(*LEFT, "ToldIsNotStored"),
    lose_node=(*LEFT, "ToldIsNotStored"),
)
def UntoldIsNotStored(s: Confirms) -> bool:
    """What a process has not heard of, none of its queue has stored (D1.3)."""
    return all(
        s.replicas[x].store.level[m] == Level.ABSENT
        and m not in s.replicas[x].holds()
        and m not in s.replicas[x].store.unconfirmed | s.replicas[x].store.confirmed
        for m in Msg
        for y in Replica
        if m in s.casts[Msg.owner(m)].publishes[y] | s.replicas[y].direct
        if m not in s.multicast.coming(y) and s.replicas[y].seen[m] == Seen.ABSENT
        for x in s.siblings(y)
        if s.replicas[x].status == Status.RUNNING
    )


@lemma(
    deliver=("JoinedIsNoMaster", "LeaderIsToldNothing", "UntoldIsNotStored"),
    pass_by=("JoinedIsNoMaster", "LeaderIsToldNothing", "UntoldIsNotStored"),
    hand_on=("JoinedIsNoMaster", "LeaderIsToldNothing", "UntoldIsNotStored"),
    restart=("EndedIsNotAsked",),
    promote=("LeaderIsToldNothing",),
    synchronise=("LeaderIsToldNothing",),
)
def ToldIsNotStored(s: Confirms) -> bool:
    """What a mirror is being told of it has not stored (D1.3)."""
    return all(
        s.replicas[r].store.level[m] == Level.ABSENT
        and m not in s.replicas[r].holds()
        and m not in s.replicas[r].store.unconfirmed | s.replicas[r].store.confirmed
        for r in Replica
        for m in s.multicast.coming(r)
    )


@lemma(
    **UNTOLD,
    tx_commit=("BatchIsUnanswered", "BatchIsUnheld"),
    crash_queue=(*LEFT, "ToldIsUnanswered"),
    lose_node=(*LEFT, "ToldIsUnanswered"),
)
def UntoldIsUnanswered(s: Confirms) -> bool:
    """What a process has not heard of, none of its queue has answered for (D4.20)."""
    return all(
        m not in s.replicas[x].awaiting | s.replicas[x].outbox and x not in s.vouchers[m]
        for m in Msg
        for y in Replica
        if m in s.casts[Msg.owner(m)].publishes[y] | s.replicas[y].direct
        if m not in s.multicast.coming(y) and s.replicas[y].seen[m] == Seen.ABSENT
        for x in s.siblings(y)
        if s.replicas[x].status == Status.RUNNING
    )


@lemma(
    "JoinedIsNoMaster",
    "LeaderIsToldNothing",
    "ToldIsNew",
    deliver=("UntoldIsUnanswered",),
    pass_by=("UntoldIsUnanswered",),
    hand_on=("UntoldIsUnanswered",),
)
def ToldIsUnanswered(s: Confirms) -> bool:
    """What a mirror is being told of it has not answered for (D4.20)."""
    return all(
        m not in s.replicas[r].awaiting | s.replicas[r].outbox and r not in s.vouchers[m]
        for r in Replica
        for m in s.multicast.coming(r)
    )


@lemma(
    "JoinedIsNoMaster",
    "LeaderIsToldNothing",
    deliver=("UntoldIsUnheard",),
    pass_by=("UntoldIsUnheard",),
    hand_on=("UntoldIsUnheard",),
)
def RefusedIsNotCopied(s: Confirms) -> bool:
    """What was refused was not published (D2.1)."""
    return all(not s.multicast.refusals[r] & s.multicast.copies[r] for r in Replica)


@lemma(
    **FRESH,
    tx_commit=("BatchBelongs", "BatchIsNew", "BatchIsUnanswered"),
    deliver=(*LED, "JoinedIsNoMaster"),
    pass_by=(*LED, "JoinedIsNoMaster"),
    hand_on=(*LED, "JoinedIsNoMaster"),
    master_tells=("RefusedIsNotCopied", "RemovedIsNotHeld"),
    master_removes=("RemovedIsNotHeld",),
    synchronise=(*LED, "JoinedIsNoMaster", "MirrorHandsNothingOut"),
    restart=("EndedIsNotAsked", "MirrorsStay", "QueuesBeginAsOne"),
    estrange=("MirrorsStay",),
    delete_queue=("EndedIsNotAsked",),
    crash_queue=(*LEFT, "CopiesComeInOrder", "ToldIsNotStored"),
    lose_node=(*LEFT, "CopiesComeInOrder", "ToldIsNotStored"),
)
def AllHaveTheSame(s: Confirms) -> bool:
    """What one process of a queue has, and must have, all of them have, or are told (INV-D2)."""
    return all(
        m in s.replicas[y].holds() | s.multicast.copies[y]
        for m in Msg
        for x in Replica
        if m in s.replicas[x].holds() | s.multicast.copies[x]
        if s.replicas[x].of in s.holders[m] and s.replicas[x].status == Status.RUNNING
        for y in s.siblings(x)
        if s.replicas[y].status == Status.RUNNING
    )


#: What the properties of this group are proved with.
PROOFS = {
    "NoSecondCopy": (
        "JoinedIsNoMaster",
        "LeaderIsToldNothing",
        "MirrorHandsNothingOut",
        "ToldIsNotStored",
        "UntoldIsNotStored",
    ),
}
