"""What every kind of fault needs: the broker, its queues by name, and the triggers of faults."""

from __future__ import annotations

from typing import Any, Protocol

from ackproof.impl.connection_registry import ConnectionRegistry
from ackproof.impl.faults.fault_triggers import FaultTriggers
from ackproof.impl.faults.trigger import Trigger
from ackproof.impl.history.history import History
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.steps import Steps
from ackproof.impl.storage.journal import Journal
from ackproof.impl.vhost.virtual_host import VirtualHost

__all__ = ["FaultGroup", "FaultTarget"]


class FaultTarget(Protocol):
    """A broker, as far as faults have to know of it.

    Attributes:
        connections: those that there are.
        history: takes down which faults were asked for.
        journal: what the disk still has to be told.
        steps: the steps of the specification.
        vhosts: the virtual hosts, by name.
    """

    connections: ConnectionRegistry
    history: History
    journal: Journal
    steps: Steps
    vhosts: dict[str, VirtualHost]

    def run(self, *, idle: bool) -> None:
        """Take the steps that are due."""

    def crash_queue(self, name: str, vhost: str = ...) -> None:
        """Crash the process of a queue; raise LookupError if there is none of this name."""


class FaultGroup:
    """Faults that can be asked of a broker; what steps know of them is in `FaultTriggers`."""

    def __init__(self, broker: FaultTarget) -> None:
        self._broker = broker
        self._all_armed: list[tuple[str, Trigger, dict[str, Any]]] = []
        self._forget_triggers()

    def _armed(self, name: str, trigger: Trigger, **about: Any) -> Trigger:
        """Remember that a fault was asked for, and by which name."""
        said = {key: value for key, value in about.items() if value is not None}
        self._all_armed.append((name, trigger, said))
        return trigger

    def armed(self) -> list[dict[str, Any]]:
        """Return the faults that wait for something, or have waited: how often each struck."""
        return [
            {"fault": name, **about, "left": trigger.n, "struck": trigger.struck}
            for name, trigger, about in self._all_armed
        ]

    def unstruck(self) -> list[str]:
        """Return the faults that were asked for and have never struck, as they were asked for.

        Those that strike by chance do not count.
        """
        return [
            f"{name}({', '.join(f'{key}={value!r}' for key, value in about.items())})"
            for name, trigger, about in self._all_armed
            if not trigger.struck and trigger.probability == 1
        ]

    def _watched_triggers(self) -> FaultTriggers:
        """Return the triggers, to which the steps of the broker pay attention from now on."""
        self._broker.steps.context.faults = self._triggers
        return self._triggers

    def _forget_triggers(self) -> None:
        self._all_armed.clear()
        self._triggers = FaultTriggers(
            self._broker.history,
            offer=lambda step: self._broker.steps.context.scheduler.offer(step),
            delete=lambda queue: self._broker.vhosts[queue.vhost].delete_unused(queue),
            clock=lambda: self._broker.steps.context.timers.clock(),
        )

    @property
    def due(self) -> float | None:
        """Return when something that waits for a time is over, by the clock; None for never."""
        return self._triggers.due

    def look_at_clock(self) -> None:
        """End what was asked for until now."""
        self._triggers.release_due()

    def _queue(self, name: str, vhost: str, verb: str) -> HostedQueue:
        for said in (name, vhost):
            if not isinstance(said, str):
                raise ValueError(f"{said!r} is no name; it must be a text")
        host = self._broker.vhosts.get(vhost)
        queues = host.queues if host is not None else {}
        queue = queues.get(name)
        if queue is None:
            known = ", ".join(sorted(queues)) or "none"
            raise LookupError(f"there is no queue {name!r} to {verb}; there are: {known}")
        return queue

    def _note(self, name: str, **facts: Any) -> None:
        self._broker.history.note("fault", fault=name, **facts)
