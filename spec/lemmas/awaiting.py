"""Lemmas of awaiting: the store confirms whatever its process waits for, and was asked only once.

A process that will confirm a message when it is on disk has given it to its store, with the order
to confirm it.  The store keeps that order until it has carried it out, and the process takes note.
"""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.sorts import Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms


@lemma("NumberedInFlight", "BatchIsNumbered")
def NotedIsUnderWay(s: Confirms) -> bool:
    """The store of a mirror will confirm what that waits for, whoever has told it (D4.6, D4.12)."""
    return all(
        m in s.replicas[r].store.unconfirmed | s.replicas[r].store.confirmed
        for r in Replica
        if s.replicas[r].durable
        for m in s.persistent - s.plain
        if s.replicas[r].seen[m] == Seen.PUBLISHED or s.replicas[r].seen[m] == Seen.CALLED
    )


@lemma("NumberedInFlight", "BatchIsNumbered")
def CalledIsStored(s: Confirms) -> bool:
    """What a mirror has called for has to be stored, and confirmed (D4.20)."""
    return all(
        s.replicas[r].durable and m in s.persistent - s.plain
        for r in Replica
        for m in Msg
        if s.replicas[r].seen[m] == Seen.CALLED
    )


@lemma("EndedIsNotAsked", "NotedIsUnderWay", "NumberedInFlight", "BatchIsNumbered")
def NotedIsPresent(s: Confirms) -> bool:
    """It has it, too, or the removal is confirmed next (D4.12, D4.15)."""
    return all(
        m in s.replicas[r].holds() | s.replicas[r].store.confirmed
        for r in Replica
        if s.replicas[r].durable
        for m in s.persistent - s.plain
        if s.replicas[r].seen[m] == Seen.PUBLISHED or s.replicas[r].seen[m] == Seen.CALLED
    )


@lemma()
def EndedAwaitsNothing(s: Confirms) -> bool:
    """A process that has ended waits for nothing (B8.5)."""
    return all(
        not s.replicas[r].awaiting for r in Replica if s.replicas[r].status != Status.RUNNING
    )


#: What the properties of this group are proved with.
PROOFS = {
    "AwaitedIsUnderWay": ("CalledIsStored", "NotedIsUnderWay"),
    "AwaitedIsPresent": (
        "AwaitedIsUnderWay",
        "CalledIsStored",
        "EndedAwaitsNothing",
        "NotedIsPresent",
        "NotedIsUnderWay",
    ),
}
