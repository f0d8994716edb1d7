"""Lemmas about asking: a process answers what it was asked, and nothing else, and once.

A message goes through a process in phases: it is on its way from the channel, waits for the
master's copy, waits for the disk, or its answer is on the way back.  In each of them the process
has been asked and has not answered; it is in one at a time.
"""

from __future__ import annotations

from ackproof.lang import helper, lemma
from ackproof.spec.sorts import ChannelId, Msg, Replica, Seen
from ackproof.spec.system import Confirms


@helper
def below_next(s: Confirms, msg: Msg) -> bool:
    """Tell whether a message has a smaller number than what its channel numbers next (A4.1)."""
    tag = s.channels[Msg.owner(msg)].next_seq
    return tag is None or msg < tag


@lemma("BatchIsNumbered")
def NumberedInFlight(s: Confirms) -> bool:
    """What is under way, or known to a process, has a number below the next one (A4.1)."""
    return all(
        below_next(s, m)
        for r in Replica
        for m in Msg
        if m in s.casts[Msg.owner(m)].publishes[r]
        or m in s.multicast.coming(r) | s.replicas[r].owes()
        or s.replicas[r].seen[m] != Seen.ABSENT
    )


@lemma("BatchBelongs", "NumberedInFlight")
def BatchIsNumbered(s: Confirms) -> bool:
    """So has what a transaction holds back, which nobody else has (A4.4, A13.1)."""
    return all(
        below_next(s, m)
        and all(
            m not in s.casts[Msg.owner(m)].publishes[r]
            and m not in s.multicast.coming(r) | s.replicas[r].owes()
            and s.replicas[r].seen[m] == Seen.ABSENT
            for r in Replica
        )
        for c in ChannelId
        for m in s.transactions[c].batch
    )


@lemma("BatchIsNumbered", "NumberedInFlight")
def BatchIsUnanswered(s: Confirms) -> bool:
    """What a transaction holds back no process has to answer for, or is told of (A13.1)."""
    return all(
        m not in s.replicas[r].awaiting | s.replicas[r].outbox and m not in s.multicast.copies[r]
        for r in Replica
        for m in Msg
        if m in s.transactions[Msg.owner(m)].batch
    )


@lemma("BatchIsNumbered", publish_in_tx=("BatchBelongs", "NumberedInFlight"))
def BatchIsUnheard(s: Confirms) -> bool:
    """Of what a transaction holds back no mirror knows anything (A13.1).

    `BatchIsNumbered` says so among other things, which solvers then look into as well.
    """
    return all(
        s.replicas[r].seen[m] == Seen.ABSENT
        for c in ChannelId
        for m in s.transactions[c].batch
        for r in Replica
    )


@lemma("BatchIsNumbered", "NumberedInFlight")
def OnePhaseAtATime(s: Confirms) -> bool:
    """A message is in one phase at a process."""
    return all(
        (
            m not in s.casts[Msg.owner(m)].publishes[r]
            or (
                m not in s.replicas[r].direct | s.replicas[r].awaiting
                and m not in s.replicas[r].outbox | s.replicas[r].refused
            )
        )
        and (
            m not in s.replicas[r].direct
            or m not in s.replicas[r].awaiting | s.replicas[r].outbox | s.replicas[r].refused
        )
        and (
            m not in s.replicas[r].awaiting or m not in s.replicas[r].outbox | s.replicas[r].refused
        )
        and (m not in s.replicas[r].outbox or m not in s.replicas[r].refused)
        and (
            s.replicas[r].seen[m] != Seen.CALLED
            or (
                m not in s.casts[Msg.owner(m)].publishes[r]
                and m not in s.replicas[r].direct | s.replicas[r].awaiting
                and m not in s.replicas[r].outbox | s.replicas[r].refused
            )
        )
        for r in Replica
        for m in Msg
    )


#: What the properties of this group are proved with.
PROOFS = {
    "SomebodyOwesAnAnswer": (
        "BatchBelongs",
        "CalledIsNotAsked",
        "ClosedIsEmpty",
        "DeadIsNotAwaited",
        "EndedAwaitsNothing",
        "EndedIsNotAsked",
        "ToldIsNew",
        "UnconfirmedLeavesNoTrace",
        "WaitingBelongs",
    ),
}
