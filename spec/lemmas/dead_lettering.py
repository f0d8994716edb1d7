"""Dead-lettering in proofs: what is assumed of the queues whose dead are passed on (Q12)."""

from __future__ import annotations

from ackproof.lang import assumption, lemma
from ackproof.spec.sorts import Born, ChannelId, Overflow, Replica
from ackproof.spec.system import Confirms


@assumption
def CouriersServePlainQueues(s: Confirms) -> bool:
    """A queue that dead-letters is one process, and drops nothing for lack of room (Q12.1).

    Nodes, credit, programs that publish again, and rejects that wait for a commit are not put
    together with it, and some channel is a client's.
    """
    return all(s.of_client(c) for c in ChannelId) or (
        any(s.of_client(c) for c in ChannelId)
        and s.home is None
        and not s.credit
        and not s.retrying
        and not (s.shared and s.transactional)
        and all(
            s.replicas[r].node is None
            and s.replicas[r].born == Born.MASTER
            and not s.mirrored(r)
            and (not s.replicas[r].limited or s.replicas[r].overflow == Overflow.REJECT_PUBLISH)
            for r in Replica
            if s.dead_letters(r)
        )
    )


@lemma()
def MarkedHasDied(s: Confirms) -> bool:
    """What is marked on the disk has died in its queue, which dead-letters (Q12.4)."""
    return all(
        not s.replicas[r].store.marked
        or (s.dead_letters(r) and s.replicas[r].store.marked <= s.dead[s.replicas[r].of])
        for r in Replica
    )


#: What the properties of this group are proved with.
PROOFS = {
    "DeadGoToAllTheirQueues": (),
    "ForgottenWithTheirQueue": (),
    "OnlyWhoPassesOnSetsAside": ("MarkedHasDied",),
    "SetAsideHasDied": ("MarkedHasDied",),
}
