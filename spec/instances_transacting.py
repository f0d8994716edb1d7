"""Instances with transactions on one channel: commits that are accepted, refused, or wait.

Those with transactions on two channels are among the instances of several channels.
"""

from __future__ import annotations

from ackproof.lang import Instance
from ackproof.spec.instances_mirroring import LATE
from ackproof.spec.instances_queueing import OFF
from ackproof.spec.sorts import Msg, Overflow, Queue, Replica

__all__ = ["INSTANCES"]

TRANSACTIONS = Instance(
    name="transactions",
    purpose="two transactional messages, two queues, one of which has room for one only",
    sizes={**OFF, Msg: 2, Queue: 2, Replica: 2},
    faults={"crash_queue": 1, "delete_queue": 1, "close": 1},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2"},
        "QueueProcess.limited": {"r1": False, "r2": True},
        "QueueProcess.max_length": 1,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
        "Confirms.transactional": True,
        "Confirms.consumers": False,
    },
    states=284_487,
    lacks=("ConfirmedWithoutWrite",),
)

COMMIT_RENEWED = Instance(
    name="commit_renewed",
    purpose="two transactional messages, a queue that is deleted, and declared again",
    sizes={**OFF, Msg: 2, Queue: 2, Replica: 2},
    faults={"delete_queue": 1},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2"},
        "QueueProcess.after": {"r1": None, "r2": "q1"},
        "Confirms.transactional": True,
        "Confirms.consumers": False,
    },
    states=4_513,
    lacks=(
        "ConfirmedTransientLost",
        "ConfirmedWithoutWrite",
        "FailedYetStored",
        "LoneNackIsMultiple",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "restart",
    ),
)

COMMIT_REFUSED = Instance(
    name="commit_refused",
    purpose="a transactional message for a queue without room, and one that may crash",
    sizes={**OFF, Msg: 1, Queue: 2, Replica: 2},
    faults={"crash_queue": 1, "close": 1},
    constants={
        **TRANSACTIONS.constants,
        "QueueProcess.max_length": 0,
    },
    states=2_274,
    lacks=(
        "AckCoversSeveral",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "ReturnedAtCommit",
        "SeveralCommitted",
    ),
)

COMMIT_LATE = Instance(
    name="commit_late",
    purpose="a transactional message, a master that may be lost, and a mirror that comes late",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2},
    faults={"lose_node": 1},
    constants={**LATE.constants, "Confirms.transactional": True},
    states=8_114,
    lacks=(
        "AckCoversSeveral",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "FailedYetStored",
        "MirrorsGoWithTheirQueue",
        "NackedYetHeldElsewhere",
        "ReturnedAtCommit",
        "SeveralCommitted",
        "SynchronisedByConsumption",
        "catch_up",
        "reject_arrives",
    ),
)

MODES = Instance(
    name="modes",
    purpose="two messages in any mode or none, credit for one, a queue that may be deleted",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1},
    faults={"delete_queue": 1},
    constants={
        "QueueProcess.of": "q1",
        "CreditPair.initial": 1,
        "Confirms.consumers": False,
        "Confirms.credit": True,
        "Confirms.plain_publishes": True,
        "Confirms.transactional": True,
    },
    states=8_564,
    lacks=(
        "ConfirmedTransientLost",
        "ConfirmedWithoutWrite",
        "FailedYetStored",
        "LoneNackIsMultiple",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "publish_waits",
        "restart",
    ),
)

COMMIT_LATER = Instance(
    name="commit_later",
    purpose="two messages, a master that may be lost, no disk, and a mirror that comes late",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2},
    faults={"lose_node": 1},
    constants={
        **LATE.constants,
        "QueueProcess.durable": False,
        "Confirms.transactional": True,
    },
    states=80_994,
    lacks=(
        "DeletionConfirms",
        "FailedYetStored",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "SynchronisedByConsumption",
        "catch_up",
        "reject_arrives",
    ),
    table=False,
)

INSTANCES = (
    TRANSACTIONS,
    COMMIT_REFUSED,
    COMMIT_RENEWED,
    COMMIT_LATE,
    COMMIT_LATER,
    MODES,
)
