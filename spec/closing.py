"""Closing: how a channel ends, and what ends with it.

A channel closes when its client says so, when its connection breaks, when its node pauses, or when
the client asks for what it must not.  What was not told by then is never told (A14.1), what was not
committed never was (A13.7), and what was delivered on it and not settled is back in its queues at
once (F3.2).  In RabbitMQ some queues may notice later than others, unless the client closes in an
orderly way.
"""

from __future__ import annotations

from ackproof.lang import Option, action, fault, handler, on, require
from ackproof.spec.consuming import Consuming
from ackproof.spec.sorts import ChannelId, Method, Tag
from ackproof.spec.wire import (
    ChannelClose,
    CommitOk,
    Complaint,
    ConsumerAck,
    RollbackOk,
    SelectOk,
    TxSelectOk,
)

__all__ = ["Closing"]


class Closing(Consuming):
    """Channels end (A2, A14, B7.5, F1.3, F3)."""

    @handler
    def shut_down(self, channel: ChannelId) -> None:
        """A channel forgets what it has to tell, its transaction, and its credit (A13.7, A14.1)."""
        self.channels[channel].close()
        self.transactions[channel].close()
        self.settle_accounts(channel)
        self.asking[channel] = None
        if self.retrying:
            self.retrier.loses(channel)

    @handler
    def close_channel(self, channel: ChannelId) -> None:
        """A channel ends, whatever the reason, and its consumers with it (A13.7, A14.1, F3.2)."""
        self.shut_down(channel)
        if self.shared:
            self.end_consumers(channel)

    @handler
    def complain(self, channel: ChannelId, complaint: Complaint) -> None:
        """Close a channel, and say why (A2.1, A2.4)."""
        self.emit(ChannelClose(channel, complaint))
        self.close_channel(channel)

    @fault
    def close(self, channel: ChannelId) -> None:
        """A channel closes, or its connection breaks; the queues go on (A14, A14.4).

        So it does when a publish fails one of its guards: nothing is routed, no number is taken,
        and what was not told before is never told (A2.4, A2.6, A3, L6.2).
        """
        require(self.of_client(channel) and self.channels[channel].open)
        self.close_channel(channel)

    @fault
    def ack_unknown(self, channel: ChannelId, tag: Option[Tag], multiple: bool) -> None:
        """A client acks a tag that is not there, and has closed the channel by that (F1.3)."""
        require(self.heeds(channel) and not self.consuming[channel].knows(tag, multiple))
        self.fetching.add(channel)
        self.emit(ConsumerAck(channel, tag, multiple))
        self.emit(ChannelClose(channel, Complaint.UNKNOWN_TAG))
        if self.shared:
            self.close_channel(channel)
        else:
            self.end_consumers(channel)

    @fault
    def close_consumers(self, channel: ChannelId) -> None:
        """The consumers' own channel closes, or its connection breaks (B7.5, F3.2, F3.4)."""
        require(self.tagged and not self.shared and self.consuming[channel].open)
        self.end_consumers(channel)

    @action
    def reopen(self, channel: ChannelId) -> None:
        """Their client comes back, with a new channel; a publisher's is not opened again (A1.7).

        Not while its node is in a minority, which pauses, or has to start again (A12.2, D9).
        """
        require(self.tagged and not self.shared and not self.consuming[channel].open)
        require(not self.cluster.stops_here())
        self.consuming[channel].reopen()
        self.seen_tags[channel].clear()

    # -- what the client makes of it ------------------------------------------------------------

    @on(SelectOk)
    def sees_confirm_mode(self, answer: SelectOk) -> None:
        """A publisher reads that its channel is in confirm mode (A1.1)."""
        self.is_answered(answer.channel, Method.SELECT)

    @on(TxSelectOk)
    def sees_transaction(self, answer: TxSelectOk) -> None:
        """A publisher reads that its channel is transactional (A1.3)."""
        self.is_answered(answer.channel, Method.TX_SELECT)

    @on(CommitOk)
    def sees_commit(self, answer: CommitOk) -> None:
        """A publisher reads that its messages are safe (A13.4)."""
        self.is_answered(answer.channel, Method.COMMIT)

    @on(RollbackOk)
    def sees_rollback(self, answer: RollbackOk) -> None:
        """A publisher reads that its messages never were (A13.6)."""
        self.is_answered(answer.channel, Method.ROLLBACK)

    @on(ChannelClose)
    def sees_close(self, answer: ChannelClose) -> None:
        """A client reads what it should not have done (A2.4, F1.3)."""
        if answer.complaint == Complaint.UNKNOWN_TAG:
            self.consumer_hears(answer.channel)
        else:
            self.publisher_hears(answer.channel)

    @handler
    def is_answered(self, channel: ChannelId, method: Method) -> None:
        """A publisher gets the answer to a method of this kind (A1.5)."""
        if self.asking[channel] != method:
            self.unasked.add(channel)
        self.publisher_hears(channel)

    @handler
    def publisher_hears(self, channel: ChannelId) -> None:
        """A publisher gets an answer; the broker's own one gets none (A1.5, Q12.2)."""
        if self.asking[channel] is None or self.channels[channel].carries_for is not None:
            self.unasked.add(channel)
        self.asking[channel] = None
