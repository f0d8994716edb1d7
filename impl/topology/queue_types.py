"""The types of queues: what each allows, before it is said which of them this broker has.

RabbitMQ has classic queues, quorum queues and streams.  Each type refuses arguments that mean
something for another type only, and the two replicated types refuse queues that do not last.  Those
refusals are the same here.  What is left is a queue that RabbitMQ would make; if it is not classic
it is answered 540, since nothing here is replicated as they are.
"""

from __future__ import annotations

from ackproof.impl.errors import HardError, SoftError
from ackproof.impl.wire.tables import Table

__all__ = ["CLASSIC", "FOREIGN", "QUORUM", "STREAM", "TYPE", "check_type"]

#: The argument that names the type.
TYPE = "x-queue-type"
CLASSIC, QUORUM, STREAM = "classic", "quorum", "stream"

_OF_MESSAGES_LEAVING = frozenset(
    {
        "x-dead-letter-exchange",
        "x-dead-letter-routing-key",
        "x-expires",
        "x-max-length",
        "x-message-ttl",
        "x-overflow",
        "x-single-active-consumer",
    }
)
_OF_CLASSIC = frozenset(
    {"x-max-priority", "x-queue-mode", "x-queue-version", "x-queue-master-locator"}
)
_OF_QUORUM = frozenset(
    {
        "x-dead-letter-strategy",
        "x-delivery-limit",
        "x-max-in-memory-bytes",
        "x-max-in-memory-length",
        "x-quorum-initial-group-size",
    }
)
_OF_STREAMS = frozenset({"x-initial-cluster-size", "x-max-age", "x-stream-max-segment-size-bytes"})
_OF_REPLICATED = frozenset({"x-queue-leader-locator"})

#: The arguments that mean nothing to a type, and are refused for that.
FOREIGN = {
    CLASSIC: _OF_QUORUM | _OF_STREAMS | _OF_REPLICATED,
    QUORUM: _OF_CLASSIC | _OF_STREAMS,
    STREAM: _OF_CLASSIC | _OF_QUORUM | _OF_MESSAGES_LEAVING,
}


def check_type(
    what: object, arguments: Table, *, durable: bool, auto_delete: bool, exclusive: bool
) -> None:
    """Check a new queue by what its type allows; the values of its arguments are in order.

    Args:
        what: the queue, as a text names it.
        arguments: as they were given.
        durable: it outlives the broker.
        auto_delete: it goes with its last consumer.
        exclusive: it belongs to a connection.

    Raises:
        SoftError: 406, its type does not allow that.
        HardError: 540, this broker has no queues of that type.
    """
    kind = arguments.get(TYPE, CLASSIC)
    for name in arguments:
        if name in FOREIGN[kind]:
            raise SoftError(
                406, f"invalid arg '{name}' for {what} of queue type rabbit_{kind}_queue"
            )
    if kind == CLASSIC:
        return
    for wrong, name in (
        (auto_delete, "auto-delete"),
        (exclusive, "exclusive-owner"),
        (not durable, "non-durable"),
    ):
        if wrong:
            raise SoftError(406, f"invalid property '{name}' for {what}")
    raise HardError(540, f"queue type '{kind}' is not implemented")
