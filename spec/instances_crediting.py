"""Instances with credit flow, from the socket to the disk.

Credit is of little use where it is not scarce, so these are the ones with many states for few
messages.
"""

from __future__ import annotations

from ackproof.lang import Instance
from ackproof.spec.instances_mirroring import LATE, TWO
from ackproof.spec.instances_queueing import OFF
from ackproof.spec.sorts import ChannelId, Msg, Node, Overflow, Queue, Replica

__all__ = ["INSTANCES"]

CREDIT = Instance(
    name="credit",
    purpose="three messages, a queue with little credit, an alarm, a crash",
    sizes={**OFF, Msg: 3, Queue: 1, Replica: 1},
    faults={"alarm": 1, "crash_queue": 1},
    constants={"QueueProcess.of": "q1", "Confirms.consumers": False, "Confirms.credit": True},
    states=706_655,
    lacks=(
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
    ),
)

SCARCE = Instance(
    name="scarce",
    purpose="two messages, credit for one with everybody on the way, an alarm, and another one",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1},
    faults={"alarm": 2},
    constants={**CREDIT.constants, "CreditPair.initial": 1},
    states=10_881,
    lacks=("ConfirmedWithoutWrite",),
)

PASSING_CREDIT = Instance(
    name="passing_credit",
    purpose="as scarce, without an alarm; what finds its queue empty may go to a consumer at once",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1},
    faults={},
    constants={**SCARCE.constants, "Confirms.consumers": True},
    states=12_201,
    lacks=("publish_waits",),
    table=False,
)

STORING_CREDIT = Instance(
    name="storing_credit",
    purpose="two channels with a message each, on their way through one queue to its store",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1},
    faults={"crash_queue": 1},
    constants=SCARCE.constants,
    states=34_126,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "BumpIsDeferred",
        "CreditBelowZeroDownstream",
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
        "ReturnLongBeforeAck",
        "publish_waits",
    ),
    table=False,
)

ENDED_CREDIT = Instance(
    name="ended_credit",
    purpose="as scarce; the queue crashes, is lost, or is deleted, or its node or machine crashes",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1},
    faults={
        "crash_queue": 1,
        "lose_node": 1,
        "delete_queue": 1,
        "crash_node": 1,
        "crash_machine": 1,
    },
    constants=SCARCE.constants,
    states=31_743,
    lacks=(
        "ConfirmedWithoutWrite",
        "NackedYetHeldElsewhere",
        "NodeFollowsDeletion",
        "PowerFollowsDeletion",
        "publish_waits",
    ),
)

MIRROR_CREDIT = Instance(
    name="mirror_credit",
    purpose="two transient messages, credit with a master and its mirror, which may be lost",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2},
    faults={"alarm": 1, "lose_node": 1},
    constants={**TWO, "QueueProcess.durable": False, "Confirms.credit": True},
    states=347_113,
    lacks=(
        "AckedFromDisk",
        "BumpIsDeferredByStore",
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "process_bumped",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
        "store_takes",
    ),
)

LATE_CREDIT = Instance(
    name="late_credit",
    purpose="one message, credit with a master and with a mirror that joins when it likes",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2},
    constants={**LATE.constants, "Confirms.credit": True},
    states=7_737,
    lacks=(
        "AckCoversSeveral",
        "BumpIsDeferred",
        "BumpIsDeferredByStore",
        "ConfirmedWithoutWrite",
        "CreditBelowZeroDownstream",
        "LoneNackIsMultiple",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "SynchronisedByConsumption",
        "catch_up",
        "publish_waits",
        "reject_arrives",
    ),
    table=False,
)

MIRROR_SCARCE = Instance(
    name="mirror_scarce",
    purpose="one transient message, credit for one with a master and its mirror, one may be lost",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2},
    faults={"lose_node": 1},
    constants={**MIRROR_CREDIT.constants, "CreditPair.initial": 1},
    states=1_809,
    lacks=(
        "AckCoversSeveral",
        "AckedFromDisk",
        "BumpIsDeferred",
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

SLOW_MIRROR = Instance(
    name="slow_mirror",
    purpose="one message, credit for one with a master and its mirror, and with their stores",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2},
    constants={**TWO, "Confirms.credit": True, "CreditPair.initial": 1},
    states=3_091,
    lacks=(
        "AckCoversSeveral",
        "BumpIsDeferred",
        "LoneNackIsMultiple",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "publish_waits",
        "reject_arrives",
    ),
)

SLOW_REFUSED = Instance(
    name="slow_refused",
    purpose="as slow_mirror, with queues that have no room and reject what comes; one may be lost",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2},
    faults={"lose_node": 1},
    constants={
        **SLOW_MIRROR.constants,
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 0,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
    },
    states=2_137,
    lacks=(
        "AckCoversSeveral",
        "AckedFromDisk",
        "AckedOnOneLeg",
        "BumpIsDeferred",
        "BumpIsDeferredByStore",
        "ConfirmedTransientLost",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "DroppedForLackOfRoom",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "confirm_arrives",
        "drain",
        "process_bumped",
        "publish_waits",
        "restart",
        "stop_unsynchronised",
        "store_takes",
        "sync",
        "write",
    ),
    table=False,
)

CLOSED_CREDIT = Instance(
    name="closed_credit",
    purpose="two messages, else as mirror_scarce; the channel may close, too",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2},
    faults={"lose_node": 1, "close": 1},
    constants=MIRROR_SCARCE.constants,
    states=50_687,
    lacks=(
        "AckedFromDisk",
        "BumpIsDeferredByStore",
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "process_bumped",
        "publish_waits",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
        "store_takes",
    ),
)

PARTED_CREDIT = Instance(
    name="parted_credit",
    purpose="as mirror_scarce, the channel on the node of the mirror; a partition",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Node: 3},
    faults={"partition": 1},
    constants={
        **MIRROR_SCARCE.constants,
        "QueueProcess.node": {"r1": "n1", "r2": "n2"},
        "Confirms.home": "n2",
    },
    states=12_702,
    lacks=(
        "AckCoversSeveral",
        "AckedFromDisk",
        "BumpIsDeferred",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "publish_waits",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
)

GIVEN_UP_CREDIT = Instance(
    name="given_up_credit",
    purpose="as parted_credit, the channel on a node of its own",
    sizes=PARTED_CREDIT.sizes,
    faults={"partition": 1},
    constants={
        **PARTED_CREDIT.constants,
        "Confirms.home": "n3",
        "CreditPair.initial": 4,
        "CreditPair.more_after": 2,
    },
    states=17_376,
    lacks=(
        "AckCoversSeveral",
        "AckedFromDisk",
        "BumpIsDeferred",
        "CreditBelowZeroDownstream",
        "DeletionConfirms",
        "HealedWithThatSide",
        "MirrorsGoWithTheirQueue",
        "NackedYetRecovered",
        "publish_waits",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
)

INSTANCES = (
    CREDIT,
    SCARCE,
    PASSING_CREDIT,
    STORING_CREDIT,
    ENDED_CREDIT,
    MIRROR_CREDIT,
    MIRROR_SCARCE,
    SLOW_MIRROR,
    SLOW_REFUSED,
    CLOSED_CREDIT,
    PARTED_CREDIT,
    GIVEN_UP_CREDIT,
    LATE_CREDIT,
)
