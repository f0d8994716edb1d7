"""Lemmas of mirrored queues: each process hears of each message once, and all hear the same (D1.3).

A message is cast to all processes of a queue at once.  As long as one of them has not heard from
the master what became of it, nobody has, and nobody has touched it; when the master decides, all
hear.  If the master dies on the way, those left hear the same again: all of it, or nothing.
"""

from __future__ import annotations

from ackproof.spec.lang import assumption, lemma, restriction
from ackproof.spec.sorts import Born, Msg, Replica, Seen, Status, TxMode
from ackproof.spec.system import Confirms


@assumption
def EachQueueHasOneMaster(s: Confirms) -> bool:
    """No queue begins with two masters (D1.1)."""
    return all(
        x == r or s.replicas[x].born != Born.MASTER or s.replicas[r].born != Born.MASTER
        for r in Replica
        for x in s.siblings(r)
    )


@restriction
def MirrorsStay(s: Confirms) -> bool:
    """The mirrors of a queue are there from the start, and no partition divides them."""
    return all(
        x == r or (s.replicas[r].born != Born.LATER and s.replicas[r].node is None)
        for r in Replica
        for x in s.siblings(r)
    )


@lemma("EachQueueHasOneMaster", "MirrorsStay")
def OneLeads(s: Confirms) -> bool:
    """Two processes of a queue do not lead it (D1.4)."""
    return all(
        x == r or not s.replicas[x].leads() or not s.replicas[r].leads()
        for r in Replica
        for x in s.siblings(r)
    )


@lemma()
def EndedIsNotAsked(s: Confirms) -> bool:
    """Nothing is on its way to a process that has ended (A9)."""
    return all(
        m not in s.network.publishes[r] | s.replicas[r].direct
        and m not in s.network.coming(r) | s.network.removals[r]
        and s.replicas[r].seen[m] == Seen.ABSENT
        for r in Replica
        if s.replicas[r].status != Status.RUNNING
        for m in Msg
    )


@lemma()
def JoinedIsNoMaster(s: Confirms) -> bool:
    """A process that joins was not there from the start (D1.2)."""
    return all(s.replicas[r].born != Born.MASTER for r in Replica if s.replicas[r].joined)


@lemma("JoinedIsNoMaster")
def LeaderIsToldNothing(s: Confirms) -> bool:
    """Nobody tells a master what became of a message, and it waits for no such thing (D1.1)."""
    return all(
        m not in s.replicas[r].direct | s.network.coming(r) | s.network.removals[r]
        for r in Replica
        if s.replicas[r].led()
        for m in Msg
    )


@lemma()
def MirrorHandsNothingOut(s: Confirms) -> bool:
    """No consumer has anything from a mirror (D1.1)."""
    return all(not s.replicas[r].pending for r in Replica if not s.replicas[r].led())


@lemma("MirrorsStay")
def NothingIsMissed(s: Confirms) -> bool:
    """Whoever is there from the start has missed nothing (D1.2)."""
    return all(not s.network.missed[r] or s.replicas[r].born == Born.LATER for r in Replica)


@lemma()
def RunningIsListed(s: Confirms) -> bool:
    """A process that runs was not taken out of the record (D5.2)."""
    return all(s.replicas[r].status != Status.RUNNING for r in s.trimmed)


@lemma("ConfirmXorTransaction")
def BatchIsOpen(s: Confirms) -> bool:
    """Only a transaction that is open holds anything back (A13.1)."""
    return s.transaction.mode == TxMode.OPEN or not s.transaction.batch


@lemma("BatchIsNumbered", "BatchIsOpen", "ConfirmXorTransaction", "NumberedInFlight")
def BatchIsLatest(s: Confirms) -> bool:
    """What a transaction holds back is later than all that is under way (A13.1)."""
    return all(
        k < m
        for m in s.transaction.batch
        for r in Replica
        for k in s.network.publishes[r] | s.network.coming(r) | s.replicas[r].direct
    )


@lemma("BatchIsLatest", "NumberedInFlight", "BatchIsNumbered")
def DirectIsEarlier(s: Confirms) -> bool:
    """What came to a mirror from the channel is earlier than what is still to come (O2)."""
    return all(k < m for r in Replica for k in s.replicas[r].direct for m in s.network.publishes[r])


@lemma("BatchIsNumbered", "NumberedInFlight")
def DirectIsUnheard(s: Confirms) -> bool:
    """What came to a mirror from the channel only comes once, and its fate is not known (D4.1)."""
    return all(
        s.replicas[r].seen[m] == Seen.ABSENT and m not in s.network.publishes[r]
        for r in Replica
        for m in s.replicas[r].direct
    )


@lemma("BatchIsNumbered", "DirectIsUnheard", "NumberedInFlight")
def CalledIsNotAsked(s: Confirms) -> bool:
    """What a mirror has called for comes from the channel no more (D4.2)."""
    return all(
        m not in s.network.publishes[r]
        for r in Replica
        for m in Msg
        if s.replicas[r].seen[m] == Seen.CALLED
    )


LED = ("EndedIsNotAsked", "LeaderIsToldNothing", "MirrorsStay", "OneLeads")
CALLS = ("CalledIsNotAsked", "DirectIsUnheard")
FIRST = ("DirectIsEarlier", "DirectIsUnheard")
LEFT = ("EndedIsNotAsked", "MirrorsStay", "NothingIsMissed", "OneLeads")


@lemma(
    estrange=("MirrorsStay",),
    crash_machine=("EndedIsNotAsked",),
    crash_node=("EndedIsNotAsked",),
    delete_queue=("EndedIsNotAsked",),
    publish=("NumberedInFlight",),
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
        m not in s.network.coming(x) and s.replicas[x].seen[m] == Seen.ABSENT
        for m in Msg
        for y in Replica
        if m in s.network.publishes[y] | s.replicas[y].direct
        if m not in s.network.coming(y) and s.replicas[y].seen[m] == Seen.ABSENT
        for x in s.siblings(y)
    )


@lemma(
    publish=("NumberedInFlight", "RunningIsListed", "MirrorsStay"),
    publish_plain=("NumberedInFlight", "RunningIsListed", "MirrorsStay"),
    tx_commit=("BatchIsNumbered", "RunningIsListed", "MirrorsStay"),
    drain=CALLS,
    promote=CALLS,
    restart=("EndedIsNotAsked", "MirrorsStay"),
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
        m in s.network.publishes[x] | s.replicas[x].direct
        for m in Msg
        for y in Replica
        if m in s.network.publishes[y] | s.replicas[y].direct
        if m not in s.network.coming(y) and s.replicas[y].seen[m] == Seen.ABSENT
        for x in s.siblings(y)
        if s.replicas[x].status == Status.RUNNING
        if s.channel.open
    )


@lemma(
    publish=("NumberedInFlight",),
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
        m in s.network.publishes[x] | s.replicas[x].direct
        for m in Msg
        for y in Replica
        if m in s.network.publishes[y] | s.replicas[y].direct
        for x in s.siblings(y)
        if m in s.network.coming(x)
        if s.channel.open
    )


@lemma(
    publish=("NumberedInFlight", "RunningIsListed", "MirrorsStay", "AskedTogether"),
    publish_plain=("NumberedInFlight", "RunningIsListed", "MirrorsStay", "AskedTogether"),
    tx_commit=("BatchIsNumbered", "RunningIsListed", "MirrorsStay", "AskedTogether"),
    drain=CALLS,
    promote=CALLS,
    restart=("EndedIsNotAsked", "MirrorsStay"),
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
        m in s.network.publishes[x] | s.replicas[x].direct
        for m in Msg
        for y in Replica
        if m in s.network.publishes[y] | s.replicas[y].direct
        if m not in s.network.coming(y) and s.replicas[y].seen[m] == Seen.ABSENT
        for x in s.siblings(y)
        if s.replicas[x].status == Status.RUNNING
        for k in s.network.publishes[x] | s.replicas[x].direct
    )


@lemma(
    publish=(
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
        m in s.network.publishes[x] | s.replicas[x].direct
        for m in Msg
        for y in Replica
        if m in s.network.publishes[y] | s.replicas[y].direct
        for x in s.siblings(y)
        if m in s.network.coming(x)
        for k in s.network.publishes[x] | s.replicas[x].direct
    )


@lemma(
    delete_queue=("EndedIsNotAsked",),
    deliver_to_mirror=("DirectIsUnheard",),
    estrange=("MirrorsStay",),
    publish=("NumberedInFlight",),
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
        if m in s.network.publishes[y] | s.replicas[y].direct
        if m not in s.network.coming(y) and s.replicas[y].seen[m] == Seen.ABSENT
        for x in s.siblings(y)
        for k in s.network.coming(x)
    )


@lemma(
    estrange=("MirrorsStay",),
    deliver=(*LED, "UntoldIsLater"),
    pass_by=(*LED, "UntoldIsLater"),
    hand_on=(*LED, "UntoldIsLater"),
    crash_queue=LEFT,
    lose_node=LEFT,
)
def CopiesComeInOrder(s: Confirms) -> bool:
    """What one mirror has still to hear, and another one has heard, comes first (D1.3)."""
    return all(
        k < m
        for y in Replica
        for x in s.siblings(y)
        for k in s.network.coming(x) - s.network.coming(y)
        for m in s.network.coming(y)
    )


@lemma("DirectIsUnheard", "CalledIsNotAsked", "LeaderIsToldNothing", "UntoldIsUnheard")
def ToldIsNew(s: Confirms) -> bool:
    """What a mirror is being told of it has not heard of (D1.3)."""
    return all(s.replicas[r].seen[m] == Seen.ABSENT for r in Replica for m in s.network.coming(r))
