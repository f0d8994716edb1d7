"""Lemmas of committing: what a commit waits for, and that what was taken back never was (A13).

A commit is answered when nothing is waited for, as a message is acked, so what an answer is worth
follows from the lemmas of `accepting` and `durability`.  Before the commit a message has a number
and nothing else; and a number is used once, so what was taken back gets nowhere afterwards.
"""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.lemmas.asking import below_next
from ackproof.spec.sorts import ChannelId, Level, Msg, Queue, Replica, Seen, TxMode
from ackproof.spec.system import Confirms


@lemma("ConfirmXorTransaction")
def FailureHasACause(s: Confirms) -> bool:
    """A commit has failed since something was rejected (A13.5)."""
    return all(
        s.transactions[c].mode != TxMode.FAILED or bool(s.channels[c].rejected) for c in ChannelId
    )


@lemma("BatchBelongs", "BatchIsNumbered")
def CommittedIsPast(s: Confirms) -> bool:
    """What was committed, or taken back, is never committed again (A4.1, A13.3)."""
    return all(
        Msg.owner(m) == c and below_next(s, m) and m not in s.transactions[c].batch
        for c in ChannelId
        for m in Msg
        if m in s.transactions[c].committing | s.transactions[c].committed
        or m in s.transactions[c].abandoned
    )


@lemma("BatchBelongs", "CommittedIsPast", "PlainIsPast")
def CommittedIsNotPlain(s: Confirms) -> bool:
    """What was committed was published in a transaction (A7.1, A13.3)."""
    return all(
        m not in s.plain
        for c in ChannelId
        for m in s.transactions[c].committing | s.transactions[c].committed
    )


@lemma("BatchBelongs", "BatchIsNumbered", "CommittedIsPast")
def AbandonedIsNotUnderWay(s: Confirms) -> bool:
    """What was taken back no process has heard of (A13.6)."""
    return all(
        m not in s.casts[c].publishes[r]
        and m not in s.multicast.coming(r) | s.replicas[r].direct
        and s.replicas[r].seen[m] == Seen.ABSENT
        for c in ChannelId
        for m in s.transactions[c].abandoned
        for r in Replica
    )


@lemma("AbandonedIsNotUnderWay", "BatchIsNew", "CommittedIsPast", "BatchBelongs")
def AbandonedIsNotKept(s: Confirms) -> bool:
    """No process has ever had it (A13.6, A13.7)."""
    return all(
        m not in s.replicas[r].holds() and s.replicas[r].store.level[m] == Level.ABSENT
        for c in ChannelId
        for m in s.transactions[c].abandoned
        for r in Replica
    )


@lemma("BatchBelongs", "BatchIsNumbered")
def UnroutedAsksBack(s: Confirms) -> bool:
    """What a transaction keeps as mandatory and without a queue was published so (A6.2, A13.1)."""
    return all(
        m in s.transactions[c].batch
        and (m in s.mandatory or any(q in s.transactions[c].routes[m] for q in Queue))
        for c in ChannelId
        for m in s.transactions[c].mandatory
    )


@lemma("CommittedIsPast", "BatchBelongs", "BatchIsOpen", "ConfirmXorTransaction", "IdleIsEmpty")
def AbandonedIsNotAwaited(s: Confirms) -> bool:
    """No channel waits for it (A13.6)."""
    return all(
        not s.channels[c].unconfirmed[m] for c in ChannelId for m in s.transactions[c].abandoned
    )


#: What the properties of this group are proved with.
PROOFS = {
    "NothingFallsOut": (),
    "CommitMeansAccepted": (
        "ClosedHasNoTransaction",
        "CommittedIsPast",
        "ConfirmXorTransaction",
        "FailureIsNoticed",
        "NothingIsSentBefore",
        "ToldWasSent",
        "UnacceptedIsAwaited",
        "BatchBelongs",
    ),
    "ClosedHasNoTransaction": (),
    "ComplaintIsTrue": (),
    "OverIsForgotten": (),
    "ClosesOnce": ("ClosedHasNoTransaction",),
    "CommitSettles": ("UnnamedGetNoTags",),
    "FailureIsNoticed": ("ConfirmXorTransaction", "IdleIsEmpty"),
    "FailedCommitCloses": ("FailureIsNoticed",),
    "NoReturnInTransaction": ("ConfirmXorTransaction", "UnroutedAsksBack"),
    "PlainIsOfNoMode": (),
    "RollbackUnsettles": (),
    "NoCommitBeforeDurable": (
        "AnsweredIsSafe",
        "ClosedHasNoTransaction",
        "CommittedIsNotPlain",
        "CommittedIsPast",
        "ConfirmXorTransaction",
        "FailureIsNoticed",
        "NothingIsSentBefore",
        "ToldWasSent",
        "UnacceptedIsAwaited",
    ),
}

#: What follows from what.
FOLLOWS = {
    "CommitFailsOnlyWithCause": ("FailureHasACause", "RejectedIsExcused", "WaitingBelongs"),
    "CommittedSurvives": (
        "AnsweredIsSafe",
        "CommitMeansAccepted",
        "CommittedIsNotPlain",
        "DeletedHoldsNothing",
    ),
    "NothingBeforeCommit": (
        "BatchBelongs",
        "BatchIsNew",
        "BatchIsNumbered",
        "BatchIsOpen",
        "CastsBelong",
        "ConfirmXorTransaction",
        "IdleIsEmpty",
    ),
    "RollbackLeavesNoTrace": (
        "AbandonedIsNotAwaited",
        "AbandonedIsNotKept",
        "AbandonedIsNotUnderWay",
        "CastsBelong",
        "CommittedIsPast",
    ),
}
