"""What a consumer may rely on, and what has nothing to do with confirms.

A consumer is promised little: tags that tell its deliveries apart, messages in order as long as
none comes back, a mark on those that do, and that no message is lost before it was settled.  That
it gets each message once is not among it.  The publisher's side knows nothing of all this: that a
message was confirmed says nothing of its consumption, nor the other way round (INV-F4).
"""

from __future__ import annotations

from ackproof.spec.consuming import Consuming
from ackproof.spec.lang import eventually, invariant, reachable, step_property
from ackproof.spec.sorts import Consumer, Msg, Queue, Replica, Status, Tag, TxMode
from ackproof.spec.wire import (
    Cancel,
    ChannelClose,
    Complaint,
    ConsumerAck,
    Deliver,
    GetOk,
    RollbackOk,
)

# -- tags -----------------------------------------------------------------------------------------


@step_property
def DeliveryTagsIncrease(before: Consuming, after: Consuming, deliver: Deliver) -> bool:
    """A delivery has a tag above all that its channel has used (F1.1).

    With a tag used twice, an ack would name two messages.
    """
    return all(t < deliver.tag for t in before.seen_tags)


@step_property
def GetTakesATag(before: Consuming, after: Consuming, answer: GetOk) -> bool:
    """The answer to basic.get takes a delivery tag like any other (F1.1, L6.17).

    It is acked like any other, too.
    """
    return all(t < answer.tag for t in before.seen_tags)


@invariant
def TagsAreOrdered(s: Consuming) -> bool:
    """What is unacked has a tag that was given out, and the next one is above it (INV-F1).

    So what `multiple` covers is what came earlier.
    """
    next_tag = s.consuming.next_tag()
    return s.consuming.unsettled() <= s.seen_tags and (
        next_tag is None or all(t < next_tag for t in s.consuming.unsettled())
    )


@step_property
def AckSettlesWhatItNames(before: Consuming, after: Consuming, ack: ConsumerAck) -> bool:
    """An ack settles the delivery it names, with `multiple` those before, and no other (F1.2).

    Tag 0 with `multiple` means all, even if there is none.
    """
    kept = {
        t
        for t in before.consuming.unacked
        if ack.tag is not None and t != ack.tag and not (ack.multiple and t < ack.tag)
    }
    return not after.consuming.open or set(after.consuming.unacked) == kept


@step_property
def UnknownTagClosesChannel(before: Consuming, after: Consuming, ack: ConsumerAck) -> bool:
    """Acking a tag that is not there closes the channel, and settles nothing (F1.3).

    Everything unacked is back in its queues, so a client that has lost count gets it all again.
    """
    named = any(t == ack.tag for t in before.consuming.unacked)
    known = named or (ack.tag is None and ack.multiple)
    return after.consuming.open == known and (
        known
        or all(
            not after.replicas[r].pending
            and (
                before.replicas[r].limited or before.replicas[r].holds() == after.replicas[r].ready
            )
            for r in Replica
        )
    )


# -- limits ---------------------------------------------------------------------------------------


@invariant
def PrefetchRespected(s: Consuming) -> bool:
    """No consumer has more unsettled deliveries than its limit (F2.2, F1.6).

    What is acked in a transaction that is not committed still counts.
    """
    return all(
        s.subscriptions[c].prefetch == 0
        or len({t for t in Tag if s.consuming.goes_to(t, c)}) <= s.subscriptions[c].prefetch
        for c in Consumer
    )


@invariant
def SharedPrefetchRespected(s: Consuming) -> bool:
    """All consumers of a channel together have no more than the limit that they share (F2.2).

    A delivery needs both: room for its consumer, and room for all.
    """
    limit = s.consuming.shared_prefetch
    load = {t for t in Tag if any(s.consuming.goes_to(t, c) for c in Consumer)}
    return limit == 0 or len(load) <= limit


@invariant
def LoadIsWhatIsUnsettled(s: Consuming) -> bool:
    """What counts against a limit is what was delivered and is not settled (F1.6, F2.2, F2.3).

    If a settled delivery still counted, its consumer would get fewer and fewer messages, and at
    last none; one that counted no more too early would let it have too many.
    """
    to_consumers = {t for t in Tag if any(s.consuming.goes_to(t, c) for c in Consumer)}
    return s.consuming.shared_load() == to_consumers and all(
        s.consuming.load(c) == {t for t in Tag if s.consuming.goes_to(t, c)} for c in Consumer
    )


# -- messages -------------------------------------------------------------------------------------


@step_property
def RedeliveredIsMarked(before: Consuming, after: Consuming, deliver: Deliver) -> bool:
    """A delivery that is not marked as redelivered is the first of its message (B7.4).

    A consumer that would not do a thing twice has to look only where the mark is.  A queue marks
    what it knows of, so after a partition nothing is promised.
    """
    first = deliver.msg not in before.seen_from(deliver.consumer)
    return deliver.redelivered or first or before.cluster.parted


@step_property
def FetchedAgainIsMarked(before: Consuming, after: Consuming, answer: GetOk) -> bool:
    """An answer to basic.get that is not marked is the first hand-out of its message (B7.4).

    The mark is the queue's, and does not depend on who asks.
    """
    first = answer.msg not in before.handed[answer.queue]
    return answer.redelivered or first or before.cluster.parted


@step_property
def DeliveredInOrder(before: Consuming, after: Consuming) -> bool:
    """The first deliveries of a queue are in the order of publishing (INV-B4).

    Only what comes back may come late.
    """
    return all(
        k < m for q in Queue for m in after.handed[q] - before.handed[q] for k in before.handed[q]
    )


@invariant
def EachCopyHasOnePlace(s: Consuming) -> bool:
    """What a queue has is ready, or under exactly one delivery tag (INV-F2).

    Under two, it would be settled twice; under none, it would stay in the queue for ever.
    """
    return not s.tagged or all(
        len(s.places(m, r)) == (1 if m in s.replicas[r].pending else 0)
        and not (m in s.replicas[r].ready and m in s.replicas[r].pending)
        for r in Replica
        for m in Msg
    )


@step_property
def HeldUntilSettled(before: Consuming, after: Consuming) -> bool:
    """What a consumer has leaves its queue only if the consumer has said so (INV-F3).

    Acking it, and rejecting it for good, are the ways to say so.  What comes back to a queue that
    is limited may have to go for that reason (B5.2).
    """
    return all(
        m in after.finished[after.replicas[r].of] or after.replicas[r].limited
        for r in Replica
        if before.replicas[r].status == Status.RUNNING
        if after.replicas[r].status == Status.RUNNING and after.tagged
        for m in before.replicas[r].pending - after.replicas[r].holds()
    )


@eventually
def RequeuedIsRedelivered(s: Consuming) -> bool:
    """What has come back is delivered again, if there is a consumer with room for it (B7.3, F2.4).

    As long as an instance has tags to give it.
    """
    return s.consuming.next_tag() is None or not any(
        bool(s.replicas[r].ready & s.handed[s.replicas[r].of]) and s.serves(r, c)
        for r in Replica
        for c in Consumer
    )


# -- what must be possible ------------------------------------------------------------------------


@reachable
def ConfirmedYetNeverDelivered(s: Consuming) -> bool:
    """A message is acked to its publisher that no consumer has ever seen (INV-F4)."""
    return any(
        m in s.replicas[r].ready and m not in s.handed[s.replicas[r].of]
        for m in s.publisher.confirmed
        for r in Replica
        if s.replicas[r].leads() and s.tagged
    )


@reachable
def ConsumedYetNeverConfirmed(s: Consuming) -> bool:
    """A message is consumed whose publisher will never hear of it (INV-F4, A14.3)."""
    return not s.channel.open and any(
        m in s.finished[q] for m in s.publisher.unknown() for q in Queue
    )


@reachable
def AckCoversSeveralDeliveries(before: Consuming, after: Consuming, ack: ConsumerAck) -> bool:
    """One ack with a tag and `multiple` settles several deliveries (F1.2)."""
    settled = before.consuming.unsettled() - after.consuming.unsettled()
    return ack.tag is not None and after.consuming.open and len(settled) > 1


@reachable
def ClosedWithOthersUnacked(before: Consuming, after: Consuming, close: ChannelClose) -> bool:
    """An unknown tag ends deliveries that have nothing to do with it (F1.3)."""
    return close.complaint == Complaint.UNKNOWN_TAG and bool(before.consuming.unacked)


@reachable
def PrefetchBlocks(s: Consuming) -> bool:
    """A message is ready, a consumer is there, and may not have it (F2.4)."""
    return s.consuming.open and any(
        bool(s.replicas[r].ready) and s.subscriptions[c].active and not s.has_room(c)
        for c in Consumer
        for r in Replica
        if s.attached(c, r)
    )


@reachable
def RequeuedOvertakes(before: Consuming, after: Consuming) -> bool:
    """A message comes back, and stands before one that was the next just now (B7.2)."""
    return any(
        k < m
        for r in Replica
        if before.tagged
        for k in before.replicas[r].pending & after.replicas[r].ready
        for m in before.replicas[r].ready
        if before.replicas[r].head() == m
    )


@reachable
def HeldByTwo(s: Consuming) -> bool:
    """Two clients have the same message, and neither has done anything wrong (F1.7).

    Its queue went down and came back.  So a message is no lock.
    """
    return any(
        t < u and s.delivered_twice(t, u) for t in s.consuming.unacked for u in s.consuming.unacked
    )


@reachable
def SettledWithNobody(before: Consuming, after: Consuming, ack: ConsumerAck) -> bool:
    """A client acks what came from a process that is gone; nothing happens (F1.7, F3.3)."""
    return after.consuming.open and any(
        before.is_orphan(t) for t in before.consuming.unacked if ack.tag == t
    )


@reachable
def CancelledByBroker(before: Consuming, after: Consuming, cancel: Cancel) -> bool:
    """A consumer is told that its queue is gone, and still has a message of it (F3.3)."""
    return any(after.consuming.goes_to(t, cancel.consumer) for t in after.consuming.unacked)


@reachable
def AckErrorSilencesConfirms(before: Consuming, after: Consuming, close: ChannelClose) -> bool:
    """An unknown delivery tag closes a channel that had confirms to tell (F1.3, A2.6)."""
    return close.complaint == Complaint.UNKNOWN_TAG and bool(before.channel.confirmed)


@reachable
def RollbackRestoresAcks(before: Consuming, after: Consuming, ok: RollbackOk) -> bool:
    """What was acked in a transaction is unacked again after its rollback (A13.6)."""
    return bool(before.consuming.collected) and bool(after.consuming.unacked)


@reachable
def CommitAppliesAcks(before: Consuming, after: Consuming) -> bool:
    """A commit publishes one message and settles another (A13.3)."""
    return (
        after.transaction.mode == TxMode.COMMITTING
        and bool(before.transaction.batch)
        and bool(before.consuming.collected)
    )
