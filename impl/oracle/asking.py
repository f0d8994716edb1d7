"""What every kind of fault needs: the broker, its queues by name, and what its steps ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackproof.impl.oracle.armed import Armed

if TYPE_CHECKING:
    from ackproof.impl.broker import Broker
    from ackproof.impl.machines.hosted import HostedQueue

__all__ = ["Asking"]


class Asking:
    """Asks a broker for faults; what of it steps have to know is in `Armed`."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._disarm()

    def _arm(self) -> Armed:
        """Return what steps ask; from now on they do."""
        self._broker.steps.faults = self._armed
        return self._armed

    def _disarm(self) -> None:
        self._armed = Armed(
            self._broker.history,
            offer=lambda step: self._broker.steps.scheduler.offer(step),
            delete=lambda queue: self._broker.vhosts[queue.vhost].abandon(queue),
        )

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
