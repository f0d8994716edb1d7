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

#: As GRAVE, and a consumer of the first queue.
CONSUMED = {
    **GRAVE,
    "QueueProcess.marking": True,
    "Subscription.of": "q1",
    "Confirms.tagged": True,
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
    states=3_195,
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
    constants=CONSUMED,
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

DEAD_LETTERS_SPLIT = Instance(
    name="dead_letters_split",
    purpose="two messages, two queues where the one goes that expires, and a queue that is deleted",
    sizes={**OFF, ChannelId: 2, Msg: 2, Queue: 3, Replica: 3},
    faults={"expire": 1, "delete_queue": 1},
    constants={
        **GRAVE,
        "QueueProcess.of": {"r1": "q1", "r2": "q2", "r3": "q3"},
        "QueueProcess.dead_of": {"r1": None, "r2": "q1", "r3": "q1"},
        "QueueProcess.durable": False,
    },
    states=3_214_926,
    lacks=(
        "AckedFromDisk",
        "ConfirmedTransientLost",
        "NackedYetRecovered",
        "restart",
    ),
)

DEAD_LETTERS_CONSUMED = Instance(
    name="dead_letters_consumed",
    purpose="a message that expires, or a consumer gets and rejects it, or it is purged",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 2, Replica: 2, Consumer: 1, Tag: 2},
    faults={"expire": 1, "drop": 1},
    constants=CONSUMED,
    states=79_132,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "ReturnLongBeforeAck",
        "SettledWithNobody",
    ),
)

DEAD_LETTERS_REJECTED_TOGETHER = Instance(
    name="dead_letters_rejected_together",
    purpose="two messages that a consumer may reject at once, without any disk",
    sizes={**OFF, ChannelId: 2, Msg: 2, Queue: 2, Replica: 2, Consumer: 1, Tag: 2},
    constants={**CONSUMED, "QueueProcess.durable": False},
    states=294_048,
    lacks=(
        "AckedFromDisk",
        "DeadArriveTwice",
        "SettledWithNobody",
    ),
)

DEAD_LETTERS_SEVERAL = Instance(
    name="dead_letters_several",
    purpose="two messages that expire, and a disk where they go",
    sizes={**OFF, ChannelId: 2, Msg: 2, Queue: 2, Replica: 2},
    faults={"expire": 2},
    constants={**GRAVE, "QueueProcess.durable": {"r1": False, "r2": True}},
    states=169_151,
    lacks=("DeadArriveTwice",),
)

DEAD_LETTERS_CHAINED = Instance(
    name="dead_letters_chained",
    purpose="a queue where the dead go has dead of its own, and both may have the same message",
    sizes={**OFF, ChannelId: 3, Msg: 1, Queue: 3, Replica: 3},
    faults={"expire": 2},
    constants={
        **GRAVE,
        "QueueProcess.of": {"r1": "q1", "r2": "q2", "r3": "q3"},
        "QueueProcess.dead_of": {"r1": None, "r2": "q1", "r3": "q2"},
        "QueueProcess.durable": False,
        "Channel.carries_for": {"ch1": None, "ch2": "q1", "ch3": "q2"},
    },
    states=5_762,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "AckedFromDisk",
        "ReturnLongBeforeAck",
    ),
)

DEAD_LETTERS_NODE = Instance(
    name="dead_letters_node",
    purpose="a message that expires, and the node where all is crashes",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 2, Replica: 2},
    faults={"expire": 1, "crash_node": 1},
    constants=GRAVE,
    states=2_198,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "DeadAreRefused",
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "NodeFollowsDeletion",
        "PowerFollowsDeletion",
        "ReturnLongBeforeAck",
        "WrittenIsLost",
        "down_arrives",
    ),
)

DEAD_LETTERS_CLOSED = Instance(
    name="dead_letters_closed",
    purpose="as dead_letters, and a client that may close, have transactions, or want no confirms",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 2, Replica: 2},
    faults={"expire": 1, "close": 1},
    constants={
        **GRAVE,
        "QueueProcess.durable": False,
        "Confirms.plain_publishes": True,
        "Confirms.transactional": True,
    },
    states=1_594,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "AckedFromDisk",
        "FailedYetStored",
        "ReturnLongBeforeAck",
        "ReturnedAtCommit",
        "SeveralCommitted",
    ),
)

INSTANCES = (
    DEAD_LETTERS,
    DEAD_LETTERS_TWICE,
    DEAD_LETTERS_DELETED,
    DEAD_LETTERS_REFUSED,
    DEAD_LETTERS_REJECTED,
    DEAD_LETTERS_CONSUMED,
    DEAD_LETTERS_REJECTED_TOGETHER,
    DEAD_LETTERS_SEVERAL,
    DEAD_LETTERS_CHAINED,
    DEAD_LETTERS_NODE,
    DEAD_LETTERS_FANOUT,
    DEAD_LETTERS_SPLIT,
    DEAD_LETTERS_CLOSED,
)
