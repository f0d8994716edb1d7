"""Events: what passes on a channel, in either direction, one method each.

An event is one method of AMQP 0-9-1 as somebody has seen it who stands between a client and a
broker.  A content and its body belong to the method that they came with.  Who made the frames,
and how they were seen, an event does not say: a proxy, a capture, and a run of the specification
all give the same ones.

Where the observer stands matters in one way.  What a client says is seen before the broker has read
it, and what the broker says after it was sent; so each event comes after those that it depends on,
and between the two directions there is no other order.

A body is a size and a digest.  The message of a return is known by what it was published with, its
`identity`: on the wire a return has no number.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

__all__ = ["BROKER", "CLIENT", "Event", "Kind"]


class Kind(StrEnum):
    """What an event is; those that the specification knows have the names of its frames."""

    # what the client says
    OPEN = "Open"
    SELECT = "Select"
    TX_SELECT = "TxSelect"
    COMMIT = "Commit"
    ROLLBACK = "Rollback"
    PUBLISH = "Publish"
    CONSUME = "Consume"
    STOP = "StopConsumer"
    QOS = "Qos"
    GET = "Get"
    CONSUMER_ACK = "ConsumerAck"
    CONSUMER_REJECT = "ConsumerReject"
    RECOVER = "Recover"
    CLOSE = "Close"
    CLIENT_OTHER = "ClientOther"
    # what the broker says
    OPEN_OK = "OpenOk"
    SELECT_OK = "SelectOk"
    TX_SELECT_OK = "TxSelectOk"
    COMMIT_OK = "CommitOk"
    ROLLBACK_OK = "RollbackOk"
    RETURN = "Return"
    ACK = "Ack"
    NACK = "Nack"
    CONSUME_OK = "ConsumeOk"
    CANCEL_OK = "CancelOk"
    CANCEL = "Cancel"
    QOS_OK = "QosOk"
    DELIVER = "Deliver"
    GET_OK = "GetOk"
    GET_EMPTY = "GetEmpty"
    RECOVER_OK = "RecoverOk"
    CHANNEL_CLOSE = "ChannelClose"
    CLOSE_OK = "CloseOk"
    BROKER_OTHER = "BrokerOther"
    # what the observer says: something may be missing here
    GAP = "Gap"


_NAMES = list(Kind)
#: The kinds of what a client says, and of what a broker says.
CLIENT = frozenset(_NAMES[: _NAMES.index(Kind.OPEN_OK)])
BROKER = frozenset(_NAMES[_NAMES.index(Kind.OPEN_OK) : _NAMES.index(Kind.GAP)])


class Event(msgspec.Struct, omit_defaults=True, gc=False):
    """One event; what does not apply to its kind has its default.

    Attributes:
        kind: what it is.
        connection: the connection, by a name that the recording gives it.
        channel: the number of the channel on that connection; 0 is the connection itself.
        number: which event of its channel it is, from 1.
        time: seconds since 1970, by the clock of the observer.
        tag: a sequence number or delivery tag, as the method has it.
        multiple: the tag stands for all up to it, too.
        mandatory: of a publish.
        nowait: the client wants no answer.
        requeue: of a reject.
        redelivered: of a delivery.
        no_ack: of a consumer or a get: deliveries need no ack.
        shared: of a limit: for the whole channel.
        persistent: of a message.
        prefetch: unsettled deliveries at most; 0 is any number.
        exchange: where a message was published to.
        key: its routing key.
        queue: the queue of a consumer or a get.
        consumer: the tag of a consumer.
        message: the property message-id of a message.
        size: bytes of a body.
        digest: keyed digest of properties and body.
        code: the reply code of a return or a close.
        text: its text.
    """

    kind: str
    connection: str = ""
    channel: int = 0
    number: int = 0
    time: float = 0.0
    tag: int = 0
    multiple: bool = False
    mandatory: bool = False
    nowait: bool = False
    requeue: bool = False
    redelivered: bool = False
    no_ack: bool = False
    shared: bool = False
    persistent: bool = False
    prefetch: int = 0
    exchange: str = ""
    key: str = ""
    queue: str = ""
    consumer: str = ""
    message: str = ""
    size: int = 0
    digest: str = ""
    code: int = 0
    text: str = ""

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """Return what a returned message is known by."""
        return self.exchange, self.key, self.message, self.digest
