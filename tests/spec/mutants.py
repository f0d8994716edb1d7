"""Small mistakes, one for each property that the museum leaves unbroken.

A property that cannot fail says nothing.  The museum breaks most of them with bugs that were real;
for the others a mistake is made here.
"""

from __future__ import annotations

from ackproof.spec.channel import Channel
from ackproof.spec.lang import Design, Option, Set, handler, helper, require
from ackproof.spec.network import Network
from ackproof.spec.queue import QueueMaster
from ackproof.spec.sorts import Level, Msg, Queue, Reason
from ackproof.spec.store import Store
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
    def register(self, seq: Msg, targets: Set[Queue]) -> None:
        """Return a message that was routed."""
        super().register(seq, targets)
        if targets:
            self.emit(Return(seq))


class NackingChannel(Channel):
    """Thinks that an unroutable message has failed."""

    @handler
    def register(self, seq: Msg, targets: Set[Queue]) -> None:
        """Reject what found no queue."""
        if targets:
            self.unconfirmed[seq] = set(targets)
        else:
            self.rejected.add(seq)


class SilentNetwork(Network):
    """Does not bring the news of a death."""

    @handler
    def end(self, queue: Queue, reason: Reason) -> None:
        """Lose the mailbox, and that is all."""
        self.publishes[queue].clear()


class DisorderlyNetwork(Network):
    """Delivers the newest message first."""

    @helper
    def next_for(self, queue: Queue) -> Option[Msg]:
        """Return the newest message on its way."""
        return max(self.publishes[queue], default=None)


class LosingQueue(QueueMaster):
    """Drops a message without telling its store."""

    @handler
    def acknowledge(self, msg: Msg) -> None:
        """Forget the message, and leave its file and its confirm alone."""
        require(msg in self.pending)
        self.pending.discard(msg)


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
    "ReturnedIsUnroutable": (_design(ReturningChannel), "tiny"),
    "UnroutableIsConfirmed": (_design(NackingChannel), "tiny"),
    "SomebodyOwesAnAnswer": (_design(SilentNetwork), "tiny"),
    "FifoPerPublisher": (_design(DisorderlyNetwork), "small"),
    "AwaitedIsPresent": (_design(LosingQueue), "tiny"),
    "AwaitedIsUnderWay": (_design(DeafStore), "tiny"),
    "ConfirmedSurvives": (_design(LosingStore), "tiny"),
}
