"""Lemmas of newness: what is published now, nobody has heard of; what arrives, has not been there.

Each message is published once, and so a process that the channel casts it to has nothing of it
before, in memory or on disk.
"""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.lemmas.asking import below_next
from ackproof.spec.sorts import Born, ChannelId, Level, Msg, Replica, Seen
from ackproof.spec.system import Confirms


@lemma("BatchIsNew", "BatchIsNumbered", "NumberedInFlight")
def NumberedInStore(s: Confirms) -> bool:
    """What a process has, or had, has a smaller number than what comes next (A4.1)."""
    return all(
        below_next(s, m)
        for r in Replica
        for m in Msg
        if m in s.replicas[r].holds() | s.replicas[r].store.leaving
        or m in s.replicas[r].store.unconfirmed | s.replicas[r].store.confirmed
        or s.replicas[r].store.level[m] != Level.ABSENT
    )


@lemma("BatchIsNumbered", "BatchIsUnheld", "NumberedInFlight")
def NumberedInGhosts(s: Confirms) -> bool:
    """Nobody has answered for a message that is still to be published (A4.1)."""
    return all(below_next(s, m) for m in Msg if s.vouchers[m] or s.holders[m])


@lemma("BatchBelongs", "BatchIsNumbered", "NumberedInGhosts")
def BatchIsUnheld(s: Confirms) -> bool:
    """What a transaction holds back nobody has answered for, and it is in no queue (A13.1)."""
    return all(
        not s.vouchers[m] and not s.holders[m] for c in ChannelId for m in s.transactions[c].batch
    )


@lemma("BatchIsNumbered", "NumberedInFlight", "NumberedInStore")
def BatchIsNew(s: Confirms) -> bool:
    """What a transaction holds back no process has ever had (A4.4, A13.1)."""
    return all(
        m not in s.replicas[r].holds() | s.replicas[r].store.leaving
        and m not in s.replicas[r].store.unconfirmed | s.replicas[r].store.confirmed
        and s.replicas[r].store.level[m] == Level.ABSENT
        for r in Replica
        for m in Msg
        if m in s.transactions[Msg.owner(m)].batch
    )


@lemma()
def MasterIsNoMirror(s: Confirms) -> bool:
    """A process that is born as a master follows no other one (D1.1)."""
    return all(
        s.replicas[r].seen[m] == Seen.ABSENT
        and m not in s.replicas[r].direct | s.multicast.coming(r) | s.multicast.removals[r]
        and not s.replicas[r].joined
        and not s.replicas[r].promoted
        for r in Replica
        if s.replicas[r].born == Born.MASTER
        for m in Msg
    )
