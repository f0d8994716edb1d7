"""The types of queues: what each allows, and what makes its processes what they are.

A type that this broker has is an entry of `TYPES`, and nothing else here: its arguments are checked
by that, its processes are made with those constants of the specification's `QueueProcess`, and
lockstep asks the specification with the same ones.

RabbitMQ has classic queues, quorum queues and streams.  Each type refuses arguments that mean
something for another type only, and the two replicated types refuse queues that do not last.  Those
refusals are the same here.  What is left is a queue that RabbitMQ would make; if it is not classic
it is answered 540, since nothing here is replicated as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ackproof.impl.errors import HardError, SoftError
from ackproof.impl.wire.tables import Table

__all__ = ["CLASSIC", "TYPE", "TYPES", "QueueType", "check_type", "type_of"]

#: The argument that names the type.
TYPE = "x-queue-type"
CLASSIC = "classic"

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


@dataclass(frozen=True)
class QueueType:
    """A type of queues.

    Attributes:
        foreign: the arguments that mean nothing to it, and are refused for that.
        lasting: it refuses queues that do not last.
        constants: of its processes, by their names in the specification; None if this broker has
            no queues of that type.
    """

    foreign: frozenset[str]
    lasting: bool
    constants: Mapping[str, Any] | None


TYPES = {
    CLASSIC: QueueType(_OF_QUORUM | _OF_STREAMS | _OF_REPLICATED, False, {}),
    "quorum": QueueType(_OF_CLASSIC | _OF_STREAMS, True, None),
    "stream": QueueType(_OF_CLASSIC | _OF_QUORUM | _OF_MESSAGES_LEAVING, True, None),
}


def type_of(arguments: Table) -> QueueType:
    """Return the type of a queue, by its arguments, which are in order."""
    return TYPES[arguments.get(TYPE, CLASSIC)]


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
    kind, allowed = arguments.get(TYPE, CLASSIC), type_of(arguments)
    for name in arguments:
        if name in allowed.foreign:
            raise SoftError(
                406, f"invalid arg '{name}' for {what} of queue type rabbit_{kind}_queue"
            )
    for wrong, name in (
        (auto_delete, "auto-delete"),
        (exclusive, "exclusive-owner"),
        (not durable, "non-durable"),
    ):
        if wrong and allowed.lasting:
            raise SoftError(406, f"invalid property '{name}' for {what}")
    if allowed.constants is None:
        raise HardError(540, f"queue type '{kind}' is not implemented")
