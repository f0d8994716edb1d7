"""Refusals: why an event is not explained, as a number, and what is said of it.

Rules return the number.  What it breaks, and the sentence, are needed once for a channel; two
numbers that the sentence mentions are left in the books.
"""

from __future__ import annotations

from typing import NamedTuple

from ackproof.conform.events import Event
from ackproof.conform.judging.books import WHY, WHY_TOO
from ackproof.conform.judging.facts import COMPLAINTS, MOST
from ackproof.conform.judging.shelves import Array
from ackproof.conform.violations import Refusal

__all__ = ["refusal_of"]


class _Said(NamedTuple):
    """What is broken, and why: a text with places for `event`, `a`, `b` and `said`."""

    name: str
    why: str


_AGAIN = "{event.tag} is settled, and was settled before"
_GONE_ON = "the broker has gone on after what must close the channel"
_UNANSWERED = "no request waits that {event.kind} answers next"
_SAID: list[_Said] = []


def _says(name: str, why: str) -> int:
    _SAID.append(_Said(name, why))
    return len(_SAID)


# -- settling -----------------------------------------------------------------------------------

LONE = _says(
    "A11.2", "the ack with multiple covered one message, and no other ack of its flush follows"
)
RETURNED_NOT_ACKED = _says(
    "UnroutableIsConfirmed",
    "{a} was returned, so the next flush acks it, and this frame is of another",
)
PHANTOM = _says("NoPhantomConfirm", "{event.tag} is settled, and {a} were published")
ACKED_AFTER_NACK = _says("NeverBothAckAndNack", "{event.tag} is acked, and was nacked before")
NACKED_AFTER_ACK = _says("NeverBothAckAndNack", "{event.tag} is nacked, and was acked before")
ACKED_AGAIN = _says("SettledOnce", _AGAIN)
NACKED_AGAIN = _says("RefusedOnce", _AGAIN)
ACKED_ALONE = _says(
    "NoNeedlessAck",
    "{event.tag} is acked alone, though {a} was returned and is acked with it: one ack with "
    "multiple would cover it",
)
STOPS_SHORT = _says(
    "A11.3",
    "the ack with multiple stops at {a}, though {b} is next and was returned: it is acked in the "
    "same flush, and would be covered",
)
NACKED_ALONE = _says(
    "NoNeedlessNack",
    "{event.tag} is nacked alone, and nothing is open or acked below it: the nack has multiple "
    "then",
)

# -- returning ----------------------------------------------------------------------------------

UNEXPECTED = _says(
    "ReturnedIsUnroutable",
    "the message that is returned is no mandatory one that may still come back",
)
PASSED = _says("A6.1", "message {a} is returned after the broker has gone past it")
PASSED_UNNUMBERED = _says("A6.1", "the message is returned after the broker has gone past it")
RETURNED_AFTER_NACK = _says("ReturnPrecedesNack", "message {a} is returned, and was settled before")
RETURNED_AFTER_ACK = _says("ReturnPrecedesAck", "message {a} is returned, and was settled before")
BEFORE_COMMIT = _says("NothingBeforeCommit", "a message is returned before its transaction commits")

# -- delivering ---------------------------------------------------------------------------------

NOT_STARTED = _says("B7.6", "nobody asked to start the consumer {event.consumer!r}")
NOT_STOPPED = _says("B7.6", "nobody asked to stop the consumer {event.consumer!r}")
NO_CONSUMER = _says("B7.6", "there is no consumer {event.consumer!r} on this channel")
TAG_FALLS = _says("DeliveryTagsIncrease", "delivery tag {event.tag} comes after {a}")
GOT_TAG_FALLS = _says("GetTakesATag", "delivery tag {event.tag} comes after {a}")
TAG_JUMPS = _says("F1.1", "delivery tag {event.tag} comes after {a}, and is not the next one")
OVER_LIMIT = _says(
    "PrefetchRespected",
    "consumer {event.consumer!r} has {a} unsettled deliveries, and asked for {b} at most",
)
OVER_SHARED_LIMIT = _says(
    "SharedPrefetchRespected",
    "the channel has {a} unsettled deliveries, and its client asked for {b} at most",
)

# -- the channel --------------------------------------------------------------------------------

AFTER_CLOSE = _says("A2.6", "nothing comes on a channel after channel.close")
AFTER_CLOSE_OK = _says("A2.6", "nothing comes on a channel after channel.close-ok")
GONE_ON_BOTH_MODES = _says("ConfirmXorTransaction", _GONE_ON)
GONE_ON_NO_TRANSACTION = _says("A1.4", _GONE_ON)
GONE_ON_UNKNOWN_TAG = _says("UnknownTagClosesChannel", _GONE_ON)
BEFORE_SELECT_OK = _says("A1.1", "message {event.tag} is settled before confirm.select is answered")
NO_OPEN = _says("A1.6", _UNANSWERED)
NO_SELECT = _says("A1.1", _UNANSWERED)
NO_TX_SELECT = _says("A1.3", _UNANSWERED)
NO_COMMIT = _says("A13.4", _UNANSWERED)
NO_ROLLBACK = _says("A13.6", _UNANSWERED)
NO_QOS = _says("F2.2", _UNANSWERED)
NO_GET = _says("F1.1", _UNANSWERED)
NO_GET_TO_MISS = _says("F3.5", _UNANSWERED)
NO_RECOVER = _says("F1.5", _UNANSWERED)
ACK_IN_TRANSACTION = _says(
    "NoAckInTransaction", "the channel is transactional, and confirms nothing"
)
NACK_IN_TRANSACTION = _says(
    "NoNackInTransaction", "the channel is transactional, and confirms nothing"
)
UNASKED = _says("NoPhantomConfirm", "nobody asked for confirms on this channel")
_UNCAUSED = "the client is told {said!r}, and gave no cause"
UNCAUSED_UNKNOWN_TAG = _says("UnknownTagClosesChannel", _UNCAUSED)
UNCAUSED_BOTH_MODES = _says("ConfirmXorTransaction", _UNCAUSED)
UNCAUSED_NO_TRANSACTION = _says("A1.4", _UNCAUSED)
NO_COMMIT_FAILED = _says("A13.5", "a commit has failed, and there was none")
UNASKED_CLOSE = _says("A14.1", "the client has not asked for the channel to be closed")


def refusal_of(code: int, books: Array, event: Event) -> Refusal:
    """Return what is to be said of an event that was refused."""
    name, why = _SAID[code - 1]
    a, b = int(books[WHY]), int(books[WHY_TOO])
    said = next((text for text, bit in COMPLAINTS.items() if bit == a), "")
    tag = f"{MOST} or more" if a == MOST else a
    return Refusal(name, why.format(event=event, a=tag, b=b, said=said))
