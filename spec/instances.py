"""The instances: at which sizes, and with which faults, the specification is checked.

Most of what can go wrong between a broker and a publisher goes wrong with two messages, two queues
and one accident; `core` is that, and what a check means when nothing else is said.  The smaller
ones are each big enough for one kind of thing, so that a counterexample found there has nothing in
it that does not matter.  `deep` lets every fault happen once.

An instance names in `lacks` the situations that it is too small for.  Everything else must come up
in it, or a check of it proves less than it seems to.
"""

from __future__ import annotations

from ackproof.spec.lang import Instance
from ackproof.spec.sorts import Msg, Queue

__all__ = ["INSTANCES"]

CORE = Instance(
    name="core",
    purpose="two messages, two queues, a crash, a deletion, a close: the one to pass",
    sizes={Msg: 2, Queue: 2},
    faults={"crash_queue": 1, "delete_queue": 1, "close": 1},
    states=892_370,
)

TINY = Instance(
    name="tiny",
    purpose="one message and one queue, which may crash, vanish with its node, or be deleted",
    sizes={Msg: 1, Queue: 1},
    faults={"crash_queue": 1, "lose_node": 1, "delete_queue": 1},
    states=490,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "NackedYetHeldElsewhere",
        "ReturnLongBeforeAck",
        "UnknownYetStored",
    ),
)

SMALL = Instance(
    name="small",
    purpose="two messages in one queue: order, `multiple`, and a channel that closes",
    sizes={Msg: 2, Queue: 1},
    faults={"crash_queue": 1, "delete_queue": 1, "close": 1},
    states=7_872,
    lacks=("NackedYetHeldElsewhere",),
)

FANOUT = Instance(
    name="fanout",
    purpose="one message for two queues, one of which may crash or be deleted",
    sizes={Msg: 1, Queue: 2},
    faults={"crash_queue": 1, "delete_queue": 1},
    states=2_702,
    lacks=("AckCoversSeveral", "AckOutOfOrder", "ReturnLongBeforeAck", "UnknownYetStored"),
)

MIXED = Instance(
    name="mixed",
    purpose="one message for two queues, the second of which is not durable",
    sizes={Msg: 1, Queue: 2},
    faults={"crash_queue": 1, "lose_node": 1},
    constants={"QueueMaster.durable": {"q1": True, "q2": False}},
    states=4_236,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "DeletionConfirms",
        "ReturnLongBeforeAck",
        "UnknownYetStored",
    ),
)

TRIO = Instance(
    name="trio",
    purpose="three messages in one queue: acks and nacks in one flush, and what covers what",
    sizes={Msg: 3, Queue: 1},
    faults={"crash_queue": 1},
    states=83_934,
    lacks=("DeletionConfirms", "NackedYetHeldElsewhere", "UnknownYetStored"),
)

POWER = Instance(
    name="power",
    purpose="everything on one machine, whose node may crash and whose power may fail",
    sizes={Msg: 2, Queue: 1},
    faults={"crash_node": 1, "crash_machine": 1},
    states=2_946,
    lacks=(
        "DeletionConfirms",
        "LoneNackIsMultiple",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "down_arrives",
    ),
)

DEEP = Instance(
    name="deep",
    purpose="as core, and every fault may happen once",
    sizes={Msg: 2, Queue: 2},
    faults={
        "crash_queue": 1,
        "lose_node": 1,
        "delete_queue": 1,
        "crash_node": 1,
        "crash_machine": 1,
        "drop": 1,
        "close": 1,
    },
    states=11_735_730,
)

INSTANCES = (CORE, TINY, SMALL, FANOUT, MIXED, TRIO, POWER, DEEP)
