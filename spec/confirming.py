"""Confirming: what becomes of a message reaches its channel, and its channel tells the publisher.

The processes of the queues send confirms and rejects, and their ends are heard of.  What a channel
has made up its mind about it tells at the next flush, if its node may speak for the cluster
(A10.4).  A transactional channel acks nothing: instead of an ack for each message there is one
commit-ok when nothing is waited for, or the channel closes because something was refused (A13.4,
A13.5).
"""

from __future__ import annotations

from ackproof.lang import Set, action, handler, helper, on, require
from ackproof.spec.closing import Closing
from ackproof.spec.sorts import ChannelId, Msg, Reason, Replica, Status, TxMode
from ackproof.spec.wire import Ack, Complaint, Nack, Return

__all__ = ["Confirming"]


class Confirming(Closing):
    """The way back, from the queues to the publisher (A8-A11, A13)."""

    # -- from the processes to the channel ------------------------------------------------------

    @action(fair="weak")
    def confirm_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """A channel processes the confirms that a process has cast to it (A8.3, A8.5, A10.3).

        All that are under way at once: had they arrived one by one with a flush between, the
        process would have cast the later ones later.
        """
        confirms = set(self.of_channel(self.replicas[replica].outbox, channel))
        require(bool(confirms) and self.reaches(replica))
        if self.counts(replica):
            self.accepted_by(channel, replica, confirms)
        else:
            self.noted_by(channel, replica, confirms)
        self.replicas[replica].posted(confirms)

    @helper
    def counts(self, replica: Replica) -> bool:
        """Tell whether a process's confirm is its queue's, if no other one confirms (D5.3, D7.4).

        That of an unsynchronised mirror is not: it never takes over, and stops when it is left.
        RabbitMQ counts it, and acks what goes with that mirror [derived].
        """
        return replica not in self.unsynced or not self.mirrored(replica)

    @handler
    def accepted_by(self, channel: ChannelId, replica: Replica, confirms: Set[Msg]) -> None:
        """A process has confirmed (A8.3)."""
        siblings = set(self.siblings(replica))
        for msg in confirms:
            waited = siblings & self.channels[channel].unconfirmed[msg]
            if replica in waited or not waited:
                self.unaccepted[msg].discard(self.replicas[replica].of)
            self.channels[channel].settle(msg, replica, siblings)
            if self.mirrored(replica):
                self.vouchers[msg].add(replica)
                self.owing[msg].discard(replica)

    @handler
    def noted_by(self, channel: ChannelId, replica: Replica, confirms: Set[Msg]) -> None:
        """One has confirmed that does not count: if no other does, that is a nack (D5.3)."""
        siblings = set(self.siblings(replica))
        for msg in confirms:
            if replica in self.channels[channel].unconfirmed[msg]:
                self.excused.add(msg)
            self.channels[channel].note(msg, replica, siblings)
            self.owing[msg].discard(replica)
        self.note_rejects(channel)

    @action(fair="weak")
    def reject_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """A channel processes the rejects that a process has cast to it (A8.4).

        One decides for a whole transaction (A13.5).
        """
        rejects = set(self.of_channel(self.replicas[replica].refused, channel))
        require(bool(rejects) and self.reaches(replica))
        for msg in rejects:
            self.channels[channel].reject(msg, replica)
        self.replicas[replica].rejected(rejects)
        self.note_rejects(channel)

    @action(fair="weak")
    def down_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """A channel learns that a process is gone, after all it sent (A9, A13.5, D5.7, O1)."""
        reason = self.casts[channel].downs[replica]
        require(reason is not None)
        require(not self.last_words(channel, replica))
        self.casts[channel].heard(replica)
        siblings = set(self.siblings(replica))
        if reason is not None:
            self.channels[channel].process_down(replica, reason, siblings)
        deleted = reason == Reason.NORMAL and self.replicas[replica].status == Status.DELETED
        for msg in Msg.of(channel):
            self.owing[msg].discard(replica)
            if deleted and self.replicas[replica].led():
                self.refusing[msg].discard(self.replicas[replica].of)
            taken = deleted and self.of_client(channel)
            if taken and not siblings & self.channels[channel].unconfirmed[msg]:
                self.unaccepted[msg].discard(self.replicas[replica].of)
        self.note_rejects(channel)
        self.forget_credit(channel, replica)

    @helper
    def last_words(self, channel: ChannelId, replica: Replica) -> bool:
        """Tell whether a channel has still to hear what a process has sent: bumps, too (O1)."""
        if self.given_up(replica):
            return False
        return (
            self.apart(replica)
            or self.casts[channel].credit[replica].bumps > 0
            or bool(self.of_channel(self.replicas[replica].outbox, channel))
            or bool(self.of_channel(self.replicas[replica].refused, channel))
        )

    @handler
    def note_rejects(self, channel: ChannelId) -> None:
        """A commit has failed if any of its messages was rejected (A13.5)."""
        committing = self.transactions[channel].mode == TxMode.COMMITTING
        if self.channels[channel].rejected and committing:
            self.transactions[channel].fail()

    # -- from the channel to the publisher ------------------------------------------------------

    @helper
    def may_tell(self, channel: ChannelId) -> bool:
        """Tell whether the node of a channel may speak for the cluster (A10.4, A12.2, A12.4)."""
        return self.cluster.may_confirm()

    @handler
    def has_asked(self, channel: ChannelId) -> None:
        """A channel has asked; whoever keeps the answer for later (A12.3) overrides this."""

    @action(fair="weak")
    def flush(self, channel: ChannelId) -> None:
        """A channel tells its publisher what is settled, when it gets to it (A10.1, A10.2, A13.4).

        If its node may speak for the cluster.  In a transaction it acks nothing.
        """
        require(self.transactions[channel].mode == TxMode.NONE)
        require(self.may_tell(channel))
        require(bool(self.channels[channel].confirmed) or bool(self.channels[channel].rejected))
        self.has_asked(channel)
        self.nacked_now[channel].clear()
        self.named_now[channel].clear()
        self.channels[channel].flush()
        self.nacked_now[channel].clear()
        self.named_now[channel].clear()

    @action(fair="weak")
    def complete(self, channel: ChannelId) -> None:
        """Nothing is waited for any more: commit-ok, or the channel closes (A13.4, A13.5).

        Not while the node of the channel may not speak for the cluster (A12.6).
        """
        require(not self.transactions[channel].answers())
        require(not self.channels[channel].unconfirmed)
        require(self.may_tell(channel))
        self.has_asked(channel)
        if self.transactions[channel].mode == TxMode.FAILED:
            self.complain(channel, Complaint.PARTIAL_COMPLETION)
        else:
            self.channels[channel].confirmed.clear()
            self.transactions[channel].complete()

    # -- what the publisher makes of it ---------------------------------------------------------

    @helper
    def named_by(self, tag: Msg, multiple: bool) -> Set[Msg]:
        """Return the numbers that a frame speaks of, settled ones included (A11.5)."""
        return {m for m in Msg.of(Msg.owner(tag)) if multiple and m < tag} | {tag}

    @on(Ack)
    def sees_ack(self, ack: Ack) -> None:
        """A publisher reads an ack (A11.5)."""
        if self.nacked_now[ack.channel]:
            self.acked_late.add(ack.tag)
        if ack.tag in self.named_now[ack.channel]:
            self.retold.add(ack.tag)
        self.named_now[ack.channel].add(ack.tag)
        self.publishers[ack.channel].sees_ack(ack.tag, ack.multiple)
        if self.retrying:
            self.retrier.sees_ack(set(self.named_by(ack.tag, ack.multiple)))
        if not self.of_client(ack.channel):
            self.courier.sees_ack(set(self.named_by(ack.tag, ack.multiple)))

    @on(Nack)
    def sees_nack(self, nack: Nack) -> None:
        """A publisher reads a nack (A11.5)."""
        self.nacked_now[nack.channel].add(nack.tag)
        if nack.tag in self.named_now[nack.channel]:
            self.retold.add(nack.tag)
        self.named_now[nack.channel].add(nack.tag)
        self.publishers[nack.channel].sees_nack(nack.tag, nack.multiple)
        if self.retrying:
            self.retrier.sees_nack(set(self.named_by(nack.tag, nack.multiple)))
        if not self.of_client(nack.channel):
            self.courier.sees_nack(set(self.named_by(nack.tag, nack.multiple)))

    @on(Return)
    def sees_return(self, ret: Return) -> None:
        """A publisher reads a return (A6.7)."""
        if ret.msg is not None:
            if ret.msg in self.publishers[ret.channel].returned:
                self.retold.add(ret.msg)
            self.publishers[ret.channel].sees_return(ret.msg)
