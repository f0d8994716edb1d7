"""Lemmas of returning: what was consumed does not come back (INV-F3).

What is on its way to a process that is born as a master nobody has consumed: it has not been there,
and nobody else hands out what is in its queue, unless a partition has divided that.
"""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.lemmas.keeping import FRESH
from ackproof.spec.sorts import Born, Level, Msg, Replica
from ackproof.spec.system import Confirms


@lemma(
    "JoinedIsNoMaster",
    **FRESH,
    tx_commit=("BatchIsNew",),
    restart=("EndedIsNotAsked",),
)
def ArrivingIsNew(s: Confirms) -> bool:
    """What is still to come to a process that is born as a master it never had (O2)."""
    return all(
        m not in s.replicas[r].holds() and s.replicas[r].store.level[m] == Level.ABSENT
        for r in Replica
        if s.replicas[r].born == Born.MASTER
        for m in Msg
        if m in s.casts[Msg.owner(m)].publishes[r]
    )


@lemma(
    "ApartMeansParted",
    "ArrivingIsNew",
    "EndedIsNotAsked",
    "JoinedIsNoMaster",
    "MirrorHandsNothingOut",
    "NothingIsSetAsideWithMirrors",
    "QueuesBeginAsOne",
    "TwoLeadOnTwoSides",
    **FRESH,
    tx_commit=("BatchBelongs", "BatchIsNew", "BatchIsNumbered"),
)
def ArrivingIsHeld(s: Confirms) -> bool:
    """Nor has anybody else consumed it (INV-F3)."""
    return s.cluster.parted or all(
        s.replicas[r].of in s.holders[m]
        for r in Replica
        if s.replicas[r].born == Born.MASTER
        for m in Msg
        if m in s.casts[Msg.owner(m)].publishes[r]
    )


#: What the properties of this group are proved with.
PROOFS = {
    "NothingComesBack": ("ArrivingIsHeld", "JoinedIsNoMaster"),
}
