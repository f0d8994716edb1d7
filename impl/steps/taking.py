"""How steps are taken: one after another, as the scheduler chooses among those on offer.

A step that has become possible is *offered*.  It is taken when the scheduler gives it, if it is
still possible then; if not, nothing happens.  What each step is and what it makes possible is said
in `ackproof.impl.steps.core` and the modules that extend it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from ackproof.impl.machines.channels import ConsumingChannel, PublishingChannel
from ackproof.impl.machines.hosted_system import HostedSystem
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.fault_hooks import FaultHooks
from ackproof.impl.steps.observing import Observer
from ackproof.impl.steps.offers import Offers
from ackproof.impl.steps.scheduler import Action, Scheduler, Step
from ackproof.impl.storage.journal import Batch, Journal
from ackproof.lang import Event, NotEnabled, require
from ackproof.spec.sorts import ChannelId

__all__ = ["Taking"]


@dataclass
class Taking:
    """Takes the steps that the scheduler chooses, and offers others to it.

    Attributes:
        system: whose steps they are.
        observers: told of each step, before and after it.
        channels: those that there are, by what the machines call them.
        consuming: channels as their consumers know them, by that, too.
        faults: what was asked to go wrong; None if nothing ever was.
        store: commits a batch and tells whether it could; None if commits are not steps.
        batch: what was given to the disk by the step `write`, until its `commit`.
        complaints: why the system has closed channels, of which these have still to hear.
    """

    system: HostedSystem
    scheduler: Scheduler
    journal: Journal
    observers: list[Observer] = field(default_factory=list)
    channels: dict[ChannelId, PublishingChannel] = field(default_factory=dict)
    consuming: dict[ChannelId, ConsumingChannel] = field(default_factory=dict)
    faults: FaultHooks | None = None
    store: Callable[[Batch], bool] | None = None
    batch: Batch | None = None
    complaints: list[Event] = field(default_factory=list)
    offers: Offers = field(init=False)

    def __post_init__(self) -> None:
        self.offers = Offers(self.system, self, self.channels, self.consuming)

    @cached_property
    def _methods(self) -> tuple[Callable[..., None], ...]:
        """Return the methods that take the steps, in the order of the actions."""
        return tuple(getattr(self, action.name.lower(), self._impossible) for action in Action)

    def _impossible(self, *_: object) -> None:
        """Nobody takes this step here."""
        raise NotEnabled

    def run(self, idle: bool) -> None:
        """Take steps until the scheduler has no more, or wants input first."""
        offers = self.offers
        while True:
            if self.store is not None and self.journal.pending:
                self._offer(Action.WRITE, None)
            if offers.noted:
                offers.look()
            step = self.scheduler.take(idle)
            if step is None:
                return
            try:
                if self.faults is not None:
                    self.faults.permit(step)
                self._take(step)
            except NotEnabled:
                self._refused(step)
            if self.faults is not None:
                self._stepped(self.faults)

    def _take(self, step: Step) -> None:
        """Call the method of the step's name, with the channel and the queue if it is of them."""
        action, channel, queue = step
        require(queue is None or queue.key in self.system.replicas)  # or it has gone since
        method = self._methods[action]
        if channel is None:
            method(queue) if queue is not None else method()
        elif queue is None:
            method(channel)
        else:
            method(channel, queue)

    def _refused(self, step: Step) -> None:
        """A step was not possible, and nothing has happened."""

    def _stepped(self, faults: FaultHooks) -> None:
        """A step was taken, or refused; something may have been asked to happen right then."""

    def _offer(
        self, action: Action, channel: PublishingChannel | None, queue: HostedQueue | None = None
    ) -> None:
        self.scheduler.offer(Step(action, channel, queue))
