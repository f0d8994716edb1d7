"""Mirrors: who answers for what, and what a mirror remembers of a message.

A mirror is told of a message twice, by its channel and by its master, and the two come in any order
(D3, D4).  What it has of the one it keeps until the other comes, and it answers the channel when it
has both.  So it may answer what nobody has asked it, and it may keep what nobody will ever ask for;
neither is to be seen at once.  Nor is who of them has all that the master has, before that is gone.
"""

from __future__ import annotations

from ackproof.lang import eventually, helper, invariant, reachable, step_property
from ackproof.spec.sorts import Born, ChannelId, Level, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms


@invariant
def OnlyWhoIsAskedAnswers(s: Confirms) -> bool:
    """A process of a mirrored queue answers only for what it was sent (D4.8, INV-D3).

    A mirror that joined later gets messages from its master that no channel has sent to it, and
    would be believed.  After a partition it may have been given up meanwhile.
    """
    return s.cluster.parted or all(
        r in s.owing[m] or not s.channels[Msg.owner(m)].open
        for r in Replica
        if s.mirrored(r)
        for m in s.replicas[r].outbox | s.replicas[r].refused
    )


@invariant
def RememberedIsToCome(s: Confirms) -> bool:
    """What a mirror was told by its master, and not by the channel, the channel has sent (D4.6).

    Nothing else has the mirror forget it, before the channel ends; so its memory would grow for as
    long as that lives.  A mirror that joined later, or was cut off, gets no copy of some messages.
    """
    return s.cluster.parted or all(
        m in s.in_flight(r) or not s.channels[Msg.owner(m)].open
        for r in Replica
        if s.replicas[r].born == Born.MIRROR and s.replicas[r].status == Status.RUNNING
        for m in s.replicas[r].seen
        if s.replicas[r].seen[m] != Seen.CALLED
    )


@eventually
def EndedChannelsAreForgotten(s: Confirms) -> bool:
    """A mirror forgets in the end what it has of a channel that is gone (D4.16-D4.18).

    Channels come and go, and a mirror may live for years.
    """
    return not any(
        not s.channels[Msg.owner(m)].open
        for r in Replica
        if s.replicas[r].mirrors()
        for m in s.replicas[r].direct | set(s.replicas[r].seen)
    )


@helper
def has_what_it_has(s: Confirms, mirror: Replica, master: Replica) -> bool:
    """Tell whether a mirror has, or will hear of, what its master has (D7.2, INV-D2).

    What an older mirror has that was passed over does not matter: it has to stop (D5.3).
    """
    return (
        s.replicas[mirror].mirrors()
        and s.replicas[master].leads()
        and s.linked(master, mirror)
        and master < mirror
        and s.expected(mirror) == s.replicas[master].holds()
    )


@step_property
def CopiesAreKnown(before: Confirms, after: Confirms) -> bool:
    """A mirror counts as one that lacks something, from when it does until it has all (D7.2, D7.3).

    If it has all it may take over, and if it lacks something it must not (D5.3).  What it is given
    it stores; if it is given anything, what had left is gone from its files by then.
    """
    caught_up = all(
        any(has_what_it_has(after, r, x) for x in after.siblings(r))
        and all(
            after.replicas[r].store.level[m] != Level.ABSENT or not after.replicas[r].durable
            for m in after.persistent & after.replicas[r].ready - before.replicas[r].ready
        )
        and (
            after.replicas[r].ready <= before.replicas[r].ready
            or not after.replicas[r].store.leaving
        )
        for r in before.unsynced - after.unsynced
        if not after.replicas[r].leads()
    )
    fallen_behind = all(
        any(
            after.replicas[x].leads() and before.expected(r) != before.replicas[x].holds()
            for x in after.siblings(r)
        )
        for r in after.unsynced - before.unsynced
    )
    return caught_up and fallen_behind


@eventually
def CopiesCountInTheEnd(s: Confirms) -> bool:
    """A mirror that has what its master has counts as a copy in the end (D7.2).

    Until then it does not take over, though nothing would be lost.
    """
    return not any(has_what_it_has(s, r, x) for r in s.unsynced for x in s.siblings(r))


@eventually
def PassedOverMirrorsStop(s: Confirms) -> bool:
    """A mirror that knows a younger master stops in the end (D5.1, D5.3).

    It has what that one has not, and would have its messages wait for what never comes.
    """
    return not any(
        s.replicas[r].mirrors() and s.replicas[x].leads() and s.knows(x, r) and r < x
        for r in Replica
        for x in s.siblings(r)
    )


@step_property
def OnlyWhoMustDeletes(before: Confirms, after: Confirms) -> bool:
    """What a process has on disk it deletes when it ends only if it must not take over (D5.3).

    That is, if it knows no master, or a younger one.  What had left its queue goes without harm.
    """
    return not any(
        before.replicas[r].store.level[m] == Level.SYNCED
        and m not in before.replicas[r].store.leaving
        and after.replicas[r].store.level[m] == Level.ABSENT
        and any(before.replicas[x].leads() and before.knows(x, r) for x in before.siblings(r))
        and not any(
            before.replicas[x].leads() and before.knows(x, r) and r < x for x in before.siblings(r)
        )
        for r in Replica
        if before.replicas[r].status == Status.RUNNING and after.replicas[r].status == Status.DOWN
        if not before.replicas[r].store.apart
        for m in Msg
    )


@step_property
def TheRecordIsAsked(before: Confirms, after: Confirms) -> bool:
    """A channel waits for nobody who was taken out of the record before (A5.5, D5.2).

    Such a one has ended, and what is sent to him is lost.
    """
    return not any(
        (after.channels[c].unconfirmed[m] - before.channels[c].unconfirmed[m]) & before.trimmed
        for c in ChannelId
        for m in Msg
    )


@reachable
def MirrorsGoWithTheirQueue(before: Confirms, after: Confirms) -> bool:
    """A queue is deleted that has a mirror (D8 L8)."""
    return any(
        before.replicas[r].mirrors() and after.replicas[r].status == Status.DELETED for r in Replica
    )


@reachable
def DeadLeaveTheRecord(s: Confirms) -> bool:
    """A process that has died is in its queue's record no more, and channels call others (D5.2)."""
    return any(s.replicas[r].status == Status.DOWN for r in s.trimmed)
