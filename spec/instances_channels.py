"""Instances of two channels: what one of them does is no business of the other.

Each channel has one message, which is enough to be answered on the wrong channel, out of order, or
with what was meant for somebody else.
"""

from __future__ import annotations

from ackproof.lang import Instance
from ackproof.spec.instances_consuming import TAGGED
from ackproof.spec.instances_mirroring import LATE, TWO
from ackproof.spec.instances_queueing import OFF
from ackproof.spec.sorts import Born, ChannelId, Consumer, Msg, Node, Overflow, Queue, Replica, Tag

__all__ = ["INSTANCES"]

CHANNELS = Instance(
    name="channels",
    purpose="two channels with a message each, and one queue, which may crash or be deleted",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1},
    faults={"crash_queue": 1, "delete_queue": 1},
    constants={"QueueProcess.of": "q1"},
    states=12_525,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "NackedYetHeldElsewhere",
        "ReturnLongBeforeAck",
    ),
)

CHANNELS_MIRRORS = Instance(
    name="channels_mirrors",
    purpose="two channels with a message each, a master and its mirror, either of which may crash",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 2},
    faults={"crash_queue": 1},
    constants=TWO,
    states=246_708,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "ReturnLongBeforeAck",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
)

CHANNELS_LATE = Instance(
    name="channels_late",
    purpose="two channels with a message each, a master, a mirror that comes late, and no disk",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 2},
    constants={**LATE.constants, "QueueProcess.durable": False},
    states=5_672,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "AckedFromDisk",
        "LoneNackIsMultiple",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "ReturnLongBeforeAck",
        "SynchronisedByConsumption",
        "catch_up",
        "reject_arrives",
    ),
)

CHANNELS_SERVED = Instance(
    name="channels_served",
    purpose="two channels, a master and its mirror, consumers; the second message may be refused",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 2},
    constants={
        **TWO,
        "QueueProcess.durable": False,
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
        "Confirms.consumers": True,
    },
    states=23_000,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "AckedFromDisk",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "ReturnLongBeforeAck",
    ),
)

CHANNELS_PARTED = Instance(
    name="channels_parted",
    purpose="two channels, of which one may close, and a partition between them and their queue",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 2, Node: 3},
    faults={"partition": 1, "close": 1},
    constants={
        **TWO,
        "QueueProcess.durable": False,
        "QueueProcess.node": {"r1": "n1", "r2": "n2"},
        "Confirms.home": "n3",
    },
    states=1_590_452,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "AckedFromDisk",
        "DeletionConfirms",
        "HealedWithThatSide",
        "MirrorsGoWithTheirQueue",
        "NackedYetRecovered",
        "ReturnLongBeforeAck",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
    table=False,
)

CHANNELS_CLOSE = Instance(
    name="channels_close",
    purpose="two channels with a message each, of which one closes, a master and its mirror",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 2},
    faults={"close": 1},
    constants=TWO,
    states=39_824,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "ConfirmedWithoutWrite",
        "LoneNackIsMultiple",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "ReturnLongBeforeAck",
        "reject_arrives",
    ),
)

CHANNELS_SHARED = Instance(
    name="channels_shared",
    purpose="two channels that publish a message each and consume from one queue; one closes",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1, Consumer: 1, Tag: 2},
    faults={"close": 1},
    constants={**TAGGED, "Subscription.prefetch": 1, "Confirms.shared": True},
    states=381_952,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "HeldByTwo",
        "ReturnLongBeforeAck",
        "SettledWithNobody",
    ),
    table=False,
)

CHANNELS_CANCEL = Instance(
    name="channels_cancel",
    purpose="as channels_shared with a tag each, and a consumer may be cancelled",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1, Consumer: 1, Tag: 1},
    faults={"close": 1, "cancel": 1},
    constants=CHANNELS_SHARED.constants,
    states=157_216,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "AckOutOfOrder",
        "HeldByTwo",
        "ReturnLongBeforeAck",
        "SettledWithNobody",
    ),
)

CHANNELS_COMMIT = Instance(
    name="channels_commit",
    purpose="two channels, confirming or transactional, with a message each, and one queue",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1},
    constants={
        "QueueProcess.of": "q1",
        "Confirms.transactional": True,
        "Confirms.consumers": False,
    },
    states=6_437,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "ConfirmedWithoutWrite",
        "FailedYetStored",
        "ReturnLongBeforeAck",
        "ReturnedAtCommit",
        "SeveralCommitted",
    ),
)

CHANNELS_ACKS = Instance(
    name="channels_acks",
    purpose="as channels_commit, and each channel consumes; what it acks waits for its commit",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1, Consumer: 1, Tag: 1},
    constants={**CHANNELS_SHARED.constants, "Confirms.transactional": True},
    states=411_989,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "AckOutOfOrder",
        "FailedYetStored",
        "HeldByTwo",
        "ReturnLongBeforeAck",
        "ReturnedAtCommit",
        "SettledWithNobody",
        "SeveralCommitted",
    ),
    table=False,
)

CHANNELS_ALARM = Instance(
    name="channels_alarm",
    purpose="two channels with a message each, and an alarm",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1},
    faults={"alarm": 1},
    constants={"QueueProcess.of": "q1", "Confirms.consumers": False},
    states=1_182,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "ConfirmedWithoutWrite",
        "ConfirmsFlowWhileBlocked",
        "ReaderIsBlocked",
        "ReturnLongBeforeAck",
    ),
)

CHANNELS_THREE = Instance(
    name="channels_three",
    purpose="three channels with a message each, and a queue without a disk",
    sizes={**OFF, ChannelId: 3, Msg: 1, Queue: 1, Replica: 1},
    constants={"QueueProcess.of": "q1", "QueueProcess.durable": False},
    table=False,
    states=95_984,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "AckedFromDisk",
        "ReturnLongBeforeAck",
    ),
)

CHANNELS_TOLD = Instance(
    name="channels_told",
    purpose="three channels with a message each, and a master that tells its mirror; no disk",
    sizes={**OFF, ChannelId: 3, Msg: 1, Queue: 1, Replica: 2},
    constants={**TWO, "QueueProcess.durable": False},
    table=False,
    states=64_240,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "AckedFromDisk",
        "LoneNackIsMultiple",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "ReturnLongBeforeAck",
        "reject_arrives",
    ),
)

CHANNELS_HEIRS = Instance(
    name="channels_heirs",
    purpose="two channels with a message each, a master with two mirrors, which may be lost",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 3},
    faults={"lose_node": 1},
    constants={
        **TWO,
        "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MIRROR, "r3": Born.MIRROR},
        "QueueProcess.durable": False,
    },
    table=False,
    states=286_564,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "AckedFromDisk",
        "AckedOnOneLeg",
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "ReturnLongBeforeAck",
        "SynchronisedByConsumption",
        "catch_up",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
        "synchronise",
    ),
)

CHANNELS_LAZY = Instance(
    name="channels_lazy",
    purpose="two channels with a message each; what leaves takes its time, and the queue may crash",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1},
    faults={"crash_queue": 1},
    constants={"QueueProcess.of": "q1", "Store.lazy": True},
    table=False,
    states=24_317,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
        "ReturnLongBeforeAck",
    ),
)

INSTANCES = (
    CHANNELS,
    CHANNELS_MIRRORS,
    CHANNELS_LATE,
    CHANNELS_SERVED,
    CHANNELS_PARTED,
    CHANNELS_CLOSE,
    CHANNELS_SHARED,
    CHANNELS_CANCEL,
    CHANNELS_COMMIT,
    CHANNELS_ACKS,
    CHANNELS_ALARM,
    CHANNELS_THREE,
    CHANNELS_TOLD,
    CHANNELS_HEIRS,
    CHANNELS_LAZY,
)
