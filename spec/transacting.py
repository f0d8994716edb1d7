"""Transacting: publishes that take effect together, and get one answer.

A channel is transactional, or confirming, or neither, and what it is it stays (A1).  In a
transaction a publish takes a number and goes nowhere (A4.4).  At the commit all messages go the way
that others go at once: cast in order, returned if nobody is left to take them, registered (A13.3).
From there everything is as in confirm mode, except for the end: instead of an ack for each there is
one commit-ok when nothing is waited for, or the channel closes because something was refused.

A client waits for commit-ok.  One that does not, and sends anything, loses its connection (A1.5):
to it that is a close like any other.

`unaccepted`, `owing` and `holders` speak of a message from its commit on, since before it nobody
has promised anything.
"""

from __future__ import annotations

from ackproof.spec.lang import Const, Set, action, handler, helper, require
from ackproof.spec.partitioning import Partitioning
from ackproof.spec.sorts import Level, Msg, Queue, Replica, TxMode
from ackproof.spec.transaction import Transaction
from ackproof.spec.wire import ChannelClose, Complaint

__all__ = ["Transacting"]


class Transacting(Partitioning):
    """Transactions of the publishing channel (A1, A13)."""

    transactions: Const[bool] = False

    transaction: Transaction

    # -- which mode -----------------------------------------------------------------------------

    @action
    def select(self) -> None:
        """The publisher asks for confirm mode, which a transactional channel refuses (A1.2)."""
        require(self.channel.open and self.transaction.answers())
        if self.transaction.mode == TxMode.OPEN:
            self.complain(Complaint.TX_TO_CONFIRM)
        else:
            super().select()

    @action
    def tx_select(self) -> None:
        """The publisher asks for transactions, which a confirming channel refuses (A1.3)."""
        require(self.transactions and self.channel.open and self.transaction.answers())
        if self.channel.confirming:
            self.complain(Complaint.CONFIRM_TO_TX)
        else:
            self.transaction.select()

    @handler
    def complain(self, complaint: Complaint) -> None:
        """Close the channel, and say why (A2.1, A2.4)."""
        self.emit(ChannelClose(complaint))
        self.close_channel()

    @handler
    def close_channel(self) -> None:
        """What was not committed never was (A13.7)."""
        super().close_channel()
        self.transaction.close()

    # -- publishing -----------------------------------------------------------------------------

    @action
    def publish_unroutable(self, mandatory: bool) -> None:
        """A message that no queue matches is published outside of any mode (A4.2, A6.2, A7.1)."""
        require(self.transaction.mode == TxMode.NONE)
        super().publish_unroutable(mandatory)

    @action
    def publish_plain(self, msg: Msg, targets: Set[Queue], persistent: bool) -> None:
        """A message that queues take and nobody confirms, outside of any mode (A7.1, B2.1)."""
        require(self.transaction.mode == TxMode.NONE)
        super().publish_plain(msg, targets, persistent)

    @action
    def publish_in_tx(
        self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool
    ) -> None:
        """In a transaction a message is routed, takes its number, and waits (A4.4, A13.1)."""
        require(self.transactions and self.transaction.mode == TxMode.OPEN)
        require(self.channel.open and self.channel.next_seq == msg)
        require(all(self.exists(q) for q in targets))
        if persistent and targets:
            self.persistent.add(msg)
        self.channel.skip()
        self.transaction.publish(msg, targets, mandatory)

    # -- the end of a transaction ----------------------------------------------------------------

    @action
    def tx_commit(self) -> None:
        """The publisher commits, which takes a transaction (A1.4, A13.3)."""
        require(self.transactions and self.channel.open and self.transaction.answers())
        if self.transaction.mode == TxMode.NONE:
            self.complain(Complaint.NOT_TRANSACTIONAL)
        else:
            self.commit()

    @handler
    def commit(self) -> None:
        """All messages go to their queues, as if they were published now (A13.3)."""
        for msg in sorted(self.transaction.batch):
            self.register(msg)
        for replica in Replica:
            self.send_all({m for m in self.transaction.batch if self.sent_to(m, replica)}, replica)
        self.transaction.commit()

    @handler
    def register(self, msg: Msg) -> None:
        """Wait for a message, or return it if its queues are not found any more (A5.4, A7.3)."""
        targets = {q for q in self.transaction.routes[msg] if self.exists(q)}
        found = {q for q in targets if self.found(q)}
        if msg in self.transaction.mandatory and not found:
            self.channel.give_back(None)
        self.channel.register(msg, set(self.addressed(found)))
        self.expect(msg, targets, found)

    @helper
    def sent_to(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether a message of the transaction is cast to a process (A5.5)."""
        queue = self.replicas[replica].of
        there = self.exists(queue) and self.found(queue) and self.listed(replica)
        return there and queue in self.transaction.routes[msg]

    @handler
    def send_all(self, msgs: Set[Msg], replica: Replica) -> None:
        """Cast messages to a process, or into the void where it was (A5.4, A5.6)."""
        if self.able(replica):
            self.network.publishes[replica] |= msgs
        elif msgs:
            self.network.refuse(replica)

    @action
    def tx_rollback(self) -> None:
        """The publisher takes it all back, which takes a transaction (A1.4, A13.6)."""
        require(self.transactions and self.channel.open and self.transaction.answers())
        if self.transaction.mode == TxMode.NONE:
            self.complain(Complaint.NOT_TRANSACTIONAL)
        else:
            self.roll_back()

    @handler
    def roll_back(self) -> None:
        """The transaction never was (A13.6)."""
        self.transaction.roll_back()

    # -- the answer -----------------------------------------------------------------------------

    @action(fair="weak")
    def flush(self) -> None:
        """A transactional channel acks nothing; what is confirmed waits for the others (A13.4)."""
        require(self.transaction.mode == TxMode.NONE)
        super().flush()

    @action(fair="weak")
    def reject_arrives(self, replica: Replica) -> None:
        """A reject decides for the whole transaction (A13.5)."""
        super().reject_arrives(replica)
        self.note_rejects()

    @action(fair="weak")
    def down_arrives(self, replica: Replica) -> None:
        """And so does a queue process that was waited for (A9, A13.5)."""
        super().down_arrives(replica)
        self.note_rejects()

    @handler
    def note_rejects(self) -> None:
        """A commit has failed if any of its messages was rejected (A13.5)."""
        if self.channel.rejected and self.transaction.mode == TxMode.COMMITTING:
            self.transaction.fail()

    @action(fair="weak")
    def complete(self) -> None:
        """Nothing is waited for any more: commit-ok, or the channel closes (A13.4, A13.5).

        Not while the node of the channel may not speak for the cluster (A12.6).
        """
        require(not self.transaction.answers() and not self.channel.unconfirmed)
        require(self.cluster.may_confirm())
        self.cluster.asked()
        if self.transaction.mode == TxMode.FAILED:
            self.complain(Complaint.PARTIAL_COMPLETION)
        else:
            self.channel.confirmed.clear()
            self.transaction.complete()

    # -- what properties ask ---------------------------------------------------------------------

    @helper
    def left_a_trace(self, msg: Msg) -> bool:
        """Tell whether a message has gone anywhere from the channel (A13.1)."""
        return msg in self.channel.unconfirmed or any(
            msg in self.network.publishes[r] | self.replicas[r].holds()
            or self.replicas[r].store.level[msg] != Level.ABSENT
            for r in Replica
        )
