"""Publishing: the way of a message from the publisher to the disk, and of its confirm back.

The machines of the other chapters know nothing of each other.  The system composes them, and this
chapter is its beginning: one publishing channel, the processes of the queues, what is between them,
and a publisher.  An action is one step of the whole, and moves a message from one machine to the
next.  A message goes through

    publish -> deliver -> (write ->) sync -> drain -> confirm_arrives -> flush

and every step of the chapters that follow gets in its way.  Between two steps anything may
interleave (O4).  Each action has its message and its process as arguments and chooses nothing by
itself, so a run is a list of actions with arguments.

A message published outside of confirm mode goes the same way, and nobody confirms it (B2.1).  It
takes a number here too, which the channel and its publisher both skip: what counts is where it
stands among the others.

What only the properties need is kept in ghosts, and is said here in the publisher's terms:

* `unaccepted[m]`: the queues that `m` was routed to and that have not accepted it, by a confirm
  that arrived or by a deletion that the channel has heard of (A8, A9.3);
* `refusing[m]`: the queues whose master has refused `m`, and no later master has taken it;
* `owing[m]`, `vouchers[m]`: the processes of mirrored queues that `m` was cast to and whose confirm
  has not arrived, and those whose confirm has;
* `backed[m]`: the mirrors that were given `m` when they were synchronised;
* `holders[m]`: the queues that must have `m` if it is confirmed; a queue leaves when it is deleted,
  or when `m` is consumed there (C4.4, INV-B5);
* `unroutable`: the messages routed nowhere (A6.2);
* `overlooked`: those that a queue was meant to get and routing did not find it (A5.4);
* `excused`: the messages for whose nack there is a cause (INV-A12).
"""

from __future__ import annotations

from ackproof.spec.channel import Channel
from ackproof.spec.lang import (
    Const,
    Each,
    Ghost,
    Map,
    Set,
    System,
    action,
    handler,
    helper,
    on,
    require,
)
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.network import Network
from ackproof.spec.publisher import Publisher
from ackproof.spec.sorts import Level, Msg, Queue, Reason, Replica, Status
from ackproof.spec.wire import Ack, Nack, Return

__all__ = ["Publishing"]


class Publishing(System):
    """Publisher confirms from the publisher to the disk and back."""

    plain_publishes: Const[bool] = False  # whether queues get messages that nobody will confirm

    channel: Channel
    replicas: Each[Replica, QueueProcess]
    network: Network
    publisher: Publisher

    persistent: Set[Msg]
    plain: Set[Msg]  # published outside of confirm mode

    unaccepted: Ghost[Map[Msg, Set[Queue]]]
    refusing: Ghost[Map[Msg, Set[Queue]]]
    owing: Ghost[Map[Msg, Set[Replica]]]
    vouchers: Ghost[Map[Msg, Set[Replica]]]
    backed: Ghost[Map[Msg, Set[Replica]]]
    holders: Ghost[Map[Msg, Set[Queue]]]
    unroutable: Ghost[Set[Msg]]
    overlooked: Ghost[Set[Msg]]
    excused: Ghost[Set[Msg]]

    # -- queues and their processes -------------------------------------------------------------

    @helper
    def siblings(self, replica: Replica) -> Set[Replica]:
        """Return the processes of the same queue, this one included (D1.1)."""
        return {r for r in Replica if self.replicas[r].of == self.replicas[replica].of}

    @helper
    def exists(self, queue: Queue) -> bool:
        """Tell whether routing finds a queue: a deleted one it does not (A5.4)."""
        return all(
            self.replicas[r].status != Status.DELETED
            for r in Replica
            if self.replicas[r].of == queue
        )

    @helper
    def listed(self, replica: Replica) -> bool:
        """Tell whether a process is in its queue's record, where channels look (A5.5, D1.1)."""
        return True

    @helper
    def reaches(self, replica: Replica) -> bool:
        """Tell whether the channel and a process can speak to each other (A12.7)."""
        return True

    @helper
    def able(self, replica: Replica) -> bool:
        """Tell whether what is cast to a process gets there, for all the channel knows (A5.4)."""
        return self.replicas[replica].status == Status.RUNNING

    @helper
    def mirrored(self, replica: Replica) -> bool:
        """Tell whether a process is not its queue's only one (D1.1)."""
        return bool(self.siblings(replica) - {replica})

    # -- the publisher --------------------------------------------------------------------------

    @action
    def select(self) -> None:
        """The publisher asks for confirm mode (A1.1)."""
        self.channel.select()

    @action
    def publish_unroutable(self, mandatory: bool) -> None:
        """Before that, a message that no queue matches is published (A4.2, A6.2, A7.1)."""
        require(self.channel.open and not self.channel.confirming)
        self.channel.publish(set(), mandatory)

    @action
    def publish_plain(self, msg: Msg, targets: Set[Queue], persistent: bool) -> None:
        """Before that, a message is published that queues take and nobody confirms (A7.1, B2.1)."""
        require(self.plain_publishes and bool(targets))
        require(self.channel.open and not self.channel.confirming)
        require(self.channel.next_seq == msg and all(self.exists(q) for q in targets))
        self.plain.add(msg)
        self.publisher.skip()
        self.channel.skip()
        self.route(msg, targets, persistent)

    @action
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """A message is published and routed to `targets`: one step (A6.1, L3).

        A deleted queue is not found by routing any more (A5.4).
        """
        require(self.channel.open and self.channel.confirming)
        require(self.channel.next_seq == msg and self.publisher.next_tag is not None)
        require(all(self.exists(q) for q in targets))
        self.publisher.publish()
        found = {q for q in targets if self.found(q)}
        self.expect(msg, targets, found)
        self.route(msg, found, persistent)
        self.channel.publish(set(self.asked(found)), mandatory)
        if not found:
            self.unroutable.add(msg)

    @handler
    def expect(self, msg: Msg, targets: Set[Queue], found: Set[Queue]) -> None:
        """From now on each queue must accept a message, and have it if it is confirmed (A8)."""
        self.unaccepted[msg] = set(found)
        self.owing[msg] = {r for r in self.addressed(found) if self.mirrored(r) and self.able(r)}
        self.holders[msg] = set(found)
        if any(not self.found(q) for q in targets):
            self.overlooked.add(msg)
        if any(not self.attended(q) for q in targets):
            self.excused.add(msg)

    @helper
    def found(self, queue: Queue) -> bool:
        """Tell whether routing finds a queue that exists: its processes may all be down (A5.4)."""
        return True

    @helper
    def attended(self, queue: Queue) -> bool:
        """Tell whether a process of a queue will answer for what is published now (INV-A12).

        That is, if nothing else goes wrong.

        The end of one that has crashed settles that, too, if the channel has not heard of it yet.
        """
        return any(
            self.replicas[r].of == queue
            and self.listed(r)
            and self.able(r)
            and self.network.downs[r] is None
            for r in Replica
        ) and not any(
            self.replicas[r].of == queue and self.network.downs[r] == Reason.ABNORMAL
            for r in Replica
        )

    @helper
    def addressed(self, targets: Set[Queue]) -> Set[Replica]:
        """Return the processes that a message for these queues is cast to (A5.5)."""
        return {r for r in Replica if self.replicas[r].of in targets and self.listed(r)}

    @helper
    def asked(self, targets: Set[Queue]) -> Set[Replica]:
        """Return the processes whose confirm the channel waits for: all of those (A7.3)."""
        return self.addressed(targets)

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
        if self.able(replica):
            self.network.cast(msg, replica)
        else:
            self.network.refuse(replica)

    # -- the queues -----------------------------------------------------------------------------

    @action(fair="weak")
    def deliver(self, msg: Msg, replica: Replica) -> None:
        """The oldest message on its way to a master arrives (B1, B2, O2)."""
        require(self.network.next_for(replica) == msg)
        require(self.replicas[replica].leads() and self.reaches(replica))
        self.network.receive(msg, replica)
        self.take_in(msg, replica)

    @handler
    def take_in(self, msg: Msg, replica: Replica) -> None:
        """A master takes a message in, unless it has it already or is full (B1, B5.3, D6.2)."""
        if self.replicas[replica].recognises(msg):
            self.replicas[replica].accept_again(msg, msg in self.persistent, msg not in self.plain)
        elif self.replicas[replica].refuses():
            self.refuse(msg, replica)
        else:
            self.enqueue(msg, replica)
            self.shorten(replica)

    @handler
    def enqueue(self, msg: Msg, replica: Replica) -> None:
        """A master puts a message into its queue (B1.3)."""
        self.replicas[replica].accept(msg, msg in self.persistent, msg not in self.plain)
        self.refusing[msg].discard(self.replicas[replica].of)

    @handler
    def shorten(self, replica: Replica) -> None:
        """A master that is over its limit drops its oldest message (B5.2, B5.7, B7.3)."""
        oldest = self.replicas[replica].head()
        if self.replicas[replica].overflows() and oldest is not None:
            self.replicas[replica].drop(oldest)
            self.leaves(oldest, replica)

    @handler
    def refuse(self, msg: Msg, replica: Replica) -> None:
        """A master that is full refuses a message (B5.4)."""
        self.replicas[replica].refuse(msg, msg not in self.plain)
        self.excused.add(msg)
        self.refusing[msg].add(self.replicas[replica].of)

    @handler
    def hand_past(self, msg: Msg, replica: Replica) -> None:
        """A master gives a message away as it arrives; it never was in the queue (B3.3, B4.1)."""
        self.replicas[replica].pass_by(msg, msg not in self.plain)
        self.holders[msg].discard(self.replicas[replica].of)

    @handler
    def leaves(self, msg: Msg, replica: Replica) -> None:
        """A message has left its queue, in one way or another (C4.4, D8 L12, INV-F3)."""
        self.holders[msg].discard(self.replicas[replica].of)

    @action
    def write(self, msg: Msg, replica: Replica) -> None:
        """A buffer is handed to the kernel (C3)."""
        require(self.replicas[replica].status == Status.RUNNING)
        require(self.replicas[replica].store.level[msg] == Level.BUFFERED)
        self.replicas[replica].store.write(msg)

    @action(fair="weak")
    def sync(self, msg: Msg, replica: Replica) -> None:
        """A message reaches the disk (C3.1, C3.3, B6.3)."""
        require(self.replicas[replica].status == Status.RUNNING)
        require(
            self.replicas[replica].store.level[msg] == Level.BUFFERED
            or self.replicas[replica].store.level[msg] == Level.WRITTEN
        )
        self.replicas[replica].store.sync(msg)

    @action(fair="weak")
    def forget(self, msg: Msg, replica: Replica) -> None:
        """The removal of a message reaches the disk (C5.2)."""
        require(self.replicas[replica].status == Status.RUNNING)
        require(msg in self.replicas[replica].store.leaving)
        self.replicas[replica].store.forget(msg)

    @action(fair="weak")
    def drain(self, replica: Replica) -> None:
        """A process learns what its store has confirmed, and casts the confirms (B6.1)."""
        require(self.replicas[replica].status == Status.RUNNING)
        require(bool(self.replicas[replica].store.confirmed))
        self.replicas[replica].drain()

    # -- the way back ---------------------------------------------------------------------------

    @action(fair="weak")
    def confirm_arrives(self, replica: Replica) -> None:
        """The channel processes the confirms that a process has cast (A8.3, A8.5, A10.3).

        All that are under way at once: had they arrived one by one with a flush between, the
        process would have cast the later ones later.
        """
        require(bool(self.replicas[replica].outbox) and self.reaches(replica))
        siblings = set(self.siblings(replica))
        for msg in self.replicas[replica].outbox:
            waited = siblings & self.channel.unconfirmed[msg]
            if replica in waited or not waited:
                self.unaccepted[msg].discard(self.replicas[replica].of)
            self.channel.settle(msg, replica, siblings)
            if self.mirrored(replica):
                self.vouchers[msg].add(replica)
                self.owing[msg].discard(replica)
        self.replicas[replica].posted()

    @action(fair="weak")
    def reject_arrives(self, replica: Replica) -> None:
        """The channel processes the rejects that a process has cast (A8.4)."""
        require(bool(self.replicas[replica].refused) and self.reaches(replica))
        for msg in self.replicas[replica].refused:
            self.channel.reject(msg, replica)
        self.replicas[replica].rejected()

    @action(fair="weak")
    def down_arrives(self, replica: Replica) -> None:
        """The channel learns that a process is gone, after all it sent (A9, D5.7, O1)."""
        reason = self.network.downs[replica]
        require(reason is not None)
        require(not self.last_words(replica))
        self.network.heard(replica)
        siblings = set(self.siblings(replica))
        if reason is not None:
            self.channel.process_down(replica, reason, siblings)
        for msg in Msg:
            self.owing[msg].discard(replica)
            if reason == Reason.NORMAL:
                self.refusing[msg].discard(self.replicas[replica].of)
            if reason == Reason.NORMAL and not siblings & self.channel.unconfirmed[msg]:
                self.unaccepted[msg].discard(self.replicas[replica].of)

    @helper
    def last_words(self, replica: Replica) -> bool:
        """Tell whether the channel has still to hear what a process has sent (O1)."""
        return bool(self.replicas[replica].outbox) or bool(self.replicas[replica].refused)

    @action(fair="weak")
    def flush(self) -> None:
        """The channel tells the publisher what is settled, when it gets to it (A10.1, A10.2)."""
        require(bool(self.channel.confirmed) or bool(self.channel.rejected))
        self.channel.flush()

    @on(Ack)
    def sees_ack(self, ack: Ack) -> None:
        """The publisher reads an ack (A11.5)."""
        self.publisher.sees_ack(ack.tag, ack.multiple)

    @on(Nack)
    def sees_nack(self, nack: Nack) -> None:
        """The publisher reads a nack (A11.5)."""
        self.publisher.sees_nack(nack.tag, nack.multiple)

    @on(Return)
    def sees_return(self, ret: Return) -> None:
        """The publisher reads a return (A6.7)."""
        if ret.msg is not None:
            self.publisher.sees_return(ret.msg)

    # -- what properties ask ---------------------------------------------------------------------

    @helper
    def answering(self, msg: Msg) -> Set[Replica]:
        """Return the processes that answer for a message, where it must still be (INV-B5).

        In a queue with mirrors, those that have confirmed it; else the one process there is.
        """
        return {
            r
            for r in Replica
            if self.replicas[r].of in self.holders[msg]
            if r in self.vouchers[msg] or not self.mirrored(r)
        }

    @helper
    def unanswered(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether a process's confirm for a message has not arrived (A8.3)."""
        if self.mirrored(replica):
            return replica not in self.vouchers[msg]
        return self.replicas[replica].of in self.unaccepted[msg]

    @helper
    def vouched_for(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether a process of a queue that confirmed a message, or has it, runs (INV-D4)."""
        return any(
            self.replicas[r].status == Status.RUNNING
            for r in self.siblings(replica) & (self.vouchers[msg] | self.backed[msg])
        )

    @helper
    def listening(self) -> Set[Replica]:
        """Return the processes that run, or whose end the channel has not heard of (A9)."""
        return {r for r in Replica if self.replicas[r].status == Status.RUNNING}

    @helper
    def stranded(self, replica: Replica) -> bool:
        """Tell whether a process is not there to hear from a master (D5.1)."""
        return self.replicas[replica].status != Status.RUNNING
