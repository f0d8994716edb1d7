"""What queues keep: what was said of a message is true of the queue that said it.

The properties of an ack (`properties`) count: who was asked, who has answered, who is left.  Here
nobody is counted, and nobody is excused who made a choice: what a queue has confirmed it has, it
has it once, it does not lose it while it runs, and whoever leads the queue later has it too.

A message may go when it was consumed, which `holders` says: a queue leaves it for one that was
acked, dropped, expired or deleted with it (C4.4, INV-F3).  A transient message may go with the
process, too (B2.3, C5).
"""

from __future__ import annotations

from ackproof.lang import invariant, reachable, step_property
from ackproof.spec.sorts import Level, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms


@invariant
def CastMeansPresent(s: Confirms) -> bool:
    """What a running process has confirmed it has, transient or not (B2.3, D4.20, INV-B5).

    The channel will say so, and knows nothing but that.
    """
    return all(
        m in s.replicas[r].holds() or s.replicas[r].of not in s.holders[m]
        for r in Replica
        if s.replicas[r].status == Status.RUNNING
        for m in s.replicas[r].outbox
    )


@step_property
def KeptWhileRunning(before: Confirms, after: Confirms) -> bool:
    """What a master has leaves it only by being consumed, while it runs (C4.4, INV-F3).

    A publisher who has an ack for a transient message may at least count on that.
    """
    return all(
        after.replicas[r].of not in after.holders[m]
        for r in Replica
        if before.replicas[r].leads() and after.replicas[r].leads()
        for m in before.replicas[r].holds() - after.replicas[r].holds()
    )


@step_property
def WhatLeftIsGone(before: Confirms, after: Confirms) -> bool:
    """What has left a queue, in whatever way, its master does not have any more (C4.4, INV-F3).

    A consumer would get what is consumed, expired or dropped.  A partition may have two masters.
    """
    return before.cluster.parted or all(
        m not in after.replicas[r].holds()
        for r in Replica
        if after.replicas[r].leads()
        for m in Msg
        if after.replicas[r].of in before.holders[m] - after.holders[m]
    )


@step_property
def NothingComesBack(before: Confirms, after: Confirms) -> bool:
    """What was consumed does not get into a running queue again (INV-F3, D6.2).

    A consumer would do twice what it was told to do once.  After a crash it may (C5.2), after a
    partition, and with a promoted master that had not heard of it (D1.3).
    """
    return before.cluster.parted or all(
        before.replicas[r].of in before.holders[m]
        or (before.replicas[r].promoted and before.replicas[r].seen[m] == Seen.ABSENT)
        for r in Replica
        if before.replicas[r].leads() and after.replicas[r].leads()
        for m in after.replicas[r].holds() - before.replicas[r].holds()
    )


@invariant
def NoSecondCopy(s: Confirms) -> bool:
    """A process puts a message into its queue once (D6.2, B1.4).

    Of two copies one is still there when the other was consumed.
    """
    return all(not s.replicas[r].doubled for r in Replica)


@invariant
def AckedIsVouchedFor(s: Confirms) -> bool:
    """Of an acked persistent message a process that has confirmed it is still answerable (INV-B5).

    A mirror that deletes what it has, because it must not take over, answers for nothing any more
    (D5.3): it must not have been the only one to confirm (D7.4).
    """
    return all(
        bool(s.vouchers[m] & s.siblings(r))
        for m in s.acked() & s.persistent
        for r in Replica
        if s.replicas[r].of in s.holders[m] and s.replicas[r].durable and s.mirrored(r)
    )


@step_property
def PromotedIsSynchronised(before: Confirms, after: Confirms) -> bool:
    """A mirror that takes over has been synchronised (D5.3, D8 L1, INV-D4).

    Without such a mirror nobody takes over, rather than one that lacks what was acked.
    """
    return not any(
        after.replicas[r].promoted and not before.replicas[r].promoted for r in before.unsynced
    )


@invariant
def DeletedLeavesNothing(s: Confirms) -> bool:
    """Of a queue that is deleted nothing is left, in no process and on no disk (B8.5).

    What is left would be there again when a queue of the same name is declared, and consumers would
    get what was given up.
    """
    return all(
        not s.replicas[r].ready | s.replicas[r].pending | set(s.replicas[r].store.level)
        for r in Replica
        if s.replicas[r].status == Status.DELETED
    )


@invariant
def StoppedKeepsAll(s: Confirms) -> bool:
    """Who was stopped in an orderly way has all on its disk that it was to keep (B8.5, C5).

    So what a master had is there when it starts again, confirmed or not, even if the power failed.
    Nothing else is: what had left the queue does not come back.
    """
    return all(
        s.synced(m, r)
        for r in Replica
        if s.replicas[r].status == Status.DOWN
        for m in s.entrusted[r]
    ) and all(
        set(s.replicas[r].store.level) <= s.entrusted[r]
        for r in s.stopped
        if s.replicas[r].status == Status.DOWN
    )


@step_property
def StopSavesWhatRuns(before: Confirms, after: Confirms) -> bool:
    """When the broker is stopped, only who runs there brings anything to the disk (B8.5, C5).

    What a queue had written that is down already may still be lost, if the power fails next.
    """
    return after.stopped <= before.stopped or all(
        before.replicas[r].status == Status.RUNNING
        or before.replicas[r].store.level[m] == Level.SYNCED
        or after.replicas[r].store.level[m] != Level.SYNCED
        for r in Replica
        for m in Msg
    )


@reachable
def StopFollowsCrash(before: Confirms, after: Confirms) -> bool:
    """The broker is stopped in an orderly way although one of its queues is down (B8.5)."""
    return bool(after.stopped - before.stopped) and any(
        before.replicas[r].status == Status.DOWN for r in Replica
    )
