"""Serving: messages leave the queues.

Nobody asks here who consumes, on which channel, and with which delivery tag: consumers are unnamed,
take what they get, and acknowledge, put back or lose it.  For publisher confirms that is all that
matters: a message that was consumed needs no disk any more (C4).  `consumers=False` switches them
off, where an instance has other things to look at or consumers with names.
"""

from __future__ import annotations

from ackproof.spec.lang import Const, action, fault, require
from ackproof.spec.publishing import Publishing
from ackproof.spec.sorts import Msg, Replica

__all__ = ["Serving"]


class Serving(Publishing):
    """Unnamed consumers, expiry and purges (B3, B4, B7)."""

    consumers: Const[bool] = True

    @action
    def pass_by(self, msg: Msg, replica: Replica) -> None:
        """A message arrives at an empty queue where a consumer without acks waits (B3.3).

        The same happens to a message that expires at once, where no consumer waits (B4.1).
        """
        require(self.consumers and self.network.next_for(replica) == msg)
        require(self.replicas[replica].leads() and self.reaches(replica))
        require(not self.replicas[replica].ready and not self.replicas[replica].recognises(msg))
        require(not self.replicas[replica].refuses())
        self.network.receive(msg, replica)
        self.hand_past(msg, replica)

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
        self.leaves(msg, replica)

    @action
    def requeue(self, msg: Msg, replica: Replica) -> None:
        """A consumer gives the message back, or goes away without a word (B7.2, B7.3, B7.5)."""
        require(self.consumers and self.replicas[replica].leads())
        require(msg in self.replicas[replica].pending)
        self.replicas[replica].requeue(msg)
        self.shorten(replica)

    @fault
    def drop(self, msg: Msg, replica: Replica) -> None:
        """The head of a queue expires, or is purged (B4.2, B4.3, B8.4, C4.4).

        No fault of anybody's, but an instance says how often it may happen.
        """
        require(self.replicas[replica].leads())
        require(self.replicas[replica].head() == msg)
        self.replicas[replica].drop(msg)
        self.leaves(msg, replica)
