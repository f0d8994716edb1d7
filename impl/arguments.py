"""The arguments with which a queue may be declared: what each may be, and which are in use here.

RabbitMQ checks the value of each argument that it knows, and lets pass those that it does not know.
So does this broker; an argument that it knows and does not act on yet is refused as 540, after the
check, rather than accepted and ignored.  The exceptions change nothing that a client can see: which
node leads, and how much is kept in memory.

An exclusive, transient or automatically deleted queue is told by flags of the method, not here.
"""

from __future__ import annotations

from collections.abc import Callable

from ackproof.impl.errors import HardError, SoftError
from ackproof.impl.topology.equivalence import check_argument
from ackproof.impl.wire.tables import Table, type_name

__all__ = ["TIME_MAX", "check_arguments", "check_same_arguments"]

_TYPE = "x-queue-type"
_CLASSIC = "classic"

#: Arguments that are acted on, or that need nothing to be done.
_IMPLEMENTED = {
    _TYPE,
    "x-dead-letter-exchange",
    "x-dead-letter-routing-key",
    "x-expires",
    "x-max-length",
    "x-max-length-bytes",
    "x-max-priority",
    "x-message-ttl",
    "x-overflow",
    "x-queue-master-locator",
    "x-queue-mode",
    "x-single-active-consumer",
}

#: The version that queues have here; what the next one confirms is another matter (C6).
_VERSION = ("x-queue-version", 1)

#: Those of other types of queues.
_FOREIGN = (
    "x-dead-letter-strategy",
    "x-max-in-memory-length",
    "x-max-in-memory-bytes",
    "x-quorum-initial-group-size",
    "x-max-age",
    "x-stream-max-segment-size-bytes",
    "x-initial-cluster-size",
    "x-queue-leader-locator",
    "x-delivery-limit",
)

#: Milliseconds, at most, of everything that takes time: ten years.
TIME_MAX = 10 * 365 * 24 * 3600 * 1000
_PRIORITY_MAX = 255

#: Says what is wrong with a value, as RabbitMQ does, or returns None.
_Check = Callable[[object], str | None]


def _integer(value: object) -> str | None:
    if type(value) is not int:
        return f'"expected integer, got {type_name(value)}"'
    return f"{{value_negative,{value}}}" if value < 0 else None


def _time(value: object) -> str | None:
    wrong = _integer(value)
    if wrong is None and isinstance(value, int) and value > TIME_MAX:
        return f"{{value_too_large,{value}}}"
    return wrong


def _expiry(value: object) -> str | None:
    return "{value_zero,0}" if type(value) is int and value == 0 else _time(value)


def _priority(value: object) -> str | None:
    wrong = _integer(value)
    if wrong is None and isinstance(value, int) and value > _PRIORITY_MAX:
        return f"{{max_value_exceeded,{value}}}"
    return wrong


def _version(value: object) -> str | None:
    wrong = _integer(value)
    return wrong if wrong or value in (1, 2) else f"\"unsupported queue version '{value}'\""


def _truth(value: object) -> str | None:
    return None if isinstance(value, bool) else _unacceptable(value)


def _text(value: object) -> str | None:
    return None if isinstance(value, str) else _unacceptable(value)


def _one_of(wrong: str, *names: str) -> _Check:
    """Return a check for one of these names; `wrong` is what to say of another."""

    def check(value: object) -> str | None:
        return _text(value) or (None if value in names else wrong.format(value))

    return check


def _unacceptable(value: object) -> str:
    return f"{{unacceptable_type,{type_name(value)}}}"


#: In the order in which they are compared when a queue is declared again.
_CHECKS: dict[str, _Check] = {
    "x-expires": _expiry,
    "x-message-ttl": _time,
    "x-dead-letter-exchange": lambda _: None,
    "x-dead-letter-routing-key": _text,
    "x-max-length": _integer,
    "x-max-length-bytes": _integer,
    "x-max-priority": _priority,
    "x-overflow": _one_of("invalid_overflow", "drop-head", "reject-publish", "reject-publish-dlx"),
    "x-queue-mode": _one_of("\"unsupported queue mode '{}'\"", "default", "lazy"),
    "x-queue-version": _version,
    "x-single-active-consumer": _truth,
    _TYPE: _one_of("\"unsupported queue type '{}'\"", _CLASSIC, "quorum", "stream"),
    "x-queue-master-locator": _text,
}


def check_arguments(what: object, arguments: Table) -> None:
    """Check the arguments of a new queue.

    Args:
        what: the queue, as a text names it.
        arguments: as they were given.

    Raises:
        SoftError: 406, one of them is wrong.
        HardError: 540, this broker does not do what one of them asks for.
    """
    for name, check in _CHECKS.items():
        wrong = check(arguments[name]) if name in arguments else None
        if wrong is not None:
            raise SoftError(406, f"invalid arg '{name}' for {what}: {wrong}")
    _check_dead_letters(what, arguments)
    if arguments.get(_TYPE, _CLASSIC) != _CLASSIC:
        raise HardError(540, f"queue type '{arguments[_TYPE]}' is not implemented")
    for name in _FOREIGN:
        if name in arguments:
            raise SoftError(
                406, f"invalid arg '{name}' for {what} of queue type rabbit_classic_queue"
            )
    for name in _CHECKS:
        if name in arguments and (name, arguments[name]) != _VERSION and name not in _IMPLEMENTED:
            raise HardError(540, f"queue argument '{name}' is not implemented")


def _check_dead_letters(what: object, arguments: Table) -> None:
    exchange, key = "x-dead-letter-exchange", "x-dead-letter-routing-key"
    if exchange in arguments and not isinstance(arguments[exchange], str):
        wrong = type_name(arguments[exchange])
        raise SoftError(406, f"invalid type '{wrong}' for arg '{exchange}' in {what}")
    if key in arguments and exchange not in arguments:
        raise SoftError(406, f"invalid arg '{key}' for {what}: routing_key_but_no_dlx_defined")


def check_same_arguments(what: object, asked: Table, there: Table) -> None:
    """Check the arguments of a queue that is declared again.

    Args:
        what: the queue, as a text names it.
        asked: as they are given now.
        there: as they were given at first.

    Raises:
        SoftError: 406, one that matters is not the same.
    """
    for name in (*_CHECKS, *_FOREIGN):
        usual = _CLASSIC if name == _TYPE else None
        check_argument(what, name, asked.get(name, usual), there.get(name, usual))
