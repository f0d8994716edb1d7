"""Lemmas of hearing: each process hears of each message once, and all hear the same (D1.3).

A message is cast at once to all processes of a queue that are in its record.  Those who joined
later are the younger ones, so whoever is older than one that was asked was asked, too.  As long as
one of them has not heard from the master what became of a message, nobody has; when the master
decides, all hear.  If the master dies on the way, or is given up, those left hear the same again:
all of it up to some message, and nothing beyond.
"""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.lemmas.mirrors import (
    ARRIVES,
    CALLS,
    ENDS,
    FIRST,
    HEALED,
    LED,
    LEFT,
    LINE,
    LINED,
    ORDER,
    PUBLISHES,
    STOPS,
    asked,
    at,
    in_line,
    untold,
)
from ackproof.spec.sorts import Born, Msg, Replica, Seen
from ackproof.spec.system import Confirms

#: What it takes to know that who is older than one that is in the record is there, too.
_LISTED = ("AgeIsOrder", "OlderAreListed", "RunningIsListed")


@lemma(
    **LINED,
    restart=LINE,
    heal=HEALED,
    **at(STOPS, "EndedIsNotAsked"),
    **at(PUBLISHES, "NumberedInFlight"),
    tx_commit=("BatchIsNumbered",),
    drain=CALLS,
    promote=CALLS,
    **at(ARRIVES, *LED),
    deliver_to_mirror=CALLS,
    master_tells=(*FIRST, "UntoldIsLater"),
    **at(ENDS, *LEFT, *ORDER, "ToldIsNew", "CopiesComeInOrder"),
)
def UntoldIsUnheard(s: Confirms) -> bool:
    """As long as one that was asked has not heard what became of a message, nobody has (D1.3)."""
    return all(
        m not in s.multicast.coming(x) and s.replicas[x].seen[m] == Seen.ABSENT
        for m in Msg
        for y in Replica
        if untold(s, m, y)
        if in_line(s, y)
        for x in s.siblings(y)
        if s.knows(x, y)
    )


@lemma(
    **LINED,
    **at(PUBLISHES, *_LISTED, "NumberedInFlight"),
    tx_commit=(*_LISTED, "BatchIsNumbered"),
    drain=CALLS,
    promote=CALLS,
    restart=LINE,
    deliver=(*LED, "UntoldIsUnheard"),
    pass_by=LED,
    hand_on=LED,
    deliver_to_mirror=("DirectIsUnheard", "UntoldIsUnheard"),
    master_tells=(*FIRST, "UntoldIsLater", "UntoldIsUnheard"),
    notice=(*LED, "GivenUpIsNotAsked"),
    heal=HEALED,
    delete_queue=("EndedIsNotAsked",),
    **at(ENDS, *LEFT, "AskedIsNotMissed", "BornIsNotMissed", "ToldTogether"),
)
def AskedTogether(s: Confirms) -> bool:
    """Then it is on its way to all that are older, while the channel is open (A5.6)."""
    return all(
        asked(s, m, x)
        for m in Msg
        for y in Replica
        if untold(s, m, y)
        if in_line(s, y)
        for x in s.siblings(y)
        if (x <= y or s.replicas[x].born != Born.LATER) and s.knows(x, y)
        if not s.given_up(x)
        if s.runs(x)
        if s.channels[Msg.owner(m)].open
    )


@lemma(
    **LINED,
    restart=LINE,
    **at(PUBLISHES, "NumberedInFlight"),
    tx_commit=("BatchIsNumbered",),
    **at(ARRIVES, "AskedTogether", *LED, "JoinedIsNoMaster", "UntoldIsUnheard"),
    deliver_to_mirror=("ToldIsNew",),
    notice=(*LED, "GivenUpIsNotAsked"),
    estrange=LEFT,
    heal=HEALED,
    delete_queue=("EndedIsNotAsked",),
)
def ToldTogether(s: Confirms) -> bool:
    """So is what its mirrors are being told of (D3)."""
    return all(
        asked(s, m, x)
        for m in Msg
        for y in Replica
        if asked(s, m, y)
        if in_line(s, y)
        for x in s.siblings(y)
        if (x <= y or s.replicas[x].born != Born.LATER) and s.knows(x, y)
        if not s.given_up(x)
        if m in s.multicast.coming(x)
        if s.channels[Msg.owner(m)].open
    )


@lemma(
    **LINED,
    **at(PUBLISHES, *_LISTED, "NumberedInFlight", "AskedTogether", "GivenUpIsNotAsked"),
    tx_commit=(*_LISTED, "BatchIsNumbered", "AskedTogether", "GivenUpIsNotAsked"),
    drain=CALLS,
    promote=CALLS,
    restart=LINE,
    deliver=(*LED, "UntoldIsUnheard"),
    pass_by=LED,
    hand_on=LED,
    deliver_to_mirror=("DirectIsUnheard", "UntoldIsUnheard"),
    master_tells=(*FIRST, "UntoldIsLater", "UntoldIsUnheard"),
    notice=(*LED, "GivenUpIsNotAsked"),
    heal=HEALED,
    delete_queue=("EndedIsNotAsked",),
    **at(ENDS, *LEFT, "AskedIsNotMissed", "BornIsNotMissed", "ToldIsLeftTogether"),
)
def LeftTogether(s: Confirms) -> bool:
    """When the channel has gone, some of them have forgotten all of it (D4.18)."""
    return all(
        asked(s, m, x)
        for m in Msg
        for y in Replica
        if untold(s, m, y)
        if in_line(s, y)
        for x in s.siblings(y)
        if (x <= y or s.replicas[x].born != Born.LATER) and s.knows(x, y)
        if s.runs(x)
        if any(asked(s, k, x) for k in Msg if Msg.owner(k) == Msg.owner(m))
    )


@lemma(
    **LINED,
    restart=LINE,
    **at(PUBLISHES, "NumberedInFlight", "ToldTogether"),
    tx_commit=("BatchIsNumbered", "ToldTogether"),
    **at(ARRIVES, "LeftTogether", *LED, "JoinedIsNoMaster", "UntoldIsUnheard"),
    deliver_to_mirror=("ToldIsNew",),
    notice=(*LED, "GivenUpIsNotAsked"),
    estrange=LEFT,
    heal=HEALED,
    delete_queue=("EndedIsNotAsked",),
)
def ToldIsLeftTogether(s: Confirms) -> bool:
    """The same, for what its mirrors are being told of (D4.18)."""
    return all(
        asked(s, m, x)
        for m in Msg
        for y in Replica
        if asked(s, m, y)
        if in_line(s, y)
        for x in s.siblings(y)
        if (x <= y or s.replicas[x].born != Born.LATER) and s.knows(x, y)
        if m in s.multicast.coming(x)
        if any(asked(s, k, x) for k in Msg if Msg.owner(k) == Msg.owner(m))
    )


@lemma(
    **LINED,
    restart=LINE,
    delete_queue=("EndedIsNotAsked",),
    deliver_to_mirror=("DirectIsUnheard",),
    heal=HEALED,
    **at(PUBLISHES, "NumberedInFlight"),
    tx_commit=("BatchIsLatest",),
    drain=CALLS,
    promote=CALLS,
    notice=(*LED, "GivenUpIsNotAsked"),
    **at(ARRIVES, *LED, "LeftTogether"),
    master_tells=FIRST,
    **at(
        ENDS,
        *("AheadOfEarlierIsAheadOfLater", "MirrorsLearnInOneOrder", "OneOfTwoIsAhead"),
        *("AskedIsThere", "CopiesComeInOrder", "LeaderIsToldNothing"),
    ),
)
def UntoldIsLater(s: Confirms) -> bool:
    """What nobody has heard of is later than what anybody is being told of (D1.4)."""
    return all(
        k < m
        for m in Msg
        for y in Replica
        if untold(s, m, y)
        if in_line(s, y)
        for x in s.siblings(y)
        if s.knows(x, y)
        for k in s.multicast.coming(x)
        if Msg.owner(k) == Msg.owner(m)
    )


@lemma()
def AheadIsTold(s: Confirms) -> bool:
    """Only what is on its way from the master has a place, behind what is on its way (D2.1)."""
    return all(
        m in s.multicast.coming(r) and k in s.multicast.coming(r) and Msg.owner(k) != Msg.owner(m)
        for r in Replica
        for m in Msg
        for k in s.multicast.order[r].ahead[m]
    )


_TELLS = at(ARRIVES, *LED, "UntoldIsUnheard")


@lemma("AheadIsTold", **_TELLS)
def OneOfTwoIsAhead(s: Confirms) -> bool:
    """Of two messages of different channels a mirror learns of one before the other (D1.3)."""
    return all(
        (k in s.multicast.order[r].ahead[m]) != (m in s.multicast.order[r].ahead[k])
        for r in Replica
        for m in s.multicast.coming(r)
        for k in s.multicast.coming(r)
        if Msg.owner(k) != Msg.owner(m)
    )


@lemma(**at(ARRIVES, *LED, "AheadIsTold", "UntoldIsUnheard", "UntoldIsLater"))
def AheadOfEarlierIsAheadOfLater(s: Confirms) -> bool:
    """What comes before a message of another channel comes before that channel's later ones."""
    return all(
        m not in s.multicast.coming(r) or j in s.multicast.order[r].ahead[m]
        for r in Replica
        for k in Msg
        for j in s.multicast.order[r].ahead[k]
        for m in Msg
        if Msg.owner(m) == Msg.owner(k) and k < m
    )


@lemma("AheadIsTold", **_TELLS, heal=HEALED)
def MirrorsLearnInOneOrder(s: Confirms) -> bool:
    """All mirrors of a queue are told in the same order (D1.3)."""
    return all(
        m not in s.multicast.coming(x)
        or k not in s.multicast.coming(x)
        or k in s.multicast.order[x].ahead[m]
        for y in Replica
        for m in s.multicast.coming(y)
        for k in s.multicast.order[y].ahead[m]
        for x in s.siblings(y)
        if s.knows(x, y)
    )


@lemma(
    heal=HEALED,
    **at(ARRIVES, *LED, "AheadIsTold", "UntoldIsLater", "UntoldIsUnheard"),
    master_tells=ORDER,
    **at(ENDS, *LEFT, *ORDER),
)
def CopiesComeInOrder(s: Confirms) -> bool:
    """What one mirror has still to hear, and another one has heard, comes first (D1.3)."""
    return all(
        not s.multicast.order[x].before(m, k)
        for y in Replica
        for x in s.siblings(y)
        if s.knows(x, y)
        for k in s.multicast.coming(x) - s.multicast.coming(y)
        for m in s.multicast.coming(y)
    )


@lemma(*LINE, "DirectIsUnheard", "CalledIsNotAsked", "LeaderIsToldNothing", "UntoldIsUnheard")
def ToldIsNew(s: Confirms) -> bool:
    """What a mirror is being told of it has not heard of (D1.3)."""
    return all(s.replicas[r].seen[m] == Seen.ABSENT for r in Replica for m in s.multicast.coming(r))
