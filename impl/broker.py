"""The broker behind the sockets: virtual hosts by name, and the steps that are taken in them.

It knows nothing of frames, connections, time or files.  Sessions call it, the shell commits its
journal, and between the two it takes the steps of the specification that its scheduler chooses.

What it decides itself is what the specification takes as given: the numbers of channels and queues,
and, virtual host by virtual host, which queues there are and where a message is routed (A5).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from typing import cast

from ackproof.impl.access.directory import GUEST, Directory, Record, User
from ackproof.impl.access.permissions import Permissions
from ackproof.impl.connection_registry import ConnectionRegistry
from ackproof.impl.errors import HardError
from ackproof.impl.faults.faults import Faults
from ackproof.impl.history.history import History
from ackproof.impl.limits import Limits
from ackproof.impl.machines.channels import ConsumingChannel, PublishingChannel
from ackproof.impl.machines.consuming_machines import Show
from ackproof.impl.machines.hosted_system import hosted_system
from ackproof.impl.machines.publication import MOST_CHANNELS, content_of, shares
from ackproof.impl.machines.publishing_machines import Place, Tell
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.memory import Memory
from ackproof.impl.steps.deadlines import Clock, Deadlines, TimedChannel
from ackproof.impl.steps.scheduler import Eager, Scheduler
from ackproof.impl.steps.steps import Steps
from ackproof.impl.steps.x_death import Cause
from ackproof.impl.storage.journal import Batch, Journal
from ackproof.impl.storage.stored import Stored
from ackproof.impl.vhost.direct_reply_to import ReplyConsumers
from ackproof.impl.vhost.virtual_host import DEFAULT, VirtualHost
from ackproof.impl.wire.content import Message
from ackproof.lang import Event
from ackproof.spec.sorts import Msg

__all__ = ["Broker"]

_LIMITS = Limits()


class Broker:
    """Virtual hosts, and the channels that publish to their queues.

    Not safe to be used by several threads; see `ackproof.impl.running` for one that is.

    Args:
        scheduler: chooses the order of steps; by default everything happens at once.
        stored: what was found on the disk.
        vhosts: names of the virtual hosts, besides the default one and those on the disk.
        users: who may come in, and do everything everywhere, if the disk knows of nobody.
        steps: how steps are taken.
        history: takes down what happens; by default nothing does.
        clock: tells the time.
        replicas: how many processes each durable queue has, a master and mirrors.
        limits: how much clients may take.

    Attributes:
        connections: those that there are, if there may be any.
        consumer_timeouts: the channels with deliveries to settle, and when to look at them.
        directory: who may come in, and do what.
        faults: what can be asked to go wrong.
        immediate: whether publishers may ask for `immediate`, as before RabbitMQ 3.0.
        kept: the disk knows the users and virtual hosts, which are not just those of the start.
        journal: what the disk still has to be told.
        memory: what the contents of messages take.
        replies: who waits for replies that no queue carries.
        steps: the steps of the specification, for those who cause one.
        system: what they are steps of.
        version: which RabbitMQ it says it is; None for what it is.
        vhosts: by name; the default one, `/`, is always there.
    """

    def __init__(
        self,
        scheduler: Scheduler | None = None,
        stored: Stored | None = None,
        vhosts: Iterable[str] = (),
        history: History | None = None,
        clock: Clock = time.time,
        replicas: int = 1,
        limits: Limits = _LIMITS,
        users: Iterable[User] = (GUEST,),
    ) -> None:
        self.limits = limits
        self.journal = Journal()
        self.journal.relieves = replicas == 1
        self.memory = Memory()
        self.replies = ReplyConsumers()
        self.consumer_timeouts: Deadlines[TimedChannel] = Deadlines()
        self.immediate = False
        self.version: str | None = None
        self.connections = ConnectionRegistry()
        self.history = history if history is not None else History()
        self.faults = Faults(self)
        self.vhosts: dict[str, VirtualHost] = {}
        self.directory = Directory(self._keep)
        self.kept = False
        self._kept_vhosts: set[str] = set()
        self._complaints: list[Event] = []
        self.system = hosted_system(replicas, self._complaints.append)
        self.steps = Steps(
            self.system, scheduler or Eager(), self.journal, self._complaints, replicas
        )
        self.steps.processes.number = self.next_number
        self.steps.processes.leader_changed = self._leader_changed
        self.steps.partitions.leaders = self._all_queues
        self.steps.partitions.pausing = self._pause
        self.steps.serving.unused = self._delete_unused
        self.steps.contents.publish_dead_letter = self._publish_dead_letter
        self.steps.context.timers.clock = clock
        self._last_channel = _last_channel(stored or Stored())
        self._last_number = stored.last_number if stored else 0
        for name in (DEFAULT, *vhosts):
            self.add_vhost(name)
        self._restore(stored or Stored())
        self._begin_with(users)
        if self.history.recording:
            self.steps.observe(self.history)

    def _all_queues(self) -> list[HostedQueue]:
        return [queue for host in self.vhosts.values() for queue in host.queues.values()]

    def _pause(self, paused: bool) -> None:
        """The node pauses, or starts again; what is not kept for that goes (A12.2, D9)."""
        self.history.note("node_paused" if paused else "node_resumed")
        if not paused:
            for host in self.vhosts.values():
                host.resume()
            self.connections.reopen()
            return
        self.connections.close_all()
        for host in self.vhosts.values():
            host.pause()
        for queue in self._all_queues():
            if queue.membership is None:
                self._delete_unused(queue)

    def _delete_unused(self, queue: HostedQueue) -> None:
        host = self.vhosts.get(queue.vhost)
        if host is not None:
            host.delete_unused(queue)

    def _leader_changed(self, queue: HostedQueue) -> None:
        host = self.vhosts.get(queue.vhost)
        if host is not None:
            host.set_leader(queue)

    def _restore(self, stored: Stored) -> None:
        for kind, name, value in stored.records:
            if kind == "vhost" and value is not None:
                self._kept_vhosts.add(name[0])
                self.add_vhost(name[0]).describe(**value)
        self.directory.restore(stored.records)
        self.kept = stored.users_known
        for exchange in stored.exchanges:
            self.add_vhost(exchange.vhost).topology.restore([exchange], [])
        for binding in stored.bindings:
            self.add_vhost(binding.vhost).topology.restore([], [binding])
        queues = [self.add_vhost(found.vhost).restore(found) for found in stored.queues]
        for found in stored.queues:
            for placed in found.messages:
                content_of(placed.msg).count_in(self.memory)
        processes = self.steps.processes
        started = [(queue, processes.start(queue)) for queue in queues]
        for queue in queues:
            processes.timers.used(queue)
            processes.replicate(queue)
        for queue, dropped in started:  # which may be for any other one
            processes.let_go(queue, dropped)

    def add_vhost(self, name: str) -> VirtualHost:
        """Return the virtual host of this name, which is there from now on if it was not."""
        if name not in self.vhosts:
            self.vhosts[name] = VirtualHost(name, self)
        return self.vhosts[name]

    @property
    def queues(self) -> dict[str, HostedQueue]:
        """Return the queues of the default virtual host, by name."""
        return self.vhosts[DEFAULT].queues

    # -- virtual hosts and users ----------------------------------------------------------------

    def _begin_with(self, users: Iterable[User]) -> None:
        """Let somebody in if nobody may come; the disk is not told of what it would not change."""
        if self.kept:
            self._open_new_vhosts()
            return
        directory = Directory()
        for user in users:
            directory.put(user)
            for name in self.vhosts:
                directory.grant(name, user.name, Permissions())
        self.directory.restore(directory.records)

    def _open_new_vhosts(self) -> None:
        """Let all who may log in into virtual hosts that options name, and nobody has heard of."""
        known = {vhost for vhost, _, _ in self.directory.permissions}
        for name in sorted(self.vhosts.keys() - self._kept_vhosts - known):
            self._keep(self.vhosts[name].record)
            for user in self.directory.users:
                self.directory.grant(name, user, Permissions())

    def _keep(self, record: Record) -> None:
        """Tell the disk of a record that has changed; the first time, of all that there are."""
        if self.kept:
            self.journal.recorded([record])
        else:
            self.kept = True
            hosts = [host.record for host in self.vhosts.values()]
            self.journal.recorded([*hosts, *self.directory.records, record], anew=True)

    def declare_vhost(self, name: str, description: str = "", tags: Iterable[str] = ()) -> bool:
        """Make a virtual host, or describe it otherwise; return whether it is new."""
        new = name not in self.vhosts
        host = self.add_vhost(name)
        if new or (host.description, host.tags) != (description, tuple(tags)):
            host.describe(description, tags)
            self._keep(host.record)
        return new

    def delete_vhost(self, name: str) -> None:
        """Delete a virtual host with all that is in it; its connections are closed.

        Raises:
            LookupError: there is none of this name.
            ValueError: it is the default one, or something in it is cut off.
        """
        host = self.vhosts.get(name)
        if host is None:
            raise LookupError(f"there is no virtual host {name!r}")
        if name == DEFAULT:
            raise ValueError(f"the virtual host {DEFAULT} is always there; delete what is in it")
        if not all(map(self.steps.sides.reaches, host.queues.values())):
            raise ValueError(
                f"a queue of {name!r} is led by nobody on the clients' side; "
                "heal the partition first"
            )
        self.connections.close_those_in(name)
        host.end()
        del self.vhosts[name]
        self.directory.forget_vhost(name)
        self._keep(Record("vhost", (name,), None))
        self.steps.run(idle=True)

    def delete_user(self, name: str) -> None:
        """Let a user in no more; the user's connections are closed.

        Raises:
            LookupError: there is no such user.
        """
        self.directory.delete(name)
        self.connections.close_those_of(name)

    # -- steps ----------------------------------------------------------------------------------

    def run(self, *, idle: bool) -> None:
        """Take the steps that are due.

        Args:
            idle: there is no more input for now; then the channels tell their publishers.
        """
        self._look_at_clock()
        self.steps.run(idle)

    def before_method(self) -> None:
        """Take the steps that are due before a method is processed (A10.2)."""
        self._look_at_clock()
        self.steps.run(idle=self.steps.context.scheduler.tells_first)

    def _look_at_clock(self) -> None:
        """Take the steps that are due by the clock, and look at what consumers owe."""
        self.steps.expire_due()
        if self.steps.context.faults is not None:
            self.faults.look_at_clock()
        if self.consumer_timeouts.next is not None:
            for channel in self.consumer_timeouts.due(self.steps.context.timers.clock()):
                channel.check_consumer_timeout()

    def reschedule(self, scheduler: Scheduler) -> None:
        """Let somebody else choose the order of steps, when those that are due are taken."""
        self.run(idle=True)
        while self.waiting:
            self.run(idle=True)
        self.steps.context.scheduler = scheduler

    @property
    def due(self) -> float | None:
        """Return when it has to `run` even if nothing happens, by its clock; None for never."""
        times = (self.steps.due, self.consumer_timeouts.next, self.faults.due)
        return min((when for when in times if when is not None), default=None)

    @property
    def waiting(self) -> bool:
        """Tell whether something was held back for later input, which may not come."""
        return self.steps.context.scheduler.waiting

    def refuse_unstorable(self, batch: Batch) -> None:
        """Close the connections that published what the disk can never take; it is not synced."""
        msgs = [placed.msg for _, placed in batch.unstorable]
        for number, _ in shares(msgs):
            channel = self.steps.context.channels.get(number)
            if channel is not None and channel.place is not None:
                error = HardError(541, "a message cannot be stored, whatever the disk")
                channel.place.connection.fail(error)

    def committed(self, batch: Batch) -> None:
        """A commit has returned: the disk has what was in the batch."""
        if self.journal.held:
            self.faults.withheld.append(batch)
        else:
            self.steps.disk.committed(batch)

    # -- publishing -----------------------------------------------------------------------------

    def publish(
        self, channel: PublishingChannel, message: Message, targets: Collection[HostedQueue]
    ) -> None:
        """Publish a message that was routed.

        Args:
            channel: where it was published.
            message: what was published.
            targets: the queues it was routed to, each once.
        """
        if channel.in_transaction():
            self.steps.tx.publish_in_tx(channel, channel.next(message), targets)
            return
        self.send(channel, message, targets)
        self.steps.run(idle=False)

    def publish_at_once(
        self, channel: PublishingChannel, message: Message, targets: Iterable[HostedQueue]
    ) -> None:
        """Publish a message to those queues that can hand it to a consumer now (A6.6)."""
        self.steps.immediate.publish_at_once(channel, message, targets)
        self.steps.run(idle=False)

    def send(
        self, channel: PublishingChannel, message: Message, targets: Collection[HostedQueue]
    ) -> None:
        """Publish a message outside of a transaction; it is on its way then, and no more."""
        self.steps.publishing.publish(channel, channel.next(message), targets)

    def commit(self, channel: PublishingChannel, consuming: ConsumingChannel) -> None:
        """Commit the transaction of a channel, which publishes and consumes (A13.3)."""
        self.steps.tx.tx_commit(channel, consuming)
        self.steps.run(idle=False)

    # -- channels -------------------------------------------------------------------------------

    def open_channel(self, tell: Tell, place: Place | None = None) -> PublishingChannel:
        """Open a channel; `tell` gets everything its publisher is to be told.

        Raises:
            HardError: 541, there were as many as there are numbers for.
        """
        self._last_channel += 1
        if self._last_channel >= MOST_CHANNELS:
            raise HardError(
                541, "there are no numbers for channels any more: empty the queues, and restart"
            )
        channel = PublishingChannel(self.system, self._last_channel, tell, place)
        self.steps.context.channels[channel.id] = channel
        if self.history.recording:
            channel.overhear = lambda event: self.history.said(channel, event)
        return channel

    def close_channel(self, channel: PublishingChannel) -> None:
        """Close a channel that was opened for the broker's own use."""
        self.steps.closing.close(channel)

    def open_consumers(
        self, channel: PublishingChannel, show: Show, reads: Callable[[], bool]
    ) -> ConsumingChannel:
        """Open the other side of a channel.

        Args:
            channel: that of its publisher.
            show: gets everything that the client is told of its consumers.
            reads: tells whether the client takes what it is sent.
        """
        consuming = ConsumingChannel(channel, show, reads)
        self.steps.context.consuming[channel.id] = consuming
        return consuming

    def _publish_dead_letter(self, queue: HostedQueue, message: Message, cause: Cause) -> None:
        self.history.note(
            "dead_lettered",
            cause=str(cause),
            queue=queue.name,
            vhost=queue.vhost,
            queue_number=queue.number,
            exchange=queue.dead_letter_exchange,
        )
        host = self.vhosts.get(queue.vhost)
        if host is not None:
            host.publish_dead_letter(queue, message, cause, self.steps.context.timers.clock())

    # -- queues ---------------------------------------------------------------------------------

    def next_number(self) -> int:
        """Return a number for a new queue, exchange or binding, which was never used before."""
        self._last_number += 1
        return self._last_number

    # -- faults ---------------------------------------------------------------------------------

    def crash_queue(self, name: str, vhost: str = DEFAULT) -> None:
        """Crash the process of a queue, which restarts from its files (C5, A9).

        What the queue had not confirmed is nacked; what it had only in memory is lost.

        Raises:
            LookupError: there is no queue of this name.
        """
        host = self.vhosts.get(vhost)
        queues = host.queues if host is not None else {}
        queue = queues.get(name)
        if queue is None:
            known = ", ".join(sorted(queues)) or "none"
            raise LookupError(f"there is no queue {name!r} to crash; there are: {known}")
        self.steps.processes.crash_queue(queue)
        self.steps.run(idle=True)


def _last_channel(stored: Stored) -> int:
    """Return the highest number of a channel that something on the disk came from."""
    messages = (placed.msg for queue in stored.queues for placed in queue.messages)
    return max((cast(int, Msg.owner(msg)) for msg in messages), default=0)
