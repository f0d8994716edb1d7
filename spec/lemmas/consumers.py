"""Lemmas of consumers: what was delivered to them, and under which tags (F1)."""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.sorts import ChannelId, Tag
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


#: What the properties of this group are proved with.
PROOFS = {
    "AckSettlesWhatItNames": (),
    "DeliveryTagsIncrease": ("SeenWasCounted",),
    "GetTakesATag": ("SeenWasCounted",),
    "LoadIsWhatIsUnsettled": ("EachTagHasOnePlace", "TagsAreOrdered"),
    "SettlesItsOwn": (),
    "TagsAreOrdered": ("ClosedKeepsNothing", "SeenWasCounted"),
    "TransactsAlone": (),
}
