"""Instances with nodes: partitions of a cluster, and what its modes make of them.

The nodes of the channels, of masters and of mirrors may be any, and which of them are cut off is
left open.  So most have three, where one may be the channels' own, or nobody's.
"""

from __future__ import annotations

from ackproof.lang import Instance
from ackproof.spec.instances_mirroring import LATE, TWO
from ackproof.spec.instances_queueing import OFF
from ackproof.spec.sorts import Born, Msg, Node, Overflow, Queue, Replica

__all__ = ["INSTANCES"]

#: A master and its mirror on two nodes, and no disk.
APART = {
    **TWO,
    "QueueProcess.durable": False,
    "QueueProcess.node": {"r1": "n1", "r2": "n2"},
    "Confirms.home": "n1",
}

PARTITION = Instance(
    name="partition",
    purpose="one message, three nodes with a process each, the channel on the third; a partition",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 3, Node: 3},
    faults={"partition": 1},
    constants={
        **TWO,
        "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MIRROR, "r3": Born.MIRROR},
        "QueueProcess.node": {"r1": "n1", "r2": "n2", "r3": "n3"},
        "Confirms.home": "n3",
    },
    states=110_784,
    lacks=(
        "AckCoversSeveral",
        "AckedOnOneLeg",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedYetRecovered",
        "SynchronisedByConsumption",
        "catch_up",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
        "synchronise",
    ),
)

PARTED_REFUSING = Instance(
    name="parted_refusing",
    purpose="two nodes, two messages; the channel on one, and on the other a queue without room",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 1, Node: 2},
    faults={"partition": 1},
    constants={
        "QueueProcess.of": "q1",
        "QueueProcess.node": "n2",
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 0,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
        "Confirms.home": "n1",
        "Confirms.consumers": False,
    },
    states=2_492,
    lacks=(
        "AckedAndLostInPartition",
        "AckedFromDisk",
        "ConfirmedTransientLost",
        "DeletionConfirms",
        "DroppedForLackOfRoom",
    ),
)

PARTED_AGAIN = Instance(
    name="parted_again",
    purpose="three nodes with a process each, of one queue and no disk, and two partitions",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 3, Node: 3},
    faults={"partition": 2},
    constants={**PARTITION.constants, "QueueProcess.durable": False, "Confirms.consumers": False},
    states=240_976,
    lacks=(
        "AckCoversSeveral",
        "AckedFromDisk",
        "DeletionConfirms",
        "NackedYetRecovered",
        "SynchronisedByConsumption",
        "catch_up",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
        "synchronise",
    ),
    table=False,
)

PARTED_LOSS = Instance(
    name="parted_loss",
    purpose="as partition, the channel on the master's node; a node may be lost beside it",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 3, Node: 3},
    faults={"partition": 1, "lose_node": 1},
    constants={
        **TWO,
        "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MIRROR, "r3": Born.MIRROR},
        "QueueProcess.node": {"r1": "n1", "r2": "n2", "r3": "n3"},
        "Confirms.home": "n1",
        "Cluster.pausing": False,
        "QueueProcess.durable": False,
    },
    states=528_396,
    lacks=(
        "AckCoversSeveral",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedYetRecovered",
        "SynchronisedByConsumption",
        "catch_up",
        "reject_arrives",
        "stop_unsynchronised",
        "synchronise",
    ),
)

AWAY = Instance(
    name="away",
    purpose="one message, a queue none of whose processes is on the channel's side of a partition",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Node: 3},
    faults={"partition": 1, "lose_node": 1},
    constants={
        **TWO,
        "QueueProcess.node": {"r1": "n1", "r2": "n2"},
        "Confirms.home": "n3",
    },
    states=32_358,
    lacks=(
        "AckCoversSeveral",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "HealedWithThatSide",
        "MirrorsGoWithTheirQueue",
        "reject_arrives",
        "stop_unsynchronised",
    ),
)

LATE_PARTED = Instance(
    name="late_parted",
    purpose="one message, consumers, a master, a mirror that comes late; a partition between them",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Node: 3},
    faults={"partition": 1},
    constants={
        **LATE.constants,
        "QueueProcess.durable": False,
        "QueueProcess.node": {"r1": "n1", "r2": "n2"},
        "Confirms.home": "n1",
        "Confirms.consumers": True,
    },
    states=28_330,
    lacks=(
        "AckCoversSeveral",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "reject_arrives",
    ),
)

AUTOHEAL = Instance(
    name="autoheal",
    purpose="one message, a master and a mirror; a partition in which nobody pauses",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Node: 3},
    faults={"partition": 1},
    constants={
        **TWO,
        "QueueProcess.node": {"r1": "n1", "r2": "n2"},
        "Confirms.home": "n1",
        "Cluster.pausing": False,
    },
    states=24_282,
    lacks=(
        "AckCoversSeveral",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "reject_arrives",
        "stop_unsynchronised",
    ),
)

DIVIDED = Instance(
    name="divided",
    purpose="one message for two queues, one of them on the channel's node; a partition",
    sizes={**OFF, Msg: 1, Queue: 2, Replica: 2, Node: 3},
    faults={"partition": 1},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2"},
        "QueueProcess.node": {"r1": "n1", "r2": "n2"},
        "Confirms.home": "n1",
        "Confirms.consumers": False,
    },
    states=4_019,
    lacks=(
        "AckCoversSeveral",
        "DeletionConfirms",
    ),
)

STANDING = Instance(
    name="standing",
    purpose="two queues on one node across a partition, one of which may crash",
    sizes={**OFF, Msg: 1, Queue: 2, Replica: 2, Node: 3},
    faults={"partition": 1, "crash_queue": 1},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2"},
        "QueueProcess.node": "n2",
        "Confirms.home": "n1",
        "Confirms.consumers": False,
    },
    states=27_350,
    lacks=(
        "AckCoversSeveral",
        "DeletionConfirms",
    ),
)

ENDED_APART = Instance(
    name="ended_apart",
    purpose="one message for a queue across a partition, where it crashes or is deleted",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 1, Node: 3},
    faults={"partition": 1, "crash_queue": 1, "delete_queue": 1},
    constants={
        "QueueProcess.of": "q1",
        "QueueProcess.node": "n2",
        "Confirms.home": "n1",
        "Confirms.consumers": False,
    },
    states=2_567,
    lacks=("AckCoversSeveral",),
)

TWO_NODES = Instance(
    name="two_nodes",
    purpose="two nodes, none of which is a majority: a master on the one, its mirror on the other",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Node: 2},
    faults={"partition": 1},
    constants=APART,
    table=False,
    states=3_254,
    lacks=(
        "AckCoversSeveral",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "forget_sender",
        "reject_arrives",
        "stop_unsynchronised",
    ),
)

FIVE_NODES = Instance(
    name="five_nodes",
    purpose="five nodes, of which any may be cut off: a master and a mirror on two of them",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Node: 5},
    faults={"partition": 1},
    constants=APART,
    table=False,
    states=18_080,
    lacks=(
        "AckCoversSeveral",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "reject_arrives",
        "stop_unsynchronised",
    ),
)

TWICE_PARTED = Instance(
    name="twice_parted",
    purpose="three nodes, a master and a mirror on two of them; two partitions",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Node: 3},
    faults={"partition": 2},
    constants=APART,
    table=False,
    states=20_658,
    lacks=(
        "AckCoversSeveral",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "forget_sender",
        "reject_arrives",
        "stop_unsynchronised",
    ),
)

CRASHED_APART = Instance(
    name="crashed_apart",
    purpose="a master and a mirror on two nodes, one of which crashes in a partition",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Node: 3},
    faults={"partition": 1, "crash_queue": 1},
    constants=APART,
    table=False,
    states=16_634,
    lacks=(
        "AckCoversSeveral",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "forget_sender",
        "reject_arrives",
        "stop_unsynchronised",
    ),
)

INSTANCES = (
    PARTITION,
    PARTED_REFUSING,
    PARTED_AGAIN,
    PARTED_LOSS,
    AWAY,
    LATE_PARTED,
    AUTOHEAL,
    DIVIDED,
    STANDING,
    ENDED_APART,
    TWO_NODES,
    FIVE_NODES,
    TWICE_PARTED,
    CRASHED_APART,
)
