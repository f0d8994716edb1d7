"""What a virtual host needs of the broker that it belongs to."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

from ackproof.impl.history.history import History
from ackproof.impl.limits import Limits
from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.hosted_system import HostedSystem
from ackproof.impl.machines.publishing_machines import Tell
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.memory import Memory
from ackproof.impl.steps.steps import Steps
from ackproof.impl.storage.journal import Journal
from ackproof.impl.vhost.direct_reply_to import ReplyConsumers
from ackproof.impl.wire.content import Message

__all__ = ["BrokerServices"]


class BrokerServices(Protocol):
    """A broker, as far as a virtual host has to know of it.

    Attributes:
        history: takes down which queues are declared.
        journal: what the disk still has to be told.
        limits: how many queues and bindings there may be.
        memory: what the contents of messages take.
        replies: who waits for replies that no queue carries.
        steps: the steps of the specification.
        system: what they are steps of.
    """

    history: History
    journal: Journal
    limits: Limits
    memory: Memory
    replies: ReplyConsumers
    steps: Steps
    system: HostedSystem

    def next_number(self) -> int:
        """Return a number for a new queue, exchange or binding, which was never used before."""

    def open_channel(self, tell: Tell) -> PublishingChannel:
        """Open a channel; `tell` gets everything its publisher is to be told."""

    def close_channel(self, channel: PublishingChannel) -> None:
        """Close a channel that was opened for the broker's own use."""

    def publish(
        self, channel: PublishingChannel, message: Message, targets: Collection[HostedQueue]
    ) -> None:
        """Publish a message that was routed."""

    def publish_at_once(
        self, channel: PublishingChannel, message: Message, targets: Iterable[HostedQueue]
    ) -> None:
        """Publish a message to those queues that can hand it to a consumer now (A6.6)."""

    def send(
        self, channel: PublishingChannel, message: Message, targets: Collection[HostedQueue]
    ) -> None:
        """Publish a message outside of a transaction; it is on its way then, and no more."""
