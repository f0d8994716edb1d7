"""What holds while the cluster is in two parts: nothing crosses, and one side stops.

Neither side knows at once that the other is not to be heard any more.  What is sent across waits,
and arrives if nobody has noticed when the partition is over; once they have given each other up, it
is lost.  Then the side that has to stop does so, and nothing of it goes on before the two are
together again (A12, D9).
"""

from __future__ import annotations

from ackproof.lang import Set, eventually, helper, invariant, reachable, step_property
from ackproof.spec.sorts import ChannelId, Consumer, Node, Reason, Replica, Side, Status
from ackproof.spec.system import Confirms

# -- what does not cross --------------------------------------------------------------------------


@helper
def on_this_side(s: Confirms, replica: Replica) -> bool:
    """Tell whether the node of a process is on the channels' side of a partition (D9)."""
    return not any(s.replicas[replica].node == n for n in s.cluster.away)


@helper
def across(s: Confirms, master: Replica) -> Set[Replica]:
    """Return the mirrors of a master on the other side of a partition (D9)."""
    return {
        x
        for x in s.siblings(master)
        if s.replicas[x].mirrors() and on_this_side(s, x) != on_this_side(s, master)
    }


@helper
def cut_off(before: Confirms, after: Confirms, replica: Replica) -> bool:
    """Tell whether a process runs across a partition, unnoticed, before a step and after (D9)."""
    return (
        before.replicas[replica].status == Status.RUNNING
        and after.replicas[replica].status == Status.RUNNING
        and any(
            before.replicas[replica].node == n for n in before.cluster.away & after.cluster.away
        )
        and not any(before.replicas[replica].node == n for n in after.cluster.lost)
    )


@step_property
def NothingCrosses(before: Confirms, after: Confirms) -> bool:
    """Nothing gets from one side of a partition to the other (A12.7, D9).

    What is on its way between a channel and a process, credit too, stays so until one has given up
    the other.  What a consumer has, and settles meanwhile, a queue does not get to know either.
    """
    return all(
        before.casts[c].publishes[r] <= after.casts[c].publishes[r]
        and before.casts[c].downs[r] == after.casts[c].downs[r]
        and (
            before.casts[c].credit[r].bumps <= after.casts[c].credit[r].bumps
            or not after.channels[c].open
        )
        for r in Replica
        if cut_off(before, after, r)
        for c in ChannelId
    ) and all(
        before.replicas[r].outbox <= after.replicas[r].outbox
        and before.replicas[r].refused <= after.replicas[r].refused
        and before.acks_across[r] <= after.acks_across[r]
        and (before.replicas[r].pending == after.replicas[r].pending or not before.tagged)
        and not any(
            before.subscriptions[c].at != r and after.subscriptions[c].at == r for c in Consumer
        )
        for r in Replica
        if cut_off(before, after, r)
    )


@step_property
def WhatWaitedArrives(before: Confirms, after: Confirms) -> bool:
    """What a client has acked across a partition arrives, unless its queue is given up (F1.4).

    Else somebody gets it again, and does again what was done.
    """
    return not any(
        (before.acks_across[r] - after.acks_across[r]) & after.replicas[r].holds()
        for r in Replica
        if not any(before.replicas[r].node == n for n in after.cluster.lost)
    )


@step_property
def GivenUpIsUnheard(before: Confirms, after: Confirms) -> bool:
    """When a node is given up, what is under way between it and the channels is lost (A9, A12.7).

    An answer that came through after all would be for a process that the channel has counted out,
    and an ack for a message that somebody else may have by now.
    """
    return not any(
        after.replicas[r].node == n
        and (
            after.replicas[r].outbox | after.replicas[r].refused
            or after.acks_across[r]
            or (before.tagged and before.replicas[r].pending != after.replicas[r].pending)
            or any(after.casts[c].publishes[r] | after.casts[c].as_mirrors[r] for c in ChannelId)
        )
        for n in after.cluster.lost - before.cluster.lost
        for r in Replica
    )


@helper
def led_last(s: Confirms, replica: Replica) -> bool:
    """Tell whether a process leads its queue, or nobody does and it was the last one (D8 L6)."""
    return s.replicas[replica].leads() or (
        s.replicas[replica].led()
        and s.replicas[replica].status == Status.DOWN
        and not any(
            s.replicas[x].leads() or (replica < x and s.replicas[x].led() and x not in s.trimmed)
            for x in s.siblings(replica)
        )
    )


@helper
def out_of_touch(before: Confirms, after: Confirms, master: Replica, mirror: Replica) -> bool:
    """Tell whether two processes are apart, and have not given each other up (D9).

    The master may be dead already.
    """
    return (
        led_last(before, master)
        and led_last(after, master)
        and before.replicas[master].status == after.replicas[master].status
        and before.replicas[mirror].status == Status.RUNNING
        and after.replicas[mirror].status == Status.RUNNING
        and not before.linked(master, mirror)
        and not after.linked(master, mirror)
        and not after.divided(master)
    )


@step_property
def MirrorsHearNothingAcross(before: Confirms, after: Confirms) -> bool:
    """A mirror hears nothing from the other side of a partition (D1.3, D9).

    It has still to hear what it was told, it does not join, and it is given nothing.  Nor is it
    taken out of the record there; and into the record comes nobody who has ended (A5.5).
    """
    enlisted = all(
        after.replicas[r].status == Status.RUNNING for r in after.enlisted - before.enlisted
    )
    trimmed = all(
        any(after.replicas[x].leads() and after.linked(x, r) for x in after.siblings(r))
        for r in after.trimmed - before.trimmed
    )
    return (
        enlisted
        and trimmed
        and all(
            before.multicast.copies[x] <= after.multicast.copies[x]
            and before.multicast.discards[x] <= after.multicast.discards[x]
            and before.multicast.refusals[x] <= after.multicast.refusals[x]
            and before.multicast.removals[x] <= after.multicast.removals[x]
            and before.replicas[x].joined == after.replicas[x].joined
            and (x not in before.unsynced or x in after.unsynced)
            for r in Replica
            for x in before.siblings(r)
            if out_of_touch(before, after, r, x)
        )
    )


@invariant
def GivenUpIsBenign(s: Confirms) -> bool:
    """Of a process that was given up nothing is heard but that its node is gone (A9, A12.7).

    What became of it across a partition nobody here knows.  A crash would be a reason to nack what
    its queue may have confirmed.
    """
    return all(
        s.casts[c].downs[r] is None or s.casts[c].downs[r] == Reason.BENIGN
        for c in ChannelId
        for r in Replica
        if any(s.replicas[r].node == n for n in s.cluster.lost)
    )


@invariant
def OnlyWhoIsCutOffIsGivenUp(s: Confirms) -> bool:
    """Nodes and mirrors give each other up across a partition, and till it is over (A12.4, D9).

    What comes apart a second time has to find that out again, and nobody has to stop for what is
    over.  The channels' own node is never on the other side.
    """
    return (
        s.cluster.lost <= s.cluster.away
        and (bool(s.cluster.away) or not s.cluster.estranged)
        and (bool(s.cluster.away) or s.cluster.losing == Side.NEITHER)
        and not any(s.home == n for n in s.cluster.away)
    )


@step_property
def OnlyMastersAreGivenUp(before: Confirms, after: Confirms) -> bool:
    """Mirrors give up a process that led last, and it gives up them, if there are any (D9).

    Whoever else is dead has nobody who waits for him.
    """
    return all(
        led_last(before, r) and bool(across(before, r))
        for r in after.cluster.estranged - before.cluster.estranged
    )


# -- who stops, and who goes on -------------------------------------------------------------------


@helper
def goes_on(s: Confirms, here: bool) -> bool:
    """Tell whether a process runs on that side of a partition (D9)."""
    return any(
        s.replicas[r].leads() or s.replicas[r].mirrors()
        for r in Replica
        if on_this_side(s, r) == here
    )


@helper
def has_to_stop(s: Confirms) -> bool:
    """Tell whether the channels' node is to pause, or to start again (A12.2, D9)."""
    minority = bool(s.cluster.lost) and 2 * len(s.cluster.lost) >= len(Node)
    return minority if s.cluster.pausing else s.cluster.losing == Side.HERE


@helper
def other_side_has_to_stop(s: Confirms) -> bool:
    """Tell whether the nodes on the other side are to pause, or to start again (A12.2, D9)."""
    minority = 2 * len(s.cluster.away) <= len(Node)
    return minority if s.cluster.pausing else s.cluster.losing == Side.THERE


@helper
def is_to_stop(s: Confirms, replica: Replica) -> bool:
    """Tell whether the node of a process is on a side that has to stop (A12.2, D9)."""
    return has_to_stop(s) if on_this_side(s, replica) else other_side_has_to_stop(s)


@step_property
def NothingOpensInMinority(before: Confirms, after: Confirms) -> bool:
    """No channel is opened on a node that pauses, or has to start again (A12.2, D9).

    Its clients would consume, and settle, what the other side has handed out as well.
    """
    return not has_to_stop(before) or not any(
        after.consuming[c].open and not before.consuming[c].open for c in ChannelId
    )


@step_property
def LoserIsChosenOnce(before: Confirms, after: Confirms) -> bool:
    """Which side has to start again is settled once, where nobody pauses, and somebody knows (D9).

    With a second choice both sides would begin with nothing.
    """
    known = bool(before.cluster.lost) or bool(before.cluster.estranged)
    chosen = before.cluster.losing == Side.NEITHER and known and not before.cluster.pausing
    kept = before.cluster.losing == after.cluster.losing
    return kept or chosen or not after.cluster.away


@step_property
def NobodyStopsForNothing(before: Confirms, after: Confirms) -> bool:
    """Whoever ends by itself is on the side that has to, or must not take over (A12.2, D5.3, D9).

    The side that goes on is the one that has what is acked from now on.
    """
    return all(
        is_to_stop(before, r)
        or (
            before.replicas[r].mirrors()
            and not any(
                before.replicas[x].leads() and before.knows(x, r) and x < r
                for x in before.siblings(r)
            )
        )
        for r in Replica
        if before.replicas[r].status == Status.RUNNING
        if after.replicas[r].status == Status.DOWN
        if r not in after.struck
    )


@helper
def waits_for_others(s: Confirms, replica: Replica) -> bool:
    """Tell whether a process was a master, and has ended by itself in this partition (D9)."""
    down = s.replicas[replica].status == Status.DOWN and replica not in s.struck
    return bool(s.cluster.away) and s.replicas[replica].led() and down


@step_property
def PausedWaitsForOthers(before: Confirms, after: Confirms) -> bool:
    """Where a master has stopped with its node, nothing starts in that partition (A12.2, D9).

    What it would confirm, the other side would know nothing of.
    """
    return not any(
        before.replicas[x].node == before.replicas[r].node
        for x in Replica
        if waits_for_others(before, x)
        for r in Replica
        if before.replicas[r].status == Status.DOWN
        if after.replicas[r].status == Status.RUNNING
    )


@eventually
def WhoStopsHasNoClients(s: Confirms) -> bool:
    """A node that pauses, or has to start again, breaks its clients' connections (A12.2, D9).

    They would wait for it, or settle what the other side has handed out as well.
    """
    return not has_to_stop(s) or not any(
        s.channels[c].open or (s.tagged and s.consuming[c].open) for c in ChannelId
    )


@eventually
def MinorityStops(s: Confirms) -> bool:
    """On a side without a majority nothing runs in the end, as long as they are apart (A12.2, D9).

    Two halves are two such sides.  A minority that goes on has masters of its own, whose messages
    are lost when the network is whole again.  Queues that share bodies have no nodes here.
    """
    few_here = 2 * len(s.cluster.away) >= len(Node)
    return not s.cluster.pausing or not any(
        s.replicas[r].status == Status.RUNNING
        and s.present(r)
        and not s.replicas[r].store.apart
        and (few_here if on_this_side(s, r) else other_side_has_to_stop(s))
        for r in Replica
        if s.cluster.away
    )


@step_property
def OneSideHasStopped(before: Confirms, after: Confirms) -> bool:
    """Sides that have gone on without each other, or of which one has to stop, do not meet (D9).

    There would be two masters, or a client that has consumed what the other side has, too.
    """
    stops = before.cluster.losing != Side.NEITHER
    met = bool(before.cluster.away - after.cluster.away)
    clients = any(
        before.channels[c].open or (before.tagged and before.consuming[c].open) for c in ChannelId
    )
    here = clients or goes_on(before, True)
    apart = bool(before.cluster.estranged) or stops
    return not met or not apart or not (here and goes_on(before, False))


@eventually
def LentComesToRest(s: Confirms) -> bool:
    """What nobody has any more has left its queue in the end, or is ready there (B7.2, B7.5).

    A partition may keep the queue from knowing; if it never did, the message would be lost in it.
    """
    return not s.tagged or not any(
        all(not s.places(c, m, r) for c in ChannelId)
        for r in Replica
        for m in s.replicas[r].pending
    )


# -- what must be possible ------------------------------------------------------------------------


@reachable
def HealedUnnoticed(before: Confirms, after: Confirms) -> bool:
    """A partition is over before anybody has given up anybody, and a queue has sides (A12.4)."""
    return (
        bool(before.cluster.away - after.cluster.away)
        and not before.cluster.lost
        and not before.cluster.estranged
        and any(before.channels[c].open for c in ChannelId)
        and goes_on(before, False)
    )


@reachable
def HealedWithThisSide(before: Confirms, after: Confirms) -> bool:
    """A partition is over after the other side of a queue has ended (A12.2, D9)."""
    return (
        bool(before.cluster.away - after.cluster.away)
        and bool(before.cluster.estranged)
        and goes_on(before, True)
    )


@reachable
def HealedWithThatSide(before: Confirms, after: Confirms) -> bool:
    """A partition is over after the channels' side of a queue has ended (A12.2, D9)."""
    return (
        bool(before.cluster.away - after.cluster.away)
        and bool(before.cluster.estranged)
        and goes_on(before, False)
    )


@reachable
def LoserIsChosenUnnoticed(s: Confirms) -> bool:
    """A side has to start again before the channels' node has given up anybody (A12.1, D9)."""
    return s.cluster.losing != Side.NEITHER and not s.cluster.lost
