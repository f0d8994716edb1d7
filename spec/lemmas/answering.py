"""Lemmas of answering: a process that has answered is done with a message (INV-B2, INV-C3).

What a process still has to answer for, in whatever phase that is, it has not answered for: there is
one answer for each time that it was asked, and it is asked once.
"""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.sorts import Born, Msg, Replica, Seen
from ackproof.spec.system import Confirms


@lemma(
    "BatchIsNumbered",
    "BatchIsUnheld",
    "NumberedInFlight",
    "NumberedInGhosts",
    "OnePhaseAtATime",
)
def VouchingIsDone(s: Confirms) -> bool:
    """A process whose confirm has arrived has nothing more to do with a message (INV-B2)."""
    return all(
        m not in s.casts[Msg.owner(m)].publishes[r] | s.replicas[r].direct
        and m not in s.replicas[r].awaiting | s.replicas[r].outbox
        and s.replicas[r].seen[m] != Seen.CALLED
        for m in Msg
        for r in s.vouchers[m]
    )


@lemma("BatchIsNumbered", "NumberedInFlight")
def AnswersAreNotPlain(s: Confirms) -> bool:
    """No process answers for what nobody waits for (B2.1)."""
    return all(
        m not in s.plain
        for r in Replica
        for m in Msg
        if m in s.replicas[r].awaiting | s.replicas[r].outbox
        or s.replicas[r].seen[m] == Seen.CALLED
    )


@lemma("JoinedIsNoMaster", "MasterIsNoMirror", "OnePhaseAtATime")
def MasterAsksItsStoreOnce(s: Confirms) -> bool:
    """What the store of a master will confirm, or has, the master awaits (INV-C3)."""
    return all(
        m in s.replicas[r].awaiting
        and not (m in s.replicas[r].store.unconfirmed and m in s.replicas[r].store.confirmed)
        for r in Replica
        if s.replicas[r].born == Born.MASTER
        for m in s.replicas[r].store.unconfirmed | s.replicas[r].store.confirmed
    )


#: What follows from what.
FOLLOWS = {
    "ConfirmedOnceByQueue": (
        "AnswersAreNotPlain",
        "AskedIsUnaccepted",
        "OnePhaseAtATime",
        "VouchingIsDone",
    ),
    "ConfirmedOnceByStore": ("MasterAsksItsStoreOnce",),
}
