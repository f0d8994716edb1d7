"""Retries: what a program may rely on that publishes again until it is acked, and what not.

Here a message and its copies are one, as they are to the program.  What the broker promises of each
of them alone stands elsewhere, and says nothing of what a program makes of nacks and of channels
that end.
"""

from __future__ import annotations

from ackproof.lang import eventually, invariant, reachable, step_property
from ackproof.spec.sorts import ChannelId, Msg, Replica, Status
from ackproof.spec.system import Confirms


@invariant
def NothingIsGivenUp(s: Confirms) -> bool:
    """What was published is acked, or a copy of it is, or the program still sees to it (A14.3).

    Whoever takes silence, or a nack, for an answer has lost the message.
    """
    return all(
        m in s.acked() | s.retrier.pending
        or any(s.retrier.original[k] == m and k in s.acked() | s.retrier.pending for k in Msg)
        for c in ChannelId
        for m in s.publishers[c].sent
        if s.retrying and s.retrier.original[m] is None
    )


@invariant
def DoneMeansArrived(s: Confirms) -> bool:
    """When the program is done with a persistent message, its queues have it, or had it (C5, C5.3).

    It may be any of the copies, and a consumer may have had it.  This is *at least once*, from the
    one who publishes to the queue.
    """
    return all(
        any(
            q not in s.holders[k]
            or any(
                k in s.replicas[r].holds()
                if s.replicas[r].status == Status.RUNNING
                else s.recoverable(k, r)
                for r in Replica
                if s.replicas[r].of == q
            )
            for k in Msg
            if q in s.retrier.routes[k] and (k == m or s.retrier.original[k] == m)
        )
        for m in s.persistent
        if s.retrier.original[m] is None
        if not any(k == m or s.retrier.original[k] == m for k in s.retrier.pending)
        for q in s.retrier.routes[m]
        if all(s.replicas[r].durable for r in Replica if s.replicas[r].of == q)
    )


@invariant
def CopyIsAsPersistent(s: Confirms) -> bool:
    """A copy of a persistent message is persistent, and one of a transient message is not (C5.3).

    Who has asked for the disk once wants it for whichever copy is acked.
    """
    return all(
        (k in s.persistent) == (m in s.persistent) or k in s.unroutable
        for k in Msg
        for m in Msg
        if s.retrier.original[k] == m
    )


@invariant
def CopyIsAsMandatory(s: Confirms) -> bool:
    """A copy of a mandatory message is mandatory, and one of another message is not (C5.3, A6.2).

    Whoever has asked to hear of a message without a queue hears of it when the copy has none.
    """
    return all(
        (k in s.retrier.mandatory) == (m in s.retrier.mandatory)
        for k in Msg
        for m in Msg
        if s.retrier.original[k] == m
    )


@invariant
def MandatoryIsRemembered(s: Confirms) -> bool:
    """The program knows of each message whether it is to come back if it reaches no queue (A6.2).

    What it publishes again it publishes as it was asked to, and has nobody else to ask.
    """
    return all(
        (m in s.mandatory) == (m in s.retrier.mandatory)
        for c in ChannelId
        for m in s.publishers[c].sent
        if s.retrying
    )


@invariant
def OneOfThemIsAwaited(s: Confirms) -> bool:
    """The program waits for one answer to a message and its copies, to the latest of them (C5.3).

    Whoever waits for more waits for what never comes.
    """
    return all(
        m not in s.retrier.pending
        and (n == k or n not in s.retrier.pending or s.retrier.original[n] != m)
        for k in s.retrier.pending
        for m in Msg
        if s.retrier.original[k] == m
        for n in Msg
    )


@invariant
def AckedIsDone(s: Confirms) -> bool:
    """The program waits for nothing that is acked, by `multiple` either (A11.3, A11.5).

    Else it never comes to an end, and publishes again what is safe when its channel closes.
    """
    return not s.retrying or not s.retrier.pending & s.acked() - s.nacked()


@step_property
def RepeatedForACause(before: Confirms, after: Confirms) -> bool:
    """A message is published again if none of its copies is safe, nor under way (A14.3, INV-A12).

    That is, if each was nacked, or its channel has ended.  Each copy too many is a duplicate for
    nothing.
    """
    return all(
        before.retrier.original[k] == after.retrier.original[k]
        or all(
            m not in before.acked()
            and (m in before.nacked() or not before.channels[Msg.owner(m)].open)
            for m in Msg
            if m == after.retrier.original[k]
            or (m != k and after.retrier.original[m] == after.retrier.original[k])
        )
        for k in Msg
    )


@eventually
def WhatIsDueIsRepeated(s: Confirms) -> bool:
    """What may be lost is published again in the end, if a channel is there for it (C5.3).

    As long as there are numbers: an instance has few.
    """
    return not s.retrier.due or all(
        not s.channels[c].open or not s.channels[c].confirming or s.channels[c].next_seq is None
        for c in ChannelId
    )


@reachable
def ArrivesTwice(s: Confirms) -> bool:
    """A queue has a message and its copy: what was nacked, or not answered, had arrived (C5.3)."""
    return any(
        s.retrier.original[k] == m
        for r in Replica
        for m in s.replicas[r].holds()
        for k in s.replicas[r].holds()
    )


@reachable
def ArrivesLate(s: Confirms) -> bool:
    """A queue has a message's copy, and got one before it that was published after it (C5.3)."""
    return any(
        s.retrier.original[k] == m and m < n and n < k
        for r in Replica
        for n in s.replicas[r].holds()
        for k in s.replicas[r].holds()
        for m in set(Msg) - s.replicas[r].holds()
    )
