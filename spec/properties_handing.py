"""What one step may do: nothing is handed out, taken back, or gone, but for a cause in that step.

A message that leaves a queue counts as consumed, however it left.  So that a queue loses what it
has, and calls that consumed, no property of confirms notices.  Each of these looks at a single
step, and asks what else happens in it.  A consumer gets one message, and that is the one which the
queue has given away.  What is purged or expires goes by itself.  What a client has not named stays
as it is.
"""

from __future__ import annotations

from ackproof.lang import helper, step_property
from ackproof.spec.properties_dead_lettering import is_handed_out
from ackproof.spec.properties_limiting import an_older_one_stays
from ackproof.spec.properties_parting import on_this_side
from ackproof.spec.sorts import (
    ChannelId,
    Consumer,
    Replica,
    Status,
    Tag,
)
from ackproof.spec.system import Confirms
from ackproof.spec.wire import CancelOk, Deliver, GetOk, RecoverOk

# -- what lies in a queue -------------------------------------------------------------------------


@step_property
def ReadyIsKept(before: Confirms, after: Confirms) -> bool:
    """What lies in a queue leaves it for a consumer, for want of room, or by itself (B4, C4.4).

    By itself it goes when it expires, or the queue is purged, and nothing else happens then.  What
    a queue with a limit may drop is said elsewhere.
    """
    return all(
        m in after.replicas[r].holds()
        or before.replicas[r].limited
        or (one_leaves(before, after, r) and is_handed_out(before, after))
        or (one_leaves(before, after, r) and nothing_else_happens(before, after, r))
        for r in Replica
        if before.replicas[r].leads() and after.replicas[r].leads()
        for m in before.replicas[r].ready
    )


@helper
def one_leaves(before: Confirms, after: Confirms, replica: Replica) -> bool:
    """Tell whether a single message leaves a queue in a step."""
    return len(before.replicas[replica].ready - after.replicas[replica].holds()) == 1


@helper
def nothing_else_happens(before: Confirms, after: Confirms, replica: Replica) -> bool:
    """Tell whether nothing arrives, other queues lose nothing, and no client does a thing."""
    return (
        after.in_flight(replica) == before.in_flight(replica)
        and all(
            before.replicas[r].holds() <= after.replicas[r].holds() for r in Replica if r != replica
        )
        and all(
            before.consuming[c].unsettled() == after.consuming[c].unsettled() for c in ChannelId
        )
        and all(before.subscriptions[c].at == after.subscriptions[c].at for c in Consumer)
    )


@step_property
def OldestIsTaken(before: Confirms, after: Confirms) -> bool:
    """What a consumer gets is the oldest that is ready, of those of its publisher (INV-B4, B7.2).

    Whether it comes for the first time or was put back: that returns to its old place.
    """
    return all(
        not an_older_one_stays(before, after, m, r)
        for r in Replica
        if before.replicas[r].leads() and after.replicas[r].leads()
        for m in before.replicas[r].ready & after.replicas[r].pending
    )


@step_property
def StartsWithAllItHad(before: Confirms, after: Confirms) -> bool:
    """A queue that starts again has what is on its disk, unless it drops what is too much (C5.1).

    Whether it was to be kept is not for the queue to say.
    """
    return all(
        m in after.replicas[r].holds() or before.replicas[r].limited
        for r in Replica
        if before.replicas[r].status == Status.DOWN and after.replicas[r].leads()
        for m in set(before.replicas[r].store.level)
        if before.replicas[r].of in before.holders[m]
    )


@step_property
def DeclaredIsEmpty(before: Confirms, after: Confirms) -> bool:
    """A queue that is declared has nothing in it, whatever another of its name had (A9.5).

    What was deleted with that one its owner has given up.
    """
    return not any(
        bool(after.replicas[r].holds()) or bool(set(after.replicas[r].store.level))
        for r in Replica
        if after.replicas[r].declared and not before.replicas[r].declared
    )


@step_property
def OneQueueIsDeleted(before: Confirms, after: Confirms) -> bool:
    """Whoever deletes a queue deletes one (A9.3, B8.5).

    Its client names it, and others have messages in theirs.
    """
    return all(
        before.replicas[q].of == before.replicas[r].of
        for q in Replica
        if before.replicas[q].status != Status.DELETED
        and after.replicas[q].status == Status.DELETED
        for r in Replica
        if before.replicas[r].status != Status.DELETED
        and after.replicas[r].status == Status.DELETED
    )


@step_property
def ClosingRecallsNothing(before: Confirms, after: Confirms) -> bool:
    """What is on its way to a queue gets there, though its channel closes (A14.4).

    Its publisher will not hear of it, and may yet count on it.
    """
    return all(
        before.in_flight(r) <= after.in_flight(r)
        for c in ChannelId
        if before.channels[c].open and not after.channels[c].open
        for r in Replica
        if before.replicas[r].status == Status.RUNNING
        and after.replicas[r].status == Status.RUNNING
        and on_this_side(before, r)
    )


# -- what a consumer gets -------------------------------------------------------------------------


@step_property
def OneMessageAtATime(before: Confirms, after: Confirms, deliver: Deliver) -> bool:
    """A message is shown to one consumer, once, with the next tag of its channel (F1.1, B3).

    Two that have it would both do what it says.
    """
    return all(
        after.consuming[c].last_tag
        == (deliver.tag if c == Consumer.owner(deliver.consumer) else before.consuming[c].last_tag)
        for c in ChannelId
    )


@step_property
def ShownIsTaken(before: Confirms, after: Confirms, deliver: Deliver) -> bool:
    """What a consumer is shown is the message that its queue has given away (F1.1, B3.2, B3.3).

    Without acks the queue has it no more, and with acks the consumer has it to settle.
    """
    settles = not before.subscriptions[deliver.consumer].no_ack
    channel = Consumer.owner(deliver.consumer)
    return (deliver.tag in after.consuming[channel].unsettled()) == settles and all(
        deliver.msg not in after.replicas[r].ready
        and (deliver.msg in after.replicas[r].pending) == settles
        for r in Replica
        if before.subscriptions[deliver.consumer].at == r
    )


@step_property
def FetchedIsTaken(before: Confirms, after: Confirms, answer: GetOk) -> bool:
    """What answers basic.get is no longer ready in its queue (F1.1, B3.2).

    The next one would get it as well.
    """
    return not any(
        answer.msg in after.replicas[r].ready
        for r in Replica
        if before.replicas[r].of == answer.queue and before.replicas[r].leads()
        if on_this_side(before, r)
    )


@step_property
def MarkedWasFetched(before: Confirms, after: Confirms, answer: GetOk) -> bool:
    """An answer to basic.get is marked only if its queue takes it for handed out (B7.4).

    If each were marked, a client would look up everything that it gets.
    """
    return not answer.redelivered or any(
        answer.msg in before.replicas[r].delivered
        for r in Replica
        if before.replicas[r].of == answer.queue and before.replicas[r].leads()
    )


@step_property
def CancelSettlesNothing(before: Confirms, after: Confirms, ok: CancelOk) -> bool:
    """What a consumer has when it is stopped its client may still settle (B7.6).

    A client that acks what was taken from it has its channel closed (F1.3).
    """
    channel = Consumer.owner(ok.consumer)
    return before.consuming[channel].unsettled() == after.consuming[channel].unsettled()


@step_property
def RecoverBringsAllBack(before: Confirms, after: Confirms, ok: RecoverOk) -> bool:
    """After recover-ok a client has nothing to settle, and its queues have it all (F1.5).

    But for what it has settled in a transaction, and what came from across a partition.
    """
    return not any(after.consuming[ok.channel].unacked[t] is not None for t in Tag) and not any(
        m in after.replicas[r].pending
        for r in Replica
        if on_this_side(before, r)
        for m in before.replicas[r].pending
        if any(
            before.consuming[ok.channel].came_from(before.consuming[ok.channel].unacked[t], m, r)
            for t in Tag
        )
    )
