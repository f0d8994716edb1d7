"""Small mistakes, one for each property that the museum leaves unbroken.

A property that cannot fail says nothing.  The museum breaks most of them with bugs that were real;
for the others a mistake is made here.
"""

from __future__ import annotations

from ackproof.lang import Design, Option, Set, fault, handler, helper, require
from ackproof.model.museum import museum
from ackproof.spec.channel import Channel
from ackproof.spec.cluster import Cluster
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.model import MODEL
from ackproof.spec.network import Casts, Multicast
from ackproof.spec.sorts import ChannelId, Level, Msg, Queue, Reason, Replica, Seen, TxMode
from ackproof.spec.store import Store
from ackproof.spec.system import Confirms
from ackproof.spec.transaction import Transaction
from ackproof.spec.wire import Ack, Nack, Return, SelectOk


class RepeatingChannel(Channel):
    """Forgets that it has told the publisher."""

    @handler
    def flush(self) -> None:
        """Send everything, and keep everything."""
        require(bool(self.confirmed) or bool(self.rejected))
        self.send_acks()
        self.send_nacks()


class EchoingChannel(Channel):
    """Answers confirm.select twice."""

    @handler
    def select(self) -> None:
        """Enter confirm mode, and say so once more."""
        super().select()
        self.emit(SelectOk(self.channel))


class WordlessTransaction(Transaction):
    """Does not answer a rollback."""

    @handler
    def roll_back(self) -> None:
        """Forget what was published."""
        require(self.mode == TxMode.OPEN)
        self.abandoned |= self.batch
        self.forget()


class NacksFirstChannel(Channel):
    """Nacks, and acks after that."""

    @handler
    def flush(self) -> None:
        """Begin with what is worse."""
        require(bool(self.confirmed) or bool(self.rejected))
        self.send_nacks()
        self.send_acks()
        self.acked |= self.confirmed
        self.nacked |= self.rejected
        self.confirmed.clear()
        self.rejected.clear()


class BusyChannel(Channel):
    """Has no time for returns while it waits for confirms."""

    @handler
    def publish(self, targets: Set[Replica], mandatory: bool) -> None:
        """Take a message for mandatory only if nothing is unconfirmed."""
        super().publish(targets, mandatory and not self.unconfirmed)


class ChattyChannel(Channel):
    """Says everything once more, singly."""

    @handler
    def send_acks(self) -> None:
        """Send a frame that covers what it may, and one for each message all the same."""
        super().send_acks()
        for seq in sorted(self.confirmed):
            self.emit(Ack(self.channel, seq, False))

    @handler
    def send_nacks(self) -> None:
        """Send a frame that covers what it may, and one for each message all the same."""
        super().send_nacks()
        for seq in sorted(self.rejected):
            self.emit(Nack(self.channel, seq, False))


class ReturningChannel(Channel):
    """Returns whatever is mandatory."""

    @handler
    def register(self, seq: Msg, targets: Set[Replica]) -> None:
        """Return a message that was routed."""
        super().register(seq, targets)
        if targets:
            self.emit(Return(self.channel, seq))


class GloomyChannel(Channel):
    """Returns what it has nacked."""

    @handler
    def send_nacks(self) -> None:
        """Nack, and return the same messages after that."""
        super().send_nacks()
        for seq in sorted(self.rejected):
            self.emit(Return(self.channel, seq))


class NackingChannel(Channel):
    """Thinks that an unroutable message has failed."""

    @handler
    def register(self, seq: Msg, targets: Set[Replica]) -> None:
        """Reject what found no queue."""
        if targets:
            self.unconfirmed[seq] = set(targets)
        else:
            self.rejected.add(seq)


class SilentCasts(Casts):
    """Does not bring the news of a death."""

    @handler
    def end(self, replica: Replica, reason: Reason) -> None:
        """Lose the mailbox, and that is all."""
        self.publishes[replica].clear()


class DisorderlyCasts(Casts):
    """Delivers the newest message first."""

    @helper
    def next_for(self, replica: Replica) -> Option[Msg]:
        """Return the newest message on its way."""
        return max(self.publishes[replica], default=None)


class SpeakingCluster(Cluster):
    """Lets any node speak for the cluster."""

    @helper
    def may_confirm(self) -> bool:
        """Do not count who is there."""
        return True


class DroppingQueue(QueueProcess):
    """Confirms transient messages, and keeps none."""

    @handler
    def enqueue(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Keep what has to be stored."""
        if persistent and self.durable:
            super().enqueue(msg, persistent, confirming)


class ForgetfulQueue(QueueProcess):
    """Does not put back what it has on no disk."""

    @handler
    def requeue(self, msg: Msg) -> None:
        """Put back what is in the files."""
        require(msg in self.pending)
        self.pending.discard(msg)
        if self.store.level[msg] != Level.ABSENT:
            self.ready.add(msg)


class DoublingQueue(QueueProcess):
    """Recognises a message, and puts it into the queue once more."""

    @handler
    def accept_again(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Confirm it, and take it for a new one if it is transient."""
        again = self.seen[msg] == Seen.PUBLISHED and not persistent
        super().accept_again(msg, persistent, confirming)
        if again:
            self.enqueue(msg, persistent, False)


class LosingQueue(QueueProcess):
    """Drops a message without telling its store."""

    @handler
    def acknowledge(self, msg: Msg) -> None:
        """Forget the message, and leave its file and its confirm alone."""
        require(msg in self.pending)
        self.pending.discard(msg)


class HastyMirror(QueueProcess):
    """Confirms what it has seen twice, whatever its own disk has."""

    @handler
    def answer(self, msg: Msg, fate: Seen, persistent: bool, confirming: bool) -> None:
        """Tell the channel at once."""
        self.seen[msg] = Seen.ABSENT
        self.reply(msg, fate, confirming)


class LeadingMirror(QueueProcess):
    """Does not wait for its master."""

    @handler
    def hear(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Put into the queue what the channel sends."""
        super().hear(msg, persistent, confirming)
        self.ready.add(msg)


class FallbackMirrors(Confirms):
    """Promotes a mirror that lacks messages, where no other is left."""

    @helper
    def left_alone(self, replica: Replica) -> bool:
        """Nobody else is there to be promoted."""
        return not any(self.replicas[r].mirrors() for r in self.siblings(replica) - {replica})

    @helper
    def chosen(self, replica: Replica) -> bool:
        """Better than no queue at all."""
        return super().chosen(replica) or self.left_alone(replica)


class UsurpingMirrors(Confirms):
    """Promotes a mirror that hears nothing."""

    @helper
    def leaderless(self, replica: Replica) -> bool:
        """Silence is enough."""
        return self.multicast.silent(replica)


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


class DeafStore(Store):
    """Does not remember what must be confirmed."""

    @handler
    def put(self, msg: Msg, confirming: bool) -> None:
        """Take a message into the buffers, and forget about its confirm."""
        self.level[msg] = Level.BUFFERED


class NumberingMulticast(Multicast):
    """Takes the least number for what was told first."""

    @helper
    def next_from_master(self, replica: Replica) -> Option[Msg]:
        """Return the message with the least number."""
        return min(self.coming(replica), default=None)


class AstrayChannel(Channel):
    """Returns messages on all channels but its own."""

    @handler
    def give_back(self, seq: Option[Msg]) -> None:
        """Send the return to everybody else."""
        for other in sorted(ChannelId):
            if other != self.channel:
                self.emit(Return(other, seq))


class ContagiousConfirms(Confirms):
    """Closes another channel with each one."""

    @fault
    def close(self, channel: ChannelId) -> None:
        """Close two."""
        super().close(channel)
        other = min({c for c in ChannelId if c != channel}, default=None)
        if other is not None and self.channels[other].open:
            self.close_channel(other)


class CarelessRouting(Confirms):
    """Routes to queues that are gone."""

    @helper
    def all_exist(self, targets: Set[Queue]) -> bool:
        """Look for nobody."""
        return True


class DiligentQueues(Confirms):
    """Confirms everything."""

    @helper
    def confirming(self, msg: Msg) -> bool:
        """Take it that somebody waits."""
        return True


class ImpatientConfirms(Confirms):
    """Gives a name again before its queue is deleted."""

    @helper
    def name_is_free(self, replica: Replica) -> bool:
        """Ask only whether somebody had it."""
        return not self.replicas[replica].declared and any(
            self.replicas[r].of == self.replicas[replica].after for r in Replica
        )


def _design(*classes: type) -> Design:
    return Design(claim="", replace=classes)


#: Property -> the mistake that breaks it, and an instance where it does.
MUTANTS: dict[str, tuple[Design, str]] = {
    "ReturnGoesHome": (_design(AstrayChannel), "channels"),
    "ChannelsCloseAlone": (_design(ContagiousConfirms), "channels_close"),
    "MirrorStandsAsMaster": (_design(NumberingMulticast), "channels_mirrors"),
    "SettledOnce": (_design(RepeatingChannel), "tiny"),
    "RefusedOnce": (_design(RepeatingChannel), "tiny"),
    "NoNeedlessAck": (_design(ChattyChannel), "small"),
    "NoNeedlessNack": (_design(ChattyChannel), "small"),
    "ReturnPrecedesNack": (_design(GloomyChannel), "tiny"),
    "NoNackFromMinority": (_design(SpeakingCluster), "partition"),
    "AcksComeFirst": (_design(NacksFirstChannel), "small"),
    "MandatoryIsReturned": (_design(BusyChannel), "small"),
    "CastMeansPresent": (_design(DroppingQueue), "tiny"),
    "KeptWhileRunning": (_design(ForgetfulQueue), "tiny"),
    "NoSecondCopy": (_design(DoublingQueue), "mirrors"),
    "NothingComesBack": (_design(DoublingQueue), "failover"),
    "PromotedIsSynchronised": (_design(FallbackMirrors), "promotion"),
    "ReturnedIsUnroutable": (_design(ReturningChannel), "tiny"),
    "UnroutableIsConfirmed": (_design(NackingChannel), "tiny"),
    "SomebodyOwesAnAnswer": (_design(SilentCasts), "tiny"),
    "EveryPublishSettles": (_design(DeafStore), "tiny"),
    "EveryPublisherHears": (_design(SilentCasts), "tiny"),
    "EachAnswerIsAskedFor": (_design(EchoingChannel), "tiny"),
    "EachMethodIsAnswered": (_design(WordlessTransaction), "commit_refused"),
    "EveryCopyIsMatched": (museum(MODEL)["b07_silent_refusal"], "plain"),
    "FifoPerPublisher": (_design(DisorderlyCasts), "small"),
    "AwaitedIsPresent": (_design(LosingQueue), "tiny"),
    "AwaitedIsUnderWay": (_design(DeafStore), "tiny"),
    "CastMeansSynced": (_design(HastyMirror), "mirrors"),
    "MirrorFollowsMaster": (_design(LeadingMirror), "mirrors"),
    "OnlyWhatExistsIsRoutedTo": (_design(CarelessRouting), "tiny"),
    "OnlyWhatIsAskedForIsConfirmed": (_design(DiligentQueues), "plain"),
    "OneQueueOfAName": (_design(ImpatientConfirms), "redeclared"),
    "OneMaster": (_design(UsurpingMirrors), "mirrors"),
    "ConfirmedSurvives": (_design(LosingStore), "tiny"),
}
