"""Lemmas of the channel and its publisher: what is waited for, what was told, and who counts."""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.sorts import ChannelId, Msg, TxMode
from ackproof.spec.system import Confirms


@lemma("ConfirmXorTransaction")
def ClosedIsEmpty(s: Confirms) -> bool:
    """A closed channel waits for nothing, and has nothing to tell (A14.1)."""
    return all(
        s.channels[c].open
        or (
            not s.channels[c].unconfirmed[m]
            and not s.channels[c].vouched[m]
            and m not in s.channels[c].confirmed | s.channels[c].rejected
        )
        for c in ChannelId
        for m in Msg
    )


@lemma("ClosedIsEmpty", "ConfirmXorTransaction", "RejectedIsNoticed")
def IdleIsEmpty(s: Confirms) -> bool:
    """So does one that neither confirms nor waits for the end of a commit (A7.1, A13.1)."""
    return all(
        s.channels[c].confirming
        or not s.transactions[c].answers()
        or (
            not s.channels[c].unconfirmed[m]
            and m not in s.channels[c].confirmed | s.channels[c].rejected
        )
        for c in ChannelId
        for m in Msg
    )


@lemma("ClosedIsEmpty", "ConfirmXorTransaction", "IdleIsEmpty")
def RejectedIsNoticed(s: Confirms) -> bool:
    """Outside of confirm mode, a reject has failed a commit (A13.5)."""
    return all(
        s.channels[c].confirming
        or s.transactions[c].mode == TxMode.FAILED
        or not s.channels[c].rejected
        for c in ChannelId
    )


@lemma("ConfirmXorTransaction")
def NothingIsSentBefore(s: Confirms) -> bool:
    """A publisher counts from confirm.select on (A4.3)."""
    return all(s.channels[c].confirming or not s.publishers[c].sent for c in ChannelId)


@lemma("ConfirmXorTransaction")
def CountsAgree(s: Confirms) -> bool:
    """Broker and client agree on the next number, but for transactions (A4.1, A4.3)."""
    return all(
        s.channels[c].next_seq == s.publishers[c].next_tag
        for c in ChannelId
        if s.channels[c].open and s.transactions[c].mode == TxMode.NONE
    )


@lemma("ConfirmXorTransaction", "CountsAgree")
def SentIsBelowNext(s: Confirms) -> bool:
    """What was sent has a smaller number than what comes next (A4.1)."""
    return all(
        s.publishers[c].next_tag is None or m < s.publishers[c].next_tag
        for c in ChannelId
        for m in s.publishers[c].sent
    )


@lemma("IdleIsEmpty", "ConfirmXorTransaction", "CountsAgree")
def WaitingWasSent(s: Confirms) -> bool:
    """In confirm mode only what was sent is waited for, or about to be told (INV-A6)."""
    return all(
        m in s.publishers[c].sent
        for c in ChannelId
        if s.channels[c].confirming
        for m in Msg
        if s.channels[c].unconfirmed[m] or m in s.channels[c].confirmed | s.channels[c].rejected
    )


@lemma("WaitingWasSent", "IdleIsEmpty", "ConfirmXorTransaction")
def ToldWasSent(s: Confirms) -> bool:
    """What the channel has told of was sent (INV-A6)."""
    return all(
        s.channels[c].acked | s.channels[c].nacked <= s.publishers[c].sent for c in ChannelId
    )


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
    return all(not s.publishers[c].returned_late for c in ChannelId)


#: What the properties of this group are proved with.
PROOFS = {
    "NoAssertionFails": (),
    "StepsAreDefined": (),
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
    "LoneAckIsSingle": (
        "ClosedIsEmpty",
        "EachMessageHasOnePlace",
        "IdleIsEmpty",
        "MultipleIsExact",
        "ToldWasSent",
        "WaitingWasSent",
    ),
    "SettledOnce": ("EachMessageHasOnePlace", "MultipleIsExact"),
    "RefusedOnce": ("EachMessageHasOnePlace", "MultipleIsExact"),
    "NoAckFromMinority": (),
    "NoNackFromMinority": (),
    "NoCommitFromMinority": (),
    "NoFailureFromMinority": (),
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
    "NeverBothAckAndNack": (
        "EachMessageHasOnePlace",
        "MultipleIsExact",
        "SentBelongs",
        "ToldWasSent",
    ),
    "NoPhantomConfirm": ("MultipleIsExact", "ToldWasSent"),
    "ReturnPrecedesAck": ("NothingIsReturnedLate",),
    "ReturnPrecedesNack": ("NothingIsReturnedLate",),
    "SequenceIsDense": ("ConfirmXorTransaction", "CountsAgree"),
}
