"""What a publisher is told: once of each message, and of a return only if it asked for one.

The properties of an ack (`properties`) compare what a publisher knows before a step and after it.
One step may send several frames, and these are about all of them: what is said twice in one breath
leaves the same state as what is said once.
"""

from __future__ import annotations

from ackproof.lang import invariant, step_property
from ackproof.spec.sorts import ChannelId, Msg, Replica, Status, TxMode
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack, Nack


@invariant
def EachIsNamedOnce(s: Confirms) -> bool:
    """No two frames of one flush name a message, and none comes back twice (INV-A4, A6.7, A11.3).

    A client that takes each ack, nack and return for an event of its own handles the message twice,
    and where it publishes it again, it does so twice.
    """
    return not s.retold


@invariant
def OnlyMandatoryIsReturned(s: Confirms) -> bool:
    """What was routed nowhere comes back only if it was published as mandatory (A6.2, A6.4).

    A client that did not ask has no use for a return, and may have nobody who reads it.
    """
    return all(s.publishers[c].returned & s.unroutable <= s.mandatory for c in ChannelId)


@step_property
def LoneAckIsSingle(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """An ack with `multiple` is for several messages (A11.2).

    A client that looks up one message for a single ack searches all it keeps for the other kind.
    """
    acked = after.publishers[ack.channel].confirmed - before.publishers[ack.channel].confirmed
    return not ack.multiple or len(acked) > 1


@step_property
def NoAckAfterClose(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """A channel that is closed acks nothing (A14.1, A14.3).

    What its client was not told by then it takes for unknown, and deals with by other means.
    """
    return before.channels[ack.channel].open


@step_property
def NoNackAfterClose(before: Confirms, after: Confirms, nack: Nack) -> bool:
    """Nor does it nack anything (A14.1, A14.3).

    A number may be in use again by then, on the channel that was opened in its place.
    """
    return before.channels[nack.channel].open


@invariant
def OnlyWhatIsAskedForIsConfirmed(s: Confirms) -> bool:
    """No process answers for a message whose publisher does not wait for that (B2.1).

    It would do for each message what it has to do for some.
    """
    return all(
        m in s.publishers[Msg.owner(m)].sent
        or m in s.transactions[Msg.owner(m)].committing | s.transactions[Msg.owner(m)].committed
        or not s.channels[Msg.owner(m)].open
        for r in Replica
        for m in s.replicas[r].awaiting | s.replicas[r].outbox | s.replicas[r].refused
    )


@step_property
def OnlyWhatExistsIsRoutedTo(before: Confirms, after: Confirms) -> bool:
    """A message is routed to queues that are there, not to deleted ones (A5.4, A9.5).

    Nobody would answer for it there.
    """
    return all(
        after.replicas[r].status != Status.DELETED
        and (after.replicas[r].after is None or after.replicas[r].declared)
        for r in Replica
        for m in Msg
        if after.replicas[r].of in after.holders[m] - before.holders[m]
    )


@step_property
def WhoTellsStaysOpen(before: Confirms, after: Confirms, nack: Nack) -> bool:
    """A channel that nacks a message goes on (A10, INV-A12).

    Its publisher publishes again, and waits for what else it has published.
    """
    return after.channels[nack.channel].open


@invariant
def EachAnswerIsAskedFor(s: Confirms) -> bool:
    """A client gets one answer to a method, and none to what it has not asked (A1.5).

    It takes the next answer that comes for that to its next method, and each answer says to what it
    is one.  Of the end of a queue it hears once for each consumer, too (F3.3).  On a channel of the
    broker's own nothing is answered at all: no client has such a channel (Q12.2).
    """
    return not s.unasked


@invariant
def EachMethodIsAnswered(s: Confirms) -> bool:
    """A method is answered in the step in which it is processed; a commit may take longer (A1.5).

    Until then its client does nothing else on the channel.  A consumer that ends with its queue is
    told at once, too (F3.3).
    """
    return (
        not s.fetching
        and not s.uninformed
        and all(
            s.transactions[c].mode == TxMode.COMMITTING or s.transactions[c].mode == TxMode.FAILED
            for c in ChannelId
            if s.asking[c] is not None
        )
    )
