"""Lemmas of accepting: a queue is waited for until all its processes have answered (A8).

So a message that is confirmed was accepted by each queue that is not gone, and confirmed by each of
its processes that still runs.  A process that has confirmed is not waited for, but it is kept that
it has, as long as others are: then it depends on these alone whether the queue has accepted.
"""

from __future__ import annotations

from ackproof.lang import lemma, restriction
from ackproof.spec.lemmas.asking import below_next
from ackproof.spec.sorts import Born, ChannelId, Msg, Overflow, Replica, Status
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
    down_arrives=("NormalMeansDeleted",),
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


@restriction
def RefusersAreAlone(s: Confirms) -> bool:
    """A queue that refuses what it has no room for has no mirrors (B5.3)."""
    return all(
        not s.mirrored(r)
        or not s.replicas[r].limited
        or s.replicas[r].overflow != Overflow.REJECT_PUBLISH
        for r in Replica
    )


@lemma("BatchIsNumbered", "NumberedInFlight")
def NumberedInRefusals(s: Confirms) -> bool:
    """What was refused has a smaller number than what comes next, and was committed (A4.1)."""
    return all(
        not s.refusing[m] or (below_next(s, m) and m not in s.transactions[Msg.owner(m)].batch)
        for m in Msg
    )


@lemma(
    "NumberedInRefusals",
    "OnePhaseAtATime",
    "MasterIsNoMirror",
    "LonelyIsMaster",
    "RefusersAreAlone",
)
def RefusedIsDone(s: Confirms) -> bool:
    """What the only process of a queue has refused it answers in no other way (B5.4)."""
    return all(
        not s.mirrored(r)
        and m not in s.casts[Msg.owner(m)].publishes[r]
        and m not in s.replicas[r].awaiting | s.replicas[r].outbox
        for m in Msg
        for r in Replica
        if s.replicas[r].of in s.refusing[m]
    )


@lemma(*_NEW, "NothingIsSentBefore", "PlainIsPast", "SentBelongs")
def SentIsNotPlain(s: Confirms) -> bool:
    """What a publisher counts was published in confirm mode (A7.1)."""
    return all(m not in s.plain for c in ChannelId for m in s.publishers[c].sent)


@lemma(
    "RefusedIsDone",
    "NumberedInRefusals",
    deliver=("AskedIsUnaccepted", "RefusersAreAlone"),
    down_arrives=("NormalMeansDeleted",),
    tx_commit=("BatchBelongs",),
)
def RefusedIsUnaccepted(s: Confirms) -> bool:
    """A queue that has refused has not accepted (B5.4)."""
    return all(q in s.unaccepted[m] for m in Msg if m not in s.plain for q in s.refusing[m])


@lemma(
    "OnePhaseAtATime",
    "NumberedInFlight",
    "BatchIsNumbered",
    down_arrives=(
        "EndedAwaitsNothing",
        "EndedIsNotAsked",
        "GivenUpIsBenign",
        "NormalMeansDeleted",
    ),
    drain=("LonelyIsMaster", "MasterIsNoMirror"),
    master_tells=("LonelyIsMaster", "MasterIsNoMirror"),
    promote=("LonelyIsMaster", "MasterIsNoMirror"),
)
def AskedIsUnaccepted(s: Confirms) -> bool:
    """A queue has not accepted what its only process is asked, or has still to tell (A8)."""
    return all(
        m in s.plain or s.replicas[r].of in s.unaccepted[m]
        for r in Replica
        if not s.mirrored(r)
        for m in Msg
        if m in s.casts[Msg.owner(m)].publishes[r]
        or m in s.replicas[r].awaiting | s.replicas[r].outbox
    )


#: What follows from what.
FOLLOWS = {
    "AckMeansAccepted": (
        "EachMessageHasOnePlace",
        "MultipleIsExact",
        "RefusedIsUnaccepted",
        "SentBelongs",
        "SentIsNotPlain",
        "ToldWasSent",
        "UnacceptedIsAwaited",
    ),
    "AckMeansEveryMirror": (
        "EachMessageHasOnePlace",
        "MultipleIsExact",
        "OwingIsAsked",
        "SentBelongs",
        "ToldWasSent",
    ),
}
