"""Brokers that are wrong, each in one place; the stateful test has to find every one of them.

They are the reference broker, with a part replaced.  What explains is not touched: it has machines
of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast
from unittest.mock import patch

from ackproof.impl.machines import hosted, publishing
from ackproof.impl.machines.hosted import HostedQueue
from ackproof.impl.machines.publishing import PublishingChannel
from ackproof.impl.steps.core import Steps
from ackproof.impl.steps.scheduler import Action
from ackproof.spec.channel import Channel
from ackproof.spec.lang import Event, Option
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Msg, Replica
from ackproof.spec.wire import Ack, CommitOk, Nack, Return

from tests.explain.target import Target, ours

__all__ = ["BROKEN", "serving"]

Emit = Callable[[PublishingChannel, Event], None]
_tell: Emit = PublishingChannel._emit


def _ack_twice(channel: PublishingChannel, event: Event) -> None:
    for _ in range(2 if isinstance(event, Ack) else 1):
        _tell(channel, event)


def _never_multiple(channel: PublishingChannel, event: Event) -> None:
    if isinstance(event, Ack):
        event = Ack(event.tag, False)
    _tell(channel, event)


def _always_multiple(channel: PublishingChannel, event: Event) -> None:
    if isinstance(event, Ack):
        event = Ack(event.tag, True)
    _tell(channel, event)


def _nack_without_cause(channel: PublishingChannel, event: Event) -> None:
    if isinstance(event, Ack) and cast(int, event.tag) == 3:
        event = Nack(event.tag, event.multiple)
    _tell(channel, event)


def _nack_told_as_ack(channel: PublishingChannel, event: Event) -> None:
    if isinstance(event, Nack):
        event = Ack(event.tag, event.multiple)
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
        _tell(channel, Ack(1, False))  # type: ignore[arg-type]
    _tell(channel, event)


class _OneQueueIsEnough(Channel):
    def settle(self, seq: Msg, replica: Replica, siblings: set[Replica]) -> None:
        if replica in self.unconfirmed[seq]:
            self.unconfirmed[seq] = {replica}
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


_accept = Steps._accept


def _accept_at_once(self: Steps, msg: Msg, message: Any, queue: HostedQueue) -> None:
    _accept(self, msg, message, queue)
    if msg in queue.machine.awaiting:
        queue.machine.awaiting.discard(msg)
        queue.machine.outbox.add(msg)
        self._offer(Action.CONFIRM_ARRIVES, None, queue)


_recover = HostedQueue.recover


def _recover_less(self: HostedQueue) -> None:
    _recover(self)
    if self.machine.ready:
        self.machine.ready.discard(min(self.machine.ready))


#: What is wrong with each: the owner of a part, its name, and what is there instead.
BROKEN: dict[str, tuple[Any, str, Any]] = {
    "it acks what is not synced": (Steps, "_accept", _accept_at_once),
    "it acks twice": (PublishingChannel, "_emit", _ack_twice),
    "its acks are never multiple": (PublishingChannel, "_emit", _never_multiple),
    "its acks are always multiple": (PublishingChannel, "_emit", _always_multiple),
    "it nacks without a cause": (PublishingChannel, "_emit", _nack_without_cause),
    "it acks what it should nack": (PublishingChannel, "_emit", _nack_told_as_ack),
    "it returns after the ack": (PublishingChannel, "_emit", _return_after_ack),
    "it acks in a transaction": (PublishingChannel, "_emit", _ack_in_transaction),
    "it waits for one queue of several": (publishing, "Channel", _OneQueueIsEnough),
    "it nacks what is unroutable": (publishing, "Channel", _UnroutableIsNacked),
    "its queues begin with the youngest": (hosted, "QueueProcess", _LastInFirstOut),
    "it does not mark what was delivered": (hosted, "QueueProcess", _MarksNothing),
    "a crashed queue loses what was confirmed": (HostedQueue, "recover", _recover_less),
}


@contextmanager
def serving(name: str) -> Iterator[Target]:
    """Give a broker that is wrong in this way, and does not notice itself."""
    owner, part, instead = BROKEN[name]
    with patch.object(owner, part, instead), ours() as target:
        target.check = lambda: None
        target.patience = 1.0
        yield target
