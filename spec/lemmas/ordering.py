"""Lemmas of order: what has come to a queue is older than what is still to come (INV-B4, O2).

Messages of a channel reach each process in the order in which they were published.  The processes
of a queue are asked for the same messages, and hear from the master in the order in which that took
them: so nobody has a message of which another one has still to hear an earlier one.
"""

from __future__ import annotations

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
from ackproof.spec.sorts import Level, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms


@helper
def known(s: Confirms, msg: Msg, replica: Replica) -> bool:
    """Tell whether a process has a message, or remembers what became of it."""
    return (
        msg in s.replicas[replica].holds() | s.replicas[replica].awaiting
        or s.replicas[replica].seen[msg] != Seen.ABSENT
    )


#: What it takes to know that what was told to one process, and is known to another, is kept.
_GOT = ("ToldIsNew", "ToldIsNotStored", "ToldIsUnanswered")


@lemma(
    join=LINED["join"],
    **at(ARRIVES, *LED, "JoinedIsNoMaster", "UntoldIsLast"),
    master_tells=(*ORDER, "CopiesComeInOrder"),
    synchronise=(*LED, "JoinedIsNoMaster", "MirrorHandsNothingOut", "NothingIsSetAsideWithMirrors"),
    restart=LINE,
    **at(ENDS, *LEFT, *ORDER, "CopiesComeInOrder", *_GOT),
    heal=HEALED,
)
def KeptComesFirst(s: Confirms) -> bool:
    """What one process has, and another has not to hear of, is older than what that is told of."""
    return all(
        k < m
        for y in Replica
        for m in s.multicast.coming(y)
        for x in s.siblings(y)
        if s.knows(x, y)
        if s.replicas[x].status == Status.RUNNING
        for k in Msg
        if known(s, k, x) and k not in s.multicast.coming(y)
        if Msg.owner(k) == Msg.owner(m)
    )


@lemma(
    **{
        **UNTOLD,
        "deliver": (*LED, "LeftTogether"),
        "hand_on": (*LED, "LeftTogether"),
        "master_tells": (*UNTOLD["master_tells"], "UntoldIsLater"),
        "synchronise": (*LED, "MirrorHandsNothingOut", "NothingIsSetAsideWithMirrors"),
    },
    tx_commit=("BatchIsNew", "BatchIsLast", "BatchIsNumbered"),
    **at(ENDS, *LEFT, *ORDER, "CopiesComeInOrder", *_GOT, "KeptComesFirst"),
)
def UntoldIsLast(s: Confirms) -> bool:
    """What nobody has heard of is later than what anybody of its queue has (O2)."""
    return all(
        k < m
        for m in Msg
        for y in Replica
        if untold(s, m, y)
        if in_line(s, y)
        for x in s.siblings(y)
        if s.knows(x, y)
        if s.replicas[x].status == Status.RUNNING
        for k in Msg
        if known(s, k, x) and Msg.owner(k) == Msg.owner(m)
    )


@lemma(
    "BatchBelongs",
    "BatchIsNew",
    "BatchIsNumbered",
    "BatchIsOpen",
    "ConfirmXorTransaction",
    "NumberedInFlight",
    "NumberedInStore",
    **at(ARRIVES, "BatchIsLatest"),
    master_tells=("BatchIsLatest",),
)
def BatchIsLast(s: Confirms) -> bool:
    """What a transaction holds back is later than all that any process has (A13.1)."""
    return all(
        k < m
        for r in Replica
        for k in Msg
        if known(s, k, r) or s.replicas[r].store.level[k] != Level.ABSENT
        for m in s.transactions[Msg.owner(k)].batch
    )


#: What follows from what.
FOLLOWS = {
    "FifoPerPublisher": (
        "CastsBelong",
        "LeaderIsSynchronised",
        "LeaderIsToldNothing",
        "UntoldIsLast",
    ),
}
