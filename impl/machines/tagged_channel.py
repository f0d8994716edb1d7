"""The channel of consumers, as a program with many deliveries keeps it.

It is the specification's (`ackproof.spec.consumer`), and does the same; what it says here it says
so that it costs what is settled, and not what is open.  What is unacknowledged is in the order of
its tags: what a client settles up to a tag is found at the front.  And it knows from which
processes it may have something: when another one ends, nothing has to be looked at.
"""

from __future__ import annotations

from itertools import takewhile

from ackproof.impl.machines.publication import without_content
from ackproof.lang import Option, Set, handler, helper
from ackproof.spec.consumer import ConsumerChannel, Delivery
from ackproof.spec.sorts import Replica, Tag

__all__ = ["TaggedChannel"]


class TaggedChannel(ConsumerChannel):
    """A channel whose deliveries are in the order of their tags (F1, F2)."""

    lent: Set[Replica]  # the processes that something unsettled may have come from

    @handler
    def count(self, tag: Tag, delivery: Delivery, no_ack: bool) -> None:
        """A delivery takes its tag; who it is from matters while it is not settled (F1.1, F3.3)."""
        super().count(tag, delivery, no_ack)
        if not no_ack and delivery.replica is not None:
            self.lent.add(delivery.replica)

    @handler
    def orphan(self, replicas: Set[Replica]) -> None:
        """Processes have ended: what came from them, if anything did, is nobody's (F3.3)."""
        if self.lent & replicas:
            super().orphan(replicas)
            self.lent -= replicas

    @handler
    def close(self) -> None:
        """Close the channel, and forget from whom it has anything (F3.2)."""
        super().close()
        self.lent.clear()

    @helper
    def named(self, tag: Option[Tag], multiple: bool) -> Set[Tag]:
        """Return the deliveries that a client settles (F1.2)."""
        if tag is None:
            return set(self.unacked)
        if not multiple:
            return {tag} if tag in self.unacked else set()
        return set(takewhile(tag.__ge__, self.unacked))

    @helper
    def orphaned(self, delivery: Option[Delivery], replicas: Set[Replica]) -> Option[Delivery]:
        """What its process has lost is settled by its tag, and nobody asks for its content."""
        if delivery is not None and delivery.replica in replicas:
            return Delivery(without_content(delivery.msg), None, delivery.consumer)
        return delivery

    @handler
    def restore(self) -> None:
        """A rollback gives back what was collected, which goes to its places (A13.6)."""
        mixed = bool(self.collected)
        super().restore()
        if mixed:
            ordered = sorted(self.unacked.items())
            self.unacked.clear()
            self.unacked.update(ordered)
