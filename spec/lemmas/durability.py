"""Lemmas of durability: what a process says of a message it has on disk, and keeps there (INV-B5).

A message that must be stored comes to its process once, is new then, and waits for the disk.  Only
when it is there, or has left the queue, does the store confirm it; from the store's word on,
through the queue's, to the channel's, everybody speaks of what is on the disk.
"""

from __future__ import annotations

from ackproof.lang import helper, lemma
from ackproof.spec.lemmas.bodies import BODIES
from ackproof.spec.lemmas.keeping import FRESH
from ackproof.spec.sorts import Level, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms

#: What a mirror has when it is synchronised: what its master has, and nothing with a consumer.
_SYNCHRONISED = (
    "AllHaveTheSame",
    "LeaderIsSynchronised",
    "JoinedIsNoMaster",
    "LeaderIsToldNothing",
    "MirrorHandsNothingOut",
    "NothingIsSetAsideWithMirrors",
)


@lemma(
    **FRESH,
    tx_commit=("BatchBelongs", "BatchIsNew"),
    master_removes=("RemovedIsNotHeld",),
    synchronise=_SYNCHRONISED,
)
def LeavingIsNotHeld(s: Confirms) -> bool:
    """What is about to leave the files has left the queue (C5.2)."""
    return all(
        s.replicas[r].of not in s.holders[m] for r in Replica for m in s.replicas[r].store.leaving
    )


@lemma(
    "MemoryEndsWithItsProcess",
    "LeavingIsNotHeld",
    **FRESH,
    tx_commit=("BatchBelongs", "BatchIsNew"),
    master_removes=("RemovedIsNotHeld",),
    synchronise=_SYNCHRONISED,
)
def WaitingIsPresent(s: Confirms) -> bool:
    """What the store has still to confirm is in the queue, and not on disk (C2.1)."""
    return all(
        m in s.replicas[r].holds()
        and s.replicas[r].store.level[m] != Level.ABSENT
        and (s.replicas[r].store.apart or s.replicas[r].store.level[m] != Level.SYNCED)
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


@helper
def answered(s: Confirms, msg: Msg, replica: Replica) -> bool:
    """Tell whether a process has confirmed a message to its channel (A8.3, B2.1).

    A queue without mirrors has nothing to answer for of what nobody asks to be confirmed.
    """
    asked = msg not in s.plain or s.mirrored(replica)
    return asked and not s.unanswered(msg, replica)


@lemma(
    "DeletedHoldsNothing",
    "OnePhaseAtATime",
    publish=("NumberedInFlight", "NumberedInGhosts"),
    publish_again=("NumberedInFlight", "NumberedInGhosts"),
    dead_letter=("NumberedInFlight", "NumberedInGhosts"),
    publish_plain=("NumberedInFlight", "NumberedInGhosts"),
    tx_commit=("BatchIsNumbered", "BatchIsUnheld"),
    down_arrives=("NormalMeansDeleted",),
)
def AskedHasNotAnswered(s: Confirms) -> bool:
    """What is still on its way to a process, that has not confirmed (INV-B2)."""
    return all(
        not answered(s, m, r)
        for r in Replica
        for m in Msg
        if m in s.casts[Msg.owner(m)].publishes[r] | s.replicas[r].direct
        if s.replicas[r].of in s.holders[m]
    )


@lemma(
    *BODIES,
    "LeavingIsNotHeld",
    **FRESH,
    tx_commit=("BatchBelongs", "BatchIsNew"),
    master_removes=("RemovedIsNotHeld",),
    synchronise=_SYNCHRONISED,
    sync=("WaitingIsPresent",),
    sync_body=("AwaitedBodyIsUnsynced", "WaitingIsPresent"),
    deliver=(
        "CalledIsNotAsked",
        "DiscardedIsNotHeld",
        "LeaderIsSynchronised",
        "LeaderIsToldNothing",
        "NotedIsSafe",
        "UntoldIsNotStored",
    ),
    hand_on=("LeaderIsSynchronised", "LeaderIsToldNothing", "UntoldIsNotStored"),
    master_tells=("ToldIsNotStored",),
)
def StoredIsSafe(s: Confirms) -> bool:
    """What a store has confirmed is on disk, if its queue must still have it (C2.2, C4.4)."""
    return all(
        s.synced(m, r) and (s.replicas[r].status != Status.RUNNING or m in s.replicas[r].holds())
        for r in Replica
        for m in s.replicas[r].store.confirmed
        if s.replicas[r].of in s.holders[m]
    )


@lemma(
    *BODIES,
    "LeavingIsNotHeld",
    **FRESH,
    tx_commit=("BatchIsUnheard",),
    master_removes=("RemovedIsNotHeld",),
    synchronise=_SYNCHRONISED,
    drain=("StoredIsSafe",),
    master_tells=("ToldIsNew",),
    crash_node=("EndedIsNotAsked",),
    stop_broker=("EndedIsNotAsked",),
    crash_machine=("EndedIsNotAsked",),
)
def NotedIsSafe(s: Confirms) -> bool:
    """What a mirror has noted to be on disk is there, if its queue must have it (D4.12)."""
    return all(
        s.synced(m, r) and (s.replicas[r].status != Status.RUNNING or m in s.replicas[r].holds())
        for r in Replica
        for m in Msg
        if s.replicas[r].seen[m] == Seen.CONFIRMED
        if s.replicas[r].of in s.holders[m]
    )


@lemma(
    *BODIES,
    "LeavingIsNotHeld",
    **FRESH,
    tx_commit=("BatchBelongs", "BatchIsUnanswered"),
    master_removes=("RemovedIsNotHeld",),
    synchronise=_SYNCHRONISED,
    publish_in_tx=("NumberedInFlight",),
    drain=("StoredIsSafe",),
    deliver=("LeaderIsSynchronised", "LeaderIsToldNothing", "UntoldIsUnanswered"),
    deliver_to_mirror=("CalledIsNotAsked", "DiscardedIsNotHeld", "NotedIsSafe"),
    hand_on=("LeaderIsSynchronised", "LeaderIsToldNothing", "UntoldIsUnanswered"),
    master_tells=("ToldIsUnanswered", "RemovedIsNotHeld"),
)
def CastIsSafe(s: Confirms) -> bool:
    """What a process has cast a confirm for is on disk, if its queue must have it (INV-B5)."""
    return all(
        s.synced(m, r) and (s.replicas[r].status != Status.RUNNING or m in s.replicas[r].holds())
        for r in Replica
        if s.replicas[r].durable
        for m in s.replicas[r].outbox & s.persistent
        if s.replicas[r].of in s.holders[m]
    )


@lemma(
    *BODIES,
    "LeavingIsNotHeld",
    "DeletedHoldsNothing",
    **FRESH,
    tx_commit=("BatchIsUnheld",),
    master_removes=("RemovedIsNotHeld",),
    synchronise=_SYNCHRONISED,
    publish_in_tx=("NumberedInGhosts",),
    confirm_arrives=("CastIsSafe",),
    down_arrives=("NormalMeansDeleted",),
    deliver=("AskedHasNotAnswered",),
    hand_on=("AskedHasNotAnswered",),
    master_tells=("LonelyIsMaster", "MasterIsNoMirror", "ToldIsUnanswered"),
    stop_unsynchronised=("LonelyIsMaster", "MasterIsNoMirror"),
)
def AnsweredIsSafe(s: Confirms) -> bool:
    """What a process has confirmed it has on disk, if its queue must have it (INV-B5)."""
    return all(
        s.synced(m, r) and (s.replicas[r].status != Status.RUNNING or m in s.replicas[r].holds())
        for r in Replica
        if s.replicas[r].durable
        for m in s.persistent
        if s.replicas[r].of in s.holders[m] and answered(s, m, r)
    )


PROOFS = {
    "NoAckBeforeDurable": (
        *BODIES,
        "AnsweredIsSafe",
        "ClosedIsEmpty",
        "SentIsNotPlain",
        "EachMessageHasOnePlace",
        "MultipleIsExact",
        "SentBelongs",
        "ToldWasSent",
        "UnacceptedIsAwaited",
        "WaitingWasSent",
        "IdleIsEmpty",
        "ConfirmXorTransaction",
    ),
}

FOLLOWS = {
    "ConfirmedSurvives": (
        *BODIES,
        "AnsweredIsSafe",
        "ClosedIsEmpty",
        "SentIsNotPlain",
        "DeletedHoldsNothing",
        "EachMessageHasOnePlace",
        "MultipleIsExact",
        "SentBelongs",
        "ToldWasSent",
        "UnacceptedIsAwaited",
    ),
}
