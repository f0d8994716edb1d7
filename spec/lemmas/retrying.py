"""Lemmas of retries: of a message and its copies one is left, and the others are known to be lost.

A program publishes the next copy in place of the one before, of which it knows the worst: it was
nacked, or its channel has ended.  So it waits for one copy at most, or one was acked.
"""

from __future__ import annotations

from ackproof.lang import helper, lemma
from ackproof.spec.sorts import Msg
from ackproof.spec.system import Confirms


@helper
def lost(s: Confirms, msg: Msg) -> bool:
    """Tell whether a publisher knows that it will hear of no ack of a message (A14.3)."""
    channel = Msg.owner(msg)
    return msg not in s.publishers[channel].confirmed and (
        msg in s.publishers[channel].nacked or not s.channels[channel].open
    )


@helper
def left(s: Confirms, msg: Msg) -> bool:
    """Tell whether a program waits for a message, or knows that it is safe (A11.5)."""
    return msg in s.retrier.pending or msg in s.publishers[Msg.owner(msg)].confirmed


@helper
def akin(s: Confirms, one: Msg, other: Msg) -> bool:
    """Tell whether one of two messages is a copy of the other, or both are of a third (C5.3)."""
    return (
        s.retrier.original[one] == other
        or s.retrier.original[other] == one
        or (
            s.retrier.original[one] is not None
            and s.retrier.original[one] == s.retrier.original[other]
        )
    )


#: What it takes to know that what is published now was not sent before.
_UNSENT = ("ConfirmXorTransaction", "CountsAgree", "SentIsBelowNext")

#: What it takes to know that what a channel tells of was waited for, and not told before.
_TELLING = (
    "ClosedIsEmpty",
    "ConfirmXorTransaction",
    "EachMessageHasOnePlace",
    "IdleIsEmpty",
    "MultipleIsExact",
    "SentBelongs",
    "ToldWasSent",
    "WaitingWasSent",
)


@lemma(*_UNSENT)
def PendingWasSent(s: Confirms) -> bool:
    """A program waits for what it has published (A11.5)."""
    return all(m in s.publishers[Msg.owner(m)].sent for m in s.retrier.pending)


@lemma("PendingWasSent", *_UNSENT, *_TELLING)
def PendingIsUnacked(s: Confirms) -> bool:
    """A program waits for nothing that is acked; what may be lost is due (A11.5, A14.3)."""
    return not s.retrying or (
        s.retrier.due <= s.retrier.pending
        and all(
            m not in s.publishers[Msg.owner(m)].confirmed
            and (m in s.retrier.due)
            == (m in s.publishers[Msg.owner(m)].nacked or not s.channels[Msg.owner(m)].open)
            for m in s.retrier.pending
        )
    )


@lemma(*_UNSENT)
def MandatoryWasSent(s: Confirms) -> bool:
    """What a program remembers as mandatory it has published (A6.2)."""
    return all(m in s.publishers[Msg.owner(m)].sent for m in s.retrier.mandatory)


@lemma(
    "PendingWasSent",
    "PendingIsUnacked",
    *_UNSENT,
    *_TELLING,
    dead_letter=("CouriersServePlainQueues",),
)
def WhatIsNotLeftIsLost(s: Confirms) -> bool:
    """What a program does not wait for any more is safe, or it knows the worst (A14.3)."""
    return not s.retrying or all(
        left(s, m) or lost(s, m) for m in Msg if m in s.publishers[Msg.owner(m)].sent
    )


@lemma("PendingIsUnacked", "PendingWasSent", *_UNSENT)
def CopiesWereSent(s: Confirms) -> bool:
    """Copies were published, and so was what they are copies of, which is no copy (C5.3)."""
    return all(
        m in s.publishers[Msg.owner(m)].sent
        and k in s.publishers[Msg.owner(k)].sent
        and s.retrier.original[m] is None
        for k in Msg
        for m in Msg
        if s.retrier.original[k] == m
    )


@lemma(
    "PendingWasSent",
    "PendingIsUnacked",
    "WhatIsNotLeftIsLost",
    "CopiesWereSent",
    *_UNSENT,
    *_TELLING,
)
def OneIsLeft(s: Confirms) -> bool:
    """Of a message and its copies a program waits for one at most, or one is acked (C5.3)."""
    return not s.retrying or all(
        not (left(s, m) and left(s, k)) for k in Msg for m in Msg if m != k and akin(s, m, k)
    )


#: What the properties of this group are proved with.
PROOFS = {
    "RepeatedForACause": (
        "CopiesWereSent",
        "OneIsLeft",
        "PendingIsUnacked",
        "PendingWasSent",
        "WhatIsNotLeftIsLost",
        *_UNSENT,
        *_TELLING,
    ),
    "NothingIsGivenUp": (
        "CopiesWereSent",
        "PendingIsUnacked",
        "PendingWasSent",
        "CouriersServePlainQueues",
        *_UNSENT,
        *_TELLING,
    ),
    "CopyIsAsMandatory": ("CopiesWereSent", "MandatoryWasSent", "PendingWasSent", *_UNSENT),
    "OneOfThemIsAwaited": (
        "CopiesWereSent",
        "OneIsLeft",
        "PendingIsUnacked",
        "PendingWasSent",
        *_UNSENT,
    ),
    "AckedIsDone": ("PendingIsUnacked", "PendingWasSent", "SentBelongs", *_UNSENT, *_TELLING),
}
