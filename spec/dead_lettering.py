"""Dead-lettering, at least once: what dies in a queue is kept until others have it.

A message that expires, or that a consumer rejects for good, is *dead*.  Most queues let go of it,
and whatever they publish of it elsewhere nobody tracks: for whoever published it, it is consumed
(B4.4).  A quorum queue may be told to do better (Q12.1).  It sets the message aside, where it still
counts against the limit; a copy is published to the queues where its dead go, with confirms; and
the queue lets go when all of them have it (Q12.2).

For the broker the copy is a message like any other, and takes the same steps; so all that is
promised of messages is promised of it.  What is new is the promise that joins the two: what was
acked and has died is in the queues where the dead go, perhaps more than once, or where it was.

The specification has no quorums.  A queue that dead-letters is one process here, whose disk stands
for that of a majority, and the end of the process for a change of leaders (Q12.4).  It refuses what
it has no room for, as it must (Q12.1).
"""

from __future__ import annotations

from ackproof.lang import Set, action, fault, helper, require
from ackproof.spec.publishing import Publishing
from ackproof.spec.sorts import Msg, Queue, Replica, TxMode

__all__ = ["DeadLettering"]


class DeadLettering(Publishing):
    """Dead messages are published again, inside the broker, until others have them (Q12)."""

    @fault
    def expire(self, msg: Msg, replica: Replica) -> None:
        """The head of a queue that dead-letters expires (Q12.2).

        No fault of anybody's, but an instance says how often it may happen.
        """
        require(self.dead_letters(replica) and self.replicas[replica].leads())
        require(self.replicas[replica].head() == msg)
        self.set_aside(msg, replica)

    @helper
    def copies_of(self, dead: Msg, replica: Replica) -> Set[Msg]:
        """Return the copies of a message that a queue waits for, or has an ack for (Q12.2)."""
        return {
            k
            for k in Msg
            if self.courier.original[k] == dead and self.carries_for(Msg.owner(k), replica)
            if k not in self.courier.abandoned
        }

    @helper
    def to_reach(self, dead: Msg, replica: Replica) -> Set[Queue]:
        """Return the queues that the next copy of a message is for: all that are there (Q12.2).

        RabbitMQ leaves out those that have confirmed one before (Q12.3).
        """
        return {q for q in self.graves(replica) if self.exists(q)}

    @action(fair="weak")
    def dead_letter(self, msg: Msg, dead: Msg, replica: Replica) -> None:
        """A copy of what was set aside is published to the queues where the dead go (Q12.2).

        None is under way, or has been acked (Q12.3).  If there is no queue to go to, the dead stay
        where they are (Q12.3).
        """
        channel = Msg.owner(msg)
        require(self.carries_for(channel, replica) and dead in self.replicas[replica].aside)
        require(self.copies_of(dead, replica) <= self.courier.nacked)
        require(self.transactions[channel].mode == TxMode.NONE)
        require(self.channels[channel].next_seq == msg)
        targets = set(self.to_reach(dead, replica))
        require(bool(targets))
        self.channels[channel].serve()
        self.enter(msg, targets, False, dead in self.persistent)
        self.courier.send(msg, dead)

    @helper
    def has_arrived(self, dead: Msg, replica: Replica) -> bool:
        """Tell whether all queues have a copy: one was acked (Q12.2)."""
        return bool(self.copies_of(dead, replica) & self.courier.acked)

    @action(fair="weak")
    def let_go(self, dead: Msg, replica: Replica) -> None:
        """All queues have a copy, and the original leaves its queue (Q12.2, C4.4)."""
        require(dead in self.replicas[replica].aside)
        require(self.has_arrived(dead, replica))
        self.replicas[replica].pass_on(dead)
        self.replicas[replica].displace({dead})
        self.leaves(dead, replica)
