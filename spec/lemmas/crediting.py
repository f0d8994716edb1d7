"""Lemmas of credit: what is used of it is under way, or on its way back (E1.5, INV-E1).

There are three kinds of pairs, and the books of each balance by themselves: reader and channel,
channel and process, process and store.  A message that is sent is paid for, and one that is taken
counts at the receiver until a bump gives it back.  So each step moves credit from one place to
another, if the same message is not sent twice and not taken twice.
"""

from __future__ import annotations

from ackproof.lang import assumption, helper, lemma
from ackproof.spec.lemmas.asking import below_next
from ackproof.spec.lemmas.keeping import UNTOLD
from ackproof.spec.lemmas.mirrors import LEFT
from ackproof.spec.sorts import Born, ChannelId, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms


@lemma()
def ChannelsCount(s: Confirms) -> bool:
    """A channel gives its reader credit back as soon as it has taken enough for it (E1.3)."""
    return all(s.reading[c].taken < s.reading[c].more_after for c in ChannelId)


@lemma()
def StoresCount(s: Confirms) -> bool:
    """So does a store for its process (E1.3)."""
    return all(s.storing[r].taken < s.storing[r].more_after for r in Replica)


@lemma()
def ProcessesCount(s: Confirms) -> bool:
    """So does a process of a queue for each channel (E1.3)."""
    return all(
        s.casts[c].credit[r].taken < s.casts[c].credit[r].more_after
        for c in ChannelId
        for r in Replica
    )


@lemma("ChannelsCount")
def ReadersAreEven(s: Confirms) -> bool:
    """What a reader has used of its credit its channel has counted, or given back (E1.5)."""
    return all(s.reading[c].used == s.reading[c].given() for c in ChannelId)


@lemma("NumberedInFlight", tx_commit=("BatchIsNotMailed",))
def NumberedInMail(s: Confirms) -> bool:
    """What is on its way to a store has a smaller number than what comes next (A4.1)."""
    return all(below_next(s, m) for r in Replica for m in s.mailboxes[r].writes)


@lemma("BatchIsNumbered", "NumberedInMail")
def BatchIsNotMailed(s: Confirms) -> bool:
    """What a transaction holds back is on its way to no store (A13.1)."""
    return all(
        m not in s.mailboxes[r].writes
        for c in ChannelId
        for m in s.transactions[c].batch
        for r in Replica
    )


@lemma(
    **{step: (*needed, "NumberedInMail") for step, needed in UNTOLD.items()},
    tx_commit=("BatchBelongs", "BatchIsNotMailed"),
    crash_queue=(*LEFT, "ToldIsNotMailed"),
    lose_node=(*LEFT, "ToldIsNotMailed"),
)
def UntoldIsNotMailed(s: Confirms) -> bool:
    """What a process has not heard of, none of its queue has sent to its store (D1.3)."""
    return all(
        m not in s.mailboxes[x].writes
        for m in Msg
        for y in Replica
        if m in s.casts[Msg.owner(m)].publishes[y] | s.replicas[y].direct
        if m not in s.multicast.coming(y) and s.replicas[y].seen[m] == Seen.ABSENT
        for x in s.siblings(y)
        if s.replicas[x].status == Status.RUNNING
    )


@lemma(
    deliver=("JoinedIsNoMaster", "LeaderIsToldNothing", "UntoldIsNotMailed"),
    pass_by=("JoinedIsNoMaster", "LeaderIsToldNothing", "UntoldIsNotMailed"),
    hand_on=("JoinedIsNoMaster", "LeaderIsToldNothing", "UntoldIsNotMailed"),
)
def ToldIsNotMailed(s: Confirms) -> bool:
    """What a mirror is being told of it has not sent to its store (D1.3)."""
    return all(m not in s.mailboxes[r].writes for r in Replica for m in s.multicast.coming(r))


@lemma(
    "StoresCount",
    deliver=("UntoldIsNotMailed", "LeaderIsToldNothing"),
    hand_on=("UntoldIsNotMailed", "LeaderIsToldNothing"),
    master_tells=("ToldIsNotMailed",),
)
def StoresAreEven(s: Confirms) -> bool:
    """What a process has used of its credit is in its store's mailbox, or given back (E1.5)."""
    return all(
        s.storing[r].used == len(s.mailboxes[r].writes) + s.storing[r].given() for r in Replica
    )


@helper
def keeps_books(s: Confirms, channel: ChannelId) -> bool:
    """Tell whether a channel keeps books of credit with processes that it never lost (E1.4)."""
    return s.credit and s.channels[channel].open and not s.cluster.parted


@lemma("ApartMeansParted", "LostIsAway")
def DownMeansEnded(s: Confirms) -> bool:
    """A channel hears of the end of a process when it has ended (A9)."""
    return all(
        s.cluster.parted or s.replicas[r].status != Status.RUNNING
        for c in ChannelId
        for r in Replica
        if s.casts[c].downs[r] is not None
    )


@lemma()
def EndedIsForgotten(s: Confirms) -> bool:
    """Between a channel and a process of whose end it has heard nothing is owed (E1.4)."""
    return all(
        s.casts[c].credit[r].used == 0 and s.casts[c].credit[r].given() == 0
        for c in ChannelId
        for r in Replica
        if keeps_books(s, c)
        if s.replicas[r].status != Status.RUNNING and s.casts[c].downs[r] is None
    )


@lemma()
def BatchIsNotCast(s: Confirms) -> bool:
    """What a transaction holds back is on its way to no process (A13.1)."""
    return all(
        m not in s.casts[c].publishes[r]
        for c in ChannelId
        for m in s.transactions[c].batch
        for r in Replica
    )


#: What it takes to know that a process is no mirror.
_ALONE = ("EachQueueHasAMaster", "JoinedIsNoMaster", "QueuesAreAlone")


@lemma(*_ALONE)
def NobodyAcksTwice(s: Confirms) -> bool:
    """Only a mirror gets a second copy (E3.1)."""
    return all(
        not s.replicas[r].direct and all(not s.casts[c].as_mirrors[r] for c in ChannelId)
        for r in Replica
    )


#: What it takes to know that nothing is half acked, and that what arrives was on its way.
_TAKES = ("NobodyAcksTwice", "ProcessesCount")


@lemma(
    **dict.fromkeys(("publish", "publish_again", "publish_plain"), (*_ALONE, "NumberedInFlight")),
    **dict.fromkeys(("deliver", "hand_on", "pass_by"), _TAKES),
    tx_commit=(*_ALONE, "BatchIsNotCast"),
    master_tells=_ALONE,
    deliver_to_mirror=("ProcessesCount",),
    promote=("NobodyAcksTwice",),
    restart=("CastsBelong", "EndedIsNotAsked", "EndedIsForgotten"),
    down_arrives=("DownMeansEnded",),
)
def ProcessesAreEven(s: Confirms) -> bool:
    """What a channel has used of its credit with a process is on its way, or given back (E1.5)."""
    return all(
        s.casts[c].credit[r].used == len(s.casts[c].publishes[r]) + s.casts[c].credit[r].given()
        for c in ChannelId
        for r in Replica
        if keeps_books(s, c) and s.meets(c, r)
    )


_HAS = ("DownMeansEnded", "NobodyAcksTwice", "ProcessesAreEven", "ProcessesCount")


@lemma(
    **dict.fromkeys(("deliver", "deliver_to_mirror", "hand_on", "pass_by"), _HAS),
    master_tells=_ALONE,
)
def NobodyIsOverpaid(s: Confirms) -> bool:
    """What comes back of a channel's credit was used, whether or not the process is still there."""
    return all(
        s.casts[c].credit[r].given() <= s.casts[c].credit[r].used
        for c in ChannelId
        for r in Replica
        if s.replicas[r].born != Born.LATER
        if not s.cluster.parted
    )


@assumption
def MirrorsCostTwo(s: Confirms) -> bool:
    """A mirror acks two copies of each message, and is paid for both (E3.1)."""
    return s.mirror_cost == 2


@lemma("ChannelsCount", "MirrorsCostTwo")
def OverdrawnIsDeferred(s: Confirms) -> bool:
    """What a channel sends once it is blocked it gives its reader no credit for (E1.2, E1.3)."""
    return s.transactional or all(
        s.casts[c].credit[r].used - s.casts[c].credit[r].initial + 1
        <= 2 + 2 * (s.reading[c].taken + s.reading[c].deferred * s.reading[c].more_after)
        for c in ChannelId
        for r in Replica
        if s.casts[c].credit[r].blocks()
    )


FOLLOWS = {
    "BatchIsNotCast": ("BatchBelongs", "BatchIsNumbered"),
    "CreditIsConserved": ("NobodyAcksTwice", "ProcessesAreEven", "ReadersAreEven", "StoresAreEven"),
    "NoExcessCredit": ("NobodyIsOverpaid", "ReadersAreEven", "StoresAreEven"),
    "OverdraftIsBounded": (
        "CreditNeverNegative",
        "MirrorsCostTwo",
        "OverdrawnIsDeferred",
        "ReadersAreEven",
    ),
}
