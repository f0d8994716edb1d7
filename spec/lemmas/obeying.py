"""What a client asks for is what happens: this follows from the step itself, and from numbering.

What is published has a number that nothing had before, so that all that is known of it was said in
the step that published it (A4.1).
"""

from __future__ import annotations

from ackproof.lang import lemma
from ackproof.spec.lemmas.asking import below_next
from ackproof.spec.sorts import ChannelId, Msg
from ackproof.spec.system import Confirms


@lemma()
def PersistentIsPast(s: Confirms) -> bool:
    """What was published as persistent is never numbered again (A4.1, C1)."""
    return all(below_next(s, m) for m in s.persistent)


@lemma()
def RoutedIsInItsBatch(s: Confirms) -> bool:
    """A transaction knows the way of what it keeps, and of nothing else (A13.1)."""
    return all(
        m in s.transactions[c].batch
        for c in ChannelId
        for m in Msg.of(c)
        if s.transactions[c].routes[m]
    )


#: What the properties of this group are proved with.
PROOFS = {
    "AcknowledgedIsGone": ("PendingIsNotReady", "SetAsideIsNeither"),
    "BatchedAsAsked": ("BatchIsNumbered", "UnroutedAsksBack"),
    "CancelledIsStopped": (),
    "ClosedIsNotOpen": (),
    "DeletedIsGone": (),
    "FetchedAsAsked": ("ClosedKeepsNothing", "SeenWasCounted", "TagsAreOrdered"),
    "PersistentAsAsked": (
        "NumberedInGhosts",
        "PersistentIsPast",
        "BatchIsNumbered",
        "RoutedIsInItsBatch",
    ),
    "ReturnedAsAsked": (
        "ConfirmXorTransaction",
        "CountsAgree",
        "EachQueueHasAnAddress",
        "NothingIsSentBefore",
        "ReturnedIsUnroutable",
        "SentIsBelowNext",
        "UnroutableWasSent",
    ),
    "ReturnedOnlyIfAsked": (),
    "RollbackSendsNothing": (),
    "RoutedAsAsked": (),
    "RoutedAtOnce": (),
    "RoutedAgain": (),
    "PersistentStays": (),
    "FetchedIsNotReady": (),
    "EmptyAsAsked": (),
    "OthersStayPending": (),
    "StartedAsAsked": (),
    "ConsumersClosedIsNotOpen": (),
    "DeclaredIsThere": (),
    "SelectBeginsConfirms": (),
    "TxSelectBeginsTransactions": (),
}
