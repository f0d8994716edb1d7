"""Instances with consumers by name: tags, prefetch, redelivery.

A publisher and a consumer are on channels of their own, unless `Confirms.shared` says that they
have one together.
"""

from __future__ import annotations

from ackproof.lang import Instance
from ackproof.spec.instances_queueing import OFF
from ackproof.spec.sorts import Born, Consumer, Msg, Overflow, Queue, Replica, Tag

__all__ = ["INSTANCES", "TAGGED"]

#: What an instance with named consumers needs.
TAGGED = {
    "QueueProcess.of": "q1",
    "QueueProcess.marking": True,
    "Subscription.of": "q1",
    "Confirms.tagged": True,
    "Confirms.consumers": False,
}

CONSUMERS = Instance(
    name="consumers",
    purpose="two messages, one consumer that acks one at a time, one without acks, and a crash",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1, Consumer: 2, Tag: 3},
    faults={"crash_queue": 1, "close": 1, "ack_unknown": 1},
    constants={
        **TAGGED,
        "Subscription.prefetch": {1: 1, 2: 0},
        "Subscription.no_ack": {1: False, 2: True},
    },
    states=716_786,
    lacks=(
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
    ),
    table=False,
)

PREFETCH = Instance(
    name="prefetch",
    purpose="two messages, two consumers of which only one at a time may have something",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1, Consumer: 2, Tag: 3},
    faults={"cancel": 1},
    constants={
        **TAGGED,
        "Subscription.prefetch": {1: 0, 2: 2},
        "ConsumerChannel.shared_prefetch": 1,
    },
    states=68_944,
    lacks=(
        "ComesBack",
        "HeldByTwo",
        "SettledWithNobody",
    ),
)

SHARED = Instance(
    name="shared",
    purpose="a publisher and a consumer on one channel, confirming or transactional",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1, Consumer: 1, Tag: 2},
    faults={"crash_queue": 1, "ack_unknown": 1},
    constants={
        **TAGGED,
        "Subscription.prefetch": 1,
        "Confirms.shared": True,
        "Confirms.transactional": True,
    },
    states=77_248,
    lacks=(
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
    ),
)

SHARED_ALARM = Instance(
    name="shared_alarm",
    purpose="as shared, and an alarm: what is not read of who publishes and consumes",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1, Consumer: 1, Tag: 2},
    faults={"alarm": 1},
    constants={
        **TAGGED,
        "Confirms.shared": True,
        "Confirms.transactional": True,
    },
    states=36_823,
    lacks=(
        "ComesBack",
        "FailedYetStored",
        "HeldByTwo",
        "ReaderIsBlocked",
        "SettledWithNobody",
    ),
)

SEPARATE = Instance(
    name="separate",
    purpose="one message, a publisher and a consumer, each with a channel that may close",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 1, Consumer: 1, Tag: 2},
    faults={"close": 1, "close_consumers": 1, "ack_unknown": 1},
    constants={**TAGGED, "Subscription.prefetch": 1},
    states=2_336,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "HeldByTwo",
        "PrefetchBlocks",
        "SettledWithNobody",
    ),
)

BEREAVED = Instance(
    name="bereaved",
    purpose="one message, a consumer; its queue crashes, is lost, or deleted, or its node crashes",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 1, Consumer: 1, Tag: 2},
    faults={"crash_queue": 1, "lose_node": 1, "delete_queue": 1, "crash_node": 1},
    constants={**TAGGED, "Subscription.prefetch": 1},
    states=7_504,
    lacks=(
        "AckCoversSeveral",
        "NackedYetHeldElsewhere",
        "NodeFollowsDeletion",
        "PowerFollowsDeletion",
        "WrittenIsLost",
    ),
)

REDELIVERY = Instance(
    name="redelivery",
    purpose="one message, a consumer that may go, a mirror that is promoted with what it holds",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Consumer: 1, Tag: 2},
    faults={"crash_queue": 1, "close_consumers": 1},
    constants={
        **TAGGED,
        "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MIRROR},
    },
    states=55_367,
    lacks=(
        "AckCoversSeveral",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
)

SUCCESSION = Instance(
    name="succession",
    purpose="two messages that a client fetches, and a mirror that takes over between the two",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2, Tag: 2},
    faults={"crash_queue": 1, "drop": 1},
    constants={
        **REDELIVERY.constants,
        "QueueProcess.durable": False,
    },
    states=387_670,
    lacks=(
        "AckedFromDisk",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
)

REFILLED = Instance(
    name="refilled",
    purpose="two messages, room for one, what is too much is refused; what a consumer had is back",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1, Consumer: 1, Tag: 2},
    constants={
        **TAGGED,
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
    },
    states=6_387,
    lacks=(
        "ComesBack",
        "HeldByTwo",
        "NackedYetHeldElsewhere",
        "SettledWithNobody",
    ),
)

ROOMLESS = Instance(
    name="roomless",
    purpose="two messages for a queue with no room, and a consumer that takes one as it comes",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1, Consumer: 1, Tag: 2},
    faults={"crash_queue": 1},
    constants={
        **TAGGED,
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 0,
        "Subscription.prefetch": 1,
    },
    states=7_016,
    lacks=(
        "AckCoversSeveralDeliveries",
        "ComesBack",
        "ConfirmedYetNeverDelivered",
        "DeletionConfirms",
        "HeldByTwo",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "PrefetchBlocks",
        "RequeuedOvertakes",
        "get",
        "hand_out",
    ),
)

INSTANCES = (
    CONSUMERS,
    PREFETCH,
    REFILLED,
    ROOMLESS,
    SEPARATE,
    BEREAVED,
    REDELIVERY,
    SUCCESSION,
    SHARED,
    SHARED_ALARM,
)
