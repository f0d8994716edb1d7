"""What is known of an event where it is judged: numbers, whatever an observer has made of it.

A kind is a number, in the order of `ackproof.conform.events.Kind`.  What is yes or no is a bit.  Of
texts nothing matters but which are the same, so there is a number for each: 0 for none.  What a
broker complains of when it closes a channel is a bit for each of the specification's complaints.
"""

from __future__ import annotations

from ackproof.conform.events import CLIENT, Event, Kind
from ackproof.spec.wire import Complaint

__all__ = [
    "ACK",
    "BITS",
    "CANCEL",
    "CANCEL_OK",
    "CHANNEL_CLOSE",
    "CLOSE",
    "CLOSE_OK",
    "COMMIT",
    "COMMIT_OK",
    "COMPLAINTS",
    "CONFIRM_TO_TX",
    "CONSUME",
    "CONSUMER_ACK",
    "CONSUMER_REJECT",
    "CONSUME_OK",
    "DELIVER",
    "FIRST_OF_BROKER",
    "GAP",
    "GET",
    "GET_EMPTY",
    "GET_OK",
    "MANDATORY",
    "MOST",
    "MULTIPLE",
    "NACK",
    "NOT_TRANSACTIONAL",
    "NOWAIT",
    "NO_ACK",
    "NUMBER",
    "OPEN",
    "OPEN_OK",
    "PARTIAL_COMPLETION",
    "PUBLISH",
    "QOS",
    "QOS_OK",
    "RECOVER",
    "RECOVER_OK",
    "REDELIVERED",
    "RETURN",
    "ROLLBACK",
    "ROLLBACK_OK",
    "SELECT",
    "SELECT_OK",
    "SHARED",
    "STOP",
    "TX_SELECT",
    "TX_SELECT_OK",
    "TX_TO_CONFIRM",
    "UNKNOWN_TAG",
    "bits_of",
    "complaints_in",
]

#: The number of each kind.
NUMBER: dict[str, int] = {str(kind): number for number, kind in enumerate(Kind)}

OPEN = NUMBER[Kind.OPEN]
SELECT = NUMBER[Kind.SELECT]
TX_SELECT = NUMBER[Kind.TX_SELECT]
COMMIT = NUMBER[Kind.COMMIT]
ROLLBACK = NUMBER[Kind.ROLLBACK]
PUBLISH = NUMBER[Kind.PUBLISH]
CONSUME = NUMBER[Kind.CONSUME]
STOP = NUMBER[Kind.STOP]
QOS = NUMBER[Kind.QOS]
GET = NUMBER[Kind.GET]
CONSUMER_ACK = NUMBER[Kind.CONSUMER_ACK]
CONSUMER_REJECT = NUMBER[Kind.CONSUMER_REJECT]
RECOVER = NUMBER[Kind.RECOVER]
CLOSE = NUMBER[Kind.CLOSE]
OPEN_OK = NUMBER[Kind.OPEN_OK]
SELECT_OK = NUMBER[Kind.SELECT_OK]
TX_SELECT_OK = NUMBER[Kind.TX_SELECT_OK]
COMMIT_OK = NUMBER[Kind.COMMIT_OK]
ROLLBACK_OK = NUMBER[Kind.ROLLBACK_OK]
RETURN = NUMBER[Kind.RETURN]
ACK = NUMBER[Kind.ACK]
NACK = NUMBER[Kind.NACK]
CONSUME_OK = NUMBER[Kind.CONSUME_OK]
CANCEL_OK = NUMBER[Kind.CANCEL_OK]
CANCEL = NUMBER[Kind.CANCEL]
QOS_OK = NUMBER[Kind.QOS_OK]
DELIVER = NUMBER[Kind.DELIVER]
GET_OK = NUMBER[Kind.GET_OK]
GET_EMPTY = NUMBER[Kind.GET_EMPTY]
RECOVER_OK = NUMBER[Kind.RECOVER_OK]
CHANNEL_CLOSE = NUMBER[Kind.CHANNEL_CLOSE]
CLOSE_OK = NUMBER[Kind.CLOSE_OK]
GAP = NUMBER[Kind.GAP]

#: What a broker says has a number from here on, but for a gap, which is the last one.
FIRST_OF_BROKER = len(CLIENT)

#: Tags on the wire have 64 bits, and the judge's numbers a sign; none that can be right is beyond
#: this, and those that are, are not told apart.
MOST = (1 << 63) - 1

#: The fields that are yes or no, and the bit of each.
BITS = {
    "multiple": 1,
    "mandatory": 2,
    "nowait": 4,
    "redelivered": 8,
    "no_ack": 16,
    "shared": 32,
}
MULTIPLE, MANDATORY, NOWAIT, REDELIVERED, NO_ACK, SHARED = BITS.values()

#: The complaints, and the bit of each, in the same number.
COMPLAINTS = {complaint.value: 1 << 8 + place for place, complaint in enumerate(Complaint)}
UNKNOWN_TAG = COMPLAINTS[Complaint.UNKNOWN_TAG.value]
TX_TO_CONFIRM = COMPLAINTS[Complaint.TX_TO_CONFIRM.value]
CONFIRM_TO_TX = COMPLAINTS[Complaint.CONFIRM_TO_TX.value]
NOT_TRANSACTIONAL = COMPLAINTS[Complaint.NOT_TRANSACTIONAL.value]
PARTIAL_COMPLETION = COMPLAINTS[Complaint.PARTIAL_COMPLETION.value]


def complaints_in(text: str) -> int:
    """Return the bits of the complaints that a text has."""
    return sum(bit for said, bit in COMPLAINTS.items() if said in text)


def bits_of(event: Event) -> int:
    """Return all that is yes or no of an event."""
    found = sum(bit for name, bit in BITS.items() if getattr(event, name))
    return found | complaints_in(event.text) if event.kind == Kind.CHANNEL_CLOSE else found
