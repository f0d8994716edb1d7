"""The instances: at which sizes, and with which faults, the specification is checked.

Most of what can go wrong between a broker and a publisher goes wrong with two messages, two queues
and one accident; `core` is that, and what a check means when nothing else is said.  The smaller
ones are each big enough for one kind of thing, so that a counterexample found there has nothing in
it that does not matter.  `deep` lets every fault happen once.

An instance names in `lacks` the situations that it is too small for.  Everything else must come up
in it, or a check of it proves less than it seems to.
"""

from __future__ import annotations

from ackproof.lang import Instance
from ackproof.spec import (
    instances_channels,
    instances_consuming,
    instances_crediting,
    instances_dead_lettering,
    instances_mirroring,
    instances_parting,
    instances_queueing,
    instances_transacting,
)
from ackproof.spec.instances_consuming import TAGGED
from ackproof.spec.instances_mirroring import TWO
from ackproof.spec.instances_queueing import OFF
from ackproof.spec.sorts import Born, Consumer, Msg, Node, Overflow, Queue, Replica, Tag

__all__ = ["DEAD_LETTERING", "INSTANCES", "MIRRORED", "OFF", "TWO"]

EVERYTHING = Instance(
    name="everything",
    purpose="one message, and every part switched on",
    sizes={**OFF, Msg: 1, Queue: 1, Replica: 2, Node: 3, Consumer: 1, Tag: 1},
    faults={"partition": 1},
    constants={
        **TAGGED,
        "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.MIRROR},
        "QueueProcess.node": {"r1": "n1", "r2": "n2"},
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
        "Store.lazy": True,
        "Subscription.prefetch": 1,
        "Confirms.home": "n1",
        "Confirms.shared": True,
        "Confirms.transactional": True,
        "Confirms.credit": True,
    },
    states=3_416_292,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "BumpIsDeferred",
        "BumpIsDeferredByStore",
        "CommitAppliesAcks",
        "ConsumedComesBack",
        "CreditBelowZeroDownstream",
        "DeletionConfirms",
        "MirrorsGoWithTheirQueue",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "RejectedForLackOfRoom",
        "ReturnedAtCommit",
        "SeveralCommitted",
        "acks_arrive",
        "publish_waits",
        "regain",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
    table=False,
)

INSTANCES = (
    *instances_queueing.INSTANCES,
    *instances_mirroring.INSTANCES,
    *instances_parting.INSTANCES,
    *instances_consuming.INSTANCES,
    *instances_transacting.INSTANCES,
    *instances_crediting.INSTANCES,
    *instances_dead_lettering.INSTANCES,
    *instances_channels.INSTANCES,
    EVERYTHING,
)

#: The names of those with mirrors, which RabbitMQ has not had since 4.0.
MIRRORED = tuple(i.name for i in INSTANCES if "QueueProcess.born" in i.constants)

#: The names of those with queues that dead-letter at least once, which came with 3.10 (Q12.1).
DEAD_LETTERING = tuple(i.name for i in instances_dead_lettering.INSTANCES)
