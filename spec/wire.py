"""The wire: the frames between a channel and its client.

Everything else in the specification happens behind the broker's door.  A claim about publisher
confirms is therefore a claim about the first four of these events and their order.  The others are
of consumers, of transactions, and of the end of a channel.  What a client says is here only where
a claim needs it: acks and rejects of deliveries.

A frame names the channel that it is sent on, unless it speaks of a consumer, which belongs to one,
or is an answer on which nothing depends.  A tag in it counts on that channel; here it is the
message that the channel meant, so a frame that is sent on a wrong channel can be told.

A frame is on its way to the client for a while, in order, on one connection.  The specification
shows the frame to the client in the step that sends it: since frames neither overtake each other
nor change on the way, nothing about the *sequence* of frames depends on when they arrive.  Frames
that a broken connection swallows are the frames of a shorter run.
"""

from __future__ import annotations

from enum import Enum

from ackproof.lang import Event, Option
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Queue, Tag

__all__ = [
    "Ack",
    "Blocked",
    "Cancel",
    "CancelOk",
    "ChannelClose",
    "CommitOk",
    "Complaint",
    "ConsumerAck",
    "ConsumerReject",
    "Deliver",
    "GetEmpty",
    "GetOk",
    "Nack",
    "RecoverOk",
    "Return",
    "RollbackOk",
    "SelectOk",
    "TxSelectOk",
    "Unblocked",
]


class SelectOk(Event):
    """confirm.select-ok: the channel is in confirm mode (A1.1)."""

    channel: ChannelId


class Return(Event):
    """basic.return 312 NO_ROUTE: a mandatory message found no queue (A6.2).

    On the wire it carries the message itself, not a number; `msg` stands for it.  None is a
    message published before the channel was in confirm mode.
    """

    channel: ChannelId
    msg: Option[Msg]


class Ack(Event):
    """basic.ack: the broker has taken responsibility for message `tag`.

    With `multiple`, for every message up to and including `tag` that is not settled yet (A11.5).
    """

    channel: ChannelId
    tag: Msg
    multiple: bool


class Nack(Event):
    """basic.nack: the broker does not take responsibility for `tag`, or up to `tag` (A11.5).

    It does not say that no queue has the message (INV-A12).
    """

    channel: ChannelId
    tag: Msg
    multiple: bool


# -- what a consumer sees and says -----------------------------------------------------------------


class Deliver(Event):
    """basic.deliver: a message for a consumer, under the next delivery tag of the channel (F1.1).

    `redelivered` says that it may have been handed out before (B7.4).
    """

    tag: Tag
    consumer: Consumer
    msg: Msg
    redelivered: bool


class GetOk(Event):
    """basic.get-ok: the head of a queue, for a client that asked; it takes a tag too (F1.1)."""

    channel: ChannelId
    tag: Tag
    queue: Queue
    msg: Msg
    redelivered: bool


class GetEmpty(Event):
    """basic.get-empty: there was no message to get (F3.5)."""

    channel: ChannelId
    queue: Queue


class ConsumerAck(Event):
    """basic.ack from a client: it is done with delivery `tag`, or with all up to it (F1.2).

    None is tag 0, which stands for all deliveries if it comes with `multiple`.
    """

    channel: ChannelId
    tag: Option[Tag]
    multiple: bool


class ConsumerReject(Event):
    """basic.nack or basic.reject from a client; with `requeue` it shall come back (F1.4)."""

    channel: ChannelId
    tag: Option[Tag]
    multiple: bool
    requeue: bool


class RecoverOk(Event):
    """basic.recover-ok: all that was not acked is back in its queues (F1.5)."""

    channel: ChannelId


class CancelOk(Event):
    """basic.cancel-ok: no delivery to this consumer comes after it (B7.6)."""

    consumer: Consumer


class Cancel(Event):
    """basic.cancel from the broker: the queue of this consumer is gone (F3.3)."""

    consumer: Consumer


# -- transactions, and what ends a channel ---------------------------------------------------------


class TxSelectOk(Event):
    """tx.select-ok: the channel is transactional (A1.3)."""

    channel: ChannelId


class CommitOk(Event):
    """tx.commit-ok: the broker is responsible for all messages of the transaction (A13.4)."""

    channel: ChannelId


class RollbackOk(Event):
    """tx.rollback-ok: the transaction never was (A13.6)."""

    channel: ChannelId


class Complaint(Enum):
    """What a client has done wrong, or lost; the text of a 406 PRECONDITION_FAILED (A2.1)."""

    UNKNOWN_TAG = "unknown delivery tag"
    TX_TO_CONFIRM = "cannot switch from tx to confirm mode"
    CONFIRM_TO_TX = "cannot switch from confirm to tx mode"
    NOT_TRANSACTIONAL = "channel is not transactional"
    PARTIAL_COMPLETION = "partial tx completion"


class ChannelClose(Event):
    """channel.close 406 PRECONDITION_FAILED: nothing comes after it on a channel (A2.4, A2.6)."""

    channel: ChannelId
    complaint: Complaint


# -- the connection --------------------------------------------------------------------------------


class Blocked(Event):
    """connection.blocked: an alarm keeps the broker from reading what the client sends (E4.3)."""

    channel: ChannelId


class Unblocked(Event):
    """connection.unblocked: all alarms are over, and the broker reads again (E4.3)."""

    channel: ChannelId
