"""Dead letters: what becomes of a message that a queue gives up, if the queue has a place for it.

A queue with a dead letter exchange publishes there what it loses: what a consumer has rejected for
good, what has expired, and what the length limit has pushed out or kept out.  The broker publishes
it by itself, on a channel of its own that does not confirm, and lets go of the original at once
(B4.4): a dead letter is lost if its new queue is lost before the disk has it.

The header `x-death` says where and why a message has died: one table for each queue and reason, the
latest first, which counts.  The headers `x-first-death-...` say where it began.  A message that
would come back to a queue where it has died already, without anybody having rejected it on the
way, is not sent there: it would go round for ever (B4.5).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

from ackproof.impl.memory import Memory
from ackproof.impl.wire import encoded_fields
from ackproof.impl.wire.content import Message

if TYPE_CHECKING:
    from ackproof.impl.machines.queue_processes import HostedQueue

__all__ = ["Cause", "cycles", "dead_letter"]

_DEATH = "x-death"
_EMPTY_TABLE = bytes(4)
#: What an integer of 64 bits can say; clients may have counted, too.
_COUNT_MAX = 2**63 - 1


class Cause(StrEnum):
    """Why a queue has given a message up, as `x-death` says it."""

    REJECTED = "rejected"
    EXPIRED = "expired"
    MAXLEN = "maxlen"


def dead_letter(
    message: Message, cause: Cause, queue: HostedQueue, exchange: str, now: float, memory: Memory
) -> Message:
    """Return the message that is published in the place of one that has died.

    Args:
        message: the one that has died.
        cause: why.
        queue: where; its arguments may say a routing key.
        exchange: where the new one is published to.
        now: seconds since 1970.
        memory: counts the new one.
    """
    key = queue.arguments.get("x-dead-letter-routing-key")
    properties = encoded_fields.split_properties(message.properties)
    headers = encoded_fields.split_table(properties.get("headers", _EMPTY_TABLE))
    death = {
        "count": encoded_fields.integer(1),
        "reason": encoded_fields.text(cause),
        "queue": encoded_fields.text(queue.name),
        "time": encoded_fields.timestamp(int(now)),
        "exchange": encoded_fields.text(message.exchange),
        "routing-keys": encoded_fields.array(
            map(encoded_fields.text, _routing_keys(message, headers))
        ),
    }
    if "expiration" in properties:
        original = properties.pop("expiration")[1:].decode(errors="replace")
        death["original-expiration"] = encoded_fields.text(original)
    _record(death, headers)
    if key is not None:
        headers.pop("CC", None)
    # A property is a table without the letter that says so.
    properties["headers"] = encoded_fields.table(dict(sorted(headers.items())))[1:]
    joined = encoded_fields.join_properties(message.properties, properties)
    return Message(
        exchange=exchange,
        routing_keys=message.routing_keys if key is None else (str(key),),
        mandatory=False,
        persistent=message.persistent,
        properties=joined,
        body=message.body,
        memory=memory,
    )


def _routing_keys(message: Message, headers: dict[str, bytes]) -> list[str]:
    """Return the routing keys that any receiver may see: the first, and those of CC."""
    copies = _texts(headers.get("CC"))
    return [message.routing_keys[0], *copies]


def _texts(value: bytes | None) -> list[str]:
    if value is None or not _is_array(value):
        return []
    found = map(encoded_fields.text_of, encoded_fields.split_array(value[1:]))
    return [one for one in found if one is not None]


def _record(death: dict[str, bytes], headers: dict[str, bytes]) -> None:
    """Put a death in front of those that were before; one of its kind counts on instead."""
    if _DEATH not in headers:
        for name in ("reason", "queue", "exchange"):
            headers[f"x-first-death-{name}"] = death[name]
    others: list[bytes] = []
    for value in _grouped(_deaths(headers)):
        before = _fields(value)
        if before is not None and _kind(before) == _kind(death):
            count = min(encoded_fields.integer_of(before.get("count")) + 1, _COUNT_MAX)
            death = {**before, "count": encoded_fields.integer(count)}
        else:
            others.append(value)
    if _is_array(headers.get(_DEATH)):
        death = dict(sorted(death.items()))
    headers[_DEATH] = encoded_fields.array([encoded_fields.table(death), *others])


def _deaths(headers: dict[str, bytes]) -> list[bytes]:
    """Return what the header lists, which a client may have written; nothing if it is no list."""
    value = headers.get(_DEATH, b"")
    return encoded_fields.split_array(value[1:]) if _is_array(value) else []


def _grouped(deaths: list[bytes]) -> list[bytes]:
    """Return one death for each queue and reason, as RabbitMQ makes it of several; the last first.

    Brokers that did not count wrote each death down, and those are counted here.
    """
    found = [fields for fields in map(_fields, deaths) if fields is not None]
    if len(deaths) < 2 or len(found) < len(deaths):
        return deaths
    kinds = [_kind(fields) for fields in found]
    first = dict(zip(reversed(kinds), reversed(found), strict=True))
    order = list(dict.fromkeys(kinds))
    counted = (
        {"count": encoded_fields.integer(kinds.count(kind)), **first[kind]} for kind in order
    )
    return [*map(encoded_fields.table, counted)][::-1]


def _is_array(value: bytes | None) -> bool:
    return value is not None and value[:1] == b"A"


def _fields(value: bytes) -> dict[str, bytes] | None:
    return encoded_fields.split_table(value[1:]) if value[:1] == b"F" else None


def _kind(death: dict[str, bytes]) -> tuple[str | None, str | None]:
    return encoded_fields.text_of(death.get("queue")), encoded_fields.text_of(death.get("reason"))


def cycles(message: Message, targets: Iterable[HostedQueue]) -> list[HostedQueue]:
    """Return those queues to which a dead letter must not go, as nobody would ever stop it (B4.5).

    What stands in the list of deaths and is none, a client has written; then somebody is in the
    circle who can stop it.
    """
    properties = encoded_fields.split_properties(message.properties)
    headers = encoded_fields.split_table(properties.get("headers", _EMPTY_TABLE))
    deaths = [_fields(value) for value in _deaths(headers)]
    return [queue for queue in targets if _automatic(queue.name, deaths)]


def _automatic(queue: str, deaths: list[dict[str, bytes] | None]) -> bool:
    """Tell whether a message has died in a queue before, and nobody rejected it since."""
    for death in deaths:
        if death is None:
            return False
        name, reason = _kind(death)
        if reason == Cause.REJECTED:
            return False
        if name == queue:
            return True
    return False
