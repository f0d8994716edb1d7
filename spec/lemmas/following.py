"""Lemmas of following: all processes of a queue have the same, or have been told so (INV-D2).

A master tells all its mirrors what it takes in, and what leaves.  So a mirror that is synchronised
will have what its master has, when all has arrived.  That ends with the master: if nobody has heard
that a message left, a mirror that had it has it still, and one that never had it has not.  Whoever
is promoted makes that good (D5.5); until then all have at least what their queue must have
(`AllHaveTheSame`), and nobody is given again what is gone (`GoneFromOneIsGoneFromAll`).
"""

from __future__ import annotations

from typing import Any

from ackproof.lang import helper, lemma
from ackproof.spec.lemmas.keeping import UNTOLD
from ackproof.spec.lemmas.mirrors import (
    ARRIVES,
    ENDS,
    HEALED,
    LED,
    LEFT,
    LINE,
    LINED,
    ORDER,
    at,
    in_line,
    untold,
)
from ackproof.spec.sorts import Born, Level, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms

#: What it takes to know that what a master takes in is new to its queue.
_NEW = (*LED, "JoinedIsNoMaster", "UntoldIsNotStored", "UntoldIsUnheard")

#: What it takes to know that what leaves a master is there no more, and that all its mirrors hear.
_LEAVES = (
    "AskedIsThere",
    "EndedIsNotAsked",
    "JoinedIsNoMaster",
    "LeaderIsToldNothing",
    "MirrorHandsNothingOut",
    "NothingIsSetAsideWithMirrors",
    "PendingIsNotReady",
    "TwoLeadOnTwoSides",
)

#: The steps with which something may leave a queue, each with what it takes to know that.
_SETTLES: dict[str, Any] = dict.fromkeys(
    (
        "ack_unknown",
        "acknowledge",
        "acks_arrive",
        "close",
        "close_consumers",
        "complete",
        "consumer_acks",
        "consumer_rejects",
        "drop",
        "expire",
        "get",
        "hand_out",
        "let_go",
        "pause",
        "recover",
        "regain",
        "requeue",
        "select",
        "tx_commit",
        "tx_rollback",
        "tx_select",
    ),
    _LEAVES,
)


@helper
def will_have(s: Confirms, msg: Msg, replica: Replica) -> bool:
    """Tell whether a process has a message when all that it was told has arrived (D1.3)."""
    return (
        msg in s.replicas[replica].holds() | s.multicast.copies[replica]
        and msg not in s.multicast.removals[replica]
    )


@lemma(
    **at(ARRIVES, *LED, "JoinedIsNoMaster", "UntoldIsUnheard"),
)
def DiscardedIsNotCopied(s: Confirms) -> bool:
    """What was given away was not published (D2.1)."""
    return all(not s.multicast.discards[r] & s.multicast.copies[r] for r in Replica)


@lemma(
    **dict.fromkeys(
        ("deliver", "hand_on", "pass_by"), (*LED, "JoinedIsNoMaster", "UntoldIsUnheard")
    ),
    estrange=LEFT,
    heal=HEALED,
)
def MirrorsAreToldTheSame(s: Confirms) -> bool:
    """What one mirror is told was published, no other one is told was not (D2.1)."""
    return all(
        m in s.multicast.copies[y] or m not in s.multicast.coming(y)
        for x in Replica
        for m in s.multicast.copies[x]
        for y in s.siblings(x)
        if s.knows(x, y)
    )


@lemma(
    **dict.fromkeys(("deliver", "pass_by", "hand_on"), _NEW),
    master_tells=("MirrorsAreToldTheSame", "DiscardedIsNotCopied", "RefusedIsNotCopied"),
    synchronise=LED,
    promote=LINE,
    join=("UnstartedHasNothing", "AskedIsThere"),
    restart=LINE,
    heal=HEALED,
)
def GivenAwayIsNowhere(s: Confirms) -> bool:
    """What a mirror is told was not published is with no process of its queue (D2.1)."""
    return all(
        m not in s.replicas[x].holds() | s.multicast.copies[x]
        for y in Replica
        for m in s.multicast.discards[y] | s.multicast.refusals[y]
        for x in s.siblings(y)
        if s.knows(x, y) and s.replicas[x].status == Status.RUNNING
    )


@lemma(
    **_SETTLES,
    **at(ARRIVES, *_NEW, *_LEAVES, "UntoldIsNotRemoved"),
    master_tells=("GivenAwayIsNowhere",),
    master_removes=("RemovedIsNotGivenAway",),
    declare=LINED["declare"],
    promote=_LEAVES,
    restart=(*LINE, *_LEAVES),
    join=("UnstartedHasNothing", "AskedIsThere"),
    **at(ENDS, *LEFT),
    heal=HEALED,
)
def RemovalsFollowCopies(s: Confirms) -> bool:
    """Who has heard that a message left its queue has heard what became of it (D1.3, D4.15)."""
    return all(
        m in s.multicast.removals[y] or m in s.multicast.missed[y] or m not in s.multicast.coming(y)
        for x in Replica
        for m in s.multicast.removals[x]
        for y in s.siblings(x)
        if s.knows(x, y) and s.runs(y)
    )


@lemma(
    **dict.fromkeys(_SETTLES, (*_LEAVES, "GivenAwayIsNowhere")),
    **at(ARRIVES, *_NEW, *_LEAVES, "GivenAwayIsNowhere", "UntoldIsNotRemoved"),
    promote=(*_LEAVES, "GivenAwayIsNowhere"),
    restart=(*LINE, *_LEAVES),
)
def RemovedIsNotGivenAway(s: Confirms) -> bool:
    """What a mirror is told to remove was published (D4.15)."""
    return all(
        m not in s.multicast.removals[r]
        for r in Replica
        for m in s.multicast.discards[r] | s.multicast.refusals[r]
    )


@lemma(
    **{
        **UNTOLD,
        **dict.fromkeys(_SETTLES, (*_LEAVES, "UntoldIsNotStored")),
        "deliver": (*_NEW, *_LEAVES),
        "hand_on": (*_NEW, *_LEAVES),
        "pass_by": (*_NEW, *_LEAVES),
        "promote": (*UNTOLD["promote"], *_LEAVES, "UntoldIsNotStored"),
        "tx_commit": (
            *_LEAVES,
            "BatchBelongs",
            "BatchIsNew",
            "BatchRemovesNothing",
            "UntoldIsNotStored",
        ),
        **at(ENDS, *LEFT, "RemovalsFollowCopies"),
    }
)
def UntoldIsNotRemoved(s: Confirms) -> bool:
    """What a process has not heard of, none of its queue is told to remove (D1.3)."""
    return all(
        m not in s.multicast.removals[x]
        for m in Msg
        for y in Replica
        if untold(s, m, y)
        if in_line(s, y)
        for x in s.siblings(y)
        if s.knows(x, y)
    )


@lemma(
    **_SETTLES,
    **at(ARRIVES, *_NEW, *_LEAVES, "UntoldIsNotRemoved"),
    master_tells=(*LED, "DiscardedIsNotCopied", "JoinedIsNoMaster", "RefusedIsNotCopied"),
    declare=(*LINED["declare"], "MasterIsNoMirror"),
    **at(ENDS, *LINE),
    join=("AskedIsThere", "UnstartedHasNothing", *LED),
    synchronise=_LEAVES,
    catch_up=_LEAVES,
    promote=_LEAVES,
    restart=LINE,
    master_removes=("JoinedIsNoMaster", "MirrorHandsNothingOut", "NothingIsSetAsideWithMirrors"),
    heal=HEALED,
)
def MasterHasTheSame(s: Confirms) -> bool:
    """A mirror that is synchronised will have what its master has (INV-D2)."""
    return all(
        (m in s.replicas[x].holds()) == will_have(s, m, y)
        for m in Msg
        for x in Replica
        if s.replicas[x].leads()
        for y in s.siblings(x)
        if s.knows(x, y) and s.runs(y) and not s.replicas[y].led() and y not in s.unsynced
    )


@helper
def has_met(s: Confirms, msg: Msg, replica: Replica) -> bool:
    """Tell whether anything of a message is left with a process."""
    return (
        msg in s.replicas[replica].awaiting | s.replicas[replica].outbox
        or msg in s.replicas[replica].store.unconfirmed | s.replicas[replica].store.confirmed
        or s.replicas[replica].store.level[msg] != Level.ABSENT
        or s.replicas[replica].seen[msg] != Seen.ABSENT
    )


#: What it takes to know that what a master takes in nobody of its queue has met.
_UNMET = ("ToldIsNew", "ToldIsNotStored", "ToldIsUnanswered", "UntoldIsUnanswered")

#: What it takes to know that what one has heard was removed the others hear, too.
_KEPT = (*LEFT, *_UNMET, "RemovedIsThereOrUnmet")


@lemma(
    "GoneFromOneIsGoneFromAll",
    "LeaderIsSynchronised",
    **_SETTLES,
    **at(ARRIVES, *_NEW, *_LEAVES, "UntoldIsNotRemoved"),
    master_tells=("DiscardedIsNotCopied", "RefusedIsNotCopied", "RemovedIsNotGivenAway"),
    synchronise=_LEAVES,
    promote=_LEAVES,
    restart=(*LINE, *_LEAVES),
    **at(ENDS, *LEFT, *_UNMET),
)
def RemovedIsThereOrUnmet(s: Confirms) -> bool:
    """What a mirror is told to remove it has still, or has never met (D4.15)."""
    return all(
        m in s.replicas[r].holds() | s.multicast.copies[r] or not has_met(s, m, r)
        for r in Replica
        if s.replicas[r].status == Status.RUNNING
        for m in s.multicast.removals[r]
    )


@lemma(
    "MasterHasTheSame",
    **_SETTLES,
    **at(ARRIVES, *_NEW, *_LEAVES, "UntoldIsUnanswered"),
    master_tells=(*_UNMET, "GivenAwayIsNowhere"),
    master_removes=(
        "JoinedIsNoMaster",
        "MirrorHandsNothingOut",
        "NothingIsSetAsideWithMirrors",
        "RemovedIsGoneFromAll",
    ),
    declare=("AskedIsThere", "UnstartedHasNothing"),
    join=("AskedIsThere", "UnstartedHasNothing"),
    synchronise=(*_LEAVES, "LeaderIsSynchronised"),
    catch_up=(*_LEAVES, "LeaderIsSynchronised"),
    promote=_LEAVES,
    restart=(*LINE, "UnstartedHasNothing"),
    **at(ENDS, *_KEPT),
    heal=HEALED,
)
def GoneFromOneIsGoneFromAll(s: Confirms) -> bool:
    """What is gone from a process that has met it, none that is synchronised will have (D2.1)."""
    return all(
        not will_have(s, m, y)
        for m in Msg
        for x in Replica
        if s.replicas[x].status == Status.RUNNING
        if has_met(s, m, x) and m not in s.replicas[x].holds()
        for y in s.siblings(x)
        if s.knows(x, y) and s.runs(y) and y not in s.unsynced
    )


@lemma(
    "MasterHasTheSame",
    **_SETTLES,
    **at(ARRIVES, *_NEW, *_LEAVES, "UntoldIsNotRemoved"),
    synchronise=(*_LEAVES, "LeaderIsSynchronised"),
    catch_up=(*_LEAVES, "LeaderIsSynchronised"),
    promote=_LEAVES,
    restart=LINE,
    join=("AskedIsThere", "UnstartedHasNothing"),
    declare=("AskedIsThere", "UnstartedHasNothing"),
    master_tells=("DiscardedIsNotCopied", "RefusedIsNotCopied"),
    master_removes=("JoinedIsNoMaster", "MirrorHandsNothingOut", "NothingIsSetAsideWithMirrors"),
    **at(ENDS, *LEFT),
    heal=HEALED,
)
def RemovedIsGoneFromAll(s: Confirms) -> bool:
    """What one mirror is told to remove, none that is synchronised will have (D4.15)."""
    return all(
        not will_have(s, m, y)
        for x in Replica
        for m in s.multicast.removals[x]
        for y in s.siblings(x)
        if s.knows(x, y) and s.runs(y) and y not in s.unsynced
    )


@lemma()
def BornIsNotMissed(s: Confirms) -> bool:
    """Whoever is there from the start has missed nothing (D1.2)."""
    return all(not s.multicast.missed[r] or s.replicas[r].born == Born.LATER for r in Replica)


#: What it takes to know that mirrors that were there from the start keep the same of what was told.
_SAME = (
    *LEFT,
    *ORDER,
    "BornIsNotMissed",
    "CopiesComeInOrder",
    "MirrorsAreToldTheSame",
    "RemovedIsPresent",
    "ToldIsNotStored",
)


@lemma(
    "MasterHasTheSame",
    "NobodyLagsBehind",
    **_SETTLES,
    **at(ARRIVES, *_NEW, *_LEAVES, "UntoldIsNotRemoved"),
    master_tells=("DiscardedIsNotCopied", "RefusedIsNotCopied"),
    promote=(*_LEAVES, "AgeIsOrder", "MirrorsBeginWithTheSame", "PromotedWasMirror"),
    restart=(*LINE, *_LEAVES),
    delete_queue=("EndedIsNotAsked",),
    **at(ENDS, *LEFT, "RemovalsFollowCopies"),
)
def RemovedIsPresent(s: Confirms) -> bool:
    """What a mirror from the start is told to remove it has, or is told of (D4.15)."""
    return all(
        m in s.replicas[r].holds() | s.multicast.copies[r]
        for r in Replica
        if s.replicas[r].born == Born.MIRROR
        for m in s.multicast.removals[r]
    )


@lemma(
    "NobodyLagsBehind",
    "QueuesBeginAsOne",
    **_SETTLES,
    **at(ARRIVES, *_NEW, *_LEAVES, "UntoldIsNotRemoved"),
    master_tells=("DiscardedIsNotCopied", "RefusedIsNotCopied"),
    promote=(*_LEAVES, "RemovedIsPresent"),
    restart=LINE,
    master_removes=("JoinedIsNoMaster", "MirrorHandsNothingOut", "NothingIsSetAsideWithMirrors"),
    **at(ENDS, *_SAME),
    heal=(*HEALED, "QueuesBeginAsOne"),
)
def MirrorsBeginWithTheSame(s: Confirms) -> bool:
    """What one mirror from the start has when all has arrived, all of them have (INV-D2)."""
    return all(
        will_have(s, m, y)
        for m in Msg
        for x in Replica
        if s.replicas[x].born == Born.MIRROR and s.replicas[x].status == Status.RUNNING
        if not s.replicas[x].led() and will_have(s, m, x)
        for y in s.siblings(x)
        if s.replicas[y].born == Born.MIRROR and s.replicas[y].status == Status.RUNNING
        if s.knows(x, y) and not s.replicas[y].led()
    )


@lemma(
    "AgeIsOrder",
    "MirrorHandsNothingOut",
    "NothingIsSetAsideWithMirrors",
    "MirrorsBeginWithTheSame",
    "PromotedWasMirror",
    *LED,
)
def NobodyLagsBehind(s: Confirms) -> bool:
    """Only who joined later ever has less than its master (D5.5, D7.2)."""
    return all(s.replicas[r].born == Born.LATER for r in s.unsynced)


#: What follows from what.
FOLLOWS = {
    "MirrorFollowsMaster": (
        "MasterHasTheSame",
        "JoinedIsNoMaster",
        "LeaderIsToldNothing",
        "MirrorHandsNothingOut",
        "NothingIsSetAsideWithMirrors",
        *LED,
    ),
}
