"""Lemmas of routing: what is sent to whom, and what is known of a message that nobody gets."""

from __future__ import annotations

from ackproof.spec.lang import assumption, lemma
from ackproof.spec.sorts import Born, Queue, Replica
from ackproof.spec.system import Confirms


@assumption
def EachQueueHasAMaster(s: Confirms) -> bool:
    """Every queue begins with a process that leads it (D1.1)."""
    return all(
        any(s.replicas[r].of == q and s.replicas[r].born == Born.MASTER for r in Replica)
        for q in Queue
    )


@lemma()
def LeaderIsListed(s: Confirms) -> bool:
    """Whoever leads a queue is in its record, where channels look (A5.5, D1.1)."""
    return all(s.listed(r) for r in Replica if s.replicas[r].leads())


@lemma("EachQueueHasAMaster", "LeaderIsListed")
def EachQueueHasAnAddress(s: Confirms) -> bool:
    """A message for a queue that exists is cast to somebody (A5.5)."""
    return all(any(s.replicas[r].of == q and s.listed(r) for r in Replica) for q in Queue)


@lemma("ConfirmXorTransaction", "NothingIsSentBefore", "CountsAgree")
def UnroutableWasSent(s: Confirms) -> bool:
    """What is known to be unroutable was sent in confirm mode (A6.2)."""
    return s.unroutable <= s.publisher.sent


@lemma(
    "ClosedIsEmpty",
    "CountsAgree",
    "IdleIsEmpty",
    "NothingIsSentBefore",
    "SentIsBelowNext",
    "UnroutableWasSent",
    "WaitingWasSent",
    "ToldWasSent",
    "EachMessageHasOnePlace",
    "ConfirmXorTransaction",
)
def UnroutableIsSettled(s: Confirms) -> bool:
    """What is unroutable is confirmed at once, and waits for nobody (A7.2)."""
    told = s.channel.confirmed | s.channel.acked
    lost = s.channel.rejected | s.channel.nacked
    return all(
        m not in lost and not s.channel.unconfirmed[m] and (m in told or not s.channel.open)
        for m in s.unroutable
    )


PROOFS = {
    "ReturnedIsUnroutable": ("EachQueueHasAnAddress",),
}

FOLLOWS = {
    "UnroutableIsConfirmed": ("UnroutableIsSettled", "MultipleIsExact"),
}
