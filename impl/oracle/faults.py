"""What can be asked to go wrong, and which step of the specification each of it is.

A fault never makes the broker do what the specification does not allow.  It takes one of its
steps at a moment that a test chooses, or it keeps one from being taken for a while:

====================  =============================================================================
crash_queue           the fault `crash_queue`: the process dies, what it owes is nacked (A9, C5)
delete_queue          the fault `delete_queue`: what it owes is acked (A9.3)
crash_next            the fault `crash_queue` between the steps `deliver` and `sync`
nack_next             the handler `refuse`, as if the queue was full with the overflow behaviour
                      reject-publish (B5.4): the message is in no queue and is nacked, once
hold_fsync            no step `sync`: a commit does not return, and none begins
fail_writes           no step `sync` either: the disk refuses a commit, which is tried again
withhold_confirms     no step `flush`, as while the partition guard says so (A10.4, A12)
delay_confirms        the same for one channel
kill_replica          the fault `lose_node`: one process of a mirrored queue is gone (D5, D7.1)
restart_replica       the actions `join`, `enlist`, and by and by `synchronise` (D1.2, D7.3)
slow_replica          none of the steps of one mirror
drop_connection       the fault `close`, right before or right after a `flush` (A14.3)
====================  =============================================================================

Those that are about a publish strike when their trigger says so (`ackproof.impl.oracle.trigger`).
What was asked for is in the history when it has happened, as a `fault`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ackproof.impl.oracle.armed import Armed
from ackproof.impl.oracle.replica_faults import ReplicaFaults
from ackproof.impl.oracle.trigger import made
from ackproof.impl.steps.scheduler import Action, Step

if TYPE_CHECKING:
    from ackproof.impl.broker import Broker
    from ackproof.impl.storage.journal import Batch

__all__ = ["Faults"]


class Faults(ReplicaFaults):
    """The faults of a broker: those under way, and those that wait for their publish.

    Attributes:
        withheld: batches that are on the disk, while no commit may return.
    """

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._armed = Armed(broker.history)
        self._failing = 0
        self.withheld: list[Batch] = []

    # -- queues ---------------------------------------------------------------------------------

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
        """
        queue = self._queue(name, vhost, "delete")
        self._note("delete_queue", queue=name, vhost=vhost)
        self._broker.vhosts[vhost].delete(queue)
        self._broker.run(idle=True)

    def crash_next(self, n: int | None = 1, **about: Any) -> None:
        """Crash the queues that the next publishes are routed to, as they have taken them in.

        What the queues owe is nacked, and what they had not given to the disk is lost.

        Args:
            n: of how many publishes.
            about: which, see `ackproof.impl.oracle.trigger.Trigger`.

        Raises:
            ValueError: something is of the wrong type, or out of range.
            TypeError: there is nothing of that name to choose by.
        """
        self._arm().crashing.append(made(n, about))

    def nack_next(self, n: int | None = 1, **about: Any) -> None:
        """Refuse the next publishes in confirm mode that are routed to a queue.

        Args:
            n: how many.
            about: which, see `ackproof.impl.oracle.trigger.Trigger`.

        Raises:
            ValueError: something is of the wrong type, or out of range.
            TypeError: there is nothing of that name to choose by.
        """
        self._arm().refusing.append(made(n, about))

    # -- the disk -------------------------------------------------------------------------------

    def hold_fsync(self) -> None:
        """From now on no commit returns: nothing persistent is confirmed, publishers wait."""
        self._broker.journal.held = True
        self._note("hold_fsync")

    def release_fsync(self) -> None:
        """Commits return again, those that were held first."""
        broker = self._broker
        broker.journal.held = False
        self._note("release_fsync")
        withheld, self.withheld = self.withheld, []
        for batch in withheld:
            broker.steps.committed(batch)
        if broker.steps.batch is not None:
            broker.steps.scheduler.offer(Step(Action.COMMIT, None, None))

    def fail_writes(self, n: int = 1) -> None:
        """Let the disk refuse the next commits; each is tried again a second later.

        Args:
            n: how many times in a row.

        Raises:
            ValueError: that is less than once.
        """
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            raise ValueError(f"n is {n!r}; it must be 1 or more")
        self._failing += n

    def write_fails(self) -> bool:
        """Tell whether a commit is to fail, and count it."""
        if not self._failing:
            return False
        self._failing -= 1
        self._note("fail_writes")
        return True

    # -- telling --------------------------------------------------------------------------------

    def withhold_confirms(self) -> None:
        """Let no channel tell its publisher anything, as the partition guard does (A12)."""
        self._arm().guarded = True
        self._note("withhold_confirms")

    def delay_confirms(self, n: int | None = 1, **about: Any) -> None:
        """Let the channel of the next publishes tell its publisher nothing, until released.

        Args:
            n: of how many publishes.
            about: which, see `ackproof.impl.oracle.trigger.Trigger`.

        Raises:
            ValueError: something is of the wrong type, or out of range.
            TypeError: there is nothing of that name to choose by.
        """
        self._arm().delaying.append(made(n, about))

    def release_confirms(self) -> None:
        """Let all channels tell again; what is settled by now is told together."""
        self._note("release_confirms")
        for channel in self._armed.release():
            self._broker.steps.scheduler.offer(Step(Action.FLUSH, channel, None))

    def drop_connection(
        self,
        when: Literal["before_confirm", "after_confirm"] = "before_confirm",
        n: int | None = 1,
        **about: Any,
    ) -> None:
        """Break the connection of the next publishes, when they are settled.

        Args:
            when: before the publisher is told, or after that has been written.
            n: how many times.
            about: which publishes, see `ackproof.impl.oracle.trigger.Trigger`.

        Raises:
            ValueError: there is no such moment, or something is of the wrong type or out of range.
            TypeError: there is nothing of that name to choose by.
        """
        moments = ("before_confirm", "after_confirm")
        if when not in moments:
            raise ValueError(f"when is {when!r}; it must be one of {', '.join(moments)}")
        self._arm().cutting.append((made(n, about), when == "after_confirm"))

    def clear(self) -> None:
        """Disarm what has not struck, and release what is held."""
        self._failing = 0
        self._release_replicas()
        self.release_fsync()
        self.release_confirms()
        self._armed = Armed(self._broker.history)
        self._broker.steps.faults = None

    def _arm(self) -> Armed:
        """Return what steps ask; from now on they do."""
        self._broker.steps.faults = self._armed
        return self._armed
