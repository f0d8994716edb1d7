"""What can be asked to go wrong, and which step of the specification each of it is.

A fault never makes the broker do what the specification does not allow.  It takes one of its
steps at a moment that a test chooses, or it keeps one from being taken for a while:

====================  =============================================================================
crash_queue           the fault `crash_queue`: the process dies, what it owes is nacked (A9, C5)
delete_queue          the fault `delete_queue`: what it owes is acked (A9.3)
crash_next            the fault `crash_queue` between the steps `deliver` and `sync`
delete_next           the fault `delete_queue` at the same moment
nack_next             the handler `refuse`, as if the queue was full with the overflow behaviour
                      reject-publish (B5.4): the message is in no queue and is nacked, once
hold_fsync            no step `sync`: a commit does not return, and none begins
fail_writes           no step `sync` either: the disk refuses a commit, which is tried again
withhold_confirms     no step `flush` or `complete`, as while the partition guard says so (A10.4,
                      A12.6)
delay_confirms        the same for one channel
reorder_confirms      no step `sync`, `confirm_arrives` and `reject_arrives` of some messages, until
                      it is their turn (C2.4, A8.5)
kill_replica          the fault `lose_node`: one process of a mirrored queue is gone (D5, D7.1)
restart_replica       the actions `join`, `enlist`, and by and by `synchronise` (D1.2, D7.3)
slow_replica          none of the steps of one mirror
partition             the fault of the same name, and by and by the actions `notice`, `estrange`,
                      `pause` and `halt` (A12, D9)
notice_partition      the first two of these now
pause_minority        the others now, too
heal                  the action of the same name, then `join` for each process that has ended
drop_connection       the fault `close`, right before or right after a `flush` or `complete` (A14.3)
close_connection      the fault `close` (A14.3), for all of its channels
close_channel         the same, for one
cut_connection        the same for all, and nobody is told
cancel_consumer       the action `cancel`, of which the client hears as of a deleted queue (F3.3)
lose_acks             the action `reject` with requeue, in the place of `ack`
silence               none: what is said comes late, until `end_silence`
slow_output           none: it comes in pieces
refuse_login          none: there is no connection
====================  =============================================================================

Those that are about a publish strike when their trigger says so (`ackproof.impl.faults.trigger`); a
publish of a transaction counts as one when it is committed.  What was asked for is in the history
when it has happened, as a `fault`.
"""

from __future__ import annotations

from typing import Any

from ackproof.impl.faults.confirm_faults import ConfirmFaults
from ackproof.impl.faults.connection_faults import ConnectionFaults
from ackproof.impl.faults.disk_faults import DiskFaults
from ackproof.impl.faults.partition_faults import PartitionFaults
from ackproof.impl.faults.trigger import trigger_for

__all__ = ["Faults"]


class Faults(PartitionFaults, DiskFaults, ConfirmFaults, ConnectionFaults):
    """The faults of a broker: those under way, and those that wait for their publish."""

    def crash_queue(self, name: str, vhost: str = "/") -> None:
        """Crash the process of a queue, which restarts from its files (C5, A9).

        What the queue had not confirmed is nacked; what it had only in memory is lost.

        Raises:
            LookupError: there is no queue of this name.
            ValueError: its process is down already.
        """
        queue = self._queue(name, vhost, "crash")
        if not queue.running:
            raise ValueError(f"queue {name!r} is down already")
        self._note("crash_queue", queue=name, vhost=vhost)
        self._broker.crash_queue(name, vhost)

    def delete_queue(self, name: str, vhost: str = "/") -> None:
        """Delete a queue with all its messages; what it had not confirmed is acked (A9.3).

        Raises:
            LookupError: there is no queue of this name.
            ValueError: it is on the other side of a partition.
        """
        queue = self._queue(name, vhost, "delete")
        if not self._broker.steps.sides.reaches(queue):
            raise ValueError(
                f"queue {name!r} is led by nobody on the clients' side; heal the partition first"
            )
        self._note("delete_queue", queue=name, vhost=vhost)
        self._broker.vhosts[vhost].delete(queue)
        self._broker.run(idle=True)

    def crash_next(self, /, n: int | None = 1, **about: Any) -> None:
        """Crash the queues that the next publishes are routed to, as they have taken them in.

        What the queues owe is nacked, and what they had not given to the disk is lost.

        Args:
            n: of how many publishes.
            about: which, see `ackproof.impl.faults.trigger.Trigger`.

        Raises:
            ValueError: something is of the wrong type, or out of range.
            TypeError: there is nothing of that name to choose by.
        """
        self._watched_triggers().crashing.append(
            self._armed("crash_next", trigger_for(n, about), **about)
        )

    def delete_next(self, /, n: int | None = 1, **about: Any) -> None:
        """Delete the queues that the next publishes are routed to, as they have taken them in.

        What the queues owe is acked (A9.3).

        Args:
            n: how many publishes have that effect.
            about: which, see `ackproof.impl.faults.trigger.Trigger`.

        Raises:
            ValueError: something is of the wrong type, or out of range.
            TypeError: there is nothing of that name to choose by.
        """
        self._watched_triggers().deleting.append(
            self._armed("delete_next", trigger_for(n, about), **about)
        )

    def nack_next(self, /, n: int | None = 1, **about: Any) -> None:
        """Refuse the next publishes in confirm mode that are routed to a queue.

        Args:
            n: how many.
            about: which, see `ackproof.impl.faults.trigger.Trigger`.

        Raises:
            ValueError: something is of the wrong type, or out of range.
            TypeError: there is nothing of that name to choose by.
        """
        self._watched_triggers().refusing.append(
            self._armed("nack_next", trigger_for(n, about), **about)
        )

    def clear(self) -> None:
        """Disarm what has not struck, and release what is held."""
        self._failing.clear()
        self._clear_connections()
        self._heal_all()
        self._release_replicas()
        self.release_fsync()
        self.release_confirms()
        self._forget_triggers()
        self._broker.steps.context.faults = None
