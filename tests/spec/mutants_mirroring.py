"""Small mistakes of the machines and chapters around mirrors, limits and partitions.

Each is one step that forgets something, and some property notices it in a small instance.
"""

from __future__ import annotations

from ackproof.lang import Design, Option, Set, action, handler, helper, require
from ackproof.spec.channel import Channel
from ackproof.spec.cluster import Cluster
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.network import Multicast
from ackproof.spec.sorts import Msg, Queue, Replica, Seen
from ackproof.spec.system import Confirms

# -- a process of a queue -------------------------------------------------------------------------


class ForgettingPromotion(QueueProcess):
    """Does not take what waits for the disk along (D5.5, step 5)."""

    @handler
    def promote(self) -> None:
        """Become the master, and begin anew."""
        super().promote()
        self.awaiting.clear()


class HastySuccessor(QueueProcess):
    """Hands out the youngest first, once it has taken over (INV-B4)."""

    @helper
    def head(self) -> Option[Msg]:
        """Return the youngest, if this was a mirror."""
        return max(self.ready, default=None) if self.promoted else super().head()


class DeafMirror(QueueProcess):
    """Takes nothing from the channel (D4.1)."""

    @handler
    def hear(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Throw the direct copy away."""


class UnmovedMirror(QueueProcess):
    """Does not drain what the channel waits for (D4.13)."""

    @handler
    def drain(self) -> None:
        """Note that the disk has it, whoever waits."""
        for msg in set(self.store.confirmed):
            if self.seen[msg] == Seen.CALLED:
                self.seen[msg] = Seen.CONFIRMED
        super().drain()


class HoardingMirror(QueueProcess):
    """Keeps what has left the queue (D4.15)."""

    @handler
    def remove(self, msg: Msg) -> None:
        """Forget the file only."""
        self.store.remove(msg)


class AmnesicMirror(QueueProcess):
    """Does not recognise what the old master told of (D6.2)."""

    @helper
    def recognises(self, msg: Msg) -> bool:
        """Everything is new."""
        return False


class SilentAgain(QueueProcess):
    """Confirms a known message only if its disk is still to answer (D6.2)."""

    @handler
    def accept_again(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Record the confirm, and wait for a store that has said all it will say."""
        if confirming:
            self.record_confirm(msg, persistent and self.durable)
        self.seen[msg] = Seen.ABSENT


class AgreeableMirror(QueueProcess):
    """Confirms what its master refused (B5.6, D6.3)."""

    @handler
    def reply(self, msg: Msg, fate: Seen, confirming: bool) -> None:
        """Whatever became of it."""
        if confirming:
            self.outbox.add(msg)


class ObligingMirror(QueueProcess):
    """Answers for what its channel has not sent to it, if that has sent something else (D4.8)."""

    @handler
    def learn(
        self, msg: Msg, fate: Seen, persistent: bool, confirming: bool, sent: Set[Msg]
    ) -> None:
        """Answer for everything after the first."""
        super().learn(msg, fate, persistent, confirming, sent)
        first = self.first_direct(sent)
        if first is not None and first != msg:
            self.answer(msg, fate, persistent, confirming)


class RecallingMirror(QueueProcess):
    """Remembers what it has answered for (D4.2-D4.5)."""

    @handler
    def answer(self, msg: Msg, fate: Seen, persistent: bool, confirming: bool) -> None:
        """Answer, and keep what the master has told."""
        super().answer(msg, fate, persistent, confirming)
        if self.seen[msg] == Seen.ABSENT:
            self.seen[msg] = fate


class LoyalMirror(QueueProcess):
    """Remembers what the master has told of messages whose channel is gone (D4.18)."""

    @handler
    def forget_sender(self, sent: Set[Msg]) -> None:
        """Forget what came from the channel only."""
        self.direct -= sent


class RoomyQueue(QueueProcess):
    """Accepts what it has no room for, and says that it refused (B5.4)."""

    @handler
    def refuse(self, msg: Msg, confirming: bool) -> None:
        """Refuse, and put it into the queue all the same."""
        super().refuse(msg, confirming)
        self.ready.add(msg)


class MuteQueue(QueueProcess):
    """Refuses without a word (B5.4)."""

    @handler
    def refuse(self, msg: Msg, confirming: bool) -> None:
        """Drop the message."""
        require(not self.awaiting & {msg})


# -- the channel ----------------------------------------------------------------------------------


class TrustingChannel(Channel):
    """Releases a queue at the first confirm, whichever of its processes sends it (A8.3)."""

    @handler
    def settle(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        """One confirm is enough."""
        if replica in self.unconfirmed[seq]:
            self.release(seq, siblings)


class OptimisticChannel(Channel):
    """Takes the end of a queue for its consent (A9, G-B01)."""

    @handler
    def lose(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        """Whoever is gone has nothing against it."""
        if self.unconfirmed[seq] & siblings - {replica}:
            self.unconfirmed[seq].discard(replica)
        else:
            self.release(seq, siblings)


class PatientChannel(Channel):
    """Waits for processes that are gone (A9)."""

    @handler
    def lose(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        """Who knows, it may come back."""
        if not self.unconfirmed[seq] & siblings - {replica}:
            self.reject(seq, replica)


# -- the network ----------------------------------------------------------------------------------


class LossyMulticast(Multicast):
    """Loses what one mirror got and another did not (D1.3)."""

    @handler
    def equalise(self, mirrors: Set[Replica]) -> None:
        """Lose all that is on its way."""
        for r in mirrors:
            self.copies[r].clear()
            self.discards[r].clear()
            self.refusals[r].clear()
            self.removals[r].clear()
            self.order[r].keep(set())


class LingeringMulticast(Multicast):
    """Has what was on its way to a process that is gone (O1)."""

    @handler
    def end(self, replica: Replica) -> None:
        """Lose only what was published."""
        self.copies[replica].clear()
        self.discards[replica].clear()
        self.refusals[replica].clear()
        self.order[replica].keep(set())


class RepeatingMulticast(Multicast):
    """Tells for ever what was refused (D1.3)."""

    @handler
    def learnt(self, msg: Msg, replica: Replica) -> None:
        """Forget what was published, and what was dealt with otherwise."""
        self.copies[replica].discard(msg)
        self.discards[replica].discard(msg)
        self.missed[replica].discard(msg)


# -- the chapters ---------------------------------------------------------------------------------


class HastySynchronisation(Confirms):
    """Calls a mirror synchronised when it joins (D7.2)."""

    @action
    def join(self, mirror: Replica, master: Replica) -> None:
        """Start, and be done."""
        super().join(mirror, master)
        self.synchronised(mirror)


class HumbleMirrors(Confirms):
    """Calls each mirror that joins unsynchronised, also where there is nothing to lack (D7.2)."""

    @action
    def join(self, mirror: Replica, master: Replica) -> None:
        """Start, and wait to be told that it has all."""
        super().join(mirror, master)
        self.unsynced.add(mirror)


class SharpEaredMirrors(Confirms):
    """Hears a master across a partition (D9)."""

    @helper
    def hears_master(self, replica: Replica) -> bool:
        """Ask for no connection."""
        return True


class ImpatientMirrors(Confirms):
    """Has mirrors delete what they have, though their master runs, if none could succeed (D5.3)."""

    @helper
    def hopeless(self, replica: Replica) -> bool:
        """Ask for no death."""
        return self.passed_over(replica) or not self.candidates(replica)


class LaggardMirrors(Confirms):
    """Goes on to count as one that lacks something, when it has all (D7.2)."""

    @action(fair="weak")
    def catch_up(self, mirror: Replica, master: Replica) -> None:
        """Lag for ever."""
        super().catch_up(mirror, master)
        self.unsynced.add(mirror)


class GenerousMirror(Confirms):
    """Does not pay its store for what the master tells it of (E2)."""

    @handler
    def pay_store(self, msg: Msg, replica: Replica) -> None:
        """Pay where it leads."""
        if self.replicas[replica].leads():
            super().pay_store(msg, replica)


class WastefulMirror(Confirms):
    """Pays its store for what its master has refused, and sends it there (C2.1, E2)."""

    @handler
    def learn(self, msg: Msg, replica: Replica, fate: Seen) -> None:
        """Whatever became of it, the store gets it."""
        super().learn(msg, replica, fate)
        if fate == Seen.REFUSED:
            self.send_to_store(msg, replica)


class LostDirectCopies(Confirms):
    """Promotes a mirror, and loses what it had from the channel only (D5.5, step 6)."""

    @action(fair="weak")
    def promote(self, replica: Replica) -> None:
        """Become the master of what the old one had told of."""
        direct = set(self.replicas[replica].direct)
        super().promote(replica)
        for msg in direct:
            self.casts[Msg.owner(msg)].publishes[replica].discard(msg)


class WaitingMirrors(Confirms):
    """Does not take over while something is to come from its master (D5.5)."""

    @action(fair="weak")
    def promote(self, replica: Replica) -> None:
        """Wait for the master's copy of what came from a channel."""
        require(not self.replicas[replica].direct)
        super().promote(replica)


class SilentMaster(Confirms):
    """Does not tell its mirrors what has left the queue (D2.1)."""

    @handler
    def leaves(self, msg: Msg, replica: Replica) -> None:
        """Keep that to itself."""
        self.holders[msg].discard(self.replicas[replica].of)


class HurriedMaster(Confirms):
    """Does not tell its mirrors what it gave away (B3.3, D2.1)."""

    @handler
    def hand_past(self, msg: Msg, replica: Replica) -> None:
        """What never was in the queue is nobody's business."""
        self.replicas[replica].pass_by(msg, self.confirming(msg))
        self.holders[msg].discard(self.replicas[replica].of)


class EarlyRestart(Confirms):
    """Restarts a process although another of its queue has gone on (C5.1)."""

    @helper
    def alone(self, replica: Replica) -> bool:
        """Look at nobody else."""
        return True


class StayingMirrors(Confirms):
    """Keeps mirrors that must not take over (D5.3)."""

    @helper
    def hopeless(self, replica: Replica) -> bool:
        """Wait for a master."""
        return False


class FollowingElders(Confirms):
    """Has a mirror follow a younger one that took over (D5.1)."""

    @helper
    def passed_over(self, replica: Replica) -> bool:
        """Why not."""
        return False


class TrustedMirrors(Confirms):
    """Takes the word of a mirror that must not take over (D7.4)."""

    @helper
    def counts(self, replica: Replica) -> bool:
        """It has confirmed, has it not."""
        return True


class HalfHealing(Confirms):
    """Comes together while half of a queue is given up (D8 L3)."""

    @helper
    def keeps_some(self, replica: Replica) -> bool:
        """Look at nobody."""
        return False


class LargeMinority(Cluster):
    """Takes itself for the majority (A12.2)."""

    @helper
    def majority(self) -> bool:
        """Go on, whoever is there."""
        return True


class OneSidedHealing(Confirms):
    """Comes together while both sides go on (D9)."""

    @helper
    def one_side_left(self) -> bool:
        """Why wait."""
        return True


class NostalgicChannel(Confirms):
    """Waits for processes that were taken out of the record, too (D5.2)."""

    @helper
    def asked(self, targets: Set[Queue]) -> Set[Replica]:
        """Count those that were there once."""
        gone = {r for r in self.trimmed if self.replicas[r].of in targets}
        return self.addressed(targets) | gone


class WaryMirrors(Confirms):
    """Gives up whoever is on the other side, running or not (D9)."""

    @helper
    def strangers(self, master: Replica) -> Set[Replica]:
        """Count those that have ended."""
        return {r for r in self.siblings(master) if not self.linked(r, master)}


class UngratefulMulticast(Multicast):
    """Takes what a mirror had missed for missed, though it has got it since (D1.3)."""

    @handler
    def learnt(self, msg: Msg, replica: Replica) -> None:
        """Tick it off as told, and as missed still."""
        self.copies[replica].discard(msg)
        self.discards[replica].discard(msg)
        self.refusals[replica].discard(msg)
        self.order[replica].leave({msg})


def _case(mistake: type, prop: str, instance: str) -> tuple[Design, str, str]:
    return Design(claim="", replace=(mistake,)), prop, instance


#: Each mistake with the property that notices it, and an instance where it does.
MIRRORING_MUTANTS: dict[str, tuple[Design, str, str]] = {
    design.replace[0].__name__: (design, prop, instance)
    for design, prop, instance in (
        _case(ForgettingPromotion, "SomebodyOwesAnAnswer", "mirrors"),
        _case(HastySuccessor, "DeliveredInOrder", "succession"),
        _case(DeafMirror, "SomebodyOwesAnAnswer", "mirrors"),
        _case(UnmovedMirror, "SomebodyOwesAnAnswer", "mirrors"),
        _case(HoardingMirror, "MirrorFollowsMaster", "failover"),
        _case(AmnesicMirror, "NoAssertionFails", "mirrors"),
        _case(SilentAgain, "AwaitedIsUnderWay", "mirrors"),
        _case(AgreeableMirror, "AckMeansAccepted", "limits"),
        _case(ObligingMirror, "OnlyWhoIsAskedAnswers", "late"),
        _case(RecallingMirror, "RememberedIsToCome", "mirror_scarce"),
        _case(LoyalMirror, "EndedChannelsAreForgotten", "commit_late"),
        _case(RoomyQueue, "MirrorFollowsMaster", "limits"),
        _case(MuteQueue, "SomebodyOwesAnAnswer", "limits"),
        _case(TrustingChannel, "AckMeansEveryMirror", "mirrors"),
        _case(OptimisticChannel, "AckMeansAccepted", "tiny"),
        _case(PatientChannel, "SomebodyOwesAnAnswer", "mirrors"),
        _case(LossyMulticast, "CastMeansSynced", "failover"),
        _case(LingeringMulticast, "MailEndsWithItsProcess", "served"),
        _case(RepeatingMulticast, "EveryMirrorHears", "limits"),
        _case(WaitingMirrors, "EveryQueueIsLed", "limits"),
        _case(HastySynchronisation, "MirrorFollowsMaster", "promotion"),
        _case(HumbleMirrors, "CopiesAreKnown", "fanout_late"),
        _case(SharpEaredMirrors, "MirrorsHearNothingAcross", "late_parted"),
        _case(ImpatientMirrors, "OnlyWhoMustDeletes", "late"),
        _case(LaggardMirrors, "CopiesCountInTheEnd", "fanout_late"),
        _case(GenerousMirror, "EachWriteIsPaid", "slow_mirror"),
        _case(WastefulMirror, "EachWriteIsPaid", "slow_refused"),
        _case(LostDirectCopies, "SomebodyOwesAnAnswer", "mirrors"),
        _case(SilentMaster, "MirrorFollowsMaster", "failover"),
        _case(HurriedMaster, "EveryCopyIsMatched", "failover"),
        _case(EarlyRestart, "MirrorFollowsMaster", "mirrors"),
        _case(StayingMirrors, "EveryPublishSettles", "late"),
        _case(FollowingElders, "PassedOverMirrorsStop", "promotion"),
        _case(TrustedMirrors, "AckedIsVouchedFor", "late"),
        _case(HalfHealing, "EveryPublisherHears", "away"),
        _case(NostalgicChannel, "TheRecordIsAsked", "fanout_mirrors"),
        _case(WaryMirrors, "OnlyMastersAreGivenUp", "two_nodes"),
        _case(UngratefulMulticast, "WhatOneGotAllGet", "generations"),
        _case(LargeMinority, "NoAckFromMinority", "partition"),
        _case(OneSidedHealing, "OneMaster", "partition"),
    )
}
