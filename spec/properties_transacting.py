"""What a transaction promises, and what it does not.

The promise is made by commit-ok, and is that of an ack: each queue has taken responsibility.
Before the commit there is nothing, and after a rollback there never was.  What a failed commit
leaves behind is not promised either way; that it may leave something is among the situations that
must be reachable.
"""

from __future__ import annotations

from ackproof.lang import eventually, helper, invariant, reachable, step_property
from ackproof.spec.sorts import ChannelId, Msg, Replica, Status, TxMode
from ackproof.spec.system import Confirms
from ackproof.spec.wire import (
    Ack,
    ChannelClose,
    CommitOk,
    Complaint,
    Nack,
    Return,
    RollbackOk,
)

# -- which mode ---------------------------------------------------------------------------------


@invariant
def ConfirmXorTransaction(s: Confirms) -> bool:
    """A channel is transactional or in confirm mode, and never both (INV-A1).

    Either way the client waits for an answer, and it must know for which one.
    """
    return all(
        s.transactions[c].mode == TxMode.NONE or not s.channels[c].confirming for c in ChannelId
    )


@step_property
def NoAckInTransaction(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """A transactional channel acks nothing (A13.4).

    Its one answer is commit-ok, and its client does not count messages.
    """
    return before.transactions[ack.channel].mode == TxMode.NONE


@step_property
def NoNackInTransaction(before: Confirms, after: Confirms, nack: Nack) -> bool:
    """Nor does it nack anything (A13.5).

    A client that is not told which message was refused must take none for granted: it closes.
    """
    return before.transactions[nack.channel].mode == TxMode.NONE


@step_property
def NoReturnInTransaction(before: Confirms, after: Confirms, ret: Return) -> bool:
    """A transactional channel returns at a commit what is mandatory and has no queue (A13.3).

    Not before: a rollback would make of it the return of a message that never was.
    """
    transaction = before.transactions[ret.channel]
    return transaction.mode == TxMode.NONE or (
        after.transactions[ret.channel].mode == TxMode.COMMITTING
        and any(
            not after.holders[m] and (m in before.mandatory or bool(transaction.routes[m]))
            for m in transaction.batch & transaction.mandatory
        )
    )


@step_property
def PlainIsOfNoMode(before: Confirms, after: Confirms) -> bool:
    """A message that nobody will confirm was published outside of any mode (A4.1, A7.1, B2.1).

    Its publisher has not asked for confirms, nor for a transaction, and will miss neither.
    """
    return all(
        before.channels[Msg.owner(m)].open
        and not before.channels[Msg.owner(m)].confirming
        and before.transactions[Msg.owner(m)].mode == TxMode.NONE
        for m in after.plain - before.plain
    )


@invariant
def ClosedHasNoTransaction(s: Confirms) -> bool:
    """A channel that is closed is in no transaction (A13.7).

    Another one may be opened in its place, and its client has asked for none.
    """
    return all(s.channels[c].open or s.transactions[c].mode == TxMode.NONE for c in ChannelId)


@invariant
def OverIsForgotten(s: Confirms) -> bool:
    """A channel keeps messages for a commit while a transaction is open (A13.3, A13.7).

    What it kept for longer the next commit would publish, or return.
    """
    return all(
        s.transactions[c].mode == TxMode.OPEN
        or (
            not (s.transactions[c].batch | s.transactions[c].mandatory)
            and not any(s.transactions[c].routes[m] for m in Msg)
        )
        for c in ChannelId
    )


@step_property
def NothingFallsOut(before: Confirms, after: Confirms) -> bool:
    """What is in a transaction stays there until it is committed or taken back (A1.3, A13).

    Its client is told of all messages at once, and nobody says how many there were.
    """
    return all(
        m in after.transactions[c].batch | after.transactions[c].committing
        or m in after.transactions[c].committed | after.transactions[c].abandoned
        or not after.channels[c].open
        for c in ChannelId
        for m in before.transactions[c].batch
    )


@step_property
def ClosesOnce(before: Confirms, after: Confirms, close: ChannelClose) -> bool:
    """A channel that is closed already is not closed again (A2.4, A2.6).

    By then a client may have opened another one in its place.
    """
    if close.complaint == Complaint.UNKNOWN_TAG:
        return before.consuming[close.channel].open
    return before.channels[close.channel].open


@step_property
def ComplaintIsTrue(before: Confirms, after: Confirms, close: ChannelClose) -> bool:
    """A channel that closes says why: it was in no mode, in the wrong one, or failed (A1.2-A1.4).

    A client that is told of a failed commit has to find out what became of its messages (A13.5).
    """
    mode = before.transactions[close.channel].mode
    confirming = before.channels[close.channel].confirming
    return (
        (close.complaint != Complaint.PARTIAL_COMPLETION or mode == TxMode.FAILED)
        and (close.complaint != Complaint.NOT_TRANSACTIONAL or mode == TxMode.NONE)
        and (close.complaint != Complaint.TX_TO_CONFIRM or mode != TxMode.NONE)
        and (close.complaint != Complaint.CONFIRM_TO_TX or confirming)
    )


# -- what a commit is worth -----------------------------------------------------------------------


@invariant
def CommitMeansAccepted(s: Confirms) -> bool:
    """Each message of a commit that was answered was accepted by its queues (A13.4, INV-A11).

    A queue that was deleted counts as one that has accepted (A9.3).
    """
    return all(not s.unaccepted[m] for c in ChannelId for m in s.transactions[c].committed)


@step_property
def NoCommitBeforeDurable(before: Confirms, after: Confirms, ok: CommitOk) -> bool:
    """At commit-ok, persistent messages are on disk wherever they must be (INV-B5, INV-C1).

    What is in the way of a crash then is not the commit's business any more.
    """
    return all(
        after.synced(m, r) or not after.replicas[r].durable
        for m in before.transactions[ok.channel].committing & after.persistent
        for r in after.answering(m)
    )


@invariant
def CommittedSurvives(s: Confirms) -> bool:
    """A committed persistent message is in its queues, or can be recovered (C5).

    This is what transactions are used for; that it is also all they do surprises many.
    """
    return all(
        m in s.replicas[r].holds()
        if s.replicas[r].status == Status.RUNNING
        else s.recoverable(m, r)
        for c in ChannelId
        for m in s.transactions[c].committed & s.persistent
        for r in s.answering(m)
        if s.replicas[r].durable
    )


@step_property
def FailedCommitCloses(before: Confirms, after: Confirms, ok: CommitOk) -> bool:
    """A commit of which anything was refused is never answered by commit-ok (A13.5).

    It ends with the channel, so the client cannot take one transaction's failure for another's.
    """
    committing = before.transactions[ok.channel].mode == TxMode.COMMITTING
    return committing and not before.channels[ok.channel].rejected


@invariant
def CommitFailsOnlyWithCause(s: Confirms) -> bool:
    """A commit fails because a queue went down or refused a message (INV-A12, A13.5).

    A queue that was deleted is no cause, as it is none for a nack.
    """
    return all(
        bool(s.channels[c].rejected) and s.channels[c].rejected <= s.excused
        for c in ChannelId
        if s.transactions[c].mode == TxMode.FAILED
    )


@invariant
def FailureIsNoticed(s: Confirms) -> bool:
    """As soon as anything is rejected, the transaction has failed (A13.5).

    What is settled later must not make it look complete.
    """
    return all(
        s.transactions[c].mode != TxMode.COMMITTING or not s.channels[c].rejected for c in ChannelId
    )


# -- before a commit, and without one -------------------------------------------------------------


@invariant
def NothingBeforeCommit(s: Confirms) -> bool:
    """Of an open transaction nothing is in a queue, or on its way to one (A13.1).

    Then a rollback has nothing to undo.
    """
    return not any(s.left_a_trace(m) for c in ChannelId for m in s.transactions[c].batch)


@invariant
def RollbackLeavesNoTrace(s: Confirms) -> bool:
    """What was rolled back, or in an open transaction at a close, never was (A13.6, A13.7).

    A client may publish it again, and it will not be there twice.
    """
    return not any(s.left_a_trace(m) for c in ChannelId for m in s.transactions[c].abandoned)


@invariant
def CommitSettles(s: Confirms) -> bool:
    """What a client had settled in a transaction takes effect when that commits (A13.3).

    Nothing of it is kept for the next one, whose rollback would bring it back, and no note of what
    is to come back outlasts it.  Where no transaction is open on the client's own channel, nothing
    is kept either, for nothing would have it take effect.
    """
    return all(
        s.consuming[c].returning <= set(s.consuming[c].collected)
        and (not s.consuming[c].collected or is_open(s, c))
        for c in ChannelId
    )


@helper
def is_open(s: Confirms, channel: ChannelId) -> bool:
    """Tell whether what a client settles on a channel is part of a transaction (A13.2)."""
    return s.shared and s.transactions[channel].mode == TxMode.OPEN


@step_property
def RollbackUnsettles(before: Confirms, after: Confirms, ok: RollbackOk) -> bool:
    """What a client had settled in a transaction is unacked again after its rollback (A13.6).

    It may settle it another way now, and if it does not, it comes back.
    """
    return all(
        after.consuming[ok.channel].unacked[t] is not None
        for t in before.consuming[ok.channel].collected
    )


@eventually
def EveryCommitAnswers(s: Confirms, channel: ChannelId) -> bool:
    """A commit is answered in the end, one way or the other (A13.4, A13.5).

    Until then the channel takes no method, so the client can do nothing but wait.
    """
    return s.transactions[channel].answers()


# -- what must be possible ------------------------------------------------------------------------


@reachable
def SeveralCommitted(before: Confirms, after: Confirms, ok: CommitOk) -> bool:
    """One commit-ok answers for several messages (A13.4)."""
    return len(before.transactions[ok.channel].committing) > 1


@reachable
def TransientCommitted(before: Confirms, after: Confirms, ok: CommitOk) -> bool:
    """A commit-ok answers for a message that no disk has (A13.4, B2.3)."""
    return any(
        m not in after.persistent and bool(after.holders[m])
        for m in before.transactions[ok.channel].committing
    )


@reachable
def NothingCommitted(before: Confirms, after: Confirms, ok: CommitOk) -> bool:
    """A commit of nothing is answered, too (A13.4)."""
    return not before.transactions[ok.channel].committing


@reachable
def CommitsPersistent(before: Confirms, after: Confirms, ok: CommitOk) -> bool:
    """A persistent message is committed (A13.1): it was known to be so since it was published."""
    return any(m in before.persistent for m in before.transactions[ok.channel].committing)


@reachable
def ReturnedAtCommit(before: Confirms, after: Confirms, ret: Return) -> bool:
    """A message had a queue when it was published, and none when it was committed (A13.3, A5.4)."""
    transaction = before.transactions[ret.channel]
    return after.transactions[ret.channel].mode == TxMode.COMMITTING and any(
        transaction.routes[m] for m in transaction.mandatory
    )


@reachable
def FailedYetStored(before: Confirms, after: Confirms, close: ChannelClose) -> bool:
    """A commit has failed, and a queue has one of its messages all the same (A13.5)."""
    return close.complaint == Complaint.PARTIAL_COMPLETION and any(
        m in after.replicas[r].holds()
        for m in before.transactions[close.channel].committing
        for r in after.answering(m)
    )


@reachable
def ReturnedWithoutNumber(before: Confirms, after: Confirms, ret: Return) -> bool:
    """A mandatory message comes back that was published outside of any mode (A4.2, A6.2)."""
    return ret.msg is None and before.transactions[ret.channel].mode == TxMode.NONE


@reachable
def ArrivesWithoutConfirm(s: Confirms) -> bool:
    """A queue has a message that nobody will confirm (A7.1, B2.1)."""
    return any(m in s.replicas[r].ready for m in s.plain for r in Replica)


@reachable
def SwitchToConfirmRefused(before: Confirms, after: Confirms, close: ChannelClose) -> bool:
    """A transactional channel is asked for confirm mode, and closes (A1.2)."""
    return close.complaint == Complaint.TX_TO_CONFIRM


@reachable
def SwitchToTransactionsRefused(before: Confirms, after: Confirms, close: ChannelClose) -> bool:
    """A confirming channel is asked for transactions, and closes with acks under way (A1.3)."""
    under_way = bool(before.channels[close.channel].unconfirmed)
    return close.complaint == Complaint.CONFIRM_TO_TX and under_way


@reachable
def CommitWithoutTransaction(before: Confirms, after: Confirms, close: ChannelClose) -> bool:
    """A channel that is not transactional is asked to commit or to roll back (A1.4)."""
    return close.complaint == Complaint.NOT_TRANSACTIONAL
