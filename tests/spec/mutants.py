"""Small mistakes, one for each property that the museum leaves unbroken.

A property that cannot fail says nothing.  The museum breaks most of them with bugs that were real;
for the others a mistake is made here.
"""

from __future__ import annotations

from ackproof.model.museum import museum
from ackproof.spec.channel import Channel
from ackproof.spec.cluster import Cluster
from ackproof.spec.lang import Design, Option, Set, handler, helper, require
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.network import Network
from ackproof.spec.sorts import Level, Msg, Reason, Replica, Seen
from ackproof.spec.store import Store
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack, Nack, Return


class RepeatingChannel(Channel):
    """Forgets that it has told the publisher."""

    @handler
    def flush(self) -> None:
        """Send everything, and keep everything."""
        require(bool(self.confirmed) or bool(self.rejected))
        self.send_acks()
        self.send_nacks()


class ChattyChannel(Channel):
    """Says everything once more, singly."""

    @handler
    def send_acks(self) -> None:
        """Send a frame that covers what it may, and one for each message all the same."""
        super().send_acks()
        for seq in sorted(self.confirmed):
            self.emit(Ack(seq, False))

    @handler
    def send_nacks(self) -> None:
        """Send a frame that covers what it may, and one for each message all the same."""
        super().send_nacks()
        for seq in sorted(self.rejected):
            self.emit(Nack(seq, False))


class ReturningChannel(Channel):
    """Returns whatever is mandatory."""

    @handler
    def register(self, seq: Msg, targets: Set[Replica]) -> None:
        """Return a message that was routed."""
        super().register(seq, targets)
        if targets:
            self.emit(Return(seq))


class GloomyChannel(Channel):
    """Returns what it has nacked."""

    @handler
    def send_nacks(self) -> None:
        """Nack, and return the same messages after that."""
        super().send_nacks()
        for seq in sorted(self.rejected):
            self.emit(Return(seq))


class NackingChannel(Channel):
    """Thinks that an unroutable message has failed."""

    @handler
    def register(self, seq: Msg, targets: Set[Replica]) -> None:
        """Reject what found no queue."""
        if targets:
            self.unconfirmed[seq] = set(targets)
        else:
            self.rejected.add(seq)


class SilentNetwork(Network):
    """Does not bring the news of a death."""

    @handler
    def end(self, replica: Replica, reason: Reason) -> None:
        """Lose the mailbox, and that is all."""
        self.publishes[replica].clear()


class DisorderlyNetwork(Network):
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


class UsurpingMirrors(Confirms):
    """Promotes a mirror that hears nothing."""

    @helper
    def leaderless(self, replica: Replica) -> bool:
        """Silence is enough."""
        return self.network.silent(replica)


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


def _design(*classes: type) -> Design:
    return Design(claim="", replace=classes)


#: Property -> the mistake that breaks it, and an instance where it does.
MUTANTS: dict[str, tuple[Design, str]] = {
    "SettledOnce": (_design(RepeatingChannel), "tiny"),
    "RefusedOnce": (_design(RepeatingChannel), "tiny"),
    "NoNeedlessAck": (_design(ChattyChannel), "small"),
    "NoNeedlessNack": (_design(ChattyChannel), "small"),
    "ReturnPrecedesNack": (_design(GloomyChannel), "tiny"),
    "NoNackFromMinority": (_design(SpeakingCluster), "partition"),
    "ReturnedIsUnroutable": (_design(ReturningChannel), "tiny"),
    "UnroutableIsConfirmed": (_design(NackingChannel), "tiny"),
    "SomebodyOwesAnAnswer": (_design(SilentNetwork), "tiny"),
    "EveryPublishSettles": (_design(DeafStore), "tiny"),
    "EveryPublisherHears": (_design(SilentNetwork), "tiny"),
    "EveryCopyIsMatched": (museum()["b07_silent_refusal"], "plain"),
    "FifoPerPublisher": (_design(DisorderlyNetwork), "small"),
    "AwaitedIsPresent": (_design(LosingQueue), "tiny"),
    "AwaitedIsUnderWay": (_design(DeafStore), "tiny"),
    "CastMeansSynced": (_design(HastyMirror), "mirrors"),
    "MirrorFollowsMaster": (_design(LeadingMirror), "mirrors"),
    "OneMaster": (_design(UsurpingMirrors), "mirrors"),
    "ConfirmedSurvives": (_design(LosingStore), "tiny"),
}
