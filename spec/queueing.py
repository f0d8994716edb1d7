"""Queueing: what the processes of a queue do with a message, and how its confirm begins.

A message goes through

    publish -> deliver -> (write ->) sync -> drain -> confirm_arrives -> flush

and this chapter has what queues do when it arrives and when it leaves; what is between the two, on
the way to the disk and back, is in `Storing`.  An action is one step of the whole, and moves a
message from one machine to the next.  Each has its message and its process as arguments and chooses
nothing by itself, so a run is a list of actions with arguments; between two steps anything may
interleave (O4).

What a master does with a message it tells its mirrors in the step that does it (D2.1), and nobody
waits for them.

Messages leave a queue when consumers take them, when they expire, or when there is no room.
Nobody asks here who consumes, and under which delivery tag: consumers are unnamed, take what they
get, and acknowledge, put back or lose it.  For publisher confirms that is all that matters: a
message that was consumed needs no disk any more (C4).  `consumers=False` switches them off, where
an instance has other things to look at or consumers with names (`Consuming`).
"""

from __future__ import annotations

from ackproof.lang import action, fault, handler, require
from ackproof.spec.sorts import Born, Msg, Replica
from ackproof.spec.storing import Storing

__all__ = ["Queueing"]


class Queueing(Storing):
    """Messages arrive at queues, and leave them (B1-B7, C4, D2)."""

    # -- arriving -------------------------------------------------------------------------------

    @action(fair="weak")
    def deliver(self, msg: Msg, replica: Replica) -> None:
        """The oldest message on its way from a channel to a master arrives (B1, B2, O2).

        The master acks it to the channel before anything else (B1.5).
        """
        twice = self.acks_twice(msg, replica)
        blocked = self.storing[replica].blocks()
        require(self.casts[Msg.owner(msg)].next_for(replica) == msg)
        require(self.replicas[replica].leads() and self.reaches(replica))
        self.casts[Msg.owner(msg)].receive(msg, replica)
        self.take_in(msg, replica)
        self.take_from_channel(msg, replica, twice, blocked)

    @handler
    def take_in(self, msg: Msg, replica: Replica) -> None:
        """A master takes a message in, unless it has it already or is full (B1, B5.3, D6.2)."""
        if self.replicas[replica].recognises(msg):
            self.replicas[replica].accept_again(msg, msg in self.persistent, self.confirming(msg))
        elif self.replicas[replica].refuses():
            self.refuse(msg, replica)
        else:
            self.enqueue(msg, replica)
            self.shorten(replica)

    @handler
    def enqueue(self, msg: Msg, replica: Replica) -> None:
        """A master puts a message into its queue; its mirrors hear of it first (B1.3, D2.1)."""
        for mirror in self.mirrors_of(replica):
            self.multicast.tell_publish(msg, mirror)
        queue = self.replicas[replica].of
        self.seniors[queue][msg].clear()
        self.seniors[queue][msg] |= {
            m for m in self.replicas[replica].holds() if Msg.owner(m) != Msg.owner(msg)
        }
        self.replicas[replica].place(msg)
        self.replicas[replica].accept(msg, msg in self.persistent, self.confirming(msg))
        self.refusing[msg].discard(queue)
        self.send_to_store(msg, replica)

    @handler
    def refuse(self, msg: Msg, replica: Replica) -> None:
        """A master that is full refuses a message (B5.4)."""
        self.replicas[replica].refuse(msg, self.confirming(msg))
        self.excused.add(msg)
        self.refusing[msg].add(self.replicas[replica].of)
        self.tell_refusal(msg, replica)

    @handler
    def tell_refusal(self, msg: Msg, replica: Replica) -> None:
        """Tell mirrors of a refused message, whether or not anybody waits for it (B5.4, B5.6)."""
        for mirror in self.mirrors_of(replica):
            self.multicast.tell_refusal(msg, mirror)

    @handler
    def hand_past(self, msg: Msg, replica: Replica) -> None:
        """A master gives a message away as it arrives; it never was in the queue (B3.3, B4.1)."""
        self.replicas[replica].pass_by(msg, self.confirming(msg))
        self.holders[msg].discard(self.replicas[replica].of)
        self.refusing[msg].discard(self.replicas[replica].of)
        for mirror in self.mirrors_of(replica):
            self.multicast.tell_discard(msg, mirror)

    # -- leaving --------------------------------------------------------------------------------

    @handler
    def leaves(self, msg: Msg, replica: Replica) -> None:
        """A message has left its queue, in one way or another (C4.4, D8 L12, INV-F3)."""
        self.holders[msg].discard(self.replicas[replica].of)
        self.part_from(msg, replica)

    @handler
    def set_aside(self, msg: Msg, replica: Replica) -> None:
        """A message is dead, and waits for its way into other queues (Q12.2)."""
        self.dead[self.replicas[replica].of].add(msg)
        self.replicas[replica].set_aside(msg)

    @handler
    def part_from(self, msg: Msg, replica: Replica) -> None:
        """Nothing of a message is left with a master: its mirrors hear of it (C4.4, D2.1)."""
        self.release_body(msg, replica)
        for mirror in self.mirrors_of(replica):
            self.multicast.tell_removal(msg, mirror)
            if self.replicas[mirror].born == Born.LATER:
                self.told_gone[msg].add(mirror)

    @handler
    def shorten(self, replica: Replica) -> None:
        """A master that is over its limit drops its oldest messages (B5.2, B5.7, B7.3).

        What a master has handed out is ready on a mirror, and does not count there.
        """
        if self.replicas[replica].leads() and self.replicas[replica].overflows():
            surplus = set(self.replicas[replica].surplus())
            for msg in surplus:
                self.replicas[replica].drop(msg)
                self.leaves(msg, replica)
            self.replicas[replica].displace(surplus)

    @handler
    def apply_limit(self, replica: Replica) -> None:
        """A master begins, with what was handed out before as well, which may be too much (B5.2).

        One that drops does so, and one that refuses keeps it: it was told to drop nothing (B5.7).
        """
        self.shorten(replica)

    @fault
    def drop(self, msg: Msg, replica: Replica) -> None:
        """The head of a queue expires, or is purged (B4.2, B4.3, B8.4, C4.4).

        A queue that dead-letters sets aside what expires (`expire`); what is purged is gone.  No
        fault of anybody's, but an instance says how often it may happen.
        """
        require(self.replicas[replica].leads())
        require(self.replicas[replica].head() == msg)
        if self.dead_letters(replica):
            self.purged[self.replicas[replica].of].add(msg)
        self.replicas[replica].drop(msg)
        self.replicas[replica].displace({msg})
        self.leaves(msg, replica)

    # -- unnamed consumers ----------------------------------------------------------------------

    @action
    def pass_by(self, msg: Msg, replica: Replica) -> None:
        """A message arrives at an empty queue where a consumer without acks waits (B3.3).

        The same happens to a message that expires at once, where no consumer waits (B4.1).
        """
        twice = self.acks_twice(msg, replica)
        blocked = self.storing[replica].blocks()
        require(self.consumers and self.casts[Msg.owner(msg)].next_for(replica) == msg)
        require(self.replicas[replica].leads() and self.reaches(replica))
        require(not self.replicas[replica].ready and not self.replicas[replica].recognises(msg))
        require(not self.replicas[replica].refuses())
        self.casts[Msg.owner(msg)].receive(msg, replica)
        self.hand_past(msg, replica)
        self.take_from_channel(msg, replica, twice, blocked)

    @action
    def take(self, msg: Msg, replica: Replica) -> None:
        """A consumer gets the head of a queue, and will acknowledge it (B3.2, D2.4)."""
        require(self.consumers and self.replicas[replica].leads())
        require(self.replicas[replica].head() == msg)
        self.replicas[replica].take(msg)

    @action
    def acknowledge(self, msg: Msg, replica: Replica) -> None:
        """A consumer acknowledges: the message is consumed there (B7.1, C4.4)."""
        require(self.consumers and self.replicas[replica].leads())
        require(msg in self.replicas[replica].pending)
        self.replicas[replica].acknowledge(msg)
        self.replicas[replica].displace({msg})
        self.leaves(msg, replica)

    @action
    def requeue(self, msg: Msg, replica: Replica) -> None:
        """A consumer gives the message back, or goes away without a word (B7.2, B7.3, B7.5)."""
        require(self.consumers and self.replicas[replica].leads())
        require(msg in self.replicas[replica].pending)
        self.replicas[replica].requeue(msg)
        self.shorten(replica)
