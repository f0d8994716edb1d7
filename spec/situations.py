"""Situations that must come up: what can become of a message, its acks and its nacks.

A specification in which nothing ever goes wrong keeps all promises, and proves nothing.  So these
states and steps must be *reachable*: acks that come late, cover several, or are given for what is
lost later; nacks for what is still there; masters that fail, and mirrors that take over.
"""

from __future__ import annotations

from ackproof.lang import reachable
from ackproof.spec.sorts import ChannelId, Reason, Replica, Status
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack, Nack


@reachable
def AckedFromDisk(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """A persistent message is acked, and each of its queues has it on disk (B2.2, C2.2)."""
    return (
        ack.tag in after.persistent
        and bool(after.holders[ack.tag])
        and all(after.synced(ack.tag, r) for r in after.answering(ack.tag))
    )


@reachable
def AckCoversSeveral(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """One ack with `multiple` settles several messages (A11.3)."""
    return ack.multiple and any(m < ack.tag for m in after.acked() - before.acked())


@reachable
def LoneNackIsMultiple(before: Confirms, after: Confirms, nack: Nack) -> bool:
    """A nack for one message is sent with `multiple`, as an ack never is (A11.4)."""
    return nack.multiple and after.nacked() - before.nacked() == {nack.tag}


@reachable
def AckOutOfOrder(s: Confirms) -> bool:
    """A message is acked while an earlier one is unknown (A11.7, X8)."""
    return any(
        k < m
        for c in ChannelId
        if s.channels[c].open
        for m in s.publishers[c].confirmed
        for k in s.publishers[c].unknown()
    )


@reachable
def ReturnLongBeforeAck(s: Confirms) -> bool:
    """A message was returned, its ack waits, and a later one is published meanwhile (A6.7)."""
    return any(
        k < m
        for c in ChannelId
        for k in s.publishers[c].returned & s.channels[c].confirmed
        for m in s.publishers[c].sent
    )


@reachable
def NackedYetHeldElsewhere(s: Confirms) -> bool:
    """A nacked message is in a queue: another queue of it has crashed (INV-A12, A8.4)."""
    return any(
        m in s.replicas[r].ready and s.replicas[r].of not in s.unaccepted[m]
        for m in s.nacked()
        for r in Replica
        if s.replicas[r].of in s.holders[m]
    )


@reachable
def ConsumedComesBack(before: Confirms, after: Confirms) -> bool:
    """A message that was consumed is there again after a crash (C5.2)."""
    return any(
        before.replicas[r].status == Status.DOWN and before.replicas[r].of not in before.holders[m]
        for r in Replica
        if before.replicas[r].store.lazy
        for m in after.replicas[r].ready - before.replicas[r].ready
        if m in before.persistent
    )


@reachable
def PromotedWithPending(before: Confirms, after: Confirms) -> bool:
    """A mirror is promoted while the channel waits for its confirm (D5.6)."""
    return any(
        after.replicas[r].promoted and not before.replicas[r].promoted
        for c in ChannelId
        for m in after.channels[c].unconfirmed
        for r in after.channels[c].unconfirmed[m]
    )


@reachable
def DuplicateAfterPromotion(s: Confirms) -> bool:
    """A promoted master is about to get the direct copy of a message that it has (D6.2)."""
    return any(
        s.replicas[r].leads() and s.replicas[r].recognises(m)
        for r in Replica
        for m in s.in_flight(r)
    )


@reachable
def NackedWhileMirrored(s: Confirms) -> bool:
    """A nacked message is with a master and a mirror, which was asked and is well (A9.2, G-D8)."""
    return any(
        s.replicas[r].leads() and m in s.replicas[r].ready and m in s.replicas[x].ready
        for m in s.nacked()
        for r in Replica
        for x in s.mirrors_of(r)
    )


@reachable
def AckedOnOneLeg(s: Confirms) -> bool:
    """A mirrored message is acked, and all processes but one that confirmed are gone (D8 L4)."""
    return any(
        s.replicas[r].leads() and s.vouchers[m] == {r} and not s.mirrors_of(r)
        for m in s.acked()
        for r in Replica
        if s.mirrored(r)
    )


@reachable
def RejectedForLackOfRoom(s: Confirms) -> bool:
    """A message is nacked because its queue was full (B5.4)."""
    return any(bool(s.refusing[m]) for m in s.nacked())


@reachable
def DroppedForLackOfRoom(s: Confirms) -> bool:
    """A message is acked that was dropped to make room, before or after (B5.2)."""
    return any(
        s.replicas[r].limited and s.replicas[r].of not in s.holders[m] and m in s.persistent
        for m in s.acked() - s.unroutable
        for r in Replica
    )


@reachable
def TwoMasters(s: Confirms) -> bool:
    """A partition has made two masters of one queue (D9)."""
    return bool(s.cluster.estranged) and any(
        s.replicas[r].leads() and s.replicas[x].leads() and x != r
        for r in Replica
        for x in s.siblings(r)
    )


@reachable
def WithheldInMinority(s: Confirms) -> bool:
    """A message is confirmed, and the channel must not say so (A10.4, A12.4)."""
    return any(bool(s.channels[c].confirmed) for c in ChannelId) and not s.cluster.majority()


@reachable
def AckedAndLostInPartition(s: Confirms) -> bool:
    """An acked message is not with the master that is left after a partition (D8 L2, L3)."""
    return s.cluster.parted and any(
        s.replicas[r].leads()
        and s.replicas[r].of in s.holders[m]
        and m not in s.replicas[r].holds() | s.in_flight(r)
        for m in s.acked()
        for r in Replica
    )


@reachable
def SynchronisedByConsumption(before: Confirms, after: Confirms) -> bool:
    """A mirror becomes synchronised without having been given anything (D7.2)."""
    return any(
        r in before.unsynced and r not in after.unsynced and not after.replicas[r].ready
        for r in Replica
    )


@reachable
def NackedYetRecovered(before: Confirms, after: Confirms) -> bool:
    """A queue comes back with a message that was nacked because it crashed (C5, INV-A12)."""
    return any(
        after.nacked() & (after.replicas[r].ready - before.replicas[r].ready)
        for r in Replica
        if before.replicas[r].status == Status.DOWN
    )


@reachable
def DeletionConfirms(before: Confirms, after: Confirms) -> bool:
    """Messages that waited for a queue are confirmed by its deletion (A9.3)."""
    return any(
        bool(after.channels[c].confirmed - before.channels[c].confirmed)
        for c in ChannelId
        if any(before.casts[c].downs[r] == Reason.NORMAL for r in Replica)
    )


@reachable
def ConfirmedTransientLost(s: Confirms) -> bool:
    """An acked transient message is lost in a crash, as it may be (B2.3, D8 L10, L6.7)."""
    return any(
        s.replicas[r].status == Status.DOWN
        for m in s.acked() - s.persistent
        for r in Replica
        if s.replicas[r].of in s.holders[m]
    )


@reachable
def UnknownYetStored(s: Confirms) -> bool:
    """The channel is closed, and a message of which nothing was heard is on disk (A14.3)."""
    return any(
        s.synced(m, r)
        for c in ChannelId
        if not s.channels[c].open
        for m in s.publishers[c].unknown()
        for r in Replica
    )
