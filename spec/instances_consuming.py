"""Instances with consumers by name: tags, prefetch, redelivery.

A publisher and a consumer are on channels of their own, unless `Confirms.shared` says that they
have one together.
"""

from __future__ import annotations

from ackproof.lang import Instance
from ackproof.spec.instances_queueing import OFF
from ackproof.spec.sorts import Born, Consumer, Msg, Node, Overflow, Queue, Replica, Tag

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
    states=82_474,
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
    states=39_809,
    lacks=(
        "ComesBack",
        "FailedYetStored",
        "HeldByTwo",
        "ReaderIsBlocked",
        "SettledWithNobody",
    ),
)

SHARED_CANCEL = Instance(
    name="shared_cancel",
    purpose="as shared_alarm, with one message; the consumer may be cancelled, the node may crash",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 1, Consumer: 1, Tag: 1},
    faults={"close_consumers": 1, "alarm": 1, "cancel": 1, "crash_node": 1},
    constants=SHARED_ALARM.constants,
    states=2_703,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "ComesBack",
        "CommitAppliesAcks",
        "ConfirmsFlowWhileBlocked",
        "DeletionConfirms",
        "FailedYetStored",
        "LoneNackIsMultiple",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "NodeFollowsDeletion",
        "PowerFollowsDeletion",
        "ReaderIsBlocked",
        "ReturnedAtCommit",
        "SettledWithNobody",
        "SeveralCommitted",
        "WrittenIsLost",
        "down_arrives",
    ),
)

CUT_OFF = Instance(
    name="cut_off",
    purpose="a message, a consumer, and a queue on a node that may be cut off; all may crash",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 1, Node: 3, Consumer: 1, Tag: 1},
    faults={"partition": 1, "cancel": 1, "crash_node": 1},
    constants={
        **TAGGED,
        "QueueProcess.node": "n2",
        "Confirms.home": "n1",
        "Confirms.shared": True,
    },
    states=10_380,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "DeletionConfirms",
        "NodeFollowsDeletion",
        "PowerFollowsDeletion",
        "WrittenIsLost",
    ),
)

LEFT_BEHIND = Instance(
    name="left_behind",
    purpose="as cut_off, with a connection of their own for consumers, which outlives the channel",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 1, Node: 3, Consumer: 1, Tag: 1},
    faults={"partition": 1, "close": 1},
    constants={**CUT_OFF.constants, "Confirms.shared": False},
    states=8_449,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "DeletionConfirms",
    ),
)

HEALED_CONSUMERS = Instance(
    name="healed_consumers",
    purpose="as left_behind, where nobody pauses and one side starts again",
    sizes=LEFT_BEHIND.sizes,
    faults={"partition": 1},
    constants={**LEFT_BEHIND.constants, "Cluster.pausing": False},
    states=8_148,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "DeletionConfirms",
        "LoserIsChosenUnnoticed",
    ),
)

COMMIT_ACROSS = Instance(
    name="commit_across",
    purpose="as cut_off, and what is settled waits for a commit, which a partition may cut off",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 1, Node: 3, Consumer: 1, Tag: 2},
    faults={"partition": 1},
    constants={**CUT_OFF.constants, "Confirms.transactional": True},
    states=15_834,
    lacks=(
        "AckCoversSeveral",
        "CommitAppliesAcks",
        "DeletionConfirms",
        "ReturnedAtCommit",
        "SeveralCommitted",
    ),
)

PARTED_CONSUMERS = Instance(
    name="parted_consumers",
    purpose="a message, a consumer, its master across a partition, and a mirror on this side",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Node: 3, Consumer: 1, Tag: 2},
    faults={"partition": 1, "cancel": 1, "close_consumers": 1},
    constants={
        **TAGGED,
        "QueueProcess.durable": False,
        "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MIRROR},
        "QueueProcess.node": {"r1": "n1", "r2": "n2"},
        "Confirms.home": "n2",
    },
    states=472_270,
    lacks=(
        "AckCoversSeveral",
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

SHARED_LIMIT = Instance(
    name="shared_limit",
    purpose="two messages for a queue that has room for one, and comes to have both in a commit",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1, Tag: 1},
    constants={
        **TAGGED,
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
        "Confirms.shared": True,
        "Confirms.transactional": True,
    },
    states=2_811,
    lacks=(
        "AckCoversSeveralDeliveries",
        "ComesBack",
        "FailedYetStored",
        "RequeuedOvertakes",
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

SEPARATE_ALARM = Instance(
    name="separate_alarm",
    purpose="a message; its publisher commits, or is blocked, and a consumer has its own channel",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 1, Consumer: 1, Tag: 2},
    faults={"alarm": 1},
    constants={**TAGGED, "Confirms.transactional": True},
    states=1_982,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "ComesBack",
        "ConfirmsFlowWhileBlocked",
        "FailedYetStored",
        "HeldByTwo",
        "ReaderIsBlocked",
        "ReturnedAtCommit",
        "SettledWithNobody",
        "SeveralCommitted",
    ),
)

NEIGHBOURS = Instance(
    name="neighbours",
    purpose="one message, two queues, of which one may be deleted, and one has a consumer",
    sizes={**OFF, Msg: 1, Queue: 2, Replica: 2, Consumer: 1, Tag: 2},
    faults={"delete_queue": 1},
    constants={**TAGGED, "QueueProcess.of": {"r1": "q1", "r2": "q2"}, "Subscription.prefetch": 1},
    states=6_494,
    lacks=(
        "AckCoversSeveral",
        "ComesBack",
        "ConfirmedTransientLost",
        "LoneNackIsMultiple",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "PrefetchBlocks",
        "restart",
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

BYPASSED = Instance(
    name="bypassed",
    purpose="two messages, credit for one with everybody, and a consumer that need not ack",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1, Consumer: 1, Tag: 2},
    constants={
        **TAGGED,
        "QueueProcess.durable": False,
        "Subscription.no_ack": True,
        "Confirms.credit": True,
        "CreditPair.initial": 1,
    },
    states=11_366,
    lacks=(
        "AckedFromDisk",
        "BumpIsDeferredByStore",
        "ComesBack",
        "HeldByTwo",
        "SettledWithNobody",
        "process_bumped",
        "publish_waits",
        "store_takes",
    ),
)

REFUSING = Instance(
    name="refusing",
    purpose="two messages for a queue that has no room and refuses, and a consumer without acks",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1, Consumer: 1, Tag: 2},
    faults={"crash_queue": 1},
    constants={
        **REFILLED.constants,
        "QueueProcess.max_length": 0,
        "Subscription.no_ack": True,
    },
    states=954,
    lacks=(
        "AckCoversSeveralDeliveries",
        "AckedFromDisk",
        "CancelledByBroker",
        "ComesBack",
        "ConfirmedTransientLost",
        "ConfirmedWithoutWrite",
        "ConfirmedYetNeverDelivered",
        "DeletionConfirms",
        "DroppedForLackOfRoom",
        "HeldByTwo",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "RequeuedOvertakes",
        "SettledWithNobody",
        "confirm_arrives",
        "drain",
        "get",
        "hand_on",
        "hand_out",
        "recover",
        "sync",
        "write",
    ),
)

BYPASSED_MIRROR = Instance(
    name="bypassed_mirror",
    purpose="one message, else as bypassed; a mirror takes over when its master is lost",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Consumer: 1, Tag: 2},
    faults={"lose_node": 1},
    constants={
        **BYPASSED.constants,
        "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MIRROR},
    },
    states=43_720,
    lacks=(
        "AckCoversSeveral",
        "AckedFromDisk",
        "BumpIsDeferred",
        "CancelledByBroker",
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "publish_waits",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
)

LOST_MIRROR = Instance(
    name="lost_mirror",
    purpose="one message, a consumer, and a queue with a mirror, which may be deleted",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Consumer: 1, Tag: 1},
    faults={"delete_queue": 1},
    constants=REDELIVERY.constants,
    states=1_076,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "AckedOnOneLeg",
        "ComesBack",
        "ConfirmedTransientLost",
        "DeadLeaveTheRecord",
        "DuplicateAfterPromotion",
        "LoneNackIsMultiple",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "PromotedWithPending",
        "promote",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
        "trim",
    ),
)

INSTANCES = (
    CONSUMERS,
    PREFETCH,
    REFILLED,
    ROOMLESS,
    SEPARATE,
    SEPARATE_ALARM,
    NEIGHBOURS,
    BEREAVED,
    REDELIVERY,
    SUCCESSION,
    SHARED,
    SHARED_ALARM,
    SHARED_CANCEL,
    CUT_OFF,
    LEFT_BEHIND,
    HEALED_CONSUMERS,
    COMMIT_ACROSS,
    PARTED_CONSUMERS,
    SHARED_LIMIT,
    BYPASSED,
    REFUSING,
    BYPASSED_MIRROR,
    LOST_MIRROR,
)
