"""Renewed queues: what the end of one says nothing of.

A name may be given again while the channel has still to hear that the queue which had it is gone.
That an acked message was accepted by its queue, and not by another one that had its name before, is
`AckMeansAccepted`: for that, too, each is a queue of its own.
"""

from __future__ import annotations

from ackproof.lang import invariant, reachable, step_property
from ackproof.spec.sorts import ChannelId, Reason, Replica, Status
from ackproof.spec.system import Confirms


@step_property
def EndConfirmsItsOwn(before: Confirms, after: Confirms) -> bool:
    """What the end of a process confirms has waited for a process of its queue (A9.3, A9.5).

    Nobody else has said anything of a message that waits for another queue alone, and what its
    publisher takes for safe may be refused.
    """
    return all(
        any(
            before.replicas[x].of == before.replicas[r].of
            for x in before.channels[c].unconfirmed[m]
        )
        for c in ChannelId
        for r in Replica
        if before.casts[c].downs[r] is not None and after.casts[c].downs[r] is None
        for m in after.channels[c].confirmed - before.channels[c].confirmed
    )


@invariant
def OneQueueOfAName(s: Confirms) -> bool:
    """A queue is declared under the name of another one only when that is deleted (A9.5).

    Of two queues of one name routing would find one, and consumers might be at the other.
    """
    return all(
        s.replicas[r].status == Status.DELETED
        for x in Replica
        if s.replicas[x].declared
        for r in Replica
        if s.replicas[x].after == s.replicas[r].of
    )


@reachable
def EndIsNewsToTheNext(s: Confirms) -> bool:
    """A channel has still to hear of a queue's end, and waits for the next of its name (A9.5)."""
    return any(
        s.casts[c].downs[r] == Reason.NORMAL and s.replicas[x].after == s.replicas[r].of
        for c in ChannelId
        for m in s.channels[c].unconfirmed
        for x in s.channels[c].unconfirmed[m]
        for r in Replica
    )
