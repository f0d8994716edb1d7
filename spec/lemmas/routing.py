"""Lemmas of routing: what is sent to whom, and what is known of a message that nobody gets."""

from __future__ import annotations

from ackproof.lang import assumption, lemma
from ackproof.spec.sorts import Born, Msg, Queue, Replica, Status
from ackproof.spec.system import Confirms


@assumption
def EachQueueHasAMaster(s: Confirms) -> bool:
    """Every queue begins with a process that leads it (D1.1)."""
    return all(
        any(s.replicas[r].of == q and s.replicas[r].born == Born.MASTER for r in Replica)
        for q in Queue
    )


@assumption
def EachQueueHasOneName(s: Confirms) -> bool:
    """All processes of a queue wait for the same name, if it is to take over one (A9.5)."""
    return all(s.replicas[x].after == s.replicas[r].after for r in Replica for x in s.siblings(r))


@lemma("EachQueueHasOneName")
def QueuesBeginAsOne(s: Confirms) -> bool:
    """Where one process of a queue is there, the queue was declared, with all of them (A9.5)."""
    return all(
        s.replicas[x].begun()
        for r in Replica
        if s.replicas[r].begun() or s.replicas[r].joined or s.replicas[r].promoted
        for x in s.siblings(r)
    )


@lemma()
def RunningIsListed(s: Confirms) -> bool:
    """A process that runs was not taken out of the record (D5.2)."""
    return all(s.replicas[r].status != Status.RUNNING for r in s.trimmed)


@lemma("RunningIsListed")
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
    return all(m in s.publishers[Msg.owner(m)].sent for m in s.unroutable)


@lemma(
    "BatchBelongs",
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
    return all(
        m not in s.channels[Msg.owner(m)].rejected | s.channels[Msg.owner(m)].nacked
        and not s.channels[Msg.owner(m)].unconfirmed[m]
        and (
            m in s.channels[Msg.owner(m)].confirmed | s.channels[Msg.owner(m)].acked
            or not s.channels[Msg.owner(m)].open
        )
        for m in s.unroutable
    )


PROOFS = {
    "ReturnedIsUnroutable": ("EachQueueHasAnAddress",),
}

FOLLOWS = {
    "UnroutableIsConfirmed": (
        "MultipleIsExact",
        "SentBelongs",
        "ToldWasSent",
        "UnroutableIsSettled",
    ),
}
