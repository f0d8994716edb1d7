"""What becomes of a delivery: acks, rejects, transactions of them, and what comes back.

A message that was handed out is lent.  It is its queue's until somebody has settled it; what nobody
can settle any more the queue takes back, and hands out anew.  An ack settles what it names and no
more, and what is settled in a transaction is settled with its commit.
"""

from __future__ import annotations

from ackproof.lang import Option, Set, eventually, helper, invariant, reachable, step_property
from ackproof.spec.properties_consuming import may_be_served
from ackproof.spec.properties_parting import on_this_side
from ackproof.spec.properties_transacting import is_open
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Overflow, Replica, Status, Tag, TxMode
from ackproof.spec.system import Confirms
from ackproof.spec.wire import ChannelClose, Complaint, ConsumerAck, RollbackOk

# -- what is settled ------------------------------------------------------------------------------


@step_property(of=("consumer_acks", "ack_unknown"))
def AckSettlesWhatItNames(
    before: Confirms, after: Confirms, channel: ChannelId, tag: Option[Tag], multiple: bool
) -> bool:
    """An ack settles the delivery it names, with `multiple` those before, and no other (F1.2).

    Tag 0 with `multiple` means all, even if there is none.
    """
    kept = {
        t
        for t in before.consuming[channel].unacked
        if tag is not None and t != tag and not (multiple and t < tag)
    }
    consuming = after.consuming[channel]
    return not consuming.open or set(consuming.unacked) == kept


@step_property(of=("consumer_acks", "ack_unknown"))
def UnknownTagClosesChannel(
    before: Confirms, after: Confirms, channel: ChannelId, tag: Option[Tag], multiple: bool
) -> bool:
    """Acking a tag that is not there closes the channel, and settles nothing (F1.3).

    Everything unacked is back in its queues, so a client that has lost count gets it all again.
    """
    named = any(t == tag for t in before.consuming[channel].unacked)
    known = named or (tag is None and multiple)
    return after.consuming[channel].open == known and (
        known
        or (
            all(is_back(before, after, channel, r) for r in Replica)
            and after.channels[channel].open == (before.channels[channel].open and not after.shared)
        )
    )


@helper
def is_back(before: Confirms, after: Confirms, channel: ChannelId, replica: Replica) -> bool:
    """Tell whether what a channel had of a process is in its queue again (F1.3)."""
    had = before.consuming[channel].from_process(before.consuming[channel].unsettled(), replica)
    kept = before.replicas[replica].holds() == after.replicas[replica].holds()
    back = not had & after.replicas[replica].pending or not on_this_side(before, replica)
    return back and (before.replicas[replica].limited or kept)


@step_property(of=("consumer_acks", "ack_unknown"))
def AckedIsGone(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """What is acked leaves its queue at once, and in a transaction waits for the commit (B7.1).

    A client that rolls back has done nothing with what it got (A13.2).
    """
    if not after.consuming[channel].open:
        return True
    if is_open(before, channel):
        return is_kept(before, after, channel, False)
    return not any(stays(before, after, channel, r) for r in Replica)


@step_property(of="consumer_rejects")
def RejectSettlesWhatItNames(
    before: Confirms, after: Confirms, channel: ChannelId, tag: Option[Tag], multiple: bool
) -> bool:
    """A reject settles the delivery it names, with `multiple` those before, and no other (F1.4).

    As with an ack, the client still works on the others.
    """
    kept = {
        t
        for t in before.consuming[channel].unacked
        if tag is not None and t != tag and not (multiple and t < tag)
    }
    return set(after.consuming[channel].unacked) == kept


@step_property(of="consumer_rejects")
def RejectedComesBackIfAskedFor(
    before: Confirms, after: Confirms, channel: ChannelId, requeue: bool
) -> bool:
    """What is rejected is in its queue again if the client wants that, and gone if not (F1.4).

    A queue that dead-letters sets it aside (`RejectedIsSetAside`).  In a transaction it waits for
    the commit (A13.2).  Where it comes back to a queue that drops what is too much, it may have to
    go (B5.2).
    """
    if is_open(before, channel):
        return is_kept(before, after, channel, requeue)
    if requeue:
        return all(comes_back(before, after, channel, r) for r in Replica)
    return not any(stays(before, after, channel, r) for r in Replica if not before.dead_letters(r))


@step_property(of="consumer_rejects")
def RejectedIsSetAside(
    before: Confirms, after: Confirms, channel: ChannelId, requeue: bool
) -> bool:
    """What is rejected for good a queue that dead-letters sets aside (F1.4, Q12.2).

    Whoever rejects it counts on its getting to where the dead go.
    """
    return requeue or all(
        is_set_aside(before, after, channel, r) for r in Replica if before.dead_letters(r)
    )


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
def is_set_aside(before: Confirms, after: Confirms, channel: ChannelId, replica: Replica) -> bool:
    """Tell whether a process has set aside what a step of a channel has settled (Q12.2)."""
    done = settled(before, after, channel)
    return before.consuming[channel].from_process(done, replica) <= after.replicas[replica].aside


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
def CommitReturns(before: Confirms, after: Confirms) -> bool:
    """With a commit something comes back that was rejected in the transaction (A13.3)."""
    return any(
        after.transactions[c].mode == TxMode.COMMITTING
        and bool(before.consuming[c].returning)
        and not after.consuming[c].returning
        for c in ChannelId
    )
