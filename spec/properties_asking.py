"""What a client asks for is what happens: these are claims about the steps that clients take.

What a message was published as, and for which queues, is nowhere kept but where the broker keeps
it, and what it keeps it may have got wrong.  So each of these takes the arguments of the step as
the client gave them, and compares them with what is there after it.
"""

from __future__ import annotations

from ackproof.lang import Set, helper, step_property
from ackproof.spec.sorts import (
    ChannelId,
    Consumer,
    Msg,
    Overflow,
    Queue,
    Replica,
    Status,
    TxMode,
)
from ackproof.spec.system import Confirms
from ackproof.spec.wire import GetEmpty, GetOk, Return

# -- what is published ----------------------------------------------------------------------------


@step_property(of=("publish", "publish_plain", "publish_in_tx"))
def PersistentAsAsked(before: Confirms, after: Confirms, msg: Msg, persistent: bool) -> bool:
    """A message that goes to queues is persistent if it was published so, and only then (C1).

    A publisher that asks for it means that the message shall survive a restart.
    """
    if msg in after.persistent:
        return persistent
    routed = after.transactions[Msg.owner(msg)].routes[msg]
    return not persistent or (not after.holders[msg] and not routed)


@step_property(of=("publish", "publish_plain"))
def RoutedAsAsked(before: Confirms, after: Confirms, msg: Msg, targets: Set[Queue]) -> bool:
    """A message goes to the queues that it was published for, and to no others (A5.4, A6.1).

    One that waits for a confirm and for whom a queue was not found counts as overlooked, and is
    acked only by mistake (`NoQueueIsOverlooked`).
    """
    return after.holders[msg] <= targets and (
        targets <= after.holders[msg] or (msg in after.overlooked and msg not in after.plain)
    )


@step_property(of="publish_again")
def RoutedAgain(before: Confirms, after: Confirms, msg: Msg, copied: Msg) -> bool:
    """What is published again goes where it was to go before, to queues that are there (C5.3).

    A copy that goes nowhere is acked, and its program believes that the first one is safe.
    """
    return msg in after.overlooked or all(
        q in after.holders[msg] or is_gone(before, q) for q in before.retrier.routes[copied]
    )


@helper
def is_gone(s: Confirms, queue: Queue) -> bool:
    """Tell whether a queue is deleted, or not declared yet (A5.4, A9.5)."""
    return any(
        s.replicas[r].status == Status.DELETED
        or (s.replicas[r].after is not None and not s.replicas[r].declared)
        for r in Replica
        if s.replicas[r].of == queue
    )


@step_property
def PersistentStays(before: Confirms, after: Confirms) -> bool:
    """What was published as persistent stays so, whatever happens to it (C1).

    A transaction that is committed is no reason to forget it.
    """
    return before.persistent <= after.persistent


@step_property(of="publish")
def ReturnedAsAsked(before: Confirms, after: Confirms, msg: Msg, mandatory: bool) -> bool:
    """What no queue takes comes back at once if it is mandatory, and nothing else does (A6.2).

    A publisher that did not ask for it need not listen to returns.
    """
    returned = msg in after.publishers[Msg.owner(msg)].returned
    return returned == (mandatory and not after.holders[msg])


@step_property(of="publish_unroutable")
def ReturnedOnlyIfAsked(
    before: Confirms, after: Confirms, back: Return, channel: ChannelId, mandatory: bool
) -> bool:
    """Outside of any mode, too, only what is mandatory comes back, and where it was sent (A6.2).

    The return has no number by which one could tell what it is about.
    """
    return mandatory and back.channel == channel and back.msg is None


@step_property(of="publish_in_tx")
def BatchedAsAsked(
    before: Confirms, after: Confirms, msg: Msg, targets: Set[Queue], mandatory: bool
) -> bool:
    """A transaction keeps what is published in it as it was published, all of it (A13.1).

    At the commit it is too late to ask again.
    """
    transaction = after.transactions[Msg.owner(msg)]
    earlier = before.transactions[Msg.owner(msg)]
    return (
        msg in transaction.batch
        and transaction.routes[msg] == targets
        and (msg in transaction.mandatory) == mandatory
        and earlier.batch <= transaction.batch
        and earlier.mandatory <= transaction.mandatory
        and all(transaction.routes[m] == earlier.routes[m] for m in earlier.batch)
    )


@step_property(of="tx_commit")
def CommittedAsRouted(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """At its commit a message goes to all of its queues that are there still (A13.3).

    Those of a transaction go together, or none of them does.
    """
    return all(
        q in after.holders[m] or is_gone(before, q) or m in after.overlooked
        for m in before.transactions[channel].batch
        for q in before.transactions[channel].routes[m]
    )


@step_property(of="publish_in_tx")
def RoutedAtOnce(before: Confirms, after: Confirms, targets: Set[Queue]) -> bool:
    """In a transaction, too, a message is for queues that are there when it is published (A13.1).

    One that is declared before the commit gets nothing that is older than itself (A9.5).
    """
    return not any(is_gone(before, q) for q in targets)


# -- in which mode --------------------------------------------------------------------------------


@step_property(of="select")
def SelectBeginsConfirms(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """A channel that is asked for confirms is in confirm mode; a transactional one closes (A1.2).

    Whoever publishes on one that is not waits for acks that never come.
    """
    if before.transactions[channel].mode == TxMode.NONE:
        return after.channels[channel].confirming and after.channels[channel].open
    return not after.channels[channel].open


@step_property(of="tx_select")
def TxSelectBeginsTransactions(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """A channel that is asked for transactions is transactional; a confirming one closes (A1.3).

    What is published on one that is not cannot be taken back.  Asked again, it goes on with the
    transaction that it is in.
    """
    if before.channels[channel].confirming:
        return not after.channels[channel].open
    goes_on = before.transactions[channel].batch == after.transactions[channel].batch
    return after.transactions[channel].mode == TxMode.OPEN and goes_on


@step_property(of="tx_rollback")
def RollbackSendsNothing(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """A rollback leaves nothing to commit, and no queue gets a thing of it (A13.6).

    A publisher rolls back what it would rather not have published.
    """
    return not after.transactions[channel].batch and all(
        after.casts[channel].publishes[r] <= before.casts[channel].publishes[r] for r in Replica
    )


# -- consumers ------------------------------------------------------------------------------------


@step_property(of="get")
def FetchedAsAsked(
    before: Confirms,
    after: Confirms,
    answer: GetOk,
    channel: ChannelId,
    replica: Replica,
    no_ack: bool,
) -> bool:
    """Who gets a message of a queue has to ack it, unless it asked for one without acks (F1.1).

    One that has to, and does not know, keeps it from everybody else.
    """
    lent = answer.tag in after.consuming[channel].unsettled()
    from_there = answer.queue == before.replicas[replica].of and answer.channel == channel
    return from_there and lent != no_ack


@step_property(of="get")
def FetchedIsNotReady(before: Confirms, after: Confirms, msg: Msg, replica: Replica) -> bool:
    """Who asks a queue that has something gets the first of it (F1.1).

    To be told that there is nothing is another answer (`EmptyAsAsked`).
    """
    return msg not in after.replicas[replica].ready


@step_property(of="get_empty")
def EmptyAsAsked(before: Confirms, after: Confirms, answer: GetEmpty, replica: Replica) -> bool:
    """That there is nothing is told of the queue that was asked, and has nothing (F3.5).

    Who reads that goes away.
    """
    return answer.queue == before.replicas[replica].of and not before.replicas[replica].ready


@step_property(of="requeue")
def GivenBackIsReady(before: Confirms, after: Confirms, msg: Msg, replica: Replica) -> bool:
    """What a consumer gives back is ready again for others (B7.2).

    Where it comes back to a queue that is full and drops, something has to go (B5.2).
    """
    queue = after.replicas[replica]
    drops = queue.limited and queue.overflow == Overflow.DROP_HEAD
    return msg in queue.ready or (drops and len(queue.ready) >= queue.max_length)


@step_property(of="acknowledge")
def AcknowledgedIsGone(before: Confirms, after: Confirms, msg: Msg, replica: Replica) -> bool:
    """What a consumer acknowledges is gone from its queue (B7.1).

    Else it is handed out again, to somebody who does again what has been done.
    """
    return msg not in after.replicas[replica].holds()


@step_property(of=("acknowledge", "requeue", "take", "pass_by"))
def OthersStayPending(before: Confirms, after: Confirms, msg: Msg) -> bool:
    """What a consumer does with one message makes no difference to those that others have (B7.1).

    A consumer that crashes has not done what it was to do.
    """
    return all(before.replicas[r].pending - {msg} <= after.replicas[r].pending for r in Replica)


@step_property(of="consume")
def StartedAsAsked(before: Confirms, after: Confirms, consumer: Consumer, replica: Replica) -> bool:
    """A consumer that its client starts is started (F2.2).

    Its client waits for deliveries, perhaps for ever.
    """
    return after.subscriptions[consumer].at == replica


@step_property(of="cancel")
def CancelledIsStopped(before: Confirms, after: Confirms, consumer: Consumer) -> bool:
    """A consumer that its client cancels is started nowhere any more (B7.6).

    A client that has cancelled it goes away.
    """
    return after.subscriptions[consumer].at is None


# -- the ends -------------------------------------------------------------------------------------


@step_property(of="close")
def ClosedIsNotOpen(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """A channel that its client closes is closed (A14.1).

    What is not told by then is never told.
    """
    return not after.channels[channel].open


@step_property(of="close_consumers")
def ConsumersClosedIsNotOpen(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """A channel of consumers that its client closes is closed, and has nothing left (F3.2).

    What it had goes to others.
    """
    return not after.consuming[channel].open and not after.consuming[channel].unsettled()


@step_property(of="declare")
def DeclaredIsThere(before: Confirms, after: Confirms, queue: Queue) -> bool:
    """A queue that a client declares is there (A9.5).

    Who publishes to it then is not to find that there is none.
    """
    return all(after.replicas[r].declared for r in Replica if after.replicas[r].of == queue)


@step_property(of="delete_queue")
def DeletedIsGone(before: Confirms, after: Confirms, queue: Queue) -> bool:
    """A queue that a client deletes is deleted, with all of its processes (A9.3, D8 L8).

    Whoever declares it again shall find nothing in it.
    """
    return all(
        after.replicas[r].status == Status.DELETED
        for r in Replica
        if after.replicas[r].of == queue and before.replicas[r].begun()
    )
