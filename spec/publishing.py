"""Publishing: from the publisher to the queues, in confirm mode, in a transaction, or in neither.

A message is published and routed in one step (A6.1, L3): it is cast to each process of its queues,
returned if it is mandatory and there is none, and registered if its publisher waits for a confirm.

A message published outside of confirm mode goes the same way, and nobody confirms it (B2.1).  It
takes a number here too, which the channel and its publisher both skip: what counts is where it
stands among the others.

A channel is transactional, or confirming, or neither, and what it is it stays (A1).  In a
transaction a publish takes a number and goes nowhere (A4.4).  At the commit all messages go the way
that others go at once: cast in order, returned if nobody is left to take them, registered (A13.3).
From there everything is as in confirm mode, except for the end (`Confirming`).

A client waits for commit-ok.  One that does not, and sends anything, loses its connection (A1.5):
to it that is a close like any other.

`unaccepted`, `owing` and `holders` speak of a message from its commit on, since before it nobody
has promised anything.
"""

from __future__ import annotations

from ackproof.lang import Set, action, handler, helper, require
from ackproof.spec.closing import Closing
from ackproof.spec.sorts import ChannelId, Method, Msg, Queue, Reason, Replica, TxMode
from ackproof.spec.wire import Complaint

__all__ = ["Publishing"]


class Publishing(Closing):
    """Publishes, their routing, and transactions (A1, A4-A7, A13)."""

    # -- which mode -----------------------------------------------------------------------------

    @action
    def select(self, channel: ChannelId) -> None:
        """A publisher asks for confirm mode, which a transactional channel refuses (A1.1, A1.2)."""
        require(self.of_client(channel) and self.readers[channel].reads())
        require(self.channels[channel].open and self.transactions[channel].answers())
        self.asking[channel] = Method.SELECT
        if self.transactions[channel].mode == TxMode.OPEN:
            self.complain(channel, Complaint.TX_TO_CONFIRM)
        else:
            self.channels[channel].select()

    @action
    def tx_select(self, channel: ChannelId) -> None:
        """A publisher asks for transactions, which a confirming channel refuses (A1.3)."""
        require(self.of_client(channel) and self.transactional and self.readers[channel].reads())
        require(self.channels[channel].open and self.transactions[channel].answers())
        self.asking[channel] = Method.TX_SELECT
        if self.channels[channel].confirming:
            self.complain(channel, Complaint.CONFIRM_TO_TX)
        else:
            self.transactions[channel].select()

    # -- publishing -----------------------------------------------------------------------------

    @action
    def publish_unroutable(self, channel: ChannelId, mandatory: bool) -> None:
        """Outside of any mode, a message that no queue matches is published (A4.2, A6.2, A7.1)."""
        blocked = self.channel_blocked(channel)
        require(self.of_client(channel) and self.readers[channel].reads_content())
        require(self.transactions[channel].mode == TxMode.NONE)
        require(self.channels[channel].open and not self.channels[channel].confirming)
        self.channels[channel].publish(set(), mandatory)
        self.hand_over(channel, blocked)

    @action
    def publish_plain(self, msg: Msg, targets: Set[Queue], persistent: bool) -> None:
        """There, a message is published that queues take and nobody confirms (A7.1, B2.1)."""
        channel = Msg.owner(msg)
        blocked = self.channel_blocked(channel)
        require(self.of_client(channel) and self.readers[channel].reads_content())
        require(self.transactions[channel].mode == TxMode.NONE)
        require(self.plain_publishes and bool(targets))
        require(self.channels[channel].open and not self.channels[channel].confirming)
        require(self.channels[channel].next_seq == msg and self.all_exist(targets))
        self.plain.add(msg)
        self.holders[msg] = set(targets)
        self.publishers[channel].skip()
        self.channels[channel].skip()
        self.route(msg, targets, persistent)
        self.hand_over(channel, blocked)

    @action
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """A message is published in confirm mode and routed to `targets`: one step (A6.1, L3).

        A deleted queue is not found by routing any more (A5.4).
        """
        require(self.all_exist(targets))
        self.process_publish(msg, targets, mandatory, persistent)

    @handler
    def process_publish(
        self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool
    ) -> None:
        """A channel in confirm mode processes a publish, which takes the next number (A4.3, A6.1).

        A program that may publish it again remembers what it was (C5.3).
        """
        channel = Msg.owner(msg)
        blocked = self.channel_blocked(channel)
        require(self.of_client(channel) and self.readers[channel].reads_content())
        require(self.channels[channel].open and self.channels[channel].confirming)
        require(self.channels[channel].next_seq == msg)
        self.enter(msg, targets, mandatory, persistent)
        if self.retrying:
            self.retrier.publish(msg, targets, mandatory)
        self.hand_over(channel, blocked)

    @handler
    def enter(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """A message takes the next number of its channel, and goes to its queues (A4.3, A6.1)."""
        channel = Msg.owner(msg)
        self.publishers[channel].publish()
        found = {q for q in targets if self.found(q)}
        self.expect(msg, targets, found)
        if not found:
            self.unroutable.add(msg)
        if mandatory and (self.retrying or not found):
            self.mandatory.add(msg)
        self.route(msg, found, persistent)
        self.channels[channel].publish(set(self.asked(found)), mandatory)

    @action
    def publish_in_tx(
        self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool
    ) -> None:
        """In a transaction a message is routed, takes its number, and waits (A4.4, A13.1)."""
        channel = Msg.owner(msg)
        blocked = self.channel_blocked(channel)
        require(self.transactional and self.readers[channel].reads_content())
        require(self.transactions[channel].mode == TxMode.OPEN)
        require(self.channels[channel].open and self.channels[channel].next_seq == msg)
        require(self.all_exist(targets))
        if persistent and targets:
            self.persistent.add(msg)
        if mandatory and not targets:
            self.mandatory.add(msg)
        self.channels[channel].skip()
        self.transactions[channel].publish(msg, targets, mandatory)
        self.hand_over(channel, blocked)

    @handler
    def expect(self, msg: Msg, targets: Set[Queue], found: Set[Queue]) -> None:
        """From now on each queue must accept a message, and have it if it is confirmed (A8)."""
        self.unaccepted[msg] = set(found)
        self.owing[msg] = {r for r in self.addressed(found) if self.mirrored(r) and self.able(r)}
        self.holders[msg] = set(found)
        if any(not self.found(q) for q in targets):
            self.overlooked.add(msg)
        if any(not self.attended(Msg.owner(msg), q) for q in targets):
            self.excused.add(msg)

    @helper
    def attended(self, channel: ChannelId, queue: Queue) -> bool:
        """Tell whether a process of a queue will answer for what is published now (INV-A12).

        That is, if nothing else goes wrong.

        The end of one that has crashed settles that, too, if the channel has not heard of it yet.
        """
        return any(
            self.replicas[r].of == queue
            and self.listed(r)
            and self.able(r)
            and self.casts[channel].downs[r] is None
            for r in Replica
        ) and not any(
            self.replicas[r].of == queue and self.casts[channel].downs[r] == Reason.ABNORMAL
            for r in Replica
        )

    @handler
    def route(self, msg: Msg, targets: Set[Queue], persistent: bool) -> None:
        """Cast a message to each process of its queues (A5.6)."""
        if persistent and targets:
            self.persistent.add(msg)
        for replica in self.addressed(targets):
            self.send(msg, replica)

    @handler
    def send(self, msg: Msg, replica: Replica) -> None:
        """Cast a message to a process, or into the void where it was (A5.4, A5.6)."""
        channel = Msg.owner(msg)
        if self.able(replica):
            self.casts[channel].cast(msg, replica)
        else:
            self.casts[channel].refuse(replica)
        self.pay(channel, {msg}, replica)

    # -- the end of a transaction ----------------------------------------------------------------

    @action
    def tx_commit(self, channel: ChannelId) -> None:
        """A publisher commits (A1.4, A13.3)."""
        self.asking[channel] = Method.COMMIT
        self.end_transaction(channel, True)

    @action
    def tx_rollback(self, channel: ChannelId) -> None:
        """A publisher takes it all back (A1.4, A13.6)."""
        self.asking[channel] = Method.ROLLBACK
        self.end_transaction(channel, False)

    @handler
    def end_transaction(self, channel: ChannelId, committed: bool) -> None:
        """A transaction ends one way or the other, which takes one that was begun (A1.4)."""
        require(self.of_client(channel) and self.transactional and self.readers[channel].reads())
        require(self.channels[channel].open and self.transactions[channel].answers())
        if self.transactions[channel].mode == TxMode.NONE:
            self.complain(channel, Complaint.NOT_TRANSACTIONAL)
        elif committed:
            self.commit(channel)
        else:
            self.roll_back(channel)

    @handler
    def commit(self, channel: ChannelId) -> None:
        """All messages go to their queues, as if they were published now; then acks (A13.3)."""
        batch = set(self.transactions[channel].batch)
        for msg in sorted(batch):
            self.register(channel, msg)
        routed = {q for m in batch for q in self.transactions[channel].routes[m]}
        for replica in self.addressed(routed):
            msgs = {m for m in batch if self.sent_to(channel, m, replica)}
            self.send_all(channel, msgs, replica)
        self.transactions[channel].commit()
        self.settle_collected(channel)

    @handler
    def register(self, channel: ChannelId, msg: Msg) -> None:
        """Wait for a message, or return it if its queues are not found any more (A5.4, A7.3)."""
        targets = {q for q in self.transactions[channel].routes[msg] if self.exists(q)}
        found = {q for q in targets if self.found(q)}
        if msg in self.transactions[channel].mandatory and not found:
            self.channels[channel].give_back(None)
        self.channels[channel].register(msg, set(self.addressed(found)))
        self.expect(msg, targets, found)

    @helper
    def sent_to(self, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
        """Tell whether a message of the transaction is cast to a process (A5.5)."""
        queue = self.replicas[replica].of
        there = self.exists(queue) and self.found(queue)
        return there and queue in self.transactions[channel].routes[msg]

    @handler
    def send_all(self, channel: ChannelId, msgs: Set[Msg], replica: Replica) -> None:
        """Cast messages to a process, or into the void where it was (A5.4, A5.6)."""
        if self.able(replica):
            self.casts[channel].publishes[replica] |= msgs
        elif msgs:
            self.casts[channel].refuse(replica)
        self.pay(channel, msgs, replica)

    @handler
    def roll_back(self, channel: ChannelId) -> None:
        """The transaction never was; what was settled in it is unacked again (A13.6)."""
        self.transactions[channel].roll_back()
        self.consuming[channel].restore()
