"""The system: one publishing channel, the queues, what is between them, and a publisher.

The machines of the other chapters know nothing of each other.  This chapter composes them: an
action is one step of the whole, and moves a message from one machine to the next, or breaks
something.  A message goes through

    publish -> deliver -> (write ->) sync -> drain -> confirm_arrives -> flush

and every other step gets in its way: consumers, crashes, deletions, a closing channel.  Between
two steps anything may interleave (O4).  Each action has its message and its queue as arguments and
chooses nothing by itself, so a run is a list of actions with arguments.

The channel and each queue are on nodes of their own, except for `crash_node` and `crash_machine`,
which hit all of them.

Left out, because nothing said here depends on it: mirrors, limits and priorities of queues, the
partition guard, transactions; the delay of a frame on its way to the publisher; and that a message
whose consumer has acknowledged it may come back after a crash, since that acknowledgement was not
synced (C5.2).

What only the properties need is kept in ghosts, and is said here in the publisher's terms:

* `unaccepted[m]`: the queues that `m` was routed to and that have not accepted it, by a confirm
  that arrived or by a deletion that the channel has heard of (A8, A9.3);
* `holders[m]`: those that must have `m` if it is confirmed; a queue leaves when it is deleted, or
  when `m` is consumed there (C4.4, INV-B5);
* `unroutable`: the messages routed nowhere (A6.2);
* `excused`: the messages for whose nack there is a cause (INV-A12).
"""

from __future__ import annotations

from ackproof.spec.channel import Channel
from ackproof.spec.lang import (
    Each,
    Ghost,
    Map,
    Set,
    System,
    action,
    fault,
    handler,
    on,
    require,
)
from ackproof.spec.network import Network
from ackproof.spec.publisher import Publisher
from ackproof.spec.queue import QueueMaster
from ackproof.spec.sorts import Level, Msg, Queue, Reason, Status
from ackproof.spec.wire import Ack, Nack, Return

__all__ = ["Confirms"]


class Confirms(System):
    """Publisher confirms from the publisher to the disk and back."""

    channel: Channel
    queues: Each[Queue, QueueMaster]
    network: Network
    publisher: Publisher

    persistent: Set[Msg]

    unaccepted: Ghost[Map[Msg, Set[Queue]]]
    holders: Ghost[Map[Msg, Set[Queue]]]
    unroutable: Ghost[Set[Msg]]
    excused: Ghost[Set[Msg]]

    # -- the publisher --------------------------------------------------------------------------

    @action
    def select(self) -> None:
        """The publisher asks for confirm mode (A1.1)."""
        self.channel.select()

    @action
    def publish_unconfirmed(self, mandatory: bool) -> None:
        """Before that, a message that no queue matches is published (A4.2, A6.2).

        What a queue does with a message whose publisher expects no confirm is left out here.
        """
        require(self.channel.open and not self.channel.confirming)
        self.channel.publish(set(), mandatory)

    @action
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """A message is published and routed to `targets`: one step (A6.1, L3).

        A deleted queue is not found by routing any more (A5.4).
        """
        require(self.channel.open and self.channel.confirming)
        require(self.channel.next_seq == msg and self.publisher.next_tag is not None)
        require(all(self.queues[q].status != Status.DELETED for q in targets))
        self.publisher.publish()
        if persistent and targets:
            self.persistent.add(msg)
        for queue in targets:
            self.send(msg, queue)
        self.channel.publish(targets, mandatory)
        self.unaccepted[msg] = set(targets)
        self.holders[msg] = set(targets)
        if not targets:
            self.unroutable.add(msg)

    @handler
    def send(self, msg: Msg, queue: Queue) -> None:
        """Cast a message to a queue, or into the void where its process was (A5.4, A5.6)."""
        if self.queues[queue].status == Status.RUNNING:
            self.network.cast(msg, queue)
        else:
            self.network.refuse(queue)
            self.excused.add(msg)

    # -- the queues -----------------------------------------------------------------------------

    @action(fair="weak")
    def deliver(self, msg: Msg, queue: Queue) -> None:
        """The oldest message on its way to a queue arrives and is enqueued (B1, B2, O2)."""
        require(self.network.next_for(queue) == msg)
        require(self.queues[queue].status == Status.RUNNING)
        self.network.receive(msg, queue)
        self.queues[queue].accept(msg, msg in self.persistent, True)

    @action
    def pass_by(self, msg: Msg, queue: Queue) -> None:
        """It arrives at an empty queue where a consumer without acks waits (B3.3)."""
        require(self.network.next_for(queue) == msg)
        require(self.queues[queue].status == Status.RUNNING and not self.queues[queue].ready)
        self.network.receive(msg, queue)
        self.queues[queue].pass_by(msg, True)
        self.holders[msg].discard(queue)

    @action
    def write(self, msg: Msg, queue: Queue) -> None:
        """A queue's buffer is handed to the kernel (C3)."""
        require(self.queues[queue].status == Status.RUNNING)
        require(self.queues[queue].store.level[msg] == Level.BUFFERED)
        self.queues[queue].store.write(msg)

    @action(fair="weak")
    def sync(self, msg: Msg, queue: Queue) -> None:
        """A queue's message reaches the disk (C3.1, C3.3, B6.3)."""
        require(self.queues[queue].status == Status.RUNNING)
        require(
            self.queues[queue].store.level[msg] == Level.BUFFERED
            or self.queues[queue].store.level[msg] == Level.WRITTEN
        )
        self.queues[queue].store.sync(msg)

    @action(fair="weak")
    def drain(self, queue: Queue) -> None:
        """A queue learns what its store has confirmed, and casts the confirms (B6.1)."""
        require(self.queues[queue].status == Status.RUNNING)
        require(bool(self.queues[queue].store.confirmed))
        self.queues[queue].drain()

    # -- the consumers --------------------------------------------------------------------------

    @action
    def take(self, msg: Msg, queue: Queue) -> None:
        """A consumer gets the head of a queue, and will acknowledge it (B3.2)."""
        require(self.queues[queue].status == Status.RUNNING)
        require(self.queues[queue].head() == msg)
        self.queues[queue].take(msg)

    @action
    def acknowledge(self, msg: Msg, queue: Queue) -> None:
        """A consumer acknowledges: the message is consumed there (B7.1, C4.4)."""
        require(self.queues[queue].status == Status.RUNNING and msg in self.queues[queue].pending)
        self.queues[queue].acknowledge(msg)
        self.holders[msg].discard(queue)

    @action
    def requeue(self, msg: Msg, queue: Queue) -> None:
        """A consumer gives the message back, or goes away without a word (B7.2, B7.5)."""
        require(self.queues[queue].status == Status.RUNNING and msg in self.queues[queue].pending)
        self.queues[queue].requeue(msg)

    @fault
    def drop(self, msg: Msg, queue: Queue) -> None:
        """The head of a queue expires, is purged, or is dropped at the limit (B4.3, C4.4).

        No fault of anybody's, but an instance says how often it may happen.
        """
        require(self.queues[queue].status == Status.RUNNING)
        require(self.queues[queue].head() == msg)
        self.queues[queue].drop(msg)
        self.holders[msg].discard(queue)

    # -- the way back ---------------------------------------------------------------------------

    @action(fair="weak")
    def confirm_arrives(self, queue: Queue) -> None:
        """The channel processes the confirms that a queue has cast (A8.3, A8.5).

        All that are under way at once: had they arrived one by one with a flush between, the
        queue would have cast the later ones later.
        """
        require(bool(self.queues[queue].outbox))
        for msg in self.queues[queue].outbox:
            self.channel.settle(msg, queue)
            self.unaccepted[msg].discard(queue)
        self.queues[queue].posted()

    @action(fair="weak")
    def down_arrives(self, queue: Queue) -> None:
        """The channel learns that a queue is gone, after all that the queue had sent (A9, O1)."""
        reason = self.network.downs[queue]
        require(reason is not None and not self.queues[queue].outbox)
        self.network.heard(queue)
        if reason is not None:
            self.channel.queue_down(queue, reason)
        if reason == Reason.NORMAL:
            for msg in Msg:
                self.unaccepted[msg].discard(queue)

    @action(fair="weak")
    def flush(self) -> None:
        """The channel tells the publisher what is settled, whenever it gets round to it (A10.2)."""
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

    # -- what goes wrong ------------------------------------------------------------------------

    @fault
    def delete_queue(self, queue: Queue) -> None:
        """A queue is deleted, its process ends normally (A9.3)."""
        require(self.queues[queue].status == Status.RUNNING)
        self.queues[queue].delete()
        self.network.end(queue, Reason.NORMAL)
        for msg in Msg:
            self.holders[msg].discard(queue)

    @fault
    def crash_queue(self, queue: Queue) -> None:
        """A queue process crashes; what it had sent still arrives (C5, O1)."""
        require(self.queues[queue].status == Status.RUNNING)
        self.excused |= {
            m for m in Msg if queue in self.unaccepted[m] and m not in self.queues[queue].outbox
        }
        self.queues[queue].crash()
        self.network.end(queue, Reason.ABNORMAL)

    @fault
    def lose_node(self, queue: Queue) -> None:
        """The node of a queue is killed, and what the queue had sent is lost with it (A9, C5).

        What would still have arrived had arrived before.
        """
        require(self.queues[queue].status == Status.RUNNING)
        self.excused |= {m for m in Msg if queue in self.unaccepted[m]}
        self.queues[queue].crash()
        self.queues[queue].posted()
        self.network.end(queue, Reason.BENIGN)

    @action(fair="weak")
    def restart(self, queue: Queue) -> None:
        """A queue process starts again from its files (C5.1, B8.5).

        Not before the channel has heard of the death of the old one: a publish to the new process
        in between would be numbered above everything the DOWN settles, so no frame would differ.
        """
        require(self.queues[queue].status == Status.DOWN and self.network.downs[queue] is None)
        self.queues[queue].recover()

    @fault
    def crash_node(self) -> None:
        """The one node that everything runs on is killed; the kernel keeps what it has (C5)."""
        require(any(self.queues[q].status == Status.RUNNING for q in Queue))
        self.channel.close()
        self.network.vanish()
        for queue in Queue:
            if self.queues[queue].status == Status.RUNNING:
                self.queues[queue].crash()
            self.queues[queue].posted()

    @fault
    def crash_machine(self) -> None:
        """The one machine that everything runs on loses power: the disk keeps what it has (C5)."""
        require(any(self.queues[q].status != Status.DELETED for q in Queue))
        self.channel.close()
        self.network.vanish()
        for queue in Queue:
            if self.queues[queue].status != Status.DELETED:
                self.queues[queue].lose_power()
            self.queues[queue].posted()

    @fault
    def close(self) -> None:
        """The channel closes, or its connection breaks; the queues go on (A14).

        So it does when a publish fails one of its guards: nothing is routed, no number is taken,
        and what was not told before is never told (A2.4, A2.6, A3, L6.2).
        """
        require(self.channel.open)
        self.channel.close()
