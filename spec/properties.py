"""The properties: what a publisher may rely on.

Each is a function of a state, of a step, or of a step and a frame that it sent; each cites its
rule and gives its reason in a sentence.  The first group speaks of what the publisher is told, the
second of what an ack is worth, the third of what must happen in the end.  What must hold behind the
door for that is in `properties_accounting`, and what must be possible in `situations`; the other
files are about what only some brokers have.
"""

from __future__ import annotations

from ackproof.lang import eventually, helper, invariant, step_property
from ackproof.spec.sorts import ChannelId, Msg, Node, Replica, Status
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack, ChannelClose, CommitOk, Complaint, Nack

# -- what the publisher is told -----------------------------------------------------------------


@invariant
def NoPhantomConfirm(s: Confirms) -> bool:
    """Only what was published is confirmed or nacked (INV-A6).

    A client that is told a number it has not used yet will take it for its next message.
    """
    return all(
        s.publishers[c].confirmed | s.publishers[c].nacked <= s.publishers[c].sent
        for c in ChannelId
    )


@invariant
def SequenceIsDense(s: Confirms) -> bool:
    """The k-th publish after confirm.select has sequence number k (A4.1, A4.3).

    Broker and client count apart, and nothing on the wire would show that they disagree.
    """
    return all(
        s.channels[c].next_seq == s.publishers[c].next_tag
        for c in ChannelId
        if s.channels[c].open and s.channels[c].confirming
    )


@step_property
def SettledOnce(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """An ack names a message that was not settled before (INV-A4, INV-A7).

    A client frees what it kept for a number when the number is settled.
    """
    publisher = before.publishers[ack.channel]
    return ack.tag in publisher.unknown() or ack.tag not in publisher.sent


@step_property
def RefusedOnce(before: Confirms, after: Confirms, nack: Nack) -> bool:
    """A nack names a message that was not settled before (INV-A4, INV-A7).

    A client that publishes a nacked message again would do so for a message that is safe.
    """
    publisher = before.publishers[nack.channel]
    return nack.tag in publisher.unknown() or nack.tag not in publisher.sent


@invariant
def NeverBothAckAndNack(s: Confirms) -> bool:
    """No message is both confirmed and nacked (INV-A5).

    The guide promises it, and a client that sees both cannot know which of them was meant.
    """
    return not s.acked() & s.nacked()


@invariant
def MultipleIsExact(s: Confirms) -> bool:
    """What the publisher concludes from `multiple` is what the channel meant (A11.3, A11.5).

    The frame covers whatever is still unknown, so the sender must know that this is the right set.
    """
    return all(
        s.publishers[c].confirmed == s.channels[c].acked
        and s.publishers[c].nacked == s.channels[c].nacked
        for c in ChannelId
    )


@step_property
def NoNeedlessAck(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """A single ack is for a lone message, or one that `multiple` may not cover (A11.2, A11.3).

    So of the frames of one flush no two speak of the same message.
    """
    publisher = after.publishers[ack.channel]
    earlier = before.publishers[ack.channel]
    lone = publisher.confirmed - earlier.confirmed == {ack.tag}
    others = publisher.nacked - earlier.nacked
    return ack.multiple or lone or any(k < ack.tag for k in publisher.unknown() | others)


@step_property
def NoNeedlessNack(before: Confirms, after: Confirms, nack: Nack) -> bool:
    """A single nack is for a message that `multiple` may not cover (A11.3, A11.4).

    A nack that said too much would have a message published again that is safe.
    """
    publisher = after.publishers[nack.channel]
    others = publisher.confirmed - before.publishers[nack.channel].confirmed
    return nack.multiple or any(k < nack.tag for k in publisher.unknown() | others)


@invariant
def ReturnPrecedesAck(s: Confirms) -> bool:
    """A return comes before the ack of its message (INV-A2, A6.1).

    A client that has seen the ack has forgotten the message, and would miss that nobody got it.
    (One that counts otherwise than its channel has no way to tell; see `SequenceIsDense`.)
    """
    return all(
        not s.publishers[c].returned_late & s.publishers[c].confirmed
        or s.channels[c].next_seq != s.publishers[c].next_tag
        for c in ChannelId
    )


@invariant
def ReturnPrecedesNack(s: Confirms) -> bool:
    """A return comes before the nack of its message (INV-A2).

    A client that has seen the nack has published the message again, and the return speaks of which?
    """
    return all(
        not s.publishers[c].returned_late & s.publishers[c].nacked
        or s.channels[c].next_seq != s.publishers[c].next_tag
        for c in ChannelId
    )


@invariant
def ReturnedIsUnroutable(s: Confirms) -> bool:
    """Only a message that no queue was found for is returned (INV-A3, A6.5).

    A client may publish a returned message elsewhere without making a duplicate.
    """
    return all(s.publishers[c].returned <= s.unroutable for c in ChannelId)


@invariant
def MandatoryIsReturned(s: Confirms) -> bool:
    """A mandatory message that was routed nowhere has come back when it is settled (A6.2, INV-A3).

    Its publisher has asked for that, and takes an ack without a return for a queue's.
    """
    return all(
        s.mandatory & s.unroutable & (s.publishers[c].confirmed | s.publishers[c].nacked)
        <= s.publishers[c].returned
        for c in ChannelId
    )


@invariant
def AcksComeFirst(s: Confirms) -> bool:
    """In one flush no ack comes after a nack (A10.5).

    A client that publishes again at a nack has been told by then of all that is safe.
    """
    return not s.acked_late


@helper
def sees_majority(s: Confirms) -> bool:
    """Tell whether the channels' node sees more than half of the cluster (A12.2)."""
    return not s.cluster.lost or 2 * len(s.cluster.lost) < len(Node)


@step_property
def NoAckFromMinority(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """A node that does not see a majority of the cluster acks nothing (A12.2, INV-D4).

    The others may have gone on without it, and will not have what it acks.  With autoheal and
    ignore it does (A12.1).
    """
    return not before.cluster.pausing or sees_majority(before)


@step_property
def NoNackFromMinority(before: Confirms, after: Confirms, nack: Nack) -> bool:
    """Nor does it nack anything (A12.2).

    What it could not reach may be safe where it does not see it.
    """
    return not before.cluster.pausing or sees_majority(before)


@step_property
def NoCommitFromMinority(before: Confirms, after: Confirms, ok: CommitOk) -> bool:
    """Nor does it answer a commit (A12.6).

    What was committed is as safe as what was acked, and by the same majority.
    """
    return not before.cluster.pausing or sees_majority(before)


@step_property
def NoFailureFromMinority(before: Confirms, after: Confirms, close: ChannelClose) -> bool:
    """Nor does it say that a commit has failed (A12.6).

    What it could not reach may be committed where it does not see it.
    """
    told = close.complaint == Complaint.PARTIAL_COMPLETION
    return not told or not before.cluster.pausing or sees_majority(before)


@invariant
def UnroutableIsConfirmed(s: Confirms) -> bool:
    """A message routed nowhere is acked, at once and never nacked (A6.2, A7.2).

    To drop it is what the bindings ask for, so it has been dealt with.
    """
    return not s.unroutable & s.nacked() and all(
        m in s.channels[Msg.owner(m)].confirmed | s.publishers[Msg.owner(m)].confirmed
        for m in s.unroutable
        if s.channels[Msg.owner(m)].open
    )


@invariant
def NackOnlyWithCause(s: Confirms) -> bool:
    """A nack means that a queue went down before it accepted the message (INV-A12, A9.3).

    Deleting a queue is no cause, and neither is a queue that dies after its confirm.
    """
    return s.nacked() <= s.excused


# -- what an ack is worth -----------------------------------------------------------------------


@invariant
def AckMeansAccepted(s: Confirms) -> bool:
    """An acked message was accepted by each of its queues, or the queue deleted (INV-A11).

    A copy of what is dead elsewhere must have got there: its original goes for it (Q12.5).  One
    queue that lost the message is one application that never gets it.
    """
    return all(not s.unaccepted[m] and not s.refusing[m] for m in s.acked())


@invariant
def NoQueueIsOverlooked(s: Confirms) -> bool:
    """An acked message was offered to each queue that is bound, running or not (A5.4, G-B21).

    A queue whose node is down for a while is still meant to get its messages.
    """
    return not s.acked() & s.overlooked


@invariant
def UnconfirmedLeavesNoTrace(s: Confirms) -> bool:
    """Nobody keeps books on a message that nobody will confirm (A7.1, B2.1).

    What is entered and never settled stays for the life of the channel.
    """
    return all(
        not s.plain
        & (set(s.channels[c].unconfirmed) | s.channels[c].confirmed | s.channels[c].rejected)
        for c in ChannelId
    )


@invariant
def CastMeansSynced(s: Confirms) -> bool:
    """What a process confirms of a persistent message it has on disk, or had (INV-B5, INV-D3).

    The confirm is on its way to the channel, which will believe it.
    """
    return all(
        s.synced(m, r) or m not in s.replicas[r].holds()
        for r in Replica
        if s.replicas[r].durable
        for m in s.replicas[r].outbox & s.persistent
    )


@invariant
def AckMeansEveryMirror(s: Confirms) -> bool:
    """An acked message was confirmed by each process that had to, or that process is gone (D4.20).

    The master waits for no mirror; that the message has reached them all is the channel's word.
    """
    return all(not s.owing[m] & s.listening() for m in s.acked() if s.holders[m])


@step_property
def NoAckBeforeDurable(before: Confirms, after: Confirms) -> bool:
    """When a persistent message is acked, it is on disk wherever it must be (INV-B5, INV-C1).

    It must be with each process that answers for it in a durable queue, unless it was consumed
    there (C4.4); without mirrors, that is the one process of the queue.
    """
    return all(
        after.synced(m, r) or not after.replicas[r].durable
        for m in (after.acked() - before.acked()) & after.persistent
        for r in after.answering(m)
    )


@invariant
def ConfirmedSurvives(s: Confirms) -> bool:
    """An acked persistent message is in its queues, or can be recovered, whatever crashed (C5).

    This is what publishers use confirms for.
    """
    return all(
        m in s.replicas[r].holds()
        if s.replicas[r].status == Status.RUNNING
        else s.recoverable(m, r)
        for m in s.acked() & s.persistent
        for r in s.answering(m)
        if s.replicas[r].durable
    )


@invariant
def AckedIsAvailable(s: Confirms) -> bool:
    """An acked message is in its mirrored queue while a process that vouched is left (INV-D4).

    With fewer failures than processes that confirmed, consumers get the message from whoever is
    the master then.  In a partition each side has what a process of that side has vouched for; what
    the other side alone has, may be lost with it (H7, D8 L2, L3).
    """
    return all(
        m in s.replicas[r].holds() | s.in_flight(r)
        for m in s.acked()
        for r in Replica
        if s.replicas[r].leads() and s.replicas[r].of in s.holders[m] and s.vouched_for(m, r)
    )


@invariant
def AckedIsNotRefused(s: Confirms) -> bool:
    """What is acked no process has refused, with word of it still under way (B5.3, INV-A11).

    That would be believed if it came first, and the publisher be told the opposite.
    """
    return not any(s.acked() & s.replicas[r].refused for r in Replica)


# -- what must happen in the end ----------------------------------------------------------------


@eventually
def EveryPublishSettles(s: Confirms, channel: ChannelId) -> bool:
    """Whatever was published is acked or nacked in the end, if the channel stays open (INV-A10).

    A publisher that keeps a window of unconfirmed messages stands still without it.
    """
    told = not s.channels[channel].confirmed and not s.channels[channel].rejected
    return not s.channels[channel].open or (told and not s.channels[channel].unconfirmed)


@eventually
def EveryPublisherHears(s: Confirms, channel: ChannelId) -> bool:
    """What a publisher has sent it learns the fate of, under the number that it gave it (INV-A10).

    That takes a channel that settles everything, and counts as its client does.
    """
    return not s.channels[channel].open or not s.publishers[channel].unknown()


@eventually
def EveryCopyIsMatched(s: Confirms) -> bool:
    """A mirror hears from its master of each message that it has from the channel (INV-D5).

    What it does not hear of stays at the head of the line, and everything after it waits (D4.19).
    """
    return all(not s.replicas[r].direct for r in Replica if not s.stranded(r))
