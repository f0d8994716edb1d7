"""What all steps share: the system whose steps they are, and what hangs on it.

A step that has become possible is *offered*.  It is taken when the scheduler gives it, if it is
still possible then; if not, nothing happens.  What each step is, is said by the parts of the broker
that take steps (`ackproof.impl.steps.steps`), each in a module of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ackproof.impl.machines.channels import ConsumingChannel, PublishingChannel
from ackproof.impl.machines.hosted_system import HostedSystem
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.fault_hooks import FaultHooks
from ackproof.impl.steps.observing import Observer
from ackproof.impl.steps.offers import Offers
from ackproof.impl.steps.queue_timers import QueueTimers
from ackproof.impl.steps.scheduler import Action, Scheduler, Step
from ackproof.impl.storage.journal import Journal
from ackproof.lang import Event
from ackproof.spec.sorts import ChannelId

__all__ = ["Context", "Part"]


@dataclass
class Context:
    """What the parts of a broker that take steps share.

    Attributes:
        system: whose steps they are.
        scheduler: chooses among the steps that are on offer.
        journal: keeps what the disk has to be given.
        complaints: why the system has closed channels, of which these have still to hear.
        replicas: how many processes a queue has.
        observers: told of each step, before and after it (`Steps.observe`).
        channels: those that there are, by what the machines call them.
        consuming: channels as their consumers know them, by that, too.
        timers: when queues are to be looked at.
        faults: what was asked to go wrong; None if nothing ever was.
        offers: what the system has made possible.
    """

    system: HostedSystem
    scheduler: Scheduler
    journal: Journal
    complaints: list[Event] = field(default_factory=list)
    replicas: int = 1
    observers: list[Observer] = field(default_factory=list)
    channels: dict[ChannelId, PublishingChannel] = field(default_factory=dict)
    consuming: dict[ChannelId, ConsumingChannel] = field(default_factory=dict)
    timers: QueueTimers = field(default_factory=QueueTimers)
    faults: FaultHooks | None = None
    offers: Offers = field(init=False)

    def __post_init__(self) -> None:
        self.offers = Offers(self.system, self, self.channels, self.consuming)

    def offer(
        self, action: Action, channel: PublishingChannel | None, queue: HostedQueue | None = None
    ) -> None:
        """Offer a step to the scheduler."""
        self.scheduler.offer(Step(action, channel, queue))


class Part:
    """Takes some of the steps; what of the context stays the same is at hand."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.system = context.system
        self.journal = context.journal
        self.timers = context.timers
        self.observers = context.observers
        self.channels = context.channels
        self.consuming = context.consuming
