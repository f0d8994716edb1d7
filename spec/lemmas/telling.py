"""Lemmas of telling: what comes back to a publisher, how often, and when no more (A6, A10, A14)."""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.lemmas.asking import below_next
from ackproof.spec.sorts import ChannelId, Method, Msg, TxMode
from ackproof.spec.system import Confirms


@lemma()
def NothingIsOverlooked(s: Confirms) -> bool:
    """Routing finds every queue that is there (A5.4)."""
    return not s.overlooked


#: What it takes to know that what is published now was not sent before.
_UNSENT = ("ConfirmXorTransaction", "CountsAgree", "SentIsBelowNext")


@lemma()
def MandatoryIsPast(s: Confirms) -> bool:
    """What was published as mandatory is never numbered again (A4.1, A6.2)."""
    return all(below_next(s, m) for m in s.mandatory)


@lemma("MandatoryIsPast", "NothingIsSentBefore", *_UNSENT, "UnroutableWasSent")
def MandatoryCameBack(s: Confirms) -> bool:
    """What must come back came back in the step in which it was published (A6.1)."""
    return all(m in s.publishers[Msg.owner(m)].returned for m in s.mandatory & s.unroutable)


@lemma("BatchIsNumbered")
def PlainIsPast(s: Confirms) -> bool:
    """What was published outside of any mode is never numbered again (A4.1, A7.1)."""
    return all(below_next(s, m) and m not in s.transactions[Msg.owner(m)].batch for m in s.plain)


@lemma()
def AskingIsCommitting(s: Confirms) -> bool:
    """Only a commit is answered later than it was asked for, and till then it is (A1.5, A13.4).

    No courier has asked for one (Q12.2).
    """
    return (
        not s.unasked
        and not s.fetching
        and all(
            s.asking[c]
            == (
                Method.COMMIT
                if s.transactions[c].mode == TxMode.COMMITTING
                or s.transactions[c].mode == TxMode.FAILED
                else None
            )
            and (s.asking[c] is None or s.channels[c].carries_for is None)
            for c in ChannelId
        )
    )


#: What the properties of this group are proved with.
PROOFS = {
    "AcksComeFirst": (),
    "EachAnswerIsAskedFor": ("AskingIsCommitting",),
    "EachIsNamedOnce": (
        *_UNSENT,
        "ClosedIsEmpty",
        "EachMessageHasOnePlace",
        "IdleIsEmpty",
        "MultipleIsExact",
        "ReturnedIsUnroutable",
        "UnroutableWasSent",
        "WaitingWasSent",
    ),
    "EachMethodIsAnswered": ("AskingIsCommitting",),
    "OnlyWhatExistsIsRoutedTo": (),
    "NoAckAfterClose": ("ClosedIsEmpty",),
    "NoNackAfterClose": ("ClosedIsEmpty",),
    "WhoTellsStaysOpen": ("ClosedIsEmpty",),
    "OnlyMandatoryIsReturned": (*_UNSENT, "ReturnedIsUnroutable", "UnroutableWasSent"),
    "ReturnGoesHome": ("NextBelongs",),
    "UnconfirmedLeavesNoTrace": ("IdleIsEmpty", "PlainIsPast", "WaitingBelongs", "BatchBelongs"),
}

#: What follows from what.
FOLLOWS = {
    "MandatoryIsReturned": ("MandatoryCameBack", "MultipleIsExact", "SentBelongs", "ToldWasSent"),
    "NoQueueIsOverlooked": ("NothingIsOverlooked",),
}
