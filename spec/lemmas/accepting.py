"""Lemmas of accepting: a queue is waited for until all its processes have answered (A8).

So a message that is confirmed was accepted by each queue that is not gone, and confirmed by each of
its processes that still runs.  A process that has confirmed is not waited for, but it is kept that
it has, as long as others are: then it depends on these alone whether the queue has accepted.
"""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.sorts import Born, Msg, Replica, Status
from ackproof.spec.system import Confirms


@lemma("EachQueueHasAMaster")
def LonelyIsMaster(s: Confirms) -> bool:
    """A process that is its queue's only one is born as its master (D1.1)."""
    return all(s.mirrored(r) or s.replicas[r].born == Born.MASTER for r in Replica)


#: What it takes to know that nobody waits yet for what is published or committed now.
_NEW = (
    "BatchBelongs",
    "ClosedIsEmpty",
    "ConfirmXorTransaction",
    "CountsAgree",
    "IdleIsEmpty",
    "SentIsBelowNext",
    "WaitingWasSent",
)


@lemma(*_NEW)
def VouchedIsWaitedFor(s: Confirms) -> bool:
    """It is kept who has confirmed only as long as others of the queue are waited for (A8.3)."""
    return all(
        bool(s.siblings(r) & s.channels[Msg.owner(m)].unconfirmed[m])
        for m in Msg
        for r in s.channels[Msg.owner(m)].vouched[m]
    )


@lemma(*_NEW, "VouchedIsWaitedFor")
def VouchedIsAccepted(s: Confirms) -> bool:
    """A queue of which a process counts as having confirmed has accepted (A8.3)."""
    return all(
        s.replicas[r].of not in s.unaccepted[m]
        for m in Msg
        for r in s.channels[Msg.owner(m)].vouched[m]
    )


@lemma(
    *_NEW,
    "EachMessageHasOnePlace",
    "EachQueueHasAnAddress",
    "NothingIsSentBefore",
    "ToldWasSent",
    "VouchedIsAccepted",
)
def UnacceptedIsAwaited(s: Confirms) -> bool:
    """A process of each queue that has not accepted is waited for, unless all is lost (A8)."""
    return all(
        any(s.replicas[r].of == q and r in s.channels[Msg.owner(m)].unconfirmed[m] for r in Replica)
        or m in s.channels[Msg.owner(m)].rejected | s.channels[Msg.owner(m)].nacked
        or (not s.channels[Msg.owner(m)].open and m not in s.channels[Msg.owner(m)].acked)
        for m in Msg
        for q in s.unaccepted[m]
    )


@lemma()
def OwingIsMirrored(s: Confirms) -> bool:
    """It is counted who owes an answer where several do (INV-A9)."""
    return all(s.mirrored(r) for m in Msg for r in s.owing[m])


@lemma(
    *_NEW,
    "EachMessageHasOnePlace",
    "OwingIsMirrored",
    "ToldWasSent",
    down_arrives=("NormalMeansDeleted", "QueuesEndAsOne"),
)
def OwingIsAsked(s: Confirms) -> bool:
    """Each process that runs and owes an answer is waited for, unless all is lost (D4.20)."""
    return all(
        r in s.channels[Msg.owner(m)].unconfirmed[m]
        or m in s.channels[Msg.owner(m)].rejected | s.channels[Msg.owner(m)].nacked
        or (not s.channels[Msg.owner(m)].open and m not in s.channels[Msg.owner(m)].acked)
        for m in Msg
        for r in s.owing[m]
        if s.replicas[r].status == Status.RUNNING
    )


#: What follows from what.
FOLLOWS = {
    "AckMeansEveryMirror": (
        "EachMessageHasOnePlace",
        "MultipleIsExact",
        "OwingIsAsked",
        "SentBelongs",
        "ToldWasSent",
    ),
}
