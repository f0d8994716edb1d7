"""Lemmas of consumers: what was delivered to them, and under which tags (F1)."""

from __future__ import annotations

from ackproof.lang import Option, assumption, helper, lemma
from ackproof.spec.consumer import Delivery
from ackproof.spec.sorts import ChannelId, Consumer, Replica, Tag
from ackproof.spec.system import Confirms


@lemma()
def ConsumersAreOnOpenChannels(s: Confirms) -> bool:
    """Who consumes has a name, and a channel that is open (F2.2, F3.2)."""
    return all(
        s.tagged and s.consuming[Consumer.owner(c)].open
        for c in Consumer
        if s.subscriptions[c].at is not None
    )


#: What it takes to know that a consumer is there who gets something.
_GETS = ("ConsumersAreOnOpenChannels",)


@lemma(hand_out=_GETS, hand_on=_GETS)
def ClosedKeepsNothing(s: Confirms) -> bool:
    """What was delivered on a channel that is closed is not to be settled any more (F3.2)."""
    return all(
        s.consuming[c].open
        or (s.consuming[c].unacked[t] is None and s.consuming[c].collected[t] is None)
        for c in ChannelId
        for t in Tag
    )


@lemma("ClosedKeepsNothing")
def SeenWasCounted(s: Confirms) -> bool:
    """A tag that a client has seen is not above the last that its channel has given out (F1.1)."""
    return all(
        s.consuming[c].last_tag is not None and not s.consuming[c].last_tag < t
        for c in ChannelId
        if s.consuming[c].open
        for t in s.seen_tags[c]
    )


@lemma("ClosedKeepsNothing", "SeenWasCounted", "TagsAreOrdered")
def EachTagHasOnePlace(s: Confirms) -> bool:
    """A delivery is unacked, or collected for a commit, and not both (A13.2)."""
    return all(
        s.consuming[c].unacked[t] is None or s.consuming[c].collected[t] is None
        for c in ChannelId
        for t in Tag
    )


@assumption
def ConsumersAreOfOneKind(s: Confirms) -> bool:
    """Where consumers have names, there are no others (F2.2)."""
    return not s.tagged or not s.consumers


@lemma()
def CollectedIsFinished(s: Confirms) -> bool:
    """What is settled at a commit, and does not come back, its client was done with (A13.2)."""
    return all(
        m in s.finished[s.replicas[r].of]
        for c in ChannelId
        for t in Tag
        if t not in s.consuming[c].returning
        for r in Replica
        for m in s.consuming[c].carried(s.consuming[c].collected[t], r)
    )


@helper
def is_pending(s: Confirms, delivery: Option[Delivery]) -> bool:
    """Tell whether a delivery is with a consumer, unless its process has ended (F1.7)."""
    if delivery is not None and delivery.replica is not None:
        return delivery.msg in s.replicas[delivery.replica].pending
    return True


@helper
def are_one(one: Option[Delivery], other: Option[Delivery]) -> bool:
    """Tell whether two deliveries are of the same copy of a message (F1.7)."""
    if one is not None and one.replica is not None and other is not None:
        return one.replica == other.replica and one.msg == other.msg
    return False


@lemma(hand_out=_GETS, hand_on=_GETS)
def UnnamedGetNoTags(s: Confirms) -> bool:
    """Nothing is under a delivery tag where consumers have no names (F2.2)."""
    return s.tagged or all(
        s.consuming[c].unacked[t] is None and s.consuming[c].collected[t] is None
        for c in ChannelId
        for t in Tag
    )


#: What it takes to know that a message which arrives is not in the queue already.
_ARRIVES = ("JoinedIsNoMaster", "LeaderIsSynchronised", "LeaderIsToldNothing", "UntoldIsNotStored")


@lemma(
    "MirrorHandsNothingOut",
    "NothingIsSetAsideWithMirrors",
    *_ARRIVES,
    restart=("MemoryEndsWithItsProcess",),
)
def PendingIsNotReady(s: Confirms) -> bool:
    """What is with a consumer is not ready (INV-F2)."""
    return all(not s.replicas[r].pending & s.replicas[r].ready for r in Replica)


@lemma(
    "MirrorHandsNothingOut",
    "NothingIsSetAsideWithMirrors",
    *_ARRIVES,
    restart=("MemoryEndsWithItsProcess",),
)
def SetAsideIsNeither(s: Confirms) -> bool:
    """What is set aside is not ready, nor with a consumer (Q12.2)."""
    return all(
        not s.replicas[r].aside & (s.replicas[r].pending | s.replicas[r].ready) for r in Replica
    )


@lemma(
    "EachTagHasOnePlace",
    "UnderOneTag",
    "UnnamedGetNoTags",
    acknowledge=("ConsumersAreOfOneKind",),
    acks_arrive=("AckedAcrossIsPending",),
    expire=("PendingIsNotReady",),
    requeue=("ConsumersAreOfOneKind",),
    stop_unsynchronised=(
        "MasterIsNoMirror",
        "MirrorHandsNothingOut",
        "NothingIsSetAsideWithMirrors",
    ),
)
def UnsettledIsPending(s: Confirms) -> bool:
    """What is under a delivery tag is with a consumer, unless its process has ended (F1.7)."""
    return all(
        is_pending(s, s.consuming[c].unacked[t]) and is_pending(s, s.consuming[c].collected[t])
        for c in ChannelId
        for t in Tag
    )


@lemma(
    "EachTagHasOnePlace",
    hand_out=("PendingIsNotReady", "UnsettledIsPending"),
    get=("PendingIsNotReady", "UnsettledIsPending"),
    hand_on=(*_ARRIVES, "UnsettledIsPending"),
)
def UnderOneTag(s: Confirms) -> bool:
    """No copy of a message is under two delivery tags (INV-F2)."""
    return all(
        c == d and t == u
        for c in ChannelId
        for d in ChannelId
        for t in Tag
        for u in Tag
        if are_one(s.consuming[c].unacked[t], s.consuming[d].unacked[u])
        or are_one(s.consuming[c].unacked[t], s.consuming[d].collected[u])
        or are_one(s.consuming[c].collected[t], s.consuming[d].collected[u])
    )


#: What it takes to know that the tag which is given out next is free.
_NEXT = ("ClosedKeepsNothing", "SeenWasCounted", "TagsAreOrdered")


@lemma(
    "ConsumersAreOfOneKind",
    "ClosedKeepsNothing",
    "EachTagHasOnePlace",
    "ApartMeansParted",
    hand_out=_NEXT,
    get=_NEXT,
    hand_on=_NEXT,
    crash_node=("MemoryEndsWithItsProcess",),
    stop_broker=("MemoryEndsWithItsProcess",),
    crash_machine=("MemoryEndsWithItsProcess",),
)
def PendingIsUnsettled(s: Confirms) -> bool:
    """What is with a consumer is under a delivery tag, where consumers have names (INV-F2).

    After a partition it may be that a queue does not know yet that it is not (A12.7).
    """
    return (
        not s.tagged
        or s.cluster.parted
        or all(
            any(
                s.consuming[c].came_from(s.consuming[c].unacked[t], m, r)
                or s.consuming[c].came_from(s.consuming[c].collected[t], m, r)
                for c in ChannelId
                for t in Tag
            )
            for r in Replica
            for m in s.replicas[r].pending
        )
    )


@lemma(
    "EachTagHasOnePlace",
    "MemoryEndsWithItsProcess",
    "UnderOneTag",
    "UnnamedGetNoTags",
    "UnsettledIsPending",
    acknowledge=("ConsumersAreOfOneKind",),
    requeue=("ConsumersAreOfOneKind",),
    hand_out=("PendingIsNotReady",),
    get=("PendingIsNotReady",),
    expire=("PendingIsNotReady",),
    hand_on=_ARRIVES,
    tx_commit=("CollectedIsFinished",),
)
def AckedAcrossIsPending(s: Confirms) -> bool:
    """What was acked across a partition is with nobody, and its queue does not know (A12.7)."""
    return all(
        s.tagged
        and m in s.replicas[r].pending
        and m in s.finished[s.replicas[r].of]
        and not any(
            s.consuming[c].came_from(s.consuming[c].unacked[t], m, r)
            or s.consuming[c].came_from(s.consuming[c].collected[t], m, r)
            for c in ChannelId
            for t in Tag
        )
        for r in Replica
        for m in s.acks_across[r]
    )


#: What it takes to know what becomes of what a client settles.
_SETTLED = (
    "CommitSettles",
    "EachTagHasOnePlace",
    "PendingIsNotReady",
    "SetAsideIsNeither",
    "UnderOneTag",
    "UnsettledIsPending",
)

#: What the properties of this group are proved with.
PROOFS = {
    "AckSettlesWhatItNames": (),
    "AckedIsGone": _SETTLED,
    "CancelMeansBereft": (),
    "CancelledIsOver": (),
    "CommitComesFirst": (),
    "CommitTellsQueues": (*_SETTLED, "AckedAcrossIsPending"),
    "ConsumersDoNotMove": (),
    "DeliveredToWhoConsumes": (),
    "DeliveryTagsIncrease": (*_GETS, "SeenWasCounted"),
    "FetchedFromItsQueue": (),
    "GetTakesATag": ("SeenWasCounted",),
    "HeldUntilSettled": (
        "AckedAcrossIsPending",
        "CollectedIsFinished",
        "ConsumersAreOfOneKind",
    ),
    "LentToSomebody": (
        *_SETTLED,
        *_NEXT,
        "ConsumersAreOfOneKind",
        "ConsumersAreOnOpenChannels",
        "MemoryEndsWithItsProcess",
    ),
    "MarkedWasHandedOut": (),
    "NothingIsFetchedFromNobody": (),
    "RejectSettlesWhatItNames": (),
    "RejectedComesBackIfAskedFor": (*_SETTLED, "AckedAcrossIsPending"),
    "LoadIsWhatIsUnsettled": ("EachTagHasOnePlace", "TagsAreOrdered"),
    "PrefetchRespected": ("LoadIsWhatIsUnsettled",),
    "SettlesItsOwn": (),
    "SharedPrefetchRespected": ("LoadIsWhatIsUnsettled",),
    "TagsAreOrdered": ("ClosedKeepsNothing", "SeenWasCounted"),
    "TransactsAlone": (),
    "UnknownTagClosesChannel": ("EachTagHasOnePlace",),
}

#: What follows from what.
FOLLOWS = {
    "EachCopyHasOnePlace": (
        "AckedAcrossIsPending",
        "PendingIsNotReady",
        "PendingIsUnsettled",
        "UnderOneTag",
        "UnsettledIsPending",
    ),
}
