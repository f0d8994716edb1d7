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
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ackproof.impl.access.directory import GUEST, User
from ackproof.impl.broker import Broker
from ackproof.impl.faults.calling import OF_BROKER, check_arguments, no_fault
from ackproof.impl.faults.faults import Faults
from ackproof.impl.history.history import History
from ackproof.impl.options import Options
from ackproof.impl.server.server import Server
from ackproof.impl.session.session import Phase, Session
from ackproof.impl.staging.scenario_options import fitted
from ackproof.impl.staging.scenario_run import ScenarioRun
from ackproof.impl.steps.scheduler import Eager, Scheduler
from ackproof.impl.steps.seeded import Seeded
from ackproof.impl.storage.replica_disks import open_disks

if TYPE_CHECKING:
    from ackproof.impl.lockstep.lockstep import Lockstep

__all__ = ["Node", "known_faults"]

_LOG = logging.getLogger(__name__)

#: The faults that are a node's own, by name, and what does them.
_OWN = {
    "restart_node": "restart",
    "block": "block",
    "unblock": "unblock",
    "clear": "clear_faults",
}


class Node:
    """One broker and all that it needs, served on a port.

    Args:
        options: what it is to be.

    Attributes:
        broker: the one that runs now.
        over: set when that one runs no more.
        options: what it was asked to be.
        port: the one that is listened on.
        history: what has happened, over all restarts.
        scenarios: what is recorded, and played; None if nothing is.

    Raises:
        DiskError: the directory cannot be used.
        OSError: the file for a scenario cannot be written.
        ValueError: the definitions cannot be, or the scenario, and the text says why.
    """

    def __init__(self, options: Options) -> None:
        if options.scenario is not None:
            options = fitted(options, options.scenario)
        self.options = options
        self.port = options.port
        self._begin_history()
        self._locksteps: list[Lockstep] = []
        self._changed = False
        self._disk = open_disks(options.directory, options.replicas)
        self._storage = options.wrap(self._disk)
        self._changing = asyncio.Lock()
        self._begin()

    def _begin_history(self) -> None:
        options = self.options
        self.history = History(recording=options.recording, limit=options.remember)
        watched = options.recording or options.scenario or options.record_scenario
        self.scenarios = ScenarioRun(options, self.fault) if watched else None

    def _define(self) -> None:
        """Make what the definitions say that there is."""
        if self.options.definitions is not None:
            from ackproof.impl.administration.definitions import read_definitions

            read_definitions(self.options.definitions).apply(self.broker)

    def _begin(self) -> None:
        options = self.options
        self.over = asyncio.Event()
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
        self._server = Server(self.broker, self._storage, options, self.scenarios)

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
            if self.scenarios is not None:
                self.scenarios.stop()
            self.broker.faults.clear()
            await self._server.stop()
            self.over.set()

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

        Raises:
            ValueError: it is no seed.
        """
        if seed is not None and type(seed) is not int:
            raise ValueError(f"seed is {seed!r}; give a whole number, or null for the usual order")
        by_steps = self.broker.steps.context.scheduler.commits
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
            await self._kill()
            self.history.note("node_restarted")
            self._changed |= self.broker.kept
            self._begin()
            await self.start()

    async def _kill(self) -> None:
        await self._server.kill()
        self.over.set()

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
        if self.scenarios is not None:
            self.scenarios.forget()

    async def reset(self) -> dict[str, list[str]]:
        """Begin again, as at the start: nothing and nobody is left, on the disk neither.

        Connections break.  Queues, exchanges, messages, users, permissions, faults and the history
        are gone, and what the options say is there again.  Clients that come meanwhile wait.

        Returns:
            what there was to complain of, as nobody can ask for it any more: `complaints`, and
            under `unstruck` the faults that were asked for and never struck.

        Raises:
            DiskError: the disk cannot be erased; what it has is there, and all else is gone.
        """
        async with self._changing:
            left = {"complaints": self.complaints(), "unstruck": self.unstruck()}
            if self.scenarios is not None:
                self.scenarios.stop()
            listening = self._server.keep_listening()
            await self._kill()
            self._locksteps.clear()
            self._changed = False
            try:
                self._disk.erase()
            finally:
                self._begin_history()
                self._begin()
                if listening:
                    self.port = await self._server.start_on(listening, self.options.tls)
                else:  # it could not start again after a restart
                    await self.start()
            _LOG.info("reset: connections are cut, and everything is as at the start")
            self.pump()
            return left

    def unstruck(self) -> list[str]:
        """Return the faults that were asked for and have not happened, as they were asked for."""
        unplayed = [] if self.scenarios is None else self.scenarios.unplayed()
        return self.broker.faults.unstruck() + unplayed

    async def fault(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Let something go wrong that is named; the scenario of this run has it then.

        Raises:
            LookupError: there is no such fault, or not what it is about.
            TypeError: it takes no such arguments.
            ValueError: they are of the wrong type or out of range, or it cannot be now.
            DiskError, OSError: the node cannot start again.
        """
        asked = self.faults() | {"schedule": self.schedule}
        if name not in asked:
            raise LookupError(no_fault(name, self.faults()))
        check_arguments(asked[name], arguments)
        scenarios = self.scenarios
        moment = () if scenarios is None else scenarios.moment()
        done = asked[name](**arguments)
        if isinstance(done, Awaitable):
            await done
        if self.scenarios is not None:
            if self.scenarios is not scenarios:  # it has waited for a reset
                moment = self.scenarios.moment()
            self.scenarios.take(name, arguments, moment)
        self.pump()

    def faults(self) -> dict[str, Callable[..., Any]]:
        """Return everything that can be asked to go wrong, by name."""
        faults = self.broker.faults
        own = {name: getattr(self, method) for name, method in _OWN.items()}
        return {name: getattr(faults, name) for name in OF_BROKER} | own

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


def known_faults() -> dict[str, Callable[..., Any]]:
    """Return what a scenario may ask for, by name, with the arguments that it takes."""
    of_broker = {name: partial(getattr(Faults, name), None) for name in OF_BROKER}
    own = {**_OWN, "schedule": "schedule"}
    of_node = {name: partial(getattr(Node, method), None) for name, method in own.items()}
    return {**of_broker, **of_node}
