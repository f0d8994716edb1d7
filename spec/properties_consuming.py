"""What a consumer may rely on, and what has nothing to do with confirms.

A consumer is promised little: tags that tell its deliveries apart, messages in order as long as
none comes back, a mark on those that do, and that no message is lost before it was settled.  That
it gets each message once is not among it.  The publisher's side knows nothing of all this: that a
message was confirmed says nothing of its consumption, nor the other way round (INV-F4).
"""

from __future__ import annotations

from ackproof.lang import Set, eventually, helper, invariant, reachable, step_property
from ackproof.spec.properties_channels import lost_its_queue
from ackproof.spec.properties_parting import on_this_side
from ackproof.spec.reader import ReaderState
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Overflow, Queue, Replica, Tag, TxMode
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Cancel, CancelOk, ConsumerAck, Deliver, GetEmpty, GetOk

# -- tags -----------------------------------------------------------------------------------------


@step_property
def DeliveryTagsIncrease(before: Confirms, after: Confirms, deliver: Deliver) -> bool:
    """A delivery has a tag above all that its channel has used (F1.1).

    With a tag used twice, an ack would name two messages.
    """
    channel = Consumer.owner(deliver.consumer)
    return all(t < deliver.tag for t in before.seen_tags[channel])


@step_property
def GetTakesATag(before: Confirms, after: Confirms, answer: GetOk) -> bool:
    """The answer to basic.get takes a delivery tag like any other (F1.1, L6.17).

    It is acked like any other, too.
    """
    return all(t < answer.tag for t in before.seen_tags[answer.channel])


@invariant
def EachTagIsSeenOnce(s: Confirms) -> bool:
    """No two frames on a channel hand out under one tag, not even in one step (F1.1).

    A client that gets a delivery twice works twice, and the second ack closes its channel.
    """
    return not any(s.seen_twice[c] for c in ChannelId)


@invariant
def TagsAreOrdered(s: Confirms) -> bool:
    """What is unacked has a tag that was given out, and the next one is above it (INV-F1).

    So what `multiple` covers is what came earlier.
    """
    return all(tags_are_ordered(s, c) for c in ChannelId)


@helper
def tags_are_ordered(s: Confirms, channel: ChannelId) -> bool:
    """Tell whether what is unacked on a channel has tags below the next one (INV-F1)."""
    next_tag = s.consuming[channel].next_tag()
    return s.consuming[channel].unsettled() <= s.seen_tags[channel] and (
        next_tag is None or all(t < next_tag for t in s.consuming[channel].unsettled())
    )


# -- limits ---------------------------------------------------------------------------------------


@invariant
def PrefetchRespected(s: Confirms) -> bool:
    """No consumer has more unsettled deliveries than its limit (F2.2, F1.6).

    What is acked in a transaction that is not committed still counts.
    """
    return all(
        s.subscriptions[c].prefetch == 0
        or len({t for t in Tag if s.consuming[Consumer.owner(c)].goes_to(t, c)})
        <= s.subscriptions[c].prefetch
        for c in Consumer
    )


@invariant
def SharedPrefetchRespected(s: Confirms) -> bool:
    """All consumers of a channel together have no more than the limit that they share (F2.2).

    A delivery needs both: room for its consumer, and room for all.
    """
    return all(
        len(pushed(s, c)) <= s.consuming[c].shared_prefetch
        for c in ChannelId
        if s.consuming[c].shared_prefetch != 0
    )


@helper
def pushed(s: Confirms, channel: ChannelId) -> Set[Tag]:
    """Return the tags of what was delivered to consumers of a channel and is unsettled (F2.2)."""
    return {t for t in Tag if any(s.consuming[channel].goes_to(t, c) for c in Consumer.of(channel))}


@invariant
def LoadIsWhatIsUnsettled(s: Confirms) -> bool:
    """What counts against a limit is what was delivered and is not settled (F1.6, F2.2, F2.3).

    If a settled delivery still counted, its consumer would get fewer and fewer messages, and at
    last none; one that counted no more too early would let it have too many.
    """
    shared = all(s.consuming[c].shared_load() == pushed(s, c) for c in ChannelId)
    return shared and all(
        s.consuming[Consumer.owner(c)].load(c)
        == {t for t in Tag if s.consuming[Consumer.owner(c)].goes_to(t, c)}
        for c in Consumer
    )


# -- messages -------------------------------------------------------------------------------------


@step_property
def RedeliveredIsMarked(before: Confirms, after: Confirms, deliver: Deliver) -> bool:
    """A delivery that is not marked as redelivered is the first of its message (B7.4).

    A consumer that would not do a thing twice has to look only where the mark is.  A queue marks
    what it knows of, so after a partition nothing is promised.
    """
    first = deliver.msg not in before.seen_from(deliver.consumer)
    return deliver.redelivered or first or before.cluster.parted


@step_property
def FetchedAgainIsMarked(before: Confirms, after: Confirms, answer: GetOk) -> bool:
    """An answer to basic.get that is not marked is the first hand-out of its message (B7.4).

    The mark is the queue's, and does not depend on who asks.
    """
    first = answer.msg not in before.handed[answer.queue]
    return answer.redelivered or first or before.cluster.parted


@step_property
def DeliveredInOrder(before: Confirms, after: Confirms) -> bool:
    """The first deliveries of a queue are, for each channel, in publishing order (INV-B4).

    Only what comes back may come late: what was handed out before; and what had left the queue
    unseen, or had been refused, if the master crashes and who takes its place has not heard of
    that (D1.3, D2.1).
    """
    return all(
        k < m
        for q in Queue
        for m in after.handed[q] - before.handed[q]
        if q in before.holders[m] and m not in before.excused
        for k in before.handed[q]
        if Msg.owner(k) == Msg.owner(m)
    )


@eventually
def ReadyIsDelivered(s: Confirms, consumer: Consumer) -> bool:
    """What is ready goes to a consumer that has room for it (INV-B3, F2.2, F2.4).

    However full others have their hands, on its channel or elsewhere.  As long as an instance has
    tags to give it.
    """
    return not any(bool(s.replicas[r].ready) for r in Replica if may_be_served(s, consumer, r))


@helper
def may_be_served(s: Confirms, consumer: Consumer, replica: Replica) -> bool:
    """Tell whether nothing is in the way from a master to a consumer (F2.2, F2.4)."""
    asks = s.subscriptions[consumer].at == replica and s.replicas[replica].leads()
    near = not any(s.replicas[replica].node == n for n in s.cluster.away)
    tag = s.consuming[Consumer.owner(consumer)].next_tag()
    room = may_have_more(s, consumer)
    return asks and near and tag is not None and room


@helper
def may_have_more(s: Confirms, consumer: Consumer) -> bool:
    """Tell whether what a consumer has is below its limit, and below the shared one (F2.2)."""
    channel = Consumer.owner(consumer)
    own = len({t for t in Tag if s.consuming[channel].goes_to(t, consumer)})
    prefetch = s.subscriptions[consumer].prefetch
    below = s.subscriptions[consumer].no_ack or prefetch == 0 or own < prefetch
    limit = s.consuming[channel].shared_prefetch
    return below and (limit == 0 or len(pushed(s, channel)) < limit)


@invariant
def ConsumersEndWithTheirMaster(s: Confirms) -> bool:
    """Who consumes does so from a master of his queue, while that leads (F2.2, F3.3).

    One that is told nothing waits for messages that never come.  Across a partition the end of a
    master is not known before it is given up.
    """
    return all(
        s.subscriptions[c].of == s.replicas[r].of
        and (s.replicas[r].leads() or not on_this_side(s, r))
        and not any(s.replicas[r].node == n for n in s.cluster.lost)
        for c in Consumer
        for r in Replica
        if s.subscriptions[c].at == r
    )


@step_property
def ConsumersDoNotMove(before: Confirms, after: Confirms) -> bool:
    """Who consumes from one process comes to another only after an end of which he hears (F3.3).

    A tag that is in use is not given again; who was not told would take what the next queue hands
    out for messages of the first.
    """
    return all(
        before.subscriptions[c].at is None
        or after.subscriptions[c].at is None
        or before.subscriptions[c].at == after.subscriptions[c].at
        for c in Consumer
    )


@step_property
def DeliveredToWhoConsumes(before: Confirms, after: Confirms, deliver: Deliver) -> bool:
    """A consumer gets what is in the queue that it consumes from, or arrives there (B3, F2.2).

    That is with the master that it was started with, on its own side of a partition. It knows
    what to do with messages of that queue, and after its end with none at all. What is to be
    refused does not get past the queue, whoever waits (B5.3).
    """
    return any(
        before.subscriptions[deliver.consumer].at == r
        and on_this_side(before, r)
        and (
            deliver.msg in before.replicas[r].ready
            or (deliver.msg in before.in_flight(r) and not is_full(before, r))
        )
        for r in Replica
    )


@helper
def is_full(s: Confirms, replica: Replica) -> bool:
    """Tell whether a queue is to refuse what arrives (B5.3)."""
    return (
        s.replicas[replica].limited
        and s.replicas[replica].overflow == Overflow.REJECT_PUBLISH
        and len(s.replicas[replica].ready | s.replicas[replica].aside)
        >= s.replicas[replica].max_length
    )


@step_property
def MarkedWasHandedOut(before: Confirms, after: Confirms, deliver: Deliver) -> bool:
    """A delivery is marked as redelivered only if its queue takes it for handed out (B7.4).

    If each were marked, a consumer would look up everything that it gets.
    """
    return not deliver.redelivered or any(
        deliver.msg in before.replicas[r].delivered
        for r in Replica
        if before.subscriptions[deliver.consumer].at == r
    )


@step_property
def FetchedFromItsQueue(before: Confirms, after: Confirms, answer: GetOk) -> bool:
    """Who asks for a message of a queue gets one that is ready there (B3, F1.1).

    What another one has, or what is across a partition, nobody can give him.
    """
    return any(
        answer.queue == before.replicas[r].of
        and answer.msg in before.replicas[r].ready
        and on_this_side(before, r)
        for r in Replica
    )


@step_property
def NothingIsFetchedFromNobody(before: Confirms, after: Confirms, answer: GetEmpty) -> bool:
    """Who is told that there is nothing in a queue has an answer of its master (F3.5).

    A queue that is down, or across a partition, may have a lot.
    """
    return any(
        answer.queue == before.replicas[r].of
        and before.replicas[r].leads()
        and not before.replicas[r].ready
        and on_this_side(before, r)
        for r in Replica
    )


@step_property
def CancelMeansBereft(before: Confirms, after: Confirms, cancel: Cancel) -> bool:
    """The broker ends a consumer only if there is one, and its master is gone or given up (F3.3).

    Who starts it again would only double its work.
    """
    return lost_its_queue(before, after, cancel.consumer)


@step_property
def CancelledIsOver(before: Confirms, after: Confirms, ok: CancelOk) -> bool:
    """A consumer that is cancelled gets nothing more, and its queue has said so (B7.6, A12.7).

    Its program is done with it, and what came nobody would read.
    """
    return after.subscriptions[ok.consumer].at is None and any(
        before.subscriptions[ok.consumer].at == r and on_this_side(before, r) for r in Replica
    )


# -- what must be possible ------------------------------------------------------------------------


@reachable
def ConfirmedYetNeverDelivered(s: Confirms) -> bool:
    """A message is acked to its publisher that no consumer has ever seen (INV-F4)."""
    return any(
        m in s.replicas[r].ready and m not in s.handed[s.replicas[r].of]
        for m in s.acked()
        for r in Replica
        if s.replicas[r].leads() and s.tagged
    )


@reachable
def ConsumedYetNeverConfirmed(s: Confirms) -> bool:
    """A message is consumed whose publisher will never hear of it (INV-F4, A14.3)."""
    return any(
        m in s.finished[q]
        for c in ChannelId
        if not s.channels[c].open
        for m in s.publishers[c].unknown()
        for q in Queue
    )


@reachable
def PrefetchBlocks(s: Confirms) -> bool:
    """A message is ready, a consumer is there, and may not have it (F2.4)."""
    return any(
        bool(s.replicas[r].ready) and not s.has_room(c)
        for c in Consumer
        if s.consuming[Consumer.owner(c)].open
        for r in Replica
        if s.attached(c, r)
    )


@reachable
def HeldByTwo(s: Confirms) -> bool:
    """Two clients have the same message, and neither has done anything wrong (F1.7).

    Its queue went down and came back.  So a message is no lock.
    """
    return any(
        (t != u or c != d) and delivered(s, c, t, m) and delivered(s, d, u, m)
        for m in Msg
        for c in ChannelId
        for d in ChannelId
        for t in s.consuming[c].unacked
        for u in s.consuming[d].unacked
    )


@helper
def delivered(s: Confirms, channel: ChannelId, tag: Tag, msg: Msg) -> bool:
    """Tell whether an unacked delivery is of a message (F1.7)."""
    delivery = s.consuming[channel].unacked[tag]
    return delivery is not None and delivery.msg == msg


@reachable
def CancelledByBroker(before: Confirms, after: Confirms, cancel: Cancel) -> bool:
    """A consumer is told that its queue is gone, and still has a message of it (F3.3)."""
    channel = Consumer.owner(cancel.consumer)
    return any(
        after.consuming[channel].goes_to(t, cancel.consumer)
        for t in after.consuming[channel].unacked
    )


@reachable
def ConsumesWhileBlocked(before: Confirms, after: Confirms, ack: ConsumerAck) -> bool:
    """A client acks on its own connection while one that publishes is blocked (E4.2).

    Acks make the memory free that publishers wait for.
    """
    return not before.shared and before.readers[ack.channel].state == ReaderState.BLOCKED


@reachable
def ConsumesDuringCommit(before: Confirms, after: Confirms, ack: ConsumerAck) -> bool:
    """A client acks on its own channel while a publisher waits for its commit-ok (A1.5)."""
    return not before.shared and before.transactions[ack.channel].mode == TxMode.COMMITTING
