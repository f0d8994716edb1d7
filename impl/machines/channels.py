"""The two sides of a channel, and its consumers, for the queues that this broker has.

The machines of a channel (`publishing_machines`, `consuming_machines`) hold queues without knowing
what a queue is, and a queue holds channels.  Here the two meet.
"""

from __future__ import annotations

from typing import TypeAlias

from ackproof.impl.machines.consuming_machines import ChannelConsumer, ConsumingMachines
from ackproof.impl.machines.publishing_machines import PublishingMachines
from ackproof.impl.machines.queue_processes import HostedQueue

__all__ = ["ConsumingChannel", "HostedConsumer", "PublishingChannel"]

#: A channel as its publisher knows it.
PublishingChannel: TypeAlias = PublishingMachines[HostedQueue]

#: A channel as its consumers know it.
ConsumingChannel: TypeAlias = ConsumingMachines[HostedQueue]

#: One consumer of a queue.
HostedConsumer: TypeAlias = ChannelConsumer[HostedQueue]
