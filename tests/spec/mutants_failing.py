"""Small mistakes of what fails and is mended: each step goes too far, or not far enough."""

from __future__ import annotations

from ackproof.lang import Design, Set, action, fault, handler, helper, require
from ackproof.spec.cluster import Cluster
from ackproof.spec.consumer import Subscription
from ackproof.spec.credit import CreditPair
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.network import Casts, Multicast
from ackproof.spec.sorts import (
    ChannelId,
    Consumer,
    Level,
    Msg,
    Queue,
    Reason,
    Replica,
    Seen,
    Side,
    Status,
    Tag,
)
from ackproof.spec.store import Bodies, Store
from ackproof.spec.system import Confirms


class EchoingMulticast(Multicast):
    """Brings what a master has told nobody before its end (D1.3)."""

    @handler
    def equalise(self, mirrors: Set[Replica]) -> None:
        """Lose nothing."""


class SelfAssuredLatecomer(Multicast):
    """Joins and does not ask what has left before (D1.2)."""

    @handler
    def join(self, replica: Replica, others: Set[Replica]) -> None:
        """Note only what was published."""
        self.missed[replica].clear()
        for other in others:
            self.missed[replica] |= self.coming(other)


class DistrustfulLatecomer(Multicast):
    """Takes for missed what it has heard of since (D1.3)."""

    @handler
    def removed(self, msg: Msg, replica: Replica) -> None:
        """Hear of it only."""
        self.removals[replica].discard(msg)


class HastyDeletion(Confirms):
    """Deletes a queue that is down (A9.3)."""

    @fault
    def delete_queue(self, queue: Queue) -> None:
        """Ask only whether there is such a queue."""
        require(self.exists(queue))
        for replica in {r for r in Replica if self.replicas[r].of == queue}:
            if self.replicas[replica].status == Status.RUNNING:
                self.end_process(replica, Reason.NORMAL)
            self.replicas[replica].delete()


class FaithfulConsumers(Confirms):
    """Leaves consumers where their queue was (F3.3)."""

    @handler
    def cancel_all(self, replicas: Set[Replica]) -> None:
        """Let them wait."""


class ThoroughCancellation(Confirms):
    """Ends all consumers where one has lost its queue (F3.3)."""

    @handler
    def cancel_all(self, replicas: Set[Replica]) -> None:
        """Do not ask from which queue they consume."""
        for consumer in sorted({c for c in Consumer if self.subscriptions[c].at is not None}):
            self.uninformed.add(consumer)
            self.subscriptions[consumer].stop()
            self.consuming[Consumer.owner(consumer)].bereave(consumer)


class LastingSubscription(Subscription):
    """Does not end when it is cancelled (B7.6)."""

    @handler
    def stop(self) -> None:
        """Go on."""


class FarReachingGet(Confirms):
    """Fetches across a partition (A12.7)."""

    @action
    def get(self, channel: ChannelId, msg: Msg, replica: Replica, no_ack: bool) -> None:
        """Ask for no connection."""
        require(self.heeds(channel) and self.replicas[replica].head() == msg)
        redelivered = msg in self.replicas[replica].delivered
        queue = self.replicas[replica].of
        self.fetching.add(channel)
        self.consuming[channel].answer(msg, replica, queue, redelivered, no_ack)
        self.part_with(msg, replica, no_ack)


class FarReachingAck(Confirms):
    """Has a queue hear of an ack across a partition (A12.7)."""

    @handler
    def tell_done(self, msgs: Set[Msg], replica: Replica) -> None:
        """Ask for no connection."""
        self.consume_all(msgs, replica)


class FarReachingReturn(Confirms):
    """Has what a client does not want come back across a partition (A12.7)."""

    @handler
    def put_back(self, channel: ChannelId, tags: Set[Tag]) -> None:
        """Ask for no connection."""
        for replica in self.consuming[channel].lenders(tags):
            self.take_back(set(self.consuming[channel].from_process(tags, replica)), replica)


class FarReachingCommit(Confirms):
    """Has a queue hear of a commit across a partition (A12.7, A13.3)."""

    @handler
    def settle_collected(self, channel: ChannelId) -> None:
        """Ask for no connection."""
        returning = set(self.consuming[channel].returning)
        finished = set(self.consuming[channel].collected) - returning
        for replica in self.consuming[channel].kept_lenders(finished | returning):
            self.consume_all(set(self.consuming[channel].kept_from(finished, replica)), replica)
            self.take_back(set(self.consuming[channel].kept_from(returning, replica)), replica)
        self.consuming[channel].apply()


class ForgetfulCommit(Confirms):
    """Does not tell a queue of a commit that a partition has cut off (A13.3)."""

    @handler
    def settle_collected(self, channel: ChannelId) -> None:
        """Tell only who is in reach."""
        returning = set(self.consuming[channel].returning)
        finished = set(self.consuming[channel].collected) - returning
        for replica in self.consuming[channel].kept_lenders(finished | returning):
            if self.reaches(replica):
                self.consume_all(set(self.consuming[channel].kept_from(finished, replica)), replica)
                self.take_back(set(self.consuming[channel].kept_from(returning, replica)), replica)
        self.consuming[channel].apply()


class DistractedQueue(Confirms):
    """Gives back nothing of a channel that closes while there is a partition somewhere (F3.2)."""

    @handler
    def put_back(self, channel: ChannelId, tags: Set[Tag]) -> None:
        """Wait for the partition to be over."""
        if not self.cluster.cut():
            super().put_back(channel, tags)


class LastMinuteAcks(Confirms):
    """Takes an ack of whom it gives up just then (A12.7)."""

    @handler
    def give_up(self, replica: Replica) -> None:
        """Look whether there is anything."""
        self.consume_all(set(self.acks_across[replica]), replica)
        super().give_up(replica)


class TirelessNode(Confirms):
    """Lets clients come back to a node that has paused (A12.2)."""

    @action
    def reopen(self, channel: ChannelId) -> None:
        """Ask nobody."""
        require(self.tagged and not self.shared and not self.consuming[channel].open)
        self.consuming[channel].reopen()
        self.seen_tags[channel].clear()


class FarReachingConsumer(Confirms):
    """Starts a consumer with a master across a partition (A12.7)."""

    @action
    def consume(self, consumer: Consumer, replica: Replica) -> None:
        """Ask for no connection."""
        require(self.heeds(Consumer.owner(consumer)) and self.replicas[replica].leads())
        require(self.subscriptions[consumer].of == self.replicas[replica].of)
        self.subscriptions[consumer].start(replica)


class FarReachingCancel(Confirms):
    """Says that a consumer is stopped, and its queue does not know (A12.7)."""

    @fault
    def cancel(self, consumer: Consumer) -> None:
        """Ask for no connection."""
        require(self.heeds(Consumer.owner(consumer)))
        require(self.subscriptions[consumer].at is not None)
        self.fetching.add(Consumer.owner(consumer))
        self.subscriptions[consumer].stop()
        self.consuming[Consumer.owner(consumer)].cancelled(consumer)


class LossyReunion(Confirms):
    """Loses the acks that a partition held up, though nobody gave anybody up (A12.4)."""

    @action(fair="weak")
    def acks_arrive(self, replica: Replica) -> None:
        """Forget them."""
        require(self.reaches(replica) and bool(self.acks_across[replica]))
        self.acks_across[replica].clear()


class PatientQueue(Confirms):
    """Does not hear, after a partition, that a client has gone meanwhile (B7.5)."""

    @action(fair="weak")
    def regain(self, replica: Replica) -> None:
        """Wait for a node to be given up."""
        require(self.given_up(replica))
        super().regain(replica)


class TrustingQueue(Confirms):
    """Waits for the acks of whom it has given up (B7.5)."""

    @action(fair="weak")
    def regain(self, replica: Replica) -> None:
        """Wait to be in reach."""
        require(self.reaches(replica))
        super().regain(replica)


class WaitingConsumers(Confirms):
    """Leaves consumers with a master that was given up (F3.3)."""

    @handler
    def cancel_all(self, replicas: Set[Replica]) -> None:
        """Tell nobody of those that were given up."""
        super().cancel_all({r for r in replicas if self.reaches(r)})


class InheritedConsumers(Confirms):
    """Has a new master serve who was started with the old one (D5.5, F3.3)."""

    @helper
    def attached(self, consumer: Consumer, replica: Replica) -> bool:
        """Ask for the queue only."""
        its_own = self.subscriptions[consumer].of == self.replicas[replica].of
        started = self.subscriptions[consumer].at is not None
        return started and its_own and self.replicas[replica].leads()


class FaithfulNode(Confirms):
    """Counts on the answers of who is given up (A12.7)."""

    @handler
    def give_up(self, replica: Replica) -> None:
        """Forget what was sent there only."""
        for channel in ChannelId:
            self.casts[channel].give_up(replica)


class EloquentNodes(Confirms):
    """Has what a process had cast arrive after its node has paused (A12.2)."""

    @action(fair="weak")
    def halt(self, replica: Replica) -> None:
        """Stop only."""
        require(self.runs(replica) and self.must_stop(replica))
        self.excuse(replica)
        self.replicas[replica].crash()
        self.end_process(replica, Reason.BENIGN)
        self.forget_process(replica)
        self.lose_bumps(replica)


class RisingQueue(Confirms):
    """Has a queue that was deleted start again when its node does (A9.5)."""

    @fault
    def crash_machine(self) -> None:
        """Take every queue for one that was there."""
        self.vanish()
        for replica in Replica:
            self.replicas[replica].lose_power()


class ReturningMirror(Confirms):
    """Starts whoever is down, mirrors too (D7.2)."""

    @action(fair="weak")
    def restart(self, replica: Replica) -> None:
        """Ask nobody who it was."""
        require(self.replicas[replica].status == Status.DOWN)
        require(not self.unheard(replica) and self.alone(replica))
        self.replicas[replica].recover()
        self.begin_anew(replica)


class WaryRestart(Confirms):
    """Starts a queue again only where nobody else ever led it (C5.1)."""

    @action(fair="weak")
    def restart(self, replica: Replica) -> None:
        """Leave it down rather than be wrong."""
        require(not any(self.replicas[r].promoted for r in self.siblings(replica)))
        super().restart(replica)


class StrayBumps(Confirms):
    """Brings credit from a node that is gone (A9, E1.4)."""

    @handler
    def lose_bumps(self, replica: Replica) -> None:
        """Lose none."""


class CrossingBumps(Confirms):
    """Brings credit across a partition (A12.7, E1.3)."""

    @action(fair="weak")
    def channel_bumped(self, channel: ChannelId, replica: Replica) -> None:
        """Ask for no connection."""
        self.casts[channel].credit[replica].bumped()
        if not self.channel_blocked(channel):
            self.reading[channel].release()


class LastingBooks(CreditPair):
    """Has a process that starts again go on with the books of the one before (E1.4)."""

    @handler
    def receiver_ends(self) -> None:
        """Forget nothing."""


class DebtorMirror(Casts):
    """Remembers a channel that has given it up (E1.4)."""

    @handler
    def give_up(self, replica: Replica) -> None:
        """Lose what is under way only."""
        self.publishes[replica].clear()
        self.as_mirrors[replica].clear()
        self.downs[replica] = Reason.BENIGN
        self.credit[replica].lose_bumps()


class LavishMirror(Confirms):
    """Gives credit to a channel that has given it up (E1.4)."""

    @handler
    def take_from_master(self, msg: Msg, replica: Replica, blocked: bool) -> None:
        """Ask only whether the channel is open."""
        channel = Msg.owner(msg)
        if self.credit and self.channels[channel].open:
            self.casts[channel].credit[replica].ack(blocked)


class AbruptStop(Store):
    """Takes an orderly stop for a crash (B8.5)."""

    @handler
    def save(self) -> None:
        """Leave the files as they are."""


class HalfSaved(Bodies):
    """Stops without the bodies that all queues share (B8.5, C1.2)."""

    @handler
    def save(self) -> None:
        """Leave it to the queues."""


class ClingingConsumers(Confirms):
    """Breaks the consumers' connection only with the publishers' (A12.2)."""

    @helper
    def connected(self, channel: ChannelId) -> bool:
        """Look at the publishers only."""
        return self.channels[channel].open


class UnbowedLoser(Cluster):
    """Has the channels' node go on although its side has to start again (D9)."""

    @helper
    def stops_here(self) -> bool:
        """Pause, and nothing else."""
        return self.pausing and not self.majority()


class ShiftingLoser(Cluster):
    """Has one side start again, and then the other one (D9)."""

    @handler
    def lose(self, side: Side) -> None:
        """Choose again at any time."""
        require(not self.pausing and self.noticed())
        self.losing = side


class HastyLoser(Cluster):
    """Stops on the other side as soon as anybody could (D9)."""

    @helper
    def stops_there(self) -> bool:
        """Do not wait to be chosen."""
        return self.outvoted() if self.pausing else self.losing != Side.THERE


class RestlessLoser(Cluster):
    """Lets queues start again where their nodes have stopped (A12.2, D9)."""

    @handler
    def halt(self, replica: Replica) -> None:
        """Wait for nobody."""


class NarrowStanding(Confirms):
    """Starts on a node that has stopped what was dead before (A12.2, D9)."""

    @helper
    def stands(self, replica: Replica) -> bool:
        """Ask for nobody else."""
        return replica in self.cluster.halted


class StuckLoser(Cluster):
    """Keeps a queue down when the partition is over (D9)."""

    @handler
    def heal(self) -> None:
        """Forget who has stopped."""
        halted = set(self.halted)
        super().heal()
        self.halted |= halted


class EchoingHalt(Confirms):
    """Brings what a master that has to stop had told nobody (D1.3)."""

    @action(fair="weak")
    def halt(self, replica: Replica) -> None:
        """Lose nothing that is on its way to mirrors."""
        require(self.runs(replica) and self.must_stop(replica))
        require(not self.replicas[replica].store.apart)
        self.perish(replica, Reason.BENIGN)
        self.lose_bumps(replica)
        self.lose_consumers({replica})


class ClairvoyantMirrors(Confirms):
    """Mirrors know of the death of a master across a partition, and get what it had told (D9)."""

    @helper
    def dies_unseen(self, master: Replica, mirror: Replica) -> bool:
        """See all."""
        return False


class LoyalMirrors(Confirms):
    """Mirrors across a partition wait for a master that has died for ever (D9)."""

    @action(fair="weak")
    def estrange(self, master: Replica) -> None:
        """Only one that lives gives up its mirrors."""
        require(self.replicas[master].leads() and bool(self.strangers(master)))
        require(not self.divided(master))
        self.cluster.estranged.add(master)
        self.multicast.equalise(set(self.strangers(master)))


class ThoroughStop(Confirms):
    """A broker that stops saves what queues had written that are down, too (B8.5)."""

    @fault
    def stop_broker(self) -> None:
        """Save all there is."""
        super().stop_broker()
        for replica in Replica:
            self.replicas[replica].store.save()


class StubbornMinority(Cluster):
    """A side stops only where it is a third of the cluster, or less (A12.2)."""

    @helper
    def outvoted(self) -> bool:
        """Go on with a little more."""
        return 3 * len(self.away) <= self.size()


class RumouredCrash(Confirms):
    """What becomes of a process that was given up is heard of all the same (A9)."""

    @helper
    def news(self, replica: Replica, reason: Reason) -> Reason:
        """Tell the worst."""
        return Reason.ABNORMAL if self.given_up(replica) else reason


class MovingConsumer(Subscription):
    """A consumer is started again, somewhere else (F2.2)."""

    @handler
    def start(self, replica: Replica) -> None:
        """Ask nobody."""
        self.at = replica


class EndedByMirrors(Confirms):
    """The normal end of a mirror is taken for that of its queue (A9)."""

    @helper
    def normal_end(self, replica: Replica) -> Reason:
        """Make no difference."""
        return Reason.NORMAL


class ReluctantStop(Store):
    """Leaves what was to go in its files when it ends in an orderly way (B8.5)."""

    @handler
    def save(self) -> None:
        """Bring all to the disk."""
        for msg in set(self.level):
            self.level[msg] = Level.SYNCED


class RashReunion(Confirms):
    """Comes together as soon as the network is whole, whoever has gone on meanwhile (D9)."""

    @action
    def heal(self) -> None:
        """Wait for nobody."""
        self.cluster.heal()
        self.cancel_all({r for r in Replica if not self.replicas[r].leads()})


class HopefulChannel(Confirms):
    """Counts on a mirror that is gone to ack what is sent to it (A5.6, E3.1)."""

    @handler
    def pay(self, channel: ChannelId, msgs: Set[Msg], replica: Replica) -> None:
        """Ask only whether it was a mirror."""
        super().pay(channel, msgs, replica)
        if self.credit and not self.replicas[replica].led():
            self.casts[channel].as_mirrors[replica] |= msgs


class RecallingProcess(QueueProcess):
    """Remembers after its end what it was told as a mirror (B8.5)."""

    @handler
    def stop(self) -> None:
        """Forget the direct copies only."""
        before = {m for m in self.seen if self.seen[m] == Seen.PUBLISHED}
        super().stop()
        for msg in before:
            self.seen[msg] = Seen.PUBLISHED


def _case(mistake: type, prop: str, instance: str) -> tuple[Design, str, str]:
    return Design(claim="", replace=(mistake,)), prop, instance


#: Each mistake with the property that notices it, and an instance where it does.
FAILING_MUTANTS: dict[str, tuple[Design, str, str]] = {
    design.replace[0].__name__: (design, prop, instance)
    for design, prop, instance in (
        _case(EchoingMulticast, "UntoldIsLost", "mirror_scarce"),
        _case(SelfAssuredLatecomer, "UntoldIsLost", "late_news"),
        _case(DistrustfulLatecomer, "UntoldIsLost", "late_news"),
        _case(HastyDeletion, "OnlyWhatIsLedIsDeleted", "tiny"),
        _case(FaithfulConsumers, "ConsumersEndWithTheirMaster", "bereaved"),
        _case(ThoroughCancellation, "CancelMeansBereft", "neighbours"),
        _case(LastingSubscription, "CancelledIsOver", "shared_cancel"),
        _case(FarReachingGet, "FetchedFromItsQueue", "cut_off"),
        _case(FarReachingAck, "NothingCrosses", "cut_off"),
        _case(FarReachingReturn, "NothingCrosses", "cut_off"),
        _case(FarReachingCommit, "NothingCrosses", "commit_across"),
        _case(ForgetfulCommit, "CommitTellsQueues", "commit_across"),
        _case(DistractedQueue, "LentToSomebody", "parted_consumers"),
        _case(LastMinuteAcks, "GivenUpIsUnheard", "cut_off"),
        _case(TirelessNode, "NothingOpensInMinority", "parted_consumers"),
        _case(FarReachingConsumer, "NothingCrosses", "cut_off"),
        _case(FarReachingCancel, "CancelledIsOver", "cut_off"),
        _case(LossyReunion, "WhatWaitedArrives", "cut_off"),
        _case(PatientQueue, "LentComesToRest", "cut_off"),
        _case(TrustingQueue, "LentComesToRest", "parted_consumers"),
        _case(WaitingConsumers, "ConsumersEndWithTheirMaster", "cut_off"),
        _case(InheritedConsumers, "DeliveredToWhoConsumes", "parted_consumers"),
        _case(FaithfulNode, "GivenUpIsUnheard", "cut_off"),
        _case(EloquentNodes, "WordsEndWithTheirNode", "divided"),
        _case(RisingQueue, "DeletedIsForGood", "bodies"),
        _case(ReturningMirror, "LastMasterStartsAgain", "commit_late"),
        _case(WaryRestart, "EveryQueueComesBack", "away"),
        _case(StrayBumps, "BumpsEndWithTheirNode", "mirror_scarce"),
        _case(CrossingBumps, "NothingCrosses", "parted_credit"),
        _case(LastingBooks, "BooksEndWithTheirOwner", "ended_credit"),
        _case(DebtorMirror, "GivenUpGivesNoCredit", "given_up_credit"),
        _case(LavishMirror, "GivenUpGivesNoCredit", "given_up_credit"),
        _case(AbruptStop, "StoppedKeepsAll", "stopped_mirrors"),
        _case(HalfSaved, "StoppedKeepsAll", "stopped_bodies"),
        _case(ClingingConsumers, "WhoStopsHasNoClients", "left_behind"),
        _case(UnbowedLoser, "WhoStopsHasNoClients", "autoheal"),
        _case(ShiftingLoser, "LoserIsChosenOnce", "healed_consumers"),
        _case(HastyLoser, "NobodyStopsForNothing", "autoheal"),
        _case(RestlessLoser, "PausedWaitsForOthers", "autoheal"),
        _case(NarrowStanding, "PausedWaitsForOthers", "standing"),
        _case(StuckLoser, "EveryQueueComesBack", "autoheal"),
        _case(EchoingHalt, "UntoldIsLost", "parted_credit"),
        _case(ClairvoyantMirrors, "MirrorsHearNothingAcross", "parted_loss"),
        _case(LoyalMirrors, "EveryMirrorHears", "parted_loss"),
        _case(ReluctantStop, "StoppedKeepsAll", "stopped"),
        _case(ThoroughStop, "StopSavesWhatRuns", "stopped_beside"),
        _case(StubbornMinority, "MinorityStops", "five_nodes"),
        _case(RumouredCrash, "GivenUpIsBenign", "crashed_apart"),
        _case(MovingConsumer, "ConsumersDoNotMove", "parted_consumers"),
        _case(EndedByMirrors, "AckedIsNotRefused", "deleted_refusing"),
        _case(RashReunion, "OneSideHasStopped", "autoheal"),
        _case(HopefulChannel, "MailEndsWithItsProcess", "mirror_scarce"),
        _case(RecallingProcess, "MemoryEndsWithItsProcess", "commit_late"),
    )
}
