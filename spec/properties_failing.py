"""Failures: what a process and its node take with them.

A checker is as good as the world that it lets a broker live in.  Where what failed answers after
all, or what is cut off gets through, every promise is easier to keep than it is.  So these are
claims about that world, and not about what a broker makes of it.
"""

from __future__ import annotations

from ackproof.lang import eventually, invariant, step_property
from ackproof.spec.properties_parting import across, is_to_stop, led_last
from ackproof.spec.properties_storing import everything_ended
from ackproof.spec.sorts import Born, ChannelId, Consumer, Msg, Reason, Replica, Status
from ackproof.spec.system import Confirms


@invariant
def CastsEndWithTheirNode(s: Confirms) -> bool:
    """What a process had cast, and what was lost with its node, does not arrive any more (A9, C5).

    A process that crashes alone has sent what it had cast.  In a partition it is given up first.
    """
    return s.cluster.parted or not any(
        Msg.owner(m) == c
        for c in ChannelId
        for r in Replica
        if s.casts[c].downs[r] == Reason.BENIGN and s.replicas[r].status == Status.DOWN
        for m in s.replicas[r].outbox | s.replicas[r].refused
    )


@step_property
def NothingOutlivesTheNode(before: Confirms, after: Confirms) -> bool:
    """When the one node goes down, what was on its way in it is gone, back and forth (C5, O1).

    A publish, or the news of an end, that came through would be answered for by nobody before.
    """
    return not everything_ended(before, after) or not any(
        after.casts[c].publishes[r] | after.replicas[r].outbox | after.replicas[r].refused
        or after.casts[c].downs[r] is not None
        for c in ChannelId
        for r in Replica
    )


@invariant
def MailEndsWithItsProcess(s: Confirms) -> bool:
    """What is on its way to a process that has ended, or from it to its store, is lost (D1.3, O1).

    One that starts again in its place would take it for something new.
    """
    return not any(
        s.multicast.copies[r] | s.multicast.discards[r]
        or s.multicast.refusals[r] | s.multicast.removals[r]
        or any(s.casts[c].publishes[r] | s.casts[c].as_mirrors[r] for c in ChannelId)
        or s.acks_across[r]
        or s.mailboxes[r].writes
        for r in Replica
        if s.replicas[r].status != Status.RUNNING
    )


@step_property
def UntoldIsLost(before: Confirms, after: Confirms) -> bool:
    """What a master has told none of its mirrors is lost when it ends, or is given up (D1.3, D9).

    A mirror that got it all the same would have everything that was ever acked, and no ack would
    need it.  Of what has left the queue each mirror is asked, and all hear of it if one has; of the
    rest the only one, since with two what one got the other gets, and all that came before.
    """
    ended = all(
        (after.multicast.silent(x) or after.mirrors_of(r) != {x})
        and all(
            (m in after.multicast.removals[x])
            != all(
                m in before.multicast.removals[y]
                or (before.replicas[y].born == Born.LATER and y not in before.told_gone[m])
                for y in after.mirrors_of(r)
            )
            for m in before.multicast.removals[x]
        )
        for r in Replica
        if before.replicas[r].leads() and after.replicas[r].status == Status.DOWN
        for x in after.mirrors_of(r)
    )
    return ended and all(
        after.multicast.silent(x)
        for r in after.cluster.estranged - before.cluster.estranged
        for x in across(after, r)
        if across(after, r) == {x}
    )


@step_property
def WhatOneGotAllGet(before: Confirms, after: Confirms) -> bool:
    """When a master ends, what one of its mirrors has the others have still to hear of (D1.3).

    Without that they would not have the same, and who has less might take over.
    """
    return all(
        m in after.multicast.copies[x]
        for r in Replica
        if before.replicas[r].leads() and after.replicas[r].status == Status.DOWN
        for x in after.mirrors_of(r)
        for y in after.mirrors_of(r)
        for m in before.multicast.copies[x] & before.replicas[y].ready
    )


@step_property
def OnlyWhatIsLedIsDeleted(before: Confirms, after: Confirms) -> bool:
    """A queue is deleted while a process leads it, and not while it is down (A9.3, C5.1).

    What it has confirmed is there again with it, and nobody has said that it may go.
    """
    return all(
        any(before.replicas[x].leads() for x in before.siblings(r))
        for r in Replica
        if before.replicas[r].status != Status.DELETED
        if after.replicas[r].status == Status.DELETED
    )


@step_property
def DeletedIsForGood(before: Confirms, after: Confirms) -> bool:
    """A queue that is deleted stays so, whatever goes down afterwards (A9.5, B8.5).

    Who declares its name again gets another queue, and must not find the old one's messages.
    """
    return all(
        after.replicas[r].status == Status.DELETED
        for r in Replica
        if before.replicas[r].status == Status.DELETED
    )


@step_property
def LastMasterStartsAgain(before: Confirms, after: Confirms) -> bool:
    """A queue that is down comes back with the process that led it last (C5.1, D7.2, D8 L6).

    One that led it before, or a mirror, lacks what was acked since.  Who was taken out of the
    record is not waited for.
    """
    return all(
        after.replicas[r].leads()
        and not any(
            r < x and after.replicas[x].promoted and x not in after.trimmed
            for x in after.siblings(r)
        )
        for r in Replica
        if before.replicas[r].status == Status.DOWN
        if after.replicas[r].status == Status.RUNNING
    )


@step_property
def EndComesLast(before: Confirms, after: Confirms) -> bool:
    """A channel hears of the end of a process after all that it had sent, credit too (O1).

    What comes after its end is answered for by nobody.  One that was given up is not heard.
    """
    return not any(
        before.casts[c].credit[r].bumps > 0
        or any(Msg.owner(m) == c for m in before.replicas[r].outbox | before.replicas[r].refused)
        for c in ChannelId
        if after.channels[c].open
        for r in Replica
        if not any(before.replicas[r].node == n for n in before.cluster.lost)
        if before.casts[c].downs[r] is not None and after.casts[c].downs[r] is None
        if before.replicas[r].status != Status.RUNNING
    )


@step_property
def WordsEndWithTheirNode(before: Confirms, after: Confirms) -> bool:
    """What a process has cast, and a master's credit, is lost when its node is, or pauses (A9, C5).

    One whose node was given up before is heard by nobody anyway.
    """
    return not any(
        after.replicas[r].outbox | after.replicas[r].refused
        or (before.replicas[r].led() and any(after.casts[c].credit[r].bumps > 0 for c in ChannelId))
        for r in Replica
        if before.replicas[r].status == Status.RUNNING
        if after.replicas[r].status == Status.DOWN
        if not any(before.replicas[r].node == n for n in before.cluster.lost)
        if any(
            before.casts[c].downs[r] is None and after.casts[c].downs[r] == Reason.BENIGN
            for c in ChannelId
        )
    )


@eventually
def EveryMirrorHears(s: Confirms) -> bool:
    """What a master tells its mirrors they have heard in the end, or it is lost (D1.3, D2.1).

    A mirror that has still to hear something does not take over.
    """
    return not any(
        s.multicast.copies[r] | s.multicast.discards[r]
        or s.multicast.refusals[r] | s.multicast.removals[r]
        for r in Replica
    )


@eventually
def EveryQueueIsLed(s: Confirms) -> bool:
    """A queue has a master in the end while a mirror runs that has all it had (D5.1, D5.3).

    Until then its publishers wait, and nobody consumes.
    """
    return all(
        any(s.replicas[x].leads() for x in s.siblings(r))
        for r in Replica
        if s.replicas[r].mirrors() and r not in s.unsynced
    )


@eventually
def EveryQueueComesBack(s: Confirms) -> bool:
    """A queue of which nothing runs is there again in the end, unless it is deleted (C5.1).

    Until then nobody gets what it has confirmed.  It may wait until the channels know of its end;
    that comes to an end by itself.  And it waits for a partition to be over, if its last master is
    on a side that has to stop (A12.2, D9).
    """
    return all(
        any(s.casts[c].downs[r] is not None for c in ChannelId)
        or any(
            s.replicas[x].leads()
            or s.replicas[x].mirrors()
            or s.replicas[x].status == Status.DELETED
            or not s.replicas[x].begun()
            or (led_last(s, x) and bool(s.cluster.away) and is_to_stop(s, x))
            for x in s.siblings(r)
        )
        for r in Replica
    )


@invariant
def ConsumersEndWithTheirChannel(s: Confirms) -> bool:
    """Consumers that share a channel may consume as long as it is open, and no longer (F3.2).

    What was handed out on a closed one could not be settled, and would be with nobody.
    """
    return all(
        s.channels[c].open == s.consuming[c].open for c in ChannelId if s.tagged and s.shared
    )


@step_property
def SeparateEndsAlone(before: Confirms, after: Confirms) -> bool:
    """Consumers that have a channel of their own go on when the publisher's ends (A14.1, F3.2).

    And the other way round: nobody is cancelled, and what somebody has stays his.  Both end with
    their node, or when that pauses.
    """
    return (
        before.shared
        or bool(before.cluster.away)
        or not any(after.replicas[r].status == Status.RUNNING for r in Replica)
        or not any(
            before.channels[c].open != after.channels[c].open
            and before.consuming[c].open
            and not (
                after.consuming[c].open
                and before.consuming[c].unsettled() <= after.consuming[c].unsettled()
                and all(
                    before.subscriptions[k].at == after.subscriptions[k].at for k in Consumer.of(c)
                )
            )
            for c in ChannelId
        )
    )
