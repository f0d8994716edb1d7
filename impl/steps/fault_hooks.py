"""What steps ask of faults that wait for a publish, if there ever were any.

The faults themselves stand above the steps, in `ackproof.impl.faults.fault_triggers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.scheduler import Step
from ackproof.spec.sorts import Msg

__all__ = ["CrashesQueues", "FaultHooks"]


class CrashesQueues(Protocol):
    """The steps, as far as a fault takes one."""

    def crash_queue(self, queue: HostedQueue) -> None:
        """The process of a queue crashes."""


class FaultHooks(Protocol):
    """Called by the steps, at the moments at which a fault may strike."""

    def published(
        self,
        channel: PublishingChannel,
        msg: Msg,
        targets: Iterable[HostedQueue],
    ) -> None:
        """A message is on its way to its queues."""

    def refuses(self, msg: Msg) -> bool:
        """Tell whether the queue that a message has reached is to refuse it."""

    def accepted(self, msg: Msg, queue: HostedQueue) -> None:
        """A queue has taken a message in."""

    def strike(self, steps: CrashesQueues) -> None:
        """A step was taken, or was not possible."""

    def permit(self, step: Step) -> None:
        """Let a step be taken; raise NotEnabled if it has to wait."""

    def tell(self, channel: PublishingChannel, say: Callable[[], None]) -> None:
        """Tell a publisher what is settled; raise NotEnabled if it is not to be told."""

    def closed(self, channel: PublishingChannel) -> None:
        """A channel is closed."""

    def free(self, landed: list[Msg]) -> list[Msg]:
        """Return those of the messages that landed that may be synced."""
