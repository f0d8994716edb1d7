"""Which publish a fault is about: the one that was chosen, and nothing that makes no sense."""

from __future__ import annotations

from typing import Any

import pytest

from tests.impl.clients import content
from tests.impl.faults.faulty_clients import confirming


@pytest.mark.parametrize(
    ("about", "struck"),
    [
        ({"routing_key": "b"}, 2),
        ({"exchange": ""}, 1),
        ({"exchange": "other"}, None),
        ({"header": {"kind": "big"}}, 3),
        ({"header": {"kind": None}}, 3),
        ({"header": {"kind": "small"}}, None),
        ({"skip": 1}, 2),
        ({"skip": 1, "routing_key": "a"}, 3),
        ({"probability": 0.0}, None),
        ({"probability": 0.5, "seed": 2}, 3),
    ],
)
def test_a_trigger_chooses_the_publish(about: dict[str, Any], struck: int | None) -> None:
    wire = confirming("a", "b")
    wire.broker.faults.nack_next(**about)
    said = [
        *wire.say(1, *content("a", persistent=False)),
        *wire.say(1, *content("b", persistent=False)),
        *wire.say(1, *content("a", persistent=False, headers={"kind": "big"})),
    ]
    assert said == [f"1 nack {n}*" if n == struck else f"1 ack {n}" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("about", "error"),
    [
        ({"n": 0}, "n is 0; it must be 1 or more, or null for no end"),
        ({"n": "two"}, "n is 'two'; it must be an integer or null"),
        ({"skip": -1}, "skip is -1; it must not be negative"),
        ({"probability": 2}, "probability is 2; it must be from 0 to 1"),
        ({"probability": True}, "probability is True; it must be a number"),
        ({"header": "kind"}, "header is 'kind'; it must be an object or null"),
        (
            {"queue": "q"},
            "publishes cannot be chosen by queue; "
            "use exchange, header, probability, routing_key, seed, skip",
        ),
    ],
)
def test_a_trigger_that_makes_no_sense_is_refused(about: dict[str, Any], error: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        confirming().broker.faults.nack_next(**about)
    assert str(caught.value) == error
