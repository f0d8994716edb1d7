"""What must hold of credit: it is neither lost nor made, and it stops the publisher and no more.

The first group is about the books of each pair of processes: written with what is *used* of a
credit, which is `initial` less the credit itself (E1.1).  The second is about the reader, who is
the only one that stops, and about what its client is told.  The third says that it goes on in the
end, and the last what must be possible for any of that to mean something.
"""

from __future__ import annotations

from ackproof.lang import eventually, helper, invariant, reachable, step_property
from ackproof.spec.credit import CreditPair
from ackproof.spec.reader import ReaderState
from ackproof.spec.sorts import Born, ChannelId, Reason, Replica, Seen, Status, TxMode
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack, Unblocked

# -- the books ----------------------------------------------------------------------------------


@invariant
def CreditIsConserved(s: Confirms) -> bool:
    """What is used of a credit is under way, or on its way back: no more, no less (E1.5, INV-E1).

    Under way are messages, on their way back are acks not yet bumped, and bumps.  Credit that gets
    lost blocks the publisher for ever in the end; credit from nothing lets queues be flooded.  It
    holds between two that were never parted, and of which neither is gone.
    """
    channels = all(
        s.reading[c].used == s.reading[c].given() for c in ChannelId if s.channels[c].open
    )
    processes = all(
        s.casts[c].credit[r].used
        == len(s.casts[c].publishes[r])
        + len(s.half_acked(c, r)) * (s.mirror_cost - 1)
        + s.casts[c].credit[r].given()
        for c in ChannelId
        for r in Replica
        if s.credit and s.meets(c, r) and not s.cluster.parted
    )
    stores = all(
        s.storing[r].used == len(s.mailboxes[r].writes) + s.storing[r].given() for r in Replica
    )
    return channels and processes and stores


@invariant
def NoExcessCredit(s: Confirms) -> bool:
    """Nobody has more credit than it began with, unless there was a partition (E1.1, E3.2).

    Excess credit never goes away, and the more there is, the later anybody is blocked.  A mirror
    that joins gives some all the same (E3.3).
    """
    readers = all(s.reading[c].used >= 0 for c in ChannelId)
    channels = all(
        s.casts[c].credit[r].used >= 0
        for c in ChannelId
        for r in Replica
        if s.replicas[r].born != Born.LATER
    )
    processes = all(s.storing[r].used >= 0 for r in Replica)
    return readers and processes and (channels or s.cluster.parted)


@invariant
def CreditNeverNegative(s: Confirms) -> bool:
    """The reader never sends without credit (E1.2).

    It is the one process that can stop.  What comes after it has no choice but to pass on what it
    has accepted, so its credit may fall below nothing: see `OverdraftIsBounded`.
    """
    return all(s.reading[c].used <= s.reading[c].initial for c in ChannelId)


@invariant
def OverdraftIsBounded(s: Confirms) -> bool:
    """How far a channel's credit falls below nothing depends on constants only (E1.2, E1.3).

    It goes below with one publish at most; once blocked it bumps the reader no more, which has
    credit for `initial` others.  Only a transaction knows no bound: it is paid for when it is
    committed, all at once (A13.3).
    """
    return (
        not s.credit
        or s.transactional
        or all(
            s.casts[c].credit[r].used - s.casts[c].credit[r].initial <= s.deepest(c)
            for c in ChannelId
            for r in Replica
        )
    )


@invariant
def StoreOverdraftIsBounded(s: Confirms) -> bool:
    """How far a process overdraws with its store depends on constants only, too (E1.2, E1.3).

    A process that its store blocks bumps no channel more; all that each has paid for by then, and
    all that it can still overdraw, may arrive.
    """
    return s.transactional or all(
        s.storing[r].used - s.storing[r].initial
        <= len(ChannelId) * (s.casts[c].credit[r].initial + s.deepest(c))
        for c in ChannelId
        for r in Replica
    )


@step_property
def EachPublishIsPaid(before: Confirms, after: Confirms) -> bool:
    """A message that takes a number takes credit of the reader, too (E1.2, E2).

    Only so a slow queue stops a publisher, whatever mode that is in.
    """
    return all(
        after.reading[c].used == before.reading[c].used + 1
        for c in ChannelId
        if after.credit and after.channels[c].next_seq != before.channels[c].next_seq
    )


@step_property
def EachWriteIsPaid(before: Confirms, after: Confirms) -> bool:
    """What a store has to confirm comes by its mailbox, and takes credit of the process (C2.1, E2).

    Only so a slow disk stops whoever publishes, be it the disk of a mirror.  What is refused
    takes none.
    """
    return not after.credit or all(
        all(
            m in after.mailboxes[r].writes and after.storing[r].used > before.storing[r].used
            for m in after.replicas[r].store.unconfirmed - before.replicas[r].store.unconfirmed
        )
        and not any(
            m in after.replicas[r].refused - before.replicas[r].refused
            or before.replicas[r].seen[m] != Seen.REFUSED == after.replicas[r].seen[m]
            for m in after.mailboxes[r].writes - before.mailboxes[r].writes
        )
        for r in Replica
    )


@invariant
def BumpsEndWithTheirNode(s: Confirms) -> bool:
    """Credit that was on its way from a master is lost with its node (A9, E1.4).

    A process that crashes alone has sent what it had sent.  In a partition it is given up first.
    """
    return s.cluster.parted or not any(
        s.casts[c].credit[r].bumps > 0
        for c in ChannelId
        for r in Replica
        if s.casts[c].downs[r] == Reason.BENIGN
        if s.replicas[r].status == Status.DOWN and s.replicas[r].led()
    )


@helper
def closed(pair: CreditPair) -> bool:
    """Tell whether neither side of a pair remembers anything (E1.4)."""
    return pair.used == 0 and pair.taken == 0 and pair.deferred == 0 and pair.bumps == 0


@helper
def nobody_counts(s: Confirms, channel: ChannelId) -> bool:
    """Tell whether nobody keeps books with a channel, nor the channel with anybody (E1.4)."""
    return closed(s.reading[channel]) and all(
        closed(s.casts[channel].credit[r]) and not s.casts[channel].as_mirrors[r] for r in Replica
    )


@helper
def counts_nothing(s: Confirms, replica: Replica) -> bool:
    """Tell whether a process keeps no books (E1.4)."""
    return closed(s.storing[replica]) and all(
        s.casts[c].credit[replica].taken == 0 and s.casts[c].credit[replica].deferred == 0
        for c in ChannelId
    )


@step_property
def BooksEndWithTheirOwner(before: Confirms, after: Confirms) -> bool:
    """When a channel ends, or a process, its books are closed, and they stay closed (E1.4).

    Who comes in its place would give credit for what was sent to somebody else.
    """
    channels = all(
        nobody_counts(after, c)
        for c in ChannelId
        if not after.channels[c].open
        if before.channels[c].open or nobody_counts(before, c)
    )
    processes = all(
        counts_nothing(after, r)
        for r in Replica
        if after.replicas[r].status != Status.RUNNING
        if before.replicas[r].status == Status.RUNNING or counts_nothing(before, r)
    )
    return channels and processes


@invariant
def GivenUpGivesNoCredit(s: Confirms) -> bool:
    """Who was given up has forgotten its channels, as they have given it up (A9, E1.4).

    It would give credit to those that it does not know any more.
    """
    return all(
        s.casts[c].credit[r].taken == 0
        and s.casts[c].credit[r].deferred == 0
        and s.casts[c].credit[r].bumps == 0
        for n in s.cluster.lost
        for r in Replica
        if s.replicas[r].node == n
        for c in ChannelId
    )


@step_property
def BlockedGivesNoCredit(before: Confirms, after: Confirms) -> bool:
    """Who is blocked, before a step and after it, gives no credit to those that send to it (E1.3).

    Only so it gets about, hop by hop, that a disk is slow.
    """
    channels = all(
        after.reading[c].bumps <= before.reading[c].bumps
        for c in ChannelId
        if any(before.casts[c].credit[r].used >= before.casts[c].credit[r].initial for r in Replica)
        if any(after.casts[c].credit[r].used >= after.casts[c].credit[r].initial for r in Replica)
    )
    processes = all(
        after.casts[c].credit[r].bumps <= before.casts[c].credit[r].bumps
        for r in Replica
        if before.storing[r].used >= before.storing[r].initial
        if after.storing[r].used >= after.storing[r].initial
        for c in ChannelId
    )
    return channels and processes


# -- what a client notices ----------------------------------------------------------------------


@step_property
def BlockedStops(before: Confirms, after: Confirms) -> bool:
    """Only a running connection publishes (E4.1, E4.2).

    A publisher that goes on while the broker is short of memory brings it down.
    """
    return all(
        before.readers[c].state == ReaderState.RUNNING
        or after.publishers[c].next_tag == before.publishers[c].next_tag
        for c in ChannelId
        if before.of_client(c)
    )


@step_property
def NobodyIsBlockedForNothing(before: Confirms, after: Confirms) -> bool:
    """A connection is blocked when its credit is used up, or it publishes in an alarm (E1.2, E4.1).

    Who only consumes makes memory free, and must be heard.
    """
    return all(
        after.reading[c].used >= after.reading[c].initial
        or (
            after.readers[c].alarmed
            and before.channels[c].open
            and before.channels[c].next_seq is not None
        )
        for c in ChannelId
        if before.readers[c].state != ReaderState.BLOCKED
        if after.readers[c].state == ReaderState.BLOCKED
    )


@step_property
def BlockedIsNotRead(before: Confirms, after: Confirms) -> bool:
    """Of a blocked connection nothing is read: no methods, and no acks of consumers (E4.2).

    A client that has been blocked can do nothing about it but wait, or break the connection.
    """
    return all(
        before.readers[c].state != ReaderState.BLOCKED
        or not after.channels[c].open
        or asks_nothing(before, after, c)
        for c in ChannelId
        if before.of_client(c)
    )


@helper
def asks_nothing(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """Tell whether a step leaves as it was what only a client changes on its channel (A1, F1)."""
    mode = before.transactions[channel].mode
    settles = before.shared and not (
        set(before.consuming[channel].unacked) <= set(after.consuming[channel].unacked)
        and set(before.consuming[channel].collected) <= set(after.consuming[channel].collected)
    )
    return (
        before.channels[channel].confirming == after.channels[channel].confirming
        and (
            mode == after.transactions[channel].mode
            or (mode == TxMode.COMMITTING or mode == TxMode.FAILED)
        )
        and before.transactions[channel].batch == after.transactions[channel].batch
        and not settles
    )


@invariant
def ClientKnowsWhy(s: Confirms) -> bool:
    """A client knows that it is blocked if an alarm is the reason, and only then (E4.3).

    An alarm may last for hours, and a client can do something else; credit is a matter of moments.
    """
    return all(
        (c in s.warned) == (s.readers[c].alarmed and s.readers[c].state == ReaderState.BLOCKED)
        for c in ChannelId
    )


@invariant
def BlockedIsToldOnce(s: Confirms) -> bool:
    """A client is told that it is blocked, and that it is not, by turns (E4.3).

    One that counts would wait for two ends.
    """
    return not s.misled


@step_property
def UnblockedFollowsBlocked(before: Confirms, after: Confirms, told: Unblocked) -> bool:
    """What is over the client had been told of, and no alarm is left (E4.3).

    One that goes on then would only be blocked again.
    """
    return told.channel in before.warned and not after.readers[told.channel].alarmed


@step_property
def AlarmSettlesNothingDifferently(before: Confirms, after: Confirms) -> bool:
    """No alarm, and no credit that comes, rejects or nacks a message (E4.5).

    That a nack needs another cause is what `NackOnlyWithCause` says.
    """
    return all(
        (
            before.readers[c].state == after.readers[c].state
            and before.readers[c].alarmed == after.readers[c].alarmed
        )
        or after.channels[c].rejected | after.publishers[c].nacked
        <= before.channels[c].rejected | before.publishers[c].nacked
        for c in ChannelId
    )


@eventually
def NoCreditDeadlock(s: Confirms, channel: ChannelId) -> bool:
    """A connection that is blocked for want of credit is read again (E1.3, E1.4).

    All that blocks it passes: stores and processes take what waits for them, and of those that are
    gone the channel hears.  An alarm may last for ever.
    """
    return s.readers[channel].state != ReaderState.BLOCKED or s.readers[channel].alarmed


# -- what must be possible ----------------------------------------------------------------------


@reachable
def ReaderIsBlocked(s: Confirms) -> bool:
    """The connection is blocked for want of credit, and nothing else (E1.2, E4.1)."""
    return any(
        s.readers[c].state == ReaderState.BLOCKED and not s.readers[c].alarmed for c in ChannelId
    )


@reachable
def AlarmIsOver(before: Confirms, after: Confirms, told: Unblocked) -> bool:
    """A client hears that an alarm is over, and goes on (E4.3).

    Nobody may count on its end, and yet it ends.
    """
    return after.readers[told.channel].reads_content()


@reachable
def BumpIsDeferred(s: Confirms) -> bool:
    """The channel owes the reader credit, and is itself blocked (E1.3)."""
    return any(s.reading[c].deferred > 0 for c in ChannelId)


@reachable
def BumpIsDeferredByStore(s: Confirms) -> bool:
    """A process owes the channel credit, and its store blocks it (E1.3, E2)."""
    return any(s.casts[c].credit[r].deferred > 0 for c in ChannelId for r in Replica)


@reachable
def CreditBelowZeroDownstream(s: Confirms) -> bool:
    """The channel has sent more to a process than it had credit for (E1.2)."""
    return any(
        s.casts[c].credit[r].used > s.casts[c].credit[r].initial for c in ChannelId for r in Replica
    )


@reachable
def ConfirmsFlowWhileBlocked(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """A message is acked to a client that is blocked (E4.2)."""
    return before.readers[ack.channel].state == ReaderState.BLOCKED


@reachable
def PromotedOwesTwice(s: Confirms) -> bool:
    """A message that was cast to a mirror arrives at a master, which acks it twice (E3.1, B1.5)."""
    return any(
        s.replicas[r].promoted and s.acks_twice(m, r)
        for c in ChannelId
        for r in Replica
        for m in s.casts[c].as_mirrors[r]
    )


@reachable
def JoinedGivesUnpaidCredit(s: Confirms) -> bool:
    """A mirror that has joined has given credit for a message that was never cast to it (E3.3)."""
    return any(
        s.casts[c].credit[r].used < 0
        for c in ChannelId
        for r in Replica
        if s.replicas[r].born == Born.LATER
    )
