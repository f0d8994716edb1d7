"""Lemmas of durability: what a process says of a message it has on disk, and keeps there (INV-B5).

A message that must be stored comes to its process once, is new then, and waits for the disk.  Only
when it is there, or has left the queue, does the store confirm it; from the store's word on, through
the queue's, to the channel's, everybody speaks of what is on the disk.
"""

from __future__ import annotations

from ackproof.proofs.lemmas.keeping import FRESH
from ackproof.spec.lang import lemma
from ackproof.spec.sorts import Born, Level, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms


@lemma()
def EndedHasNothing(s: Confirms) -> bool:
    """A process that has ended has nothing but what is in its files (B8.5, C5)."""
    return all(
        m not in s.replicas[r].holds() | s.replicas[r].store.leaving
        and m not in s.replicas[r].store.unconfirmed | s.replicas[r].store.confirmed
        for r in Replica
        if s.replicas[r].status != Status.RUNNING
        for m in Msg
    )


@lemma(
    **FRESH,
    deliver=("LeaderIsToldNothing", "UntoldIsNotStored"),
    hand_on=("LeaderIsToldNothing", "UntoldIsNotStored"),
    master_tells=("ToldIsNotStored",),
    synchronise=("JoinedIsNoMaster", "LeaderIsToldNothing", "MirrorHandsNothingOut"),
    restart=("EndedHasNothing",),
)
def ReadyIsNotPending(s: Confirms) -> bool:
    """A message waits in its queue or with a consumer (INV-F2)."""
    return all(not s.replicas[r].ready & s.replicas[r].pending for r in Replica)


@lemma(**FRESH, master_removes=("RemovedIsNotHeld",), synchronise=("AllHaveTheSame", "JoinedIsNoMaster", "LeaderIsToldNothing"))
def LeavingIsNotHeld(s: Confirms) -> bool:
    """What is about to leave the files has left the queue (C5.2)."""
    return all(
        s.replicas[r].of not in s.holders[m]
        for r in Replica
        for m in s.replicas[r].store.leaving
    )


@lemma(
    "EndedHasNothing",
    "LeavingIsNotHeld",
    **FRESH,
    master_removes=("RemovedIsNotHeld",),
    synchronise=("AllHaveTheSame", "JoinedIsNoMaster", "LeaderIsToldNothing", "MirrorHandsNothingOut"),
)
def WaitingIsPresent(s: Confirms) -> bool:
    """What the store has still to confirm is in the queue, and not on disk (C2.1)."""
    return all(
        m in s.replicas[r].holds()
        and s.replicas[r].store.level[m] != Level.ABSENT
        and s.replicas[r].store.level[m] != Level.SYNCED
        for r in Replica
        for m in s.replicas[r].store.unconfirmed
        if s.replicas[r].of in s.holders[m]
    )


@lemma()
def DeletedHoldsNothing(s: Confirms) -> bool:
    """Nothing has to be in a queue that was deleted (A9.3)."""
    return all(
        s.replicas[r].of not in s.holders[m]
        for r in Replica
        if s.replicas[r].status == Status.DELETED
        for m in Msg
    )


@lemma(
    "DeletedHoldsNothing",
    "OnePhaseAtATime",
    publish=("NumberedInFlight", "NumberedInGhosts"),
    publish_plain=("NumberedInFlight", "NumberedInGhosts"),
    tx_commit=("BatchIsNew", "BatchIsNumbered"),
    down_arrives=("NormalMeansDeleted",),
)
def AskedHasNotAnswered(s: Confirms) -> bool:
    """What is still on its way to a process, that has not confirmed (INV-B2)."""
    return all(
        s.unanswered(m, r)
        for r in Replica
        for m in s.network.publishes[r] | s.replicas[r].direct
        if s.replicas[r].of in s.holders[m]
    )


@lemma(
    "LeavingIsNotHeld",
    **FRESH,
    master_removes=("RemovedIsNotHeld",),
    synchronise=("AllHaveTheSame", "EndedHasNothing", "JoinedIsNoMaster", "LeaderIsToldNothing", "MirrorHandsNothingOut"),
    sync=("WaitingIsPresent",),
    deliver=("CalledIsNotAsked", "DiscardedIsNotHeld", "LeaderIsToldNothing", "NotedIsSafe", "UntoldIsNotStored"),
    hand_on=("LeaderIsToldNothing", "UntoldIsNotStored"),
    master_tells=("ToldIsNotStored",),
)
def StoredIsSafe(s: Confirms) -> bool:
    """What a store has confirmed is on disk, if its queue must still have it (C2.2, C4.4)."""
    return all(
        s.replicas[r].store.level[m] == Level.SYNCED
        and (s.replicas[r].status != Status.RUNNING or m in s.replicas[r].holds())
        for r in Replica
        for m in s.replicas[r].store.confirmed
        if s.replicas[r].of in s.holders[m]
    )


@lemma(
    "LeavingIsNotHeld",
    **FRESH,
    master_removes=("RemovedIsNotHeld",),
    synchronise=("AllHaveTheSame", "EndedHasNothing", "JoinedIsNoMaster", "LeaderIsToldNothing", "MirrorHandsNothingOut"),
    drain=("StoredIsSafe",),
    master_tells=("ToldIsNew",),
    crash_node=("EndedIsNotAsked",),
    crash_machine=("EndedIsNotAsked",),
)
def NotedIsSafe(s: Confirms) -> bool:
    """What a mirror has noted to be on disk is there, if its queue must have it (D4.12)."""
    return all(
        s.replicas[r].store.level[m] == Level.SYNCED
        and (s.replicas[r].status != Status.RUNNING or m in s.replicas[r].holds())
        for r in Replica
        for m in Msg
        if s.replicas[r].seen[m] == Seen.CONFIRMED
        if s.replicas[r].of in s.holders[m]
    )


@lemma(
    "LeavingIsNotHeld",
    **FRESH,
    master_removes=("RemovedIsNotHeld",),
    synchronise=("AllHaveTheSame", "EndedHasNothing", "JoinedIsNoMaster", "LeaderIsToldNothing", "MirrorHandsNothingOut"),
    publish_in_tx=("NumberedInFlight",),
    drain=("StoredIsSafe",),
    deliver=("LeaderIsToldNothing", "UntoldIsUnanswered"),
    deliver_to_mirror=("CalledIsNotAsked", "DiscardedIsNotHeld", "NotedIsSafe"),
    hand_on=("LeaderIsToldNothing", "UntoldIsUnanswered"),
    master_tells=("ToldIsUnanswered", "RemovedIsNotHeld"),
    restart=("EndedHasNothing",),
)
def CastIsSafe(s: Confirms) -> bool:
    """What a process has cast a confirm for is on disk, if its queue must have it (INV-B5)."""
    return all(
        s.replicas[r].store.level[m] == Level.SYNCED
        and (s.replicas[r].status != Status.RUNNING or m in s.replicas[r].holds())
        for r in Replica
        if s.replicas[r].durable
        for m in s.replicas[r].outbox & s.persistent
        if s.replicas[r].of in s.holders[m]
    )


@lemma(
    "LeavingIsNotHeld",
    "DeletedHoldsNothing",
    **FRESH,
    master_removes=("RemovedIsNotHeld",),
    synchronise=("AllHaveTheSame", "EndedHasNothing", "JoinedIsNoMaster", "LeaderIsToldNothing", "MirrorHandsNothingOut"),
    publish_in_tx=("NumberedInGhosts",),
    confirm_arrives=("CastIsSafe",),
    down_arrives=("NormalMeansDeleted",),
    deliver=("AskedHasNotAnswered",),
    hand_on=("AskedHasNotAnswered",),
    master_tells=("LonelyIsMaster", "MasterIsNoMirror", "ToldIsUnanswered"),
    restart=("EndedHasNothing",),
)
def AnsweredIsSafe(s: Confirms) -> bool:
    """What a process has confirmed it has on disk, if its queue must have it (INV-B5)."""
    return all(
        s.replicas[r].store.level[m] == Level.SYNCED
        and (s.replicas[r].status != Status.RUNNING or m in s.replicas[r].holds())
        for r in Replica
        if s.replicas[r].durable
        for m in s.persistent
        if s.replicas[r].of in s.holders[m] and not s.unanswered(m, r)
    )


@lemma()
def LonelyIsListed(s: Confirms) -> bool:
    """A process that is its queue's only one stays in the record: nobody takes it out (D5.2)."""
    return all(s.mirrored(r) for r in s.trimmed)


@lemma("EachQueueHasAMaster")
def LonelyIsMaster(s: Confirms) -> bool:
    """A process that is its queue's only one is born as its master (D1.1)."""
    return all(s.mirrored(r) or s.replicas[r].born == Born.MASTER for r in Replica)


@lemma()
def LonelyIsNotVouched(s: Confirms) -> bool:
    """The channel does not wait for others when a queue's only process has confirmed (A8.3)."""
    return all(s.mirrored(r) for m in Msg for r in s.channel.vouched[m])


@lemma(
    "BatchIsNew",
    "BatchIsNumbered",
    "ClosedIsEmpty",
    "ConfirmXorTransaction",
    "CountsAgree",
    "EachMessageHasOnePlace",
    "IdleIsEmpty",
    "LonelyIsListed",
    "LonelyIsMaster",
    "LonelyIsNotVouched",
    "SentIsBelowNext",
    "ToldWasSent",
    "WaitingWasSent",
)
def UnacceptedIsAwaited(s: Confirms) -> bool:
    """The channel waits for a queue until that has accepted, unless all is lost (A8)."""
    return all(
        r in s.channel.unconfirmed[m]
        or m in s.channel.rejected | s.channel.nacked
        or (not s.channel.open and m not in s.channel.acked)
        for m in Msg
        for r in Replica
        if s.replicas[r].of in s.unaccepted[m]
        if not s.mirrored(r)
    )


PROOFS = {
    "NoAckBeforeDurable": (
        "AnsweredIsSafe",
        "ClosedIsEmpty",
        "EachMessageHasOnePlace",
        "MultipleIsExact",
        "ToldWasSent",
        "UnacceptedIsAwaited",
        "WaitingWasSent",
        "IdleIsEmpty",
        "ConfirmXorTransaction",
    ),
}

FOLLOWS = {
    "ConfirmedSurvives": (
        "AnsweredIsSafe",
        "ClosedIsEmpty",
        "DeletedHoldsNothing",
        "EachMessageHasOnePlace",
        "MultipleIsExact",
        "UnacceptedIsAwaited",
    ),
}
