"""The steps of the specification, as the broker takes them.

Each is an action of the broker's own system (`ackproof.impl.machines.hosted_system`), under its
name: what a message does, how processes and channels end, how a mirror joins and leads, how the
cluster falls apart.  What a step does besides is an effect: tell the journal, forget what nobody
asks for any more.  What an action did to each message, `drop`, `take`, `acknowledge` and `requeue`
say, which happen when it has been taken.

No step decides anything.  Whether it is possible, its `require` says, as in the system; what
becomes of a message, the machines say.  It is taken when the scheduler gives it: one after another,
as that chooses among those on offer.

There is a part for each idea, in a module of its own, and it is given those parts on which it
calls.  Here they are put together.  Who asks something of them asks the part that knows it.
"""

from __future__ import annotations

from collections.abc import Callable

from ackproof.impl.machines.hosted_system import HostedSystem
from ackproof.impl.steps.answers import Answers
from ackproof.impl.steps.arrivals import Arrivals
from ackproof.impl.steps.closing import Closing
from ackproof.impl.steps.contents import Contents
from ackproof.impl.steps.context import Context, Part
from ackproof.impl.steps.disk import Disk
from ackproof.impl.steps.immediate import Immediate
from ackproof.impl.steps.mirrors import Mirrors
from ackproof.impl.steps.observing import Observer, let_observe
from ackproof.impl.steps.partitions import Partitions
from ackproof.impl.steps.processes import Processes
from ackproof.impl.steps.publishing import Publishing
from ackproof.impl.steps.scheduler import Action, Scheduler, Step
from ackproof.impl.steps.serving import Serving
from ackproof.impl.steps.sides import Sides
from ackproof.impl.steps.transactions import Transactions
from ackproof.impl.storage.journal import Journal
from ackproof.lang import Event, NotEnabled

__all__ = ["Steps"]


class Steps:
    """Takes the steps that the scheduler chooses.

    Args:
        system: whose steps they are.
        scheduler: chooses among those that are on offer.
        journal: keeps what the disk has to be given.
        complaints: why the system has closed channels, of which these have still to hear.
        replicas: how many processes a queue has.
    """

    def __init__(
        self,
        system: HostedSystem,
        scheduler: Scheduler,
        journal: Journal,
        complaints: list[Event],
        replicas: int = 1,
    ) -> None:
        self.context = context = Context(system, scheduler, journal, complaints, replicas)
        self.sides = sides = Sides(context)
        self.contents = contents = Contents(context)
        self.disk = Disk(context)
        self.answers = answers = Answers(context, sides)
        self.serving = serving = Serving(context, contents)
        self.publishing = publishing = Publishing(context)
        self.closing = closing = Closing(context, serving, answers)
        self.tx = Transactions(context, sides, contents, publishing, serving, closing)
        self.mirrors = mirrors = Mirrors(context, contents, answers)
        self.arrivals = arrivals = Arrivals(context, contents, answers, serving, mirrors)
        self.immediate = Immediate(publishing, arrivals, serving)
        self.processes = processes = Processes(context, sides, answers, mirrors)
        self.partitions = Partitions(context, sides, serving, mirrors, processes)
        self._methods = self._taken()

    def observe(self, observer: Observer) -> None:
        """Let an observer hear of each step from now on."""
        if not self.context.observers:
            for part in vars(self).values():
                if isinstance(part, Part):
                    let_observe(part, self.context.observers)
            self._methods = self._taken()
        self.context.observers.append(observer)

    def _taken(self) -> tuple[Callable[..., None], ...]:
        """Return what takes each step, in the order of the actions."""
        taken: dict[Action, Callable[..., None]] = {
            Action.FOLLOW: self.mirrors.follow,
            Action.DELIVER: self.arrivals.deliver,
            Action.WRITE: self.disk.write,
            Action.COMMIT: self.disk.commit,
            Action.SYNC: self.disk.sync,
            Action.DRAIN: self.disk.drain,
            Action.CONFIRM_ARRIVES: self.answers.confirm_arrives,
            Action.REJECT_ARRIVES: self.answers.reject_arrives,
            Action.DOWN_ARRIVES: self.answers.down_arrives,
            Action.PROMOTE: self.processes.promote,
            Action.SYNCHRONISE: self.processes.synchronise,
            Action.FORGET_SENDER: self.mirrors.forget_sender,
            Action.RESTART: self.processes.restart,
            Action.SERVE: self.serving.serve,
            Action.FLUSH: self.answers.flush,
            Action.COMPLETE: self.tx.complete,
            Action.NOTICE: self.partitions.notice,
            Action.ESTRANGE: self.partitions.estrange,
            Action.HALT: self.partitions.halt,
            Action.PAUSE: self.partitions.pause,
        }
        return tuple(taken[action] for action in Action)

    def run(self, idle: bool) -> None:
        """Take steps until the scheduler has no more, or wants input first."""
        context, disk, offers = self.context, self.disk, self.context.offers
        take = context.scheduler.take
        tells = idle or not context.scheduler.tells_last
        while True:
            if disk.store is not None and context.journal.pending:
                context.offer(Action.WRITE, None)
            if offers.noted:
                offers.look()
            if tells and offers.telling:
                offers.look_at_telling()
            step = take(idle)
            if step is None:
                return
            try:
                if context.faults is not None:
                    context.faults.permit(step)
                self._take(step)
            except NotEnabled:  # nothing has happened
                self.sides.keep(step)
            if context.faults is not None:
                context.faults.strike(self.processes)

    def _take(self, step: Step) -> None:
        """Call the method of the step, with the channel and the queue if it is of them."""
        action, channel, queue = step
        if queue is not None and queue.key not in self.context.system.replicas:
            raise NotEnabled  # it has gone since
        method = self._methods[action]
        if channel is None:
            method(queue) if queue is not None else method()
        elif queue is None:
            method(channel)
        else:
            method(channel, queue)

    # -- time -----------------------------------------------------------------------------------

    @property
    def due(self) -> float | None:
        """Return when there may be something to do, by the clock; None for never."""
        times = (self.context.timers.next, self.partitions.due)
        return min((time for time in times if time is not None), default=None)

    def expire_due(self) -> None:
        """Take the steps that are due by the clock, or offer them."""
        self.serving.expire_due()
        self.partitions.look_at_clock()
