"""The queue: accepts messages, has them stored, hands them out, and says when it answers for them.

When a message arrives, the queue decides once how it will be confirmed (B2):

* *never*, if its publisher does not ask for confirms;
* *eventually*, if it is persistent and the queue durable: the store will say when;
* *immediately* otherwise: the confirm leaves before the message is in the queue (L6.7).

What waits for the store is `awaiting` (the message-id-to-channel table, MTC).  After every step
the queue drains what the store has confirmed, and casts a confirm to the channel for each of those
it still awaits (B6.1).  The drain is a step of its own here, since the store answers by a message
to the queue process, which takes its time.  Everything confirmed is drained at once: had the store
answered one by one, the others would have been confirmed later.

`outbox` holds the confirms that were cast and that the channel has not processed, `refused` the
rejects.  They are out of the queue's hands: what a dead process has sent still arrives, and arrives
before the news of its death (O1).

A consumer may take a message while its write is pending (B3.2), and acknowledging it then settles
the matter: a message that was consumed is confirmed without having been written (C4).  A consumer
that does not acknowledge, and waits while the queue is empty, takes a message past the store: it
is confirmed with no copy anywhere (B3.3).

A queue may be limited (B5).  The limit counts what is ready, not what a consumer holds (B5.1).  At
the limit the queue drops the oldest message to make room, or refuses the new one.  What a waiting
consumer takes as it arrives is never ready (B3.1).

A message that is dead may be set aside, until it is in other queues (Q12.2).  It is in the queue
still, and not handed out any more.

Messages stand in a queue in the order in which they arrived, and one that is put back returns to
its old place (B7.2).  `order` keeps that between messages of several channels (`Arrivals`), for as
long as a message is in the queue or on its disk.
"""

from __future__ import annotations

from ackproof.lang import Const, Ghost, Option, Process, Set, handler, helper, require
from ackproof.spec.arrivals import Arrivals, Length
from ackproof.spec.sorts import Level, Msg, Overflow, Status
from ackproof.spec.store import Store

__all__ = ["QueueMaster"]


class QueueMaster(Process):
    """The process of one queue (B1-B3, B5-B7), its store included."""

    durable: Const[bool] = True
    limited: Const[bool] = False
    max_length: Const[Length] = 0
    overflow: Const[Overflow] = Overflow.DROP_HEAD
    marking: Const[bool] = False  # whether it is recorded what was handed out before

    status: Status
    ready: Set[Msg]
    pending: Set[Msg]
    aside: Set[Msg]
    awaiting: Set[Msg]
    outbox: Set[Msg]
    refused: Set[Msg]
    delivered: Set[Msg]
    order: Arrivals
    store: Store

    doubled: Ghost[Set[Msg]]  # those put into the queue while they were in it

    @helper
    def head(self) -> Option[Msg]:
        """Return the oldest ready message, the next to be handed out (INV-B4)."""
        return self.order.first(self.ready)

    @helper
    def holds(self) -> Set[Msg]:
        """Return what is in the queue: ready, with a consumer, or set aside (INV-F2, Q12.2)."""
        return self.ready | self.pending | self.aside

    @helper
    def present(self) -> Set[Msg]:
        """Return what has a place: what is in the queue, or comes back after a crash (C5.1)."""
        return self.holds() | set(self.store.level)

    @handler
    def place(self, msg: Msg) -> None:
        """A message that is about to be put into the queue comes after all others (B1.3)."""
        self.order.arrive(msg, set(self.present()))

    @handler
    def displace(self, msgs: Set[Msg]) -> None:
        """Messages have left their queue; what its files have not either has no place (C4.4)."""
        self.order.leave({m for m in msgs if self.store.level[m] == Level.ABSENT})

    @helper
    def surplus(self) -> Set[Msg]:
        """Return the oldest ready messages, as many as are over the limit (B5.2, B7.3)."""
        return self.order.surplus(self.ready, self.max_length)

    # -- arriving -------------------------------------------------------------------------------

    @helper
    def refuses(self) -> bool:
        """Tell whether one message more is refused, even if a consumer could take it (B5.3).

        What is set aside takes room as well (Q12.2).
        """
        full = self.limited and len(self.ready | self.aside) >= self.max_length
        return full and self.overflow == Overflow.REJECT_PUBLISH

    @helper
    def overflows(self) -> bool:
        """Tell whether the oldest message has to go to make room for the others (B5.2)."""
        over = self.limited and len(self.ready) > self.max_length
        return over and self.overflow == Overflow.DROP_HEAD

    @helper
    def roomless(self) -> bool:
        """Tell whether not even an empty queue has room for the message that arrives (B5.2)."""
        return self.limited and self.max_length == 0

    @handler
    def accept(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """A message arrives: settle how it will be confirmed, then enqueue it (B1.3, B2)."""
        require(self.status == Status.RUNNING)
        if confirming:
            self.record_confirm(msg, persistent and self.durable)
        self.enqueue(msg, persistent, confirming)

    @handler
    def record_confirm(self, msg: Msg, stored: bool) -> None:
        """Confirm eventually what will be stored, and at once what will not (B2.2, B2.3)."""
        if stored:
            self.awaiting.add(msg)
        else:
            self.outbox.add(msg)

    @handler
    def enqueue(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Put a message at the end of the queue, and on its way to the disk (C1.1, C2.1)."""
        if msg in self.ready or msg in self.pending:
            self.doubled.add(msg)
        self.ready.add(msg)
        if persistent and self.durable:
            self.store.put(msg, confirming)

    @handler
    def refuse(self, msg: Msg, confirming: bool) -> None:
        """Cast a reject for a message that there is no room for (B5.4)."""
        require(self.status == Status.RUNNING)
        if confirming:
            self.refused.add(msg)

    @handler
    def pass_by(self, msg: Msg, confirming: bool) -> None:
        """A waiting consumer without acks takes the message past the store (B3.1, B3.3)."""
        require(self.status == Status.RUNNING and not self.ready)
        if confirming:
            self.outbox.add(msg)

    # -- leaving --------------------------------------------------------------------------------

    @handler
    def take(self, msg: Msg) -> None:
        """Hand a message to a consumer that will acknowledge it, written or not (B3.2)."""
        require(self.status == Status.RUNNING and msg in self.ready)
        self.ready.discard(msg)
        self.pending.add(msg)
        self.mark(msg)

    @handler
    def mark(self, msg: Msg) -> None:
        """Remember that a message was handed out: the next time it is *redelivered* (B7.4)."""
        if self.marking:
            self.delivered.add(msg)

    @handler
    def acknowledge(self, msg: Msg) -> None:
        """The consumer is done with a message: it leaves queue and store (B7.1, C4.1)."""
        require(self.status == Status.RUNNING and msg in self.pending)
        self.pending.discard(msg)
        self.store.remove(msg)

    @handler
    def requeue(self, msg: Msg) -> None:
        """Put a message back in its old place; its confirm stays as it was (B7.2)."""
        require(self.status == Status.RUNNING and msg in self.pending)
        self.pending.discard(msg)
        self.ready.add(msg)

    @handler
    def drop(self, msg: Msg) -> None:
        """A ready message leaves unseen or unacknowledged, which counts as consumption (C4.4).

        It was expired, purged, or dropped at the length limit, or went to a consumer without acks
        from a queue that was not empty (B4.2, B4.3, B5.2, B8.4).
        """
        require(self.status == Status.RUNNING and msg in self.ready)
        self.ready.discard(msg)
        self.store.remove(msg)

    @handler
    def set_aside(self, msg: Msg) -> None:
        """A message is dead, and is kept until other queues have it (Q12.2)."""
        require(self.status == Status.RUNNING and (msg in self.ready or msg in self.pending))
        self.ready.discard(msg)
        self.pending.discard(msg)
        self.aside.add(msg)
        self.store.mark(msg)

    @handler
    def pass_on(self, msg: Msg) -> None:
        """Other queues have a message that was set aside: it leaves queue and store (Q12.2)."""
        require(self.status == Status.RUNNING and msg in self.aside)
        self.aside.discard(msg)
        self.store.remove(msg)

    # -- answering ------------------------------------------------------------------------------

    @handler
    def drain(self) -> None:
        """Cast a confirm for each stored message that is still awaited (B6.1, C2.6)."""
        require(self.status == Status.RUNNING)
        self.outbox |= self.awaiting & self.store.confirmed
        self.awaiting -= self.store.confirmed
        self.store.drained()

    @handler
    def posted(self, msgs: Set[Msg]) -> None:
        """A channel has processed the confirms for these messages, or will get none (A8.3, O1)."""
        self.outbox -= msgs

    @handler
    def rejected(self, msgs: Set[Msg]) -> None:
        """A channel has processed the rejects for these messages, or will get none (A8.4, O1)."""
        self.refused -= msgs

    @handler
    def silence(self) -> None:
        """What the process has cast does not reach anybody any more (A9, C5)."""
        self.outbox.clear()
        self.refused.clear()

    # -- ending ---------------------------------------------------------------------------------

    @handler
    def crash(self) -> None:
        """The process dies, alone or with its node; what is in the files remains (B8.5, C5)."""
        self.stop()
        self.status = Status.DOWN
        self.store.crash()
        self.order.keep(set(self.store.level))

    @handler
    def lose_power(self) -> None:
        """The machine goes down under the process (C5)."""
        self.stop()
        self.status = Status.DOWN
        self.store.lose_power()
        self.order.keep(set(self.store.level))

    @handler
    def delete(self) -> None:
        """The queue is deleted: its process ends with reason normal, its files go (A9.3, B8.5)."""
        self.stop()
        self.status = Status.DELETED
        self.store.wipe()
        self.order.keep(set())

    @handler
    def stop(self) -> None:
        """Forget what only the process knew; the table of confirms is volatile (B8.5)."""
        self.ready.clear()
        self.pending.clear()
        self.aside.clear()
        self.awaiting.clear()
        self.delivered.clear()

    @handler
    def recover(self) -> None:
        """Start again from the files; unacknowledged messages are ready again (C5.1).

        What was set aside is so still: that is on the disk as well (Q12.4).  Whether one had been
        handed out is not known any more, so all count as handed out (B7.4).
        """
        require(self.status == Status.DOWN)
        self.status = Status.RUNNING
        self.ready = set(self.store.level) - self.store.marked
        self.aside = self.store.marked & set(self.store.level)
        if self.marking:
            self.delivered = set(self.store.level)
