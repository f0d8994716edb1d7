"""Instances of queues with one process each: publishes, crashes, deletion, limits, retries.

`core` is the one to pass, and what a check means when nothing else is said.  The smaller ones are
each big enough for one kind of thing; `deep` lets every fault happen once.
"""

from __future__ import annotations

from ackproof.lang import Instance
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Node, Overflow, Queue, Replica, Tag

__all__ = ["INSTANCES", "OFF"]

#: The sizes of the sorts that only some parts need, where those parts are off.
OFF = {ChannelId: 1, Node: 0, Consumer: 0, Tag: 0}

CORE = Instance(
    name="core",
    purpose="two messages, two queues, a crash, a deletion, a close: the one to pass",
    sizes={**OFF, Msg: 2, Queue: 2, Replica: 2},
    faults={"crash_queue": 1, "delete_queue": 1, "close": 1},
    constants={"QueueProcess.of": {"r1": "q1", "r2": "q2"}},
    states=892_370,
)

TINY = Instance(
    name="tiny",
    purpose="one message and one queue, which may crash, vanish with its node, or be deleted",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 1},
    faults={"crash_queue": 1, "lose_node": 1, "delete_queue": 1},
    constants={"QueueProcess.of": "q1"},
    states=490,
    lacks=(
        "AckCoversSeveral",
        "NackedYetHeldElsewhere",
    ),
)

SMALL = Instance(
    name="small",
    purpose="two messages in one queue: order, `multiple`, and a channel that closes",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1},
    faults={"crash_queue": 1, "delete_queue": 1, "close": 1},
    constants={"QueueProcess.of": "q1"},
    states=7_872,
    lacks=("NackedYetHeldElsewhere",),
)

FANOUT = Instance(
    name="fanout",
    purpose="one message for two queues, one of which may crash or be deleted",
    sizes={**OFF, Msg: 1, Queue: 2, Replica: 2},
    faults={"crash_queue": 1, "delete_queue": 1},
    constants={"QueueProcess.of": {"r1": "q1", "r2": "q2"}},
    states=2_702,
    lacks=("AckCoversSeveral",),
)

MIXED = Instance(
    name="mixed",
    purpose="one message for two queues, the second of which is not durable",
    sizes={**OFF, Msg: 1, Queue: 2, Replica: 2},
    faults={"crash_queue": 1, "lose_node": 1},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2"},
        "QueueProcess.durable": {"r1": True, "r2": False},
    },
    states=4_236,
    lacks=(
        "AckCoversSeveral",
        "DeletionConfirms",
    ),
)

TRIO = Instance(
    name="trio",
    purpose="three messages in one queue: acks and nacks in one flush, and what covers what",
    sizes={**OFF, Msg: 3, Queue: 1, Replica: 1},
    faults={"crash_queue": 1},
    constants={"QueueProcess.of": "q1"},
    states=83_934,
    lacks=(
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
    ),
)

REFUSING_ALL = Instance(
    name="refusing_all",
    purpose="three messages, confirmed or not, a queue that refuses all, and consumers that wait",
    sizes={**OFF, Msg: 3, Queue: 1, Replica: 1},
    faults={"crash_queue": 1},
    constants={
        "QueueProcess.of": "q1",
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 0,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
        "Confirms.plain_publishes": True,
    },
    states=8_846,
    lacks=(
        "AckedFromDisk",
        "ConfirmedTransientLost",
        "DeletionConfirms",
        "DroppedForLackOfRoom",
    ),
)

PLAIN_PASSING = Instance(
    name="plain_passing",
    purpose="two messages, confirmed or not, and consumers who may wait for them at an empty queue",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1},
    faults={"crash_queue": 1},
    constants={"QueueProcess.of": "q1", "Confirms.plain_publishes": True},
    table=False,
    states=5_314,
    lacks=(
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
    ),
)

POWER = Instance(
    name="power",
    purpose="everything on one machine, whose node may crash and whose power may fail",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1},
    faults={"crash_node": 1, "crash_machine": 1},
    constants={"QueueProcess.of": "q1"},
    states=2_946,
    lacks=(
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "NodeFollowsDeletion",
        "PowerFollowsDeletion",
        "down_arrives",
    ),
)

STOPPED = Instance(
    name="stopped",
    purpose="as power, and the node may be stopped in an orderly way",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1},
    faults={"stop_broker": 1, "crash_machine": 1},
    constants={"QueueProcess.of": "q1", "Store.lazy": True},
    states=4_878,
    lacks=(
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "NodeFollowsDeletion",
        "PowerFollowsDeletion",
        "StopFollowsCrash",
        "WrittenSurvives",
        "down_arrives",
    ),
)

DEEP = Instance(
    name="deep",
    purpose="as core, and every fault may happen once",
    sizes={**OFF, Msg: 2, Queue: 2, Replica: 2},
    faults={
        "crash_queue": 1,
        "lose_node": 1,
        "delete_queue": 1,
        "crash_node": 1,
        "crash_machine": 1,
        "drop": 1,
        "close": 1,
    },
    constants={"QueueProcess.of": {"r1": "q1", "r2": "q2"}},
    states=11_735_730,
    table=False,
)

BODIES = Instance(
    name="bodies",
    purpose="a message that two queues have, with one body apart from their entries",
    sizes={**OFF, Msg: 1, Queue: 2, Replica: 2},
    faults={"crash_queue": 1, "crash_node": 1, "crash_machine": 1, "delete_queue": 1},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2"},
        "Store.apart": True,
        "Store.lazy": True,
    },
    states=31_732,
    lacks=("AckCoversSeveral",),
)

STOPPED_BODIES = Instance(
    name="stopped_bodies",
    purpose="as bodies, and the node may be stopped in an orderly way",
    sizes={**OFF, Msg: 1, Queue: 2, Replica: 2},
    faults={"stop_broker": 1},
    constants=BODIES.constants,
    states=1_405,
    lacks=(
        "AckCoversSeveral",
        "ConsumedComesBack",
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "NodeFollowsDeletion",
        "PowerFollowsDeletion",
        "StopFollowsCrash",
        "WrittenBodyIsLost",
        "WrittenBodySurvives",
        "WrittenSurvives",
        "down_arrives",
    ),
)

STOPPED_BESIDE = Instance(
    name="stopped_beside",
    purpose="a message, two queues, one of which may be down when the broker is stopped",
    sizes={**OFF, Msg: 1, Queue: 2, Replica: 2},
    faults={"stop_broker": 1, "crash_queue": 1},
    constants={"QueueProcess.of": {"r1": "q1", "r2": "q2"}, "Confirms.consumers": False},
    table=False,
    states=1_416,
    lacks=(
        "AckCoversSeveral",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "NodeFollowsDeletion",
        "PowerFollowsDeletion",
        "WrittenIsLost",
        "WrittenSurvives",
    ),
)

MIXED_BODIES = Instance(
    name="mixed_bodies",
    purpose="two messages for two queues that share a store, of which the second writes nothing",
    sizes={**OFF, Msg: 2, Queue: 2, Replica: 2},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2"},
        "QueueProcess.durable": {"r1": True, "r2": False},
        "Store.apart": True,
        "Confirms.consumers": False,
    },
    states=4_421,
    lacks=("BodyIsThereAlready", "ConfirmedWithoutWrite", "WrittenBodyIsLost", "collect_body"),
)

REDECLARED = Instance(
    name="redeclared",
    purpose="two messages, a queue that is deleted, and one of its name that refuses everything",
    sizes={**OFF, Msg: 2, Queue: 2, Replica: 2},
    faults={"delete_queue": 1},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2"},
        "QueueProcess.after": {"r1": None, "r2": "q1"},
        "QueueProcess.limited": {"r1": False, "r2": True},
        "QueueProcess.max_length": 0,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
        "Confirms.consumers": False,
    },
    states=926,
    lacks=(
        "ConfirmedTransientLost",
        "ConfirmedWithoutWrite",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "restart",
    ),
)

RENEWED = Instance(
    name="renewed",
    purpose="two messages, a queue that is deleted, crashes, and is declared again, with consumers",
    sizes={**OFF, Msg: 2, Queue: 2, Replica: 2},
    faults={"delete_queue": 1, "crash_queue": 1},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2"},
        "QueueProcess.after": {"r1": None, "r2": "q1"},
    },
    states=11_800,
    lacks=("NackedYetHeldElsewhere",),
)

CROWDED = Instance(
    name="crowded",
    purpose="four messages, room for one, and a crash: what `multiple` may reach, and what not",
    sizes={**OFF, Msg: 4, Queue: 1, Replica: 1},
    faults={"crash_queue": 1},
    constants={
        "QueueProcess.of": "q1",
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
        "Confirms.consumers": False,
    },
    states=93_730,
    lacks=(
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "DroppedForLackOfRoom",
        "NackedYetHeldElsewhere",
    ),
)

DROPS = Instance(
    name="drops",
    purpose="two messages, room for one, consumers; the oldest is dropped, expires, is purged",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1},
    faults={"crash_queue": 1, "drop": 1},
    constants={
        "QueueProcess.of": "q1",
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
    },
    states=4_478,
    lacks=(
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
    ),
)

OVERFULL = Instance(
    name="overfull",
    purpose="two messages, room for one, what is too much is refused; consumers, and a crash",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1},
    faults={"crash_queue": 1},
    constants={
        "QueueProcess.of": "q1",
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
    },
    states=3_904,
    lacks=(
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
    ),
)

RECOVERY = Instance(
    name="recovery",
    purpose="two messages, consumers whose acks take their time to reach the disk, two crashes",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1},
    faults={"crash_queue": 1, "crash_machine": 1},
    constants={"QueueProcess.of": "q1", "Store.lazy": True},
    states=11_154,
    lacks=(
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
        "NodeFollowsDeletion",
        "PowerFollowsDeletion",
        "WrittenSurvives",
    ),
)

RETRIED = Instance(
    name="retried",
    purpose="three messages in one queue, which may crash; what is nacked is published again",
    sizes={**OFF, Msg: 3, Queue: 1, Replica: 1},
    faults={"crash_queue": 1},
    constants={
        "QueueProcess.of": "q1",
        "Confirms.retrying": True,
        "Confirms.consumers": False,
    },
    states=78_564,
    lacks=(
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
    ),
)

RETRIED_ELSEWHERE = Instance(
    name="retried_elsewhere",
    purpose="two channels with a message each; what one leaves unknown is published on the other",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1},
    faults={"close": 1},
    constants={
        "QueueProcess.of": "q1",
        "Confirms.retrying": True,
        "Confirms.consumers": False,
    },
    states=3_692,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
        "ReturnLongBeforeAck",
    ),
)

RETRIED_DELETED = Instance(
    name="retried_deleted",
    purpose="two channels with a message each, and a queue that may be gone by the second try",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1},
    faults={"close": 1, "delete_queue": 1},
    constants={
        "QueueProcess.of": "q1",
        "Confirms.retrying": True,
        "Confirms.consumers": False,
    },
    states=10_668,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "ConfirmedTransientLost",
        "LoneNackIsMultiple",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "ReturnLongBeforeAck",
        "restart",
    ),
)

RENEWED_TWICE = Instance(
    name="renewed_twice",
    purpose="two messages, and a queue that is deleted and declared again, twice",
    sizes={**OFF, Msg: 2, Queue: 3, Replica: 3},
    faults={"delete_queue": 2},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2", "r3": "q3"},
        "QueueProcess.after": {"r1": None, "r2": "q1", "r3": "q2"},
        "Confirms.consumers": False,
    },
    states=3_434,
    lacks=(
        "ConfirmedTransientLost",
        "ConfirmedWithoutWrite",
        "LoneNackIsMultiple",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "restart",
    ),
)

INSTANCES = (
    CORE,
    TINY,
    SMALL,
    FANOUT,
    MIXED,
    TRIO,
    BODIES,
    MIXED_BODIES,
    REDECLARED,
    RENEWED,
    RENEWED_TWICE,
    REFUSING_ALL,
    PLAIN_PASSING,
    POWER,
    STOPPED,
    STOPPED_BODIES,
    STOPPED_BESIDE,
    RECOVERY,
    RETRIED,
    RETRIED_ELSEWHERE,
    RETRIED_DELETED,
    CROWDED,
    DROPS,
    OVERFULL,
    DEEP,
)
