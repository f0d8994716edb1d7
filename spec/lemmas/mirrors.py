"""Lemmas of mirrors: who leads, who follows, and who is asked by the channel (D1).

One process of a queue leads it, and nobody tells it anything.  A mirror gets what the channel sends
in order, and waits for the master's word on each message.  The lemmas of the files after this one
are pairwise, of processes of one queue; what most of their steps take is gathered here.
"""

from __future__ import annotations

from ackproof.lang import assumption, lemma, restriction
from ackproof.spec.sorts import Born, ChannelId, Msg, Replica, Seen, Status, TxMode
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


@lemma("EachQueueHasOneMaster", "MirrorsStay", "QueuesBeginAsOne")
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
        m not in s.casts[Msg.owner(m)].publishes[r] | s.replicas[r].direct
        and m not in s.multicast.coming(r) | s.multicast.removals[r]
        and s.replicas[r].seen[m] == Seen.ABSENT
        for r in Replica
        if s.replicas[r].status != Status.RUNNING
        for m in Msg
    )


@lemma()
def JoinedIsNoMaster(s: Confirms) -> bool:
    """A process that joins was not there from the start (D1.2)."""
    return all(s.replicas[r].born != Born.MASTER for r in Replica if s.replicas[r].joined)


@lemma("JoinedIsNoMaster", "MasterIsNoMirror")
def LeaderIsToldNothing(s: Confirms) -> bool:
    """Nobody tells a master what became of a message, and it waits for no such thing (D1.1)."""
    return all(
        m not in s.replicas[r].direct | s.multicast.coming(r) | s.multicast.removals[r]
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
    return all(not s.multicast.missed[r] or s.replicas[r].born == Born.LATER for r in Replica)


@lemma("ConfirmXorTransaction")
def BatchIsOpen(s: Confirms) -> bool:
    """Only a transaction that is open holds anything back (A13.1)."""
    return all(
        s.transactions[c].mode == TxMode.OPEN or not s.transactions[c].batch for c in ChannelId
    )


@lemma(
    "BatchBelongs", "BatchIsNumbered", "BatchIsOpen", "ConfirmXorTransaction", "NumberedInFlight"
)
def BatchIsLatest(s: Confirms) -> bool:
    """What a transaction holds back is later than all that is under way (A13.1)."""
    return all(
        k < m
        for c in ChannelId
        for m in s.transactions[c].batch
        for r in Replica
        for k in s.casts[Msg.owner(m)].publishes[r] | s.multicast.coming(r) | s.replicas[r].direct
        if Msg.owner(k) == Msg.owner(m)
    )


@lemma("BatchIsLatest", "NumberedInFlight", "BatchIsNumbered")
def DirectIsEarlier(s: Confirms) -> bool:
    """What came to a mirror from the channel is earlier than what is still to come (O2)."""
    return all(
        k < m
        for r in Replica
        for k in s.replicas[r].direct
        for m in s.casts[Msg.owner(k)].publishes[r]
        if Msg.owner(m) == Msg.owner(k)
    )


@lemma("BatchIsNumbered", "NumberedInFlight")
def DirectIsUnheard(s: Confirms) -> bool:
    """What came to a mirror from the channel only comes once, and its fate is not known (D4.1)."""
    return all(
        s.replicas[r].seen[m] == Seen.ABSENT and m not in s.casts[Msg.owner(m)].publishes[r]
        for r in Replica
        for m in s.replicas[r].direct
    )


@lemma("BatchIsNumbered", "DirectIsUnheard", "NumberedInFlight")
def CalledIsNotAsked(s: Confirms) -> bool:
    """What a mirror has called for comes from the channel no more (D4.2)."""
    return all(
        m not in s.casts[Msg.owner(m)].publishes[r]
        for r in Replica
        for m in Msg
        if s.replicas[r].seen[m] == Seen.CALLED
    )


#: What it takes to know that whom a master tells is everybody else of its queue.
LED = ("EndedIsNotAsked", "LeaderIsToldNothing", "MirrorsStay", "OneLeads", "QueuesBeginAsOne")

#: What it takes to know that what a mirror has called for, or has in `direct`, comes no more.
CALLS = ("CalledIsNotAsked", "DirectIsUnheard")

#: What it takes to know that the first of `direct` is what a master tells of next.
FIRST = ("AheadIsTold", "AheadOfEarlierIsAheadOfLater", "DirectIsEarlier", "DirectIsUnheard")

#: What it takes to know which of the messages that mirrors are told of come first.
ORDER = ("AheadIsTold", "AheadOfEarlierIsAheadOfLater", "MirrorsLearnInOneOrder", "OneOfTwoIsAhead")

#: What it takes to know that those who are left by a dead master are all that run of its queue.
LEFT = ("EndedIsNotAsked", "MirrorsStay", "NothingIsMissed", "OneLeads", "QueuesBeginAsOne")
