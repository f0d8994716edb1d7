"""Small mistakes of queues that dead-letter at least once, and of who carries what is dead."""

from __future__ import annotations

from ackproof.lang import Design, Set, action, fault, handler, helper, require
from ackproof.spec.channel import Channel
from ackproof.spec.courier import Courier
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import ChannelId, Msg, Overflow, Queue, Reason, Replica, Status, Tag
from ackproof.spec.system import Confirms


class AtMostOnce(Courier):
    """Takes for arrived what is sent (B4.4)."""

    @handler
    def send(self, msg: Msg, dead: Msg) -> None:
        """Wait for no answer."""
        super().send(msg, dead)
        self.arrived.add(msg)


class EasilyContentChannel(Channel):
    """Takes the deletion of a queue for an answer, whoever asks (Q12.5)."""

    @helper
    def counts_as_accepted(self, reason: Reason) -> bool:
        """Look at the reason only."""
        return reason == Reason.NORMAL


class OneGrave(Confirms):
    """Publishes to one of the queues where the dead go (Q12.2)."""

    @handler
    def enter(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """Leave out the queues that are without a disk."""
        client = self.of_client(Msg.owner(msg))
        taken = {
            self.replicas[r].of for r in Replica if self.replicas[r].durable or client
        } & targets
        super().enter(msg, taken, mandatory, persistent)


class ForgottenExpiry(Confirms):
    """Lets go of what expires (Q12.2)."""

    @fault
    def expire(self, msg: Msg, replica: Replica) -> None:
        """Do what other queues do."""
        require(self.dead_letters(replica) and self.replicas[replica].leads())
        require(self.replicas[replica].head() == msg)
        self.replicas[replica].drop(msg)
        self.replicas[replica].displace({msg})
        self.leaves(msg, replica)


class BuriedAlive(Confirms):
    """Publishes the dead to no queue if there is none (Q12.3)."""

    @action(fair="weak")
    def dead_letter(self, msg: Msg, dead: Msg, replica: Replica) -> None:
        """Ask only which queues are there."""
        require(self.carries_for(Msg.owner(msg), replica) and self.replicas[replica].leads())
        require(dead in self.replicas[replica].aside and not self.courier.on_its_way(dead))
        require(self.channels[Msg.owner(msg)].next_seq == msg)
        targets = {q for q in self.graves(replica) if self.exists(q)}
        self.channels[Msg.owner(msg)].serve()
        self.enter(msg, targets, False, dead in self.persistent)
        self.courier.send(msg, dead)


class ImpatientCourier(Courier):
    """Sends again what has not been answered (Q12.3)."""

    @helper
    def on_its_way(self, dead: Msg) -> bool:
        """Believe in nothing that is not acked."""
        return any(self.original[k] == dead for k in self.arrived)


class TransientCopies(Confirms):
    """Publishes copies that need no disk (Q12.2)."""

    @handler
    def enter(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """Keep to what clients ask for."""
        super().enter(msg, targets, mandatory, persistent and self.of_client(Msg.owner(msg)))


class Resurrection(QueueProcess):
    """Has everything ready again after a crash (Q12.4)."""

    @handler
    def recover(self) -> None:
        """Read no marks."""
        require(self.status == Status.DOWN)
        self.status = Status.RUNNING
        self.ready = set(self.store.level)
        if self.marking:
            self.delivered = set(self.store.level)


class ResignedCourier(Courier):
    """Takes a nack for an answer (Q12.3)."""

    @handler
    def sees_nack(self, tag: Msg, multiple: bool) -> None:
        """Wait on."""


class WeightlessDead(QueueProcess):
    """Does not count what is set aside (Q12.2)."""

    @helper
    def refuses(self) -> bool:
        """Look at what is ready."""
        full = self.limited and len(self.ready) >= self.max_length
        return full and self.overflow == Overflow.REJECT_PUBLISH


class CarelessRejects(Confirms):
    """Lets go of what consumers reject (Q12.2)."""

    @handler
    def bury(self, channel: ChannelId, tags: Set[Tag]) -> None:
        """Do what is done with what they ack."""
        self.finish(channel, tags)


def _case(mistake: type, prop: str, instance: str) -> tuple[Design, str, str]:
    return Design(claim="", replace=(mistake,)), prop, instance


#: Each mistake with the property that notices it, and an instance where it does.
DEAD_LETTERING_MUTANTS: dict[str, tuple[Design, str, str]] = {
    design.replace[0].__name__: (design, prop, instance)
    for design, prop, instance in (
        _case(AtMostOnce, "DeadIsKeptUntilOthersHaveIt", "dead_letters"),
        _case(EasilyContentChannel, "AckMeansAccepted", "dead_letters_deleted"),
        _case(OneGrave, "DeadGoToAllTheirQueues", "dead_letters_fanout"),
        _case(ForgottenExpiry, "UntakenIsKeptUntilOthersHaveIt", "dead_letters"),
        _case(BuriedAlive, "DeadGoToAllTheirQueues", "dead_letters_deleted"),
        _case(ImpatientCourier, "CopiedForACause", "dead_letters_twice"),
        _case(TransientCopies, "CopyOfTheDeadIsAsPersistent", "dead_letters"),
        _case(Resurrection, "DeadAreHandedToNobody", "dead_letters_rejected"),
        _case(ResignedCourier, "DeadArePassedOn", "dead_letters_refused"),
        _case(WeightlessDead, "FullTakesNothing", "dead_letters_refused"),
        _case(CarelessRejects, "RejectedIsSetAside", "dead_letters_rejected"),
    )
}
