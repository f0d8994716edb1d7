"""Lemmas of flow: when a connection is read, and what its client is told of that (E1, E4)."""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.reader import ReaderState
from ackproof.spec.sorts import ChannelId
from ackproof.spec.system import Confirms


@lemma("StarvedIsBlocked")
def AlarmStopsReaders(s: Confirms) -> bool:
    """A connection is about to block while there is an alarm, and only then (E4.1)."""
    return all(
        (s.readers[c].state != ReaderState.RUNNING or not s.readers[c].alarmed)
        and (s.readers[c].state != ReaderState.BLOCKING or s.readers[c].alarmed)
        for c in ChannelId
    )


@lemma("CreditNeverNegative")
def StarvedIsBlocked(s: Confirms) -> bool:
    """A connection is read only while there is credit for what it may bring (E1.2, E4.1)."""
    return all(
        s.readers[c].state == ReaderState.BLOCKED or not s.reading[c].blocks() for c in ChannelId
    )


@lemma("AlarmStopsReaders", "ClientKnowsWhy")
def WarnedIsTold(s: Confirms) -> bool:
    """Whom a reader has told of an alarm knows of it, and nobody else (E4.3)."""
    return not s.misled and all(s.readers[c].told == (c in s.warned) for c in ChannelId)


#: What the properties of this group are proved with.
PROOFS = {
    "AlarmIsForAll": (),
    "AlarmSettlesNothingDifferently": (),
    "BlockedIsNotRead": (),
    "BlockedIsToldOnce": ("AlarmStopsReaders", "ClientKnowsWhy", "WarnedIsTold"),
    "BlockedStops": (),
    "ChannelsCloseAlone": (),
    "ClientKnowsWhy": ("AlarmStopsReaders", "WarnedIsTold"),
    "CreditNeverNegative": ("StarvedIsBlocked",),
    "EachPublishIsPaid": ("CouriersServePlainQueues",),
    "EachWriteIsPaid": (),
    "NobodyIsBlockedForNothing": ("AlarmStopsReaders",),
    "SelectsAlone": (),
    "UnblockedFollowsBlocked": ("WarnedIsTold",),
}
