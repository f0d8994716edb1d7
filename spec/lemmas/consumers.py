"""Lemmas of consumers: what was delivered to them, and under which tags (F1)."""

from __future__ import annotations

from ackproof.lang import assumption, lemma
from ackproof.spec.sorts import ChannelId, Replica, Tag
from ackproof.spec.system import Confirms


@lemma()
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


#: What the properties of this group are proved with.
PROOFS = {
    "AckSettlesWhatItNames": (),
    "DeliveryTagsIncrease": ("SeenWasCounted",),
    "GetTakesATag": ("SeenWasCounted",),
    "HeldUntilSettled": ("CollectedIsFinished", "ConsumersAreOfOneKind"),
    "LoadIsWhatIsUnsettled": ("EachTagHasOnePlace", "TagsAreOrdered"),
    "PrefetchRespected": ("LoadIsWhatIsUnsettled",),
    "SettlesItsOwn": (),
    "SharedPrefetchRespected": ("LoadIsWhatIsUnsettled",),
    "TagsAreOrdered": ("ClosedKeepsNothing", "SeenWasCounted"),
    "TransactsAlone": (),
    "UnknownTagClosesChannel": ("EachTagHasOnePlace",),
}
