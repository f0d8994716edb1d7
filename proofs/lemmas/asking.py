"""Lemmas about asking: a process answers what it was asked, and nothing else, and once.

A message goes through a process in phases: it is on its way from the channel, waits for the
master's copy, waits for the disk, or its answer is on the way back.  In each of them the process
has been asked and has not answered; it is in one at a time.
"""

from __future__ import annotations

from ackproof.spec.lang import lemma
from ackproof.spec.sorts import Msg, Replica, Seen
from ackproof.spec.system import Confirms


@lemma("BatchIsNumbered")
def NumberedInFlight(s: Confirms) -> bool:
    """What is under way, or known to a process, has a number below the next one (A4.1)."""
    tag = s.channel.next_seq
    return all(
        tag is None or m < tag
        for r in Replica
        for m in s.network.publishes[r] | s.network.coming(r) | s.replicas[r].owes()
    ) and all(
        tag is None or m < tag for r in Replica for m in Msg if s.replicas[r].seen[m] != Seen.ABSENT
    )


@lemma("NumberedInFlight")
def BatchIsNumbered(s: Confirms) -> bool:
    """So has what a transaction holds back, which nobody else has (A4.4, A13.1)."""
    tag = s.channel.next_seq
    return all(
        (tag is None or m < tag)
        and all(
            m not in s.network.publishes[r] | s.network.coming(r) | s.replicas[r].owes()
            and s.replicas[r].seen[m] == Seen.ABSENT
            for r in Replica
        )
        for m in s.transaction.batch
    )


@lemma("BatchIsNumbered", "NumberedInFlight")
def OnePhaseAtATime(s: Confirms) -> bool:
    """A message is in one phase at a process."""
    return all(
        not s.network.publishes[r] & (s.replicas[r].direct | s.replicas[r].awaiting)
        and not s.network.publishes[r] & (s.replicas[r].outbox | s.replicas[r].refused)
        and not s.replicas[r].direct & (s.replicas[r].awaiting | s.replicas[r].outbox)
        and not s.replicas[r].direct & s.replicas[r].refused
        and not s.replicas[r].awaiting & (s.replicas[r].outbox | s.replicas[r].refused)
        and not s.replicas[r].outbox & s.replicas[r].refused
        and all(
            s.replicas[r].seen[m] != Seen.CALLED
            or m
            not in s.network.publishes[r]
            | s.replicas[r].direct
            | s.replicas[r].awaiting
            | s.replicas[r].outbox
            | s.replicas[r].refused
            for m in Msg
        )
        for r in Replica
    )
