"""Instances of queues that dead-letter at least once, and of the queues where their dead go."""

from __future__ import annotations

from ackproof.lang import Instance
from ackproof.spec.instances_queueing import OFF
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Overflow, Queue, Replica, Tag

__all__ = ["INSTANCES"]

#: A queue, and another one where its dead go; the second channel is that of the courier.
GRAVE = {
    "QueueProcess.of": {"r1": "q1", "r2": "q2"},
    "QueueProcess.dead_of": {"r1": None, "r2": "q1"},
    "Channel.carries_for": {"ch1": None, "ch2": "q1"},
    "Confirms.consumers": False,
}

DEAD_LETTERS = Instance(
    name="dead_letters",
    purpose="a message that expires, and the queue where it goes then; either queue may crash",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 2, Replica: 2},
    faults={"expire": 1, "crash_queue": 1},
    constants=GRAVE,
    states=9_718,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "DeletionConfirms",
        "ReturnLongBeforeAck",
    ),
)

DEAD_LETTERS_TWICE = Instance(
    name="dead_letters_twice",
    purpose="as dead_letters, and two messages, no disk where the dead go, one queue that crashes",
    sizes={**OFF, ChannelId: 2, Msg: 2, Queue: 2, Replica: 2},
    faults={"expire": 1, "crash_queue": 1},
    constants={**GRAVE, "QueueProcess.durable": {"r1": True, "r2": False}},
    states=340_522,
    lacks=("DeletionConfirms",),
)

DEAD_LETTERS_DELETED = Instance(
    name="dead_letters_deleted",
    purpose="a message that expires, and one of the two queues is deleted",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 2, Replica: 2},
    faults={"expire": 1, "delete_queue": 1},
    constants=GRAVE,
    states=3_351,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "ConfirmedTransientLost",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "ReturnLongBeforeAck",
        "restart",
    ),
)

DEAD_LETTERS_REFUSED = Instance(
    name="dead_letters_refused",
    purpose="two messages, and queues that refuse what is too much, the dead counted",
    sizes={**OFF, ChannelId: 2, Msg: 2, Queue: 2, Replica: 2},
    faults={"expire": 1, "drop": 1},
    constants={
        **GRAVE,
        "QueueProcess.durable": False,
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
    },
    states=44_334,
    lacks=(
        "AckedFromDisk",
        "DeadArriveTwice",
    ),
)

DEAD_LETTERS_REJECTED = Instance(
    name="dead_letters_rejected",
    purpose="a consumer that may reject a message for good, and the queue where it goes then",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 2, Replica: 2, Consumer: 1, Tag: 2},
    faults={"crash_queue": 1},
    constants={
        **GRAVE,
        "QueueProcess.marking": True,
        "Subscription.of": "q1",
        "Confirms.tagged": True,
    },
    states=135_462,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "DeletionConfirms",
        "ReturnLongBeforeAck",
    ),
)

DEAD_LETTERS_FANOUT = Instance(
    name="dead_letters_fanout",
    purpose="a message that expires, and two queues where it goes then, one of which may crash",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 3, Replica: 3},
    faults={"expire": 1, "crash_queue": 1},
    constants={
        **GRAVE,
        "QueueProcess.of": {"r1": "q1", "r2": "q2", "r3": "q3"},
        "QueueProcess.dead_of": {"r1": None, "r2": "q1", "r3": "q1"},
        "QueueProcess.durable": {"r1": True, "r2": True, "r3": False},
    },
    states=157_079,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "DeletionConfirms",
        "ReturnLongBeforeAck",
    ),
)

INSTANCES = (
    DEAD_LETTERS,
    DEAD_LETTERS_TWICE,
    DEAD_LETTERS_DELETED,
    DEAD_LETTERS_REFUSED,
    DEAD_LETTERS_REJECTED,
    DEAD_LETTERS_FANOUT,
)
