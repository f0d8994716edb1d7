"""Failing: processes crash, nodes and machines go down, queues are deleted, the channel closes.

The channel and each process of a queue are on nodes of their own, except for `crash_node` and
`crash_machine`, which hit all of them.

Each of these is a fault: an instance says how often it may happen.  What comes after it (a
restart, a promotion) comes by itself.
"""

from __future__ import annotations

from ackproof.spec.lang import action, fault, handler, helper, require
from ackproof.spec.mirroring import Mirroring
from ackproof.spec.sorts import Msg, Queue, Reason, Replica, Status

__all__ = ["Failing"]


class Failing(Mirroring):
    """What goes wrong, and how it is mended (A9, A14, C5)."""

    # -- queues and their processes -------------------------------------------------------------

    @fault
    def delete_queue(self, queue: Queue) -> None:
        """A queue is deleted, its processes end normally (A9.3, D8 L8)."""
        require(self.exists(queue))
        require(any(self.replicas[r].of == queue and self.replicas[r].leads() for r in Replica))
        for replica in {r for r in Replica if self.replicas[r].of == queue}:
            if self.replicas[replica].status == Status.RUNNING:
                self.network.end(replica, self.news(replica, Reason.NORMAL))
            self.replicas[replica].delete()
        for msg in Msg:
            self.holders[msg].discard(queue)

    @helper
    def alone(self, replica: Replica) -> bool:
        """Tell whether no other process of the same queue runs (C5.1)."""
        return all(
            self.replicas[r].status != Status.RUNNING or not self.present(r)
            for r in self.siblings(replica) - {replica}
        )

    @helper
    def present(self, replica: Replica) -> bool:
        """Tell whether a process has been started (D1.2)."""
        return self.replicas[replica].led() or self.replicas[replica].mirrors()

    @helper
    def last_to_answer(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether nobody else of its queue is left to accept a message (INV-A12)."""
        return self.replicas[replica].of in self.unaccepted[msg] and not any(
            self.replicas[r].status == Status.RUNNING
            and r in self.owing[msg]
            and self.network.downs[r] is None
            for r in self.siblings(replica) - {replica}
        )

    @helper
    def expects(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether an answer for a message is expected of this very process (INV-A9)."""
        if self.mirrored(replica):
            return replica in self.owing[msg]
        return self.replicas[replica].of in self.unaccepted[msg]

    @helper
    def news(self, replica: Replica, reason: Reason) -> Reason:
        """Return the reason for the end of a process that the channel will hear of (A9)."""
        return reason

    @fault
    def crash_queue(self, replica: Replica) -> None:
        """A process of a queue crashes; what it had sent still arrives (C5, D7.1, O1)."""
        require(self.replicas[replica].status == Status.RUNNING and self.present(replica))
        self.excused |= {
            m for m in Msg if self.expects(m, replica) and m not in self.replicas[replica].outbox
        }
        self.replicas[replica].crash()
        self.fall_silent(replica)
        self.network.end(replica, self.news(replica, Reason.ABNORMAL))

    @fault
    def lose_node(self, replica: Replica) -> None:
        """The node of a process is killed, and what the process had sent is lost with it (A9, C5).

        What would still have arrived had arrived before.
        """
        require(self.replicas[replica].status == Status.RUNNING and self.present(replica))
        self.excused |= {m for m in Msg if self.last_to_answer(m, replica)}
        self.replicas[replica].crash()
        self.replicas[replica].posted()
        self.replicas[replica].rejected()
        self.fall_silent(replica)
        self.network.end(replica, Reason.BENIGN)

    @handler
    def fall_silent(self, replica: Replica) -> None:
        """What a dead master told nobody is lost (D1.3)."""
        if self.replicas[replica].led():
            self.network.equalise(set(self.mirrors_of(replica)))

    @action(fair="weak")
    def restart(self, replica: Replica) -> None:
        """A master starts again from its files, if no other process of its queue is left (C5.1).

        Of several that were master, the last one (D8 L6), and none that was taken out of the
        record, where nobody would send it anything.  Not before the channel has heard of the death
        of the old one: a publish to the new process in between would be numbered above everything
        the DOWN settles, so no frame would differ (B8.5).
        """
        require(self.replicas[replica].status == Status.DOWN and self.replicas[replica].led())
        require(self.network.downs[replica] is None and self.alone(replica))
        require(self.listed(replica) and self.last_to_lead(replica))
        self.replicas[replica].recover()
        self.begin_anew(replica)

    @helper
    def last_to_lead(self, replica: Replica) -> bool:
        """Tell whether no process that came to lead after this one is in the record (D8 L6)."""
        return not any(
            self.replicas[r].led() and self.listed(r) for r in self.siblings(replica) if replica < r
        )

    @handler
    def begin_anew(self, replica: Replica) -> None:
        """Whoever started again owes nothing, and vouches for what it has on disk only (C5)."""
        for msg in Msg:
            self.owing[msg].discard(replica)
            self.backed[msg].discard(replica)
            if msg not in self.persistent or not self.replicas[replica].durable:
                self.vouchers[msg].discard(replica)

    # -- everything -----------------------------------------------------------------------------

    @fault
    def crash_node(self) -> None:
        """The one node that everything runs on is killed; the kernel keeps what it has (C5)."""
        require(any(self.replicas[r].status == Status.RUNNING for r in Replica))
        self.close_channel()
        self.network.vanish()
        for replica in Replica:
            if self.replicas[replica].status == Status.RUNNING:
                self.replicas[replica].crash()
            self.replicas[replica].posted()
            self.replicas[replica].rejected()

    @fault
    def crash_machine(self) -> None:
        """The one machine that everything runs on loses power: the disk keeps what it has (C5)."""
        require(any(self.replicas[r].status != Status.DELETED for r in Replica))
        self.close_channel()
        self.network.vanish()
        for replica in Replica:
            if self.replicas[replica].status != Status.DELETED:
                self.replicas[replica].lose_power()
            self.replicas[replica].posted()
            self.replicas[replica].rejected()

    @fault
    def close(self) -> None:
        """The channel closes, or its connection breaks; the queues go on (A14, A14.4).

        So it does when a publish fails one of its guards: nothing is routed, no number is taken,
        and what was not told before is never told (A2.4, A2.6, A3, L6.2).
        """
        require(self.channel.open)
        self.close_channel()

    @handler
    def close_channel(self) -> None:
        """The channel ends, whatever the reason (A14.1)."""
        self.channel.close()
