"""Lemmas of keeping: all processes of a queue have what the queue must have (INV-D2, INV-B5).

What a process has not heard of it has not stored, and has not answered for; what it has been told
it stores once.  So a message is with all processes of its queue, or on its way to them from the
master, until it leaves the queue.
"""

from __future__ import annotations

from typing import Any

from ackproof.lang import lemma
from ackproof.spec.lemmas.asking import below_next
from ackproof.spec.lemmas.mirrors import (
    ARRIVES,
    CALLS,
    ENDS,
    FIRST,
    HEALED,
    LED,
    LEFT,
    LINE,
    LINED,
    ORDER,
    asked,
    at,
    in_line,
    untold,
)
from ackproof.spec.sorts import Level, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms


@lemma("NumberedInStore", deliver=("NumberedInFlight",), hand_on=("NumberedInFlight",))
def NumberedInRemovals(s: Confirms) -> bool:
    """What mirrors are told to remove has a smaller number than what comes next (A4.1)."""
    return all(below_next(s, m) for r in Replica for m in s.multicast.removals[r])


@lemma(
    "BatchIsNew",
    publish_in_tx=("NumberedInFlight", "NumberedInRemovals"),
    **at(ARRIVES, "BatchIsNumbered"),
)
def BatchRemovesNothing(s: Confirms) -> bool:
    """Nobody removes what a transaction holds back, and nobody gives it away (A13.1)."""
    return all(
        m not in s.transactions[Msg.owner(m)].batch
        for r in Replica
        for m in s.multicast.removals[r] | s.multicast.discards[r]
    )


FRESH: dict[str, Any] = dict.fromkeys(
    ("publish", "publish_again", "publish_plain", "dead_letter"),
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


@lemma("BatchIsNumbered", "BatchRemovesNothing", "NumberedInFlight", "NumberedInRemovals")
def MissedIsPast(s: Confirms) -> bool:
    """What a mirror missed when it joined was published before (A4.1)."""
    return all(
        below_next(s, m) and m not in s.transactions[Msg.owner(m)].batch
        for r in Replica
        for m in s.multicast.missed[r]
    )


@lemma(
    "MissedIsPast",
    "EndedIsNotAsked",
    "JoinedIsNoMaster",
    join=("UnstartedHasNothing", "AskedIsThere", "PromotedWasMirror"),
)
def MissedIsUnknown(s: Confirms) -> bool:
    """Of what a mirror missed when it joined it knows nothing, until a new master tells (D1.2)."""
    return all(
        m not in s.casts[Msg.owner(m)].publishes[r] | s.replicas[r].direct
        and m not in s.replicas[r].holds() | s.replicas[r].awaiting | s.replicas[r].outbox
        and m not in s.replicas[r].store.unconfirmed | s.replicas[r].store.confirmed
        and s.replicas[r].store.level[m] == Level.ABSENT
        and s.replicas[r].seen[m] == Seen.ABSENT
        and r not in s.vouchers[m] | s.backed[m]
        for r in Replica
        for m in s.multicast.missed[r]
    )


@lemma(
    "MissedIsPast",
    join=LINED["join"],
    declare=LINED["declare"],
    restart=("AskedIsThere", "EndedIsNotAsked"),
)
def AskedIsNotMissed(s: Confirms) -> bool:
    """Who is older than one that a channel has asked was there when it asked (D1.2)."""
    return all(
        m not in s.multicast.missed[x]
        for y in Replica
        for m in Msg
        if asked(s, m, y)
        for x in s.siblings(y)
        if x <= y and s.runs(x)
    )


UNTOLD: dict[str, Any] = {
    **FRESH,
    **LINED,
    "drain": (*CALLS, "UntoldIsUnheard"),
    "promote": (*CALLS, "UntoldIsUnheard"),
    "restart": LINE,
    "deliver": (*LED, "UntoldIsUnheard"),
    "pass_by": LED,
    "hand_on": LED,
    "deliver_to_mirror": (*CALLS, "UntoldIsUnheard"),
    "master_tells": (*FIRST, "UntoldIsLater", "UntoldIsUnheard"),
    "heal": HEALED,
    "notice": (*LED, "GivenUpIsNotAsked"),
    "delete_queue": ("EndedIsNotAsked",),
    "crash_node": ("EndedIsNotAsked",),
    "stop_broker": ("EndedIsNotAsked",),
    "crash_machine": ("EndedIsNotAsked",),
}


@lemma(
    **UNTOLD,
    tx_commit=("BatchIsNew",),
    **at(ENDS, *LEFT, *ORDER, "CopiesComeInOrder", "ToldIsNotStored"),
)
def UntoldIsNotStored(s: Confirms) -> bool:
    """What a process has not heard of, none of its queue has stored (D1.3)."""
    return all(
        s.replicas[x].store.level[m] == Level.ABSENT
        and m not in s.replicas[x].holds()
        and m not in s.replicas[x].store.unconfirmed | s.replicas[x].store.confirmed
        for m in Msg
        for y in Replica
        if untold(s, m, y)
        if in_line(s, y)
        for x in s.siblings(y)
        if s.knows(x, y)
        if s.replicas[x].status == Status.RUNNING
    )


@lemma(
    **at(ARRIVES, *LED, "JoinedIsNoMaster", "UntoldIsNotStored"),
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
    **at(ENDS, *LEFT, *ORDER, "CopiesComeInOrder", "ToldIsUnanswered"),
)
def UntoldIsUnanswered(s: Confirms) -> bool:
    """What a process has not heard of, none of its queue has answered for (D4.20)."""
    return all(
        m not in s.replicas[x].awaiting | s.replicas[x].outbox and x not in s.vouchers[m]
        for m in Msg
        for y in Replica
        if untold(s, m, y)
        if in_line(s, y)
        for x in s.siblings(y)
        if s.knows(x, y)
        if s.replicas[x].status == Status.RUNNING
    )


@lemma(
    "JoinedIsNoMaster",
    "LeaderIsToldNothing",
    "ToldIsNew",
    **at(ARRIVES, *LINE, "UntoldIsUnanswered"),
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
    **at(ARRIVES, *LINE, "UntoldIsUnheard"),
)
def RefusedIsNotCopied(s: Confirms) -> bool:
    """What was refused was not published (D2.1)."""
    return all(not s.multicast.refusals[r] & s.multicast.copies[r] for r in Replica)


@lemma(
    **{
        **FRESH,
        **LINED,
        "synchronise": (
            *LED,
            "JoinedIsNoMaster",
            "MirrorHandsNothingOut",
            "NothingIsSetAsideWithMirrors",
        ),
        "join": (*LED, *LINED["join"]),
        "catch_up": (*LED, "MirrorHandsNothingOut", "NothingIsSetAsideWithMirrors"),
    },
    tx_commit=("BatchBelongs", "BatchIsNew", "BatchIsUnanswered"),
    **at(ARRIVES, *LED, "JoinedIsNoMaster"),
    master_tells=("RefusedIsNotCopied", "RemovedIsNotHeld"),
    master_removes=("RemovedIsNotHeld",),
    restart=(*LINE, "UnstartedHasNothing"),
    heal=HEALED,
    delete_queue=("EndedIsNotAsked",),
    **at(ENDS, *LEFT, *ORDER, "CopiesComeInOrder", "ToldIsNotStored"),
)
def AllHaveTheSame(s: Confirms) -> bool:
    """What one process of a queue has, and must have, all of them have, or are told (INV-D2)."""
    return all(
        m in s.replicas[y].holds() | s.multicast.copies[y]
        for m in Msg
        for x in Replica
        if m in s.replicas[x].holds() | s.multicast.copies[x]
        if s.replicas[x].of in s.holders[m] and s.replicas[x].status == Status.RUNNING
        if in_line(s, x)
        for y in s.siblings(x)
        if s.knows(x, y) and s.runs(y) and y not in s.unsynced
    )


#: What the properties of this group are proved with.
PROOFS = {
    "NoSecondCopy": (
        "JoinedIsNoMaster",
        "LeaderIsSynchronised",
        "LeaderIsToldNothing",
        "MirrorHandsNothingOut",
        "NothingIsSetAsideWithMirrors",
        "ToldIsNotStored",
        "UntoldIsNotStored",
    ),
}
