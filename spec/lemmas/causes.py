"""Lemmas about causes: a message is nacked only where something went wrong for it (INV-A12)."""

from __future__ import annotations

from ackproof.lang import assumption, lemma
from ackproof.spec.sorts import ChannelId, Msg, Queue, Reason, Replica, Seen, Status
from ackproof.spec.system import Confirms


@lemma()
def RefusedIsExcused(s: Confirms) -> bool:
    """What a process refuses, or has heard to be refused, its queue had no room for (B5.4)."""
    return all(
        s.replicas[r].refused | s.multicast.refusals[r] <= s.excused
        and all(s.replicas[r].seen[m] != Seen.REFUSED or m in s.excused for m in Msg)
        for r in Replica
    )


@lemma(
    "GivenUpIsBenign",
    "RefusedIsExcused",
    "CrashedIsExcused",
    "LostIsExcused",
    "IdleIsEmpty",
    "ClosedIsEmpty",
    "ConfirmXorTransaction",
)
def RejectedIsExcused(s: Confirms) -> bool:
    """What the channel has rejected there was a cause for (INV-A12)."""
    return all(
        m in s.excused
        for m in Msg
        if m in s.channels[Msg.owner(m)].rejected | s.channels[Msg.owner(m)].nacked
    )


@assumption
def SiblingsLiveApart(s: Confirms) -> bool:
    """No two processes of a queue are on one node (D1.1)."""
    return all(
        x == r or s.replicas[r].node is None or s.replicas[x].node != s.replicas[r].node
        for r in Replica
        for x in s.siblings(r)
    )


@lemma(
    "BatchBelongs",
    "ClosedIsEmpty",
    "ConfirmXorTransaction",
    "CountsAgree",
    "IdleIsEmpty",
    "RunningHasNotEnded",
    "SentIsBelowNext",
    "AloneIsUnaccepted",
    "WaitedForOwes",
    "WaitingWasSent",
)
def CrashedIsExcused(s: Confirms) -> bool:
    """What a crashed process had still to answer is excused by the crash (A9.2)."""
    return all(
        m in s.excused or m in s.replicas[r].outbox
        for m in Msg
        for r in Replica
        if s.casts[Msg.owner(m)].downs[r] == Reason.ABNORMAL
        if r in s.channels[Msg.owner(m)].unconfirmed[m]
    )


@lemma("IdleIsEmpty")
def DeadIsNotAwaited(s: Confirms) -> bool:
    """Nobody waits for a process that is gone and of whose end the channel has heard (A9)."""
    return all(
        s.able(r) or s.casts[Msg.owner(m)].downs[r] is not None
        for m in Msg
        for r in s.channels[Msg.owner(m)].unconfirmed[m]
    )


@lemma(
    "BatchBelongs",
    "ClosedIsEmpty",
    "ConfirmXorTransaction",
    "CountsAgree",
    "DeadIsNotAwaited",
    "IdleIsEmpty",
    "SentIsBelowNext",
    "WaitingWasSent",
)
def WaitedForOwes(s: Confirms) -> bool:
    """A mirrored process that is waited for, and can answer, owes an answer (INV-A9)."""
    return all(
        r in s.owing[m]
        for m in Msg
        for r in s.channels[Msg.owner(m)].unconfirmed[m]
        if s.mirrored(r) and s.able(r) and s.casts[Msg.owner(m)].downs[r] is None
    )


@lemma(
    **dict.fromkeys(
        ("publish", "publish_again", "dead_letter"),
        (
            "ClosedIsEmpty",
            "ConfirmXorTransaction",
            "CountsAgree",
            "IdleIsEmpty",
            "SentIsBelowNext",
            "WaitingWasSent",
        ),
    ),
    tx_commit=("BatchBelongs", "ConfirmXorTransaction", "IdleIsEmpty"),
)
def AloneIsUnaccepted(s: Confirms) -> bool:
    """A queue whose one process is waited for has not accepted the message (A8.3)."""
    return all(
        s.replicas[r].of in s.unaccepted[m]
        for m in Msg
        for r in s.channels[Msg.owner(m)].unconfirmed[m]
        if not s.mirrored(r)
    )


@lemma(
    "IdleIsEmpty",
    "SentIsBelowNext",
    "WaitingWasSent",
    "CountsAgree",
    "BatchBelongs",
    "ClosedIsEmpty",
    "ConfirmXorTransaction",
)
def OwingIsAwaited(s: Confirms) -> bool:
    """A process that runs and owes an answer can give it, and is waited for if its queue is."""
    return all(
        not s.given_up(x)
        and (
            x in s.channels[Msg.owner(m)].unconfirmed[m]
            or not s.siblings(x) & s.channels[Msg.owner(m)].unconfirmed[m]
        )
        for m in Msg
        for x in s.owing[m]
        if s.replicas[x].status == Status.RUNNING
    )


@lemma(
    "BatchBelongs",
    "ClosedIsEmpty",
    "ConfirmXorTransaction",
    "CountsAgree",
    "IdleIsEmpty",
    "SentIsBelowNext",
    "WaitingWasSent",
)
def AwaitedIsUnaccepted(s: Confirms) -> bool:
    """A queue that is waited for has accepted nothing yet, or one of its processes has (A8.3)."""
    return all(
        s.replicas[r].of in s.unaccepted[m]
        or bool(s.siblings(r) & s.channels[Msg.owner(m)].vouched[m])
        for m in Msg
        for r in s.channels[Msg.owner(m)].unconfirmed[m]
    )


@lemma(
    "AwaitedIsUnaccepted",
    "DeadIsNotAwaited",
    "SiblingsLiveApart",
    "OwingIsAwaited",
    "AloneIsUnaccepted",
    "WaitedForOwes",
    "IdleIsEmpty",
    "SentIsBelowNext",
    "WaitingWasSent",
    "CountsAgree",
    "BatchBelongs",
    "ClosedIsEmpty",
    "ConfirmXorTransaction",
)
def LostIsExcused(s: Confirms) -> bool:
    """As long as a queue is waited for without a cause, somebody of it can still answer (A9)."""
    return all(
        m in s.excused
        or any(
            x in s.channels[Msg.owner(m)].vouched[m]
            or (
                x in s.channels[Msg.owner(m)].unconfirmed[m]
                and s.casts[Msg.owner(m)].downs[x] == Reason.NORMAL
                and s.of_client(Msg.owner(m))
            )
            or (
                x in s.channels[Msg.owner(m)].unconfirmed[m]
                and not s.given_up(x)
                and (s.casts[Msg.owner(m)].downs[x] is None or m in s.replicas[x].outbox)
            )
            for x in Replica
            if s.replicas[x].of == q
        )
        for m in Msg
        for q in Queue
        for r in s.channels[Msg.owner(m)].unconfirmed[m]
        if s.replicas[r].of == q
        if s.casts[Msg.owner(m)].downs[r] != Reason.NORMAL or not s.of_client(Msg.owner(m))
    )


@lemma()
def RunningHasNotEnded(s: Confirms) -> bool:
    """Of a process that runs the channel hears no end, unless it has given it up (O1)."""
    return all(
        s.casts[c].downs[r] is None or s.casts[c].downs[r] == Reason.BENIGN
        for c in ChannelId
        for r in Replica
        if s.replicas[r].status == Status.RUNNING
    )


@lemma(stop_unsynchronised=("JoinedIsNoMaster",))
def NormalMeansDeleted(s: Confirms) -> bool:
    """A process ends normally only when its queue is deleted, and it was the master (A9, A9.3)."""
    return all(
        s.replicas[r].status == Status.DELETED and s.replicas[r].led()
        for c in ChannelId
        for r in Replica
        if s.casts[c].downs[r] == Reason.NORMAL
    )


FOLLOWS = {
    "NackOnlyWithCause": (
        "MultipleIsExact",
        "RejectedIsExcused",
        "SentBelongs",
        "ToldWasSent",
    ),
}
