"""Brokers that are wrong, each in one place; the stateful test has to find every one of them.

They are the reference broker, with a part replaced.  What explains is not touched: it has machines
of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple
from unittest.mock import patch

from ackproof.impl.faults.faults import Faults
from ackproof.impl.machines import hosted_system
from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.partitioned_cluster import PartitionedCluster
from ackproof.impl.machines.publishing_machines import PublishingMachines
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.node import Node
from ackproof.impl.session.session import Session
from ackproof.lang import Event, Option, Process
from ackproof.spec.channel import Channel
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Msg, Reason, Replica
from ackproof.spec.wire import Ack, CommitOk, Nack, Return

from tests.explain.behaviour import Limited, Parting, Plain, Replicating
from tests.explain.scenario import Scenario
from tests.explain.target import OF_MIRRORS, Target, ours

__all__ = ["BROKEN", "Broken", "running", "serving"]

Emit = Callable[[PublishingChannel, Event], None]
_tell: Emit = PublishingChannel._emit


def _ack_twice(channel: PublishingChannel, event: Event) -> None:
    for _ in range(2 if isinstance(event, Ack) else 1):
        _tell(channel, event)


def _never_multiple(channel: PublishingChannel, event: Event) -> None:
    if isinstance(event, Ack):
        event = Ack(event.channel, event.tag, False)
    _tell(channel, event)


def _always_multiple(channel: PublishingChannel, event: Event) -> None:
    if isinstance(event, Ack):
        event = Ack(event.channel, event.tag, True)
    _tell(channel, event)


def _nack_without_cause(channel: PublishingChannel, event: Event) -> None:
    if isinstance(event, Ack) and channel.tag(event.tag) == 3:
        event = Nack(event.channel, event.tag, event.multiple)
    _tell(channel, event)


def _nack_told_as_ack(channel: PublishingChannel, event: Event) -> None:
    if isinstance(event, Nack):
        event = Ack(event.channel, event.tag, event.multiple)
    _tell(channel, event)


def _return_after_ack(channel: PublishingChannel, event: Event) -> None:
    late: dict[PublishingChannel, Any] = vars(_return_after_ack).setdefault("late", {})
    if isinstance(event, Return):
        late.setdefault(channel, []).append((event, channel.publishing))
        return
    _tell(channel, event)
    if isinstance(event, Ack | Nack):
        for one, message in late.pop(channel, []):
            channel._tell(one, message)


def _ack_in_transaction(channel: PublishingChannel, event: Event) -> None:
    if isinstance(event, CommitOk):
        _tell(channel, Ack(event.channel, channel.first, False))
    _tell(channel, event)


class _OneQueueIsEnough(Channel):
    def settle(self, seq: Msg, replica: Replica, siblings: set[Replica]) -> None:
        if replica in self.unconfirmed[seq]:
            self.unconfirmed[seq] = {replica}
        super().settle(seq, replica, siblings)


class _OneProcessIsEnough(Channel):
    def settle(self, seq: Msg, replica: Replica, siblings: set[Replica]) -> None:
        if replica in self.unconfirmed[seq]:
            self.unconfirmed[seq] -= siblings - {replica}
        super().settle(seq, replica, siblings)


class _UnroutableIsNacked(Channel):
    def register(self, seq: Msg, targets: set[Replica]) -> None:
        super().register(seq, targets)
        if not targets:
            self.confirmed.discard(seq)
            self.rejected.add(seq)


class _LastInFirstOut(QueueProcess):
    def head(self) -> Option[Msg]:
        return max(self.ready, default=None)


class _MarksNothing(QueueProcess):
    def mark(self, msg: Msg) -> None:
        pass


class _ConfirmsAtOnce(QueueProcess):
    def record_confirm(self, msg: Msg, stored: bool) -> None:
        self.outbox.add(msg)


_recovered = HostedQueue.recovered


def _recover_less(self: HostedQueue) -> None:
    _recovered(self)
    if self.machine.ready:
        self.machine.ready.discard(min(self.machine.ready))


class _CrashAccepts(Channel):
    def counts_as_accepted(self, reason: Reason) -> bool:
        return True


class _NeverRefuses(QueueProcess):
    def refuses(self) -> bool:
        return False


class _NeverDrops(QueueProcess):
    def overflows(self) -> bool:
        return False


_sever = Session.sever


def _sever_too_early(self: Session, *, written: bool) -> None:
    _sever(self, written=False)


def _yes(*_: Any) -> bool:
    return True


def _ignore(*_: Any, **__: Any) -> None:
    pass


def running(of: type[Process], design: type[Process]) -> tuple[Any, str, Any]:
    """Return how a broker is made to run a design: a class in the place of one of its system's."""

    @cache
    def classes(mirrored: bool) -> dict[type[Process], type[Process]]:
        made = hosted_system.translated(mirrored, {of.__name__: design}).classes
        players = {**hosted_system.PLAYERS, of: design}
        return {**made, **{cls: made[player] for cls, player in players.items()}}

    return hosted_system, "_classes", classes


class _OneByOne(Replicating):
    """One publish at a time, so that many runs are explained soon."""

    most = few = 1


class _OneInPlain(Plain):
    """The same where queues have no mirrors."""

    most = few = 1


class Broken(NamedTuple):
    """A broker that is wrong: the owner of a part, its name, and what is there instead.

    Attributes:
        behaviour: the clients that are to find it out.
        replicas: how many the broker has.
    """

    owner: Any
    part: str
    instead: Any
    behaviour: type[Scenario] = Plain
    replicas: int = 1


#: What is wrong with each.
BROKEN: dict[str, Broken] = {
    "it acks what is not synced": Broken(*running(QueueProcess, _ConfirmsAtOnce)),
    "it acks twice": Broken(PublishingMachines, "_emit", _ack_twice),
    "its acks are never multiple": Broken(PublishingMachines, "_emit", _never_multiple),
    "its acks are always multiple": Broken(PublishingMachines, "_emit", _always_multiple),
    "it nacks without a cause": Broken(PublishingMachines, "_emit", _nack_without_cause),
    "it acks what it should nack": Broken(PublishingMachines, "_emit", _nack_told_as_ack),
    "it returns after the ack": Broken(PublishingMachines, "_emit", _return_after_ack),
    "it acks in a transaction": Broken(PublishingMachines, "_emit", _ack_in_transaction),
    "it waits for one queue of several": Broken(*running(Channel, _OneQueueIsEnough)),
    "it nacks what is unroutable": Broken(*running(Channel, _UnroutableIsNacked)),
    "it acks when a queue crashes": Broken(*running(Channel, _CrashAccepts)),
    "its queues begin with the youngest": Broken(*running(QueueProcess, _LastInFirstOut)),
    "it does not mark what was delivered": Broken(*running(QueueProcess, _MarksNothing)),
    "a crashed queue loses what was confirmed": Broken(HostedQueue, "recovered", _recover_less),
    "it tells what it should withhold": Broken(Faults, "withhold_confirms", _ignore, _OneInPlain),
    "it tells what it should delay": Broken(Faults, "delay_confirms", _ignore),
    "it takes what it should refuse": Broken(Faults, "nack_next", _ignore),
    "it breaks off before it has told": Broken(Session, "sever", _sever_too_early),
    "it reads on in an alarm": Broken(Node, "block", _ignore),
    "a full queue takes more": Broken(*running(QueueProcess, _NeverRefuses), Limited),
    "a full queue keeps the oldest": Broken(*running(QueueProcess, _NeverDrops), Limited),
    "a message without time stays": Broken(HostedQueue, "lifetime", _ignore, Limited),
    "it waits for one process of a queue": Broken(
        *running(Channel, _OneProcessIsEnough), _OneByOne, 2
    ),
    "a minority goes on to confirm": Broken(PartitionedCluster, "may_confirm", _yes, Parting, 3),
    "a partition is no hindrance": Broken(PartitionedCluster, "part", _ignore, Parting, 3),
}


@contextmanager
def serving(name: str) -> Iterator[Target]:
    """Give a broker that is wrong in this way, and does not notice itself."""
    broken = BROKEN[name]
    instead = patch.object(broken.owner, broken.part, broken.instead)
    with instead, ours(replicas=broken.replicas) as target:
        target.check = lambda: None
        target.patience = 1.0
        if broken.replicas > 1:
            target.faults &= OF_MIRRORS | {
                "partition"
            }  # and nothing else, so that these are not rare
        yield target
