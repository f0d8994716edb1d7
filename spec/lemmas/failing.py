"""Lemmas of failures: the last words of a process are waited for.

A channel hears of the end of a process after all that this had cast, so as long as something is on
its way, the news of its end is, too.  Where a partition has one side give up the other, what is on
its way is lost, and nothing of that is said.
"""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.sorts import Born, ChannelId, Msg, Reason, Replica, Status
from ackproof.spec.system import Confirms


@lemma()
def LostMeansParted(s: Confirms) -> bool:
    """Whoever is cut off, or given up, has been so since a partition (A12.7)."""
    return s.cluster.parted or not (s.cluster.away or s.cluster.lost)


@lemma("LostMeansParted")
def EndIsOfTheDead(s: Confirms) -> bool:
    """No channel is to hear of the end of a process that runs, but in a partition (A9)."""
    return s.cluster.parted or all(
        s.casts[c].downs[r] is None
        for c in ChannelId
        for r in Replica
        if s.replicas[r].status == Status.RUNNING
    )


@lemma("EndIsOfTheDead", "LostMeansParted")
def LastWordsAreAwaited(s: Confirms) -> bool:
    """A channel has still to hear of the end of a process whose casts are on their way (A9, O1)."""
    return s.cluster.parted or all(
        s.casts[c].downs[r] == Reason.ABNORMAL or s.casts[c].downs[r] == Reason.NORMAL
        for r in Replica
        if s.replicas[r].status == Status.DOWN
        for c in ChannelId
        if any(Msg.owner(m) == c for m in s.replicas[r].outbox | s.replicas[r].refused)
    )


@lemma()
def OnlyMirrorsKnowFromChannels(s: Confirms) -> bool:
    """Only a mirror has what came from a channel, and not from its master (D4.1)."""
    return all(not s.replicas[r].direct or s.replicas[r].mirrors() for r in Replica)


@lemma("EndedIsNotAsked", "OnlyMirrorsKnowFromChannels")
def NothingIsSentToTheLost(s: Confirms) -> bool:
    """Nothing is under way from a channel to a process that was given up, or waits there (A9)."""
    return all(
        not s.replicas[r].direct and not s.casts[c].publishes[r]
        for n in s.cluster.lost
        for r in Replica
        if s.replicas[r].node == n
        for c in ChannelId
    )


@lemma("JoinedIsNoMaster")
def WhoEndsByItselfIsHalted(s: Confirms) -> bool:
    """A master that has ended by itself waits for the partition to be over (A12.2, D9)."""
    return all(
        r in s.struck or r in s.cluster.halted
        for r in Replica
        if s.replicas[r].born == Born.MASTER or s.replicas[r].promoted
        if s.replicas[r].status == Status.DOWN
    )


#: What the properties of this group are proved with.
PROOFS = {
    "CastsEndWithTheirNode": ("EndIsOfTheDead", "LastWordsAreAwaited", "LostMeansParted"),
    "ConsumersEndWithTheirChannel": (),
    "ConsumersEndWithTheirMaster": (
        "ConsumersAreOnOpenChannels",
        "JoinedIsNoMaster",
        "OnlyWhoIsCutOffIsGivenUp",
    ),
    "DeletedIsForGood": (),
    "EndComesLast": (),
    "SeparateEndsAlone": ("OnlyWhoIsCutOffIsGivenUp",),
    "TheRecordIsAsked": (),
    "FullTakesNothing": ("JoinedIsNoMaster",),
    "GivenUpIsBenign": ("JoinedIsNoMaster",),
    "GivenUpIsUnheard": (),
    "StopSavesWhatRuns": (),
    "WordsEndWithTheirNode": ("JoinedIsNoMaster",),
    "NothingCrosses": (
        "ConsumersAreOfOneKind",
        "CouriersServePlainQueues",
        "PendingIsNotReady",
        "ProcessesOweNothing",
    ),
    "MailEndsWithItsProcess": ("MemoryEndsWithItsProcess", "UnsettledIsPending"),
    "MirrorsHearNothingAcross": ("TwoLeadOnTwoSides",),
    "NothingOutlivesTheNode": (),
    "OnlyWhatIsLedIsDeleted": (),
    "GivenUpGivesNoCredit": ("NothingIsSentToTheLost",),
    "LoserIsChosenOnce": (),
    "NobodyStopsForNothing": ("TwoLeadOnTwoSides",),
    "NothingOpensInMinority": (),
    "PausedWaitsForOthers": ("WhoEndsByItselfIsHalted",),
    "OneSideHasStopped": ("LostIsAway",),
    "OnlyWhoIsCutOffIsGivenUp": (),
    "WhatWaitedArrives": ("MemoryEndsWithItsProcess", "PendingIsNotReady", "SetAsideIsNeither"),
}
