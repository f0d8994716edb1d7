"""Lemmas of credit: what is used of it is under way, or on its way back (E1.5, INV-E1).

There are three kinds of pairs, and the books of each balance by themselves: reader and channel,
channel and process, process and store.  A message that is sent is paid for, and one that is taken
counts at the receiver until a bump gives it back.  So each step moves credit from one place to
another, if the same message is not sent twice and not taken twice.
"""

from __future__ import annotations

from ackproof.lang import Set, assumption, helper, lemma
from ackproof.spec.credit import CreditPair
from ackproof.spec.lemmas.asking import below_next
from ackproof.spec.lemmas.keeping import UNTOLD
from ackproof.spec.lemmas.mirrors import (
    ARRIVES,
    ENDS,
    FIRST,
    LED,
    LEFT,
    PUBLISHES,
    asked,
    at,
    in_line,
    untold,
)
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


@helper
def natural(pair: CreditPair) -> bool:
    """Tell whether nothing that the receiver of a pair counts is negative."""
    return pair.taken >= 0 and pair.deferred >= 0 and pair.bumps >= 0


@lemma()
def ChannelsOweNothing(s: Confirms) -> bool:
    """No channel has to take credit back from its reader (E1.1)."""
    return all(natural(s.reading[c]) for c in ChannelId)


@lemma()
def StoresOweNothing(s: Confirms) -> bool:
    """Nor has a store from its process (E1.1)."""
    return all(natural(s.storing[r]) for r in Replica)


@lemma()
def ProcessesOweNothing(s: Confirms) -> bool:
    """Nor has a process of a queue from a channel (E1.1)."""
    return all(natural(s.casts[c].credit[r]) for c in ChannelId for r in Replica)


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


@lemma("AskedIsThere", "EachQueueHasOneName", "EndedIsNotAsked")
def UnstartedHasNoMail(s: Confirms) -> bool:
    """A process that was not started has sent nothing to its store (A9.5, D1.2)."""
    return all(
        s.present(r) or not s.mailboxes[r].writes
        for r in Replica
        if s.replicas[r].status == Status.RUNNING
    )


@lemma(
    "JoinedIsNoMaster",
    "MissedIsUnknown",
    "MissedIsPast",
    join=("PromotedWasMirror", "UnstartedHasNoMail"),
)
def MissedIsNotMailed(s: Confirms) -> bool:
    """What a mirror missed when it joined it has not sent to its store (D1.2)."""
    return all(m not in s.mailboxes[r].writes for r in Replica for m in s.multicast.missed[r])


@lemma(
    **{step: (*needed, "NumberedInMail", "UnstartedHasNoMail") for step, needed in UNTOLD.items()},
    tx_commit=("BatchBelongs", "BatchIsNotMailed"),
    **at(ENDS, *LEFT, "MissedIsNotMailed", "UnstartedHasNoMail", "ToldIsNotMailed"),
)
def UntoldIsNotMailed(s: Confirms) -> bool:
    """What a process has not heard of, none of its queue has sent to its store (D1.3)."""
    return all(
        m not in s.mailboxes[x].writes
        for m in Msg
        for y in Replica
        if untold(s, m, y)
        if in_line(s, y)
        for x in s.siblings(y)
        if s.knows(x, y)
        if s.replicas[x].status == Status.RUNNING
    )


@lemma(
    **at(ARRIVES, *LED, "JoinedIsNoMaster", "UntoldIsNotMailed", "UntoldIsUnheard"),
)
def ToldIsNotMailed(s: Confirms) -> bool:
    """What a mirror is being told of it has not sent to its store (D1.3)."""
    return all(m not in s.mailboxes[r].writes for r in Replica for m in s.multicast.coming(r))


@lemma(
    "StoresCount",
    deliver=("LeaderIsSynchronised", "LeaderIsToldNothing", "UntoldIsNotMailed"),
    hand_on=("LeaderIsSynchronised", "LeaderIsToldNothing", "UntoldIsNotMailed"),
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


@lemma("ProcessesOweNothing")
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


@lemma()
def BatchDoesNotWait(s: Confirms) -> bool:
    """What a transaction holds back waits at no mirror (A13.1)."""
    return all(
        m not in s.replicas[r].direct
        for c in ChannelId
        for m in s.transactions[c].batch
        for r in Replica
    )


@assumption
def MirrorsCostTwo(s: Confirms) -> bool:
    """A mirror acks two copies of each message, and is paid for both (E3.1)."""
    return s.mirror_cost == 2


@lemma("LeaderIsToldNothing", tx_commit=("BatchBelongs",))
def PaidForIsUnderWay(s: Confirms) -> bool:
    """What was paid for twice, and arrives as at a mirror, is under way (A5.6, E3.1)."""
    return all(
        s.credit and s.channels[c].open and Msg.owner(m) == c and m in s.casts[c].publishes[r]
        for c in ChannelId
        for r in Replica
        for m in s.casts[c].as_mirrors[r]
    )


@lemma("CastsBelong", "EndedIsNotAsked", tx_commit=("BatchBelongs",))
def SentToMirrorIsPaidForTwice(s: Confirms) -> bool:
    """What is under way to a mirror was paid for twice (E3.1)."""
    return all(
        m in s.casts[c].as_mirrors[r]
        for c in ChannelId
        if s.credit and s.channels[c].open
        for r in Replica
        if not s.replicas[r].led()
        for m in s.casts[c].publishes[r]
    )


@lemma(
    "EndedIsNotAsked",
    **at(ARRIVES, "AskedTogether", "JoinedIsNoMaster", *LED, "LostMeansParted"),
    deliver_to_mirror=("ToldIsNew",),
    notice=("LostMeansParted",),
    master_tells=("ToldIsNew",),
)
def ToldIsAsked(s: Confirms) -> bool:
    """What a mirror from the start is told of its channel has sent it, too (E3.1)."""
    return all(
        asked(s, m, r)
        for r in Replica
        if s.replicas[r].born != Born.LATER
        for m in s.multicast.coming(r)
        if s.channels[Msg.owner(m)].open and not s.cluster.parted
    )


@helper
def promised(s: Confirms, channel: ChannelId, replica: Replica) -> Set[Msg]:
    """Return what is under way to a mirror, of which it has not heard from its master (E3.1)."""
    cast = s.casts[channel].as_mirrors[replica]
    return {m for m in cast if s.replicas[replica].seen[m] == Seen.ABSENT}


@lemma()
def HalfIsPromisedOrWaits(s: Confirms) -> bool:
    """What a mirror has still to ack once more is under way to it, or waits there (E3.1)."""
    return all(
        len(s.half_acked(c, r)) == len(promised(s, c, r)) + len(s.replicas[r].direct_of(c))
        for c in ChannelId
        for r in Replica
        if s.channels[c].open
    )


@lemma()
def NextIsFirstOfItsChannel(s: Confirms) -> bool:
    """What a mirror is told of next is the first of its channel that waits, if any does (D3)."""
    return all(
        all(m in s.replicas[r].direct and (k == m or m < k) for k in s.replicas[r].direct_of(c))
        for r in Replica
        if s.replicas[r].born != Born.LATER and not s.cluster.parted
        for c in ChannelId
        if s.channels[c].open
        for m in Msg
        if Msg.owner(m) == c and s.multicast.next_from_master(r) == m
    )


@lemma()
def NextIsHalfAcked(s: Confirms) -> bool:
    """For what a mirror is told of next it has to ack once more (E3.1)."""
    return all(
        m in s.half_acked(c, r)
        for r in Replica
        if s.replicas[r].born != Born.LATER and not s.replicas[r].led() and not s.cluster.parted
        for c in ChannelId
        if s.credit and s.channels[c].open
        for m in Msg
        if Msg.owner(m) == c and s.multicast.next_from_master(r) == m
    )


@lemma(
    **at(PUBLISHES, "NumberedInFlight", "MirrorsCostTwo", "PaidForIsUnderWay"),
    tx_commit=(
        "BatchBelongs",
        "BatchDoesNotWait",
        "BatchIsNotCast",
        "BatchIsUnheard",
        "MirrorsCostTwo",
        "PaidForIsUnderWay",
    ),
    master_tells=(
        "ApartMeansParted",
        "DirectIsUnheard",
        "LostIsAway",
        "NextIsFirstOfItsChannel",
        "NextIsHalfAcked",
        "PaidForIsUnderWay",
        "ProcessesCount",
        "ToldIsNew",
    ),
    forget_sender=("PaidForIsUnderWay",),
    deliver_to_mirror=(
        "CalledIsNotAsked",
        "DirectIsUnheard",
        "PaidForIsUnderWay",
        "ProcessesCount",
        "SentToMirrorIsPaidForTwice",
    ),
    drain=("CalledIsNotAsked", "PaidForIsUnderWay"),
    down_arrives=("DownMeansEnded",),
)
def MirrorsAreEven(s: Confirms) -> bool:
    """What a channel has used of its credit with a mirror is on its way, or given back (E3.1)."""
    return all(
        s.casts[c].credit[r].used
        == len(s.casts[c].publishes[r]) + len(s.half_acked(c, r)) + s.casts[c].credit[r].given()
        for c in ChannelId
        for r in Replica
        if keeps_books(s, c) and s.meets(c, r) and not s.replicas[r].led()
    )


@lemma(
    **at(PUBLISHES, "NumberedInFlight", "MirrorsCostTwo", "PaidForIsUnderWay"),
    **at(ARRIVES, "PaidForIsUnderWay", "ProcessesCount"),
    tx_commit=(
        "BatchBelongs",
        "BatchIsNotCast",
        "BatchIsNumbered",
        "MirrorsCostTwo",
        "PaidForIsUnderWay",
    ),
    deliver_to_mirror=("JoinedIsNoMaster", "MasterIsNoMirror"),
    master_tells=("JoinedIsNoMaster", "MasterIsNoMirror"),
    forget_sender=("JoinedIsNoMaster", "PaidForIsUnderWay"),
    drain=("CalledIsNotAsked", "PaidForIsUnderWay"),
    promote=(
        *("CalledIsNotAsked", "DirectIsUnheard", "PaidForIsUnderWay"),
        *("HalfIsPromisedOrWaits", "MirrorsAreEven"),
    ),
    restart=("CastsBelong", "EndedIsNotAsked", "EndedIsForgotten", "PaidForIsUnderWay"),
    declare=(
        "JoinedIsNoMaster",
        "QueuesBeginAsOne",
        "AskedIsThere",
        "EachQueueHasOneName",
        "HalfIsPromisedOrWaits",
        "MirrorsAreEven",
        "PaidForIsUnderWay",
    ),
    down_arrives=("DownMeansEnded",),
)
def LeadersAreEven(s: Confirms) -> bool:
    """What a channel has used of its credit with a master is on its way, or given back (E1.5)."""
    return all(
        s.casts[c].credit[r].used
        == len(s.casts[c].publishes[r]) + len(promised(s, c, r)) + s.casts[c].credit[r].given()
        for c in ChannelId
        for r in Replica
        if keeps_books(s, c) and s.meets(c, r) and s.replicas[r].led()
    )


_HAS = ("DownMeansEnded", "LeadersAreEven", "PaidForIsUnderWay", "ProcessesCount")


@lemma(
    "ProcessesOweNothing",
    **at(ARRIVES, *_HAS, "LeaderIsToldNothing"),
    deliver_to_mirror=(*_HAS, "JoinedIsNoMaster", "MasterIsNoMirror", "MirrorsAreEven"),
    master_tells=(
        *_HAS,
        "JoinedIsNoMaster",
        "MasterIsNoMirror",
        "MirrorsAreEven",
        "NextIsHalfAcked",
    ),
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


@lemma(
    "ChannelsCount",
    "ChannelsOweNothing",
    "MirrorsCostTwo",
    dead_letter=("CouriersServePlainQueues",),
)
def OverdrawnIsDeferred(s: Confirms) -> bool:
    """What a channel sends once it is blocked it gives its reader no credit for (E1.2, E1.3)."""
    return s.transactional or all(
        s.casts[c].credit[r].used - s.casts[c].credit[r].initial + 1
        <= 2 + 2 * (s.reading[c].taken + s.reading[c].deferred * s.reading[c].more_after)
        for c in ChannelId
        for r in Replica
        if s.casts[c].credit[r].blocks()
    )


#: What the properties of this group are proved with.
PROOFS = {
    "BlockedGivesNoCredit": ("ChannelsOweNothing", "ProcessesOweNothing"),
    "BooksEndWithTheirOwner": ("MailEndsWithItsProcess",),
}

FOLLOWS = {
    "BatchDoesNotWait": ("BatchIsNumbered",),
    "BatchIsNotCast": ("BatchBelongs", "BatchIsNumbered"),
    "NextIsFirstOfItsChannel": (
        *FIRST,
        "AskedIsThere",
        "EndedIsNotAsked",
        "NobodyLagsBehind",
        "ToldIsAsked",
        "UntoldIsLater",
    ),
    "NextIsHalfAcked": ("SentToMirrorIsPaidForTwice", "ToldIsAsked", "ToldIsNew"),
    "HalfIsPromisedOrWaits": ("DirectIsUnheard", "PaidForIsUnderWay"),
    "CreditIsConserved": (
        "HalfIsPromisedOrWaits",
        "LeaderIsToldNothing",
        "LeadersAreEven",
        "MirrorsAreEven",
        "MirrorsCostTwo",
        "ReadersAreEven",
        "StoresAreEven",
    ),
    "NoExcessCredit": (
        *("ChannelsOweNothing", "ProcessesOweNothing", "StoresOweNothing"),
        *("NobodyIsOverpaid", "ReadersAreEven", "StoresAreEven"),
    ),
    "OverdraftIsBounded": (
        "ChannelsOweNothing",
        "CreditNeverNegative",
        "MirrorsCostTwo",
        "OverdrawnIsDeferred",
        "ReadersAreEven",
    ),
}
