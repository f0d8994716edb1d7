"""Small mistakes of transactions and consumers, one for each property, and models to find them in.

A property that cannot fail says nothing.
"""

from __future__ import annotations

from ackproof.lang import (
    Design,
    Instance,
    Model,
    Option,
    Set,
    action,
    fault,
    handler,
    helper,
    properties_in,
    require,
)
from ackproof.spec import properties_consuming, properties_settling, properties_transacting
from ackproof.spec.channel import Channel
from ackproof.spec.consumer import ConsumerChannel, Delivery
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import (
    ChannelId,
    Consumer,
    Level,
    Msg,
    Node,
    Queue,
    Reason,
    Replica,
    Tag,
    TxMode,
)
from ackproof.spec.store import Store
from ackproof.spec.system import Confirms
from ackproof.spec.transaction import Transaction
from ackproof.spec.wire import Complaint, ConsumerAck, GetOk

NONE = {ChannelId: 1, Node: 0, Consumer: 0, Tag: 0}

TAGGED = {
    "QueueProcess.of": "q1",
    "QueueProcess.marking": True,
    "Subscription.of": "q1",
    "Confirms.tagged": True,
    "Confirms.consumers": False,
}

SMALL = Instance(
    name="small",
    purpose="one transactional message for two queues, which may crash or be deleted",
    sizes={**NONE, Msg: 1, Queue: 2, Replica: 2},
    faults={"crash_queue": 1, "delete_queue": 1},
    constants={
        "QueueProcess.of": {"r1": "q1", "r2": "q2"},
        "Confirms.transactional": True,
        "Confirms.consumers": False,
    },
    states=4_574,
    lacks=("SeveralCommitted",),
)

PAIR = Instance(
    name="pair",
    purpose="two transactional messages for one queue, which may crash",
    sizes={**NONE, Msg: 2, Queue: 1, Replica: 1},
    faults={"crash_queue": 1},
    constants={
        "QueueProcess.of": "q1",
        "Confirms.transactional": True,
        "Confirms.consumers": False,
    },
    states=4_269,
    lacks=("ReturnedAtCommit",),
)

TAGS = Instance(
    name="tags",
    purpose="two messages, two consumers with a limit each, and a client that loses count",
    sizes={ChannelId: 1, Node: 0, Msg: 2, Queue: 1, Replica: 1, Consumer: 2, Tag: 3},
    faults={"ack_unknown": 1},
    constants={
        **TAGGED,
        "Subscription.prefetch": {1: 1, 2: 2},
    },
    states=81_713,
    lacks=("HeldByTwo", "SettledWithNobody"),
)

LIMIT = Instance(
    name="limit",
    purpose="two messages, two consumers, of which only one at a time may have something",
    sizes={ChannelId: 1, Node: 0, Msg: 2, Queue: 1, Replica: 1, Consumer: 2, Tag: 2},
    constants={**TAGGED, "ConsumerChannel.shared_prefetch": 1},
    states=12_824,
    lacks=("ComesBack", "HeldByTwo", "SettledWithNobody"),
)

ONE = Instance(
    name="one",
    purpose="one message, and one consumer on the channel of a transactional publisher",
    sizes={ChannelId: 1, Node: 0, Msg: 1, Queue: 1, Replica: 1, Consumer: 1, Tag: 2},
    faults={"ack_unknown": 1, "crash_queue": 1},
    constants={
        **TAGGED,
        "Subscription.prefetch": 1,
        "Confirms.shared": True,
        "Confirms.transactional": True,
    },
    states=2_762,
    lacks=("SeveralCommitted", "ReturnedAtCommit", "CommitAppliesAcks"),
)

MODEL = Model(
    "consuming",
    Confirms,
    properties_in(properties_transacting, properties_consuming, properties_settling),
    (SMALL, PAIR, TAGS, LIMIT, ONE),
)


# -- transactions ---------------------------------------------------------------------------------


class UndecidedChannel(Confirms):
    """Is confirming and transactional at once."""

    @action
    def tx_select(self, channel: ChannelId) -> None:
        """Begin a transaction, whatever the mode."""
        require(self.transactional and self.channels[channel].open)
        require(self.transactions[channel].answers())
        self.transactions[channel].select()


class TalkativeChannel(Confirms):
    """Tells what is settled, transaction or not."""

    @action(fair="weak")
    def flush(self, channel: ChannelId) -> None:
        """Flush as in confirm mode."""
        require(bool(self.channels[channel].confirmed) or bool(self.channels[channel].rejected))
        self.channels[channel].flush()


class ImpatientCommit(Confirms):
    """Answers a commit without waiting for the queues."""

    @action(fair="weak")
    def complete(self, channel: ChannelId) -> None:
        """Answer at once."""
        require(not self.transactions[channel].answers())
        self.channels[channel].confirmed.clear()
        self.transactions[channel].complete()


class HastyStore(Store):
    """Confirms what is written."""

    @handler
    def write(self, msg: Msg) -> None:
        """Confirm a message that may be lost with the power."""
        super().write(msg)
        self.confirm(msg)


class LosingStore(Store):
    """Does not survive a crash."""

    @handler
    def crash(self) -> None:
        """Lose everything that is not on the disk."""
        self.lose_power()

    @handler
    def sync(self, msg: Msg) -> None:
        """Confirm what is written, and call that a sync."""
        require(self.level[msg] == Level.BUFFERED)
        self.level[msg] = Level.WRITTEN
        self.confirm(msg)


class HopefulCommit(Confirms):
    """Does not look whether anything was rejected."""

    @handler
    def note_rejects(self, channel: ChannelId) -> None:
        """Look away."""


class NervousChannel(Channel):
    """Takes a deletion for a failure."""

    @helper
    def counts_as_accepted(self, reason: Reason) -> bool:
        """Count nothing as accepted."""
        return False


class HastyPublisher(Confirms):
    """Does not wait for the commit."""

    @action
    def publish_in_tx(
        self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool
    ) -> None:
        """Keep a message, and send it all the same."""
        super().publish_in_tx(msg, targets, mandatory, persistent)
        self.route(msg, targets, persistent)


class EagerReturns(Confirms):
    """Returns in a transaction what found no queue."""

    @action
    def publish_in_tx(
        self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool
    ) -> None:
        """Keep a message, and return it all the same."""
        super().publish_in_tx(msg, targets, mandatory, persistent)
        if mandatory and not targets:
            self.channels[Msg.owner(msg)].give_back(None)


class SecretivePublisher(Confirms):
    """Takes what is published in a transaction for nobody's business."""

    @action
    def publish_in_tx(
        self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool
    ) -> None:
        """Keep a message, and have nobody confirm it."""
        super().publish_in_tx(msg, targets, mandatory, persistent)
        self.plain.add(msg)


class LingeringTransaction(Transaction):
    """Goes on when the channel closes."""

    @handler
    def close(self) -> None:
        """Forget what was published, and not that there is a transaction."""
        self.abandoned |= self.batch
        self.committing.clear()
        self.forget()


class VagueBroker(Confirms):
    """Says of a channel in no transaction that its commit has failed (A1.4)."""

    @handler
    def complain(self, channel: ChannelId, complaint: Complaint) -> None:
        """One error is like another."""
        vague = complaint == Complaint.NOT_TRANSACTIONAL
        super().complain(channel, Complaint.PARTIAL_COMPLETION if vague else complaint)


class TirelessChannel(Confirms):
    """Answers a commit on a channel that is closed."""

    @action
    def tx_commit(self, channel: ChannelId) -> None:
        """Commit, or complain, whether or not the client is there."""
        require(self.transactional and self.transactions[channel].answers())
        if self.transactions[channel].mode == TxMode.NONE:
            self.complain(channel, Complaint.NOT_TRANSACTIONAL)
        else:
            self.commit(channel)


class LateSettling(Confirms):
    """Has what was settled wait for another commit."""

    @handler
    def settle_collected(self, channel: ChannelId) -> None:
        """Keep it."""


class OneWayRollback(ConsumerChannel):
    """Takes back what was published, and not what was settled."""

    @handler
    def restore(self) -> None:
        """Forget it."""
        self.collected.clear()
        self.returning.clear()


class IdleCommit(Confirms):
    """Need not answer a commit."""

    @action
    def complete(self, channel: ChannelId) -> None:
        """Answer, or do not."""
        super().complete(channel)


# -- consumers ------------------------------------------------------------------------------------


class RepeatingTags(ConsumerChannel):
    """Does not count what it delivers."""

    @handler
    def count(self, tag: Tag, delivery: Delivery, no_ack: bool) -> None:
        """Use the same tag again."""
        self.unacked[tag] = delivery


class StutteringChannel(ConsumerChannel):
    """Answers twice with one tag."""

    @handler
    def answer(
        self, msg: Msg, replica: Replica, queue: Queue, redelivered: bool, no_ack: bool
    ) -> None:
        """Say it once more before the tag is counted."""
        tag = self.next_tag()
        if tag is not None:
            self.emit(GetOk(self.channel, tag, queue, msg, redelivered))
        super().answer(msg, replica, queue, redelivered, no_ack)


class GreedyAck(ConsumerChannel):
    """Takes `multiple` for all."""

    @helper
    def named(self, tag: Option[Tag], multiple: bool) -> Set[Tag]:
        """Return all, if there may be several."""
        return {t for t in self.unacked if t == tag or multiple}


class LenientChannel(Confirms):
    """Forgives a tag that it does not know."""

    @fault
    def ack_unknown(self, channel: ChannelId, tag: Option[Tag], multiple: bool) -> None:
        """Ignore the ack."""
        require(self.heeds(channel) and not self.consuming[channel].knows(tag, multiple))
        self.emit(ConsumerAck(channel, tag, multiple))


class UnlimitedConsumer(Confirms):
    """Does not look at a consumer's limit."""

    @helper
    def has_room(self, consumer: Consumer) -> bool:
        """Look at the shared limit only."""
        return self.consuming[Consumer.owner(consumer)].has_room()


class BurdenedChannel(ConsumerChannel):
    """Counts for ever what it has delivered once."""

    @handler
    def settle(self, tags: Set[Tag]) -> None:
        """Settle, and relieve nobody."""
        for tag in tags:
            self.unacked[tag] = None


class UnlimitedChannel(ConsumerChannel):
    """Does not look at the shared limit."""

    @helper
    def has_room(self) -> bool:
        """There is always room."""
        return True


class ForgetfulQueue(QueueProcess):
    """Does not remember what it has handed out."""

    @handler
    def mark(self, msg: Msg) -> None:
        """Forget it."""


class DisorderlyQueue(QueueProcess):
    """Hands out the newest message first."""

    @helper
    def head(self) -> Option[Msg]:
        """Return the newest message."""
        return max(self.ready, default=None)


class StubbornChannel(ConsumerChannel):
    """Keeps what was settled."""

    @handler
    def settle(self, tags: Set[Tag]) -> None:
        """Forget nothing."""


class LosingRequeue(Confirms):
    """Drops what is to come back."""

    @handler
    def put_back(self, channel: ChannelId, tags: Set[Tag]) -> None:
        """Treat a requeue as an ack."""
        self.finish(channel, tags)


class RetreatingAck(Confirms):
    """Has what is acked come back."""

    @handler
    def finish(self, channel: ChannelId, tags: Set[Tag]) -> None:
        """Treat an ack as a requeue."""
        self.put_back(channel, tags)


class EagerQueue(Confirms):
    """Goes on with consumers that are none any more."""

    @helper
    def serves(self, replica: Replica, consumer: Consumer) -> bool:
        """Do not ask whether the consumer was started."""
        its_own = self.subscriptions[consumer].of == self.replicas[replica].of
        return its_own and self.replicas[replica].leads() and self.has_room(consumer)


class SuspiciousChannel(ConsumerChannel):
    """Marks each delivery."""

    @handler
    def deliver(
        self, msg: Msg, replica: Replica, consumer: Consumer, redelivered: bool, no_ack: bool
    ) -> None:
        """Say that it may be one more."""
        super().deliver(msg, replica, consumer, True, no_ack)


class CurtQueue(Confirms):
    """Gives nothing to who asks."""

    @action
    def get_empty(self, channel: ChannelId, replica: Replica) -> None:
        """Do not look whether there is anything."""
        require(self.heeds(channel) and self.replicas[replica].leads())
        self.fetching.add(channel)
        self.consuming[channel].answer_empty(self.replicas[replica].of)


class DistractedChannel(Confirms):
    """Takes acks while a commit is under way."""

    @helper
    def free(self, channel: ChannelId) -> bool:
        """Do not ask what the channel owes."""
        return True


class IdleQueue(Confirms):
    """Need not deliver anything."""

    @action
    def hand_out(self, msg: Msg, replica: Replica, consumer: Consumer) -> None:
        """Deliver, or do not."""
        super().hand_out(msg, replica, consumer)


def _design(*classes: type) -> Design:
    return Design(claim="", replace=classes)


#: Property -> the mistake that breaks it, and an instance where it does.
MISTAKES: dict[str, tuple[Design, str]] = {
    "ConfirmXorTransaction": (_design(UndecidedChannel), "small"),
    "NoAckInTransaction": (_design(TalkativeChannel), "small"),
    "NoNackInTransaction": (_design(TalkativeChannel), "small"),
    "CommitMeansAccepted": (_design(ImpatientCommit), "small"),
    "NoCommitBeforeDurable": (_design(HastyStore), "small"),
    "CommittedSurvives": (_design(LosingStore), "small"),
    "FailedCommitCloses": (_design(HopefulCommit), "small"),
    "CommitFailsOnlyWithCause": (_design(NervousChannel), "small"),
    "FailureIsNoticed": (_design(HopefulCommit), "small"),
    "NoReturnInTransaction": (_design(EagerReturns), "small"),
    "PlainIsOfNoMode": (_design(SecretivePublisher), "small"),
    "NothingBeforeCommit": (_design(HastyPublisher), "small"),
    "RollbackLeavesNoTrace": (_design(HastyPublisher), "small"),
    "EveryCommitAnswers": (_design(IdleCommit), "small"),
    "ClosedHasNoTransaction": (_design(LingeringTransaction), "small"),
    "ComplaintIsTrue": (_design(VagueBroker), "small"),
    "ClosesOnce": (_design(TirelessChannel), "small"),
    "CommitSettles": (_design(LateSettling), "one"),
    "RollbackUnsettles": (_design(OneWayRollback), "one"),
    "DeliveryTagsIncrease": (_design(RepeatingTags), "tags"),
    "GetTakesATag": (_design(RepeatingTags), "tags"),
    "EachTagIsSeenOnce": (_design(StutteringChannel), "tags"),
    "TagsAreOrdered": (_design(RepeatingTags), "tags"),
    "AckSettlesWhatItNames": (_design(GreedyAck), "tags"),
    "UnknownTagClosesChannel": (_design(LenientChannel), "tags"),
    "PrefetchRespected": (_design(UnlimitedConsumer), "tags"),
    "SharedPrefetchRespected": (_design(UnlimitedChannel), "limit"),
    "LoadIsWhatIsUnsettled": (_design(BurdenedChannel), "tags"),
    "RedeliveredIsMarked": (_design(ForgetfulQueue), "tags"),
    "FetchedAgainIsMarked": (_design(ForgetfulQueue), "tags"),
    "DeliveredInOrder": (_design(DisorderlyQueue), "tags"),
    "EachCopyHasOnePlace": (_design(StubbornChannel), "tags"),
    "HeldUntilSettled": (_design(LosingRequeue), "tags"),
    "AckedIsGone": (_design(RetreatingAck), "tags"),
    "RejectSettlesWhatItNames": (_design(GreedyAck), "tags"),
    "RejectedComesBackIfAskedFor": (_design(LosingRequeue), "tags"),
    "DeliveredToWhoConsumes": (_design(EagerQueue), "tags"),
    "MarkedWasHandedOut": (_design(SuspiciousChannel), "tags"),
    "NothingIsFetchedFromNobody": (_design(CurtQueue), "tags"),
    "CommitComesFirst": (_design(DistractedChannel), "one"),
    "RequeuedIsRedelivered": (_design(IdleQueue), "tags"),
}
