"""Renewing: a queue that was deleted is declared again.

A queue has a name, and a name may be given again.  What is declared then is another queue: with
other processes, with nothing in it, and perhaps with other arguments.  Messages on their way to the
first never get into the second, and nobody who waits for the one is answered by the other (A9.5).

So here each is a `Queue` of its own, and what a queue is to a client is one after the other of
them.  `QueueProcess.after` says of a process whose name its queue takes over: it is not there
before that one is deleted, and somebody declares the name again.  The news of the first one's end
may take its time, so that a channel may hear of it while it waits for the second.

What a transaction has routed to the first goes nowhere if that is deleted before the commit.
RabbitMQ looks the name up again at the commit, and finds the second.
"""

from __future__ import annotations

from ackproof.lang import action, helper, require
from ackproof.spec.failing import Failing
from ackproof.spec.sorts import Queue, Replica, Status

__all__ = ["Renewing"]


class Renewing(Failing):
    """Names of queues are given again (A9.5)."""

    @action
    def declare(self, queue: Queue) -> None:
        """A queue is declared under a name that another one had, which is deleted (A9.5)."""
        require(any(self.replicas[r].of == queue and self.name_is_free(r) for r in Replica))
        for replica in Replica:
            if self.replicas[replica].of == queue:
                self.replicas[replica].declare()

    @helper
    def name_is_free(self, replica: Replica) -> bool:
        """Tell whether a process waits for a name that nobody has any more (A9.5)."""
        return not self.replicas[replica].declared and any(
            self.replicas[r].of == self.replicas[replica].after
            and self.replicas[r].status == Status.DELETED
            for r in Replica
        )
