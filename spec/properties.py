"""The properties: what a publisher may rely on, and what must hold behind the door for that.

Each is a function of a state, of a step, or of a step and a frame that it sent; each cites its
rule and gives its reason in a sentence.  The first group speaks of what the publisher is told, the
second of what an ack is worth, the third of the bookkeeping that the first two rest on.  The
fourth is different: these situations must be *reachable*.  A specification in which nothing ever
goes wrong would satisfy all others, and prove nothing.
"""

from __future__ import annotations

from ackproof.lang import eventually, helper, invariant, reachable, step_property
from ackproof.spec.sorts import ChannelId, Msg, Node, Reason, Replica, Seen, Status
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack, Nack

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
        s.mandatory & (s.publishers[c].confirmed | s.publishers[c].nacked)
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

    One queue that lost the message is one application that never gets it.
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


# -- the bookkeeping ----------------------------------------------------------------------------


@invariant
def EachMessageHasOnePlace(s: Confirms) -> bool:
    """What was published is unconfirmed, confirmed, rejected or told, and only one (INV-A8).

    What is nowhere is never settled, and what is in two places is settled twice.
    """
    return all(
        not (m in s.channels[c].acked and m in s.channels[c].nacked)
        and not (m in s.channels[c].confirmed and m in s.channels[c].rejected)
        and not (
            m in s.channels[c].acked | s.channels[c].nacked
            and m in s.channels[c].confirmed | s.channels[c].rejected
        )
        and not (
            s.channels[c].unconfirmed[m]
            and (
                m in s.channels[c].acked | s.channels[c].nacked
                or m in s.channels[c].confirmed | s.channels[c].rejected
            )
        )
        and (
            not s.channels[c].open
            or not s.channels[c].confirming
            or (m in s.publishers[c].sent)
            == (
                bool(s.channels[c].unconfirmed[m])
                or m in s.channels[c].confirmed | s.channels[c].rejected
                or m in s.channels[c].acked | s.channels[c].nacked
            )
        )
        for c in ChannelId
        for m in Msg
    )


@invariant
def SomebodyOwesAnAnswer(s: Confirms) -> bool:
    """What the channel waits for is under way, or the news that it never comes is (INV-A9).

    Otherwise the publisher would wait for ever.
    """
    return all(
        m in s.casts[c].publishes[r] | s.replicas[r].owes() or s.casts[c].downs[r] is not None
        for c in ChannelId
        for m in s.channels[c].unconfirmed
        for r in s.channels[c].unconfirmed[m]
    )


@invariant
def AwaitedIsPresent(s: Confirms) -> bool:
    """What a queue still has to confirm it has, or its removal is confirmed next (INV-B1).

    An entry without a message would stay in the table as long as the queue lives.
    """
    return all(
        s.replicas[r].awaiting <= s.replicas[r].holds() | s.replicas[r].store.confirmed
        for r in Replica
    )


@invariant
def AwaitedIsUnderWay(s: Confirms) -> bool:
    """The store will confirm, or has confirmed, whatever the queue awaits (C2.1, C2.6).

    The two keep separate books, and the queue asks only once.
    """
    return all(
        s.replicas[r].awaiting <= s.replicas[r].store.unconfirmed | s.replicas[r].store.confirmed
        for r in Replica
    )


@invariant
def ConfirmedOnceByQueue(s: Confirms) -> bool:
    """A process confirms a message to the channel at most once (INV-B2).

    Whatever it still awaits, or has just cast, is something it had not answered before.
    """
    return all(
        not s.replicas[r].awaiting & s.replicas[r].outbox
        and all(s.unanswered(m, r) for m in s.replicas[r].awaiting | s.replicas[r].outbox)
        for r in Replica
    )


@invariant
def FifoPerPublisher(s: Confirms) -> bool:
    """What is on its way to a queue is newer than all of its channel that is there (INV-B4, O2).

    Then a queue that hands out its messages as they came hands those of each channel out in the
    order of publishing.
    """
    return all(
        k < m
        for r in Replica
        if s.replicas[r].leads()
        for m in s.in_flight(r)
        if s.replicas[r].seen[m] == Seen.ABSENT
        for k in s.replicas[r].holds() | s.replicas[r].awaiting
        if Msg.owner(k) == Msg.owner(m)
    )


@step_property
def ServedInOrderOfArrival(before: Confirms, after: Confirms) -> bool:
    """What leaves a queue leaves nothing behind that came before it from elsewhere (B7.2, INV-B4).

    A consumer may count on a queue to be one, whoever has published to it; after a partition there
    have been two.
    """
    return before.cluster.parted or all(
        not before.seniors[before.replicas[r].of][m] & after.replicas[r].ready
        for r in Replica
        if before.replicas[r].leads() and after.replicas[r].leads()
        for m in before.replicas[r].ready - after.replicas[r].ready
    )


@invariant
def MirrorFollowsMaster(s: Confirms) -> bool:
    """A synchronised mirror has what its master has, but for what is on its way (INV-D2).

    It lags, and never leads: so it may take the master's place at any time.
    """
    return all(
        s.expected(x) == s.replicas[r].holds()
        for r in Replica
        if s.replicas[r].leads()
        for x in s.mirrors_of(r) - s.unsynced
    )


@invariant
def MirrorStandsAsMaster(s: Confirms) -> bool:
    """What a mirror has stands there as in its master, unless there was a partition (INV-D2).

    It is handed out in that order when the mirror has taken the master's place.  Of any two one
    stands first, and so it is with what a mirror has still to hear (D1.4).
    """
    told = all(
        s.multicast.order[r].before(k, m) != s.multicast.order[r].before(m, k)
        for r in Replica
        for k in s.multicast.coming(r)
        for m in s.multicast.coming(r)
        if k != m
    )
    return told and (
        s.cluster.parted
        or all(
            s.replicas[x].order.before(k, m) == s.replicas[r].order.before(k, m)
            and s.replicas[r].order.before(k, m) != s.replicas[r].order.before(m, k)
            for r in Replica
            if s.replicas[r].leads()
            for x in s.mirrors_of(r)
            for k in s.replicas[r].holds() & s.replicas[x].ready
            for m in s.replicas[r].holds() & s.replicas[x].ready
            if k != m
        )
    )


@invariant
def OneMaster(s: Confirms) -> bool:
    """A queue has one master, unless a partition has made two (D1.4, D9).

    Two would each tell their mirrors what to do, and confirm what the other does not have.
    """
    return all(
        x == r or not (s.replicas[x].leads() and s.linked(x, r))
        for r in Replica
        if s.replicas[r].leads()
        for x in s.siblings(r)
    )


# -- what must be possible ----------------------------------------------------------------------


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
