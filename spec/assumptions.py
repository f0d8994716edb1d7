"""What an instance must keep to, so that it stands for a broker that there could be.

Sizes and constants may be put together as one likes, and most of what comes out means nothing: a
queue without a process, a mirror that knows other limits than its master.  Proofs assume some of it
of all instances; what they can do without is said here.  The instances that are written down keep
to all of it, and a sweep (`ackproof check --sweep`) looks at no others.
"""

from __future__ import annotations

from ackproof.lang import assumption
from ackproof.spec.lemmas.bodies import SharedBodiesAreOnOneNode
from ackproof.spec.lemmas.causes import SiblingsLiveApart
from ackproof.spec.lemmas.consumers import ConsumersAreOfOneKind
from ackproof.spec.lemmas.dead_lettering import CouriersServePlainQueues
from ackproof.spec.lemmas.handing import HandedOutIsRecorded
from ackproof.spec.lemmas.mirrors import EachQueueHasOneMaster
from ackproof.spec.lemmas.routing import EachQueueHasAMaster, EachQueueHasOneName
from ackproof.spec.sorts import Born, ChannelId, Consumer, Replica
from ackproof.spec.system import Confirms

__all__ = [
    "ConsumersAreOfOneKind",
    "ConsumersHaveQueues",
    "CouriersServePlainQueues",
    "CreditReturnsInTime",
    "EachQueueHasAMaster",
    "EachQueueHasOneMaster",
    "EachQueueHasOneName",
    "HandedOutIsRecorded",
    "MastersAreOldest",
    "NamesAreTakenInTurn",
    "NodesAreKnownOfAllOrNone",
    "SharedBodiesAreOnOneNode",
    "SiblingsAgree",
    "SiblingsLiveApart",
]


@assumption
def SiblingsAgree(s: Confirms) -> bool:
    """What a queue was declared with, all its processes know (D1.1)."""
    return all(
        s.replicas[x].durable == s.replicas[r].durable
        and s.replicas[x].limited == s.replicas[r].limited
        and s.replicas[x].max_length == s.replicas[r].max_length
        and s.replicas[x].overflow == s.replicas[r].overflow
        and s.replicas[x].marking == s.replicas[r].marking
        for r in Replica
        for x in s.siblings(r)
    )


@assumption
def MastersAreOldest(s: Confirms) -> bool:
    """A queue begins with its master, and mirrors are younger, those that join later most (D1.1).

    Of two mirrors the older one takes over, and it must not be the one that was not called (D1.2).
    """
    return all(
        (s.replicas[r].born != Born.MASTER or not x < r)
        and (s.replicas[r].born != Born.LATER or s.replicas[x].born == Born.LATER or x < r)
        for r in Replica
        for x in s.siblings(r)
    )


@assumption
def NamesAreTakenInTurn(s: Confirms) -> bool:
    """A name goes from one queue to one other, which is younger, and never back (A9.5)."""
    return all(
        (s.replicas[r].after != s.replicas[x].of or x < r)
        and (
            s.replicas[r].after is None
            or s.replicas[r].after != s.replicas[x].after
            or s.replicas[r].of == s.replicas[x].of
        )
        for r in Replica
        for x in Replica
    )


@assumption
def NodesAreKnownOfAllOrNone(s: Confirms) -> bool:
    """Where nodes are spoken of, the channels and all processes are on one (D9)."""
    return all((s.replicas[r].node is None) == (s.home is None) for r in Replica)


@assumption
def ConsumersHaveQueues(s: Confirms) -> bool:
    """Consumers with names have a queue each where they are spoken of, and no others (F2.2)."""
    return all((s.subscriptions[c].of is not None) == s.tagged for c in Consumer)


@assumption
def CreditReturnsInTime(s: Confirms) -> bool:
    """Nobody waits for credit that comes back after more messages than it is for (E1.1)."""
    return all(s.reading[c].more_after <= s.reading[c].initial for c in ChannelId)
