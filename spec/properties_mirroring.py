"""Mirrors: who answers for what, and what a mirror remembers of a message.

A mirror is told of a message twice, by its channel and by its master, and the two come in any order
(D3, D4).  What it has of the one it keeps until the other comes, and it answers the channel when it
has both.  So it may answer what nobody has asked it, and it may keep what nobody will ever ask for;
neither is to be seen at once.
"""

from __future__ import annotations

from ackproof.lang import eventually, invariant, reachable
from ackproof.spec.sorts import Born, Msg, Replica, Seen, Status
from ackproof.spec.system import Confirms


@invariant
def OnlyWhoIsAskedAnswers(s: Confirms) -> bool:
    """A process of a mirrored queue answers only for what it was sent (D4.8, INV-D3).

    A mirror that joined later gets messages from its master that no channel has sent to it, and
    would be believed.  After a partition it may have been given up meanwhile.
    """
    return s.cluster.parted or all(
        r in s.owing[m] or not s.channels[Msg.owner(m)].open
        for r in Replica
        if s.mirrored(r)
        for m in s.replicas[r].outbox | s.replicas[r].refused
    )


@invariant
def RememberedIsToCome(s: Confirms) -> bool:
    """What a mirror was told by its master, and not by the channel, the channel has sent (D4.6).

    Nothing else has the mirror forget it, before the channel ends; so its memory would grow for as
    long as that lives.  A mirror that joined later, or was cut off, gets no copy of some messages.
    """
    return s.cluster.parted or all(
        m in s.in_flight(r) or not s.channels[Msg.owner(m)].open
        for r in Replica
        if s.replicas[r].born == Born.MIRROR and s.replicas[r].status == Status.RUNNING
        for m in s.replicas[r].seen
        if s.replicas[r].seen[m] != Seen.CALLED
    )


@eventually
def EndedChannelsAreForgotten(s: Confirms) -> bool:
    """A mirror forgets in the end what it has of a channel that is gone (D4.16-D4.18).

    Channels come and go, and a mirror may live for years.
    """
    return not any(
        not s.channels[Msg.owner(m)].open
        for r in Replica
        if s.replicas[r].mirrors()
        for m in s.replicas[r].direct | set(s.replicas[r].seen)
    )


@reachable
def MirrorsGoWithTheirQueue(before: Confirms, after: Confirms) -> bool:
    """A queue is deleted that has a mirror (D8 L8)."""
    return any(
        before.replicas[r].mirrors() and after.replicas[r].status == Status.DELETED for r in Replica
    )
