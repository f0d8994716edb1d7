"""The arguments of queues: what each may be; refusals have the text of RabbitMQ 3.10.8."""

from __future__ import annotations

from typing import Any

import pytest
from pamqp import commands

from tests.impl.clients import Wire


def declare(wire: Wire, **arguments: object) -> str:
    """Declare q with arguments, whose underscores are hyphens; return the answer."""
    named = {name.replace("_", "-"): value for name, value in arguments.items()}
    method = commands.Queue.Declare(queue="q", arguments=named)  # type: ignore[arg-type]
    (answer,) = wire.say(1, method)
    return answer


WRONG: list[tuple[str, object, str]] = [
    ("x-expires", "a", '"expected integer, got longstr"'),
    ("x-expires", True, '"expected integer, got bool"'),
    ("x-expires", -1, "{value_negative,-1}"),
    ("x-expires", 0, "{value_zero,0}"),
    ("x-expires", 2**40, "{value_too_large,1099511627776}"),
    ("x-message-ttl", -1, "{value_negative,-1}"),
    ("x-message-ttl", 315360000001, "{value_too_large,315360000001}"),
    ("x-dead-letter-routing-key", 5, "{unacceptable_type,byte}"),
    ("x-dead-letter-routing-key", "k", "routing_key_but_no_dlx_defined"),
    ("x-max-length", [], '"expected integer, got array"'),
    ("x-max-length", -1, "{value_negative,-1}"),
    ("x-max-length-bytes", {}, '"expected integer, got table"'),
    ("x-max-priority", 256, "{max_value_exceeded,256}"),
    ("x-overflow", 5, "{unacceptable_type,byte}"),
    ("x-overflow", "x", "invalid_overflow"),
    ("x-queue-mode", "x", "\"unsupported queue mode 'x'\""),
    ("x-queue-version", 3, "\"unsupported queue version '3'\""),
    ("x-single-active-consumer", "true", "{unacceptable_type,longstr}"),
    ("x-queue-type", "nosuch", "\"unsupported queue type 'nosuch'\""),
]


@pytest.mark.parametrize(("name", "value", "wrong"), WRONG)
def test_a_wrong_value_is_refused(name: str, value: object, wrong: str) -> None:
    assert declare(Wire().opened(), **{name: value}) == (
        f"1 Channel.Close 406 PRECONDITION_FAILED - invalid arg '{name}' for queue 'q' "
        f"in vhost '/': {wrong}"
    )


def test_a_dead_letter_exchange_is_a_name() -> None:
    assert declare(Wire().opened(), x_dead_letter_exchange=5) == (
        "1 Channel.Close 406 PRECONDITION_FAILED - "
        "invalid type 'byte' for arg 'x-dead-letter-exchange' in queue 'q' in vhost '/'"
    )


def test_an_argument_of_another_type_of_queue_is_refused() -> None:
    assert declare(Wire().opened(), x_delivery_limit=3) == (
        "1 Channel.Close 406 PRECONDITION_FAILED - invalid arg 'x-delivery-limit' "
        "for queue 'q' in vhost '/' of queue type rabbit_classic_queue"
    )


def test_another_type_of_queue_is_not_implemented() -> None:
    arguments: Any = {"x-queue-type": "quorum"}
    method = commands.Queue.Declare(queue="q", durable=True, arguments=arguments)
    (answer,) = Wire().opened().say(1, method)
    assert answer.endswith("540 NOT_IMPLEMENTED - queue type 'quorum' is not implemented")


@pytest.mark.parametrize("kind", ["quorum", "stream"])
@pytest.mark.parametrize(
    ("flags", "wrong"),
    [
        ({"auto_delete": True, "exclusive": True}, "auto-delete"),
        ({"exclusive": True}, "exclusive-owner"),
        ({}, "non-durable"),
    ],
)
def test_a_replicated_queue_has_to_last(kind: str, flags: dict[str, bool], wrong: str) -> None:
    arguments: Any = {"x-queue-type": kind}
    method = commands.Queue.Declare(queue="q", arguments=arguments, **flags)  # type: ignore[arg-type]
    assert Wire().opened().say(1, method) == [
        f"1 Channel.Close 406 PRECONDITION_FAILED - invalid property '{wrong}' for queue 'q' "
        "in vhost '/'"
    ]


def test_each_type_of_queue_has_arguments_of_its_own() -> None:
    answer = declare(Wire().opened(), x_queue_type="stream", x_message_ttl=5)
    assert answer.endswith(
        "invalid arg 'x-message-ttl' for queue 'q' in vhost '/' of queue type rabbit_stream_queue"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-queue-type", "classic"),
        ("x-queue-version", 1),
        ("x-queue-version", 2),
        ("x-queue-mode", "lazy"),
        ("x-queue-master-locator", "min-masters"),
        ("x-single-active-consumer", True),
        ("x-nosuch", 3),
        ("comment", "mine"),
    ],
)
def test_what_needs_nothing_to_be_done_is_accepted(name: str, value: object) -> None:
    assert declare(Wire().opened(), **{name: value}) == "1 Queue.DeclareOk q 0"


def test_declaring_again_with_an_argument_that_matters_is_refused() -> None:
    wire = Wire().opened()
    declare(wire)
    assert declare(wire, x_max_length=5) == (
        "1 Channel.Close 406 PRECONDITION_FAILED - inequivalent arg 'x-max-length' for queue 'q' "
        "in vhost '/': received the value '5' of type 'byte' but current is none"
    )


def test_declaring_again_with_another_value_is_refused() -> None:
    wire = Wire().opened()
    declare(wire, x_queue_mode="lazy")
    assert declare(wire, x_queue_mode="default") == (
        "1 Channel.Close 406 PRECONDITION_FAILED - inequivalent arg 'x-queue-mode' for queue 'q' "
        "in vhost '/': received 'default' but current is 'lazy'"
    )


def test_a_queue_is_classic_whether_that_is_said_or_not() -> None:
    wire = Wire().opened()
    for _ in range(2):
        assert declare(wire) == "1 Queue.DeclareOk q 0"
        assert declare(wire, x_queue_type="classic") == "1 Queue.DeclareOk q 0"


def test_arguments_that_mean_nothing_may_change() -> None:
    wire = Wire().opened()
    declare(wire, comment="mine")
    assert declare(wire, comment="yours") == "1 Queue.DeclareOk q 0"


@pytest.mark.parametrize("exclusive", [False, True])
def test_a_queue_stays_exclusive_or_does_not_become_it(exclusive: bool) -> None:
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="q", exclusive=exclusive))
    (answer,) = wire.say(1, commands.Queue.Declare(queue="q", exclusive=not exclusive))
    assert answer.startswith("1 Channel.Close 405 RESOURCE_LOCKED - cannot obtain exclusive access")
