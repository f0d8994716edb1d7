"""Lemmas of belonging: what a channel has to do with is its own (A4.3).

A message is numbered by its channel, and each of the channel's tables is of its messages only.  So
what is known of a message is known in one place: of the channel that it belongs to.
"""

from __future__ import annotations

from ackproof.lang import Option, helper, lemma
from ackproof.spec.sorts import ChannelId, Msg, Replica
from ackproof.spec.system import Confirms


@helper
def belongs(s: Confirms, msg: Option[Msg], channel: ChannelId) -> bool:
    """Tell whether a message, if there is one, is of a channel (A4.3)."""
    return msg is None or Msg.owner(msg) == channel


@lemma()
def NextBelongs(s: Confirms) -> bool:
    """What a channel, or its client, numbers next is the channel's own (A4.3)."""
    return all(
        belongs(s, s.channels[c].next_seq, c) and belongs(s, s.publishers[c].next_tag, c)
        for c in ChannelId
    )


@lemma()
def BatchBelongs(s: Confirms) -> bool:
    """What a transaction holds back was published on its channel (A13.1)."""
    return all(Msg.owner(m) == c for c in ChannelId for m in s.transactions[c].batch)


@lemma("NextBelongs")
def SentBelongs(s: Confirms) -> bool:
    """What a publisher has sent is of its channel (A4.3)."""
    return all(Msg.owner(m) == c for c in ChannelId for m in s.publishers[c].sent)


@lemma("BatchBelongs", "NextBelongs")
def WaitingBelongs(s: Confirms) -> bool:
    """What a channel waits for, or has to tell, was published on it (A4.3)."""
    return all(
        Msg.owner(m) == c
        for c in ChannelId
        for m in Msg
        if s.channels[c].unconfirmed[m] or m in s.channels[c].confirmed | s.channels[c].rejected
    )


@lemma("BatchBelongs", "NextBelongs")
def CastsBelong(s: Confirms) -> bool:
    """What is on its way from a channel was published on it (A4.3)."""
    return all(
        Msg.owner(m) == c for c in ChannelId for r in Replica for m in s.casts[c].publishes[r]
    )
