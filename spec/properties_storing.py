"""Shared bodies: several queues have a message, and one body of it (C1.2, C3.2).

That a message is confirmed only when entry and body are on the disk, and is there after a crash, is
`ConfirmedByStoreIsSafe`, `NoAckBeforeDurable` and `ConfirmedSurvives`: they speak of both parts.
Here is what queues that share a store must be able to count on.
"""

from __future__ import annotations

from ackproof.lang import invariant, reachable
from ackproof.spec.sorts import Level, Msg, Replica
from ackproof.spec.system import Confirms


@invariant
def UnstoredIsUnderWay(s: Confirms) -> bool:
    """What waits for its body in the shared store, the store will tell of it (C2.2, C3.2, G-B14).

    Its queue asks once, and waits as long as it lives.
    """
    return all(
        r in s.bodies.waiting[m]
        for r in Replica
        if s.replicas[r].store.apart
        for m in s.replicas[r].store.unconfirmed - s.replicas[r].store.stored
    )


@invariant
def EntriesHaveBodies(s: Confirms) -> bool:
    """A body is there as long as the index of some queue has the message (C5.1, INV-C1).

    Several queues may have it, and that one of them needs it no more is no word on the others.
    """
    return all(
        s.bodies.level[m] != Level.ABSENT
        for r in Replica
        if s.replicas[r].store.apart
        for m in set(s.replicas[r].store.level)
    )


@reachable
def EntryBeforeBody(s: Confirms) -> bool:
    """An entry is on the disk, and its message waits for its body (C2.4)."""
    return any(
        s.replicas[r].store.level[m] == Level.SYNCED
        and s.bodies.level[m] != Level.SYNCED
        and m in s.replicas[r].awaiting
        for r in Replica
        for m in s.replicas[r].store.unconfirmed
        if s.replicas[r].store.apart
    )


@reachable
def BodyBeforeEntry(s: Confirms) -> bool:
    """A body is on the disk, and its message waits for its entry (C2.2)."""
    return any(
        s.replicas[r].store.level[m] != Level.SYNCED
        for r in Replica
        for m in s.replicas[r].store.stored
    )


@reachable
def BodyIsThereAlready(before: Confirms, after: Confirms) -> bool:
    """A queue gets a message whose body is on the disk, and need not wait for that (C3.2)."""
    return any(
        m in after.replicas[r].store.stored and m not in before.replicas[r].store.unconfirmed
        for r in Replica
        for m in Msg
    )
