"""The properties: what a publisher may rely on, and what must hold behind the door for that.

Each is a function of a state, of a step, or of a step and a frame that it sent; each cites its
rule and gives its reason in a sentence.  The first group speaks of what the publisher is told, the
second of what an ack is worth, the third of the bookkeeping that the first two rest on.  The
fourth is different: these situations must be *reachable*.  A specification in which nothing ever
goes wrong would satisfy all others, and prove nothing.
"""

from __future__ import annotations

from ackproof.spec.lang import invariant, reachable, step_property
from ackproof.spec.sorts import Level, Queue, Reason, Status
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack, Nack

# -- what the publisher is told -----------------------------------------------------------------


@invariant
def NoPhantomConfirm(s: Confirms) -> bool:
    """Only what was published is confirmed or nacked (INV-A6).

    A client that is told a number it has not used yet will take it for its next message.
    """
    return s.publisher.confirmed | s.publisher.nacked <= s.publisher.sent


@invariant
def SequenceIsDense(s: Confirms) -> bool:
    """The k-th publish after confirm.select has sequence number k (A4.1, A4.3).

    Broker and client count apart, and nothing on the wire would show that they disagree.
    """
    counting = s.channel.open and s.channel.confirming
    return not counting or s.channel.next_seq == s.publisher.next_tag


@step_property
def SettledOnce(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """An ack names a message that was not settled before (INV-A4, INV-A7).

    A client frees what it kept for a number when the number is settled.
    """
    return ack.tag in before.publisher.unknown() or ack.tag not in before.publisher.sent


@step_property
def RefusedOnce(before: Confirms, after: Confirms, nack: Nack) -> bool:
    """A nack names a message that was not settled before (INV-A4, INV-A7).

    A client that publishes a nacked message again would do so for a message that is safe.
    """
    return nack.tag in before.publisher.unknown() or nack.tag not in before.publisher.sent


@invariant
def NeverBothAckAndNack(s: Confirms) -> bool:
    """No message is both confirmed and nacked (INV-A5).

    The guide promises it, and a client that sees both cannot know which of them was meant.
    """
    return not s.publisher.confirmed & s.publisher.nacked


@invariant
def MultipleIsExact(s: Confirms) -> bool:
    """What the publisher concludes from `multiple` is what the channel meant (A11.3, A11.5).

    The frame covers whatever is still unknown, so the sender must know that this is the right set.
    """
    return s.publisher.confirmed == s.channel.acked and s.publisher.nacked == s.channel.nacked


@step_property
def NoNeedlessAck(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """A single ack is for a lone message, or one that `multiple` may not cover (A11.2, A11.3).

    So of the frames of one flush no two speak of the same message.
    """
    lone = after.publisher.confirmed - before.publisher.confirmed == {ack.tag}
    others = after.publisher.nacked - before.publisher.nacked
    return ack.multiple or lone or any(k < ack.tag for k in after.publisher.unknown() | others)


@step_property
def NoNeedlessNack(before: Confirms, after: Confirms, nack: Nack) -> bool:
    """A single nack is for a message that `multiple` may not cover (A11.3, A11.4).

    A nack that said too much would have a message published again that is safe.
    """
    others = after.publisher.confirmed - before.publisher.confirmed
    return nack.multiple or any(k < nack.tag for k in after.publisher.unknown() | others)


@invariant
def ReturnPrecedesAck(s: Confirms) -> bool:
    """A return comes before the ack, or nack, of its message (INV-A2, A6.1).

    A client that has seen the ack has forgotten the message, and would miss that nobody got it.
    """
    return not s.publisher.returned_late


@invariant
def ReturnedIsUnroutable(s: Confirms) -> bool:
    """Only a message that no queue was found for is returned (INV-A3, A6.5).

    A client may publish a returned message elsewhere without making a duplicate.
    """
    return s.publisher.returned <= s.unroutable


@invariant
def UnroutableIsConfirmed(s: Confirms) -> bool:
    """A message routed nowhere is acked, at once and never nacked (A6.2, A7.2).

    To drop it is what the bindings ask for, so it has been dealt with.
    """
    settled = s.channel.confirmed | s.publisher.confirmed
    kept = not s.channel.open or s.unroutable <= settled
    return kept and not s.unroutable & s.publisher.nacked


@invariant
def NackOnlyWithCause(s: Confirms) -> bool:
    """A nack means that a queue went down before it accepted the message (INV-A12, A9.3).

    Deleting a queue is no cause, and neither is a queue that dies after its confirm.
    """
    return s.publisher.nacked <= s.excused


# -- what an ack is worth -----------------------------------------------------------------------


@invariant
def AckMeansAccepted(s: Confirms) -> bool:
    """An acked message was accepted by each of its queues, or the queue deleted (INV-A11).

    One queue that lost the message is one application that never gets it.
    """
    return all(not s.unaccepted[m] for m in s.publisher.confirmed)


@step_property
def NoAckBeforeDurable(before: Confirms, after: Confirms) -> bool:
    """When a persistent message is acked, it is on disk wherever it must be (INV-B5, INV-C1).

    It must be in each durable queue it was routed to, unless it was consumed there (C4.4).
    """
    return all(
        after.queues[q].store.level[m] == Level.SYNCED or not after.queues[q].durable
        for m in (after.publisher.confirmed - before.publisher.confirmed) & after.persistent
        for q in after.holders[m]
    )


@invariant
def ConfirmedSurvives(s: Confirms) -> bool:
    """An acked persistent message is in its queues, or can be recovered, whatever crashed (C5).

    This is what publishers use confirms for.
    """
    return all(
        m in s.queues[q].ready | s.queues[q].pending
        if s.queues[q].status == Status.RUNNING
        else s.queues[q].store.level[m] != Level.ABSENT
        for m in s.publisher.confirmed & s.persistent
        for q in s.holders[m]
        if s.queues[q].durable
    )


# -- the bookkeeping ----------------------------------------------------------------------------


@invariant
def EachMessageHasOnePlace(s: Confirms) -> bool:
    """What was published is unconfirmed, confirmed, rejected or told, and only one (INV-A8).

    What is nowhere is never settled, and what is in two places is settled twice.
    """
    told = s.channel.acked | s.channel.nacked
    settled = s.channel.confirmed | s.channel.rejected
    waiting = set(s.channel.unconfirmed)
    apart = not (s.channel.confirmed & s.channel.rejected or waiting & settled)
    apart = apart and not (told & (settled | waiting) or s.channel.acked & s.channel.nacked)
    return apart and (not s.channel.open or s.publisher.sent == told | settled | waiting)


@invariant
def SomebodyOwesAnAnswer(s: Confirms) -> bool:
    """What the channel waits for is under way, or the news that it never comes is (INV-A9).

    Otherwise the publisher would wait for ever.
    """
    return all(
        m in s.network.publishes[q] | s.queues[q].awaiting | s.queues[q].outbox
        or s.network.downs[q] is not None
        for m in s.channel.unconfirmed
        for q in s.channel.unconfirmed[m]
    )


@invariant
def AwaitedIsPresent(s: Confirms) -> bool:
    """What a queue still has to confirm it has, or its removal is confirmed next (INV-B1).

    An entry without a message would stay in the table as long as the queue lives.
    """
    return all(
        s.queues[q].awaiting
        <= s.queues[q].ready | s.queues[q].pending | s.queues[q].store.confirmed
        for q in Queue
    )


@invariant
def AwaitedIsUnderWay(s: Confirms) -> bool:
    """The store will confirm, or has confirmed, whatever the queue awaits (C2.1, C2.6).

    The two keep separate books, and the queue asks only once.
    """
    return all(
        s.queues[q].awaiting <= s.queues[q].store.unconfirmed | s.queues[q].store.confirmed
        for q in Queue
    )


@invariant
def ConfirmedOnceByQueue(s: Confirms) -> bool:
    """A queue confirms a message to the channel at most once (INV-B2).

    Whatever it still awaits, or has just cast, is something it had not answered before.
    """
    return all(
        not s.queues[q].awaiting & s.queues[q].outbox
        and all(q in s.unaccepted[m] for m in s.queues[q].awaiting | s.queues[q].outbox)
        for q in Queue
    )


@invariant
def ConfirmedOnceByStore(s: Confirms) -> bool:
    """The store confirms only what the queue awaits, and so nothing twice (INV-C3).

    The queue would not notice: it ignores what it does not await (B6.1).
    """
    return all(s.queues[q].store.confirmed <= s.queues[q].awaiting for q in Queue)


@invariant
def ConfirmedByStoreIsSafe(s: Confirms) -> bool:
    """What the store confirms is on disk, or has left the queue (INV-C1, INV-C2).

    The queue passes the store's word on without looking.
    """
    return all(
        s.queues[q].store.level[m] == Level.SYNCED
        or m not in s.queues[q].ready | s.queues[q].pending
        for q in Queue
        for m in s.queues[q].store.confirmed
    )


@invariant
def FifoPerPublisher(s: Confirms) -> bool:
    """What is on its way to a queue is newer than all that has been there (INV-B4, O2).

    Then a queue that hands out its least message hands them out in the order of publishing.
    """
    return all(
        k < m
        for q in Queue
        for m in s.network.publishes[q]
        for k in s.queues[q].ready | s.queues[q].pending | s.queues[q].awaiting
    )


# -- what must be possible ----------------------------------------------------------------------


@reachable
def AckedFromDisk(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """A persistent message is acked, and each of its queues has it on disk (B2.2, C2.2)."""
    return (
        ack.tag in after.persistent
        and bool(after.holders[ack.tag])
        and all(
            after.queues[q].store.level[ack.tag] == Level.SYNCED for q in after.holders[ack.tag]
        )
    )


@reachable
def AckCoversSeveral(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """One ack with `multiple` settles several messages (A11.3)."""
    return ack.multiple and any(
        m < ack.tag for m in after.publisher.confirmed - before.publisher.confirmed
    )


@reachable
def LoneNackIsMultiple(before: Confirms, after: Confirms, nack: Nack) -> bool:
    """A nack for one message is sent with `multiple`, as an ack never is (A11.4)."""
    return nack.multiple and after.publisher.nacked - before.publisher.nacked == {nack.tag}


@reachable
def AckOutOfOrder(s: Confirms) -> bool:
    """A message is acked while an earlier one is unknown (A11.7, X8)."""
    return (
        any(k < m for m in s.publisher.confirmed for k in s.publisher.unknown()) and s.channel.open
    )


@reachable
def ReturnLongBeforeAck(s: Confirms) -> bool:
    """A message was returned, its ack waits, and a later one is published meanwhile (A6.7)."""
    return any(k < m for k in s.publisher.returned & s.channel.confirmed for m in s.publisher.sent)


@reachable
def NackedYetHeldElsewhere(s: Confirms) -> bool:
    """A nacked message is in a queue: another queue of it has crashed (INV-A12, A8.4)."""
    return any(
        m in s.queues[q].ready and q not in s.unaccepted[m]
        for m in s.publisher.nacked
        for q in s.holders[m]
    )


@reachable
def NackedYetRecovered(before: Confirms, after: Confirms) -> bool:
    """A queue comes back with a message that was nacked because it crashed (C5, INV-A12)."""
    return any(
        after.publisher.nacked & (after.queues[q].ready - before.queues[q].ready)
        for q in Queue
        if before.queues[q].status == Status.DOWN
    )


@reachable
def ConfirmedWithoutWrite(before: Confirms, after: Confirms) -> bool:
    """A persistent message is confirmed that was never written: it was consumed (C4.2)."""
    return any(
        before.queues[q].store.level[m] == Level.BUFFERED
        for q in Queue
        for m in after.queues[q].store.confirmed - before.queues[q].store.confirmed
        if after.queues[q].store.level[m] == Level.ABSENT
    )


@reachable
def DeletionConfirms(before: Confirms, after: Confirms) -> bool:
    """Messages that waited for a queue are confirmed by its deletion (A9.3)."""
    return any(before.network.downs[q] == Reason.NORMAL for q in Queue) and bool(
        after.channel.confirmed - before.channel.confirmed
    )


@reachable
def ConfirmedTransientLost(s: Confirms) -> bool:
    """An acked transient message is lost in a crash, as it may be (B2.3, L6.7)."""
    return any(
        s.queues[q].status == Status.DOWN
        for m in s.publisher.confirmed - s.persistent
        for q in s.holders[m]
    )


@reachable
def UnknownYetStored(s: Confirms) -> bool:
    """The channel is closed, and a message of which nothing was heard is on disk (A14.3)."""
    return not s.channel.open and any(
        s.queues[q].store.level[m] == Level.SYNCED for m in s.publisher.unknown() for q in Queue
    )
