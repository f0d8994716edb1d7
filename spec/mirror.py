"""The mirror: a second process of a queue, which gets every message twice.

A queue may have mirrors on other nodes (D1).  The channel sends each message to the master *and*
to each mirror, the *direct* copy; the master sends what it did with the message by multicast, the
*master's* copy.  The two come in any order.  Only the master's copy puts a message into the
mirror's queue; only the direct one says that a channel waits for this mirror's confirm.  A mirror
confirms a message when it has seen both, and a persistent message when its *own* disk has it
(D4.20).  So an ack for a mirrored queue means: persistent at the master and at each mirror that was
asked.  The master waits for nobody (D2.2); it is the channel that does.

What came from the channel first waits in `direct`, in order; what came from the master first is
noted in `seen` (D3, D4):

====================  =====================================  ==================================
                      direct copy                            master's copy
====================  =====================================  ==================================
nothing seen          `direct` (D4.1)                        `seen` (D4.6, D4.9)
in `direct`                                                  both seen: answer (D4.7, D4.10)
other in `direct`                                            this mirror was not asked (D4.8)
in `seen`             both seen: answer (D4.2, D4.3, D4.4)
====================  =====================================  ==================================

To *answer* is to confirm, to wait for the disk (`Seen.CALLED`), or to reject if the master has
refused the message.

When the master dies, a mirror is *promoted* (D5.5).  What waits for the disk it now confirms as a
master does.  What it knows from the channel only, it treats as just arriving.  What it knows from
the master only stays in `seen`: the direct copy is still to come, must not be enqueued twice, and
is confirmed then (D6).  Recording that confirm *before* the duplicate is recognised is what makes
this work (B1.4).
"""

from __future__ import annotations

from ackproof.lang import Const, Map, Option, Set, handler, helper, least, require
from ackproof.spec.queue import QueueMaster
from ackproof.spec.sorts import Born, ChannelId, Msg, Node, Queue, Seen, Status

__all__ = ["QueueProcess"]


class QueueProcess(QueueMaster):
    """A process of a queue: its master, or one of its mirrors (D3-D6)."""

    of: Const[Queue]
    dead_of: Const[Option[Queue]] = None  # the queue whose dead messages go here (Q12.2)
    born: Const[Born] = Born.MASTER
    node: Const[Option[Node]] = None
    after: Const[Option[Queue]] = None  # the queue whose name its own takes over

    declared: bool
    joined: bool
    promoted: bool
    direct: Set[Msg]
    seen: Map[Msg, Seen]

    # -- which of the two it is -----------------------------------------------------------------

    @helper
    def begun(self) -> bool:
        """Tell whether the queue of this process has been declared (A9.5)."""
        return self.after is None or self.declared

    @helper
    def led(self) -> bool:
        """Tell whether this process is its queue's master, or was when it ended (D1.1)."""
        return (self.born == Born.MASTER and self.begun()) or self.promoted

    @helper
    def leads(self) -> bool:
        """Tell whether this process is the master of its queue, and running (D1.1)."""
        return self.status == Status.RUNNING and self.led()

    @helper
    def mirrors(self) -> bool:
        """Tell whether this process is a mirror, and running (D1.1, D1.2)."""
        there = (self.born == Born.MIRROR and self.begun()) or self.joined
        return self.status == Status.RUNNING and there and not self.promoted

    @handler
    def declare(self) -> None:
        """The queue of this process is declared, and the process may start (A9.5)."""
        self.declared = True

    @handler
    def join(self) -> None:
        """Start as a new mirror, with nothing: what a former life left is erased (C5.4, D7.2)."""
        require(self.status == Status.RUNNING and self.born == Born.LATER and not self.joined)
        self.joined = True

    # -- the two copies -------------------------------------------------------------------------

    @helper
    def first_direct(self, sent: Set[Msg]) -> Option[Msg]:
        """Return the oldest of those messages of one channel that came from it only (D3)."""
        return least(sent)

    @handler
    def hear(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """The direct copy of a message arrives at a mirror; no disk gets it (D4.1-D4.5, D4.21)."""
        if self.seen[msg] == Seen.ABSENT:
            self.direct.add(msg)
        else:
            self.answer(msg, self.seen[msg], persistent, confirming)

    @handler
    def learn(
        self, msg: Msg, fate: Seen, persistent: bool, confirming: bool, sent: Set[Msg]
    ) -> None:
        """The master's copy arrives at a mirror: the message was published, or not (D4.6-D4.11).

        `sent` is what is in `direct` of the channel that sent the message.  If another one stands
        first there, no copy of this one is to come: the mirror was not known to the channel yet
        when it was sent (D4.8, D4.11, D4.19).
        """
        first = self.first_direct(sent)
        if first is None:
            self.seen[msg] = fate
        elif first == msg:
            self.direct.discard(msg)
            self.answer(msg, fate, persistent, confirming)
        if fate == Seen.PUBLISHED:
            self.enqueue(msg, persistent, confirming)

    @handler
    def answer(self, msg: Msg, fate: Seen, persistent: bool, confirming: bool) -> None:
        """Both copies are here: wait for the disk, or tell the channel now (D4.2-D4.5, D4.20)."""
        if fate == Seen.PUBLISHED and confirming and persistent and self.durable:
            self.seen[msg] = Seen.CALLED
        else:
            self.seen[msg] = Seen.ABSENT
            self.reply(msg, fate, confirming)

    @handler
    def reply(self, msg: Msg, fate: Seen, confirming: bool) -> None:
        """Confirm a message, or reject it as the master did.

        RabbitMQ's mirrors confirm what the master has refused, and count on the master's reject to
        arrive as well (B5.6).  It need not (D6.3); so here they reject it too.
        """
        if confirming and fate == Seen.REFUSED:
            self.refused.add(msg)
        elif confirming:
            self.outbox.add(msg)

    @handler
    def remove(self, msg: Msg) -> None:
        """The master says that a message has left the queue (D4.15)."""
        self.ready.discard(msg)
        self.store.remove(msg)

    @handler
    def drain(self) -> None:
        """What is on disk is confirmed if the channel has called, and else noted (D4.12-D4.14).

        A promoted master still does the same for what only the old master told it of (D6.1).
        """
        for msg in set(self.store.confirmed):
            if self.seen[msg] == Seen.PUBLISHED:
                self.seen[msg] = Seen.CONFIRMED
            elif self.seen[msg] == Seen.CALLED:
                self.seen[msg] = Seen.ABSENT
                self.outbox.add(msg)
        super().drain()

    @helper
    def direct_of(self, channel: ChannelId) -> Set[Msg]:
        """Return the messages of a channel that came from that only (D3)."""
        return {m for m in self.direct if Msg.owner(m) == channel}

    @helper
    def known(self) -> Set[Msg]:
        """Return the messages of which anything is remembered (D3, D4)."""
        return self.direct | set(self.seen)

    @helper
    def remembers(self, channel: ChannelId) -> bool:
        """Tell whether there is anything that `forget_sender` would forget (D4.16-D4.18)."""
        return bool(self.direct_of(channel)) or any(
            self.seen[m] != Seen.CALLED for m in self.seen if Msg.owner(m) == channel
        )

    @handler
    def forget_sender(self, sent: Set[Msg]) -> None:
        """A channel is gone, what it has still to send never comes (D4.16-D4.18, D5.6).

        `sent` is what is known here of its messages.
        """
        for msg in sent:
            self.direct.discard(msg)
            if self.seen[msg] != Seen.CALLED:
                self.seen[msg] = Seen.ABSENT

    # -- promotion ------------------------------------------------------------------------------

    @handler
    def promote(self) -> None:
        """Become the master (D5.5, D5.6).

        Consumers are gone, so all is ready (step 2), and counts as handed out (B7.4).  What waits
        for the disk is awaited as a master awaits it (step 5).  What came from the channel only
        starts again (step 6).
        """
        require(self.mirrors())
        self.promoted = True
        for msg in set(self.seen):
            if self.seen[msg] == Seen.CALLED:
                self.seen[msg] = Seen.ABSENT
                self.awaiting.add(msg)
        if self.marking:
            self.delivered = self.ready | self.direct
        self.direct.clear()

    @handler
    def accept(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Take a message in that nobody has told of: the master's assertion (D2.3)."""
        assert self.seen[msg] == Seen.ABSENT
        super().accept(msg, persistent, confirming)

    @handler
    def refuse(self, msg: Msg, confirming: bool) -> None:
        """Refuse a message that nobody has told of: the same assertion (D2.3)."""
        assert self.seen[msg] == Seen.ABSENT
        super().refuse(msg, confirming)

    @helper
    def recognises(self, msg: Msg) -> bool:
        """Tell whether a message that arrives is one that the old master told of (D5.5, D6.2)."""
        return self.seen[msg] != Seen.ABSENT

    @handler
    def accept_again(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Such a message is in the queue already: record its confirm, and no more (B1.1, D6.2).

        One that the disk has meanwhile confirmed, or that was dealt with otherwise, is confirmed
        with the next drain.
        """
        if self.seen[msg] == Seen.REFUSED:
            self.reply(msg, self.seen[msg], confirming)
        elif confirming:
            self.record_confirm(msg, persistent and self.durable)
            if persistent and self.durable and self.seen[msg] != Seen.PUBLISHED:
                self.store.confirmed.add(msg)
        self.seen[msg] = Seen.ABSENT

    # -- what properties ask --------------------------------------------------------------------

    @helper
    def owes(self) -> Set[Msg]:
        """Return the messages that this process will answer for, as far as it knows (INV-A9)."""
        called = {m for m in self.seen if self.seen[m] == Seen.CALLED}
        return self.awaiting | self.outbox | self.refused | self.direct | called

    # -- ending ---------------------------------------------------------------------------------

    @handler
    def stop(self) -> None:
        """Forget the copies too (B8.5)."""
        super().stop()
        self.direct.clear()
        self.seen.clear()
