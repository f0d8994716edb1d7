"""What a client asks for is what happens: these are claims about the steps that clients take.

What a message was published as, and for which queues, is nowhere kept but where the broker keeps
it, and what it keeps it may have got wrong.  So each of these takes the arguments of the step as
the client gave them, and compares them with what is there after it.
"""

from __future__ import annotations

from ackproof.lang import Set, step_property
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Queue, Replica, Status, TxMode
from ackproof.spec.system import Confirms
from ackproof.spec.wire import GetOk, Return

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
    """A message goes to the queues that it was published for, and to no others (A5.1, A6.1).

    One for whom a queue was not found counts as overlooked, and is acked only by mistake
    (`AckedIsRouted`).
    """
    return after.holders[msg] <= targets and (
        targets <= after.holders[msg] or msg in after.overlooked
    )


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
    """A transaction keeps what is published in it as it was published (A13.1).

    At the commit it is too late to ask again.
    """
    transaction = after.transactions[Msg.owner(msg)]
    return (
        msg in transaction.batch
        and transaction.routes[msg] == targets
        and (msg in transaction.mandatory) == mandatory
    )


# -- in which mode --------------------------------------------------------------------------------


@step_property(of="select")
def SelectBeginsConfirms(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """A channel that is asked for confirms is in confirm mode, or closed (A1.1, A1.2).

    Whoever publishes on one that is not waits for acks that never come.
    """
    return after.channels[channel].confirming or not after.channels[channel].open


@step_property(of="tx_select")
def TxSelectBeginsTransactions(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """A channel that is asked for transactions is transactional, or closed (A1.3).

    What is published on one that is not cannot be taken back.
    """
    return after.transactions[channel].mode == TxMode.OPEN or not after.channels[channel].open


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
    before: Confirms, after: Confirms, answer: GetOk, channel: ChannelId, no_ack: bool
) -> bool:
    """Who gets a message has to ack it, unless it asked for one without acks (F1.1).

    One that has to, and does not know, keeps it from everybody else.
    """
    lent = answer.tag in after.consuming[channel].unsettled()
    return answer.channel == channel and lent != no_ack


@step_property(of="requeue")
def GivenBackIsReady(before: Confirms, after: Confirms, msg: Msg, replica: Replica) -> bool:
    """What a consumer gives back is ready again for others (B7.2).

    Where it comes back to a queue that has a limit, something may have to go (B5.2).
    """
    return msg in after.replicas[replica].ready or before.replicas[replica].limited


@step_property(of="acknowledge")
def AcknowledgedIsGone(before: Confirms, after: Confirms, msg: Msg, replica: Replica) -> bool:
    """What a consumer acknowledges is gone from its queue (B7.1).

    Else it is handed out again, to somebody who does again what has been done.
    """
    return msg not in after.replicas[replica].holds()


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
