"""Failing: processes crash, nodes and machines go down, queues are deleted.

The channels and each process of a queue are on nodes of their own, except for `crash_node`,
`stop_broker` and `crash_machine`, which hit all of them.

Each of these is a fault: an instance says how often it may happen.  What comes after it (a
restart, a promotion) comes by itself.
"""

from __future__ import annotations

from ackproof.lang import Set, action, fault, handler, helper, require
from ackproof.spec.closing import Closing
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Queue, Reason, Replica, Status

__all__ = ["Failing"]


class Failing(Closing):
    """What goes wrong, and how it is mended (A9, C5)."""

    # -- queues and their processes -------------------------------------------------------------

    @fault
    def delete_queue(self, queue: Queue) -> None:
        """A queue is deleted, its processes end normally (A9, A9.3, D8 L8, F3.3).

        What only mirrors were to answer is nacked: their end is not that of the queue.  So is a
        copy of what is dead elsewhere, which has not got there (Q12.5).
        """
        require(any(self.replicas[r].leads() for r in Replica if self.replicas[r].of == queue))
        processes = {r for r in Replica if self.replicas[r].of == queue}
        asked = {r for r in processes if self.replicas[r].leads()}
        self.excused |= {
            m
            for m in Msg
            if queue in self.unaccepted[m]
            if not any(
                self.expects(m, r) and self.casts[Msg.owner(m)].downs[r] is None for r in asked
            )
        }
        self.excused |= {
            m
            for m in Msg
            if not self.of_client(Msg.owner(m))
            if self.channels[Msg.owner(m)].unconfirmed[m] & processes
        }
        for replica in processes:
            if self.replicas[replica].status == Status.RUNNING:
                self.end_process(replica, self.news(replica, self.normal_end(replica)))
            self.replicas[replica].delete()
            self.part_from_bodies(replica)
            self.forget_process(replica)
        for msg in Msg:
            self.holders[msg].discard(queue)
        self.lose_consumers(processes)

    @fault
    def crash_queue(self, replica: Replica) -> None:
        """A process of a queue crashes; what it had sent still arrives (C5, D7.1, O1)."""
        require(self.replicas[replica].status == Status.RUNNING and self.present(replica))
        self.struck.add(replica)
        self.excused |= {
            m for m in Msg if self.expects(m, replica) and m not in self.replicas[replica].outbox
        }
        self.replicas[replica].crash()
        self.part_from_bodies(replica)
        self.fall_silent(replica)
        self.end_process(replica, self.news(replica, Reason.ABNORMAL))
        self.forget_process(replica)
        self.lose_consumers({replica})

    @fault
    def lose_node(self, replica: Replica) -> None:
        """The node of a process is killed, and what the process had sent is lost with it (A9, C5).

        What would still have arrived had arrived before.  Queues whose bodies lie in one store are
        on one node, which only fails as a whole (`crash_node`).
        """
        require(self.replicas[replica].status == Status.RUNNING and self.present(replica))
        require(not self.replicas[replica].store.apart)
        self.struck.add(replica)
        self.leave(replica)

    @fault
    def stop_node(self, replica: Replica) -> None:
        """The node of a process is stopped in an orderly way: its files are complete (B8.5, D5.4).

        Of a master: a mirror that is synchronised takes over.  If there is none, the others stop as
        well, and the queue waits for this node, with all that it is to keep.
        """
        require(self.replicas[replica].status == Status.RUNNING and self.present(replica))
        require(not self.replicas[replica].store.apart)
        self.struck.add(replica)
        self.stopped.add(replica)
        if self.replicas[replica].durable:
            self.entrusted[replica] |= self.replicas[replica].holds() & self.persistent
        self.replicas[replica].store.save()
        self.leave(replica)

    @handler
    def leave(self, replica: Replica) -> None:
        """A process and its node are gone, and what the two had sent (A9, C5)."""
        self.perish(replica, Reason.BENIGN)
        self.fall_silent(replica)
        self.lose_bumps(replica)
        self.lose_consumers({replica})

    @handler
    def fall_silent(self, replica: Replica) -> None:
        """What a dead master told nobody is lost (D1.3)."""
        if self.replicas[replica].led():
            self.multicast.equalise(set(self.mirrors_of(replica)))

    @handler
    def lose_consumers(self, replicas: Set[Replica]) -> None:
        """Processes have ended: what they handed out is nobody's, their consumers are gone (F3.3).

        Across a partition that is not known before a process is given up, or in reach again.
        """
        self.lose_deliveries(replicas)
        self.cancel_all({r for r in replicas if self.reaches(r) or self.given_up(r)})

    @action(fair="weak")
    def restart(self, replica: Replica) -> None:
        """A master starts again from its files, if no other process of its queue is left (C5.1).

        Of several that were master, the last one (D8 L6), and none that was taken out of the
        record, where nobody would send it anything.  Not before the channels have heard of the
        death of the old one: a publish to the new process in between would be numbered above
        everything the DOWN settles, so no frame would differ (B8.5).  Nor on a node that has
        stopped, before it sees the others again (A12.2, D9).

        What a consumer had is ready again, and may be too much (B5.2).
        """
        require(self.replicas[replica].status == Status.DOWN and self.replicas[replica].led())
        require(not self.unheard(replica) and self.alone(replica))
        require(self.listed(replica) and self.last_to_lead(replica))
        require(not self.stands(replica))
        self.replicas[replica].recover()
        self.struck.discard(replica)
        self.stopped.discard(replica)
        self.entrusted[replica].clear()
        self.begin_anew(replica)
        self.apply_limit(replica)

    @handler
    def begin_anew(self, replica: Replica) -> None:
        """Whoever started again owes nothing, and vouches for what it has on disk only (C5).

        What it had cast, and its channel had not got, was cast when it was given up (A9).
        """
        self.replicas[replica].silence()
        self.courier.forget({m for m in Msg if self.carries_for(Msg.owner(m), replica)})
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
        self.struck |= self.running()
        self.go_down()

    @fault
    def stop_broker(self) -> None:
        """That node is stopped in an orderly way: its files are complete (B8.5, C5)."""
        require(any(self.replicas[r].status == Status.RUNNING for r in Replica))
        self.struck |= self.running()
        self.stopped |= self.running()
        for replica in Replica:
            if self.replicas[replica].durable:
                self.entrusted[replica] |= self.replicas[replica].holds() & self.persistent
        self.bodies.save()
        for replica in Replica:
            if self.replicas[replica].status == Status.RUNNING:
                self.replicas[replica].store.save()
        self.go_down()

    @helper
    def running(self) -> Set[Replica]:
        """Return the processes that have not ended (C5)."""
        return {r for r in Replica if self.replicas[r].status == Status.RUNNING}

    @handler
    def go_down(self) -> None:
        """Everything on the one node ends, and what is in its files remains (C5)."""
        self.vanish()
        self.bodies.crash()
        for replica in Replica:
            if self.replicas[replica].status == Status.RUNNING:
                self.replicas[replica].crash()
            self.part_from_bodies(replica)
            self.replicas[replica].silence()
            self.forget_process(replica)

    @fault
    def crash_machine(self) -> None:
        """The one machine that everything runs on loses power: the disk keeps what it has (C5)."""
        require(any(self.replicas[r].status != Status.DELETED for r in Replica))
        self.struck |= self.running()
        self.vanish()
        self.bodies.lose_power()
        for replica in Replica:
            if self.replicas[replica].status != Status.DELETED:
                self.replicas[replica].lose_power()
            self.part_from_bodies(replica)
            self.replicas[replica].silence()
            self.forget_process(replica)

    @handler
    def vanish(self) -> None:
        """All channels are gone, with their consumers and with what was on its way (C5, F3.2)."""
        for channel in sorted(ChannelId):
            self.shut_down(channel)
            self.casts[channel].vanish()
            if self.tagged:
                self.consuming[channel].close()
        self.multicast.vanish()
        self.acks_across.clear()
        for consumer in Consumer:
            self.subscriptions[consumer].stop()
