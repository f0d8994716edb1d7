"""Lemmas of accepting: a queue that has one process is waited for until that accepts (A8).

So a message that is confirmed was accepted there, unless the queue is gone.
"""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.sorts import Born, Msg, Replica
from ackproof.spec.system import Confirms


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
    return all(s.mirrored(r) for m in Msg for r in s.channels[Msg.owner(m)].vouched[m])


@lemma(
    "BatchBelongs",
    "BatchIsUnheld",
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
        r in s.channels[Msg.owner(m)].unconfirmed[m]
        or m in s.channels[Msg.owner(m)].rejected | s.channels[Msg.owner(m)].nacked
        or (not s.channels[Msg.owner(m)].open and m not in s.channels[Msg.owner(m)].acked)
        for m in Msg
        for r in Replica
        if s.replicas[r].of in s.unaccepted[m]
        if not s.mirrored(r)
    )
