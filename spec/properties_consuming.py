"""What a consumer may rely on, and what has nothing to do with confirms.

A consumer is promised little: tags that tell its deliveries apart, messages in order as long as
none comes back, a mark on those that do, and that no message is lost before it was settled.  That
it gets each message once is not among it.  The publisher's side knows nothing of all this: that a
message was confirmed says nothing of its consumption, nor the other way round (INV-F4).
"""

from __future__ import annotations

from ackproof.lang import Set, eventually, helper, invariant, reachable, step_property
from ackproof.spec.properties_channels import bereft
from ackproof.spec.properties_failing import on_this_side
from ackproof.spec.properties_transacting import is_open
from ackproof.spec.reader import ReaderState
from ackproof.spec.sorts import (
    ChannelId,
    Consumer,
    Msg,
    Overflow,
    Queue,
    Replica,
    Status,
    Tag,
    TxMode,
)
from ackproof.spec.system import Confirms
from ackproof.spec.wire import (
    Cancel,
    CancelOk,
    ChannelClose,
    Complaint,
    ConsumerAck,
    ConsumerReject,
    Deliver,
    GetEmpty,
    GetOk,
    RollbackOk,
)

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


@step_property
def AckSettlesWhatItNames(before: Confirms, after: Confirms, ack: ConsumerAck) -> bool:
    """An ack settles the delivery it names, with `multiple` those before, and no other (F1.2).

    Tag 0 with `multiple` means all, even if there is none.
    """
    kept = {
        t
        for t in before.consuming[ack.channel].unacked
        if ack.tag is not None and t != ack.tag and not (ack.multiple and t < ack.tag)
    }
    consuming = after.consuming[ack.channel]
    return not consuming.open or set(consuming.unacked) == kept


@step_property
def UnknownTagClosesChannel(before: Confirms, after: Confirms, ack: ConsumerAck) -> bool:
    """Acking a tag that is not there closes the channel, and settles nothing (F1.3).

    Everything unacked is back in its queues, so a client that has lost count gets it all again.
    """
    named = any(t == ack.tag for t in before.consuming[ack.channel].unacked)
    known = named or (ack.tag is None and ack.multiple)
    channel = ack.channel
    return after.consuming[channel].open == known and (
        known
        or (
            all(is_back(before, after, channel, r) for r in Replica)
            and not (after.shared and after.channels[channel].open)
        )
    )


@helper
def is_back(before: Confirms, after: Confirms, channel: ChannelId, replica: Replica) -> bool:
    """Tell whether what a channel had of a process is in its queue again (F1.3)."""
    had = before.consuming[channel].from_process(before.consuming[channel].unsettled(), replica)
    kept = before.replicas[replica].holds() == after.replicas[replica].holds()
    back = not had & after.replicas[replica].pending or not on_this_side(before, replica)
    return back and (before.replicas[replica].limited or kept)


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


@step_property
def AckedIsGone(before: Confirms, after: Confirms, ack: ConsumerAck) -> bool:
    """What is acked leaves its queue at once, and in a transaction waits for the commit (B7.1).

    A client that rolls back has done nothing with what it got (A13.2).
    """
    if not after.consuming[ack.channel].open:
        return True
    if is_open(before, ack.channel):
        return is_kept(before, after, ack.channel, False)
    return not any(stays(before, after, ack.channel, r) for r in Replica)


@step_property
def RejectSettlesWhatItNames(before: Confirms, after: Confirms, reject: ConsumerReject) -> bool:
    """A reject settles the delivery it names, with `multiple` those before, and no other (F1.4).

    As with an ack, the client still works on the others.
    """
    kept = {
        t
        for t in before.consuming[reject.channel].unacked
        if reject.tag is not None and t != reject.tag and not (reject.multiple and t < reject.tag)
    }
    return set(after.consuming[reject.channel].unacked) == kept


@step_property
def RejectedComesBackIfAskedFor(before: Confirms, after: Confirms, reject: ConsumerReject) -> bool:
    """What is rejected is in its queue again if the client wants that, and gone if not (F1.4).

    In a transaction it waits for the commit (A13.2).  Where it comes back to a queue that drops
    what is too much, it may have to go (B5.2).
    """
    if is_open(before, reject.channel):
        return is_kept(before, after, reject.channel, reject.requeue)
    if reject.requeue:
        return all(comes_back(before, after, reject.channel, r) for r in Replica)
    return not any(stays(before, after, reject.channel, r) for r in Replica)


@helper
def is_kept(before: Confirms, after: Confirms, channel: ChannelId, requeue: bool) -> bool:
    """Tell whether what a client has settled waits for its commit, as it wants it (A13.2)."""
    return all(
        after.consuming[channel].collected[t] is not None
        and (t in after.consuming[channel].returning) == requeue
        for t in settled(before, after, channel)
    )


@helper
def settled(before: Confirms, after: Confirms, channel: ChannelId) -> Set[Tag]:
    """Return the deliveries that a step of a channel has settled (F1.2)."""
    return set(before.consuming[channel].unacked) - set(after.consuming[channel].unacked)


@helper
def stays(before: Confirms, after: Confirms, channel: ChannelId, replica: Replica) -> bool:
    """Tell whether a process still has something that a step of a channel has settled (B7.1).

    To one across a partition it is under way (A12.7).
    """
    done = settled(before, after, channel)
    had = before.consuming[channel].from_process(done, replica)
    if on_this_side(before, replica):
        return bool(had & after.replicas[replica].holds())
    return not had <= after.acks_across[replica]


@helper
def comes_back(before: Confirms, after: Confirms, channel: ChannelId, replica: Replica) -> bool:
    """Tell whether a process has ready what a step of a channel has settled (B7.2).

    One across a partition does not know of it yet, and does not take it for acked (A12.7).
    """
    done = settled(before, after, channel)
    had = before.consuming[channel].from_process(done, replica)
    if on_this_side(before, replica):
        return before.replicas[replica].limited or had <= after.replicas[replica].ready
    return not had & after.acks_across[replica]


@invariant
def EachCopyHasOnePlace(s: Confirms) -> bool:
    """What a queue has is ready, or under exactly one delivery tag (INV-F2).

    Under two, it would be settled twice; under none, it would stay in the queue for ever.  After a
    partition it may be under none, until its queue gets to know that (A12.7); which messages may
    come to be, says `LentToSomebody`, and that they do not stay so, `LentComesToRest`.
    """
    return not s.tagged or all(
        all(
            (
                len({c for c in ChannelId if s.places(c, m, r)}) == 1
                or (s.cluster.parted and is_with_nobody(s, m, r))
            )
            and all(len(s.places(c, m, r)) <= 1 for c in ChannelId)
            and m not in s.replicas[r].ready
            for m in s.replicas[r].pending
        )
        and all(s.lent(c, r) <= s.replicas[r].pending for c in ChannelId)
        and s.acks_across[r] <= s.replicas[r].pending
        and not any(s.lent(c, r) & s.acks_across[r] for c in ChannelId)
        for r in Replica
    )


@helper
def is_with_nobody(s: Confirms, msg: Msg, replica: Replica) -> bool:
    """Tell whether no client has a message any more (F3.2)."""
    return not any(s.places(c, msg, replica) for c in ChannelId)


@step_property
def LentToSomebody(before: Confirms, after: Confirms) -> bool:
    """What a queue lends somebody has; it is told at once if that is over (B7.5, F3.2).

    Only what is lent across a partition may come to be with nobody, and is taken back later.
    """
    return not after.tagged or not any(
        is_with_nobody(after, m, r) and m not in after.acks_across[r]
        for r in Replica
        if on_this_side(after, r)
        for m in after.replicas[r].pending
        if m not in before.replicas[r].pending or not is_with_nobody(before, m, r)
    )


@step_property
def CommitTellsQueues(before: Confirms, after: Confirms) -> bool:
    """What was settled in a transaction a queue hears at the commit (A13.3).

    What was acked has left it then, and what comes back is ready, if it is not too much (B5.2).
    Across a partition an ack is under way (A12.7).
    """
    return all(
        acks_are_told(before, after, c, r) and returns_are_told(before, after, c, r)
        for c in ChannelId
        if is_open(before, c) and after.transactions[c].mode == TxMode.COMMITTING
        for r in Replica
    )


@helper
def acks_are_told(before: Confirms, after: Confirms, channel: ChannelId, replica: Replica) -> bool:
    """Tell whether a process is told what was acked in a transaction (A12.7, A13.3)."""
    consuming = before.consuming[channel]
    done = consuming.kept_from(set(consuming.collected) - consuming.returning, replica)
    if on_this_side(before, replica):
        return not done & after.replicas[replica].holds()
    return done <= after.acks_across[replica]


@helper
def returns_are_told(
    before: Confirms, after: Confirms, channel: ChannelId, replica: Replica
) -> bool:
    """Tell whether a process is told what comes back with a commit (A12.7, A13.3)."""
    back = before.consuming[channel].kept_from(set(before.consuming[channel].returning), replica)
    if on_this_side(before, replica):
        return before.replicas[replica].limited or back <= after.replicas[replica].ready
    return not back & after.acks_across[replica]


@step_property
def HeldUntilSettled(before: Confirms, after: Confirms) -> bool:
    """What a consumer has leaves its queue only if the consumer has said so (INV-F3).

    Acking it, and rejecting it for good, are the ways to say so.  What comes back to a queue that
    drops what is too much may have to go for that reason (B5.2), and to no other (B5.7).
    """
    return all(
        m in after.finished[after.replicas[r].of]
        or (after.replicas[r].limited and after.replicas[r].overflow == Overflow.DROP_HEAD)
        for r in Replica
        if before.replicas[r].status == Status.RUNNING
        if after.replicas[r].status == Status.RUNNING and after.tagged
        for m in before.replicas[r].pending - after.replicas[r].holds()
    )


@eventually
def RequeuedIsRedelivered(s: Confirms) -> bool:
    """What has come back is delivered again, if there is a consumer with room for it (B7.3, F2.4).

    As long as an instance has tags to give it.
    """
    return not any(
        bool(s.replicas[r].ready & s.handed[s.replicas[r].of])
        for c in Consumer
        for r in Replica
        if may_be_served(s, c, r)
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
        and len(s.replicas[replica].ready) >= s.replicas[replica].max_length
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
    return bereft(before, after, cancel.consumer)


@step_property
def CancelledIsOver(before: Confirms, after: Confirms, ok: CancelOk) -> bool:
    """A consumer that is cancelled gets nothing more, and its queue has said so (B7.6, A12.7).

    Its program is done with it, and what came nobody would read.
    """
    return after.subscriptions[ok.consumer].at is None and any(
        before.subscriptions[ok.consumer].at == r and on_this_side(before, r) for r in Replica
    )


@step_property
def CommitComesFirst(before: Confirms, after: Confirms) -> bool:
    """What a client settles on a channel that owes it a commit-ok is not read before that (A1.5).

    Whether it belongs to that transaction, or to the next, nobody could tell.
    """
    return all(
        before.transactions[c].mode == TxMode.NONE
        or before.transactions[c].mode == TxMode.OPEN
        or not after.channels[c].open
        or set(before.consuming[c].unacked) <= set(after.consuming[c].unacked)
        for c in ChannelId
        if before.shared
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
def AckCoversSeveralDeliveries(before: Confirms, after: Confirms, ack: ConsumerAck) -> bool:
    """One ack with a tag and `multiple` settles several deliveries (F1.2)."""
    consuming = after.consuming[ack.channel]
    settled = before.consuming[ack.channel].unsettled() - consuming.unsettled()
    return ack.tag is not None and consuming.open and len(settled) > 1


@reachable
def ClosedWithOthersUnacked(before: Confirms, after: Confirms, close: ChannelClose) -> bool:
    """An unknown tag ends deliveries that have nothing to do with it (F1.3)."""
    unacked = bool(before.consuming[close.channel].unacked)
    return close.complaint == Complaint.UNKNOWN_TAG and unacked


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
def RequeuedOvertakes(before: Confirms, after: Confirms) -> bool:
    """A message comes back, and stands before one that was the next just now (B7.2)."""
    return any(
        before.replicas[r].order.before(k, m)
        for r in Replica
        if before.tagged
        for k in before.replicas[r].pending & after.replicas[r].ready
        for m in before.replicas[r].ready
        if before.replicas[r].head() == m
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
def SettledWithNobody(before: Confirms, after: Confirms, ack: ConsumerAck) -> bool:
    """A client acks what came from a process that is gone; nothing happens (F1.7, F3.3)."""
    return after.consuming[ack.channel].open and any(
        is_orphan(before, ack.channel, t)
        for t in before.consuming[ack.channel].unacked
        if ack.tag == t
    )


@helper
def is_orphan(s: Confirms, channel: ChannelId, tag: Tag) -> bool:
    """Tell whether the process that an unacked delivery came from has ended (F3.3)."""
    delivery = s.consuming[channel].unacked[tag]
    return delivery is not None and delivery.replica is None


@reachable
def CancelledByBroker(before: Confirms, after: Confirms, cancel: Cancel) -> bool:
    """A consumer is told that its queue is gone, and still has a message of it (F3.3)."""
    channel = Consumer.owner(cancel.consumer)
    return any(
        after.consuming[channel].goes_to(t, cancel.consumer)
        for t in after.consuming[channel].unacked
    )


@reachable
def AckErrorSilencesConfirms(before: Confirms, after: Confirms, close: ChannelClose) -> bool:
    """An unknown delivery tag closes a channel that had confirms to tell (F1.3, A2.6)."""
    confirmed = bool(before.channels[close.channel].confirmed)
    return close.complaint == Complaint.UNKNOWN_TAG and confirmed


@reachable
def RollbackRestoresAcks(before: Confirms, after: Confirms, ok: RollbackOk) -> bool:
    """What was acked in a transaction is unacked again after its rollback (A13.6)."""
    collected = bool(before.consuming[ok.channel].collected)
    return collected and bool(after.consuming[ok.channel].unacked)


@reachable
def CommitAppliesAcks(before: Confirms, after: Confirms) -> bool:
    """A commit publishes one message and settles another (A13.3)."""
    return any(
        after.transactions[c].mode == TxMode.COMMITTING
        and bool(before.transactions[c].batch)
        and bool(before.consuming[c].collected)
        for c in ChannelId
    )


@reachable
def ComesBack(s: Confirms) -> bool:
    """A client that has seen a message has a new channel, and has seen nothing on that (F1.1)."""
    return any(
        s.consuming[c].open and s.consuming[c].last_tag is None and not s.seen_tags[c]
        for c in ChannelId
        if any(s.replicas[r].delivered for r in Replica)
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


@reachable
def CommitReturns(before: Confirms, after: Confirms) -> bool:
    """With a commit something comes back that was rejected in the transaction (A13.3)."""
    return any(
        after.transactions[c].mode == TxMode.COMMITTING
        and bool(before.consuming[c].returning)
        and not after.consuming[c].returning
        for c in ChannelId
    )
