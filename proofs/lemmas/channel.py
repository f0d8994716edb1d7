"""Lemmas of the channel and its publisher: what is waited for, what was told, and who counts."""

from __future__ import annotations

from ackproof.spec.lang import lemma
from ackproof.spec.sorts import TxMode
from ackproof.spec.system import Confirms


@lemma("ConfirmXorTransaction")
def ClosedIsEmpty(s: Confirms) -> bool:
    """A closed channel waits for nothing, and has nothing to tell (A14.1)."""
    waiting = set(s.channel.unconfirmed) | set(s.channel.vouched)
    return s.channel.open or not (waiting | s.channel.confirmed | s.channel.rejected)


@lemma("ClosedIsEmpty", "ConfirmXorTransaction", "RejectedIsNoticed")
def IdleIsEmpty(s: Confirms) -> bool:
    """So does one that neither confirms nor waits for the end of a commit (A7.1, A13.1)."""
    settled = s.channel.confirmed | s.channel.rejected
    idle = not s.channel.confirming and s.transaction.answers()
    return not idle or not (set(s.channel.unconfirmed) | settled)


@lemma("ClosedIsEmpty", "ConfirmXorTransaction", "IdleIsEmpty")
def RejectedIsNoticed(s: Confirms) -> bool:
    """Outside of confirm mode, a reject has failed a commit (A13.5)."""
    failed = s.channel.confirming or s.transaction.mode == TxMode.FAILED
    return failed or not s.channel.rejected


@lemma("ConfirmXorTransaction")
def NothingIsSentBefore(s: Confirms) -> bool:
    """A publisher counts from confirm.select on (A4.3)."""
    return s.channel.confirming or not s.publisher.sent


@lemma("ConfirmXorTransaction")
def CountsAgree(s: Confirms) -> bool:
    """Broker and client agree on the next number, but for transactions (A4.1, A4.3)."""
    counting = s.channel.open and s.transaction.mode == TxMode.NONE
    return not counting or s.channel.next_seq == s.publisher.next_tag


@lemma("ConfirmXorTransaction", "CountsAgree")
def SentIsBelowNext(s: Confirms) -> bool:
    """What was sent has a smaller number than what comes next (A4.1)."""
    tag = s.publisher.next_tag
    return all(tag is None or m < tag for m in s.publisher.sent)


@lemma("IdleIsEmpty", "ConfirmXorTransaction", "CountsAgree")
def WaitingWasSent(s: Confirms) -> bool:
    """In confirm mode only what was sent is waited for, or about to be told (INV-A6)."""
    waiting = set(s.channel.unconfirmed) | s.channel.confirmed | s.channel.rejected
    return not s.channel.confirming or waiting <= s.publisher.sent


@lemma("WaitingWasSent", "IdleIsEmpty", "ConfirmXorTransaction")
def ToldWasSent(s: Confirms) -> bool:
    """What the channel has told of was sent (INV-A6)."""
    return s.channel.acked | s.channel.nacked <= s.publisher.sent


@lemma(
    "CountsAgree",
    "SentIsBelowNext",
    "ConfirmXorTransaction",
    "EachMessageHasOnePlace",
    "MultipleIsExact",
    "ToldWasSent",
    "IdleIsEmpty",
)
def NothingIsReturnedLate(s: Confirms) -> bool:
    """A return is sent in the step of its publish, before anything can settle it (A6.1)."""
    return not s.publisher.returned_late


#: What the properties of this group are proved with.
PROOFS = {
    "ConfirmXorTransaction": (),
    "EachMessageHasOnePlace": (
        "ClosedIsEmpty",
        "ConfirmXorTransaction",
        "CountsAgree",
        "IdleIsEmpty",
        "NothingIsSentBefore",
        "SentIsBelowNext",
        "ToldWasSent",
        "WaitingWasSent",
    ),
    "MultipleIsExact": (
        "ClosedIsEmpty",
        "ConfirmXorTransaction",
        "EachMessageHasOnePlace",
        "IdleIsEmpty",
        "ToldWasSent",
        "WaitingWasSent",
    ),
    "SettledOnce": ("EachMessageHasOnePlace", "MultipleIsExact"),
    "RefusedOnce": ("EachMessageHasOnePlace", "MultipleIsExact"),
    "NoAckFromMinority": (),
    "NoNackFromMinority": (),
    "NoAckInTransaction": (),
    "NoNackInTransaction": (),
    "NoNeedlessAck": (
        "ClosedIsEmpty",
        "EachMessageHasOnePlace",
        "IdleIsEmpty",
        "MultipleIsExact",
        "WaitingWasSent",
    ),
    "NoNeedlessNack": (
        "ClosedIsEmpty",
        "EachMessageHasOnePlace",
        "IdleIsEmpty",
        "MultipleIsExact",
        "WaitingWasSent",
    ),
}

#: What follows from what.
FOLLOWS = {
    "NeverBothAckAndNack": ("EachMessageHasOnePlace", "MultipleIsExact"),
    "NoPhantomConfirm": ("MultipleIsExact", "ToldWasSent"),
    "ReturnPrecedesAck": ("NothingIsReturnedLate",),
    "ReturnPrecedesNack": ("NothingIsReturnedLate",),
    "SequenceIsDense": ("ConfirmXorTransaction", "CountsAgree"),
}
