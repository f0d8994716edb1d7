"""Small mistakes of limits, and of what failures take with them.

Each keeps, drops or lets through a little more than it should.
"""

from __future__ import annotations

from ackproof.lang import Design, Set, action, handler, helper, require
from ackproof.spec.cluster import Cluster
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.network import Casts
from ackproof.spec.sorts import ChannelId, Msg, Replica, Status
from ackproof.spec.system import Confirms


class LooseRecovery(Confirms):
    """Starts again with all that there is (B5.2)."""

    @action(fair="weak")
    def restart(self, replica: Replica) -> None:
        """Do not look at the limit."""
        require(self.replicas[replica].status == Status.DOWN and self.replicas[replica].led())
        require(not self.unheard(replica) and self.alone(replica))
        require(self.listed(replica) and self.last_to_lead(replica))
        self.replicas[replica].recover()
        self.begin_anew(replica)


class GenerousMirrors(Confirms):
    """Keeps what comes with a promotion (B5.2)."""

    @handler
    def shorten(self, replica: Replica) -> None:
        """Drop nothing of what a mirror has."""
        if not self.replicas[replica].promoted:
            super().shorten(replica)


class RefusingQueue(QueueProcess):
    """Refuses what is too much, whatever it was declared to do (B5.3)."""

    @helper
    def refuses(self) -> bool:
        """Look at the limit only."""
        return self.limited and len(self.ready) >= self.max_length


class AnxiousQueue(QueueProcess):
    """Refuses when there is room for one (B5.3)."""

    @helper
    def refuses(self) -> bool:
        """Count the message that may come after this one."""
        return self.limited and len(self.ready) + 1 >= self.max_length


class StrictQueue(QueueProcess):
    """Drops what is too much, whatever it was declared to do (B5.7)."""

    @helper
    def overflows(self) -> bool:
        """Look at the limit only."""
        return self.limited and len(self.ready) > self.max_length


class ConservativeQueue(QueueProcess):
    """Drops what came last (B5.2)."""

    @helper
    def surplus(self) -> Set[Msg]:
        """Keep the head."""
        return {m for m in self.ready if m != self.head()}


class KeepingQueue(QueueProcess):
    """Says that it has dropped a message, and has it (C4.4)."""

    @handler
    def drop(self, msg: Msg) -> None:
        """Only confirm it."""
        require(self.status == Status.RUNNING and msg in self.ready)


class LastingWords(QueueProcess):
    """Has rejects on their way that outlive its node (A9, C5)."""

    @handler
    def silence(self) -> None:
        """Lose the confirms only."""
        self.outbox.clear()


class OvertakingEnds(Confirms):
    """Hears that a process is gone before it has heard what that had to say (O1)."""

    @action(fair="weak")
    def down_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """Wait for confirms, and for nothing else."""
        reason = self.casts[channel].downs[replica]
        require(not self.of_channel(self.replicas[replica].outbox, channel))
        require(reason is not None)
        self.casts[channel].heard(replica)
        if reason is not None:
            siblings = set(self.siblings(replica))
            self.channels[channel].process_down(replica, reason, siblings)


class LeakyPartition(Confirms):
    """Lets through what channels send (D9)."""

    @action(fair="weak")
    def deliver(self, msg: Msg, replica: Replica) -> None:
        """Do not ask where the process is."""
        twice = self.acks_twice(msg, replica)
        blocked = self.storing[replica].blocks()
        require(self.casts[Msg.owner(msg)].next_for(replica) == msg)
        require(self.replicas[replica].leads())
        self.casts[Msg.owner(msg)].receive(msg, replica)
        self.take_in(msg, replica)
        self.take_from_channel(msg, replica, twice, blocked)


class LastingEstrangement(Cluster):
    """Has masters and mirrors go their own ways for ever (D9)."""

    @handler
    def heal(self) -> None:
        """Bring the nodes together only."""
        self.away.clear()
        self.lost.clear()


class SurvivingCasts(Casts):
    """Has in the end what was on its way when everything went down (C5)."""

    @handler
    def vanish(self) -> None:
        """Lose the news only."""
        self.downs.clear()


class RevivingConfirms(Confirms):
    """Opens a consumers' channel again that is a publisher's, too (A1.7)."""

    @action
    def reopen(self, channel: ChannelId) -> None:
        """Ask only whether somebody consumed there."""
        require(self.tagged and not self.consuming[channel].open)
        self.consuming[channel].reopen()
        self.seen_tags[channel].clear()


class HospitableQueue(Confirms):
    """Gives a message to a consumer that waits, though there is no room for it (B5.3)."""

    @action
    def pass_by(self, msg: Msg, replica: Replica) -> None:
        """Look at the limit no more than at what waits."""
        require(self.consumers and self.casts[Msg.owner(msg)].next_for(replica) == msg)
        require(self.replicas[replica].leads() and self.reaches(replica))
        require(not self.replicas[replica].ready and not self.replicas[replica].recognises(msg))
        self.casts[Msg.owner(msg)].receive(msg, replica)
        self.hand_past(msg, replica)


class OpenHandedQueue(Confirms):
    """Gives a message that nobody confirms to a consumer, though there is no room for it (B5.3)."""

    @action
    def pass_by(self, msg: Msg, replica: Replica) -> None:
        """Look at the limit for those that are confirmed."""
        require(self.consumers and self.casts[Msg.owner(msg)].next_for(replica) == msg)
        require(self.replicas[replica].leads() and self.reaches(replica))
        require(not self.replicas[replica].ready and not self.replicas[replica].recognises(msg))
        require(not self.confirming(msg) or not self.replicas[replica].refuses())
        self.casts[Msg.owner(msg)].receive(msg, replica)
        self.hand_past(msg, replica)


class OverzealousQueue(QueueProcess):
    """Drops all that it has when that is too much (B5.2)."""

    @helper
    def surplus(self) -> Set[Msg]:
        """Make room for those to come, too."""
        return set(self.ready)


class EmptyHandedBeginner(Confirms):
    """Begins with nothing when it would begin with too much (B5.2)."""

    @handler
    def apply_limit(self, replica: Replica) -> None:
        """Drop all, and not what is too much."""
        if self.replicas[replica].leads() and self.replicas[replica].overflows():
            everything = set(self.replicas[replica].ready)
            for msg in everything:
                self.replicas[replica].drop(msg)
                self.leaves(msg, replica)
            self.replicas[replica].displace(everything)


def _case(mistake: type, prop: str, instance: str) -> tuple[Design, str, str]:
    return Design(claim="", replace=(mistake,)), prop, instance


#: Each mistake with the property that notices it, and an instance where it does.
LIMITING_MUTANTS: dict[str, tuple[Design, str, str]] = {
    design.replace[0].__name__: (design, prop, instance)
    for design, prop, instance in (
        _case(LooseRecovery, "LimitIsKept", "drops"),
        _case(GenerousMirrors, "LimitIsKept", "served"),
        _case(RefusingQueue, "OnlyWhoRejectsRefuses", "drops"),
        _case(AnxiousQueue, "RefusedIsTooMuch", "limits"),
        _case(StrictQueue, "OnlyWhoDropsMakesRoom", "refilled"),
        _case(ConservativeQueue, "OldestGoesFirst", "drops"),
        _case(HospitableQueue, "FullTakesNothing", "refusing_all"),
        _case(OpenHandedQueue, "FullTakesNothing", "refusing_all"),
        _case(OverzealousQueue, "OnlyTheSurplusIsDropped", "shared_limit"),
        _case(EmptyHandedBeginner, "OnlyTheSurplusIsDropped", "drops"),
        _case(KeepingQueue, "WhatLeftIsGone", "drops"),
        _case(LastingWords, "CastsEndWithTheirNode", "limits"),
        _case(OvertakingEnds, "EndComesLast", "crowded"),
        _case(LeakyPartition, "NothingCrosses", "divided"),
        _case(LastingEstrangement, "OnlyWhoIsCutOffIsGivenUp", "partition"),
        _case(SurvivingCasts, "NothingOutlivesTheNode", "power"),
        _case(RevivingConfirms, "ConsumersEndWithTheirChannel", "channels_cancel"),
    )
}
