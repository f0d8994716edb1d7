"""The arguments with which a queue may be declared: what each may be, and when two are the same.

RabbitMQ checks the value of each argument that it knows, and lets pass those that it does not know.
So does this broker.  All that it knows are acted on, but for those that change nothing that a
client can see: which node leads, how much is kept in memory, and in which files the rest is.  A
queue of version 2 is like any other here; RabbitMQ confirms what is in it before the sync (C6.2).

Which arguments a type of queue allows, `ackproof.impl.topology.queue_types` says.  An exclusive,
transient or automatically deleted queue is told by flags of the method.
"""

from __future__ import annotations

from collections.abc import Callable

from ackproof.impl.errors import SoftError
from ackproof.impl.topology.equivalence import check_arguments as check_equivalent
from ackproof.impl.topology.queue_types import CLASSIC, TYPE, TYPES
from ackproof.impl.wire.properties import TIME_MAX
from ackproof.impl.wire.tables import Table
from ackproof.impl.wire.values import is_integer, type_name

__all__ = ["check_arguments", "check_same_arguments"]

_PRIORITY_MAX = 255

#: Says what is wrong with a value, as RabbitMQ does, or returns None.
_Check = Callable[[object], str | None]


def _integer(value: object) -> str | None:
    if not is_integer(value):
        return f'"expected integer, got {type_name(value)}"'
    return f"{{value_negative,{value}}}" if value < 0 else None


def _time(value: object) -> str | None:
    wrong = _integer(value)
    if wrong is None and isinstance(value, int) and value > TIME_MAX:
        return f"{{value_too_large,{value}}}"
    return wrong


def _expiry(value: object) -> str | None:
    return "{value_zero,0}" if is_integer(value) and value == 0 else _time(value)


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
    TYPE: lambda value: _one_of("\"unsupported queue type '{}'\"", *TYPES)(value),
    "x-queue-master-locator": _text,
}


def check_arguments(what: object, arguments: Table) -> None:
    """Check the arguments of a new queue.

    Args:
        what: the queue, as a text names it.
        arguments: as they were given.

    Raises:
        SoftError: 406, one of them is wrong.
    """
    for name, check in _CHECKS.items():
        wrong = check(arguments[name]) if name in arguments else None
        if wrong is not None:
            raise SoftError(406, f"invalid arg '{name}' for {what}: {wrong}")
    _check_dead_letters(what, arguments)


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
    defaulted = {asked.get(TYPE, CLASSIC), there.get(TYPE, CLASSIC)} == {CLASSIC}
    known = (*_CHECKS, *sorted(TYPES[CLASSIC].foreign))
    names = (name for name in known if name != TYPE or not defaulted)
    check_equivalent(what, names, asked, there)
