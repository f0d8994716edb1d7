"""Instances of mirrored queues: promotion, late mirrors, partitions, limits.

Two processes and one message show most of what may go wrong between a master and its mirror; what
comes late, or is told in another order, takes a second message or a third process.
"""

from __future__ import annotations

from ackproof.lang import Instance
from ackproof.spec.instances_queueing import OFF
from ackproof.spec.sorts import Born, Msg, Overflow, Queue, Replica

__all__ = ["INSTANCES", "LATE", "TWO"]

#: One queue, mirrored on a second node.
TWO = {
    "QueueProcess.of": "q1",
    "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MIRROR},
    "Confirms.consumers": False,
}

MIRRORS = Instance(
    name="mirrors",
    purpose="two messages, a master and its mirror, either of which may crash or be lost",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2},
    faults={"crash_queue": 1, "lose_node": 1},
    constants=TWO,
    states=177_791,
    lacks=(
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "reject_arrives",
        "stop_unsynchronised",
    ),
)

PROMOTION = Instance(
    name="promotion",
    purpose="one message, a master that may be lost, and two mirrors that join later",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 3},
    faults={"lose_node": 1},
    constants={
        **TWO,
        "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.LATER, "r3": Born.LATER},
    },
    states=40_725,
    lacks=(
        "AckCoversSeveral",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedYetHeldElsewhere",
        "reject_arrives",
    ),
)

FANOUT_MIRRORS = Instance(
    name="fanout_mirrors",
    purpose="one message for two queues, of which the second is mirrored; any node may be lost",
    sizes={**OFF, Msg: 1, Queue: 2, Replica: 3},
    faults={"lose_node": 1, "delete_queue": 1},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2", "r3": "q2"},
        "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MASTER, "r3": Born.MIRROR},
        "Confirms.consumers": False,
    },
    states=11_577,
    lacks=(
        "AckCoversSeveral",
        "ConfirmedWithoutWrite",
        "TwoMasters",
        "estrange",
        "reject_arrives",
        "stop_unsynchronised",
    ),
)

LATE_THIRD = Instance(
    name="late_third",
    purpose="two messages, no disk, a master that may be lost, a mirror, and one that comes late",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 3},
    faults={"lose_node": 1},
    constants={
        "QueueProcess.of": "q1",
        "QueueProcess.durable": False,
        "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MIRROR, "r3": Born.LATER},
        "Confirms.consumers": False,
    },
    table=False,
    states=223_642,
    lacks=(
        "AckedFromDisk",
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
)

LATE_NEWS = Instance(
    name="late_news",
    purpose="a message that expires, a master that may be lost, a mirror, and one that comes late",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 3},
    faults={"lose_node": 1, "drop": 1},
    constants=LATE_THIRD.constants,
    table=False,
    states=17_602,
    lacks=(
        "AckCoversSeveral",
        "AckedFromDisk",
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
)

GENERATIONS = Instance(
    name="generations",
    purpose="one message, no disk, two masters that may be lost in turn, and a late mirror",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 4},
    faults={"lose_node": 2},
    constants={
        "QueueProcess.of": "q1",
        "QueueProcess.durable": False,
        "QueueProcess.born": {
            "r1": Born.MASTER,
            "r2": Born.MIRROR,
            "r3": Born.MIRROR,
            "r4": Born.LATER,
        },
        "Confirms.consumers": False,
    },
    states=140_174,
    lacks=(
        "AckCoversSeveral",
        "AckedFromDisk",
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
    table=False,
)

LATE = Instance(
    name="late",
    purpose="two messages, a master that may be lost, a mirror that comes late and lacks the first",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2},
    faults={"lose_node": 1},
    constants={**TWO, "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.LATER}},
    states=148_197,
    lacks=(
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedYetHeldElsewhere",
        "SynchronisedByConsumption",
        "catch_up",
        "reject_arrives",
    ),
)

LATE_LAZY = Instance(
    name="late_lazy",
    purpose="as late with consumers and room for one; at the mirror removals take their time",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2},
    constants={
        **LATE.constants,
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
        "Store.lazy": {"r1": False, "r2": True},
        "Confirms.consumers": True,
    },
    states=261_320,
    lacks=(
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
    ),
    table=False,
)

LATER = Instance(
    name="later",
    purpose="as late without a disk, and a younger mirror that may take over from an older one",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 3},
    faults={"lose_node": 1},
    constants={**PROMOTION.constants, "QueueProcess.durable": False},
    states=625_060,
    lacks=(
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "reject_arrives",
    ),
    table=False,
)

FAILOVER = Instance(
    name="failover",
    purpose="one message with a consumer, a master, a mirror, another one later, two failures",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 3},
    faults={"crash_queue": 1, "lose_node": 1, "delete_queue": 1, "close": 1},
    constants={
        **TWO,
        "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MIRROR, "r3": Born.LATER},
        "Confirms.consumers": True,
    },
    states=2_622_908,
    lacks=(
        "AckCoversSeveral",
        "reject_arrives",
    ),
    table=False,
)

FOLLOWERS = Instance(
    name="followers",
    purpose="as failover with one failure and no disk: what two mirrors have heard, and not",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 3},
    faults={"lose_node": 1},
    constants={**FAILOVER.constants, "QueueProcess.durable": False},
    states=25_998,
    lacks=(
        "AckCoversSeveral",
        "AckedFromDisk",
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
)

HEIRS = Instance(
    name="heirs",
    purpose="one message with a consumer, a master that may be lost, two mirrors that come late",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 3},
    faults={"lose_node": 1},
    constants={
        **PROMOTION.constants,
        "QueueProcess.durable": False,
        "Confirms.consumers": True,
    },
    states=62_072,
    lacks=(
        "AckCoversSeveral",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "reject_arrives",
    ),
)

BLACKOUT = Instance(
    name="blackout",
    purpose="two messages, room for one, consumers; a master and its mirror, which crash together",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2},
    faults={"crash_node": 1},
    constants={
        **TWO,
        "QueueProcess.durable": False,
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
        "Confirms.consumers": True,
    },
    states=7_788,
    lacks=(
        "AckedFromDisk",
        "AckedOnOneLeg",
        "DeletionConfirms",
        "DuplicateAfterPromotion",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "PromotedWithPending",
        "down_arrives",
        "forget_sender",
        "promote",
        "stop_unsynchronised",
    ),
)

STOPPED_MIRRORS = Instance(
    name="stopped_mirrors",
    purpose="one message, a master, a mirror that comes late; either node may be stopped in order",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2},
    faults={"stop_node": 1, "lose_node": 1},
    constants=LATE.constants,
    states=9_515,
    lacks=(
        "AckCoversSeveral",
        "ConfirmedWithoutWrite",
        "ConsumedComesBack",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedYetHeldElsewhere",
        "SynchronisedByConsumption",
        "catch_up",
        "forget",
        "reject_arrives",
    ),
)

FANOUT_LATE = Instance(
    name="fanout_late",
    purpose="one message for two queues, of which the second has a mirror that comes late",
    sizes={**OFF, Msg: 1, Queue: 2, Replica: 3},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2", "r3": "q2"},
        "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MASTER, "r3": Born.LATER},
        "QueueProcess.durable": False,
    },
    states=2_284,
    lacks=(
        "AckCoversSeveral",
        "AckedFromDisk",
        "ConfirmedTransientLost",
        "DeadLeaveTheRecord",
        "DeletionConfirms",
        "DuplicateAfterPromotion",
        "LoneNackIsMultiple",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "PromotedWithPending",
        "TwoMasters",
        "down_arrives",
        "estrange",
        "promote",
        "reject_arrives",
        "stop_unsynchronised",
        "trim",
    ),
)

LIMITS = Instance(
    name="limits",
    purpose="two messages, room for one, a mirror; what is too much is refused",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2},
    faults={"lose_node": 1},
    constants={
        **TWO,
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
    },
    states=17_289,
    lacks=(
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "DroppedForLackOfRoom",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "restart",
        "stop_unsynchronised",
    ),
)

RELENTING = Instance(
    name="relenting",
    purpose="as limits without a disk, consumers; a lost master had refused, and has room by then",
    sizes=LIMITS.sizes,
    faults={"lose_node": 1},
    constants={**LIMITS.constants, "Confirms.consumers": True, "QueueProcess.durable": False},
    states=60_608,
    lacks=(
        "AckedFromDisk",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "restart",
        "stop_unsynchronised",
    ),
)

SERVED = Instance(
    name="served",
    purpose="two messages, room for one, consumers; a master and its mirror, which may crash",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2},
    faults={"crash_queue": 1},
    constants={
        **TWO,
        "QueueProcess.durable": False,
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
        "Confirms.consumers": True,
    },
    states=43_738,
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

PLAIN = Instance(
    name="plain",
    purpose="as limits, and messages that nobody will confirm come first",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2},
    faults={"lose_node": 1},
    constants={**LIMITS.constants, "Confirms.plain_publishes": True},
    states=26_117,
    lacks=(
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "DroppedForLackOfRoom",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "restart",
        "stop_unsynchronised",
    ),
)

DELETED_REFUSING = Instance(
    name="deleted_refusing",
    purpose="two messages, a master and a mirror without a disk or room, whose queue is deleted",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2},
    faults={"delete_queue": 1},
    constants={
        **TWO,
        "QueueProcess.durable": False,
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 0,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
    },
    table=False,
    states=1_640,
    lacks=(
        "AckedFromDisk",
        "AckedOnOneLeg",
        "ConfirmedTransientLost",
        "DeadLeaveTheRecord",
        "DuplicateAfterPromotion",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "PromotedWithPending",
        "confirm_arrives",
        "promote",
        "restart",
        "stop_unsynchronised",
        "trim",
    ),
)

INSTANCES = (
    MIRRORS,
    FANOUT_MIRRORS,
    PROMOTION,
    LATE_THIRD,
    LATE_NEWS,
    GENERATIONS,
    LATE,
    LATE_LAZY,
    LATER,
    FAILOVER,
    FOLLOWERS,
    HEIRS,
    BLACKOUT,
    LIMITS,
    RELENTING,
    SERVED,
    PLAIN,
    FANOUT_LATE,
    STOPPED_MIRRORS,
    DELETED_REFUSING,
)
