"""Lemmas of hearing: each process hears of each message once, and all hear the same (D1.3).

A message is cast to all processes of a queue at once.  As long as one of them has not heard from
the master what became of it, nobody has; when the master decides, all hear.  If the master dies on
the way, those left hear the same again: all of it up to some message, and nothing beyond.
"""

from __future__ import annotations

from typing import Any

from ackproof.lang import lemma
from ackproof.spec.lemmas.mirrors import CALLS, FIRST, LED, LEFT, ORDER
from ackproof.spec.sorts import Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms


@lemma(
    estrange=("MirrorsStay",),
    crash_machine=("EndedIsNotAsked",),
    crash_node=("EndedIsNotAsked",),
    delete_queue=("EndedIsNotAsked",),
    publish=("NumberedInFlight",),
    publish_again=("NumberedInFlight",),
    publish_plain=("NumberedInFlight",),
    tx_commit=("BatchIsNumbered",),
    drain=CALLS,
    promote=CALLS,
    deliver=LED,
    pass_by=LED,
    hand_on=LED,
    deliver_to_mirror=CALLS,
    master_tells=(*FIRST, "UntoldIsLater"),
    crash_queue=(*LEFT, "ToldIsNew", "CopiesComeInOrder"),
    lose_node=(*LEFT, "ToldIsNew", "CopiesComeInOrder"),
)
def UntoldIsUnheard(s: Confirms) -> bool:
    """As long as one process has not heard what became of a message, none of its queue has."""
    return all(
        m not in s.multicast.coming(x) and s.replicas[x].seen[m] == Seen.ABSENT
        for m in Msg
        for y in Replica
        if m in s.casts[Msg.owner(m)].publishes[y] | s.replicas[y].direct
        if m not in s.multicast.coming(y) and s.replicas[y].seen[m] == Seen.ABSENT
        for x in s.siblings(y)
    )


@lemma(
    publish=("NumberedInFlight", "RunningIsListed", "MirrorsStay"),
    publish_again=("NumberedInFlight", "RunningIsListed", "MirrorsStay"),
    publish_plain=("NumberedInFlight", "RunningIsListed", "MirrorsStay"),
    tx_commit=("BatchIsNumbered", "RunningIsListed", "MirrorsStay"),
    drain=CALLS,
    promote=CALLS,
    restart=("EndedIsNotAsked", "MirrorsStay", "QueuesBeginAsOne"),
    deliver=(*LED, "UntoldIsUnheard"),
    pass_by=LED,
    hand_on=LED,
    deliver_to_mirror=("DirectIsUnheard", "UntoldIsUnheard"),
    master_tells=(*FIRST, "UntoldIsLater", "UntoldIsUnheard"),
    notice=LED,
    estrange=("MirrorsStay",),
    delete_queue=("EndedIsNotAsked",),
    crash_queue=(*LEFT, "ToldTogether"),
    lose_node=(*LEFT, "ToldTogether"),
)
def AskedTogether(s: Confirms) -> bool:
    """Then it is on its way to all of them, while the channel is open (A5.6)."""
    return all(
        m in s.casts[Msg.owner(m)].publishes[x] | s.replicas[x].direct
        for m in Msg
        for y in Replica
        if m in s.casts[Msg.owner(m)].publishes[y] | s.replicas[y].direct
        if m not in s.multicast.coming(y) and s.replicas[y].seen[m] == Seen.ABSENT
        for x in s.siblings(y)
        if s.replicas[x].status == Status.RUNNING
        if s.channels[Msg.owner(m)].open
    )


@lemma(
    publish=("NumberedInFlight",),
    publish_again=("NumberedInFlight",),
    publish_plain=("NumberedInFlight",),
    tx_commit=("BatchIsNumbered",),
    deliver=("AskedTogether", "JoinedIsNoMaster", "LeaderIsToldNothing"),
    pass_by=("AskedTogether", "JoinedIsNoMaster", "LeaderIsToldNothing"),
    hand_on=("AskedTogether", "JoinedIsNoMaster", "LeaderIsToldNothing"),
    deliver_to_mirror=("ToldIsNew",),
    notice=LED,
    estrange=("MirrorsStay",),
    delete_queue=("EndedIsNotAsked",),
)
def ToldTogether(s: Confirms) -> bool:
    """So is what its mirrors are being told of (D3)."""
    return all(
        m in s.casts[Msg.owner(m)].publishes[x] | s.replicas[x].direct
        for m in Msg
        for y in Replica
        if m in s.casts[Msg.owner(m)].publishes[y] | s.replicas[y].direct
        for x in s.siblings(y)
        if m in s.multicast.coming(x)
        if s.channels[Msg.owner(m)].open
    )


@lemma(
    publish=("NumberedInFlight", "RunningIsListed", "MirrorsStay", "AskedTogether"),
    publish_again=("NumberedInFlight", "RunningIsListed", "MirrorsStay", "AskedTogether"),
    publish_plain=("NumberedInFlight", "RunningIsListed", "MirrorsStay", "AskedTogether"),
    tx_commit=("BatchIsNumbered", "RunningIsListed", "MirrorsStay", "AskedTogether"),
    drain=CALLS,
    promote=CALLS,
    restart=("EndedIsNotAsked", "MirrorsStay", "QueuesBeginAsOne"),
    deliver=(*LED, "UntoldIsUnheard"),
    pass_by=LED,
    hand_on=LED,
    deliver_to_mirror=("DirectIsUnheard", "UntoldIsUnheard"),
    master_tells=(*FIRST, "UntoldIsLater", "UntoldIsUnheard"),
    notice=LED,
    estrange=("MirrorsStay",),
    delete_queue=("EndedIsNotAsked",),
    crash_queue=(*LEFT, "ToldIsLeftTogether"),
    lose_node=(*LEFT, "ToldIsLeftTogether"),
)
def LeftTogether(s: Confirms) -> bool:
    """When the channel has gone, some of them have forgotten all of it (D4.18)."""
    return all(
        m in s.casts[Msg.owner(m)].publishes[x] | s.replicas[x].direct
        for m in Msg
        for y in Replica
        if m in s.casts[Msg.owner(m)].publishes[y] | s.replicas[y].direct
        if m not in s.multicast.coming(y) and s.replicas[y].seen[m] == Seen.ABSENT
        for x in s.siblings(y)
        if s.replicas[x].status == Status.RUNNING
        for k in s.casts[Msg.owner(m)].publishes[x] | s.replicas[x].direct
        if Msg.owner(k) == Msg.owner(m)
    )


@lemma(
    publish=(
        "NumberedInFlight",
        "ToldTogether",
    ),
    publish_again=(
        "NumberedInFlight",
        "ToldTogether",
    ),
    publish_plain=(
        "NumberedInFlight",
        "ToldTogether",
    ),
    tx_commit=(
        "BatchIsNumbered",
        "ToldTogether",
    ),
    deliver=("LeftTogether", "JoinedIsNoMaster", "LeaderIsToldNothing"),
    pass_by=("LeftTogether", "JoinedIsNoMaster", "LeaderIsToldNothing"),
    hand_on=("LeftTogether", "JoinedIsNoMaster", "LeaderIsToldNothing"),
    deliver_to_mirror=("ToldIsNew",),
    notice=LED,
    estrange=("MirrorsStay",),
    delete_queue=("EndedIsNotAsked",),
)
def ToldIsLeftTogether(s: Confirms) -> bool:
    """The same, for what its mirrors are being told of (D4.18)."""
    return all(
        m in s.casts[Msg.owner(m)].publishes[x] | s.replicas[x].direct
        for m in Msg
        for y in Replica
        if m in s.casts[Msg.owner(m)].publishes[y] | s.replicas[y].direct
        for x in s.siblings(y)
        if m in s.multicast.coming(x)
        for k in s.casts[Msg.owner(m)].publishes[x] | s.replicas[x].direct
        if Msg.owner(k) == Msg.owner(m)
    )


@lemma(
    delete_queue=("EndedIsNotAsked",),
    deliver_to_mirror=("DirectIsUnheard",),
    estrange=("MirrorsStay",),
    publish=("NumberedInFlight",),
    publish_again=("NumberedInFlight",),
    publish_plain=("NumberedInFlight",),
    tx_commit=("BatchIsLatest",),
    drain=CALLS,
    promote=CALLS,
    notice=LED,
    deliver=(*LED, "LeftTogether"),
    pass_by=(*LED, "LeftTogether"),
    hand_on=(*LED, "LeftTogether"),
    master_tells=FIRST,
    crash_queue=(*LEFT, "CopiesComeInOrder"),
    lose_node=(*LEFT, "CopiesComeInOrder"),
)
def UntoldIsLater(s: Confirms) -> bool:
    """What nobody has heard of is later than what anybody is being told of (D1.4)."""
    return all(
        k < m
        for m in Msg
        for y in Replica
        if m in s.casts[Msg.owner(m)].publishes[y] | s.replicas[y].direct
        if m not in s.multicast.coming(y) and s.replicas[y].seen[m] == Seen.ABSENT
        for x in s.siblings(y)
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


_TELLS: dict[str, Any] = {
    "deliver": (*LED, "UntoldIsUnheard"),
    "pass_by": (*LED, "UntoldIsUnheard"),
    "hand_on": (*LED, "UntoldIsUnheard"),
}


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


@lemma(
    deliver=(*LED, "AheadIsTold", "UntoldIsUnheard", "UntoldIsLater"),
    pass_by=(*LED, "AheadIsTold", "UntoldIsUnheard", "UntoldIsLater"),
    hand_on=(*LED, "AheadIsTold", "UntoldIsUnheard", "UntoldIsLater"),
)
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


@lemma("AheadIsTold", **_TELLS)
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
    )


@lemma(
    estrange=("MirrorsStay",),
    deliver=(*LED, "AheadIsTold", "UntoldIsLater", "UntoldIsUnheard"),
    pass_by=(*LED, "AheadIsTold", "UntoldIsLater", "UntoldIsUnheard"),
    hand_on=(*LED, "AheadIsTold", "UntoldIsLater", "UntoldIsUnheard"),
    master_tells=ORDER,
    crash_queue=LEFT,
    lose_node=LEFT,
)
def CopiesComeInOrder(s: Confirms) -> bool:
    """What one mirror has still to hear, and another one has heard, comes first (D1.3)."""
    return all(
        not s.multicast.order[x].before(m, k)
        for y in Replica
        for x in s.siblings(y)
        for k in s.multicast.coming(x) - s.multicast.coming(y)
        for m in s.multicast.coming(y)
    )


@lemma("DirectIsUnheard", "CalledIsNotAsked", "LeaderIsToldNothing", "UntoldIsUnheard")
def ToldIsNew(s: Confirms) -> bool:
    """What a mirror is being told of it has not heard of (D1.3)."""
    return all(s.replicas[r].seen[m] == Seen.ABSENT for r in Replica for m in s.multicast.coming(r))
