"""What is on the disk: stores confirm what is safe, and a failure takes what is not.

The first group is what a queue must be able to count on when its store confirms (INV-C1 to INV-C3),
also where several queues have a message and one body of it (C1.2, C3.2).  The second says what
failures do (C5): memory ends with its process, and with its node.  An environment that is kinder
than that would prove nothing.  The third is that what was removed is gone in the end.

That a message is confirmed only when entry and body are on the disk, and is there after a crash, is
`NoAckBeforeDurable` and `ConfirmedSurvives`, too (`properties`): they speak of both parts.
"""

from __future__ import annotations

from ackproof.lang import eventually, helper, invariant, reachable, step_property
from ackproof.spec.sorts import Born, ChannelId, Level, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms

# -- what a store confirms ----------------------------------------------------------------------


@invariant
def ConfirmedOnceByStore(s: Confirms) -> bool:
    """The store of a master confirms only what it awaits, and so nothing twice (INV-C3).

    The queue would not notice: it ignores what it does not await (B6.1).
    """
    return all(
        s.replicas[r].store.confirmed <= s.replicas[r].awaiting
        for r in Replica
        if s.replicas[r].born == Born.MASTER
    )


@invariant
def ConfirmedByStoreIsSafe(s: Confirms) -> bool:
    """What the store confirms is on disk, or has left the queue (INV-C1, INV-C2).

    The queue passes the store's word on without looking.
    """
    return all(
        s.synced(m, r) or m not in s.replicas[r].holds()
        for r in Replica
        for m in s.replicas[r].store.confirmed
    )


@invariant
def UnstoredIsUnderWay(s: Confirms) -> bool:
    """What waits for its body in the shared store, the store will tell of it (C2.2, C3.2, G-B14).

    Its queue asks once, and waits as long as it lives.
    """
    return all(
        r in s.bodies.waiting[m]
        for r in Replica
        if s.replicas[r].store.apart
        for m in s.replicas[r].store.unconfirmed - s.replicas[r].store.stored
    )


@invariant
def KnownBodyIsSynced(s: Confirms) -> bool:
    """What a queue knows of a body is true: it is on the disk, and it is waited for (C2.2).

    The entry of such a message is confirmed by itself.
    """
    return all(
        s.replicas[r].store.apart
        and m in s.replicas[r].store.unconfirmed
        and s.bodies.level[m] == Level.SYNCED
        for r in Replica
        for m in s.replicas[r].store.stored
    )


@invariant
def EntriesHaveBodies(s: Confirms) -> bool:
    """A body is there as long as the index of some queue has the message (C5.1, INV-C1).

    Several queues may have it, and that one of them needs it no more is no word on the others.
    """
    return all(
        s.bodies.level[m] != Level.ABSENT
        for r in Replica
        if s.replicas[r].store.apart
        for m in set(s.replicas[r].store.level)
    )


@step_property
def NoBodyFromNowhere(before: Confirms, after: Confirms) -> bool:
    """A body gets into the shared store when a queue gets its message (C3.1, INV-C1).

    What came there otherwise would be of no queue, or of one that had lost it.
    """
    return all(
        before.bodies.level[m] != Level.ABSENT
        or after.bodies.level[m] == Level.ABSENT
        or any(m in before.in_flight(r) - after.in_flight(r) for r in Replica)
        for m in Msg
    )


@invariant
def MailIsUnwritten(s: Confirms) -> bool:
    """What a store has not taken from its mailbox is in no file, unless in memory (C2.1, E1.3).

    It is what the queue has to store, and nothing else.
    """
    return all(
        s.replicas[r].store.level[m] == Level.BUFFERED
        or (s.replicas[r].store.level[m] == Level.ABSENT and m not in s.replicas[r].holds())
        for r in Replica
        for m in s.mailboxes[r].writes
    )


@invariant
def LeavingIsWritten(s: Confirms) -> bool:
    """What is about to leave the files is in them, and has left the queue that runs (C5.2).

    It is confirmed, for nobody would say so later.
    """
    return all(
        s.replicas[r].store.lazy
        and (
            s.replicas[r].store.level[m] == Level.WRITTEN
            or s.replicas[r].store.level[m] == Level.SYNCED
        )
        and m not in s.replicas[r].store.unconfirmed
        and m not in s.replicas[r].holds()
        and s.replicas[r].status == Status.RUNNING
        for r in Replica
        for m in s.replicas[r].store.leaving
    )


# -- what failures take -------------------------------------------------------------------------


@invariant
def MemoryEndsWithItsProcess(s: Confirms) -> bool:
    """A process that does not run has nothing in memory, only what is in its files (B8.5, C5).

    A queue that came back with more than that would be no queue that crashed.
    """
    return not any(
        m in s.replicas[r].holds() | s.replicas[r].awaiting | s.replicas[r].delivered
        or m in s.replicas[r].store.unconfirmed | s.replicas[r].store.confirmed
        or m in s.replicas[r].store.stored | s.replicas[r].store.leaving
        or s.replicas[r].store.level[m] == Level.BUFFERED
        or m in s.replicas[r].direct
        or s.replicas[r].seen[m] != Seen.ABSENT
        for r in Replica
        if s.replicas[r].status != Status.RUNNING
        for m in Msg
    )


@helper
def everything_ended(before: Confirms, after: Confirms) -> bool:
    """Tell whether the one node of all channels and processes has gone down in a step (C5)."""
    closed = any(before.channels[c].open != after.channels[c].open for c in ChannelId)
    ended = any(before.replicas[r].status != after.replicas[r].status for r in Replica)
    down = all(after.replicas[r].status != Status.RUNNING for r in Replica)
    return closed and ended and down


@step_property
def StoreTakesInOrder(before: Confirms, after: Confirms) -> bool:
    """A store takes messages in the order in which its queue got them (O1, O2).

    So what it has of a channel is what was published first, and of two channels what came first.
    In a partition there may be two masters, to which messages have come in another order each.
    """
    return not any(
        (n in before.seniors[before.replicas[r].of][m] and not before.cluster.parted)
        or (Msg.owner(n) == Msg.owner(m) and n < m)
        for r in Replica
        for m in before.mailboxes[r].writes - after.mailboxes[r].writes
        for n in before.mailboxes[r].writes & after.mailboxes[r].writes
    )


@step_property
def MemoryEndsWithItsNode(before: Confirms, after: Confirms) -> bool:
    """What the shared store has in memory is gone with its node (C5).

    Otherwise a queue would find a body again that nobody has written.
    """
    return not everything_ended(before, after) or all(
        after.bodies.level[m] != Level.BUFFERED for m in Msg
    )


@reachable
def WrittenIsLost(before: Confirms, after: Confirms) -> bool:
    """The power fails, and what only the kernel had is lost (C5)."""
    return everything_ended(before, after) and any(
        before.replicas[r].store.level[m] == Level.WRITTEN
        and after.replicas[r].store.level[m] == Level.ABSENT
        for r in Replica
        if not before.replicas[r].store.apart
        for m in Msg
    )


@reachable
def WrittenSurvives(before: Confirms, after: Confirms) -> bool:
    """The node goes down, and what the kernel had from a queue that ran is there (C5)."""
    return everything_ended(before, after) and any(
        after.replicas[r].store.level[m] == Level.WRITTEN
        for r in Replica
        if before.replicas[r].status == Status.RUNNING
        for m in Msg
    )


@reachable
def NodeFollowsDeletion(before: Confirms, after: Confirms) -> bool:
    """The node goes down when a queue was deleted, and what the kernel had is there (A9.3, C5)."""
    return (
        everything_ended(before, after)
        and any(before.replicas[r].status == Status.DELETED for r in Replica)
        and any(
            after.replicas[r].store.level[m] == Level.WRITTEN
            for r in Replica
            if before.replicas[r].status == Status.RUNNING
            for m in Msg
        )
    )


@reachable
def PowerFollowsDeletion(before: Confirms, after: Confirms) -> bool:
    """The power fails when a queue was deleted, and what only the kernel had is lost (A9.3, C5)."""
    return (
        everything_ended(before, after)
        and any(before.replicas[r].status == Status.DELETED for r in Replica)
        and any(
            (
                before.bodies.level[m] == Level.WRITTEN
                if before.replicas[r].store.apart
                else before.replicas[r].store.level[m] == Level.WRITTEN
            )
            and after.bodies.level[m] == Level.ABSENT
            and after.replicas[r].store.level[m] == Level.ABSENT
            for r in Replica
            for m in Msg
        )
    )


@reachable
def WrittenBodySurvives(before: Confirms, after: Confirms) -> bool:
    """The node goes down, and a body is there that the kernel had, and the disk had not (C5)."""
    return everything_ended(before, after) and any(
        before.bodies.level[m] == Level.WRITTEN and after.bodies.level[m] == Level.WRITTEN
        for m in Msg
    )


@reachable
def WrittenBodyIsLost(before: Confirms, after: Confirms) -> bool:
    """The power fails, and the body of a message that a queue has is lost (C5)."""
    return any(
        before.bodies.level[m] == Level.WRITTEN
        and after.bodies.level[m] == Level.ABSENT
        and bool(before.bodies.referring[m])
        for m in Msg
    )


# -- what is gone in the end --------------------------------------------------------------------


@eventually
def NeedlessBodyGoes(s: Confirms, msg: Msg) -> bool:
    """A body that no queue has an entry for is removed in the end (C5.1).

    Nobody else could free its place: no queue knows of it.
    """
    return s.bodies.level[msg] == Level.ABSENT or any(
        s.replicas[r].store.apart and s.replicas[r].store.level[msg] != Level.ABSENT
        for r in Replica
    )


@eventually
def RemovedIsForgotten(s: Confirms, msg: Msg, replica: Replica) -> bool:
    """What has left a queue that runs is removed from its files in the end (C5.2).

    Until then a crash brings it back to consumers that are done with it.
    """
    return (
        not s.replicas[replica].store.lazy
        or s.replicas[replica].status != Status.RUNNING
        or s.replicas[replica].store.level[msg] == Level.ABSENT
        or msg in s.replicas[replica].holds()
    )


# -- what must come up --------------------------------------------------------------------------


@reachable
def ConfirmedWithoutWrite(before: Confirms, after: Confirms) -> bool:
    """A persistent message is confirmed that was never written: it was consumed (C4.2)."""
    return any(
        before.replicas[r].store.level[m] == Level.BUFFERED
        for r in Replica
        for m in after.replicas[r].store.confirmed - before.replicas[r].store.confirmed
        if after.replicas[r].store.level[m] == Level.ABSENT
    )


@reachable
def EntryBeforeBody(s: Confirms) -> bool:
    """An entry is on the disk, and its message waits for its body (C2.4)."""
    return any(
        s.replicas[r].store.level[m] == Level.SYNCED
        and s.bodies.level[m] != Level.SYNCED
        and m in s.replicas[r].awaiting
        for r in Replica
        for m in s.replicas[r].store.unconfirmed
        if s.replicas[r].store.apart
    )


@reachable
def BodyBeforeEntry(s: Confirms) -> bool:
    """A body is on the disk, and its message waits for its entry (C2.2)."""
    return any(
        s.replicas[r].store.level[m] != Level.SYNCED
        for r in Replica
        for m in s.replicas[r].store.stored
    )


@reachable
def BodyIsThereAlready(before: Confirms, after: Confirms) -> bool:
    """A queue gets a message whose body is on the disk, and need not wait for that (C3.2)."""
    return any(
        m in after.replicas[r].store.stored and m not in before.replicas[r].store.unconfirmed
        for r in Replica
        for m in Msg
    )
