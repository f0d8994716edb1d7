"""A node: a disk, a broker, the sockets, and what holds them together.

The broker can go and come back while the disk stays, which is what a restart is: every connection
breaks, what no commit has brought to the disk is gone, and a new broker begins with what is there.
The port stays the same, and the history goes on.

Everything here runs in one event loop.  For another thread, see `ackproof.impl.running`; for
another process, `ackproof.impl.control.control_api`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ackproof.impl.access.directory import GUEST, User
from ackproof.impl.broker import Broker
from ackproof.impl.history.history import History
from ackproof.impl.options import Options
from ackproof.impl.server.server import Server
from ackproof.impl.session.session import Phase, Session
from ackproof.impl.steps.scheduler import Eager, Scheduler
from ackproof.impl.steps.seeded import Seeded
from ackproof.impl.storage.replica_disks import open_disks

if TYPE_CHECKING:
    from ackproof.impl.lockstep.lockstep import Lockstep

__all__ = ["Node"]

_LOG = logging.getLogger(__name__)


class Node:
    """One broker and all that it needs, served on a port.

    Args:
        options: what it is to be.

    Attributes:
        broker: the one that runs now.
        options: what it was asked to be.
        port: the one that is listened on.
        history: what has happened, over all restarts.

    Raises:
        DiskError: the directory cannot be used.
        ValueError: the definitions cannot be, and the text says why.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.port = options.port
        self.history = History(recording=options.recording, limit=options.remember)
        self._locksteps: list[Lockstep] = []
        self._changed = False
        self._disk = open_disks(options.directory, options.replicas)
        self._storage = options.wrap(self._disk)
        self._changing = asyncio.Lock()
        self._begin()

    def _define(self) -> None:
        """Make what the definitions say that there is."""
        if self.options.definitions is not None:
            from ackproof.impl.administration.definitions import read_definitions

            read_definitions(self.options.definitions).apply(self.broker)

    def _begin(self) -> None:
        options = self.options
        scheduler = Eager() if options.seed is None else Seeded(options.seed)
        stored = self._disk.recover()
        if options.users is not None and not self._changed:
            stored = stored.without_users()
        self.broker = Broker(
            scheduler,
            stored,
            options.vhosts,
            history=self.history,
            limits=options.limits,
            replicas=options.replicas,
            users=self._users(),
        )
        self.broker.version = options.version
        self.broker.immediate = options.immediate
        if options.lockstep:
            from ackproof.impl.lockstep.lockstep import Lockstep  # it compiles the specification

            self._locksteps.append(Lockstep(self.broker.steps))
        if not (self._changed and self.broker.kept):
            self._define()
        self._server = Server(self.broker, self._storage, options)

    def _users(self) -> Sequence[User]:
        """Return who may come in, unless the disk knows better."""
        options = self.options
        if options.users is not None:
            return options.users
        return () if options.definitions and options.definitions.get("users") else (GUEST,)

    async def start(self) -> int:
        """Listen; return the port.

        Raises:
            OSError: the address cannot be listened on.
        """
        self.port = await self._server.start(self.options.host, self.port, self.options.tls)
        return self.port

    async def stop(self) -> None:
        """Say goodbye to every client, commit what is left, and stop."""
        async with self._changing:
            self.broker.faults.clear()
            await self._server.stop()

    def close(self) -> None:
        """Let go of the disk."""
        self._disk.close()

    def pump(self) -> None:
        """Something was done to the broker from outside: let it have its effect."""
        self._server.pump()

    # -- what can be asked of it ----------------------------------------------------------------

    def complaints(self) -> list[str]:
        """Return what was found wrong: in the history, and by comparing, if that was asked for."""
        found = list(self.history.check.complaints)
        for lockstep in self._locksteps:
            try:
                lockstep.check()
            except AssertionError as deviation:
                found.append(str(deviation))
        return found

    def schedule(self, seed: int | None) -> None:
        """From now on, take steps in any order, drawn by this seed; None for the usual order.

        Commits stay with who made them before: the clock, or the seed the node was started with.
        After a restart the order is again as the node was started.
        """
        by_steps = self.broker.steps.scheduler.commits
        chosen: Scheduler = Eager() if seed is None else Seeded(seed, commits=by_steps)
        self.broker.reschedule(chosen)
        self.history.note("schedule", seed=seed)

    async def restart(self) -> None:
        """Crash the node and start it again: what was not synced is gone (C5).

        Faults that wait for something are forgotten.  Where it cannot start again, nobody can
        connect until it is asked for again, and can.

        Raises:
            DiskError: what is on the disk cannot be used.
            OSError: somebody else listens on its port now.
        """
        async with self._changing:  # or two would listen on one port
            _LOG.info("restarting: connections are cut, and what was not synced is lost")
            await self._server.kill()
            self.history.note("node_restarted")
            self._changed |= self.broker.kept
            self._begin()
            await self.start()

    def block(self, reason: str = "low on memory") -> None:
        """Read nothing more from connections that publish; those who want to know are told (E4).

        Args:
            reason: what they are told.
        """
        self._server.block(str(reason))
        self.history.note("fault", fault="block", reason=reason)

    def unblock(self) -> None:
        """Read again from connections that were blocked."""
        self._server.unblock()
        self.history.note("fault", fault="unblock")

    def clear_faults(self) -> None:
        """Disarm what has not struck, and release what is held or blocked."""
        self.broker.faults.clear()
        self.unblock()

    def faults(self) -> dict[str, Callable[..., Any]]:
        """Return everything that can be asked to go wrong, by name."""
        faults = self.broker.faults
        return {
            "crash_queue": faults.crash_queue,
            "delete_queue": faults.delete_queue,
            "kill_replica": faults.kill_replica,
            "restart_replica": faults.restart_replica,
            "slow_replica": faults.slow_replica,
            "release_replica": faults.release_replica,
            "partition": faults.partition,
            "notice_partition": faults.notice_partition,
            "pause_minority": faults.pause_minority,
            "heal": faults.heal,
            "restart_node": self.restart,
            "nack_next": faults.nack_next,
            "crash_next": faults.crash_next,
            "delete_next": faults.delete_next,
            "hold_fsync": faults.hold_fsync,
            "release_fsync": faults.release_fsync,
            "fail_writes": faults.fail_writes,
            "withhold_confirms": faults.withhold_confirms,
            "delay_confirms": faults.delay_confirms,
            "reorder_confirms": faults.reorder_confirms,
            "release_confirms": faults.release_confirms,
            "drop_connection": faults.drop_connection,
            "close_connection": faults.close_connection,
            "close_channel": faults.close_channel,
            "cut_connection": faults.cut_connection,
            "cancel_consumer": faults.cancel_consumer,
            "refuse_login": faults.refuse_login,
            "lose_acks": faults.lose_acks,
            "silence": faults.silence,
            "end_silence": faults.end_silence,
            "slow_output": faults.slow_output,
            "block": self.block,
            "unblock": self.unblock,
            "clear": self.clear_faults,
        }

    @property
    def sessions(self) -> list[Session]:
        """Return the connections that are open, in the order in which they came."""
        return [one for one in self._server.sessions if one.phase is Phase.RUNNING]

    @property
    def alarm(self) -> str:
        """Return why publishers are not listened to; empty if they are."""
        return self._server.alarm

    def queues(self) -> list[dict[str, Any]]:
        """Return what there is to know of each queue, fit for JSON."""
        return [
            {
                "vhost": vhost.name,
                "name": queue.name,
                "durable": queue.durable,
                "running": queue.running,
                "ready": len(queue.machine.ready),
                "unacked": len(queue.machine.pending),
                "unconfirmed": len(queue.machine.awaiting),
                **({} if queue.membership is None else {"replicas": queue.membership.describe()}),
            }
            for vhost in self.broker.vhosts.values()
            for queue in vhost.queues.values()
        ]
