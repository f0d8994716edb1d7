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
from ackproof.spec.sorts import Born, ChannelId, Consumer, Msg, Node, Overflow, Queue, Replica, Tag

__all__ = ["INSTANCES", "MIRRORED"]

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
    states=40_617,
    lacks=(
        "AckCoversSeveral",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
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
    states=11_486,
    lacks=(
        "AckCoversSeveral",
        "ConfirmedWithoutWrite",
        "TwoMasters",
        "estrange",
        "reject_arrives",
        "stop_unsynchronised",
    ),
)

LATE = Instance(
    name="late",
    purpose="two messages, a master that may be lost, a mirror that comes late and lacks the first",
    sizes={**OFF, Msg: 2, Queue: 1, Replica: 2},
    faults={"lose_node": 1},
    constants={**TWO, "QueueProcess.born": {"r1": Born.MASTER, "r2": Born.LATER}},
    states=147_956,
    lacks=(
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
        "SynchronisedByConsumption",
        "catch_up",
        "reject_arrives",
    ),
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
    states=2_065_274,
    lacks=(
        "AckCoversSeveral",
        "reject_arrives",
    ),
    table=False,
)

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
    states=112_603,
    lacks=(
        "AckCoversSeveral",
        "AckedOnOneLeg",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "NackedYetRecovered",
        "SynchronisedByConsumption",
        "catch_up",
        "reject_arrives",
        "restart",
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
    states=32_953,
    lacks=(
        "AckCoversSeveral",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "reject_arrives",
        "stop_unsynchronised",
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
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "restart",
        "stop_unsynchronised",
    ),
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
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "NackedYetRecovered",
        "restart",
        "stop_unsynchronised",
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

#: What an instance with named consumers needs.
TAGGED = {
    "QueueProcess.of": "q1",
    "QueueProcess.marking": True,
    "Subscription.of": "q1",
    "Confirms.tagged": True,
    "Confirms.consumers": False,
}

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
    states=272_819,
    lacks=("ConfirmedWithoutWrite",),
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
    states=2_214,
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
    states=7_912,
    lacks=(
        "AckCoversSeveral",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "FailedYetStored",
        "NackedYetHeldElsewhere",
        "ReturnedAtCommit",
        "SeveralCommitted",
        "SynchronisedByConsumption",
        "catch_up",
        "reject_arrives",
    ),
)

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
    states=77_248,
    lacks=(
        "DeletionConfirms",
        "NackedYetHeldElsewhere",
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
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
)


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

CHANNELS = Instance(
    name="channels",
    purpose="two channels with a message each, and one queue, which may crash or be deleted",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1},
    faults={"crash_queue": 1, "delete_queue": 1},
    constants={"QueueProcess.of": "q1"},
    states=12_525,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "NackedYetHeldElsewhere",
        "ReturnLongBeforeAck",
    ),
)

CHANNELS_MIRRORS = Instance(
    name="channels_mirrors",
    purpose="two channels with a message each, a master and its mirror, either of which may crash",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 2},
    faults={"crash_queue": 1},
    constants=TWO,
    states=246_708,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "ConfirmedWithoutWrite",
        "DeletionConfirms",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "ReturnLongBeforeAck",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
)

CHANNELS_CLOSE = Instance(
    name="channels_close",
    purpose="two channels with a message each, of which one closes, a master and its mirror",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 2},
    faults={"close": 1},
    constants=TWO,
    states=39_824,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "ConfirmedWithoutWrite",
        "LoneNackIsMultiple",
        "NackedWhileMirrored",
        "NackedYetHeldElsewhere",
        "ReturnLongBeforeAck",
        "reject_arrives",
    ),
)

CHANNELS_SHARED = Instance(
    name="channels_shared",
    purpose="two channels that publish a message each and consume from one queue; one closes",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1, Consumer: 1, Tag: 2},
    faults={"close": 1},
    constants={**TAGGED, "Subscription.prefetch": 1, "Confirms.shared": True},
    states=381_952,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "HeldByTwo",
        "ReturnLongBeforeAck",
        "SettledWithNobody",
    ),
    table=False,
)

CHANNELS_CANCEL = Instance(
    name="channels_cancel",
    purpose="as channels_shared with a tag each, and a consumer may be cancelled",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1, Consumer: 1, Tag: 1},
    faults={"close": 1, "cancel": 1},
    constants=CHANNELS_SHARED.constants,
    states=157_216,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "AckOutOfOrder",
        "HeldByTwo",
        "ReturnLongBeforeAck",
        "SettledWithNobody",
    ),
)

CHANNELS_COMMIT = Instance(
    name="channels_commit",
    purpose="two channels, confirming or transactional, with a message each, and one queue",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1},
    constants={
        "QueueProcess.of": "q1",
        "Confirms.transactional": True,
        "Confirms.consumers": False,
    },
    states=5_450,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "ConfirmedWithoutWrite",
        "FailedYetStored",
        "ReturnLongBeforeAck",
        "ReturnedAtCommit",
        "SeveralCommitted",
    ),
)

CHANNELS_ACKS = Instance(
    name="channels_acks",
    purpose="as channels_commit, and each channel consumes; what it acks waits for its commit",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1, Consumer: 1, Tag: 1},
    constants={**CHANNELS_SHARED.constants, "Confirms.transactional": True},
    states=385_949,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "AckOutOfOrder",
        "FailedYetStored",
        "HeldByTwo",
        "ReturnLongBeforeAck",
        "ReturnedAtCommit",
        "SettledWithNobody",
        "SeveralCommitted",
    ),
    table=False,
)

CHANNELS_ALARM = Instance(
    name="channels_alarm",
    purpose="two channels with a message each, and an alarm",
    sizes={**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1},
    faults={"alarm": 1},
    constants={"QueueProcess.of": "q1", "Confirms.consumers": False},
    states=1_182,
    lacks=(
        "AckCoversSeveral",
        "AckOutOfOrder",
        "ConfirmedWithoutWrite",
        "ConfirmsFlowWhileBlocked",
        "ReaderIsBlocked",
        "ReturnLongBeforeAck",
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
    states=4_319,
    lacks=(
        "AckCoversSeveral",
        "DeletionConfirms",
    ),
)

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
    states=3_718_668,
    lacks=(
        "AckCoversSeveral",
        "AckCoversSeveralDeliveries",
        "BumpIsDeferred",
        "BumpIsDeferredByStore",
        "CommitAppliesAcks",
        "ConsumedComesBack",
        "CreditBelowZeroDownstream",
        "DeletionConfirms",
        "NackedWhileMirrored",
        "NackedYetRecovered",
        "RejectedForLackOfRoom",
        "ReturnedAtCommit",
        "SeveralCommitted",
        "publish_waits",
        "reject_arrives",
        "restart",
        "stop_unsynchronised",
    ),
    table=False,
)

INSTANCES = (
    CORE,
    TINY,
    SMALL,
    FANOUT,
    MIXED,
    TRIO,
    BODIES,
    REDECLARED,
    RENEWED,
    POWER,
    RECOVERY,
    RETRIED,
    RETRIED_ELSEWHERE,
    MIRRORS,
    FANOUT_MIRRORS,
    PROMOTION,
    LATE,
    LATER,
    FAILOVER,
    PARTITION,
    AWAY,
    LIMITS,
    CROWDED,
    DROPS,
    SERVED,
    PLAIN,
    CONSUMERS,
    PREFETCH,
    SEPARATE,
    REDELIVERY,
    SUCCESSION,
    SHARED,
    TRANSACTIONS,
    COMMIT_REFUSED,
    COMMIT_LATE,
    CREDIT,
    MIRROR_CREDIT,
    LATE_CREDIT,
    CHANNELS,
    CHANNELS_MIRRORS,
    CHANNELS_CLOSE,
    CHANNELS_SHARED,
    CHANNELS_CANCEL,
    CHANNELS_COMMIT,
    CHANNELS_ACKS,
    CHANNELS_ALARM,
    DIVIDED,
    EVERYTHING,
    DEEP,
)

#: The names of those with mirrors, which RabbitMQ has not had since 4.0.
MIRRORED = tuple(i.name for i in INSTANCES if "QueueProcess.born" in i.constants)
