"""Lemmas of leading: who comes to lead a queue, and when the next of its name may begin (D1.4).

A process leads because it was born to, or because it was promoted, which takes that it sees nobody
who leads.  It may see less than there is: where a partition has divided a queue, each side has
given up the other, and a master is left on both.  They never meet, since the network is not whole
again while something goes on on both sides (D9).
"""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.sorts import Replica, Status
from ackproof.spec.system import Confirms


@lemma("EachQueueHasOneMaster", "QueuesBeginAsOne")
def TwoLeadOnTwoSides(s: Confirms) -> bool:
    """Of two that lead one queue each is on a side, and the sides have given each other up (D9)."""
    return all(
        x == r or not s.replicas[x].leads() or (not s.linked(x, r) and s.divided(r))
        for r in Replica
        if s.replicas[r].leads()
        for x in s.siblings(r)
    )


@lemma()
def ApartMeansParted(s: Confirms) -> bool:
    """Nobody is on the other side unless there was a partition (D9)."""
    return s.cluster.parted or not s.cluster.away


@lemma()
def QueuesEndAsOne(s: Confirms) -> bool:
    """A queue is deleted with all its processes (A9.3)."""
    return all(
        s.replicas[x].status == Status.DELETED
        for r in Replica
        if s.replicas[r].status == Status.DELETED
        for x in s.siblings(r)
    )


#: What the properties of this group are proved with.
PROOFS = {
    "ConsumersEndAlone": ("ConsumersAreOnOpenChannels",),
    "CopiesAreKnown": (
        "AskedIsThere",
        "MirrorHandsNothingOut",
        "NothingIsSetAsideWithMirrors",
        "PromotedWasMirror",
        "UnstartedHasNothing",
    ),
    "DeletedLeavesNothing": ("EndedIsNotAsked",),
    "EndConfirmsItsOwn": (),
    "KeptWhileRunning": ("JoinedIsNoMaster",),
    "OnlyWhoMustDeletes": (),
    "OneQueueOfAName": ("EachQueueHasOneName", "QueuesEndAsOne"),
    "PromotedIsSynchronised": (),
}

#: What follows from what.
FOLLOWS = {"OneMaster": ("TwoLeadOnTwoSides",)}
