"""Help for tests of partitions: a schedule that holds a step back, and clients that come again."""

from __future__ import annotations

from ackproof.impl.broker import Broker
from ackproof.impl.history.history import History
from ackproof.impl.steps.scheduler import Action, Eager, Step
from pamqp import commands

from tests.impl.clients import Wire

__all__ = ["SHUTDOWN", "Holding", "again", "holding"]

SHUTDOWN = (
    "0 Connection.Close 320 CONNECTION_FORCED - "
    "broker forced connection closure with reason 'shutdown'"
)


class Holding(Eager):
    """Takes everything at once, except for one action until it is let."""

    def __init__(self, action: Action) -> None:
        super().__init__()
        self.action = action
        self.held: list[Step] | None = []

    def offer(self, step: Step) -> None:
        """Note that a step may be possible now."""
        if self.held is not None and step.action is self.action:
            self.held.append(step)
        else:
            super().offer(step)

    def let(self) -> None:
        """Take it from now on."""
        held, self.held = self.held or [], None
        for step in held:
            self.offer(step)


def holding(action: Action, **arguments: object) -> tuple[Wire, Holding]:
    """Return a client as `mirrored` does, on a broker that holds an action back."""
    scheduler = Holding(action)
    broker = Broker(scheduler, history=History(recording=True), replicas=3)
    wire = Wire(broker).opened(1, 2).confirming(1, 2)
    wire.say(1, commands.Queue.Declare(queue="q", durable=True, arguments=arguments))
    wire.commit()
    return wire, scheduler


def again(wire: Wire) -> Wire:
    """Return another client of the same broker."""
    return Wire(wire.broker).opened(1, 2).confirming(1, 2)
