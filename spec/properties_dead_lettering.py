"""Dead-lettering at least once: what publishers, and readers of the dead, may rely on (Q12).

What the broker promises of each message stands elsewhere, and holds of copies as of any.  Here a
message and its copies are looked at together: nothing that was kept gets lost between the two, and
no queue gets a message twice without a cause.
"""

from __future__ import annotations

from ackproof.lang import Set, eventually, helper, invariant, reachable, step_property
from ackproof.spec.sorts import ChannelId, Msg, Queue, Replica, Status
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Return


@helper
def has(s: Confirms, queue: Queue, msg: Msg) -> bool:
    """Tell whether a queue has a message, or will have it when it is there again (C5)."""
    return any(
        msg in s.replicas[r].holds()
        if s.replicas[r].status == Status.RUNNING
        else s.recoverable(msg, r)
        for r in Replica
        if s.replicas[r].of == queue
    )


@helper
def copies(s: Confirms, dead: Msg, queue: Queue) -> Set[Msg]:
    """Return the copies of a message that were published for its queue (Q12.2)."""
    return {
        k
        for k in Msg
        if s.courier.original[k] == dead and s.channels[Msg.owner(k)].carries_for == queue
    }


@helper
def has_accepted(s: Confirms, queue: Queue, msgs: Set[Msg]) -> bool:
    """Tell whether a queue has confirmed one of these, where that was asked for (Q12.2)."""
    return any(
        queue in s.holders[k] and queue not in s.unaccepted[k]
        for k in msgs
        if k in s.publishers[Msg.owner(k)].sent
    )


@helper
def has_arrived(s: Confirms, dead: Msg, queue: Queue) -> bool:
    """Tell whether others have what has died in a queue (Q12.2, Q12.5).

    A copy was acked to the queue; or some have confirmed, and all that are left of those where it
    is to go are among them.
    """
    return any(k in s.acked() for k in copies(s, dead, queue)) or (
        any(has_accepted(s, q, copies(s, dead, queue)) for q in Queue)
        and all(
            has_accepted(s, q, copies(s, dead, queue)) or not s.exists(q)
            for r in Replica
            if s.replicas[r].of == queue
            for q in s.graves(r)
        )
    )


@helper
def is_fetched_back(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """Tell whether a process of the queue that a channel belongs to starts again (Q12.4)."""
    return any(
        before.replicas[r].status == Status.DOWN and after.replicas[r].status == Status.RUNNING
        for r in Replica
        if before.replicas[r].of == before.channels[channel].carries_for
    )


@invariant
def DeadIsKeptUntilOthersHaveIt(s: Confirms) -> bool:
    """What dies in a queue is there, or the queues where the dead go have a copy (Q12.2).

    That is, while the queue is there, and if the message is one that outlives a crash.  Whoever was
    acked has given the message away, and nobody else has it.
    """
    return all(
        has(s, q, m) or has_arrived(s, m, q)
        for q in Queue
        for m in s.dead[q] & s.persistent & s.acked() - s.purged[q]
        if all(s.replicas[r].durable for r in Replica if s.replicas[r].of == q)
        if s.exists(q)
    )


@step_property
def UntakenIsKeptUntilOthersHaveIt(before: Confirms, after: Confirms) -> bool:
    """Nothing leaves a queue that dead-letters and runs, but for a cause (Q12.2).

    What is ready a consumer gets, or the queue is purged; of what was set aside others have a copy.
    What expires is no less the broker's to keep than what is ready.
    """
    return all(
        m in after.replicas[r].holds()
        or m in after.purged[before.replicas[r].of]
        or has_arrived(before, m, before.replicas[r].of)
        or (m in before.replicas[r].ready and is_handed_out(before, after))
        for r in Replica
        if before.dead_letters(r) and before.replicas[r].leads() and after.replicas[r].leads()
        for m in before.replicas[r].ready | before.replicas[r].aside
    )


@helper
def is_handed_out(before: Confirms, after: Confirms) -> bool:
    """Tell whether a client gets a message in a step: it takes a delivery tag (F1.1)."""
    return any(before.consuming[c].last_tag != after.consuming[c].last_tag for c in ChannelId)


@step_property
def DeadGoToAllTheirQueues(before: Confirms, after: Confirms) -> bool:
    """A copy is published to each queue where the dead go, as far as it is there (Q12.2).

    To one at least: what goes nowhere is acked at once (A7.2), and nobody has it.  Those that have
    confirmed a copy before may be left out, as RabbitMQ does (Q12.3).
    """
    return all(
        before.courier.original[k] == after.courier.original[k]
        or (
            bool(after.holders[k])
            and all(
                q in after.holders[k]
                or has_accepted(before, q, copies(before, dead, before.replicas[r].of))
                if q in before.graves(r) and before.exists(q)
                else q not in after.holders[k]
                for dead in Msg
                if after.courier.original[k] == dead
                for q in Queue
                for r in Replica
                if before.carries_for(Msg.owner(k), r)
            )
        )
        for k in Msg
    )


@step_property
def CopiedForACause(before: Confirms, after: Confirms) -> bool:
    """What is set aside is published again if its copies were nacked, or forgotten (Q12.3, Q12.4).

    What has merely not been answered is under way.  Each copy too many is a duplicate for nothing.
    """
    return all(
        before.courier.original[k] == after.courier.original[k]
        or all(
            j in before.nacked() | before.courier.abandoned
            for j in Msg
            if before.courier.original[j] == after.courier.original[k]
            if before.channels[Msg.owner(j)].carries_for == after.channels[Msg.owner(k)].carries_for
        )
        for k in Msg
    )


@step_property
def ForgottenWithTheirQueue(before: Confirms, after: Confirms) -> bool:
    """What is under way is forgotten when the process of its queue starts again (Q12.4).

    And not before: a queue that goes on waits for its answers.
    """
    return all(
        before.courier.original[k] is not None and is_fetched_back(before, after, Msg.owner(k))
        for k in after.courier.abandoned
        if k not in before.courier.abandoned
    )


@invariant
def CopyOfTheDeadIsAsPersistent(s: Confirms) -> bool:
    """A copy is persistent if what died is, and only then (Q12.2).

    Whoever has asked for the disk once wants it wherever the message gets to.
    """
    return all(
        (k in s.persistent) == (m in s.persistent)
        for m in Msg
        for q in Queue
        for k in copies(s, m, q)
    )


@step_property
def DeadAreHandedToNobody(before: Confirms, after: Confirms) -> bool:
    """What has died in a queue no consumer gets from it any more, after a crash either (Q12.4).

    It is on its way elsewhere: who has it, has it twice.  While the process runs it is so of all
    that is set aside; after a crash, of what was to be on the disk.
    """
    return not any(
        m in after.replicas[r].ready | after.replicas[r].pending
        for r in Replica
        if before.replicas[r].status == Status.RUNNING
        for m in before.replicas[r].aside
    ) and not any(
        m in after.replicas[r].pending and m not in before.replicas[r].pending
        for r in Replica
        for m in before.dead[before.replicas[r].of] & before.persistent
        if before.replicas[r].durable
    )


@invariant
def SetAsideHasDied(s: Confirms) -> bool:
    """What is set aside is one of those that have died in its queue (Q12.2).

    All else that is said of the dead is said of these.
    """
    return all(s.replicas[r].aside <= s.dead[s.replicas[r].of] for r in Replica)


@invariant
def OnlyWhoPassesOnSetsAside(s: Confirms) -> bool:
    """A queue that does not dead-letter sets nothing aside (Q12.1).

    Nobody would pass it on, and no consumer would get it.
    """
    return all(
        not s.replicas[r].aside
        or any(s.channels[c].carries_for == s.replicas[r].of for c in ChannelId)
        for r in Replica
    )


@invariant
def CouriersHaveNoClient(s: Confirms) -> bool:
    """What is published on a channel of the broker's own is a copy, and nothing comes (Q12.2).

    A client knows nothing of such a channel; it would take numbers that the courier counts.
    """
    return not any(
        s.channels[c].carries_for is not None
        and (
            any(
                s.courier.original[m] is None
                for m in Msg.of(c)
                if m in s.publishers[c].sent or m in s.plain
            )
            or s.consuming[c].last_tag is not None
        )
        for c in ChannelId
    )


@step_property
def CouriersEndWithTheirNode(before: Confirms, after: Confirms) -> bool:
    """A channel of the broker's own ends when its node does, and for no other cause (Q12.2).

    No client has it, who could close it or do anything wrong there.
    """
    return all(
        after.channels[c].open or not before.channels[c].open
        for c in ChannelId
        if before.channels[c].carries_for is not None
        if any(after.replicas[r].status == Status.RUNNING for r in Replica)
    )


@step_property
def CopiesKeepTheirOriginal(before: Confirms, after: Confirms) -> bool:
    """A message is a copy of what it was published for, and of nothing else later (Q12.2).

    The ack that the one was waiting for would count for the other.
    """
    return all(
        before.courier.original[k] is None
        or before.courier.original[k] == after.courier.original[k]
        for k in Msg
    )


@step_property
def CouriersAreReturnedNothing(before: Confirms, after: Confirms, ret: Return) -> bool:
    """No message comes back on a channel of the broker's own (Q12.2).

    A copy is published only if there is a queue for it, so nobody would know what came back.
    """
    return before.channels[ret.channel].carries_for is None


@eventually
def DeadArePassedOn(s: Confirms) -> bool:
    """What is set aside gets to the queues where the dead go, in the end, if there is one (Q12.2).

    As long as there are numbers: an instance has few.
    """
    return all(
        not s.replicas[r].aside
        or not any(s.exists(q) for q in s.graves(r))
        or all(
            not s.channels[c].open or s.channels[c].next_seq is None
            for c in ChannelId
            if s.carries_for(c, r)
        )
        for r in Replica
        if s.replicas[r].leads()
    )


@reachable
def DeadArriveTwice(s: Confirms) -> bool:
    """A queue has two copies of one message: the first was not known to be there (Q12.4)."""
    return any(
        k in s.replicas[r].holds() and j in s.replicas[r].holds()
        for r in Replica
        for m in Msg
        for q in Queue
        for k in copies(s, m, q)
        for j in copies(s, m, q)
        if k < j
    )


@reachable
def DeadAreRefused(s: Confirms) -> bool:
    """A copy is nacked, and the original is where it was (Q12.3)."""
    return any(
        m in s.replicas[r].aside and k in s.nacked()
        for r in Replica
        for m in Msg
        for k in copies(s, m, s.replicas[r].of)
    )
