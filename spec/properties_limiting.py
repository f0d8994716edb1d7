"""Limits: what a queue that has room for so much keeps, drops and refuses.

A publisher that is acked counts on its message until somebody has it, or the limit pushes it out:
the oldest first, and none as long as there is room.  A queue that refuses instead says so to the
publisher, and drops nothing that it has taken.
"""

from __future__ import annotations

from ackproof.lang import helper, invariant, step_property
from ackproof.spec.sorts import ChannelId, Level, Msg, Overflow, Replica, Seen, Status
from ackproof.spec.system import Confirms


@invariant
def LimitIsKept(s: Confirms) -> bool:
    """A queue that drops has no more ready messages than its limit (B5.2, B5.7).

    That is, its master; what that has handed out is ready on a mirror.
    """
    return all(
        len(s.replicas[r].ready) <= s.replicas[r].max_length
        for r in Replica
        if s.replicas[r].limited and s.replicas[r].overflow == Overflow.DROP_HEAD
        if s.replicas[r].leads()
    )


@invariant
def OnlyWhoRejectsRefuses(s: Confirms) -> bool:
    """A queue without a limit, or that drops what is too much, refuses no message (B5.3, B5.4).

    Its publishers do not expect nacks, and may not publish again.
    """
    return all(
        not s.replicas[r].refused
        for r in Replica
        if not s.replicas[r].limited or s.replicas[r].overflow == Overflow.DROP_HEAD
    )


@step_property
def RefusedIsTooMuch(before: Confirms, after: Confirms) -> bool:
    """A master refuses a message only if it has as many ready messages as it may have (B5.3).

    What it has set aside counts as well (Q12.2).  A publisher takes a nack of a queue that has room
    for one of a queue that is down.  What the master before it had refused, and told it of, it
    refuses whatever room there is by now (D2.3).
    """
    return all(
        len(before.replicas[r].ready | before.replicas[r].aside) >= before.replicas[r].max_length
        or before.replicas[r].seen[m] == Seen.REFUSED
        for r in Replica
        if before.replicas[r].leads() and after.replicas[r].leads()
        for m in after.replicas[r].refused - before.replicas[r].refused
    )


@helper
def is_left_alone(before: Confirms, after: Confirms, msg: Msg, replica: Replica) -> bool:
    """Tell whether a message has neither come into a queue nor gone to somebody there (B5.3)."""
    got = before.replicas[replica].of in before.holders[msg] - after.holders[msg]
    return not got and msg not in after.replicas[replica].holds() - before.replicas[replica].holds()


@step_property
def FullTakesNothing(before: Confirms, after: Confirms) -> bool:
    """A master that has as many ready messages as it may have refuses what arrives (B5.3).

    That a consumer waits does not help, since the limit is looked at first.  What it knows from the
    time when it was a mirror it has already; and of what nobody will confirm nobody hears.
    """
    return all(
        m in after.replicas[r].refused
        or (m in after.plain and is_left_alone(before, after, m, r))
        or before.replicas[r].seen[m] != Seen.ABSENT
        for r in Replica
        if before.replicas[r].limited and before.replicas[r].overflow == Overflow.REJECT_PUBLISH
        if len(before.replicas[r].ready | before.replicas[r].aside) >= before.replicas[r].max_length
        if before.replicas[r].leads() and after.replicas[r].leads()
        if before.cluster.lost == after.cluster.lost
        for c in ChannelId
        for m in before.casts[c].publishes[r] - after.casts[c].publishes[r]
    )


@step_property
def OnlyTheSurplusIsDropped(before: Confirms, after: Confirms) -> bool:
    """A queue that drops keeps as many messages as it may have (B5.2).

    When another message gets in, or some come back, those that have to go are dropped, and no more;
    and so it is when a process begins to lead, with what it has on the disk.
    """
    return all(
        len(after.replicas[r].ready) == after.replicas[r].max_length
        or (
            nothing_is_dropped(before, after, r)
            if before.replicas[r].leads()
            else before.replicas[r].ready | set(before.replicas[r].store.level)
            <= after.replicas[r].ready
        )
        for r in Replica
        if before.replicas[r].limited and before.replicas[r].overflow == Overflow.DROP_HEAD
        if after.replicas[r].leads()
    )


@helper
def nothing_is_dropped(before: Confirms, after: Confirms, replica: Replica) -> bool:
    """Tell whether a master has what was ready, or nothing came in, or back, that may be too much.

    What leaves then a consumer has got, or it has expired.
    """
    return before.replicas[replica].ready <= after.replicas[replica].holds() or (
        after.replicas[replica].ready <= before.replicas[replica].ready
        and before.replicas[replica].pending <= after.replicas[replica].pending
        and not any(
            before.casts[c].publishes[replica] - after.casts[c].publishes[replica]
            for c in ChannelId
        )
    )


@step_property
def OldestGoesFirst(before: Confirms, after: Confirms) -> bool:
    """What leaves a queue without a consumer's ack is older than what stays (B4.2, B5.2).

    Of two messages of a publisher the later one is worth more, to whoever limits a queue; and
    whoever reads it may take it that nothing is missing between two that are there.
    """
    return all(
        not an_older_one_stays(before, after, m, r)
        for r in Replica
        if before.replicas[r].leads() and after.replicas[r].leads()
        for m in set(Msg) - after.replicas[r].holds()
        if m in before.replicas[r].ready
        or (
            m in before.casts[Msg.owner(m)].publishes[r]
            and m not in after.casts[Msg.owner(m)].publishes[r]
            and after.replicas[r].of in before.holders[m] - after.holders[m]
        )
    )


@helper
def an_older_one_stays(before: Confirms, after: Confirms, msg: Msg, replica: Replica) -> bool:
    """Tell whether a message is passed over that was published before this one, on its channel."""
    return any(
        n < msg and Msg.owner(n) == Msg.owner(msg)
        for n in before.replicas[replica].ready & after.replicas[replica].ready
    )


@step_property
def OnlyWhoDropsMakesRoom(before: Confirms, after: Confirms) -> bool:
    """A queue that refuses what is too much drops nothing when another message gets in (B5.7).

    What a consumer puts back, or a crash, may be too much; but its publisher may have an ack.  So
    what was ready stays, and what is on the disk of a process that starts again is ready then.
    """
    return all(
        m in after.replicas[r].holds()
        for r in Replica
        if after.replicas[r].limited and after.replicas[r].overflow == Overflow.REJECT_PUBLISH
        if after.replicas[r].leads()
        if not before.replicas[r].leads() or after.replicas[r].ready - before.replicas[r].ready
        for m in Msg
        if m in before.replicas[r].ready
        or (
            before.replicas[r].status == Status.DOWN
            and before.replicas[r].store.level[m] != Level.ABSENT
        )
    )
