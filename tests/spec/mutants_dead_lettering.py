"""Small mistakes of queues that dead-letter at least once, and of who carries what is dead."""

from __future__ import annotations

from ackproof.lang import Design, Set, action, fault, handler, helper, require
from ackproof.spec.channel import Channel
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import (
    ChannelId,
    Method,
    Msg,
    Overflow,
    Queue,
    Reason,
    Replica,
    Status,
    Tag,
    TxMode,
)
from ackproof.spec.system import Confirms
from ackproof.spec.wire import TxSelectOk


class AtMostOnce(Confirms):
    """Takes for arrived what is sent (B4.4)."""

    @helper
    def has_arrived(self, dead: Msg, replica: Replica) -> bool:
        """Wait for no answer."""
        return bool(self.copies_of(dead, replica))


class GivesRejectsUp(Confirms):
    """Lets go of what a consumer has rejected as soon as a copy is sent, if it is transient."""

    @helper
    def has_arrived(self, dead: Msg, replica: Replica) -> bool:
        """Wait for an answer if the message expired, or has to be on the disk."""
        light = dead in self.replicas[replica].delivered and dead not in self.persistent
        sent = light and bool(self.copies_of(dead, replica))
        return sent or super().has_arrived(dead, replica)


class TakesAnyAck(Confirms):
    """Takes an ack for the oldest that is set aside, whatever it was for."""

    @helper
    def has_arrived(self, dead: Msg, replica: Replica) -> bool:
        """Ask for no copy of this one."""
        oldest = dead == min(self.replicas[replica].aside, default=None)
        return oldest and any(self.carries_for(Msg.owner(k), replica) for k in self.courier.acked)


class Relabelled(Confirms):
    """Takes the ack of a copy for that of another transient message, when the first is gone."""

    @action(fair="weak")
    def let_go(self, dead: Msg, replica: Replica) -> None:
        """Give the copies to the next that has none."""
        copied = set(self.copies_of(dead, replica) & self.courier.acked)
        super().let_go(dead, replica)
        rest = {
            other
            for other in self.replicas[replica].aside
            if other not in self.persistent and not self.copies_of(other, replica)
        }
        heir = min(rest, default=None)
        if heir is not None:
            for copy in copied:
                self.courier.original[copy] = heir


class Unconfirmed(Confirms):
    """Publishes copies of what is transient without confirms, and waits for nothing (Q12.2)."""

    @action(fair="weak")
    def dead_letter(self, msg: Msg, dead: Msg, replica: Replica) -> None:
        """Do not have it confirmed."""
        channel = Msg.owner(msg)
        require(self.carries_for(channel, replica) and dead in self.replicas[replica].aside)
        require(self.copies_of(dead, replica) <= self.courier.nacked)
        require(self.transactions[channel].mode == TxMode.NONE)
        require(self.channels[channel].next_seq == msg)
        targets = set(self.to_reach(dead, replica))
        require(bool(targets))
        if dead in self.persistent or self.channels[channel].confirming:
            self.channels[channel].serve()
            self.enter(msg, targets, False, dead in self.persistent)
        else:
            self.plain.add(msg)
            self.holders[msg] = set(targets)
            self.publishers[channel].skip()
            self.channels[channel].skip()
            self.route(msg, targets, False)
        self.courier.send(msg, dead)

    @helper
    def has_arrived(self, dead: Msg, replica: Replica) -> bool:
        """Wait for nothing where nothing comes."""
        plain = bool(self.copies_of(dead, replica) & self.plain)
        return plain or super().has_arrived(dead, replica)


class OneIsEnough(Confirms):
    """Lets go when one of the queues where the dead go has a copy (Q12.2)."""

    @helper
    def has_arrived(self, dead: Msg, replica: Replica) -> bool:
        """Wait for no other queue."""
        copies = self.copies_of(dead, replica)
        return any(bool(self.replicas[r].ready & copies) for r in Replica)


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


class ExpiresWhatWasHandedOut(Confirms):
    """Lets go of what expires if a consumer has had it before (Q12.2)."""

    @fault
    def expire(self, msg: Msg, replica: Replica) -> None:
        """Take a message that was seen for consumed."""
        require(self.dead_letters(replica) and self.replicas[replica].leads())
        require(self.replicas[replica].head() == msg)
        if msg in self.replicas[replica].delivered:
            self.replicas[replica].drop(msg)
            self.replicas[replica].displace({msg})
            self.leaves(msg, replica)
        else:
            self.set_aside(msg, replica)


class ExpiresAnywhere(Confirms):
    """Sets aside what expires, whatever the queue does with its dead (Q12.1)."""

    @fault
    def expire(self, msg: Msg, replica: Replica) -> None:
        """Ask for the head only."""
        require(self.replicas[replica].leads() and self.replicas[replica].head() == msg)
        self.set_aside(msg, replica)


class BuriedAlive(Confirms):
    """Publishes the dead to no queue if there is none (Q12.3)."""

    @action(fair="weak")
    def dead_letter(self, msg: Msg, dead: Msg, replica: Replica) -> None:
        """Ask only which queues are there."""
        channel = Msg.owner(msg)
        require(self.carries_for(channel, replica) and dead in self.replicas[replica].aside)
        require(self.copies_of(dead, replica) <= self.courier.nacked)
        require(self.channels[channel].next_seq == msg)
        targets = {q for q in self.graves(replica) if self.exists(q)}
        self.channels[channel].serve()
        self.enter(msg, targets, False, dead in self.persistent)
        self.courier.send(msg, dead)


class ImpatientCourier(Confirms):
    """Sends again what has not been answered (Q12.3)."""

    @helper
    def copies_of(self, dead: Msg, replica: Replica) -> Set[Msg]:
        """Believe in nothing that is not acked."""
        return super().copies_of(dead, replica) & self.courier.acked


class ResignedCourier(Confirms):
    """Takes a nack for an answer that needs nothing else (Q12.3)."""

    @action(fair="weak")
    def dead_letter(self, msg: Msg, dead: Msg, replica: Replica) -> None:
        """Send no more than one copy."""
        require(not self.copies_of(dead, replica))
        super().dead_letter(msg, dead, replica)


class ForgetfulCourier(Confirms):
    """Forgets all that is under way as soon as any queue starts again (Q12.4)."""

    @handler
    def begin_anew(self, replica: Replica) -> None:
        """Ask not whose it is."""
        super().begin_anew(replica)
        self.courier.forget(set(Msg))


class BlurredCopies(Confirms):
    """Takes a message that has died in two queues for one (Q12.2)."""

    @helper
    def copies_of(self, dead: Msg, replica: Replica) -> Set[Msg]:
        """Ask not whose copies they are."""
        return {
            k for k in Msg if self.courier.original[k] == dead and k not in self.courier.abandoned
        }


class OpenCourier(Confirms):
    """Lets clients ask for confirms on the channel of a courier (Q12.2)."""

    @action
    def select(self, channel: ChannelId) -> None:
        """Know of no other channels."""
        require(self.readers[channel].reads())
        require(self.channels[channel].open and self.transactions[channel].answers())
        self.asking[channel] = Method.SELECT
        self.channels[channel].select()


class TransactionalCourier(Confirms):
    """Answers tx.select on the channel of a courier, and does nothing else (Q12.2)."""

    @action
    def tx_select(self, channel: ChannelId) -> None:
        """Know of no other channels."""
        require(self.readers[channel].reads())
        require(self.channels[channel].open)
        self.asking[channel] = Method.TX_SELECT
        self.emit(TxSelectOk(channel))


class ClosableCourier(Confirms):
    """Lets clients close the channel of a courier (Q12.2)."""

    @fault
    def close(self, channel: ChannelId) -> None:
        """Know of no other channels."""
        require(self.channels[channel].open)
        self.close_channel(channel)


class ReturningCourier(Confirms):
    """Lets clients publish on the channel of a courier what no queue matches (A6.2)."""

    @action
    def publish_unroutable(self, channel: ChannelId, mandatory: bool) -> None:
        """Know of no other channels."""
        blocked = self.channel_blocked(channel)
        require(self.readers[channel].reads_content())
        require(self.channels[channel].open and not self.channels[channel].confirming)
        self.channels[channel].publish(set(), mandatory)
        self.hand_over(channel, blocked)


class SharedChannel(Confirms):
    """Lets clients get messages on the channel of a courier (Q12.2)."""

    @helper
    def heeds(self, channel: ChannelId) -> bool:
        """Know of no other channels."""
        there = self.tagged and self.consuming[channel].open and self.free(channel)
        return there and self.readers[channel].reads()


class QuietGraves(Confirms):
    """Notes not what has died, and so may hand it out again (Q12.4)."""

    @handler
    def set_aside(self, msg: Msg, replica: Replica) -> None:
        """Set it aside only."""
        self.replicas[replica].set_aside(msg)


class Revival(Confirms):
    """Has a transient message ready again as soon as a copy of it is sent (Q12.4)."""

    @action(fair="weak")
    def dead_letter(self, msg: Msg, dead: Msg, replica: Replica) -> None:
        """Take it back when that is done."""
        super().dead_letter(msg, dead, replica)
        if dead not in self.persistent:
            self.replicas[replica].aside.discard(dead)
            self.replicas[replica].ready.add(dead)


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


class BuriedWithItsProcess(QueueProcess):
    """Has nothing set aside after a crash (Q12.4)."""

    @handler
    def recover(self) -> None:
        """Read what is ready only."""
        super().recover()
        self.aside.clear()


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


class BuriesTheOldest(Confirms):
    """Sets aside one of those that a consumer rejects, and lets go of the others (Q12.2)."""

    @handler
    def bury(self, channel: ChannelId, tags: Set[Tag]) -> None:
        """Look at the first."""
        first = {t for t in tags if t == min(tags, default=None)}
        super().bury(channel, first)
        self.finish(channel, tags - first)


def _case(mistake: type, prop: str, instance: str) -> tuple[Design, str, str]:
    return Design(claim="", replace=(mistake,)), prop, instance


#: Each mistake with the property that notices it, and an instance where it does.
DEAD_LETTERING_MUTANTS: dict[str, tuple[Design, str, str]] = {
    design.replace[0].__name__: (design, prop, instance)
    for design, prop, instance in (
        _case(AtMostOnce, "UntakenIsKeptUntilOthersHaveIt", "dead_letters"),
        _case(GivesRejectsUp, "UntakenIsKeptUntilOthersHaveIt", "dead_letters_rejected"),
        _case(TakesAnyAck, "UntakenIsKeptUntilOthersHaveIt", "dead_letters_several"),
        _case(Relabelled, "CopiesKeepTheirOriginal", "dead_letters_several"),
        _case(Unconfirmed, "UntakenIsKeptUntilOthersHaveIt", "dead_letters"),
        _case(OneIsEnough, "UntakenIsKeptUntilOthersHaveIt", "dead_letters_fanout"),
        _case(EasilyContentChannel, "AckMeansAccepted", "dead_letters_deleted"),
        _case(OneGrave, "DeadGoToAllTheirQueues", "dead_letters_fanout"),
        _case(ForgottenExpiry, "UntakenIsKeptUntilOthersHaveIt", "dead_letters"),
        _case(ExpiresWhatWasHandedOut, "UntakenIsKeptUntilOthersHaveIt", "dead_letters_consumed"),
        _case(ExpiresAnywhere, "OnlyWhoPassesOnSetsAside", "dead_letters"),
        _case(BuriedAlive, "DeadGoToAllTheirQueues", "dead_letters_deleted"),
        _case(ImpatientCourier, "CopiedForACause", "dead_letters_twice"),
        _case(ForgetfulCourier, "ForgottenWithTheirQueue", "dead_letters"),
        _case(BlurredCopies, "UntakenIsKeptUntilOthersHaveIt", "dead_letters_chained"),
        _case(OpenCourier, "EachAnswerIsAskedFor", "dead_letters"),
        _case(TransactionalCourier, "EachAnswerIsAskedFor", "dead_letters"),
        _case(ClosableCourier, "CouriersEndWithTheirNode", "dead_letters_closed"),
        _case(ReturningCourier, "CouriersAreReturnedNothing", "dead_letters"),
        _case(SharedChannel, "CouriersHaveNoClient", "dead_letters_rejected"),
        _case(TransientCopies, "CopyOfTheDeadIsAsPersistent", "dead_letters"),
        _case(Resurrection, "DeadAreHandedToNobody", "dead_letters_rejected"),
        _case(QuietGraves, "SetAsideHasDied", "dead_letters"),
        _case(Revival, "DeadAreHandedToNobody", "dead_letters"),
        _case(BuriedWithItsProcess, "DeadIsKeptUntilOthersHaveIt", "dead_letters"),
        _case(ResignedCourier, "DeadArePassedOn", "dead_letters_refused"),
        _case(WeightlessDead, "FullTakesNothing", "dead_letters_refused"),
        _case(CarelessRejects, "RejectedIsSetAside", "dead_letters_rejected"),
        _case(BuriesTheOldest, "RejectedIsSetAside", "dead_letters_rejected_together"),
    )
}
